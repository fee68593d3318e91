"""Laws of letters: what a reader is called never becomes a header, a page, or a program."""

from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.mail import Letter
from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.society.letter_templates import (
    Lacking,
    LetterTemplate,
    check,
    fill_template,
    keep,
    page_of,
    template_named,
    template_names,
)
from tests.contracts.mail_server import parsed

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SOURCE = LetterTemplate("Hello {{ name }}", "Dear {{ name }},\n\n{{ news }}", "<p>{{ name }}</p>")
TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=300)


def travelled(source: LetterTemplate, **fields: str) -> EmailMessage:
    made = fill_template(source, fields)
    letter = Letter("L-1", "Acme <a@b.co>", "c@d.co", made.subject, made.text, NOW, html=made.html)
    return parsed(letter.as_bytes())


@given(TEXTS, TEXTS)
def test_whatever_a_reader_is_called_the_letter_has_the_headers_it_should_and_no_others(name: str, news: str) -> None:
    found = travelled(SOURCE, name=name, news=news)
    assert sorted(found.keys()) == ["Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"]
    assert found["To"] == "c@d.co"
    page = found.get_body(("html",))
    assert page is not None
    inner = page.get_content().strip().removeprefix("<p>").removesuffix("</p>")
    assert "<" not in inner
    assert ">" not in inner


@given(st.text(st.characters(whitelist_categories=["L", "N", "Zs"]), min_size=1, max_size=60))
def test_a_subject_arrives_as_it_was_written(name: str) -> None:
    found = travelled(SOURCE, name=f"Ann{name}", news="none")
    assert str(found["Subject"]).split() == f"Hello Ann{name}".split()


@given(TEXTS)
def test_a_page_made_of_a_text_has_no_marks_but_its_own(text: str) -> None:
    page = page_of(text)
    for mark in ("<p>", "</p>", "<br>", "</a>"):
        page = page.replace(mark, "")
    assert "<" not in page.replace('<a href="http', "")


@pytest.mark.parametrize(
    "text",
    ["{% for a in range(9) %}x{% endfor %}", "{{ 'x' * 10 }}", "{{ 9 ** 9 }}", "{{ name.upper() }}", "{{ name[0] }}",
     "{% set a = 1 %}", "{% include 'x' %}", "{% macro a() %}{% endmacro %}", "{{ name | pprint }}", "{{ range(9) }}",
     "{{ 'a' ~ 'b' }}", "{% if %}", "{{", "{{ [1] }}", "{% raw"],
)  # fmt: skip
def test_a_letter_is_no_program(text: str) -> None:
    with pytest.raises(InvalidArgument, match="what letters may not") as wrong:
        check(LetterTemplate("Hello", text))
    assert wrong.value.argument == "text"


def test_a_field_nobody_has_given_may_be_asked_for_but_not_written() -> None:
    asks = LetterTemplate(
        "Hi", "{% if company %}At {{ company }}{% else %}Hello {{ name | default('you') }}{% endif %}"
    )
    assert fill_template(asks, {"company": ""}).text == "Hello you\n"
    assert fill_template(asks, {"company": "Initech"}).text == "At Initech\n"
    with pytest.raises(Lacking, match=r"uses \{\{ company \}\}, which is not known here"):
        fill_template(LetterTemplate("Hi", "At {{ company }}"), {})


def test_every_template_that_is_shipped_can_be_sent(tmp_path: Path) -> None:
    names = template_names(tmp_path)
    assert names == ["enterprise_launch", "follow_up", "newsletter", "welcome", "win_back"]
    for name in names:
        source = template_named(name, tmp_path)
        check(source)
        made = fill_template(source, {"business": "Acme", "news": "We moved."})
        assert "{" not in made.subject + made.text
        assert "Acme" in made.text


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="{}\x85\u2028\u2029"), min_size=1))
def test_a_template_is_read_as_it_was_kept(text: str) -> None:
    from tempfile import TemporaryDirectory

    if not text.strip():
        return
    with TemporaryDirectory() as folder:
        keep(LetterTemplate(text.strip(), f"{text}\n---\n{text}", "<p>page</p>"), "mine", Path(folder))
        found = template_named("mine", Path(folder))
    assert (found.subject, found.html) == (text.strip(), "<p>page</p>")
    assert found.text.strip() == f"{text}\n---\n{text}".strip()


def test_a_template_that_cannot_be_read_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "broken.md").write_text("Hello")
    with pytest.raises(Damaged, match=r"broken\.md: a template begins with ---, subject"):
        template_named("broken", tmp_path)
    with pytest.raises(UnknownId, match="did you mean 'welcome'"):
        template_named("welcom", tmp_path)
