"""Grow and clean the entity memory and flag its contradictions, at each heartbeat (S2).

Conclusions, decisions and successful plans of finished cycles become entities, which the agent of the cycle has learnt.
Certain duplicates are merged once a day, and unimportant entities are archived once a month. An unsettled contradiction
is a flagged belief in the mind of the agent that made the newer claim, until it is settled.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.knowledge.entities.lifecycle import ArchiveLimits
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import EntityType
from mabos.mind.model import Belief
from mabos.society.roles import STAKEHOLDER
from mabos.tools.entities.learning import update_agent_entity
from mabos.tools.entities.operation import extracted_from
from mabos.tools.entities.questions import memory_of
from mabos.tools.runtime.services import Caller
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso, parse_time

if TYPE_CHECKING:
    from pathlib import Path

    from mabos.knowledge.entities.answers import SessionKnowledge
    from mabos.knowledge.entities.review import Dispute
    from mabos.tools.runtime.services import Agent, Services

_EVERY = 1_000_000
_SOURCE = "entity memory"
_DAY = 1.0
_SAID: tuple[EntityType, ...] = ("Insight", "Concept", "Decision")
_LEARNT: tuple[EntityType, ...] = ("Insight", "Concept", "Pattern")


@dataclass(slots=True)
class Growth:
    """The result of one round in a business."""

    extracted: dict[str, SessionKnowledge] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    merged: int = 0
    archived: int = 0
    flagged: int = 0


def grow(services: Services, business_id: str) -> Growth:
    """Extract, clean and flag in one business; an unreadable cycle does not block the others."""
    found = Growth()
    if services.settings.entities.extract:
        _extract(services, business_id, found)
    if services.settings.entities.merge_alike:
        found.merged = _merge(services, business_id)
    found.archived = _clean(services, business_id)
    # Without an embedder, or while another process holds the vectors, words find it. What they cost is nobody's alone.
    with suppress(MabosError), services.allowances.charge_agent(STAKEHOLDER, phase="entities"):
        services.graph(business_id).entities().learn()
    found.flagged = sum(_flag(_as_itself(services, one)) for one in _team(services, business_id))
    return found


def _extract(services: Services, business_id: str, found: Growth) -> None:
    """Extract from the cycles in which something was done since the last time; doing it again adds nothing."""
    last = services.layout.internal / "entities" / f"{business_id}-extracted"
    now = iso(services.clock())
    since = _read(last, now)
    for agent_id in _team(services, business_id):
        for cycle in reversed(services.ledger_index().cycles(agents=[agent_id], since=since, limit=_EVERY)):
            agent = _as_itself(services, agent_id)
            try:
                with services.allowances.charge_agent(agent.id, cycle=agent.cycle, phase="entities"):
                    made = found.extracted[cycle] = extracted_from(agent, cycle)
                learnt = [one for one in (*made.created, *made.confirmed) if one.type in _LEARNT]
                if learnt:
                    update_agent_entity(memory_of(agent), agent, learnt)
            except MabosError as error:
                found.refused[cycle] = error.message
    write_atomic(last, now)


def _merge(services: Services, business_id: str) -> int:
    """Merge certain duplicates, once a day; patterns and agents are kept apart by name, however alike."""
    graph = services.graph(business_id)
    store = graph.entities()
    if not store.path.exists() or not store.is_due("merged", _DAY):
        return 0
    memory = EntityMemory(store, directory=graph.directory())
    return sum(len(memory.merge_duplicates(type_)) for type_ in _SAID)


def _read(last: Path, now: str) -> str:
    """Return when was extracted last; "" where that cannot be read, or is still to come as after a frozen clock."""
    try:
        at = iso(parse_time(last.read_text("ascii")))
    except (FileNotFoundError, UnicodeDecodeError, InvalidArgument):
        return ""
    return at if at <= now else ""


def _clean(services: Services, business_id: str) -> int:
    chosen, graph = services.settings.entities, services.graph(business_id)
    limits = ArchiveLimits(chosen.archive_importance, chosen.archive_age_days, chosen.archive_accesses)
    cleaned = EntityMemory(graph.entities(), directory=graph.directory()).clean_monthly(limits)
    return len(cleaned.archived) if cleaned else 0


def _flag(agent: Agent) -> int:
    """Hold as flagged beliefs the contradictions whose newer side this agent made, and drop those that are settled."""
    open_now = {_belief_id(one): one for one in memory_of(agent).conflicts() if _newer(one) == agent.id}
    held = {one.id: one for one in agent.mind.beliefs if one.source == _SOURCE}
    new = [_flag_dispute(key, one) for key, one in open_now.items() if key not in held]
    settled = [one for key, one in held.items() if key not in open_now]
    if new or settled:
        agent.mind.save(*new, drop=settled, why="contradictions in the entity memory", cycle="heartbeat")
    return len(new)


def _flag_dispute(belief_id: str, dispute: Dispute) -> Belief:
    one, other = dispute.one.address, dispute.other.address
    return Belief(
        belief_id,
        f"{one} and {other} contradict each other: {dispute.reason}",
        certainty=0.9,
        category="self",
        source=_SOURCE,
        evidence=(dispute.one.id, dispute.other.id),
        status="flagged",
    )


def _belief_id(dispute: Dispute) -> str:
    return f"B-conflict-{min(dispute.one.id, dispute.other.id)[:8]}-{max(dispute.one.id, dispute.other.id)[:8]}"


def _newer(dispute: Dispute) -> str:
    return max((dispute.one, dispute.other), key=lambda one: (one.created_at, one.id)).created_by


def _team(services: Services, business_id: str) -> list[str]:
    return list(services.business(business_id).manifest.agents.values())


def _as_itself(services: Services, agent_id: str) -> Agent:
    return services.agent(agent_id, caller=Caller("agent", agent_id))
