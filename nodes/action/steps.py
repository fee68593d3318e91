"""Perform a plan step through the call path under its effect key, and fold the result into the plan (S3 7.5)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from mabos.configs.errors import Unavailable
from mabos.mind.beliefs import revise_beliefs
from mabos.mind.expectations import observed_results
from mabos.mind.intentions import record_progress
from mabos.mind.model import Belief, Intention, Plan, Step
from mabos.mind.plans import effect_key, fold_outcome, is_decision, progress, reopen_step, waiting, with_results
from mabos.nodes.deliberation.answers import ASKS, with_replies
from mabos.nodes.state import StepResult
from mabos.tools.gate.call import Outcome, call, reference
from mabos.tools.gate.initiative import Unfounded
from mabos.tools.plans.figures import with_figures
from mabos.tools.runtime.budgets import GoalExhausted
from mabos.tools.runtime.services import Agent
from mabos.tools.workflow.waiting import ENDED_BADLY, check_awaited_run, seen_through

Status = Literal["done", "failed", "waiting"]


@dataclass(frozen=True, slots=True)
class Performed:
    """The result of a step: the resulting plan and intention, and the data that the state keeps."""

    plan: Plan
    intention: Intention
    result: StepResult
    message: str = ""
    beliefs: tuple[Belief, ...] = ()

    @property
    def status(self) -> str:
        """`done`, `failed` or `waiting`."""
        return self.result["status"]

    @property
    def is_on_record(self) -> bool:
        """Return whether the call path has recorded this step: it was done, or a person was asked."""
        return bool(self.result["tool"]) and self.status != "failed"


def perform(agent: Agent, intention: Intention, plan: Plan, step: Step) -> Performed:
    """Perform a step and return the result; its effect happens once, even after a crash before the plan records it."""
    if not step.tool or is_decision(step):
        return _record_outcome(agent, intention, plan, step, Outcome(), ref="")
    bound, step = with_figures(agent, plan, step)
    if bound is not plan:
        agent.mind.save(bound, why="figures of the day", cycle=agent.cycle)  # a retry says the same
        plan = agent.mind.plan(plan.id)  # looked at, so that the next save knows what stands there
    arguments = with_results(step.arguments, plan)
    outcome = check_awaited_run(agent, step, arguments) or _call_tool(agent, intention, plan, step, arguments)
    if outcome.is_hindered:
        agent.mind.save(plan, intention, why="the cycle leaves off here", cycle=agent.cycle)
        raise Unavailable(outcome.message)  # which is no failure of the step: it stays open, and teaches nothing
    if outcome.code in (GoalExhausted.code, Unfounded.code):
        return _withheld(agent, intention, plan, step, outcome.message)
    if outcome.awaiting:
        return _await_approval(agent, intention, plan, step, decision_id=outcome.decision_id, message=outcome.message)
    if outcome.ok and step.tool == ASKS:
        decision_id = str(outcome.result["decision_id"])
        return _await_approval(
            agent, intention, plan, step, decision_id=decision_id, message="the plan needs the answer"
        )
    return _record_outcome(agent, intention, plan, step, outcome, ref=reference(outcome.result))


def _call_tool(agent: Agent, intention: Intention, plan: Plan, step: Step, arguments: Mapping[str, Any]) -> Outcome:
    outcome = call(
        agent.services,
        step.tool,
        arguments,
        caller=agent.caller,
        key=effect_key(plan, step, arguments),
        cycle=agent.cycle,
        confidence=plan.confidence,
        because={"goal": plan.goal_id, "intention": intention.id, "plan": plan.id, "step": step.id},
    )
    return seen_through(agent, step.tool, arguments, outcome)


def _record_outcome(
    agent: Agent, intention: Intention, plan: Plan, step: Step, outcome: Outcome, *, ref: str
) -> Performed:
    now = agent.now()
    lookup = with_replies(plan, agent.mind.index)
    status: Literal["done", "failed"] = "done" if outcome.ok else "failed"
    tried = reopen_step(plan, step.id, now) if outcome.code == ENDED_BADLY else plan
    after = fold_outcome(tried, step.id, status, lookup, now, result=ref if outcome.ok else outcome.message)
    moved = record_progress(intention, progress(after), now)
    result = StepResult(step=step.id, tool=step.tool, status=status, ref=ref)
    incoming = observed_results(plan, step, outcome.result, now) if outcome.ok else ()
    beliefs = (
        revise_beliefs(agent.mind.beliefs, incoming, now, agent.services.settings.beliefs).saved if incoming else ()
    )
    return Performed(after, moved, result, outcome.message, beliefs)


def _withheld(agent: Agent, intention: Intention, plan: Plan, step: Step, why: str) -> Performed:
    """Return the intention suspended: the allowance of its goal is used up, and the step stays open."""
    held = replace(intention, status="suspended", reason=why, updated=agent.now())
    return Performed(plan, held, StepResult(step=step.id, tool=step.tool, status="waiting", ref=""), why)


def _await_approval(
    agent: Agent, intention: Intention, plan: Plan, step: Step, *, decision_id: str, message: str
) -> Performed:
    now = agent.now()
    reason = f"waits for {decision_id}"
    held = replace(intention, status="awaiting_approval", decision_id=decision_id, reason=reason, updated=now)
    result = StepResult(step=step.id, tool=step.tool, status="waiting", ref=decision_id)
    return Performed(waiting(plan, step.id, decision_id, now), held, result, message)
