"""Record the lessons that agents learn from their work, in the entity memory of their business (S2).

A template is a `Pattern` with the share of its applications that went well. Each application is a relation to its task,
with its goal and its measured outcome. An agent is an `Agent` with its record of work, and learnt (`LEARNED_BY`) all
that it applied or concluded. All counts come from the relations and the cases, so that a repeat adds nothing.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import UnknownId
from mabos.knowledge.case_records import Case
from mabos.knowledge.entities.answers import EntityWalk
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import Entity, EntityType, RelationType
from mabos.mind.model import Goal, Intention, Plan
from mabos.mind.situation import MISSED, is_success, outcome

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Agent

MOST_TRIES = 1_000
"""Applications of one pattern that are counted."""
QUALITY = {"success": 1.0, "partial_failure": 0.5, "failure": 0.0}
"""The quality of a task by its end: `avg_quality` of an agent is the mean of its cases with a known end."""
UNKNOWN_YET = "unmeasured"
"""The end of an application of which all steps were done and whose goal was not measured since."""
_WORKS = 0.5


def update_agent_entity(memory: EntityMemory, agent: "Agent", learnt: Iterable[Entity]) -> None:
    """Write the entity of an agent, with its record of work so far, and relate it to the entities it has `learnt`."""
    persona, cases = agent.mind.persona, agent.cases.all()
    held = _fetch_relations(memory, f"agent:{agent.id}", "LEARNED_BY", most=1)
    known = held.start.properties["learned_patterns"] if held else []
    new = {one.id: one.type for one in learnt if one.id not in known}
    told: dict[str, Any] = {
        "role": persona.title or agent.id,
        "specialization": ", ".join(persona.expertise or agent.mind.capabilities.skills),
        "tasks_completed": sum(case.success for case in cases),
        "learned_patterns": [*known, *(id_ for id_, type_ in new.items() if type_ == "Pattern")],
    }
    if known := [QUALITY[case.outcome] for case in cases if case.outcome in QUALITY]:
        told["avg_quality"] = round(sum(known) / len(known), 4)
    own = _state(memory, held, "Agent", agent.id, persona.title, told=told)
    for id_ in new:
        memory.create_relation(id_, own.id, "LEARNED_BY")


def tries_of(memory: EntityMemory, pattern: str) -> dict[str, Mapping[str, Any]]:
    """Return the applications of a pattern, by task; empty for an unknown pattern."""
    return _tries(_fetch_relations(memory, pattern, "APPLIED_IN"))


def record_application(
    memory: EntityMemory, agent: "Agent", intention: Intention, goal: Goal | None, plan: Plan
) -> Entity:
    """Count one more application of the pattern behind a plan, and return the pattern.

    An application with all steps done is `unmeasured` until the measure of its goal shows the effect.
    """
    came = outcome(intention, plan, goal, agent.mind.index)
    end: Mapping[str, Any] = {
        "outcome": UNKNOWN_YET if came["status"] == "open" else came["status"],
        "agent": agent.id,
        "goal": goal.description if goal else intention.description,
        "target": goal.target if goal else "",
        "reason": intention.reason,
    }
    told = {"situation": end["goal"], "actions": [step.description or step.id for step in plan.steps]}
    held = _fetch_relations(memory, f"pattern:{plan.template}", "APPLIED_IN")
    return _count_application(memory, held, (plan.template, plan.name), intention.id, end, told=told)


def record_measurement(memory: EntityMemory, case: Case) -> None:
    """Record the later measurement of an application: whether it brought its goal nearer."""
    template, task = str(case.solution.get("template") or ""), case.id.removeprefix("CASE-")
    held = _fetch_relations(memory, f"pattern:{template}", "APPLIED_IN") if template else None
    known = _tries(held).get(task)
    if known is not None:
        came = "success" if is_success(case) else MISSED
        end = {**known, "outcome": came, "reason": str(case.results.get("measured") or known.get("reason", ""))}
        _count_application(memory, held, (template, str(case.solution.get("name") or template)), task, end, told={})


def _count_application(
    memory: EntityMemory,
    held: EntityWalk | None,
    called: tuple[str, str],
    task: str,
    end: Mapping[str, Any],
    *,
    told: Mapping[str, Any],
) -> Entity:
    """Return the pattern with one application, and its rate among those of which the end is known."""
    template, name = called
    known = _tries(held)
    tries = known | {task: end}
    ends = [one["outcome"] for one in tries.values() if one["outcome"] != UNKNOWN_YET]
    rate = ends.count("success") / len(ends) if ends else None
    counted: dict[str, Any] = {"applied_count": len(ends)}
    if rate is not None:
        counted |= {"outcome": "success" if rate >= _WORKS else "failure", "success_rate": round(rate, 4)}
    pattern = _state(memory, held, "Pattern", template, name, told={**told, **counted})
    if known.get(task) != end:
        memory.create_relation(pattern.id, f"task:{task}", "APPLIED_IN", properties=end)
    return pattern


def _tries(walk: EntityWalk | None) -> dict[str, Mapping[str, Any]]:
    relations = walk.relations if walk else ()
    return {one.to_id.removeprefix("task:"): one.properties for one in relations if "outcome" in one.properties}


def _fetch_relations(
    memory: EntityMemory, address: str, relation: RelationType, most: int = MOST_TRIES
) -> EntityWalk | None:
    """Return an entity with its relations, also one that was archived because it was never asked for."""
    with suppress(UnknownId):
        return memory.query_graph(address, relation_types=[relation], limit=most)
    with suppress(UnknownId):
        return memory.query_graph(memory.restore(address).id, relation_types=[relation], limit=most)
    return None


def _state(
    memory: EntityMemory, held: EntityWalk | None, type_: EntityType, name: str, label: str, *, told: Mapping[str, Any]
) -> Entity:
    """State an entity, as far as it does not say so already."""
    said = held.start.properties if held else {}
    new = {key: value for key, value in told.items() if said.get(key) != value}
    if held is not None and not new:
        return held.start
    return memory.create_entity(type_, name, label, properties=new).entity
