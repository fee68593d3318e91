"""R2: weeks, months and quarters hold each of their days once, and the search ranks by terms."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import hierarchy
from memory.periods import monday_of, quarter_name, week_name
from tests.memory.factory import Remembering
from workspace.clock import SteppedClock


def remembering(folder: Path, *days: date) -> Remembering:
    """Store one decision on each of `days`."""
    mind = Remembering(folder)
    for day in days:
        mind.clock = SteppedClock(datetime(day.year, day.month, day.day, 9, tzinfo=UTC))
        mind.memory.store(f"Decided on {day}", type="decision", importance=0.8, tags=["pricing"], store="long_term")
    return mind


def names(folder: Path, level: str) -> list[str]:
    return sorted(path.name for path in (folder / "memory" / level).glob("*"))


def test_weeks_are_iso_weeks_also_at_the_turn_of_the_year(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 12, 31), date(2027, 1, 1), date(2027, 1, 4))
    hierarchy.build(tmp_path)
    assert names(tmp_path, "weekly") == ["2026-W53.md", "2027-W01.md"]
    assert names(tmp_path, "monthly") == ["2026-12.md", "2027-01.md"]
    assert names(tmp_path, "quarterly") == ["2026-Q4.md", "2027-Q1.md"]


def test_a_month_tells_each_of_its_days_once_and_none_of_its_neighbours(tmp_path: Path) -> None:
    days = [date(2026, 1, 26) + timedelta(days=n) for n in range(40)]
    remembering(tmp_path, *days)
    hierarchy.build(tmp_path)
    text = (tmp_path / "memory/monthly/2026-02.md").read_text()
    for day in days:
        headings = text.count(f"### {day:%A} {day}\n")
        assert headings == (1 if day.month == 2 else 0)
        assert (str(day) in text) == (day.month == 2)


def test_a_week_tells_its_themes_its_decisions_and_every_entry(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 2, 24))
    path = hierarchy.build_weekly(tmp_path, date(2026, 2, 23))
    assert path is not None
    text = path.read_text()
    assert text.startswith("# Weekly Summary: 2026-W09\n")
    assert "Coverage: 1 day with recorded activity, 1 entry." in text
    assert "## Key Themes\n\n- pricing (1 entry)" in text
    assert "## Key Decisions\n\n- 2026-02-24 Decided on 2026-02-24" in text
    assert "## Tuesday 2026-02-24\n\n- 09:00 [decision] (0.8, long_term) Decided on 2026-02-24 #pricing M-" in text


def test_building_again_writes_nothing_and_a_new_entry_is_taken_up(tmp_path: Path) -> None:
    mind = remembering(tmp_path, date(2026, 2, 24))
    assert len(hierarchy.build(tmp_path).written) == 3
    assert hierarchy.build(tmp_path).written == ()
    mind.memory.store("Something new", store="long_term")
    assert len(hierarchy.build(tmp_path).written) == 3


def test_scope_and_since_narrow_what_is_built(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 1, 5), date(2026, 2, 24))
    built = hierarchy.build(tmp_path, "week", since=date(2026, 2, 1))
    assert [path.name for path in built.files] == ["2026-W09.md"]
    assert not (tmp_path / "memory/monthly").exists()


def test_what_a_person_wrote_into_a_log_is_in_the_digest(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 2, 24))
    with (tmp_path / "memory/2026-02-24.md").open("a") as log:
        log.write("## Visit\nThe auditor came by.\n")
    path = hierarchy.build_weekly(tmp_path, date(2026, 2, 24))
    assert path is not None
    assert "**Visit**\nThe auditor came by." in path.read_text()


def test_a_week_without_a_log_has_no_digest(tmp_path: Path) -> None:
    assert hierarchy.build_weekly(tmp_path, date(2026, 2, 23)) is None
    assert hierarchy.build(tmp_path).files == ()


def test_search_ranks_by_how_many_terms_match_then_the_newer(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    for offset, content in enumerate(("churn up", "churn and pricing", "pricing and office", "nothing here")):
        mind.clock = SteppedClock(datetime(2026, 2, 23 + offset, tzinfo=UTC))
        mind.memory.store(content, store="long_term")
    (tmp_path / "memory/mabos-memory-items.md").write_text("churn pricing")
    hits = hierarchy.search(tmp_path, "pricing and churn", "daily")
    assert [(hit.path.name, hit.score) for hit in hits] == [
        ("2026-02-24.md", 2),
        ("2026-02-25.md", 1),
        ("2026-02-23.md", 1),
    ]
    assert (hits[0].line, hits[0].matched) == (3, ("pricing", "churn"))
    assert len(hierarchy.search(tmp_path, "churn", "daily", limit=1)) == 1
    assert hierarchy.search(tmp_path, "churn", "weekly") == []


@pytest.mark.parametrize(
    ("day", "week"), [("2026-01-01", "2026-W01"), ("2027-01-03", "2026-W53"), ("2024-12-30", "2025-W01")]
)
def test_a_week_belongs_to_the_year_of_its_thursday(day: str, week: str) -> None:
    assert week_name(date.fromisoformat(day)) == week


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2100, 1, 1)))
def test_a_monday_is_a_monday_and_starts_the_week_of_its_day(day: date) -> None:
    monday = monday_of(day)
    assert monday.weekday() == 0
    assert 0 <= (day - monday).days < 7
    assert week_name(monday) == week_name(day)
    assert quarter_name(day)[-1] in "1234"


DAYS = st.lists(st.dates(min_value=date(2025, 11, 1), max_value=date(2026, 4, 1)), min_size=1, max_size=12, unique=True)


@settings(max_examples=15, deadline=None)
@given(days=DAYS)
def test_every_day_is_told_in_one_week_and_one_month(
    days: list[date], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("mind")
    remembering(folder, *sorted(days))
    hierarchy.build(folder)
    for level, heading in (("weekly", "## "), ("monthly", "### ")):
        lines = [line for path in (folder / "memory" / level).glob("*.md") for line in path.read_text().splitlines()]
        told = [
            line.split()[-1] for line in lines if line.startswith(heading) and "-W" not in line and "day 20" in line
        ]
        assert sorted(told) == sorted(str(day) for day in days)
