"""What people drop or write by hand, where it goes wrong: told with its place, and nothing beside it is lost."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged
from mabos.society.brief import target_in
from mabos.society.intake import passed_over, present, read_document
from mabos.society.letter_templates import template_named
from mabos.society.metrics import open_metrics
from mabos.society.pages import audit_site, read_site
from mabos.society.quantities import read_amount
from mabos.workspace.dates import day_in, day_named
from mabos.workspace.sync import Sync


def test_a_document_that_is_taken_away_while_the_folder_is_read_hides_none_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "brief.md").write_text("- mrr: 5\n")
    (tmp_path / "gone.md").write_text("- mrr: 5\n")
    scandir = os.scandir

    @contextmanager
    def taking(folder: Path) -> Iterator[Any]:
        with scandir(folder) as entries:
            found = list(entries)
            (tmp_path / "gone.md").unlink()
            yield found

    monkeypatch.setattr(os, "scandir", taking)
    assert [name for name, _, _ in present(tmp_path)] == ["brief.md"]


def test_a_name_that_is_no_utf8_and_a_pipe_are_passed_over_and_said(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("- mrr: 5\n")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    os.mkfifo(tmp_path / "pipe.csv")
    assert present(tmp_path) == ()
    (named, why), (pipe, what) = passed_over(tmp_path)
    assert (named, "not UTF-8" in why) == ("caf�.md", True)
    assert (pipe, "pipe" in what) == ("pipe.csv", True)


def test_a_page_with_a_name_that_is_no_utf8_is_said_and_the_audit_goes_on(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.html")).write_text("<title>Coffee</title>")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /none\n")
    found = audit_site(read_site(tmp_path))
    assert [(one.page, one.check) for one in found.findings] == [("caf�.html", "unread")]


@pytest.mark.parametrize("text", ["Aprıl 2026", "APRİL 2026"])
def test_a_month_with_the_letters_of_a_turkish_keyboard_is_that_month(text: str) -> None:
    assert str(day_named(text)) == "2026-04-30"
    assert str(day_in("churn below 3% by 30 Aprıl", year=2026)) == "2026-04-30"


def test_a_number_with_the_letters_of_a_turkish_keyboard_is_that_number() -> None:
    amount = read_amount("2 mıllion")
    assert amount is not None
    assert amount.value == 2_000_000
    assert target_in("win at least fıve customers") == "subscribers >= 5"


@pytest.mark.parametrize("table", ["| --- | --- |\n| --- | --- |", "| --- |\n| --- |", "| --- | --- | --- |\n| --- |"])
def test_a_table_of_rules_alone_is_no_table(table: str) -> None:
    assert read_document("inbox/brief.md", table.encode()).observations == ()


def test_a_line_lost_to_a_quotation_mark_that_is_never_closed_is_said() -> None:
    text = 'Month,MRR\n2026-01,"' + "x" * 140_000 + '"\n2026-02,3\n'
    found = read_document("inbox/metrics.csv", text.encode())
    assert [one.value for one in found.observations] == ["3"]
    assert [one.source for one in found.problems] == ["inbox/metrics.csv:2"]
    assert "quotation mark" in found.problems[0].message
    only = read_document("inbox/metrics.csv", ('"' + "x" * 140_000).encode())
    assert "quotation mark" in only.problems[0].message


def test_a_template_that_is_no_utf8_or_a_link_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"---\nsubject: Hi\n---\ncaf\xe9\n")
    with pytest.raises(Damaged, match=r"latin.md:4: not UTF-8"):
        template_named("latin", tmp_path)
    (tmp_path / "marked.md").write_bytes(b"\xef\xbb\xbf---\r\nsubject: Hi\r\n---\r\nDear you\r\n")
    assert template_named("marked", tmp_path).text == "Dear you\n"
    (tmp_path / "secret").write_text("key")
    (tmp_path / "marked.html").symlink_to(tmp_path / "secret")
    with pytest.raises(Damaged, match="link"):
        template_named("marked", tmp_path)


@pytest.mark.parametrize("value", ['"nan"', '"inf"', '"-Infinity"'])
def test_a_figure_by_hand_that_is_no_number_is_damage(tmp_path: Path, value: str) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    (folder / "metrics.json").write_text(
        f'{{"points": [{{"id": "mrr@x", "name": "mrr", "value": {value}, "at": "2026-01-31"}}]}}'
    )
    with pytest.raises(Damaged, match=r"metrics.json: point 'mrr@x': value is .* finite"):
        open_metrics(tmp_path, Sync("off")).latest("mrr")
