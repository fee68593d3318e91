"""A mind as nodes and edges: beliefs, desires, goals and plans, and the links between them (S0 section 12)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mabos.backends.graph.mapping import Link, NodeMapping, ground, itself
from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.backends.graph.records import agent_uid, drop_empty, record_uid, tie
from mabos.knowledge.wording import name_key
from mabos.mind.conditions import subjects
from mabos.mind.lookup import names_of
from mabos.mind.mind import Mind
from mabos.mind.model import (
    Belief,
    Capabilities,
    Commitment,
    Desire,
    Goal,
    Intention,
    Item,
    Persona,
    Plan,
    Playbook,
    Step,
)


def parts(mind: Mind) -> dict[str, GraphPart]:
    """Return the nodes and edges of each record of a mind, by its place in the mind."""
    own = mind.agent_id
    found = {"persona": _persona(own, mind.persona), "capabilities": _capabilities(own, mind.capabilities)}
    items: Iterable[Item] = (*mind.beliefs, *mind.desires, *mind.commitments, *mind.playbooks)
    found |= {f"{type(one).__name__}/{_name(one)}": _MAPPINGS[type(one)].part(one, own) for one in items}
    found |= {f"Intention/{one.id}": _intention(own, one) for one in mind.intentions}
    found |= {f"Plan/{one.id}": _plan(own, one) for one in mind.plans}
    named = _by_name(mind.beliefs)
    found |= {f"Goal/{one.id}": _goal(own, one, named) for one in mind.goals}
    return found


def _name(item: Any) -> str:
    return str(getattr(item, "id", "") or item.name)


def _persona(own: str, persona: Persona) -> GraphPart:
    agent = Node(
        agent_uid(own),
        "agent",
        own,
        persona.title,
        drop_empty(title=persona.title, department=persona.department, autonomy=persona.autonomy),
    )
    words = " ".join((persona.style, *persona.responsibilities, *persona.expertise))
    node = Node(record_uid(own, "persona"), "persona", persona.title, words, drop_empty(style=persona.style))
    edges = [tie("agent_has_persona", agent.uid, node.uid)]
    if persona.reports_to:
        edges.append(tie("agent_reports_to", agent.uid, agent_uid(persona.reports_to)))
    return GraphPart([agent, node], edges)


def _capabilities(own: str, capabilities: Capabilities) -> GraphPart:
    skills = {record_uid(own, f"skill/{name}"): (name, level) for name, level in capabilities.skills.items()}
    nodes = [Node(one, "skill", name, "", {"proficiency": level}) for one, (name, level) in skills.items()]
    edges = [tie("agent_has_skill", agent_uid(own), one, proficiency=level) for one, (_, level) in skills.items()]
    return GraphPart(nodes, edges)


_MAPPINGS: Mapping[type, NodeMapping] = {
    Belief: NodeMapping(
        "belief",
        name=("subject", "id"),
        text=("statement",),
        properties=("id", "certainty", "subject", "predicate", "value", "source", "status", "category", "evidence"),
        links=(Link("derived_from", "evidence", to=ground),),
        valid_to="expires",
    ),
    Desire: NodeMapping(
        "desire",
        name=("name",),
        text=("description",),
        properties=(
            *("id", "priority", "urgency", "alignment", "kind=type", "category", "status", "target", "deadline"),
        ),
        links=(Link("desire_serves_desire", "serves"),),
    ),
    Goal: NodeMapping(
        "goal",
        name=("description",),
        text=("target", "success_criteria"),
        properties=(
            *("id", "hierarchy_level=level", "status", "progress", "priority", "target", "deadline"),
            "created_at=created",
        ),
    ),
    Intention: NodeMapping(
        "intention",
        name=("description", "id"),
        text=("reason",),
        properties=("id", "status", "progress", "commitment_strategy=strategy", "deadline"),
        links=(
            Link("intention_pursues_goal", "goal_id"),
            Link("intention_follows_plan", "plan_id"),
            Link("intention_awaits_decision", "decision_id", to=itself),
        ),
    ),
    Plan: NodeMapping(
        "plan",
        name=("name", "id"),
        text=("risks",),
        properties=("id", "status", "source", "confidence", "template"),
        links=(Link("goal_requires_plan", "goal_id", incoming=True),),
    ),
    Commitment: NodeMapping(
        "commitment", name=("counterparty",), text=("terms",), properties=("id", "status", "deadline")
    ),
    Playbook: NodeMapping(
        "playbook",
        name=("name",),
        text=("steps",),
        properties=("trigger", "context", "success"),
        key="name",
        prefix="playbook/",
    ),
}


def _goal(own: str, goal: Goal, beliefs: Mapping[str, list[str]]) -> GraphPart:
    part = _MAPPINGS[Goal].part(goal, own)
    return GraphPart(part.nodes, [*part.edges, *_reasons(own, goal, part.nodes[0].uid, beliefs)])


def _reasons(own: str, goal: Goal, at: str, beliefs: Mapping[str, list[str]]) -> Iterator[Edge]:
    """Yield the grounds of a goal: its desire, its parent goal, and beliefs that it or its conditions name."""
    if goal.desire_id:
        yield tie("desire_motivates_goal", record_uid(own, goal.desire_id), at)
    if goal.parent_goal_id:
        above = goal.parent_goal_id  # with a slash it is a colleague's, as no id of one's own has any
        yield tie("goal_serves_goal", at, above if "/" in above else record_uid(own, above))
    asked = (name_key(name) for one in (goal.target, *goal.success_criteria) if one for name in subjects(one))
    for belief_id in dict.fromkeys(one for name in (*goal.evidence, *asked) for one in beliefs.get(name, ())):
        yield tie("belief_supports_goal", record_uid(own, belief_id), at)


def _by_name(beliefs: Iterable[Belief]) -> Mapping[str, list[str]]:
    """Return the ids of beliefs by every name that may mean them: the names in conditions, and the ids themselves."""
    found: dict[str, list[str]] = {}
    for belief in beliefs:
        for name in (belief.id, *names_of(belief)):
            found.setdefault(name, []).append(belief.id)
    return found


def _intention(own: str, intention: Intention) -> GraphPart:
    part = _MAPPINGS[Intention].part(intention, own)
    if not intention.decision_id:
        return part
    resolves = tie("decision_resolves_goal", intention.decision_id, record_uid(own, intention.goal_id))
    return GraphPart(part.nodes, [*part.edges, resolves])


def _plan(own: str, plan: Plan) -> GraphPart:
    part = _MAPPINGS[Plan].part(plan, own)
    steps = [_step(own, plan, one) for one in plan.steps]
    contains = [tie("plan_contains_step", part.nodes[0].uid, one.uid) for one in steps]
    return GraphPart([*part.nodes, *steps], [*part.edges, *contains, *_order(own, plan)])


def _step(own: str, plan: Plan, step: Step) -> Node:
    told = drop_empty(id=step.id, tool=step.tool, status=step.status, cost=step.cost, result=step.result)
    return Node(step_uid(own, plan.id, step.id), "plan_step", step.description or step.id, step.tool, told)


def step_uid(agent_id: str, plan_id: str, step_id: str) -> str:
    """Return the uid of a step, whose own id is unique only in its plan."""
    return record_uid(agent_id, f"{plan_id}/{step_id}")


def _order(own: str, plan: Plan) -> Iterator[Edge]:
    """Yield the order of steps: a step in sequence waits for the one before it, a branch for its own step."""
    before: Step | None = None
    for step in plan.steps:
        if before is not None and step.ordering == "sequence":
            yield tie("step_depends_on", step_uid(own, plan.id, step.id), step_uid(own, plan.id, before.id))
        for condition, target in step.branches:
            yield tie(
                "step_depends_on", step_uid(own, plan.id, target), step_uid(own, plan.id, step.id), condition=condition
            )
        before = step
