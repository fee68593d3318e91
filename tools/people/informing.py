"""Unsolicited information for the owner and escalation contacts: reports, questions, overdue answers (S3 10.1).

The profile decides: `report_frequency` sets the times of reports, `notification_channels` the channels, and
`escalation_contacts` the next contact for an unanswered decision.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import timedelta
from itertools import chain

from mabos.configs.settings import EscalationContact
from mabos.mind.model import Goal
from mabos.mind.procedures.playbooks import PLAYBOOK_GOAL
from mabos.society.business import ABOUT_FILE
from mabos.society.commitments import settle_commitments
from mabos.society.metrics import Metrics
from mabos.society.outbox import Notice
from mabos.society.packages import WorkPackage, is_overdue
from mabos.society.reporting import (
    OwnerReport,
    ReportedFigure,
    ReportPeriod,
    due_period,
    escalations,
    markdown,
    owner,
    question,
)
from mabos.society.roles import STAKEHOLDER
from mabos.society.simulation.figures import SHOWN, figure
from mabos.tools.mail.mailing import go_on_with_all
from mabos.tools.people.notices import notify
from mabos.tools.people.obligations import tell_of_package
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent, Services
from mabos.tools.runtime.stores import DOCUMENTS
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.currencies import speaking_in
from mabos.workspace.locks import file_lock

REPORT = "owner_report"
"""The subject of a commitment to report to the owner: a sent report keeps it."""

REPORTED = "report-"
"""The prefix of the keys of reports."""


def inform(services: Services, business_id: str) -> list[Notice]:
    """Send the due notices and return them: overdue packages to their requesters, then reports, questions and
    escalations.

    After that, running campaigns of letters continue, as fast as settings allow. One process does it at a time. Each
    notice is sent once, and refused ones are retried.
    """
    business = services.business(business_id)
    with file_lock(services.layout.internal / "locks" / f"outbox-{business.id}.lock"):
        _notice_overdue(services, business)
        told = _send_due(services, business)
    go_on_with_all(services, business)
    return told


def _send_due(services: Services, business: Business) -> list[Notice]:
    """Send what is due, with sums in the currency of the business, and return the new notices."""
    with speaking_in(business.currency):
        before = {one.id for one in business.outbox.all() if one.status == "sent"}
        due = chain(_report(services, business), _questions(services, business), _escalate(services, business))
        told = [one for one in due if one.id not in before]
        if any(one.status == "sent" and one.id.startswith(REPORTED) for one in told):
            for agent_id in business.manifest.agents.values():
                settle_commitments(services.agent(agent_id).mind, REPORT, "met")
    return told


def _report(services: Services, business: Business) -> Iterator[Notice]:
    """Write the report that is due and deliver it on every channel; one that was written stays as it is."""
    profile, now = business.profile, services.clock()
    period = due_period(profile.report_frequency, now, business.manifest.created)
    if period is None:
        return
    path = business.directory / "reports" / f"owner-{period.first}-{period.last}.md"
    if not path.exists():
        write_atomic(path, markdown(owner_report(services, business, period)))
    text, subject = path.read_text(encoding="utf-8"), f"{business.manifest.name}, {period}"
    yield from _to(services, business, owner(profile), text, subject=subject, key=f"{REPORTED}{path.stem}")


def _questions(services: Services, business: Business) -> Iterator[Notice]:
    """Tell the owner of every decision that has come to wait for him, or waits again after he put it off."""
    business.decisions.ask_again(services.clock())
    for one in business.decisions.pending():
        subject = f"{business.manifest.name}: {one.subject}"
        key = f"decision-{one.id}" + (f"-{one.version}" if one.asked_again else "")
        yield from _to(services, business, owner(business.profile), question(one), subject=subject, key=key)


def _escalate(services: Services, business: Business) -> Iterator[Notice]:
    """Notify the contacts, in their order, of decisions that were not answered in time."""
    profile, governance, now = business.profile, services.settings.governance, services.clock()
    patience = timedelta(days=governance.decision_deadline_days)
    step = timedelta(hours=governance.escalation_hours)
    for one in business.decisions.pending():
        for contact in escalations(one, profile.escalation_contacts, now, patience=patience, step=step):
            why = f"{one.from_agent} has waited for an answer since {one.created_at[:10]}, and nobody has given one."
            subject = f"{business.manifest.name}: still undecided: {one.subject}"
            key = f"escalation-{one.id}-{one.version}"
            yield from _to(services, business, contact, question(one, why), subject=subject, key=key)


def _to(
    services: Services, business: Business, to: EscalationContact, text: str, *, subject: str, key: str
) -> Iterator[Notice]:
    for channel in dict.fromkeys(business.profile.notification_channels):
        yield notify(services, business, channel, to, text, subject=subject, key=key)


def owner_report(services: Services, business: Business, period: ReportPeriod) -> OwnerReport:
    """Return the report of a period: figures, decisions, goals, work and broken commitments of the whole business."""
    decisions = business.decisions.all()
    agents = [services.agent(one) for one in business.manifest.agents.values()]
    read = _files_read(agents)
    return OwnerReport(
        business=business.manifest.name,
        period=period,
        figures=tuple(_figures(business.metrics, period, {path for path, at in read if period.covers(at)})),
        waiting=tuple(one for one in decisions if one.open),
        answered=tuple(one for one in decisions if not one.open and period.covers(one.resolved_at)),
        goals=tuple(
            f"{goal.description}: {_STATES.get(goal.status, goal.status)} ({one.id})"
            for one in agents
            for goal in one.mind.goals
            if (goal.level == "strategic" or period.covers(goal.updated)) and _is_reported(goal)
        ),
        work=tuple(_work(one) for one in business.workforce.packages.all() if _is_news(one, period)),
        broken=tuple(
            f"{one.id} to {given.counterparty}: {given.terms} (due {given.deadline[:10]})"
            for one in agents
            for given in one.mind.commitments
            if given.status == "breached" and period.covers(given.deadline)
        ),
        orders=tuple(
            f"{asked.sentence.rstrip('.')}: {_STATES.get(asked.status, asked.status)} ({one.id})"
            for one in agents
            for asked in one.requests.all()
            if asked.sender == STAKEHOLDER and asked.act in ("order", "standing") and period.covers(asked.created_at)
        ),
        files=tuple(sorted(one for path, at in read if period.covers(at) and (one := _own_file(path)))),
    )


def _is_reported(goal: Goal) -> bool:
    """Return whether a goal is news: no order, which is listed as such, no alarm, and no aim without a measure."""
    is_idle = goal.status == "blocked" and not goal.target
    return not (goal.request_id or is_idle or goal.id.startswith(PLAYBOOK_GOAL))


def _own_file(path: str) -> str:
    """Return the name of a file that somebody dropped; "" for the owner's own description."""
    name = path.rpartition("/")[2]
    return "" if name == ABOUT_FILE else name


_STATES = {
    "active": "under way", "blocked": "not reached, and nothing is planned", "achieved": "reached",
    "open": "not yet begun", "asking": "waits for your answer", "underway": "under way", "standing": "on record",
}  # fmt: skip
"""The words for the status of a goal, or of a request that is not over."""


def _files_read(agents: Sequence[Agent]) -> Iterable[tuple[str, str]]:
    """Return the path of each file of the inbox with the first time that an agent read it."""
    read = dict[str, str]()
    for one in agents:
        for path, record in one.services.directory.stores_of(one.id).perceived.read().get(DOCUMENTS, {}).items():
            read[path] = min(read.get(path, "9"), str(record.get("read_at", "9")))
    return read.items()


def _figures(metrics: Metrics, period: ReportPeriod, files: Set[str]) -> Iterator[ReportedFigure]:
    """Yield the figures that are new: of the period, or from a file that came in it; the latter with their time."""
    begins, ends = iso(period.begins), iso(period.ends)
    for name in sorted(metrics.names(), key=lambda one: (SHOWN.index(one) if one in SHOWN else len(SHOWN), one)):
        points = [one for one in metrics.series(name) if one.at < ends or one.source.rpartition(":")[0] in files]
        is_other = bool(points) and not begins <= points[-1].at < ends
        if not points or (is_other and points[-1].source.rpartition(":")[0] not in files):
            continue
        earlier = points[:-1] if is_other else [one for one in points if one.at < begins]
        start, end = (earlier or points)[-1 if earlier else 0].value, points[-1].value
        kind = figure(name, points[-1].unit)
        label = f"{kind.label} ({_day_or_month(points[-1].at)})" if is_other else kind.label
        if len(points) == 1:
            yield ReportedFigure(label, "–", kind.written(end), "first value")
        else:
            yield ReportedFigure(label, kind.written(start), kind.written(end), kind.delta(start, end))


def _day_or_month(at: str) -> str:
    day = parse_time(at).date()
    is_month = day.month != (day + timedelta(days=1)).month
    return f"{day:%B %Y}" if is_month else f"{day.day} {day:%B}"


def _is_news(package: WorkPackage, period: ReportPeriod) -> bool:
    return not package.is_over or period.covers(package.updated_at)


def _work(package: WorkPackage) -> str:
    whom = f", {package.assigned_to}" if package.assigned_to else ""
    late = f", overdue since {package.deadline[:10]}" if package.overdue_since else ""
    return f"{package.title} (`{package.id}`): {package.status.replace('_', ' ')}{whom}{late}"


def _notice_overdue(services: Services, business: Business) -> None:
    """Record once that a deadline has passed with nothing delivered, and tell who ordered the work."""
    now = services.clock()
    for one in business.workforce.packages.all():
        if is_overdue(one, now) and not one.overdue_since:
            late = business.workforce.packages.change(one.id, lambda found: replace(found, overdue_since=iso(now)))
            desk = services.seat()
            tell_of_package(desk, late)
            services.note(desk, "overdue", {"package": late.id, "due": late.deadline, "assigned_to": late.assigned_to})
