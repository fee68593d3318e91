"""A finished intention as a case for planning and a lesson for readers."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from mabos.configs.errors import MabosError, UnknownId
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.incidents import Component, Diagnosis, Incident, solve
from mabos.knowledge.reasoning.result import MethodResult
from mabos.mind.conditions import holds, subjects
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Goal, Intention, Learning, Plan, Step
from mabos.mind.situation import REACHED, came_of, episode, insight, outcome, solution, stopped_at
from mabos.nodes.cycle import Cycle
from mabos.nodes.learning.effects import FORECASTS, UNTOLD
from mabos.tools.entities.learning import record_application, record_measurement, update_agent_entity
from mabos.tools.entities.questions import memory_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso

RECENT = 12
"""The latest steps of all plans by which it is judged how reliable an operation is."""
NAMED = 200
"""Characters by which what may be at fault is named; the text of a condition may be longer."""
SUSPECTED = 0.5
"""The least probability of a cause that is reported."""


def root_cause(plan: Plan, plans: Iterable[Plan], index: BeliefIndex) -> MethodResult[Diagnosis] | None:
    """Return the most probable cause of a plan's failed step; None if no step failed."""
    stuck = next((step for step in plan.steps if step.status == "failed"), None)
    if stuck is None:
        return None
    needs = dict(_needs(stuck, index))
    components = {
        **needs,
        **dict(_record(stuck, (plan, *plans))),
        _step(plan, stuck): Component(failed=True, depends_on=(*needs, *_operation(stuck)), id=plan.id),
    }
    return solve(Incident(symptom=_step(plan, stuck), components=components), Budget())


def describe_root_cause(plan: Plan, plans: Iterable[Plan], index: BeliefIndex) -> str:
    """Return the root cause of a failed plan in words, or nothing if none is probable enough."""
    found = root_cause(plan, plans, index)
    suspect = found.answer.suspects[0] if found and found.answer.suspects else None
    if suspect is None or suspect.share < SUSPECTED or suspect.name.startswith("step "):
        return ""
    return f"Most probably because of {suspect.name} ({suspect.share:.2f}: {suspect.why})"


def _needs(step: Step, index: BeliefIndex) -> Iterator[tuple[str, Component]]:
    """Yield the step's conditions, each with its belief: less certain, more suspect."""
    for condition in step.preconditions:
        belief = next((one for name in subjects(condition) if (one := index.about(name))), None)
        met = holds(condition, index)
        doubt = 0.5 if belief is None else 1 - belief.certainty
        # That a condition holds as believed fails only where the belief is wrong, and by so much that it matters.
        doubt = max(0.01, doubt * doubt if met else doubt)
        yield (
            f"the condition {condition}"[:NAMED],
            Component(failed=True if met is False else None, prior=doubt, id=belief.id if belief else ""),
        )


def _record(stuck: Step, plans: Iterable[Plan]) -> Iterator[tuple[str, Component]]:
    """Yield the operation and how it went elsewhere."""
    for name in _operation(stuck):
        yield name, Component()
    seen = {
        _step(plan, step): step.status == "failed"
        for plan in plans
        for step in plan.steps
        if stuck.tool and step.tool == stuck.tool and step != stuck and step.status in ("done", "failed")
    }
    for name, failed in list(seen.items())[-RECENT:]:
        yield name, Component(failed=failed, depends_on=_operation(stuck))


def _operation(step: Step) -> tuple[str, ...]:
    return (f"the operation {step.tool}"[:NAMED],) if step.tool else ()


def _step(plan: Plan, step: Step) -> str:
    return f"step {step.id} of {plan.id}"[:NAMED]


def share(agent: Agent, over: Iterable[Intention]) -> str:
    """Share the results of template plans with the entity memory; return the error if that fails, or nothing.

    Later measurements of the goals of earlier plans are shared too. An agent without a business shares nothing.
    """
    if not agent.business_id:
        return ""
    ended = [(one, *goal_and_plan(agent, one)) for one in over]
    tasks = [(one, goal, plan) for one, goal, plan in ended if plan is not None and plan.template]
    since = [case for case in agent.cases.all() if case.results.get(UNTOLD)]
    if not tasks and not since:
        return ""
    try:
        memory = memory_of(agent)
        for case in since:
            record_measurement(memory, case)
            agent.cases.amend(case.id, **{UNTOLD: None})
        if tasks:
            update_agent_entity(
                memory, agent, [record_application(memory, agent, one, goal, plan) for one, goal, plan in tasks]
            )
    except MabosError as error:  # what others would have learnt keeps nobody from learning
        return error.message
    return ""


def keep_case(agent: Agent, intention: Intention) -> str:
    """Return the id of an intention's case, which is stored once."""
    case_id = f"CASE-{intention.id}"
    if case_id in agent.cases:
        return case_id
    goal, plan = goal_and_plan(agent, intention)
    # Goal or plan may have been taken out of their files by hand.
    goal = goal or Goal(intention.goal_id, intention.description)
    plan = plan or Plan(intention.plan_id, intention.goal_id, intention.description)
    mind = agent.mind
    cause = "" if intention.status == "completed" else describe_root_cause(plan, mind.plans, mind.index)
    situation = episode(goal, mind.index, mind.desires, since=intention.started, plan_id=plan.id)
    ended = outcome(intention, plan, goal, mind.index, cause=cause)
    if ended["status"] == "open" and (forecasts := agent.episodes.list_unsettled(intention.evidence)):
        ended[FORECASTS] = list(forecasts)
    return agent.cases.store(situation, solution(plan), ended, case_id=case_id).id


def close_cases(cycle: Cycle) -> None:
    """Mark open cases as successes if their goal was achieved in this cycle."""
    agent = cycle.agent
    achieved = {one.id for one in agent.mind.goals if one.status == "achieved" and one.updated >= cycle.started}
    plans = {one.id for one in agent.mind.plans if one.goal_id in achieved} if achieved else set()
    for case in agent.cases.all() if plans else ():
        if case.outcome == "open" and case.solution.get("plan") in plans:
            agent.cases.amend(case.id, outcome="success", goal=REACHED, **{UNTOLD: True})
            for episode_id in agent.episodes.list_unsettled(case.results.get(FORECASTS, ())):
                agent.episodes.settle(episode_id, right=True)


def settle(agent: Agent, intention: Intention) -> None:
    """Record whether the forecast behind an intention came true, which calibrates its method.

    Nothing is recorded while it is unknown whether the goal is reached.
    """
    goal, _ = goal_and_plan(agent, intention)
    is_reached = goal is not None and (goal.status == "achieved" or came_of(goal, agent.mind.index) == REACHED)
    if (intention.status == "completed" and not is_reached) or is_taken_back(intention):
        return
    for episode_id in agent.episodes.list_unsettled(intention.evidence):
        agent.episodes.settle(episode_id, right=is_reached)


def is_taken_back(intention: Intention) -> bool:
    """Return whether a person changed or withdrew the request behind an intention."""
    return intention.status == "abandoned" and intention.reason.startswith(
        ("changed by ", "withdrawn by ", "in doubt: ")
    )


def lesson(agent: Agent, intention: Intention) -> Learning | None:
    """Return the lesson of an intention: every failure, and the first time something works.

    An order that a person changed or withdrew teaches nothing: it did not fail.
    """
    goal, plan = goal_and_plan(agent, intention)
    if plan is None or is_taken_back(intention):
        return None
    aim = goal.description if goal else intention.description
    if intention.status == "completed":
        if any(one.context.startswith(agent.mind.clean(f"{plan.name}:")) for one in agent.mind.learnings):
            return None
        learnt = insight(plan, goal, agent.mind.index, intention.started)
    else:
        stuck = stopped_at(plan)
        where = f" at step {stuck}" if stuck else ""
        learnt = f"{plan.name[:1].upper()}{plan.name[1:]} was {intention.status}{where}: {intention.reason}"
        because = describe_root_cause(plan, agent.mind.plans, agent.mind.index)
        learnt += f". {because}" if because else ""
    return Learning(
        id=f"LRN-{intention.id}",
        insight=learnt,
        context=f"{plan.name}: {aim}",
        applies_when=f"the goal is: {aim}",
        at=iso(agent.clock()),
    )


def goal_and_plan(agent: Agent, intention: Intention) -> tuple[Goal | None, Plan | None]:
    """Return the goal and the plan of an intention, if they still exist."""
    mind = agent.mind
    goal: Goal | None = None
    plan: Plan | None = None
    with suppress(UnknownId):
        goal = mind.goal(intention.goal_id)
    with suppress(UnknownId):
        plan = mind.plan(intention.plan_id)
    return goal, plan
