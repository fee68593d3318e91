"""A mind as nodes and edges: beliefs, desires, goals and plans, and what follows from what (S0 section 12)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mabos.backends.graph.model import Edge, Node, Part
from mabos.backends.graph.records import agent_uid, owned, record_uid, said, tie
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


def parts(mind: Mind) -> dict[str, Part]:
    """Return what each record of a mind gives to the graph, by its place there."""
    own = mind.agent_id
    found = {"persona": _persona(own, mind.persona), "capabilities": _capabilities(own, mind.capabilities)}
    items: Iterable[Item] = (*mind.desires, *mind.intentions, *mind.plans, *mind.commitments, *mind.playbooks)
    found |= {f"{type(one).__name__}/{_name(one)}": _PARTS[type(one)](own, one) for one in items}
    found |= {f"Belief/{one.id}": _belief(own, one) for one in mind.beliefs}
    named = _by_name(mind.beliefs)
    found |= {f"Goal/{one.id}": _goal(own, one, named) for one in mind.goals}
    return found


def _name(item: Any) -> str:
    return str(getattr(item, "id", "") or item.name)


def _persona(own: str, persona: Persona) -> Part:
    agent = Node(
        agent_uid(own),
        "agent",
        own,
        persona.title,
        said(title=persona.title, department=persona.department, autonomy=persona.autonomy),
    )
    words = " ".join((persona.style, *persona.responsibilities, *persona.expertise))
    node = Node(record_uid(own, "persona"), "persona", persona.title, words, said(style=persona.style))
    edges = [tie("agent_has_persona", agent.uid, node.uid)]
    if persona.reports_to:
        edges.append(tie("agent_reports_to", agent.uid, agent_uid(persona.reports_to)))
    return Part([agent, node], edges)


def _capabilities(own: str, capabilities: Capabilities) -> Part:
    skills = {record_uid(own, f"skill/{name}"): (name, level) for name, level in capabilities.skills.items()}
    nodes = [Node(one, "skill", name, "", {"proficiency": level}) for one, (name, level) in skills.items()]
    edges = [tie("agent_has_skill", agent_uid(own), one, proficiency=level) for one, (_, level) in skills.items()]
    return Part(nodes, edges)


def _belief(own: str, belief: Belief) -> Part:
    node = Node(
        record_uid(own, belief.id),
        "belief",
        belief.subject or belief.id,
        belief.statement,
        said(
            id=belief.id,
            certainty=belief.certainty,
            subject=belief.subject,
            predicate=belief.predicate,
            value=belief.value,
            source=belief.source,
            status=belief.status,
            category=belief.category,
        ),
        valid_to=belief.expires,
    )
    return owned(own, node, (tie("derived_from", node.uid, record_uid(own, one)) for one in belief.evidence))


def _desire(own: str, desire: Desire) -> Part:
    node = Node(
        record_uid(own, desire.id),
        "desire",
        desire.name,
        desire.description,
        said(
            id=desire.id,
            priority=desire.priority,
            urgency=desire.urgency,
            alignment=desire.alignment,
            kind=desire.type,
            category=desire.category,
            status=desire.status,
            target=desire.target,
            deadline=desire.deadline,
        ),
    )
    serves = [tie("desire_serves_desire", node.uid, record_uid(own, desire.serves))] if desire.serves else []
    return owned(own, node, serves)


def _goal(own: str, goal: Goal, beliefs: Mapping[str, list[str]]) -> Part:
    node = Node(
        record_uid(own, goal.id),
        "goal",
        goal.description,
        " ".join((goal.target, *goal.success_criteria)),
        said(
            id=goal.id,
            hierarchy_level=goal.level,
            status=goal.status,
            progress=goal.progress,
            priority=goal.priority,
            target=goal.target,
            deadline=goal.deadline,
            created_at=goal.created,
        ),
    )
    return owned(own, node, _reasons(own, goal, node.uid, beliefs))


def _reasons(own: str, goal: Goal, at: str, beliefs: Mapping[str, list[str]]) -> Iterator[Edge]:
    """Yield what a goal rests on: its desire, the goal above it, beliefs that it names or its conditions look at."""
    if goal.desire_id:
        yield tie("desire_motivates_goal", record_uid(own, goal.desire_id), at)
    if goal.parent_goal_id:
        above = goal.parent_goal_id  # with a slash it is a colleague's, as no id of one's own has any
        yield tie("goal_serves_goal", at, above if "/" in above else record_uid(own, above))
    asked = (name_key(name) for one in (goal.target, *goal.success_criteria) if one for name in subjects(one))
    for belief_id in dict.fromkeys(one for name in (*goal.evidence, *asked) for one in beliefs.get(name, ())):
        yield tie("belief_supports_goal", record_uid(own, belief_id), at)


def _by_name(beliefs: Iterable[Belief]) -> Mapping[str, list[str]]:
    """Return the ids of beliefs by every name that may mean them: what conditions ask about, and the ids themselves."""
    found: dict[str, list[str]] = {}
    for belief in beliefs:
        for name in (belief.id, *names_of(belief)):
            found.setdefault(name, []).append(belief.id)
    return found


def _intention(own: str, intention: Intention) -> Part:
    node = Node(
        record_uid(own, intention.id),
        "intention",
        intention.description or intention.id,
        intention.reason,
        said(
            id=intention.id,
            status=intention.status,
            progress=intention.progress,
            commitment_strategy=intention.strategy,
            deadline=intention.deadline,
        ),
    )
    edges = []
    if intention.goal_id:
        edges.append(tie("intention_pursues_goal", node.uid, record_uid(own, intention.goal_id)))
    if intention.plan_id:
        edges.append(tie("intention_follows_plan", node.uid, record_uid(own, intention.plan_id)))
    if intention.decision_id:
        edges.append(tie("intention_awaits_decision", node.uid, intention.decision_id))
        edges.append(tie("decision_resolves_goal", intention.decision_id, record_uid(own, intention.goal_id)))
    return owned(own, node, edges)


def _plan(own: str, plan: Plan) -> Part:
    node = Node(
        record_uid(own, plan.id),
        "plan",
        plan.name or plan.id,
        " ".join(plan.risks),
        said(id=plan.id, status=plan.status, source=plan.source, confidence=plan.confidence, template=plan.template),
    )
    steps = [_step(own, plan, one) for one in plan.steps]
    edges = [tie("agent_owns", agent_uid(own), node.uid)]
    if plan.goal_id:
        edges.append(tie("goal_requires_plan", record_uid(own, plan.goal_id), node.uid))
    edges += [tie("plan_contains_step", node.uid, one.uid) for one in steps]
    return Part([node, *steps], [*edges, *_order(own, plan)])


def _step(own: str, plan: Plan, step: Step) -> Node:
    told = said(id=step.id, tool=step.tool, status=step.status, cost=step.cost, result=step.result)
    return Node(step_uid(own, plan.id, step.id), "plan_step", step.description or step.id, step.tool, told)


def step_uid(agent_id: str, plan_id: str, step_id: str) -> str:
    """Return the uid of a step, whose id is unique in its plan only."""
    return record_uid(agent_id, f"{plan_id}/{step_id}")


def _order(own: str, plan: Plan) -> Iterator[Edge]:
    """Yield what waits for what: a step in sequence for the one before it, a branch for the step it is of."""
    before: Step | None = None
    for step in plan.steps:
        if before is not None and step.ordering == "sequence":
            yield tie("step_depends_on", step_uid(own, plan.id, step.id), step_uid(own, plan.id, before.id))
        for condition, target in step.branches:
            yield tie(
                "step_depends_on", step_uid(own, plan.id, target), step_uid(own, plan.id, step.id), condition=condition
            )
        before = step


def _commitment(own: str, commitment: Commitment) -> Part:
    told = said(id=commitment.id, status=commitment.status, deadline=commitment.deadline)
    return owned(
        own, Node(record_uid(own, commitment.id), "commitment", commitment.counterparty, commitment.terms, told)
    )


def _playbook(own: str, playbook: Playbook) -> Part:
    told = said(trigger=playbook.trigger, context=playbook.context, success=playbook.success)
    node = Node(record_uid(own, f"playbook/{playbook.name}"), "playbook", playbook.name, " ".join(playbook.steps), told)
    return owned(own, node)


_PARTS: Mapping[type, Any] = {
    Desire: _desire,
    Intention: _intention,
    Plan: _plan,
    Commitment: _commitment,
    Playbook: _playbook,
}
