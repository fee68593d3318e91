"""The daily log: one line an item, read back as written, whatever the content."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import Damaged
from mabos.memory import daily
from mabos.memory.model import MemoryItem
from tests.memory.factory import Remembering

ITEM = MemoryItem(
    "M-1771943400000-a3f2",
    "Hire an engineer",
    "decision",
    0.8,
    tags=("hiring", "cash flow"),
    created_at="2026-02-24T14:30:00.000Z",
)
DAY = date(2026, 2, 24)


def test_a_line_says_when_what_how_important_and_where() -> None:
    assert daily.log_line(ITEM, "short_term") == (
        "- 14:30 [decision] (0.8, short_term) Hire an engineer #hiring #cash-flow M-1771943400000-a3f2\n"
    )


def test_an_entry_is_read_back(tmp_path: Path) -> None:
    daily.append(tmp_path, [(ITEM, "short_term")])
    (entry,) = daily.entries(tmp_path, DAY)
    assert (entry.line, entry.time, entry.type, entry.importance) == (3, "14:30", "decision", 0.8)
    assert (entry.content, entry.tags, entry.id) == (ITEM.content, ("hiring", "cash-flow"), ITEM.id)


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1)
TRICKY = st.text(r"\# a", min_size=1, max_size=6)
LINE = st.one_of(TEXT, TRICKY).map(str.strip).filter(bool)


@given(lines=st.lists(LINE, min_size=1, max_size=4))
def test_any_content_is_read_back_as_it_was(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("log")
    item = replace(ITEM, content="\n".join(lines), tags=())
    daily.append(folder, [(ITEM, "working"), (item, "working"), (ITEM, "working")])
    assert [entry.id for entry in daily.entries(folder, DAY)] == [ITEM.id] * 3
    assert daily.entries(folder, DAY)[1].content == item.content


def test_a_word_like_a_tag_is_not_taken_for_one(tmp_path: Path) -> None:
    daily.append(tmp_path, [(replace(ITEM, content="Fixed issue #42"), "working")])
    assert "issue \\#42 #hiring" in (tmp_path / "2026-02-24.md").read_text()
    assert daily.entries(tmp_path, DAY)[0].content == "Fixed issue #42"


def test_a_torn_last_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    daily.append(tmp_path, [(ITEM, "working")])
    with (tmp_path / "2026-02-24.md").open("a") as log:
        log.write("- 14:31 [fact] (0.")
    daily.append(tmp_path, [(ITEM, "working")])
    assert [entry.id for entry in daily.entries(tmp_path, DAY)] == [ITEM.id, "", ITEM.id]


def test_only_files_named_by_a_day_are_logs(tmp_path: Path) -> None:
    for name in ("2026-02-24.md", "2026-02-30.md", "mabos-facts.md", "2026-02-24-1430.md"):
        (tmp_path / name).write_text("x")
    assert daily.days(tmp_path) == [DAY]


def test_a_log_that_is_a_link_is_told_and_nothing_is_written_where_it_leads(tmp_path: Path) -> None:
    elsewhere = tmp_path / "profile"
    elsewhere.write_text("mine", "utf-8")
    (tmp_path / f"{DAY}.md").symlink_to(elsewhere)
    with pytest.raises(Damaged, match="a link"):
        daily.append(tmp_path, [(ITEM, "short_term")])
    with pytest.raises(Damaged, match="a link"):
        daily.entries(tmp_path, DAY)
    assert elsewhere.read_text("utf-8") == "mine"


def test_the_log_is_only_appended_to(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store("first")
    before = mind.log()
    mind.memory.store("second", importance=0.9)
    mind.wait(hours=3)
    mind.memory.expire()
    assert mind.log().startswith(before)
