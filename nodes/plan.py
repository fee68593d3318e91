"""Plan: take a plan from a case or the library, bind it to what is believed, and commit to it (S3 4.1, phase 3)."""

from dataclasses import replace

from mind.intentions import choose_strategy
from mind.library import load_library
from mind.model import Goal, Intention, Plan
from mind.plans import next_step, retried, revised
from nodes.choices import focus
from nodes.cycle import Cycle
from nodes.deliberation.triggers import NO_OTHER_WAY
from nodes.phase import phase
from nodes.planning.proposals import proposed
from nodes.state import BdiState, Update
from society.business import read_agent

TRIES = 3
"""How many goals are looked at before a cycle goes on without a plan."""


@phase("plan")
def plan(cycle: Cycle, state: BdiState) -> Update:
    """Return the intention to act on. Plan and intention are on disk before their first effect."""
    if state["intention_id"]:
        if state["failures"] and not state["finished_ids"]:
            return _mended(cycle, state)
        return _modified(cycle, state) if state["intention_id"] in state["modified"] else {"next": "act"}
    found = _planned(cycle, state["goal_id"], state["memory_ids"]) if state["goal_id"] else {}
    if "intention_id" in found:
        return found | {"next": "act"}
    something = state["reply_to"] or state["served"] or state["decision_ids"] or found.get("unplanned") or cycle.errands
    return found | {"goal_id": "", "outcome": "idle", "next": "act" if something else "learn"}


def _planned(cycle: Cycle, goal_id: str, memory_ids: list[str]) -> Update:
    """Commit to a plan for the goal, or for the next one that has a plan; a goal without any is blocked for a while."""
    mind = cycle.agent.mind
    unplanned = list[str]()
    for _ in range(TRIES):
        goal = mind.goal(goal_id)
        made = proposed(cycle, goal, load_library())
        if made is not None:
            return _committed(cycle, goal, made, memory_ids) | {"unplanned": unplanned}
        mind.save(replace(goal, status="blocked", updated=cycle.now()), why="no plan fits now", cycle=cycle.id)
        unplanned.append(goal.id)
        cycle.note(unplanned=unplanned)
        chosen = focus(mind.goals, mind.intentions, mind.plans, cycle.agent.clock(), most=cycle.limits.max_active_goals)
        if chosen is None or chosen.intention_id:
            break
        goal_id = chosen.goal_id
    return {"unplanned": unplanned}


def _committed(cycle: Cycle, goal: Goal, made: Plan, memory_ids: list[str]) -> Update:
    """Save plan and intention in one transaction; what was remembered for it is its evidence."""
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
    cycle.note(plan=made.id, template=made.template, source=made.source, intention=intention.id, risks=list(made.risks))
    return {"goal_id": goal.id, "intention_id": intention.id, "plan_id": made.id}


def _forecast(cycle: Cycle) -> tuple[str, ...]:
    """Keep what the goal was chosen by, so that it can be said later whether it came true; return its id."""
    if cycle.forecast is None:
        return ()
    return (cycle.agent.episodes.keep(cycle.forecast, kind="lotteries", domain="mixed").id,)


def _mended(cycle: Cycle, state: BdiState) -> Update:
    """Replace what is left of a plan that cannot go on: by another template, else by trying the step once more."""
    mind = cycle.agent.mind
    broken, intention = mind.plan(state["plan_id"]), mind.intention(state["intention_id"])
    mended = _another(cycle, broken, intention)
    if mended is None and broken.status == "failed":
        mended = retried(replace(broken, revision=broken.revision + 1), cycle.now())
    if mended is None:
        return _held(cycle, replace(intention, updated=cycle.now()), state["failures"][-1])
    mind.save(mended, why="planned anew", cycle=cycle.id)
    cycle.note(plan=mended.id, revision=mended.revision, template=mended.template)
    return {"next": "act"}


def _modified(cycle: Cycle, state: BdiState) -> Update:
    """Replace what is left of a plan that was thought over, if there is a better one; else go on, or wait if stuck."""
    mind = cycle.agent.mind
    present, intention = mind.plan(state["plan_id"]), mind.intention(state["intention_id"])
    other = _another(cycle, present, intention) if present.revision <= cycle.limits.max_plan_revisions else None
    if other is not None:
        mind.save(other, replace(intention, updated=cycle.now()), why="reconsidered", cycle=cycle.id)
        cycle.note(plan=other.id, revision=other.revision, template=other.template)
        return {"next": "act"}
    if next_step(present, mind.index).readiness in ("ready", "finished"):
        return {"next": "act"}
    return _held(cycle, intention, f"{NO_OTHER_WAY}: {intention.reason}")


def _held(cycle: Cycle, intention: Intention, why: str) -> Update:
    cycle.agent.mind.save(
        replace(intention, status="suspended", reason=why), why="a condition is missing", cycle=cycle.id
    )
    cycle.note(suspended=intention.id)
    return {"outcome": "waiting", "next": "learn"}


def _another(cycle: Cycle, present: Plan, intention: Intention) -> Plan | None:
    """Return the plan with what is left of it taken from another template, or None where none fits without a risk."""
    goal = cycle.agent.mind.goal(intention.goal_id)
    other = proposed(cycle, goal, load_library(), without=(present.template,))
    if other is None or other.risks:
        return None
    taken = {step.id for step in present.steps}
    again = f"-{present.revision + 1}"
    fresh = [replace(step, id=step.id + again) if step.id in taken else step for step in other.steps]
    mended = revised(present, fresh, cycle.now())
    return replace(mended, name=other.name, template=other.template, source=other.source, confidence=other.confidence)
