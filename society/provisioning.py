"""A new agent's mind from its role: its initial content, with reproducible ids.

provision(folder, seat, role, template, clock=clock, ids=ids, sync=sync)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from mabos.mind.desires import rank_desires
from mabos.mind.mind import open_mind
from mabos.mind.model import Belief, Capabilities, Commitment, Desire, Item, Persona, Playbook
from mabos.society.roles import Role, load_roles, tools_of
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync


@dataclass(frozen=True, slots=True)
class AgentSeat:
    """The seat of an agent: the agent, its role, its business, and the holders of the other roles."""

    agent_id: str
    role_id: str
    business_id: str
    business_name: str
    holders: Mapping[str, str]

    def holder(self, role_id: str) -> str:
        """Return the agent in a role of the same business; any other name is unchanged."""
        return self.holders.get(role_id, role_id)


def provision(folder: Path, seat: AgentSeat, role: Role, *, clock: Clock, ids: Ids, sync: Sync) -> None:
    """Write the twelve cognitive files of a new agent into `folder`; a second run changes nothing."""
    why = f"provisioned as {role.title} of {seat.business_name}"
    mind = open_mind(folder, clock=clock, ids=ids, sync=sync, agent_id=seat.agent_id)
    try:
        there = (mind.persona, mind.capabilities)
        mind.save(*(item for item in starting_items(seat, role, clock()) if item not in there), why=why)
        for note in role.knowledge:
            mind.write_section("Knowledge.md", note.heading, note.text, why=why)
        if seat.business_name not in mind.file("Memory.md"):
            mind.note_memory(f"I am {role.title} of {seat.business_name}, as of today.")
        mind.lay_out()
    finally:
        mind.close()


def starting_items(seat: AgentSeat, role: Role, now: datetime) -> tuple[Item, ...]:
    """Return the initial content of an agent, in the order of its files."""
    return (
        persona(seat, role),
        Capabilities(tools=tools_of(role), skills=dict(role.capabilities.skills)),
        *beliefs(seat, role, now),
        *desires(seat, role, now),
        *commitments(seat, role, now),
        *(Playbook(one.name, one.trigger, one.steps, one.success) for one in role.playbooks),
    )


def persona(seat: AgentSeat, role: Role) -> Persona:
    """Return the agent's persona; reporting lines name agents, and the owner is `stakeholder`."""
    return Persona(
        agent_id=seat.agent_id, title=role.title, department=role.department, reports_to=seat.holder(role.reports_to),
        manages=tuple(seat.holder(other) for other in role.manages), autonomy=role.autonomy, style=role.style,
        responsibilities=role.responsibilities, expertise=role.expertise, autonomy_for=dict(role.autonomy_for),
    )  # fmt: skip


def beliefs(seat: AgentSeat, role: Role, now: datetime) -> tuple[Belief, ...]:
    """Return the role's starting beliefs, and its colleagues: `cfo agent_id` is the id to write to."""
    own = [
        Belief(
            id=f"B-{seat.agent_id}-{number:03}",
            statement=one.statement,
            certainty=one.certainty,
            category=one.category,
            source="role",
            subject=one.subject,
            predicate=one.predicate,
            value=one.value,
            updated=iso(now),
        )
        for number, one in enumerate(role.beliefs, start=1)
    ]
    return (*own, *(_colleague(seat, role, other, now) for other in seat.holders if other != seat.role_id))


def _colleague(seat: AgentSeat, role: Role, other: str, now: datetime) -> Belief:
    known = load_roles()[other]
    statement = f"{known.title}: {role.colleagues.get(other, known.responsibilities[0])}"
    return Belief(
        id=f"B-{seat.agent_id}-knows-{other}", statement=statement, certainty=0.9, category="agent", source="role",
        subject=other, predicate="agent_id", value=seat.holder(other), updated=iso(now),
    )  # fmt: skip


def desires(seat: AgentSeat, role: Role, now: datetime) -> tuple[Desire, ...]:
    """Return the role's desires, highest priority first; deadlines count from the founding."""
    ids = {one.name: f"D-{seat.agent_id}-{number:03}" for number, one in enumerate(role.desires, start=1)}
    wishes = [
        Desire(
            id=ids[one.name],
            name=one.name,
            description=one.description,
            type=one.type,
            category=one.category,
            base=one.base,
            importance=one.importance,
            urgency=one.urgency,
            alignment=one.alignment,
            deps=tuple(ids[name] for name in one.deps),
            serves=ids.get(one.serves, ""),
            target=one.target,
            deadline="" if one.deadline_days is None else _in(now, one.deadline_days),
            created=iso(now),
            resource=one.resource,
        )
        for one in role.desires
    ]
    return rank_desires(wishes, now)


def commitments(seat: AgentSeat, role: Role, now: datetime) -> tuple[Commitment, ...]:
    """Return the role's obligations from its first day."""
    return tuple(
        Commitment(
            id=f"COM-{seat.agent_id}-{number:03}",
            counterparty=one.counterparty,
            terms=one.terms,
            deadline=_in(now, one.due_days),
            consequences=one.consequences,
            about=one.about,
        )
        for number, one in enumerate(role.commitments, start=1)
    )


def _in(now: datetime, days: int) -> str:
    return iso(now + timedelta(days=days))
