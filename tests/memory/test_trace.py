"""A finding is followed from the quarter to the day and back (S1 15.4), also when lines have moved."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.memory import hierarchy
from mabos.memory.trace import Hierarchy, HierarchyStep, PageLine
from mabos.workspace.clock import SteppedClock
from tests.memory.factory import Remembering


@pytest.fixture
def quarter(tmp_path: Path) -> Path:
    """An agent's folder with a decision on every third day of a quarter, and other entries around it."""
    mind = Remembering(tmp_path)
    for number in range(0, 90, 3):
        day = datetime(2026, 1, 1, 9, tzinfo=UTC) + timedelta(days=number)
        mind.clock = SteppedClock(day)
        mind.memory.store_many(
            [
                {"content": f"Noise of day {number}", "importance": 0.2},
                {
                    "content": f"Hold price {number}",
                    "type": "decision",
                    "importance": 0.5 + number / 200,
                    "tags": ["price"],
                },
            ]
        )
    hierarchy.build(tmp_path)
    return tmp_path


def spot(folder: Path, path: str, said: str) -> PageLine:
    """Return the first line of a file that says something."""
    lines = (folder / "memory" / path).read_text(encoding="utf-8").splitlines()
    number = next(number for number, line in enumerate(lines, start=1) if said in line)
    return Hierarchy(folder).spot(f"{path}:{number}")


def ends(steps: list[HierarchyStep] | tuple[HierarchyStep, ...]) -> set[PageLine]:
    """Return where ways end."""
    return {end for step in steps for end in (ends(step.steps) or {step.spot})}


def test_a_decision_of_the_quarter_leads_to_the_line_of_its_day_and_back(quarter: Path) -> None:
    decision = spot(quarter, "quarterly/2026-Q1.md", "- 2026-03-29 Hold price 87")
    (month,) = Hierarchy(quarter).sources(decision)
    (week,) = Hierarchy(quarter).sources(month)
    (day,) = Hierarchy(quarter).sources(week)
    assert (month.path, week.path, day.path) == ("monthly/2026-03.md", "weekly/2026-W13.md", "2026-03-29.md")
    assert "Hold price 87 #price M-" in day.text
    assert week in Hierarchy(quarter).uses(day)
    assert month in Hierarchy(quarter).uses(week)
    assert decision in Hierarchy(quarter).uses(month)
    assert decision in ends(Hierarchy(quarter).above(day))


def test_a_theme_of_the_quarter_leads_to_every_entry_about_it(quarter: Path) -> None:
    found = ends(Hierarchy(quarter).below(spot(quarter, "quarterly/2026-Q1.md", "- price (January")))
    assert len(found) == 30
    assert all("Hold price" in one.text for one in found)


def test_the_coverage_of_the_quarter_leads_to_every_entry_there_is(quarter: Path) -> None:
    found = ends(Hierarchy(quarter).below(spot(quarter, "quarterly/2026-Q1.md", "Coverage:")))
    assert len(found) == 60


def test_every_entry_of_a_day_is_told_up_to_the_quarter(quarter: Path) -> None:
    noise = spot(quarter, "2026-02-03.md", "Noise")
    assert any(end.path.startswith("quarterly/") for end in ends(Hierarchy(quarter).above(noise)))


def test_a_line_that_moved_since_is_still_found(quarter: Path) -> None:
    log = quarter / "memory/2026-03-29.md"
    log.write_text("A person's\n\nlong remark\n" + log.read_text())
    day = ends(Hierarchy(quarter).below(spot(quarter, "quarterly/2026-Q1.md", "- 2026-03-29 Hold price 87")))
    assert {(one.path, one.line) for one in day} == {("2026-03-29.md", 7)}
    assert Hierarchy(quarter).uses(Hierarchy(quarter).spot("2026-03-29.md:7"))


def test_a_line_that_is_gone_is_said_to_be(quarter: Path) -> None:
    (quarter / "memory/2026-03-29.md").unlink()
    (gone,) = ends(Hierarchy(quarter).below(spot(quarter, "quarterly/2026-Q1.md", "- 2026-03-29 Hold price 87")))
    assert gone.is_gone
    assert gone.text == "line 4 of memory/2026-03-29.md, which is no longer there"


def test_a_quarter_is_told_in_the_trends_of_the_next(quarter: Path) -> None:
    (quarter / "memory/2026-04-01.md").write_text("- Hold price again\n")
    hierarchy.build(quarter)
    uses = Hierarchy(quarter).uses(spot(quarter, "quarterly/2026-Q1.md", "Coverage:"))
    assert [use.text for use in uses] == [
        "- active days: 1, 30 the quarter before (-97 %)",
        "- entries: 1, 60 the quarter before (-98 %)",
    ]


def test_a_place_is_given_as_people_and_tools_write_it(quarter: Path) -> None:
    for place in ("weekly/2026-W13.md:7", "memory/weekly/2026-W13.md:7", "agents/cfo/memory/weekly/2026-W13.md#L7"):
        assert Hierarchy(quarter).spot(place).line == 7


@pytest.mark.parametrize(
    "place", ["2026-03-29", "Goals.md:3", "../Goals.md:3", "/etc/x.md:1", "weekly/../../x.md:1", ":3"]
)
def test_what_is_no_line_of_the_hierarchy_is_refused(quarter: Path, place: str) -> None:
    with pytest.raises(InvalidArgument):
        Hierarchy(quarter).spot(place)


@pytest.mark.parametrize("place", ["2026-03-29.md:99", "2026-03-29.md:0", "weekly/2030-W01.md:1"])
def test_a_line_that_is_not_there_is_unknown(quarter: Path, place: str) -> None:
    with pytest.raises(UnknownId):
        Hierarchy(quarter).spot(place)


LOGGED = st.lists(
    st.tuples(
        st.dates(min_value=date(2026, 12, 14), max_value=date(2027, 4, 10)),
        st.sampled_from(["Churn is 4 %", "Decided on churn", "Launched pricing", "## Visit\n  of two lines", "same"]),
        st.integers(1, 16),
    ),
    min_size=1,
    max_size=10,
)


@settings(max_examples=20, deadline=None)
@given(logged=LOGGED)
def test_every_line_leads_to_lines_that_are_there_and_every_entry_leads_up(
    logged: list[tuple[date, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("mind")
    memory = folder / "memory"
    memory.mkdir()
    for day, text, times in logged:
        with (memory / f"{day}.md").open("a") as log:
            log.write(f"{text}\n" * times)
    hierarchy.build(folder)
    lines = Hierarchy(folder)
    for path in sorted(memory.glob("*ly/*.md")):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if not line.startswith(("#", ">")) and line:
                below = lines.sources(lines.spot(f"{path.parent.name}/{path.name}:{number}"))
                assert below, line
                assert not any(one.is_gone for one in below)
    entries = [lines.spot(f"{day}.md:{1}") for day, _, _ in logged]
    assert all(any(end.path.startswith("quarterly/") for end in ends(lines.above(one))) for one in entries)
