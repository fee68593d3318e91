"""The times at which something is due without any event: timers, deadlines and questions in the files.

The agent's own cycle or the heartbeat handles it; a live company runs either at that time instead of waiting for the
next heartbeat.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from mabos.mind.goals import OPEN
from mabos.mind.intentions import OVER
from mabos.mind.times import due, moment
from mabos.society.contract_net import CallForProposals
from mabos.society.decisions import Decision
from mabos.society.reporting import escalates_at
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent, Services
from mabos.tools.workflow.due import doer
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.names import Layout

_JUST_AFTER = timedelta(milliseconds=1)
"""Moments that are missed only after their deadline, not at it."""


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """The time when something is due for an agent: its own cycle, or (`tends`) the heartbeat's maintenance."""

    at: datetime
    agent_id: str
    tends: bool = False


def moments(services: Services, agent_id: str) -> Iterator[Moment]:
    """Yield the times in an agent's own files, past ones too: deadlines, calls for bids, timers.

    A message in a recipient's inbox names the sender that expects an answer by a time.
    """
    agent = services.agent(agent_id)
    for one in agent.mind.intentions:
        yield from _at(due(one.deadline) if one.status not in OVER else None, agent_id)
    for goal in agent.mind.goals:
        yield from _at(due(goal.deadline) if goal.status in OPEN else None, agent_id)
    for request in agent.requests.all():
        if request.status == "standing" and request.wanted_by:
            yield from _at(moment(request.wanted_by), agent_id)  # a reminder, or a report that is made regularly
    for word in agent.mind.commitments:
        yield from _at(due(word.deadline) if word.status == "open" else None, agent_id, tends=True)
    for task in services.contract_net.list_unannounced_tasks(agent_id):
        yield from _at(_closing(task), agent_id)
    for letter in agent.inbox.dated():
        if letter.sender != STAKEHOLDER:
            yield from _at(_after(letter.reply_by), letter.sender, tends=True)


def business_moments(services: Services, business_id: str) -> Iterator[Moment]:
    """Yield the times in a business's files: workflow timers, questions to its owner, due work.

    Without another agent, they belong to its first one.
    """
    business = services.business(business_id)
    seats = list(business.manifest.agents.values())
    if not seats:
        return
    yield from _timers(services.agent(seats[0]), business)
    for one in business.decisions.pending():
        yield from _at(_find_notice_time(one, services), seats[0], tends=True)
    for package in business.workforce.packages.all():
        late = package.deadline if package.is_under_way else ""
        yield from _at(_after(late), seats[0], tends=True)
    for task in services.contract_net.list_unannounced_tasks(STAKEHOLDER):
        yield from _at(_closing(task), seats[0], tends=True)
    today = services.clock().replace(hour=0, minute=0, second=0, microsecond=0)
    yield Moment(today + timedelta(days=1), seats[0], tends=True)  # reports are due when their period is over


def _timers(seat: Agent, business: Business) -> Iterator[Moment]:
    for run in business.workflows.running():
        for one in (*run.state["tokens"], *run.state["scopes"]):
            for at in one.get("due", {}).values():
                yield from _at(moment(at), doer(seat, business, run, None))


def _find_notice_time(decision: Decision, services: Services) -> datetime | None:
    """Return when the owner, or the next contact behind him, is to hear of an open decision."""
    governance, now = services.settings.governance, services.clock()
    if decision.status == "deferred":
        return moment(decision.until)
    patience = timedelta(days=governance.decision_deadline_days)
    step = timedelta(hours=governance.escalation_hours)
    since = escalates_at(decision, patience=patience, step=step)
    if since is None or since > now:
        return since
    return since + ((now - since) // step + 1) * step


def _closing(task: CallForProposals) -> datetime | None:
    return _after(task.deadline) if task.status == "open" else None


def _after(text: str) -> datetime | None:
    at = moment(text)
    return None if at is None else at + _JUST_AFTER


def _at(at: datetime | None, agent_id: str, *, tends: bool = False) -> Iterator[Moment]:
    if at is not None:
        yield Moment(at, agent_id, tends)


def last_heartbeat(layout: Layout) -> datetime | None:
    """Return the time of the last heartbeat of all agents; None if it is unknown."""
    try:
        return moment(_path(layout).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def note_heartbeat(services: Services) -> None:
    """Record the current time as that of a heartbeat."""
    write_atomic(_path(services.layout), iso(services.clock()), durable=False)


def _path(layout: Layout) -> Path:
    return layout.internal / "heartbeat"
