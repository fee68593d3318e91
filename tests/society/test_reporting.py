from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.settings import EscalationContact
from mabos.society.decisions import Decision
from mabos.society.governance import StakeholderProfile
from mabos.society.reporting import (
    Frequency,
    OwnerReport,
    ReportedFigure,
    due_period,
    escalations,
    last_period,
    markdown,
    owner,
    question,
)

DAY = timedelta(days=1)
JANE = EscalationContact(name="Jane Smith", email="jane@company.com", role="owner")
LEE = EscalationContact(name="Lee", email="lee@company.com", role="board")


@pytest.mark.parametrize(
    ("frequency", "today", "period"),
    [
        ("daily", date(2026, 3, 1), "2026-02-28"),
        ("weekly", date(2026, 3, 2), "2026-02-23 to 2026-03-01"),
        ("weekly", date(2026, 3, 1), "2026-02-16 to 2026-02-22"),
        ("monthly", date(2026, 1, 31), "2025-12-01 to 2025-12-31"),
        ("quarterly", date(2026, 4, 1), "2026-01-01 to 2026-03-31"),
        ("quarterly", date(2026, 3, 31), "2025-10-01 to 2025-12-31"),
        ("fortnightly", date(2026, 3, 2), "2026-02-23 to 2026-03-01"),
    ],
)
def test_a_report_is_about_the_last_whole_period(frequency: str, today: date, period: str) -> None:
    assert str(last_period(frequency, today)) == period


@given(st.sampled_from(get_args(Frequency)), st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_periods_follow_each_other_without_gap_or_overlap(frequency: str, today: date) -> None:
    period = last_period(frequency, today)
    assert period.first <= period.last < today
    assert last_period(frequency, period.first).last == period.first - DAY
    assert last_period(frequency, period.last + DAY) == period


def test_no_report_is_due_for_days_before_the_business() -> None:
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert due_period("weekly", now, "2026-03-02T08:00:00.000Z") is None
    found = due_period("weekly", now, "2026-03-01T08:00:00.000Z")
    assert found is not None
    assert found.covers("2026-03-01T23:59:59.999Z")
    assert not found.covers("2026-03-02T00:00:00.000Z")
    assert not found.covers("soon")


def test_reports_go_to_the_contact_who_is_the_owner_else_to_the_profiles_name() -> None:
    assert owner(StakeholderProfile(escalation_contacts=(LEE, JANE))) == JANE
    assert owner(StakeholderProfile(name="Kim", escalation_contacts=(LEE,))).name == "Kim"


ASKED = Decision(
    "DEC-1", "cfo", "Sign with Salesforce", "The CFO recommends it.",
    options=({"id": "A", "label": "Approve", "impact": "+$450K"},), deadline="2026-03-01T00:00:00Z",
    created_at="2026-02-24T09:00:00Z",
)  # fmt: skip


def told(at: datetime, decision: Decision = ASKED) -> list[str]:
    found = escalations(decision, (JANE, LEE), at, patience=timedelta(days=7), step=timedelta(hours=24))
    return [one.name for one in found]


def test_contacts_hear_in_their_order_each_a_step_later() -> None:
    due = datetime(2026, 3, 1, tzinfo=UTC)
    assert told(due - timedelta(seconds=1)) == []
    assert told(due) == ["Jane Smith"]
    assert told(due + timedelta(hours=23)) == ["Jane Smith"]
    assert told(due + timedelta(hours=24)) == ["Jane Smith", "Lee"]
    assert told(due + timedelta(days=30)) == ["Jane Smith", "Lee"]


def test_what_is_answered_or_put_off_is_not_escalated() -> None:
    late = datetime(2026, 3, 5, tzinfo=UTC)
    assert told(late, Decision("DEC-1", "cfo", "X", deadline="2026-03-01", status="approved")) == []
    put_off = Decision("DEC-1", "cfo", "X", deadline="2026-03-01", status="deferred", until="2026-03-06")
    assert told(late, put_off) == []
    assert told(late + timedelta(days=1), put_off) == ["Jane Smith"]


def test_without_a_deadline_patience_counts_from_the_question() -> None:
    asked = Decision("DEC-1", "cfo", "X", created_at="2026-02-24T09:00:00Z")
    assert told(datetime(2026, 3, 3, 8, tzinfo=UTC), asked) == []
    assert told(datetime(2026, 3, 3, 9, tzinfo=UTC), asked) == ["Jane Smith"]


def test_a_report_says_what_there_is_and_that_there_is_nothing() -> None:
    text = markdown(
        OwnerReport(
            "Acme",
            last_period("weekly", date(2026, 3, 2)),
            figures=(ReportedFigure("Cash", "$10", "$12", "+$2"),),
            waiting=(ASKED,),
            goals=("ceo: Grow (strategic), active, 40%",),
            orders=("Order oil: done (coo)",),
            files=("lease.docx",),
        )
    )
    assert "## What you asked for\n\n- Order oil: done (coo)\n\n## Files that came\n\n- lease.docx\n" in text
    assert text.startswith("# Acme: 2026-02-23 to 2026-03-01\n")
    assert "| Cash | $10 | $12 | +$2 |" in text
    assert "- Sign with Salesforce: asked by cfo on 2026-02-24, due 2026-03-01 (`DEC-1`)" in text
    assert "- ceo: Grow (strategic), active, 40%" in text
    assert text.endswith("\nNothing this time: decided, work, broken commitments.\n")


def test_a_question_names_the_options_and_how_to_answer() -> None:
    text = question(ASKED, "Nobody has answered.")
    for part in ("# Sign with Salesforce", "Nobody has answered.", "- A: Approve. +$450K", "DEC-1", "2026-03-01"):
        assert part in text
