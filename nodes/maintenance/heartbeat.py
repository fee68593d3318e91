"""The steps of the heartbeat as nodes. `mind.maintenance` decides the changes; these steps write them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from mabos.configs.errors import MabosError
from mabos.memory.hierarchy import build_due
from mabos.memory.narrative import of_period
from mabos.mind.maintenance import Maintenance, MindState, Thresholds, apply, maintain, report
from mabos.mind.model import Belief
from mabos.nodes.learning.episodes import keep_case, share
from mabos.nodes.maintenance.moments import note_heartbeat
from mabos.nodes.maintenance.state import MaintenanceContext, MaintenanceState, Patient, Row
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.perception.messages import ANSWER, headline
from mabos.nodes.state import context_of
from mabos.society.contract_net import is_due
from mabos.society.messages import Message
from mabos.society.protocols import protocol_named, replay_exchange
from mabos.society.roles import STAKEHOLDER
from mabos.tools.entities.growth import grow
from mabos.tools.gate.call import call
from mabos.tools.history.archiving import archive_due
from mabos.tools.knowledge.inference import inference_of
from mabos.tools.mail.receiving import receive
from mabos.tools.people.bidding import refusals
from mabos.tools.people.informing import inform as inform_people
from mabos.tools.people.obligations import review_word
from mabos.tools.runtime.services import PERSON, Agent, Caller, Services
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.locks import AgentLock

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def discover(state: MaintenanceState, runtime: Runtime[MaintenanceContext]) -> dict[str, Any]:
    """Find the agents of the workspace."""
    named = context_of(runtime.context, MaintenanceContext).workspace
    services = OPEN.find(named or state.get("workspace", "")).services
    wanted = state.get("agent_id", "")
    agents = [services.agent(wanted).id] if wanted else services.agents()
    root = str(services.layout.root)
    return {"workspace": root, "agents": agents, "expecting": expecting(services), "rows": {}, "results": []}


def to_agents(state: MaintenanceState) -> list[Send] | str:
    """Send every agent to maintenance; a workspace without agents has nothing to maintain."""
    root, asked = state["workspace"], state["expecting"]
    patients = (Patient(workspace=root, agent_id=one, expecting=asked.get(one, [])) for one in state["agents"])
    return [Send("tend", one) for one in patients] or "archive"


def tend(state: Patient, runtime: Runtime[MaintenanceContext]) -> dict[str, Any]:
    """Prune, re-rank, clean and check one mind; a locked or damaged one is left alone."""
    home = OPEN.find(state["workspace"])
    services, agent_id = home.services, state["agent_id"]
    lock = AgentLock(services.layout.internal / "locks" / f"{agent_id}.lock", agent_id)
    try:
        with home.turn(agent_id), lock, services.sync.group():
            row = _maintain_agent(services, agent_id, state["expecting"])
    except MabosError as error:
        row = _build_skipped_row(agent_id, error, services.clock())
    runtime.stream_writer({"phase": "tend", "agent_id": agent_id, "status": "done", "noted": row})
    return {"rows": {agent_id: row}}


def archive(state: MaintenanceState) -> dict[str, Any]:
    """Archive the finished tasks and cycles as knowledge, business by business; refused ones stay due.

    A business with unreadable files does not block the others; its error is raised at the end.
    """
    services = OPEN.find(state["workspace"]).services
    done: dict[str, int] = {}
    wrong: list[MabosError] = []
    for business_id in services.businesses():
        try:
            done[business_id] = len(archive_due(services, business_id).taken)
        except MabosError as error:
            wrong.append(error)
        try:
            grow(services, business_id)
        except MabosError as error:
            wrong.append(error)
    if wrong:
        raise wrong[0]
    return {"archived": {one: tasks for one, tasks in done.items() if tasks}}


def inform(state: MaintenanceState) -> dict[str, Any]:
    """Deliver people's messages, business by business: due reports, and pending decisions.

    First, new mail and watched files are imported, and people's own calls for proposals are awarded. A channel that
    refuses, or a business with unreadable files, does not block the others.
    """
    services = OPEN.find(state["workspace"]).services
    told: dict[str, int] = {}
    wrong: list[MabosError] = []
    came: dict[str, int] = {}
    try:
        came = receive(services)
    except MabosError as error:
        wrong.append(error)
    award_due(services)
    for business_id in services.businesses():
        try:
            told[business_id] = sum(one.status == "sent" for one in inform_people(services, business_id))
        except MabosError as error:
            wrong.append(error)
    if wrong:
        raise wrong[0]
    return {"told": {one: notices for one, notices in told.items() if notices}, "received": came}


def summarise(state: MaintenanceState) -> dict[str, Any]:
    """Sort the rows by seat, and record the heartbeat if all agents were maintained."""
    if not state.get("agent_id", ""):
        note_heartbeat(OPEN.find(state["workspace"]).services)
    return {"agent_id": "", "results": [state["rows"][agent] for agent in state["agents"]]}


def _maintain_agent(services: Services, agent_id: str, expecting_of: Sequence[str]) -> Row:
    agent = services.agent(agent_id, caller=Caller("agent", agent_id))
    now = agent.clock()
    found = maintain(MindState.of(agent.mind), now, Thresholds.of(services.settings))
    for intention in found.archived:
        keep_case(agent, intention)
    share(agent, found.archived)
    apply(agent.mind, found, cycle="heartbeat")
    ended = review_word(agent)
    agent.memory.expire(now)
    overdue = expire(agent, expecting_of)
    followed = inference_of(agent).maintain()
    folder = services.layout.agent(agent_id)
    _write_reports(folder, found, now)
    if _DAYS[now.weekday()] == services.settings.heartbeat.hierarchy_weekday:
        with services.allowances.charge_agent(agent.id, cycle=agent.cycle, phase="maintenance"):
            build_due(folder, now.date(), narrate=of_period(services.model))
    row = found.result.as_json() | {"agentId": agent_id}
    if agent.mind.problems:
        row["unreadable"] = [f"agents/{agent_id}/{one.file}:{one.line}: {one.message}" for one in agent.mind.problems]
    if overdue:
        row["conversationsExpired"] = len(overdue)
    if revised := len(followed.updated) + len(followed.dropped):
        row["derivedFactsRevised"] = revised
    if broken := sum(one.status == "breached" for one in ended):
        row["commitmentsBreached"] = broken
    if revised or ended or overdue or not found.is_empty:
        body = {name: value for name, value in row.items() if value and name not in ("agentId", "timestamp")}
        services.note(agent, "maintenance", body)
    agent.mind.checkpoint()
    agent.memory.materialise()
    return row


def _write_reports(folder: Path, found: Maintenance, now: datetime) -> None:
    day = f"{now:%Y-%m-%d}.md"
    if found.conflict_report:
        _write_if_new(folder / "memory" / "bdi-conflicts" / day, found.conflict_report)
    _write_if_new(folder / "memory" / "maintenance" / day, report(found))


def _write_if_new(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text)


def _build_skipped_row(agent_id: str, error: MabosError, now: datetime) -> Row:
    """Return the row of an agent that was left alone, with the reason."""
    counts = ("staleIntentionsPruned", "desiresPrioritized", "conflictsDetected", "chunksProcessed")
    return {"agentId": agent_id, **dict.fromkeys(counts, 0), "timestamp": iso(now), "skipped": error.message}


def award_due(services: Services) -> dict[str, str]:
    """Award each of a person's calls that can get no more bids; return the winner, or why there is none."""
    told: dict[str, str] = {}
    for task in services.contract_net.list_unannounced_tasks(STAKEHOLDER):
        if task.status != "open" or is_due(task, refusals(services, task), iso(services.clock())):
            key = f"award:{task.id}"
            outcome = call(services, "contract_net_award", {"task_id": task.id}, caller=PERSON, key=key)
            told[task.id] = str(outcome.result.get("awarded_to") or outcome.message or "nobody")
    return told


def expecting(services: Services) -> dict[str, list[str]]:
    """Return for each agent the recipients that owe it an answer by a date; each inbox is read once.

    An unreadable inbox adds nothing: its own agent's maintenance reports the error.
    """
    found: dict[str, dict[str, None]] = {}
    for other in (*services.agents(), STAKEHOLDER):
        with suppress(MabosError):
            for message in services.inbox(other).dated():
                found.setdefault(message.sender, {})[other] = None
    return {agent_id: list(others) for agent_id, others in found.items()}


def expire(agent: Agent, others: Sequence[str]) -> list[str]:
    """Return the ids of the agent's messages to `others` whose answer is now overdue, and make it believe so."""
    silent = [_none_came(one, agent) for one in _find_unanswered_messages(agent, others)]
    if silent:
        agent.mind.save(*silent, why="no answer came in time", cycle="heartbeat")
    return [one.subject for one in silent]


def _find_unanswered_messages(agent: Agent, others: Sequence[str]) -> Iterator[Message]:
    services, beliefs, now = agent.services, agent.mind.index, agent.clock()
    for other in others:
        for message in services.inbox(other).dated():
            protocol = protocol_named(message.protocol)
            if message.sender != agent.id or protocol is None or message.performative not in protocol.openings:
                continue
            if beliefs.belief(message.id, ANSWER) is not None:
                continue
            said = [one for one in services.mail.heard(other, message.thread) if one.sender == agent.id]
            heard = [one for one in agent.inbox.thread(message.thread) if one.sender == other]
            exchange, _ = replay_exchange(protocol, said, heard)
            if exchange is not None and exchange.is_expired(now):
                yield message


def _none_came(message: Message, agent: Agent) -> Belief:
    said = f"{message.to} gave no answer to {message.id} by {message.reply_by}: {headline(message.content)}"
    return Belief(
        id=f"B-{message.id}-expired",
        statement=said,
        certainty=1.0,
        category="agent",
        source="clock",
        subject=message.id,
        predicate=ANSWER,
        value="expired",
        updated=iso(agent.clock()),
        evidence=(message.id,),
    )
