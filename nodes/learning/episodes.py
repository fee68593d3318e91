"""An intention that is over, as a case to plan with and a lesson to read."""

from contextlib import suppress

from mabos.configs.errors import UnknownId
from mabos.mind.model import Goal, Intention, Learning, Plan
from mabos.mind.situation import episode, insight, outcome, solution, stopped_at
from mabos.nodes.learning.causes import told
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso


def keep_case(agent: Agent, intention: Intention) -> str:
    """Return the id of the case of an intention, which is kept once."""
    case_id = f"CASE-{intention.id}"
    if case_id in agent.cases:
        return case_id
    goal, plan = goal_and_plan(agent, intention)
    # Goal or plan may have been taken out of their files by hand.
    goal = goal or Goal(intention.goal_id, intention.description)
    plan = plan or Plan(intention.plan_id, intention.goal_id, intention.description)
    mind = agent.mind
    cause = "" if intention.status == "completed" else told(plan, mind.plans, mind.index)
    situation = episode(goal, mind.index, mind.desires, since=intention.started, plan_id=plan.id)
    ended = outcome(intention, plan, goal, mind.index, cause=cause)
    return agent.cases.store(situation, solution(plan), ended, case_id=case_id).id


def settle(agent: Agent, intention: Intention) -> None:
    """Say of the forecast an intention was chosen by whether it came true: that is how methods are calibrated."""
    for episode_id in agent.episodes.unsettled(intention.evidence):
        agent.episodes.settle(episode_id, right=intention.status == "completed")


def lesson(agent: Agent, intention: Intention) -> Learning | None:
    """Return what there is to learn: every failure, and the first time something works."""
    goal, plan = goal_and_plan(agent, intention)
    if plan is None:
        return None
    aim = goal.description if goal else intention.description
    if intention.status == "completed":
        if any(one.context.startswith(f"{plan.name}:") for one in agent.mind.learnings):
            return None
        learnt = insight(plan, goal, agent.mind.index, intention.started)
    else:
        stuck = stopped_at(plan)
        where = f" at step {stuck}" if stuck else ""
        learnt = f"{plan.name[:1].upper()}{plan.name[1:]} was {intention.status}{where}: {intention.reason}"
        because = told(plan, agent.mind.plans, agent.mind.index)
        learnt += f". {because}" if because else ""
    return Learning(
        id=f"LRN-{intention.id}",
        insight=learnt,
        context=f"{plan.name}: {aim}",
        applies_when=f"the goal is: {aim}",
        at=iso(agent.clock()),
    )


def goal_and_plan(agent: Agent, intention: Intention) -> tuple[Goal | None, Plan | None]:
    """Return the goal and the plan of an intention, as far as they are still there."""
    mind = agent.mind
    goal: Goal | None = None
    plan: Plan | None = None
    with suppress(UnknownId):
        goal = mind.goal(intention.goal_id)
    with suppress(UnknownId):
        plan = mind.plan(intention.plan_id)
    return goal, plan
