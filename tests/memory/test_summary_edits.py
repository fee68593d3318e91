"""What a person writes into a summary stays, wherever it stands and whatever changes below."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.memory import hierarchy
from mabos.memory.lineage import LineSource, SummaryLine
from mabos.memory.summary import PageSection, Summary, by_hand, page

NAMES = ("weekly/2026-W09", "monthly/2026-02", "quarterly/2026-Q1")


def log(folder: Path, line: str) -> None:
    path = folder / "memory/2026-02-24.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def a_summary(*texts: str) -> Summary:
    """Return a week with some lines of one day."""
    lines = tuple(
        SummaryLine(f"- {text}", (LineSource("2026-02-24.md", at, f"{at:06x}"),))
        for at, text in enumerate(texts, start=1)
    )
    return Summary(
        "Weekly Summary: 2026-W09", "the daily logs", "0" * 16, (PageSection("## Tuesday 2026-02-24", lines),)
    )


def test_nothing_of_a_generated_summary_is_taken_for_a_persons() -> None:
    assert list(by_hand(a_summary("one", "two").render())) == []


def test_a_line_among_ours_follows_them_and_a_section_of_ones_own_ends_the_file() -> None:
    old = (
        a_summary("one", "two").render().replace("\n- two", "\n- mine\n\nA thought.\n- two")
        + "\n## Mine\n\n```\n# no heading\n```\n"
    )
    new = a_summary("one", "three").render(old)
    assert [line.partition(" ([")[0] for line in new.splitlines()[4:]] == [
        *("## Tuesday 2026-02-24", "", "- one", "- three", "- mine", "", "A thought.", ""),
        *("## Mine", "", "```", "# no heading", "```"),
    ]
    assert a_summary("one", "three").render(new) == new


def test_what_stood_above_every_heading_becomes_notes() -> None:
    old = "First of all\n\n" + a_summary("one").render()
    assert a_summary("one").render(old).endswith("\n\n## Notes\n\nFirst of all\n")


def test_a_rewritten_line_stands_for_the_generated_one_until_its_source_changes() -> None:
    old = a_summary("one", "two").render().replace("- two", "- two, but better")
    assert "- two (" not in a_summary("one", "two").render(old)
    changed = a_summary("zero", "one", "two").render(old)
    assert "- two, but better (" in changed
    assert "- two (" in changed


def test_a_summary_that_a_person_wrote_alone_is_kept_whole(tmp_path: Path) -> None:
    log(tmp_path, "- Hold the price")
    week = tmp_path / "memory/weekly/2026-W09.md"
    week.parent.mkdir()
    week.write_text("# My week\n\nIt was long.\n\n## Key Decisions\n\n- 2026-02-24 Sleep\n")
    hierarchy.build(tmp_path)
    text = week.read_text()
    assert text.startswith("# Weekly Summary: 2026-W09\n")
    assert text.endswith("# My week\n\nIt was long.\n\n## Key Decisions\n\n- 2026-02-24 Sleep\n")
    assert "Sleep" in (tmp_path / "memory/quarterly/2026-Q1.md").read_text()


def test_lists_of_a_person_are_read_from_broken_files() -> None:
    found = page("weekly/2026-W09.md", '\x00 ## x\n# \n- \n* x ([\n## Key Themes\n- a ([b](c "d"))\n```\n## e\n')
    assert [placed.line.text for placed in found.under("## Key Themes")] == ["- a"]


def test_a_fence_that_a_person_leaves_open_hides_nothing_of_ours(tmp_path: Path) -> None:
    log(tmp_path, "- Decided to hold the price")
    week = hierarchy.build(tmp_path).files[0]
    week.write_text(week.read_text().replace("## Key Decisions", "```\n\n## Key Decisions"))
    log(tmp_path, "- More")
    hierarchy.build(tmp_path)
    assert "2026-02-24 Decided to hold" in (tmp_path / "memory/monthly/2026-02.md").read_text()


MINE = st.lists(
    st.sampled_from(["- mine", "mine too", "## My own", "```", "* x", "> quoted", '- mine ([a](b "c"))']),
    min_size=1,
    max_size=4,
)


@settings(max_examples=25, deadline=None)
@given(name=st.sampled_from(NAMES), mine=MINE, at=st.floats(0, 1))
def test_whatever_a_person_writes_anywhere_stays_and_building_again_changes_nothing(
    name: str, mine: list[str], at: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("mind")
    log(folder, "- Decided to hold the price\nRunway is 9 months")
    hierarchy.build(folder)
    path = folder / "memory" / f"{name}.md"
    lines = path.read_text().splitlines()
    place = round(at * len(lines))
    mine = [f"{line} {number}" if "`" not in line and "(" not in line else line for number, line in enumerate(mine)]
    path.write_text("\n".join([*lines[:place], *mine, *lines[place:]]) + "\n")
    for change in ("- Launched", "- More", ""):
        log(folder, change)
        hierarchy.build(folder)
        text = path.read_text().splitlines()
        assert all(text.count(line) == mine.count(line) for line in mine)
        assert hierarchy.build(folder).written == ()
    assert any("Launched" in line for line in path.read_text().splitlines())
