import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.workspace.markdown import (
    fields,
    heading_key,
    is_key_of,
    join,
    natural_key,
    single_section,
    split,
    with_field,
    without_field,
)

LINES = st.sampled_from(
    [
        "## Runway",
        "## Runway",
        "## ",
        "##x",
        "### Deeper",
        "```",
        "````py",
        "~~~",
        "- **Id:** B-1",
        "certainty: 0.8",
        "",
        "\r",
    ]
)
MARKDOWN = st.lists(LINES | st.text(max_size=12), max_size=14).map("\n".join)
NAMES = st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="[]"), max_size=20)


@given(MARKDOWN)
def test_joining_what_was_split_gives_back_every_character(text: str) -> None:
    assert join(*split(text)) == text


@given(MARKDOWN)
def test_keys_are_unique_and_belong_to_their_sections(text: str) -> None:
    _, sections = split(text)
    assert len({section.key for section in sections}) == len(sections)
    assert all(is_key_of(section.key, section.text) for section in sections)


@given(MARKDOWN.map(lambda text: "## Head\n" + text))
def test_an_admitted_section_is_one_section_whatever_follows(text: str) -> None:
    try:
        admitted = single_section(text)
    except InvalidArgument:
        return
    assert [section.text for section in split(admitted + "## Next\n")[1]] == [admitted, "## Next\n"]


def test_the_same_heading_twice_gets_a_number() -> None:
    assert [section.key for section in split("# T\n\n## A b\n1\n## A b\n2\n## A b\n")[1]] == ["a-b", "a-b-2", "a-b-3"]


def test_an_id_field_is_the_key_however_it_is_written() -> None:
    assert natural_key("## Runway\n- **ID:** B-001\n") == "B-001"
    assert natural_key("## Runway\nid: B-001\n") == "B-001"
    assert natural_key("## Runway is nine months\n") == "runway-is-nine-months"


def test_headings_in_code_start_no_section() -> None:
    _, sections = split("## A\n```\n## not one\n```\n## B\n")
    assert [section.heading for section in sections] == ["A", "B"]


def test_a_fence_without_end_swallows_nothing() -> None:
    assert [section.heading for section in split("## A\n```\ncode\n## B\n")[1]] == ["A", "B"]


def test_every_spelling_of_a_field_is_read() -> None:
    text = (
        "## Ship it [deadline: 2026-03-01]\n- **Certainty:** 0.9\nPriority: 0.7\n**Source**: board deck\n"
        "- status: held\nSuccess Criteria: two pilots\n\nWe wrote [updated: 2026-02-01] to http://x.org at 14:30.\n"
    )
    assert fields(text) == {
        "deadline": "2026-03-01",
        "certainty": "0.9",
        "priority": "0.7",
        "source": "board deck",
        "status": "held",
        "success_criteria": "two pilots",
        "updated": "2026-02-01",
    }


def test_code_holds_no_fields() -> None:
    assert fields("## A\n```\ncertainty: 0.1\n```\ncertainty: 0.8\n") == {"certainty": "0.8"}


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("- **Certainty:** 0.9", "- **Certainty:** 0.4"),
        ("Certainty: 0.9", "Certainty: 0.4"),
        ("certainty:   0.9  ", "certainty:   0.4  "),
        ("**Certainty**: 0.9", "**Certainty**: 0.4"),
        ("prose [certainty: 0.9] goes on", "prose [certainty: 0.4] goes on"),
        ("- **Certainty:**", "- **Certainty:** 0.4"),
        ("Certainty: 0.9\r", "Certainty: 0.4\r"),
    ],
)
def test_a_field_is_written_back_in_the_form_it_was_read_in(line: str, changed: str) -> None:
    assert with_field(f"## A\n{line}\nrest\n", "certainty", "0.4") == f"## A\n{changed}\nrest\n"


def test_a_new_field_joins_the_first_fields() -> None:
    text = "## A\n\n- **Id:** x\n- **Certainty:** 1\n\nprose\n\nNote: later\n"
    assert with_field(text, "Source", "deck") == (
        "## A\n\n- **Id:** x\n- **Certainty:** 1\n- **Source:** deck\n\nprose\n\nNote: later\n"
    )


def test_the_first_field_of_a_section_stands_between_heading_and_prose() -> None:
    assert with_field("## A\nprose\n", "Source", "deck") == "## A\n\n- **Source:** deck\n\nprose\n"
    assert with_field("## A", "Source", "deck") == "## A\n\n- **Source:** deck\n\n"


@given(MARKDOWN.map(lambda text: "## Head\n" + text), NAMES, VALUES)
def test_a_field_that_was_set_is_read_back(text: str, name: str, value: str) -> None:
    text = single_section(text) if len(split(text)[1]) == 1 else "## Head\n"
    changed = with_field(text, name, value)
    assert fields(changed)[name.lower().replace(" ", "_")] == " ".join(value.split())
    assert with_field(changed, name, value) == changed


def test_a_field_can_be_taken_away() -> None:
    assert without_field("## A [due: 1]\n- **X:** 1\n- **Y:** 2\n", "x") == "## A [due: 1]\n- **Y:** 2\n"
    assert without_field("## A [due: 1]\n", "due") == "## A\n"
    assert without_field("## A\n", "due") == "## A\n"


def test_keys_keep_letters_of_every_language() -> None:
    assert heading_key("Größe & Co.") == "größe-co"
    assert heading_key("!?") == "section"


def test_more_than_one_section_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="found 2 headings"):
        single_section("## A\n## B\n")
    with pytest.raises(InvalidArgument, match="found 0 headings"):
        single_section("prose")
