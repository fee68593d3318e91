"""Planning: plans from the library, from cases, from decomposition or by hand, and their steps (S3 section 7)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument
from mabos.mind.adaptation import OPERATIONS, adapt, differences_of
from mabos.mind.model import Plan, PlanSource
from mabos.mind.plans import progress
from mabos.mind.tasks import parts_of
from mabos.tools.catalogue.declaration import Count, Fraction, OwnId, Text, Tool
from mabos.tools.catalogue.naming import given_as
from mabos.tools.plans.case_steps import check_tools, insertion, parse_steps, steps_of_case
from mabos.tools.plans.execution import perform, report_step
from mabos.tools.plans.outline import decompose_goal
from mabos.tools.plans.risks import bad_ends, guard_plan, risks_of
from mabos.tools.plans.search import templates_for
from mabos.tools.plans.sources import adapt_case, by_hand, cannot, found_plan, of_case, role_of
from mabos.tools.plans.tree import leaves
from mabos.tools.runtime.services import Agent

MODULE = "Planning"


def plan_generate(
    agent: Agent,
    *,
    goal_id: Text,
    plan_id: OwnId = "",
    name: str = "",
    source: PlanSource | None = None,
    confidence: Fraction | None = None,
    strategy: str = "",
    steps: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Make a plan for a goal: from the given steps, else its parts, the library, or a case adapted to the present.

    What failed in a situation like this is flagged and gone around. `can_run` says whether every step can be done.

    Args:
        goal_id: The goal.
        plan_id: Its id; made if left out.
        name: What to call it.
        source: Where to take it from: library, case, htn, manual (needs steps); the first that has one if left out.
        confidence: From 0 to 1; the source's own if left out.
        strategy: A note on the approach.
        steps: Steps by hand, each with description and, where it acts, tool and arguments; or nodes of a task network
            with type (primitive, or compound with subtasks), as htn_decompose answers them.
    """
    mind = agent.mind
    goal = mind.goal(goal_id)
    standing = next((one for one in mind.plans if plan_id and one.id == plan_id), None)
    if standing is not None:
        if standing.goal_id != goal_id:
            raise InvalidArgument(f"plan {plan_id!r} is for another goal; choose another id", argument="plan_id")
        return _serialize_plan(agent, standing)
    if source == "manual" and not steps:
        raise InvalidArgument("a manual plan needs its steps", argument="steps")
    made = (
        by_hand(agent, goal, parse_steps(agent, leaves(agent, steps)), source or "manual")
        if steps
        else found_plan(agent, goal, source)
    )
    made, _ = guard_plan(agent, goal, made, risks_of(made, bad_ends(agent, goal)))
    made = replace(
        made,
        id=plan_id or made.id,
        name=name or made.name,
        confidence=made.confidence if confidence is None else confidence,
        strategy=strategy or made.strategy,
    )
    why = f"plan_generate: {made.source}"
    return _serialize_plan(agent, agent.mind.add(made, is_named=bool(plan_id), why=why, cycle=agent.cycle))


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
    """Break a goal down until every leaf is a tool call, with the methods considered and why others cannot be taken.

    Args:
        goal_description: What is to be done; parts are separated by commas, `and`, `then`.
        goal_id: The goal it belongs to.
    """
    if goal_id:
        agent.mind.goal(goal_id)
    return {"goal_id": goal_id, **decompose_goal(agent, goal_description, parts_of(goal_description))}


def plan_library_search(agent: Agent, *, goal_pattern: Text, limit: Count = 5) -> dict[str, Any]:
    """Return the plan templates that fit a goal, best first: by meaning where there is an embedder, else by words.

    Args:
        goal_pattern: What is to be reached, in a few words.
        limit: At most so many.
    """
    found = templates_for(agent, goal_pattern, role=role_of(agent), limit=limit)
    matches = found.matches
    return {
        "found_by": found.by,
        "notice": found.notice,
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
    plan_id: OwnId = "",
) -> dict[str, Any]:
    """Make a plan for a goal from what was done in a case, adapted to what is different now (S3 7.3).

    Args:
        source_case_id: The case.
        target_goal_id: The goal the plan is for.
        differences: substitute, insert, delete, relax, tighten; or a sentence like "Paddle instead of Stripe". Found by
            what is believed, what has been done and what rules ask for, if left out.
        plan_id: The plan's id; made if left out.
    """
    mind = agent.mind
    with given_as("source_case_id"):
        case = agent.cases.case(source_case_id)
    with given_as("target_goal_id"):
        goal = mind.goal(target_goal_id)
    steps = steps_of_case(agent, case)
    if not steps and differences is None:
        message = f"{case.id} tells of no step; give 'differences' with what to insert, or use plan_generate"
        raise InvalidArgument(message, argument="source_case_id")
    if differences is None:
        made = adapt_case(agent, goal, case, steps)
        if isinstance(made, str):
            raise InvalidArgument(
                f"{case.id} does not fit {goal.id!r}: {made}; give differences", argument="differences"
            )
    else:
        wishes = differences_of(differences) if isinstance(differences, str) else _check_wishes(differences)
        inserted = [insertion(number, one) for number, one in enumerate(wishes.get("insert") or [], 1)]
        changed = adapt(steps, wishes, inserted)
        if not changed.steps:
            message = f"of {case.id} no step is left; a plan needs one: insert it"
            raise InvalidArgument(message, argument="differences")
        with given_as("differences"):
            check_tools(agent, changed.steps)
        made = replace(of_case(agent, goal, case, changed.steps), changes=changed.changes)
    made = replace(made, id=plan_id or made.id)
    made = agent.mind.add(made, is_named=bool(plan_id), why=f"plan_adapt: {case.id}", cycle=agent.cycle)
    return _serialize_plan(agent, made) | {"source_case_id": case.id}


def _check_wishes(wishes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return differences of which each is a text, a list or an object; raises `InvalidArgument`."""
    for name, given in wishes.items():
        if name in OPERATIONS and not isinstance(given, str | list | dict | None):
            raise InvalidArgument(f"{name} is {given!r:.60}; expected a list or an object", argument="differences")
    return wishes


def _serialize_plan(agent: Agent, plan: Plan) -> dict[str, Any]:
    why_not = cannot(agent, plan.steps)
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
        "changes": list(plan.changes),
        "can_run": not why_not,
        "why_not": why_not,
        "text": "\n".join(f"{number}. {step.description}" for number, step in enumerate(plan.steps, 1)),
    }


TOOLS = [
    Tool.of(plan_generate, module=MODULE, writes=True, category="goals", addresses=("steps",)),
    Tool.of(plan_execute_step, module=MODULE, writes=True, category="goals"),
    Tool.of(htn_decompose, module=MODULE, writes=False),
    Tool.of(plan_library_search, module=MODULE, writes=False),
    Tool.of(plan_adapt, module=MODULE, writes=True, category="goals"),
]
