"""Repair of a blocked plan, in a fixed order: another method, another plan, a case, a retry, a person.

Each is tried once for a plan, and the ledger records each try with its result (S3 7.4).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.mind.plans import next_step, reopen_failed, revise_plan
from mabos.mind.tasks import PlanTask, compounds, steps_of, ways_above
from mabos.mind.ways import ways
from mabos.nodes.cycle import Cycle
from mabos.nodes.planning.proposals import find_best_plan, worded_for
from mabos.tools.plans.grounds import build_lookup, hindrance
from mabos.tools.plans.risks import ASKED_AFTER, LEAVE, question, tasks_behind
from mabos.tools.plans.sources import cannot, from_cases
from mabos.tools.runtime.services import Agent

METHOD, REPLAN, ADAPT, AGAIN, ESCALATE = ("method", "replan", "adapt", "again", "escalate")


@dataclass(frozen=True, slots=True)
class Mended:
    """The plan that replaces a blocked one, or None, and the attempted repairs with their results."""

    plan: Plan | None
    tried: tuple[str, ...] = ()


def mend_plan(cycle: Cycle, broken: Plan, intention: Intention, why: str) -> Mended:
    """Return the continuation of a plan whose next step failed or is impossible.

    A retry, and a question to a person, come only if a step failed: a step that only lacks a condition waits for it.
    """
    goal = cycle.agent.mind.goal(intention.goal_id)
    rungs: dict[str, Callable[[], Plan | str]] = {
        METHOD: lambda: _by_another_method(cycle.agent, goal, broken),
        REPLAN: lambda: _by_another_plan(cycle, goal, broken),
        ADAPT: lambda: _by_a_case(cycle.agent, goal, broken),
    }
    if broken.status == "failed":
        rungs[AGAIN] = lambda: _once_more(cycle.agent, broken)
        rungs[ESCALATE] = lambda: _asking(cycle.agent, broken, why)
    tried = list[str]()
    for rung, climb in rungs.items():
        if any(change.startswith(f"{rung}: ") for change in broken.changes):
            continue
        made = climb()
        if isinstance(made, Plan):
            told = f"{rung}: {_describe_rung(rung, made)}, because {why}"
            return Mended(replace(made, changes=(*made.changes, told)), (*tried, told))
        tried.append(f"{rung}: {made}")
    return Mended(None, tuple(tried))


def replace_remainder(cycle: Cycle, present: Plan, intention: Intention) -> Plan | None:
    """Return `present` with its remaining steps from another plan, or None if none is safe."""
    made = _by_another_plan(cycle, cycle.agent.mind.goal(intention.goal_id), present)
    return made if isinstance(made, Plan) else None


def asked_because(plan: Plan) -> str:
    """Return why a person was asked about a plan's future; empty if not asked."""
    return next((one.partition(", because ")[2] for one in reversed(plan.changes) if one.startswith(ESCALATE)), "")


def _by_another_method(agent: Agent, goal: Goal, broken: Plan) -> Plan | str:
    """Return the plan with the task of the failed step done in its next way, the nearest task first."""
    stuck = next_step(broken, agent.mind.index).step
    if stuck is None or not ways_above(stuck.id):
        return "the step is part of no task that could be done in another way"
    tasks = {task.step.id: task for task in compounds(tasks_behind(agent, goal, broken, worded_for(agent)))}
    for path in ways_above(stuck.id):
        name, _, way = path.rpartition(".")
        task = tasks.get(name)
        order = [one.name for one in task.ways] if task else []
        if task is None or way not in order:
            continue
        # Ways before it could not be gone when it was chosen, or have failed since.
        left = replace(task, ways=task.ways[order.index(way) + 1 :])
        steps = _steps_instead(agent, broken, left) if left.ways else None
        if steps is not None:
            return revise_plan(broken, steps, agent.now())
    return "no other way is left that could be gone"


def _steps_instead(agent: Agent, broken: Plan, task: PlanTask) -> list[Step] | None:
    """Return the open steps of a plan with those of a task replaced, or None where they could not be done."""
    found = ways((task,), build_lookup(agent), hindrance(agent))
    if not found:
        return None
    fresh, rest = steps_of((task,), found.chosen), list[Step]()
    for step in broken.steps:
        if step.status in ("done", "skipped"):
            continue
        if not step.id.startswith(f"{task.step.id}."):
            rest.append(step)
        elif fresh:
            rest += fresh
            fresh = ()
    return None if cannot(agent, rest) else rest


def _by_another_plan(cycle: Cycle, goal: Goal, broken: Plan) -> Plan | str:
    found = find_best_plan(cycle, goal, without=(broken.template,))
    if found.plan is None:
        return "; ".join(found.why_not)
    if not found.is_safe:
        return f"{found.plan.name} has failed in a situation like this"
    return _splice_plan(broken, found.plan, cycle.now())


def _by_a_case(agent: Agent, goal: Goal, broken: Plan) -> Plan | str:
    drafts = from_cases(agent, goal, without=(broken.template,) if broken.template else ())
    if not drafts.found:
        return "; ".join(drafts.why_not) or "no case is like it"
    return _splice_plan(broken, drafts.found[0].plan, agent.now())


def _splice_plan(broken: Plan, other: Plan, now: str) -> Plan:
    """Return the next revision of a plan: its finished steps, and all of another."""
    taken, again = {step.id for step in broken.steps}, f"-{broken.revision + 1}"
    fresh = [replace(step, id=step.id + again) if step.id in taken else step for step in other.steps]
    made = revise_plan(broken, fresh, now)
    return replace(
        made,
        name=other.name,
        template=other.template,
        source=other.source,
        confidence=other.confidence,
        strategy=other.strategy,
        risks=other.risks,
        changes=(*broken.changes, *other.changes),
    )


def _once_more(agent: Agent, broken: Plan) -> Plan | str:
    made = reopen_failed(replace(broken, revision=broken.revision + 1), agent.now())
    return cannot(agent, made.steps) or made


def _asking(agent: Agent, broken: Plan, why: str) -> Plan | str:
    """Return the plan with a question to the stakeholder before the step that failed: once more, or leave it."""
    stuck = next(step for step in broken.steps if step.status == "failed")
    step_id = f"{ASKED_AFTER}-{broken.revision + 1}"
    asked = question(
        step_id,
        f"{broken.name} cannot go on",
        f"The plan {broken.name!r} failed at {stuck.description or stuck.id!r}: {why}. Nothing else was found that "
        "would do instead.",
        recommended=LEAVE,
        then=stuck.id,
    )
    steps = [replace(step, status="pending") if step.status == "failed" else step for step in broken.steps]
    at = broken.steps.index(stuck)
    made = replace(broken, steps=(*steps[:at], asked, *steps[at:]), cursor=at, revision=broken.revision + 1)
    return replace(made, status="active", updated=agent.now())


def _describe_rung(rung: str, made: Plan) -> str:
    if rung in (REPLAN, ADAPT):
        return f"the rest is done by {made.template or made.name}"
    step = next((one for one in made.steps if one.status == "pending"), None)
    told = {METHOD: "it goes on with", AGAIN: "it is tried once more from", ESCALATE: "a person is asked in"}
    return f"{told[rung]} {step.id if step else made.name}"
