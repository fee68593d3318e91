"""What agents come to know by what they do, in the entity memory of their business (S2).

A template is a `Pattern` with the share of its applications that went well; each application is a relation to its task
that says for what goal and with what end. An agent is an `Agent` with what it has done, and whatever it applied or
concluded it learnt (`LEARNED_BY`). All of it is counted anew from the relations and the cases, so that telling it twice
adds nothing.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from configs.errors import UnknownId
from knowledge.entities.answers import Walk
from knowledge.entities.memory import EntityMemory
from knowledge.entities.model import Entity, EntityType, RelationType
from mind.model import Goal, Intention, Plan
from mind.situation import outcome

if TYPE_CHECKING:
    from tools.agent import Agent

MOST_TRIES = 1_000
"""Applications of one pattern that are counted."""
QUALITY = {"success": 1.0, "partial_failure": 0.5, "failure": 0.0}
"""How good a task was by its end: `avg_quality` of an agent is the mean of its cases."""
_WORKS = 0.5


def profiled(memory: EntityMemory, agent: "Agent", learnt: Iterable[Entity]) -> None:
    """State the entity of an agent, with what it has done by now, and relate to it what it has `learnt`."""
    persona, cases = agent.mind.persona, agent.cases.all()
    held = _walked(memory, f"agent:{agent.id}", "LEARNED_BY", most=1)
    known = held.start.properties["learned_patterns"] if held else []
    new = {one.id: one.type for one in learnt if one.id not in known}
    told: dict[str, Any] = {
        "role": persona.title or agent.id,
        "specialization": ", ".join(persona.expertise or agent.mind.capabilities.skills),
        "tasks_completed": sum(case.success for case in cases),
        "learned_patterns": [*known, *(id_ for id_, type_ in new.items() if type_ == "Pattern")],
    }
    if cases:
        told["avg_quality"] = round(sum(QUALITY[case.outcome] for case in cases) / len(cases), 4)
    own = _state(memory, held, "Agent", agent.id, persona.title, told=told)
    for id_ in new:
        memory.create_relation(id_, own.id, "LEARNED_BY")


def tries_of(memory: EntityMemory, pattern: str) -> dict[str, Mapping[str, Any]]:
    """Return how a pattern was applied, by task; nothing for one that is not there."""
    found = _walked(memory, pattern, "APPLIED_IN")
    return _tries(found) if found else {}


def applied(memory: EntityMemory, agent: "Agent", intention: Intention, goal: Goal | None, plan: Plan) -> Entity:
    """Count one more application of the pattern that a plan was made from, and return the pattern."""
    end: Mapping[str, Any] = {
        "outcome": outcome(intention, plan)["status"],
        "agent": agent.id,
        "goal": goal.description if goal else intention.description,
        "target": goal.target if goal else "",
        "reason": intention.reason,
    }
    held = _walked(memory, f"pattern:{plan.template}", "APPLIED_IN")
    known = _tries(held) if held else {}
    tries = known | {intention.id: end}
    rate = sum(one["outcome"] == "success" for one in tries.values()) / len(tries)
    told = {
        "situation": end["goal"],
        "actions": [step.description or step.id for step in plan.steps],
        "outcome": "success" if rate >= _WORKS else "failure",
        "success_rate": round(rate, 4),
        "applied_count": len(tries),
    }
    pattern = _state(memory, held, "Pattern", plan.template, plan.name, told=told)
    if known.get(intention.id) != end:
        memory.create_relation(pattern.id, f"task:{intention.id}", "APPLIED_IN", properties=end)
    return pattern


def _tries(walk: Walk) -> dict[str, Mapping[str, Any]]:
    return {one.to_id.removeprefix("task:"): one.properties for one in walk.relations if "outcome" in one.properties}


def _walked(memory: EntityMemory, address: str, relation: RelationType, most: int = MOST_TRIES) -> Walk | None:
    """Return an entity with what it is related to, also one that went into the archive because nobody asked for it."""
    with suppress(UnknownId):
        return memory.query_graph(address, relation_types=[relation], limit=most)
    with suppress(UnknownId):
        return memory.query_graph(memory.restore(address).id, relation_types=[relation], limit=most)
    return None


def _state(
    memory: EntityMemory, held: Walk | None, type_: EntityType, name: str, label: str, *, told: Mapping[str, Any]
) -> Entity:
    """State an entity, as far as it does not say so already."""
    said = held.start.properties if held else {}
    new = {key: value for key, value in told.items() if said.get(key) != value}
    if held is not None and not new:
        return held.start
    return memory.create_entity(type_, name, label, properties=new).entity
