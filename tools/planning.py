"""Planning: plans from the library, from cases, from decomposition or by hand, and their steps (S3 section 7)."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from configs.errors import InvalidArgument
from configs.yaml_file import checked
from knowledge.model import Case
from mind.adaptation import adapt, differences_of
from mind.htn import decompose, primitives, steps_of
from mind.library import FITS, StepTemplate, bind, bound_steps, choose, load_library, parameters
from mind.model import Goal, Plan, PlanSource, Step
from mind.plans import progress
from mind.situation import believed, wanted
from society.business import agent_ids, read_agent
from tools.agent import Agent
from tools.declaration import Count, Fraction, Text, Tool
from tools.execution import perform, report_step
from workspace.clock import iso

MODULE = "Planning"
RISKY = 0.6
"""What a plan's confidence is multiplied by when something like it failed in a situation like this."""


def plan_generate(
    agent: Agent,
    *,
    goal_id: Text,
    plan_id: str = "",
    name: str = "",
    source: PlanSource | None = None,
    confidence: Fraction | None = None,
    strategy: str = "",
    steps: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Make a plan for a goal: from the given steps, else the library, a case, or the decomposition of the goal.

    Args:
        goal_id: The goal.
        plan_id: Its id; made if left out.
        name: What to call it.
        source: Where to take it from: library, case, htn, manual (needs steps); the first that has one if left out.
        confidence: From 0 to 1; the source's own if left out.
        strategy: A note on the approach.
        steps: Steps by hand, each with description and, where it acts, tool and arguments.
    """
    mind = agent.mind
    goal = mind.goal(goal_id)
    standing = next((one for one in mind.plans if plan_id and one.id == plan_id), None)
    if standing is not None:
        if standing.goal_id != goal_id:
            raise InvalidArgument(
                f"there is a plan {plan_id!r} for another goal; choose another id", argument="plan_id"
            )
        return _planned(standing)
    if source == "manual" and not steps:
        raise InvalidArgument("a manual plan needs its steps", argument="steps")
    made = _by_hand(agent, goal, steps, source) if steps else _found(agent, goal, source)
    made = _warned(agent, goal, made)
    made = replace(
        made,
        id=plan_id or made.id,
        name=name or made.name,
        confidence=made.confidence if confidence is None else confidence,
        strategy=strategy,
    )
    mind.save(made, why=f"plan_generate: {made.source}", cycle=agent.cycle)
    return _planned(made)


def plan_execute_step(
    agent: Agent,
    *,
    plan_id: Text,
    step_id: str = "",
    outcome: Literal["done", "failed", "skipped"] | None = None,
    result: str = "",
) -> dict[str, Any]:
    """Perform the next step of a plan, or record what somebody outside did of it (S3 7.5).

    Args:
        plan_id: The plan.
        step_id: The step; the next one if left out.
        outcome: What came of it, where a person or a contractor did the step.
        result: What they said or made.
    """
    if outcome is not None:
        return report_step(agent, plan_id, step_id, outcome, result)
    return perform(agent, plan_id, step_id)


def htn_decompose(agent: Agent, *, goal_description: Text, goal_id: str = "") -> dict[str, Any]:
    """Break a goal down into tasks until every leaf is a tool call, with the methods that were considered.

    Args:
        goal_description: What is to be done; parts are separated by commas, `and`, `then`.
        goal_id: The goal it belongs to.
    """
    mind = agent.mind
    if goal_id:
        mind.goal(goal_id)
    root = decompose(goal_description, load_library(), role_of(agent), mind.index)
    leaves = list(primitives(root))
    return {
        "goal_id": goal_id,
        "task": root.as_json(),
        "tasks": [leaf.as_json() for leaf in leaves],
        "count": len(leaves),
        "open": root.open,
        "text": "\n".join(_outline(root.as_json())),
    }


def plan_library_search(agent: Agent, *, goal_pattern: Text, limit: Count = 5) -> dict[str, Any]:
    """Return the plan templates that fit a goal, best first, and whether they could start now.

    Args:
        goal_pattern: What is to be reached, in a few words.
        limit: At most so many.
    """
    matches = load_library().search(goal_pattern, role=role_of(agent), limit=limit)
    return {
        "templates": [
            {
                "name": match.template.name,
                "category": match.template.category,
                "summary": match.template.summary,
                "score": match.score,
                "confidence": match.template.confidence,
                "roles": list(match.template.roles),
                "steps": [step.description for step in match.template.steps],
                "preconditions": list(match.template.preconditions),
            }
            for match in matches
        ],
        "count": len(matches),
        "text": "\n".join(f"{match.score:.2f} {match.template.name}: {match.template.summary}" for match in matches)
        or "No template fits.",
    }


def plan_adapt(
    agent: Agent,
    *,
    source_case_id: Text,
    target_goal_id: Text,
    differences: dict[str, Any] | str | None = None,
    plan_id: str = "",
) -> dict[str, Any]:
    """Make a plan for a goal from what was done in a case, adapted to what is different now (S3 7.3).

    Args:
        source_case_id: The case.
        target_goal_id: The goal the plan is for.
        differences: substitute, insert, delete, relax, tighten; or a sentence like "Paddle instead of Stripe".
        plan_id: The plan's id; made if left out.
    """
    mind = agent.mind
    case, goal = agent.cases.case(source_case_id), mind.goal(target_goal_id)
    wishes = differences_of(differences) if isinstance(differences, str) else dict(differences or {})
    inserted = [_insertion(number, one) for number, one in enumerate(wishes.get("insert") or [], 1)]
    adapted = adapt(_steps_of(agent, case), wishes, inserted)
    _check_tools(agent, adapted.steps)
    made = replace(_from_case(agent, goal, case, adapted.steps), id=plan_id or agent.ids.new("P"))
    mind.save(made, why=f"plan_adapt: {case.id}", cycle=agent.cycle)
    return _planned(made) | {"source_case_id": case.id, "changes": list(adapted.changes)}


def role_of(agent: Agent) -> str:
    """Return the role of an agent, or an empty text for one that was written by hand."""
    known = agent_ids(agent.services.layout)
    return read_agent(agent.services.layout, agent.id).role if agent.id in known else ""


def _found(agent: Agent, goal: Goal, source: PlanSource | None) -> Plan:
    for kind, make in (("library", _from_library), ("case", _from_cases), ("htn", _from_decomposition)):
        if source in (None, kind):
            made = make(agent, goal)
            if made is not None:
                return made
    where = "no template, case or decomposition" if source is None else f"no {source} plan"
    raise InvalidArgument(f"{where} fits goal {goal.id!r} ({goal.description}); give steps", argument="steps")


def _from_library(agent: Agent, goal: Goal) -> Plan | None:
    match = choose(load_library(), goal, role_of(agent), agent.mind.index)
    return None if match is None else bind(match.template, goal, agent.mind.index, ids=agent.ids, now=agent.clock())


def _from_cases(agent: Agent, goal: Goal) -> Plan | None:
    for similar in agent.cases.retrieve(believed(goal, agent.mind.index), wanted(goal), 3):
        steps = _steps_of(agent, similar.case)
        if similar.score >= FITS and steps:
            return _from_case(agent, goal, similar.case, steps)
    return None


def _from_decomposition(agent: Agent, goal: Goal) -> Plan | None:
    root = decompose(goal.description, load_library(), role_of(agent), agent.mind.index)
    steps = steps_of(root)
    return _draft(agent, goal, steps, source="htn", name=goal.description) if steps else None


def _by_hand(agent: Agent, goal: Goal, steps: Sequence[dict[str, Any]], source: PlanSource | None) -> Plan:
    made = tuple(_step(number, given) for number, given in enumerate(steps, 1))
    ids = [step.id for step in made]
    if len(set(ids)) != len(ids):
        raise InvalidArgument("two steps have the same id", argument="steps")
    for step in made:
        for _, go in step.branches:
            if go not in (*ids, "end"):
                raise InvalidArgument(f"step {step.id!r} branches to {go!r}, which is no step", argument="steps")
    _check_tools(agent, made)
    return _draft(agent, goal, made, source=source or "manual", name=goal.description)


def _draft(
    agent: Agent, goal: Goal, steps: tuple[Step, ...], *, source: PlanSource, name: str, confidence: float = 0.5
) -> Plan:
    now = iso(agent.clock())
    plan_id = agent.ids.new("P", {plan.id for plan in agent.mind.plans})
    return Plan(plan_id, goal.id, name, source, confidence, steps=steps, created=now, updated=now)


def _step(number: int, given: dict[str, Any]) -> Step:
    content = {"id": f"s{number}", "description": given.get("tool", f"step {number}")} | given
    try:
        template = checked(StepTemplate, content, f"steps[{number - 1}]")
    except InvalidArgument as error:
        raise InvalidArgument(error.message, argument="steps") from None
    return Step(
        id=template.id,
        description=template.description,
        tool=template.tool,
        arguments=dict(template.arguments),
        preconditions=template.preconditions,
        effects=template.effects,
        ordering=template.ordering,
        branches=tuple((branch.when, branch.go) for branch in template.branches),
        cost=_cost(template),
    )


def _cost(template: StepTemplate) -> float:
    try:
        return float(template.cost)
    except ValueError:
        message = f"step {template.id!r}: cost is {template.cost!r}; expected dollars"
        raise InvalidArgument(message, argument="steps") from None


def _insertion(number: int, given: Any) -> tuple[str, Step]:
    if not isinstance(given, dict):
        raise InvalidArgument(f"insert holds {given!r}; expected a step", argument="differences")
    content = dict(given)
    return str(content.pop("after", "")), _step(number, {"id": f"new{number}", **content})


def _check_tools(agent: Agent, steps: Sequence[Step]) -> None:
    for step in steps:
        if step.tool:
            agent.services.tools.tool(step.tool)


def _steps_of(agent: Agent, case: Case) -> tuple[Step, ...]:
    """Return the steps of a case: as recorded, described by their template; else the template's, bound anew."""
    solution = case.solution
    library, lookup = load_library(), agent.mind.index
    name = str(solution.get("template") or "")
    template = library.template(name) if name in library.names else None
    bound = bound_steps(template, parameters(template, lookup)) if template else ()
    known = {step.id: step for step in bound}
    recorded = [one for one in solution.get("steps") or () if isinstance(one, dict)]
    if not recorded:
        actions = [str(one) for one in solution.get("actions") or ()]
        return bound or tuple(_action(agent, number, one) for number, one in enumerate(actions, 1))
    return tuple(
        replace(
            known.get(str(one.get("id")), Step(str(one.get("id") or f"s{number}"), str(one.get("tool") or ""))),
            tool=str(one.get("tool") or ""),
            arguments=dict(one.get("arguments") or {}),
        )
        for number, one in enumerate(recorded, 1)
    )


def _action(agent: Agent, number: int, said: str) -> Step:
    names = {tool.name for tool in agent.services.tools.all()}
    return Step(f"s{number}", said, tool=said if said in names else "")


def _from_case(agent: Agent, goal: Goal, case: Case, steps: tuple[Step, ...]) -> Plan:
    name = str(case.solution.get("name") or case.context or goal.description)
    made = _draft(agent, goal, steps, source="case", name=name, confidence=0.7 if case.success else 0.3)
    risks = (f"{case.id} ended as {case.outcome}",) if case.negative else ()
    return replace(made, template=str(case.solution.get("template") or ""), risks=risks)


def _warned(agent: Agent, goal: Goal, made: Plan) -> Plan:
    """Return the plan with a risk for every like case that ended badly (S3 7.4)."""
    risky = [
        similar
        for similar in agent.cases.risks(believed(goal, agent.mind.index), wanted(goal))
        if _is_alike(similar.case, made)
    ]
    if not risky:
        return made
    risks = [f"{one.case.id} ended as {one.case.outcome} in a situation like this ({one.score:.2f})" for one in risky]
    return replace(made, risks=(*made.risks, *risks), confidence=round(made.confidence * RISKY, 4))


def _is_alike(case: Case, plan: Plan) -> bool:
    if plan.template and case.solution.get("template"):
        return bool(case.solution["template"] == plan.template)
    done = {str(one.get("tool")) for one in case.solution.get("steps") or () if isinstance(one, dict)}
    return not done or bool(done & {step.tool for step in plan.steps})


def _planned(plan: Plan) -> dict[str, Any]:
    return {
        "plan_id": plan.id,
        "goal_id": plan.goal_id,
        "name": plan.name,
        "source": plan.source,
        "template": plan.template,
        "confidence": plan.confidence,
        "status": plan.status,
        "progress": progress(plan),
        "steps": [asdict(step) for step in plan.steps],
        "risks": list(plan.risks),
        "text": "\n".join(f"{number}. {step.description}" for number, step in enumerate(plan.steps, 1)),
    }


def _outline(node: dict[str, Any], depth: int = 0) -> list[str]:
    mark = node.get("tool") or ("open" if node.get("open") else node.get("method") or "compound")
    lines = [f"{'  ' * depth}- {node['name']} [{mark}]"]
    for part in node.get("subtasks", ()):
        lines += _outline(part, depth + 1)
    return lines


TOOLS = [
    Tool.of(plan_generate, module=MODULE, writes=True, category="goals"),
    Tool.of(plan_execute_step, module=MODULE, writes=True, category="goals"),
    Tool.of(htn_decompose, module=MODULE, writes=False),
    Tool.of(plan_library_search, module=MODULE, writes=False),
    Tool.of(plan_adapt, module=MODULE, writes=True, category="goals"),
]
