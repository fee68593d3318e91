"""R2: summaries of weeks, months and quarters are built from what changed, keep what a person writes, and are found."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import Damaged
from mabos.memory import hierarchy
from mabos.memory.periods import days_of_week, months_of_quarter, quarter_before, quarter_name, week_name
from mabos.workspace.clock import SteppedClock
from tests.memory.factory import Remembering


def remembering(folder: Path, *days: date) -> Remembering:
    """Store one decision on each of `days`."""
    mind = Remembering(folder)
    for day in days:
        mind.clock = SteppedClock(datetime(day.year, day.month, day.day, 9, tzinfo=UTC))
        mind.memory.store(f"Decided on {day}", type="decision", importance=0.8, tags=["pricing"], store="long_term")
    return mind


def log(folder: Path, day: str, *lines: str) -> None:
    """Write lines into a day's log, as a person does."""
    path = folder / "memory" / f"{day}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


def names(folder: Path, level: str) -> list[str]:
    return sorted(path.name for path in (folder / "memory" / level).glob("*"))


def summaries(folder: Path) -> dict[str, str]:
    """Return every summary of an agent by its name."""
    found = (path for level in ("weekly", "monthly", "quarterly") for path in (folder / "memory" / level).glob("*"))
    return {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in found}


def test_weeks_are_iso_weeks_also_at_the_turn_of_the_year(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 12, 31), date(2027, 1, 1), date(2027, 1, 4))
    hierarchy.build(tmp_path)
    assert names(tmp_path, "weekly") == ["2026-W53.md", "2027-W01.md"]
    assert names(tmp_path, "monthly") == ["2026-12.md", "2027-01.md"]
    assert names(tmp_path, "quarterly") == ["2026-Q4.md", "2027-Q1.md"]
    january = (tmp_path / "memory/monthly/2027-01.md").read_text()
    assert "- pricing (weeks 53, 1; 2 entries on 2 days)" in january
    assert "2026-12-31" not in january


def test_a_month_tells_each_of_its_days_once_and_none_of_its_neighbours(tmp_path: Path) -> None:
    days = [date(2028, 1, 26) + timedelta(days=n) for n in range(40)]
    remembering(tmp_path, *days)
    hierarchy.build(tmp_path)
    text = (tmp_path / "memory/monthly/2028-02.md").read_text()
    assert "Coverage: 29 days with recorded activity, 29 entries." in text
    for day in days:
        assert text.count(f"- **{day:%A} {day}** (1 entry): ") == (1 if day.month == 2 else 0)
        assert (str(day) in text) == (day.month == 2)


def test_building_again_writes_nothing_and_a_new_entry_is_taken_up(tmp_path: Path) -> None:
    mind = remembering(tmp_path, date(2026, 2, 24))
    assert len(hierarchy.build(tmp_path).written) == 3
    assert hierarchy.build(tmp_path).written == ()
    mind.memory.store("Something new", store="long_term")
    assert len(hierarchy.build(tmp_path).written) == 3
    assert "Something new" in (tmp_path / "memory/weekly/2026-W09.md").read_text()


def test_only_what_has_changed_below_is_built_anew(tmp_path: Path) -> None:
    remembering(tmp_path, *(date(2026, 1, 5) + timedelta(days=n) for n in range(60)))
    hierarchy.build(tmp_path)
    log(tmp_path, "2026-01-14", "- A late note")
    written = [path.relative_to(tmp_path / "memory").as_posix() for path in hierarchy.build(tmp_path).written]
    assert written == ["weekly/2026-W03.md", "monthly/2026-01.md", "quarterly/2026-Q1.md"]


def test_scope_and_since_narrow_what_is_built(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 1, 5), date(2026, 2, 24))
    built = hierarchy.build(tmp_path, "week", since=date(2026, 2, 1))
    assert [path.name for path in built.files] == ["2026-W09.md"]
    assert not (tmp_path / "memory/monthly").exists()


def test_what_a_summary_is_made_of_is_brought_up_to_date_first(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 1, 30), date(2026, 2, 1), date(2026, 2, 24))
    built = hierarchy.build(tmp_path, "month", since=date(2026, 2, 1))
    assert [path.name for path in built.files] == ["2026-02.md"]
    assert names(tmp_path, "weekly") == ["2026-W05.md", "2026-W09.md"]
    assert "2026-W05" in built.files[0].read_text()


def test_a_week_without_a_log_has_no_summary(tmp_path: Path) -> None:
    assert hierarchy.build(tmp_path).files == ()
    assert hierarchy.build_due(tmp_path, date(2026, 3, 1)).files == ()
    log(tmp_path, "2026-02-24", "# Daily log 2026-02-24", "")
    assert hierarchy.build(tmp_path).files == ()


def test_on_sunday_the_week_is_built_with_its_months_and_what_was_missed(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 3, 18), date(2026, 3, 31), date(2026, 4, 5))
    hierarchy.build_due(tmp_path, date(2026, 4, 5))
    assert sorted(summaries(tmp_path)) == [
        *("monthly/2026-03.md", "monthly/2026-04.md", "quarterly/2026-Q1.md", "quarterly/2026-Q2.md"),
        *("weekly/2026-W12.md", "weekly/2026-W14.md"),
    ]
    assert "2026-03-31" in (tmp_path / "memory/monthly/2026-03.md").read_text()
    assert hierarchy.build_due(tmp_path, date(2026, 4, 5)).written == ()


def test_what_a_person_adds_to_a_summary_stays_and_is_told_above(tmp_path: Path) -> None:
    mind = remembering(tmp_path, date(2026, 2, 24))
    week = hierarchy.build(tmp_path).files[0]
    text = week.read_text().replace("\n## Milestones", "")
    week.write_text(
        text.replace("\n\n## Tuesday", "\n- 2026-02-26 Decided at lunch to move\n\n## Tuesday")
        + "\n## Mine\n\nA word.\n"
    )
    mind.memory.store("Something new", store="long_term")
    hierarchy.build(tmp_path)
    for _ in range(2):
        assert "- 2026-02-26 Decided at lunch to move\n\n## Tuesday" in week.read_text()
        assert week.read_text().endswith("\n\n## Mine\n\nA word.\n")
        assert "- Something new ([" in week.read_text()
        assert (
            "- 2026-02-26 Decided at lunch to move ([W09]"
            in (tmp_path / "memory/quarterly/../monthly/2026-02.md").read_text()
        )
        assert "Decided at lunch to move ([February]" in (tmp_path / "memory/quarterly/2026-Q1.md").read_text()
        assert hierarchy.build(tmp_path).written == ()


def test_a_line_that_a_person_rewrote_is_not_put_back(tmp_path: Path) -> None:
    mind = remembering(tmp_path, date(2026, 2, 24))
    week = hierarchy.build(tmp_path).files[0]
    week.write_text(week.read_text().replace("- 2026-02-24 Decided on 2026-02-24", "- 2026-02-24 Decided for now"))
    mind.memory.store("Something new", store="long_term")
    hierarchy.build(tmp_path)
    text = week.read_text()
    assert "- 2026-02-24 Decided for now ([Tue]" in text
    assert "- 2026-02-24 Decided on" not in text
    assert "- Decided on 2026-02-24 ([Tue]" in text


def test_summaries_of_the_form_before_are_made_anew(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 2, 24))
    week = tmp_path / "memory/weekly/2026-W09.md"
    week.parent.mkdir()
    week.write_text(
        "# Weekly Summary: 2026-W09\n\n> Derived from the daily logs of 2026-02-24 to 2026-02-24; edit those, not this"
        " file.\n\n## Overview\n\nCoverage: 1 day.\n\n## Tuesday 2026-02-24\n\n- 09:00 old\n"
    )
    hierarchy.build(tmp_path)
    assert "old" not in week.read_text()


def test_a_summary_outlives_its_logs(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 1, 7), date(2026, 2, 24))
    hierarchy.build(tmp_path)
    before = summaries(tmp_path)
    (tmp_path / "memory/2026-01-07.md").unlink()
    assert hierarchy.build(tmp_path).written == ()
    assert summaries(tmp_path) == before
    log(tmp_path, "2026-02-25", "- Something new")
    hierarchy.build(tmp_path)
    assert "Decided on 2026-01-07" in (tmp_path / "memory/quarterly/2026-Q1.md").read_text()


def test_a_week_that_is_over_keeps_the_days_whose_logs_are_gone(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 2, 24), date(2026, 2, 25), date(2026, 3, 4), date(2026, 3, 5))
    hierarchy.build(tmp_path)
    for day in ("2026-02-24", "2026-03-04"):
        (tmp_path / f"memory/{day}.md").unlink()
    hierarchy.build(tmp_path)
    assert "Decided on 2026-02-24" in (tmp_path / "memory/weekly/2026-W09.md").read_text()
    assert "Decided on 2026-02-24" in (tmp_path / "memory/quarterly/2026-Q1.md").read_text()
    assert "Decided on 2026-03-04" not in (tmp_path / "memory/weekly/2026-W10.md").read_text()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory/2026-02-24.md").mkdir(parents=True)
    with pytest.raises(Damaged, match=r"2026-02-24\.md: a folder is in the place of a file"):
        hierarchy.build(tmp_path)


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


def test_search_reads_what_summaries_say_and_not_their_links(tmp_path: Path) -> None:
    remembering(tmp_path, date(2026, 2, 24))
    hierarchy.build(tmp_path)
    assert [hit.text[:20] for hit in hierarchy.search(tmp_path, "pricing", "weekly")] == ["- pricing (1 entry)"]
    assert hierarchy.search(tmp_path, "../weekly W09.md#L3", "monthly")[0].matched == ("weekly", "w09")
    assert hierarchy.search(tmp_path, "tue", "weekly")[0].text == "## Tuesday 2026-02-24"


@pytest.mark.parametrize(
    ("day", "week"),
    [
        *(("2026-01-01", "2026-W01"), ("2027-01-03", "2026-W53"), ("2027-01-04", "2027-W01")),
        *(("2024-12-30", "2025-W01"), ("2020-12-31", "2020-W53"), ("2021-01-03", "2020-W53")),
    ],
)
def test_a_week_belongs_to_the_year_of_its_thursday(day: str, week: str) -> None:
    assert week_name(date.fromisoformat(day)) == week


@given(st.dates())
def test_days_weeks_months_and_quarters_fit_into_each_other(day: date) -> None:
    monday = days_of_week(week_name(day))[0]
    assert monday.weekday() == 0
    assert 0 <= (day - monday).days < 7
    assert day in days_of_week(week_name(day))
    assert {week_name(one) for one in days_of_week(week_name(day))} == {week_name(day)}
    assert f"{day:%Y}-{day.month:02d}"[-2:] in [month[-2:] for month in months_of_quarter(quarter_name(day))]


def test_the_quarter_before_the_first_is_of_the_year_before() -> None:
    assert [quarter_before(name) for name in ("2026-Q1", "2026-Q3")] == ["2025-Q4", "2026-Q2"]


DAYS = st.lists(st.dates(min_value=date(2025, 11, 1), max_value=date(2026, 4, 1)), min_size=1, max_size=12, unique=True)


@settings(max_examples=15, deadline=None)
@given(days=DAYS)
def test_every_day_is_told_in_one_week_and_one_month(
    days: list[date], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("mind")
    remembering(folder, *sorted(days))
    hierarchy.build(folder)
    for level, sign in (("weekly", "## "), ("monthly", "- **")):
        lines = [line for path in (folder / "memory" / level).glob("*.md") for line in path.read_text().splitlines()]
        told = [line for line in lines if line.startswith(sign) and "day 20" in line]
        assert sorted(line.split("day ")[1][:10] for line in told) == sorted(str(day) for day in days)


ANYTHING = st.text(st.characters(codec="utf-8"), max_size=20)
NOTES = st.lists(
    st.tuples(
        st.dates(min_value=date(2026, 12, 7), max_value=date(2027, 1, 20)),
        st.one_of(
            st.sampled_from(["- Churn is 4 %", "- Decided on churn", "Launched pricing", "## Visit", "* x", "  more"]),
            ANYTHING,
        ),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(notes=NOTES, cuts=st.sets(st.integers(0, 11)))
def test_building_bit_by_bit_gives_what_building_at_once_gives(
    notes: list[tuple[date, str]], cuts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    bit_by_bit, at_once = tmp_path_factory.mktemp("bits"), tmp_path_factory.mktemp("once")
    for at, (day, note) in enumerate(notes):
        for folder in (bit_by_bit, at_once):
            log(folder, str(day), note)
        if at in cuts:
            hierarchy.build(bit_by_bit)
    for folder in (bit_by_bit, at_once):
        hierarchy.build(folder)
        assert hierarchy.build(folder).written == ()
    assert summaries(bit_by_bit) == summaries(at_once)
