"""Plan: find a plan whose steps can all be done, from the library, a goal's parts or a case (S3 4.1, phase 3)."""

from dataclasses import replace
from typing import Literal

from mabos.mind.intentions import choose_strategy
from mabos.mind.model import Goal, Intention, Plan
from mabos.mind.plans import next_step
from mabos.nodes.choices import focus
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.triggers import NO_OTHER_WAY
from mabos.nodes.phase import phase
from mabos.nodes.planning.levers import left_alone
from mabos.nodes.planning.mending import asked_because, mend_plan, replace_remainder
from mabos.nodes.planning.proposals import find_best_plan
from mabos.nodes.planning.suggested import suggest_plan
from mabos.nodes.state import BdiState, Update
from mabos.society.business import read_agent
from mabos.tools.plans.risks import ASKED_AFTER, asking_first, describe_decline, find_declined_question
from mabos.tools.runtime.services import Agent

TRIES = 3
"""The number of goals examined before a cycle continues without a plan."""


@phase("plan")
def plan(cycle: Cycle, state: BdiState) -> Update:
    """Return the intention to act on. Plan and intention are on disk before their first effect."""
    if state["intention_id"]:
        if state["failures"] and state["intention_id"] not in state["finished_ids"]:
            return _recover_plan(cycle, state)
        if state["intention_id"] in state["modified"]:
            return _revise_plan(cycle, state)
        return _heed_answer(cycle, state)
    found = _plan_goal(cycle, state["goal_id"], state["memory_ids"]) if state["goal_id"] else {}
    if "intention_id" in found:
        return found | {"next": "act"}
    something = (
        state["reply_to"]
        or state["served"]
        or state["decision_ids"]
        or found.get("unplanned")
        or cycle.errands
        or cycle.workflows
        or cycle.requests
    )
    return found | {"goal_id": "", "outcome": "idle", "next": "act" if something else "learn"}


def _plan_goal(cycle: Cycle, goal_id: str, memory_ids: list[str]) -> Update:
    """Commit to a plan for the goal, or for the next one that has a plan; a goal without a plan is blocked for a while.

    The ledger records why a goal has no plan. An unsafe plan begins with a question to a person.
    """
    mind = cycle.agent.mind
    unplanned = list[str]()
    for _ in range(TRIES):
        goal = mind.goal(goal_id)
        found = suggest_plan(cycle, goal, find_best_plan(cycle, goal, without=left_alone(cycle.agent, goal)))
        cycle.note(experience=found.known.summary, applicable=list(found.known.patterns))
        if found.plan is not None:
            made = found.plan if found.is_safe else asking_first(found.plan, found.plan.risks)
            committed = _commit_plan(cycle, goal, made, memory_ids)
            cycle.note(passed_over=list(found.why_not))
            return committed | {"unplanned": unplanned}
        because = f"no plan fits now: {'; '.join(found.why_not)}"
        mind.save(replace(goal, status="blocked", updated=cycle.now()), why=because, cycle=cycle.id)
        unplanned.append(goal.id)
        cycle.no_plan[goal.id] = list(found.why_not)
        cycle.note(unplanned=unplanned, no_plan=cycle.no_plan)
        if found.was_asked:
            break  # a model is asked about one goal a cycle
        now, most, library = cycle.agent.clock(), cycle.limits.max_active_goals, cycle.services.library
        chosen = focus(mind.goals, mind.intentions, mind.plans, now, most=most, library=library)
        if chosen is None:
            break
        if chosen.intention_id:
            under_way = {"goal_id": chosen.goal_id, "intention_id": chosen.intention_id, "plan_id": chosen.plan_id}
            return {**under_way, "unplanned": unplanned}
        goal_id = chosen.goal_id
    return {"unplanned": unplanned}


def _commit_plan(cycle: Cycle, goal: Goal, made: Plan, memory_ids: list[str]) -> Update:
    """Save plan and intention in one transaction; the recalled memories are its evidence."""
    usual = read_agent(cycle.services.layout, cycle.agent.id).bdi.get("commitment_strategy", "open-minded")
    now = cycle.now()
    intention = Intention(
        id=cycle.agent.ids.new("I"),
        goal_id=goal.id,
        plan_id=made.id,
        strategy=choose_strategy(goal, default=usual),
        deadline=goal.deadline,
        started=now,
        updated=now,
        description=f"{goal.description}: {made.name}",
        evidence=(*memory_ids, *_forecast(cycle)),
    )
    moved = replace(goal, status="active", updated=now) if goal.status != "active" else goal
    cycle.agent.mind.save(made, intention, *([moved] if moved is not goal else []), why="committed", cycle=cycle.id)
    cycle.note(
        plan=made.id,
        template=made.template,
        source=made.source,
        intention=intention.id,
        risks=list(made.risks),
        changes=list(made.changes),
        strategy=made.strategy,
    )
    return {"goal_id": goal.id, "intention_id": intention.id, "plan_id": made.id}


def _forecast(cycle: Cycle) -> tuple[str, ...]:
    """Keep the forecast that chose the goal, so that it can be checked later; return its id."""
    if cycle.forecast is None:
        return ()
    return (cycle.agent.episodes.keep(cycle.forecast, kind="lotteries", domain="mixed").id,)


def _recover_plan(cycle: Cycle, state: BdiState) -> Update:
    """Let a plan that cannot go on be mended; where nothing is left the intention fails, or waits for a condition."""
    mind = cycle.agent.mind
    broken, intention = mind.plan(state["plan_id"]), mind.intention(state["intention_id"])
    why = state["failures"][-1].removeprefix("act: ")
    found = mend_plan(cycle, broken, intention, why)
    cycle.note(tried=list(found.tried))
    if found.plan is not None:
        return _going_on(cycle, found.plan, why="planned anew")
    if broken.status == "failed":
        reason = f"{why}; nothing else was found that would do"
        return _given_up(cycle.agent, state, broken, replace(intention, status="failed", reason=reason))
    return _suspend_intention(cycle, replace(intention, updated=cycle.now()), state["failures"][-1])


def _revise_plan(cycle: Cycle, state: BdiState) -> Update:
    """Replace the rest of a reconsidered plan, if there is a better one; else go on, or wait if stuck."""
    mind = cycle.agent.mind
    present, intention = mind.plan(state["plan_id"]), mind.intention(state["intention_id"])
    other = (
        replace_remainder(cycle, present, intention) if present.revision <= cycle.limits.max_plan_revisions else None
    )
    if other is not None:
        mind.save(replace(intention, updated=cycle.now()), why="reconsidered", cycle=cycle.id)
        return _going_on(cycle, other, why="reconsidered")
    if next_step(present, mind.index).readiness in ("ready", "finished"):
        return {"next": "act"}
    return _suspend_intention(cycle, intention, f"{NO_OTHER_WAY}: {intention.reason}")


def _heed_answer(cycle: Cycle, state: BdiState) -> Update:
    """Go on with a plan, unless a person has just answered that it is to be left: then another is looked for."""
    mind = cycle.agent.mind
    present, intention = mind.plan(state["plan_id"]), mind.intention(state["intention_id"])
    asked = find_declined_question(present)
    if asked is None:
        return {"next": "act"}
    left = replace(present, changes=(*present.changes, describe_decline(asked)))
    other = replace_remainder(cycle, left, intention)
    if other is not None:
        return _going_on(cycle, other, why=describe_decline(asked))
    status: Literal["failed", "abandoned"] = "failed" if asked.id.startswith(ASKED_AFTER) else "abandoned"
    why = filter(None, (asked_because(present), f"{asked.decision_id}: {describe_decline(asked)}"))
    ended = replace(intention, status=status, reason="; ".join(why))
    return _given_up(cycle.agent, state, replace(left, status=status), ended)


def _going_on(cycle: Cycle, made: Plan, *, why: str) -> Update:
    cycle.agent.mind.save(made, why=why, cycle=cycle.id)
    cycle.note(plan=made.id, revision=made.revision, template=made.template, changes=list(made.changes))
    return {"next": "act"}


def _given_up(agent: Agent, state: BdiState, broken: Plan, intention: Intention) -> Update:
    """End plan and intention, which say how and why; learn makes a case of it."""
    over = replace(broken, updated=agent.now())
    agent.mind.save(over, replace(intention, updated=agent.now()), why=intention.reason, cycle=agent.cycle)
    ended = [*state["finished_ids"], intention.id]
    return {"finished_ids": ended, "outcome": intention.status, "next": "learn"}


def _suspend_intention(cycle: Cycle, intention: Intention, why: str) -> Update:
    cycle.agent.mind.save(
        replace(intention, status="suspended", reason=why), why="a condition is missing", cycle=cycle.id
    )
    cycle.note(suspended=intention.id)
    return {"outcome": "waiting", "next": "learn"}
