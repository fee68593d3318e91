"""The owner's periodic report, and the escalation of overdue decisions to contacts (S3 section 10.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from mabos.configs.settings import EscalationContact
from mabos.mind.times import moment
from mabos.society.decisions import Decision
from mabos.society.governance import StakeholderProfile

Frequency = Literal["daily", "weekly", "monthly", "quarterly"]


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """The whole days that a report covers, the last one included."""

    first: date
    last: date

    @property
    def begins(self) -> datetime:
        """The start of the first day."""
        return datetime.combine(self.first, time(), UTC)

    @property
    def ends(self) -> datetime:
        """The end of the last day, exclusive."""
        return datetime.combine(self.last + timedelta(days=1), time(), UTC)

    def covers(self, at: str) -> bool:
        """Return whether a moment is in it; an unreadable moment is not."""
        found = moment(at)
        return found is not None and self.begins <= found < self.ends

    def __str__(self) -> str:
        """Return it as `2026-01-05 to 2026-01-11`, a single day as that day."""
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class ReportedFigure:
    """A metric in a report: its name, its earlier and final values, and the change, formatted for people."""

    label: str
    before: str
    after: str
    change: str


@dataclass(frozen=True, slots=True)
class OwnerReport:
    """The contents of a periodic report; texts are ready for display."""

    business: str
    period: ReportPeriod
    figures: tuple[ReportedFigure, ...] = ()
    waiting: tuple[Decision, ...] = ()
    answered: tuple[Decision, ...] = ()
    goals: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def last_period(frequency: str, today: date) -> ReportPeriod:
    """Return the last finished day, week (from Monday), month or quarter; an unknown frequency counts as weekly.

    >>> str(last_period("weekly", date(2026, 1, 14)))
    '2026-01-05 to 2026-01-11'
    """
    if frequency == "daily":
        return ReportPeriod(today - timedelta(days=1), today - timedelta(days=1))
    if frequency in ("monthly", "quarterly"):
        months = 1 if frequency == "monthly" else 3
        begun = today.replace(month=(today.month - 1) // months * months + 1, day=1)
        last = begun - timedelta(days=1)
        return ReportPeriod(last.replace(month=(last.month - 1) // months * months + 1, day=1), last)
    monday = today - timedelta(days=today.weekday())
    return ReportPeriod(monday - timedelta(days=7), monday - timedelta(days=1))


def due_period(frequency: str, now: datetime, founded: str) -> ReportPeriod | None:
    """Return the period that a report is due for; None if the business did not exist in any of it."""
    period, since = last_period(frequency, now.date()), moment(founded)
    return None if since is not None and since >= period.ends else period


def owner(profile: StakeholderProfile) -> EscalationContact:
    """Return the recipient of reports: the contact with the role owner, else the profile's namesake."""
    named = EscalationContact(name=profile.name or "Owner")
    return next((one for one in profile.escalation_contacts if one.role.casefold() == "owner"), named)


def escalates_at(decision: Decision, *, patience: timedelta, step: timedelta) -> datetime | None:
    """Return when the first contact is notified of a decision.

    That is when its deadline passes, or a `step` after the date it was deferred to; without either, after `patience`.
    """
    since = moment(decision.until or decision.deadline)
    if since is None:
        asked = moment(decision.created_at)
        return None if asked is None else asked + patience
    return since + step if decision.asked_again else since  # the owner has just been asked anew


def escalations(
    decision: Decision, contacts: Sequence[EscalationContact], now: datetime, *, patience: timedelta, step: timedelta
) -> tuple[EscalationContact, ...]:
    """Return the contacts to notify of an overdue open decision; each is notified a `step` after the previous one."""
    since = escalates_at(decision, patience=patience, step=step)
    if not decision.open or since is None or since > now:
        return ()
    return tuple(contacts[: (now - since) // step + 1])


def markdown(report: OwnerReport) -> str:
    """Return the report as Markdown."""
    figures = [f"| {one.label} | {one.before} | {one.after} | {one.change} |" for one in report.figures]
    if figures:
        figures = ["| Figure | Before | Now | Change |", "| --- | ---: | ---: | ---: |", *figures]
    parts = (
        ("Key figures", figures),
        ("What you asked for", _bullets(report.orders)),
        ("Files that came", _bullets(report.files)),
        ("Waiting for your decision", [_render_question(one) for one in report.waiting]),
        ("Decided", [f"- {one.subject}: {one.status} (`{one.id}`)" for one in report.answered]),
        ("Goals", _bullets(report.goals)),
        ("Work", _bullets(report.work)),
        ("Broken commitments", _bullets(report.broken)),
    )
    sections = [f"## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in parts if lines]
    if empty := [title.lower() for title, lines in parts if not lines]:
        sections.append(f"Nothing this time: {', '.join(empty)}.\n")
    return f"# {report.business}: {report.period}\n\n" + "\n".join(sections)


def question(decision: Decision, why: str = "") -> str:
    """Return the message to a person about a pending decision."""
    options = [
        f"- {one.get('id', '')}: {one.get('label', '')}. {one.get('impact', '')}".rstrip() for one in decision.options
    ]
    due = f"Please answer by {decision.deadline[:10]}." if decision.deadline else ""
    put_off = f"You put it off until {decision.until[:10]}." if decision.asked_again else ""
    parts = (
        why,
        put_off,
        decision.description,
        "\n".join(options),
        due,
        f"Answer with `mabos decisions approve {decision.id}`, or reject, defer or modify it.",
    )
    return f"# {decision.subject}\n\n" + "\n\n".join(part for part in parts if part) + "\n"


def _render_question(decision: Decision) -> str:
    due = f", due {decision.deadline[:10]}" if decision.deadline else ""
    return f"- {decision.subject}: asked by {decision.from_agent} on {decision.created_at[:10]}{due} (`{decision.id}`)"


def _bullets(lines: Iterable[str]) -> list[str]:
    return [f"- {line}" for line in lines]
