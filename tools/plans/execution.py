"""Execution of one plan step through the call path, with all consequences of its outcome recorded (S3 7.5)."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument
from mabos.mind.beliefs import revise_beliefs
from mabos.mind.expectations import observed_results
from mabos.mind.goals import conclude_goal, settle_goal
from mabos.mind.intentions import at_work, record_progress
from mabos.mind.model import Goal, Intention, Item, Plan, Step
from mabos.mind.plans import (
    effect_key,
    fold_outcome,
    is_decision,
    next_step,
    progress,
    reopen_failed,
    reopen_step,
    step_of,
    waiting,
    with_results,
)
from mabos.mind.situation import episode, outcome, solution
from mabos.tools.gate.call import Outcome, call, reference
from mabos.tools.plans.figures import with_figures
from mabos.tools.runtime.services import Agent
from mabos.tools.workflow.waiting import ENDED_BADLY, check_awaited_run, seen_through
from mabos.workspace.clock import iso

OVER = ("done", "skipped")
NOTHING: Mapping[str, Any] = MappingProxyType({})


def perform(agent: Agent, plan_id: str, step_id: str = "") -> dict[str, Any]:
    """Perform the next step of a plan, or `step_id`, and return the outcome.

    A step with a failed precondition is not performed; one that needs a person's decision waits.
    """
    mind = agent.mind
    plan = _open(mind.plan(plan_id))
    if held := _held_back(agent, plan):
        return _answer(plan, step_of(plan, step_id) if step_id else None, "blocked", executed=False, blockers=[held])
    following = next_step(_with_only(plan, step_id) if step_id else plan, mind.index)
    step = following.step
    if step is None:
        return _answer(plan, None, "finished", executed=False)
    if following.readiness == "blocked":
        return _answer(plan, step, "blocked", executed=False, blockers=list(following.unmet))
    if is_decision(step):
        return _settle(agent, plan, step, "done")
    if not step.tool:
        # Nobody but a person can do what no tool does.
        return _answer(plan, step, "waiting", executed=False, blockers=["no tool does this step; report its outcome"])
    return _perform_step(agent, plan, step)


def report_step(
    agent: Agent, plan_id: str, step_id: str, status: Literal["done", "failed", "skipped"], result: str
) -> dict[str, Any]:
    """Record the result of a step done elsewhere, and return the consequences."""
    plan = _open(agent.mind.plan(plan_id))
    following = next_step(plan, agent.mind.index)
    step = step_of(plan, step_id) if step_id else following.step
    if step is None:
        raise InvalidArgument(f"plan {plan_id!r} has no open step", argument="plan_id")
    if step.status in OVER:
        raise InvalidArgument(f"step {step.id!r} is already {step.status}", argument="step_id")
    return _settle(agent, plan, step, status, result=result)


def _held_back(agent: Agent, plan: Plan) -> str:
    """Return why no step of a plan is performed now: its goal has ended, or its intention is suspended."""
    mind = agent.mind
    goal = next((one for one in mind.goals if one.id == plan.goal_id), None)
    end = settle_goal(goal, mind.index, agent.clock()) if goal is not None else None
    if end is not None:
        return end[1]
    held = next((one for one in mind.intentions if one.plan_id == plan.id and one.status == "suspended"), None)
    return f"intention {held.id} is suspended: {held.reason}" if held is not None else ""


def _open(plan: Plan) -> Plan:
    if plan.status in ("completed", "abandoned"):
        raise InvalidArgument(f"plan {plan.id!r} is {plan.status}; generate another", argument="plan_id")
    return plan


def _with_only(plan: Plan, step_id: str) -> Plan:
    """Return `plan` with its cursor on one step, so that this one is next; raises if it is over."""
    step = step_of(plan, step_id)
    if step.status in OVER:
        raise InvalidArgument(f"step {step_id!r} is already {step.status}", argument="step_id")
    plan = reopen_failed(plan, plan.updated) if step.status == "failed" else plan
    return replace(plan, cursor=[one.id for one in plan.steps].index(step_id))


def _perform_step(agent: Agent, plan: Plan, step: Step) -> dict[str, Any]:
    bound, step = with_figures(agent, agent.mind.plan(plan.id), step)
    if any("{now:" in str(one.arguments) for one in plan.steps if one.id == step.id):
        agent.mind.save(bound, why="figures of the day", cycle=agent.cycle)
    arguments = with_results(step.arguments, plan)
    intention = at_work(agent.mind.intentions, plan.goal_id)
    made = check_awaited_run(agent, step, arguments) or _call_tool(agent, plan, step, arguments, intention)
    if made.awaiting:
        return _wait(agent, plan, step, intention, made)
    if made.is_hindered:  # which is no failure of the step: there is nothing to learn from it
        return _answer(plan, step, "blocked", executed=False, blockers=[made.message])
    if made.code == ENDED_BADLY:
        agent.mind.save(
            reopen_step(agent.mind.plan(plan.id), step.id, iso(agent.clock())), why=made.message, cycle=agent.cycle
        )
    if not made.ok:
        return _settle(agent, plan, step, "failed", result=made.message)
    return _settle(agent, plan, step, "done", result=reference(made.result), made=made.result)


def _call_tool(
    agent: Agent, plan: Plan, step: Step, arguments: Mapping[str, Any], intention: Intention | None
) -> Outcome:
    because = {"goal": plan.goal_id, "intention": intention.id if intention else "", "plan": plan.id, "step": step.id}
    made = call(
        agent.services,
        step.tool,
        arguments,
        caller=agent.caller,
        agent_id=agent.id,
        key=effect_key(plan, step, arguments),
        cycle=agent.cycle,
        confidence=plan.confidence,
        because={name: value for name, value in because.items() if value},
    )
    return seen_through(agent, step.tool, arguments, made)


def _wait(agent: Agent, plan: Plan, step: Step, intention: Intention | None, made: Outcome) -> dict[str, Any]:
    now = iso(agent.clock())
    held = waiting(plan, step.id, made.decision_id, now)
    changed: list[Item] = [held]
    if intention is not None:
        reason = f"waits for {made.decision_id}"
        changed.append(
            replace(intention, status="awaiting_approval", decision_id=made.decision_id, reason=reason, updated=now)
        )
    agent.mind.save(*changed, why=made.message, cycle=agent.cycle)
    answer = _answer(held, step_of(held, step.id), "waiting", executed=False, blockers=[made.message])
    return answer | {"decision_id": made.decision_id}


def _settle(
    agent: Agent,
    plan: Plan,
    step: Step,
    status: Literal["done", "failed", "skipped"],
    *,
    result: str = "",
    made: Mapping[str, Any] = NOTHING,
) -> dict[str, Any]:
    """Fold the outcome into plan, intention, beliefs and goal, write them in one transaction, and keep the case."""
    mind, now = agent.mind, iso(agent.clock())
    standing = mind.plan(plan.id)
    incoming = observed_results(plan, step, made, now) if status == "done" else ()
    beliefs = revise_beliefs(mind.beliefs, incoming, now, agent.services.settings.beliefs).saved if incoming else ()
    after = fold_outcome(standing, step.id, status, mind.index, now, result=result)
    intention = at_work(mind.intentions, plan.goal_id)
    moved = _advance_intention(intention, after, now) if intention else None
    goal = next((one for one in mind.goals if one.id == plan.goal_id), None)
    changed: list[Item] = [after, *([moved] if moved else []), *beliefs]
    mind.save(*changed, why=f"step {step.id} {status}", cycle=agent.cycle)
    reached = conclude_goal(goal, mind.index, agent.clock()) if goal else None
    if reached is not None and reached != goal:
        mind.save(reached, why="its criteria hold", cycle=agent.cycle)
    case_id = (
        _store_case(agent, goal, moved, after) if goal and moved and after.status in ("completed", "failed") else ""
    )
    answer = _answer(after, step_of(after, step.id), status, executed=status == "done")
    return answer | {
        "result": dict(made) if made else result,
        "beliefs": [one.id for one in beliefs],
        "case_id": case_id,
    }


def _advance_intention(intention: Intention, plan: Plan, now: str) -> Intention:
    share = progress(plan)
    if plan.status == "completed":
        return record_progress(intention, 1.0, now, status="completed", note="every step is done")
    if plan.status == "failed":
        return record_progress(intention, share, now, note="a step failed")
    return record_progress(intention, share, now, status="active" if intention.status == "awaiting_approval" else None)


def _store_case(agent: Agent, goal: Goal, intention: Intention, plan: Plan) -> str:
    if intention.status != "completed":
        return ""
    mind = agent.mind
    situation = episode(goal, mind.index, mind.desires, since=intention.started, plan_id=plan.id)
    ended = outcome(intention, plan, goal, mind.index)
    return agent.cases.store(situation, solution(plan), ended, case_id=f"CASE-{intention.id}").id


def _answer(
    plan: Plan, step: Step | None, status: str, *, executed: bool, blockers: list[str] | None = None
) -> dict[str, Any]:
    following = next((one for one in plan.steps[plan.cursor :] if one.status not in OVER), None)
    return {
        "plan_id": plan.id,
        "step_id": step.id if step else "",
        "tool": step.tool if step else "",
        "status": status,
        "executed": executed,
        "blockers": blockers or [],
        "message": step.result if step and status == "failed" else "",
        "plan_status": plan.status,
        "progress": round(progress(plan), 4),
        "next_step": following.id if following else "",
    }
