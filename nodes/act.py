"""Act: answer questions, perform what a person approved, and do the next step of the plan (S3 4.1, phase 4)."""

from typing import Literal

from mabos.mind.model import Belief, Intention, Plan, Step
from mabos.mind.plans import next_step, step_of
from mabos.mind.procedures.unfolding import is_goal
from mabos.nodes.action.approved import ask_again, perform_approved
from mabos.nodes.action.errands import run_errands
from mabos.nodes.action.playbooks import another_way, concluded, with_goal_opened
from mabos.nodes.action.promises import agree, confirm, refuse
from mabos.nodes.action.replies import reply_to
from mabos.nodes.action.steps import Performed, perform
from mabos.nodes.action.workflows import advance_workflows
from mabos.nodes.cycle import Cycle
from mabos.nodes.phase import phase
from mabos.nodes.state import BdiState, Update
from mabos.workspace.copies import replace

NOTHING_LEFT = "no step is left that could be done"


@phase("act")
def act(cycle: Cycle, state: BdiState) -> Update:
    """Return what one step came to, and where the cycle goes from there."""
    if not state["results"]:
        cycle.services.sync.ahead()  # why it is done is on its way to the disk while the first step is made ready
    if state["reply_to"]:
        cycle.note(answered=reply_to(cycle, state["reply_to"]))
    if state["served"]:
        cycle.note(confirmed=confirm(cycle, state["served"]))
    if state["unplanned"]:
        cycle.note(refused=refuse(cycle, state["unplanned"]))
    if state["decision_ids"]:
        cycle.note(performed=perform_approved(cycle, state["decision_ids"]))
        cycle.note(asked_again=ask_again(cycle, state["decision_ids"]))
    if cycle.errands:
        cycle.note(followed=run_errands(cycle))
    if cycle.workflows:
        cycle.note(workflows=advance_workflows(cycle))
    update: Update = {"reply_to": [], "served": {}, "unplanned": [], "decision_ids": []}
    update |= {"outcome": "acted", "next": "learn"}
    if state["intention_id"] and state["goal_id"] and not state["results"]:
        cycle.note(agreed=agree(cycle, state["goal_id"]))
    return update | _pursue(cycle, state) if state["intention_id"] else update


def _pursue(cycle: Cycle, state: BdiState) -> Update:
    mind = cycle.agent.mind
    intention, plan = cycle.draft or (mind.intention(state["intention_id"]), mind.plan(state["plan_id"]))
    cycle.draft = None
    following = next_step(plan, mind.index)
    if following.readiness == "finished":
        return _over(cycle, state, intention, plan, "completed", why="every step is done")
    if following.step is None or following.readiness == "failed":
        failed = following.step.result if following.step is not None else ""
        why = f"{following.step.id}: {failed}" if following.step is not None and failed else NOTHING_LEFT
        return _elsewhere(cycle, state, intention, plan, why)
    if following.readiness == "blocked":
        return _elsewhere(cycle, state, intention, plan, f"{following.step.id} needs {', '.join(following.unmet)}")
    if following.readiness == "waiting" or state["steps_left"] < 1:
        asked = following.step.decision_id if following.readiness == "waiting" else ""
        # Of several steps side by side that wait, one is what the intention waits for.
        held = replace(intention, status="awaiting_approval", decision_id=asked) if asked else intention
        mind.save(plan, held, why="the cycle leaves off here", cycle=cycle.id)
        cycle.tell(left_off=f"before {following.step.description or following.step.id}")
        return {"outcome": "waiting" if following.readiness == "waiting" else "acted", "next": "learn"}
    if is_goal(plan, following.step):
        return _opened(cycle, state, intention, plan, following.step)
    return _did(cycle, state, perform(cycle, intention, plan, following.step))


def _opened(cycle: Cycle, state: BdiState, intention: Intention, plan: Plan, step: Step) -> Update:
    """Put the steps of a playbook in the place of a goal; where none applies to it, the step has failed."""
    after = with_goal_opened(cycle, plan, step)
    cycle.note(opened={step.id: step_of(after, step.id).result})
    if after.status == "failed":
        return _elsewhere(cycle, state, intention, after, f"{step.id}: {step_of(after, step.id).result}")
    cycle.agent.mind.save(after, intention, why=f"playbook for {step.description}", cycle=cycle.id)
    return {"steps_left": state["steps_left"] - 1, "outcome": "acted", "next": "act"}


def _did(cycle: Cycle, state: BdiState, did: Performed) -> Update:
    """Save the step's outcome and say where it leads: on, to a new plan, or to learning."""
    heard = cycle.tell if did.is_on_record else cycle.note
    heard(step=did.result["step"], tool=did.result["tool"], status=did.status, ref=did.result["ref"])
    update: Update = {"results": [*state["results"], did.result], "steps_left": state["steps_left"] - 1}
    if did.status == "failed":
        why = f"{did.result['step']}: {did.message}"
        return update | _elsewhere(cycle, state, did.intention, did.plan, why)
    if did.status == "waiting":
        cycle.agent.mind.save(did.plan, did.intention, why=did.message, cycle=cycle.id)
        is_ready = next_step(did.plan, cycle.agent.mind.index).readiness == "ready"
        goes_on = is_ready and did.intention.status != "suspended"  # with what stands beside it
        return update | {"outcome": "waiting", "next": "act" if goes_on else "learn"}
    if did.plan.status == "completed":
        return update | _over(
            cycle, state, did.intention, did.plan, "completed", *did.beliefs, why="every step is done"
        )
    if did.beliefs:
        cycle.agent.mind.save(did.plan, did.intention, *did.beliefs, why="a step was done", cycle=cycle.id)
    else:
        # The effect's own record is on disk; the cursor follows when the cycle leaves off, and may be lost until then.
        cycle.draft = (did.intention, did.plan)
    return update | {"outcome": "acted", "next": "act"}


def _elsewhere(cycle: Cycle, state: BdiState, intention: Intention, plan: Plan, why: str) -> Update:
    """Plan anew where that is allowed; otherwise the intention fails, or waits where only a condition is missing."""
    failures = [*state["failures"], f"act: {why}"][-9:]
    other = another_way(cycle, plan)
    cycle.agent.mind.save(other or plan, intention, why=why, cycle=cycle.id)
    if other is not None:
        cycle.note(playbook=other.name, instead=why)
        return {"failures": failures, "outcome": "acted", "next": "act"}
    if state["replans_left"] > 0 and plan.revision <= cycle.limits.max_plan_revisions:
        return {"failures": failures, "replans_left": state["replans_left"] - 1, "next": "plan"}
    if plan.status == "failed":
        return {"failures": failures, **_over(cycle, state, intention, plan, "failed", why=why)}
    held = replace(intention, status="suspended", reason=why, updated=cycle.now())
    cycle.agent.mind.save(held, why="a condition is missing", cycle=cycle.id)
    return {"failures": failures, "outcome": "waiting", "next": "learn"}


def _over(
    cycle: Cycle,
    state: BdiState,
    intention: Intention,
    plan: Plan,
    status: Literal["completed", "failed"],
    *beliefs: Belief,
    why: str,
) -> Update:
    """End the intention; learn makes a case of it."""
    progress = 1.0 if status == "completed" else intention.progress
    why = concluded(cycle, plan, why) if status == "completed" else why
    ended = replace(intention, status=status, reason=why, updated=cycle.now(), progress=progress)
    cycle.agent.mind.save(replace(plan, status=status), ended, *beliefs, why=why, cycle=cycle.id)
    return {"finished_ids": [*state["finished_ids"], intention.id], "outcome": status, "next": "learn"}
