"""What weeks, months and quarters say: S1's sections, drawn from tags, types, words and numbers without a model."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from mabos.memory import hierarchy
from mabos.memory.figures import change, figures, parse_move
from mabos.memory.lineage import plain
from mabos.memory.themes import spans


def log(folder: Path, day: str, *entries: str) -> None:
    """Write a daily log; an entry is `type importance text #tags`."""
    path = folder / "memory" / f"{day}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, entry in enumerate(entries):
        kind, importance, text = entry.split(" ", 2)
        lines.append(
            f"- 09:{number:02d} [{kind}] ({importance}, short_term) {text} M-{day.replace('-', '')}-{number:04d}\n"
        )
    path.write_text(f"# Daily log {day}\n\n" + "".join(lines), encoding="utf-8")


def built(folder: Path, name: str) -> str:
    """Build everything and return a summary as people read it, without its note."""
    hierarchy.build(folder)
    lines = plain((folder / "memory" / f"{name}.md").read_text(encoding="utf-8")).split("\n")
    return "\n".join(lines[:2] + lines[4:])


def section(text: str, heading: str) -> list[str]:
    """Return the lines under a heading."""
    _, _, after = text.partition(f"\n## {heading}\n\n")
    return after.partition("\n\n")[0].splitlines()


def a_debugging_week(folder: Path) -> None:
    log(
        folder,
        "2026-02-24",
        "event 0.5 Investigated overnight session expiry bug #authentication #session",
        "fact 0.8 Root cause: 12-hour auth token TTL with no refresh mechanism #authentication #token-ttl",
        "decision 0.9 Decision: implement sliding window token refresh #authentication",
    )
    log(
        folder,
        "2026-02-25",
        "outcome 0.7 Implemented token refresh endpoint #authentication",
        "observation 0.4 Token TTL is 12 hours",
    )


def test_a_week_is_told_in_the_form_of_its_specification(tmp_path: Path) -> None:
    a_debugging_week(tmp_path)
    assert built(tmp_path, "weekly/2026-W09") == (
        "# Weekly Summary: 2026-W09\n\n## Overview\n\nCoverage: 2 days with recorded activity, 5 entries.\n\n## Key "
        "Themes\n\n- authentication (4 entries on 2 days)\n- session (1 entry)\n- token-ttl (1 entry)\n\n## Key "
        "Decisions\n\n- 2026-02-24 Decision: implement sliding window token refresh\n\n## Milestones\n\n- 2026-02-25 "
        "Implemented token refresh endpoint\n\n## Figures\n\n- token ttl: 12 hours\n\n## Tuesday 2026-02-24\n\n- "
        "Investigated overnight session expiry bug\n- Root cause: 12-hour auth token TTL with no refresh mechanism\n- "
        "Decision: implement sliding window token refresh\n\n## Wednesday 2026-02-25\n\n- Implemented token refresh "
        "endpoint\n- Token TTL is 12 hours\n"
    )


def test_a_month_is_told_in_the_form_of_its_specification(tmp_path: Path) -> None:
    a_debugging_week(tmp_path)
    log(tmp_path, "2026-02-17", "lesson 0.7 Authentication needs a refresh #authentication")
    assert built(tmp_path, "monthly/2026-02") == (
        "# Monthly Summary: 2026-02\n\n## Overview\n\nCoverage: 3 days with recorded activity, 6 entries.\n\n## Key "
        "Themes\n\n- authentication (weeks 8-9; 5 entries on 3 days)\n- session (week 9; 1 entry on 1 day)\n- "
        "token-ttl (week 9; 1 entry on 1 day)\n\n## Patterns\n\n- authentication recurred in 2 of 2 weeks (8-9)\n\n## "
        "Key Decisions\n\n- 2026-02-24 Decision: implement sliding window token refresh\n\n## Milestones\n\n- "
        "2026-02-25 Implemented token refresh endpoint\n\n## Figures\n\n- token ttl: 12 hours\n\n## 2026-W08\n\n- "
        "**Tuesday 2026-02-17** (1 entry): Authentication needs a refresh\n\n## 2026-W09\n\n- **Tuesday 2026-02-24** "
        "(3 entries): Decision: implement sliding window token refresh\n- **Wednesday 2026-02-25** (2 entries): "
        "Implemented token refresh endpoint\n"
    )


def test_a_quarter_is_compared_with_the_one_before(tmp_path: Path) -> None:
    log(tmp_path, "2025-12-01", "fact 0.7 Runway is 9 months #runway", "fact 0.5 Hiring goes on #hiring")
    log(tmp_path, "2025-12-02", "fact 0.5 We hire two #hiring")
    log(tmp_path, "2026-01-12", "fact 0.8 Runway is 7.5 months #runway", "decision 0.9 Freeze the budget #budget")
    log(
        tmp_path,
        "2026-03-30",
        "fact 0.8 Runway fell to 6 months #runway",
        "outcome 0.6 Goal 'Cut costs' achieved #budget",
    )
    log(tmp_path, "2026-03-31", "event 0.5 Budget talk #budget #runway")
    assert built(tmp_path, "quarterly/2026-Q1") == (
        "# Quarterly Review: 2026-Q1\n\n## Overview\n\nCoverage: 3 days with recorded activity, 5 entries.\n\n## "
        "Strategic Themes\n\n- budget (January, March; 3 entries on 3 days)\n- runway (January, March; 3 entries on 3 "
        "days)\n\n## Quarter-over-Quarter Trends\n\n- active days: 3, 2 the quarter before (+50 %)\n- entries: 5, 3 "
        "the quarter before (+67 %)\n- budget: new among the themes, 3 entries\n- runway: 3 entries, 1 the quarter "
        "before (+200 %)\n- hiring: no longer among the themes, 2 entries the quarter before\n- runway: 9 → 6 months "
        "(-33 % since the quarter before)\n\n## Major Milestones\n\n- 2026-03-30 Goal 'Cut costs' achieved\n- "
        "2026-01-12 the quarter began with: Freeze the budget\n- 2026-03-31 the quarter ended with: Budget talk\n\n## "
        "Key Decisions\n\n- 2026-01-12 Freeze the budget\n\n## 2026-01\n\n- **2026-W03** (1 day, 2 entries): Freeze "
        "the budget\n\n## 2026-03\n\n- **2026-W14** (2 days, 3 entries): Runway fell to 6 months\n"
    )


def test_of_a_day_with_many_entries_the_notable_are_told_and_the_others_counted(tmp_path: Path) -> None:
    minor = [f"observation 0.3 Noise {number}" for number in range(20)]
    log(tmp_path, "2026-02-24", *minor, "decision 0.9 Hold the price", *minor)
    told = section(built(tmp_path, "weekly/2026-W09"), "Tuesday 2026-02-24")
    assert told[-2:] == ["- Hold the price", "- and 36 more"]
    assert "**Tuesday 2026-02-24** (41 entries): Hold the price" in built(tmp_path, "monthly/2026-02")


def test_what_is_consolidated_is_not_counted_once_more(tmp_path: Path) -> None:
    log(
        tmp_path,
        "2026-02-24",
        "decision 0.9 Hold the price #pricing",
        "decision 0.8 Hold the line #pricing",
        "decision 0.9 [Consolidated from 2 memories] Hold the price | Hold the line #pricing",
    )
    week = built(tmp_path, "weekly/2026-W09")
    assert "- pricing (2 entries)" in week
    assert len(section(week, "Key Decisions")) == 2
    assert "- [Consolidated from 2 memories] Hold the price | Hold the line" in week


def test_without_tags_words_that_recur_are_the_themes(tmp_path: Path) -> None:
    for day in ("2026-02-23", "2026-02-24", "2026-02-25"):
        log(tmp_path, day, f"observation 0.5 Customers ask for invoices {day[-2:]}", "observation 0.5 Nothing")
    themes = section(built(tmp_path, "weekly/2026-W09"), "Key Themes")
    assert themes == ["- customers (3 entries on 3 days)", "- nothing (3 entries on 3 days)"]


def test_how_a_message_came_is_no_theme(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-24", "observation 0.6 ceo (QUERY_REF): What is it? #query_ref #inform #ceo")
    assert section(built(tmp_path, "weekly/2026-W09"), "Key Themes") == ["- ceo (1 entry)"]


def test_how_a_mind_keeps_house_is_no_theme_and_what_it_was_about_is(tmp_path: Path) -> None:
    for day in ("2026-02-23", "2026-02-24", "2026-02-25"):
        log(
            tmp_path,
            day,
            f"decision 0.7 Took up the goal 'Win {day[-2:]} resellers' #goal #adopted #resellers",
            "decision 0.7 Decided on reseller push for 'Win resellers'. Steps: call #plan #decided #reseller_push",
            "event 0.6 Tell the resellers: to cmo; content An offer #step #agent_message #reseller_push",
            "fact 0.6 Found: cash is $9; burn is $2 #found #cash #burn",
            "outcome 0.6 Plan reseller push is completed: every step is done #plan #completed #reseller_push",
            "observation 0.5 cmo (REQUEST): The invoice layout confuses everybody #request #cmo",
        )
    themes = section(built(tmp_path, "weekly/2026-W09"), "Key Themes")
    labels = [line[2:].partition(" (")[0] for line in themes]
    assert labels == ["resellers", "reseller_push", "cmo", "confuses"]


def test_a_plan_that_somebody_writes_of_is_a_theme(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-24", "decision 0.7 We hire two people #plan #hiring")
    assert section(built(tmp_path, "weekly/2026-W09"), "Key Themes") == ["- hiring (1 entry)", "- plan (1 entry)"]


def test_what_comes_on_one_weekday_is_a_pattern(tmp_path: Path) -> None:
    for number in range(21):
        day = date(2026, 2, 2) + timedelta(days=number)
        log(tmp_path, str(day), "event 0.5 Ledger closed #closing" if day.weekday() == 4 else "event 0.5 Day went by")
    patterns = section(built(tmp_path, "monthly/2026-02"), "Patterns")
    assert "- closing comes up on Fridays (3 times)" in patterns


def test_a_month_counts_of_a_week_that_it_shares_only_its_own_days(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-28", "event 0.5 Churn #churn", "event 0.5 Churn again #churn")
    log(tmp_path, "2026-03-01", "event 0.5 Churn #churn", "decision 0.9 Stop churn #churn")
    assert "- churn (week 9; 2 entries on 1 day)" in built(tmp_path, "monthly/2026-02")
    assert "- churn (week 9; 2 entries on 1 day)" in built(tmp_path, "monthly/2026-03")
    assert "Stop churn" not in built(tmp_path, "monthly/2026-02")


def test_a_long_or_strange_entry_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "memory/2026-02-24.md"
    path.parent.mkdir()
    path.write_text("## Visit\n- [x] Done\u2028over\n  and more\n" + "word " * 200 + "\n" + "x" * 900 + "\n", "utf-8")
    told = section(built(tmp_path, "weekly/2026-W09"), "Tuesday 2026-02-24")
    assert told[0] == "- Done over and more"
    assert all(len(line) <= 243 and line.endswith("…") for line in told[1:])


def test_a_week_of_logs_by_hand_is_shorter_than_its_days_and_tells_events_before_observations(tmp_path: Path) -> None:
    days = [tmp_path / f"memory/2026-02-{23 + number}.md" for number in range(6)]
    days[0].parent.mkdir()
    for number, path in enumerate(days):
        noise = "\n".join(
            f"- Customer {one} asked for invoice {number}-{one} and got it from support" for one in range(15)
        )
        path.write_text(f"# {path.stem}\n\n## Sales\n\n{noise}\n\n## Events\n\nWe signed contract {number}.\n", "utf-8")
    week = built(tmp_path, "weekly/2026-W09")
    raw = (tmp_path / "memory/weekly/2026-W09.md").read_text("utf-8")
    assert max(len(raw), 2 * len(week)) < sum(len(path.read_text("utf-8")) for path in days)
    assert "We signed contract 3." in section(week, "Thursday 2026-02-26")[-2]
    assert "Sales" not in "".join(section(week, "Thursday 2026-02-26"))
    assert "signed contract" in built(tmp_path, "monthly/2026-02")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Runway is nine months", [("runway", 9.0, "months")]),
        ("ceo (REQUEST): Runway is down to 5.8 months. Stop 3 ways", [("runway", 5.8, "months")]),
        ("The list price for small customers is now 137 dollars", [("list price", 137.0, "dollars")]),
        ("MRR: $12,500 and churn = 4.5 %", [("mrr", 12500.0, "$"), ("churn", 4.5, "%")]),
        ("Cash was $1.2M", [("cash", 1200000.0, "$")]),
        ("We signed for 3 months on 2026-02-24", []),
        ("It is 5", []),
    ],
)
def test_numbers_are_read_under_their_names(text: str, stated: list[tuple[str, float, str]]) -> None:
    assert [(one.name, one.value, one.unit) for one in figures(text)] == stated


def test_a_move_is_read_back_from_a_line() -> None:
    move = parse_move("- runway: 9 → 5.8 months (-36 % since the quarter before)")
    assert move is not None
    assert (move.first, move.last, move.unit) == (9, 5.8, "months")
    assert move.text() == "runway: 9 → 5.8 months"
    assert parse_move("- A person's line") is None
    assert (change(0, 5), change(-2, -1)) == ("", "+50 %")


def test_weeks_in_a_row_are_a_span_also_over_a_gap_of_years() -> None:
    assert spans(["2026-W52", "2026-W53", "2027-W01", "2027-W03"]) == "52-53, 1, 3"
