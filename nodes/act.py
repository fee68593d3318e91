"""Act: answer questions, perform approved actions, and do the next step of the plan (S3 4.1, phase 4)."""

from typing import Literal

from mabos.mind.conditions import holds
from mabos.mind.goals import ended_with, settle_goal
from mabos.mind.model import Belief, Intention, Plan, Step
from mabos.mind.plans import current_step, fold_outcome, next_step, step_of
from mabos.mind.procedures.playbooks import routines
from mabos.mind.procedures.unfolding import is_goal, open_goal, otherwise
from mabos.nodes.action.approved import ask_again, perform_approved
from mabos.nodes.action.promises import agree, confirm, refuse
from mabos.nodes.action.replies import reply_to
from mabos.nodes.action.requests import attend
from mabos.nodes.action.steps import Performed, perform
from mabos.nodes.action.work import carry_on, queue_work
from mabos.nodes.action.workflows import advance_workflows
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.playbooks import chooser
from mabos.nodes.phase import phase
from mabos.nodes.state import BdiState, Update
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace

NOTHING_LEFT = "no step is left that could be done"


@phase("act")
def act(cycle: Cycle, state: BdiState) -> Update:
    """Return the result of one step, and the next phase."""
    if not state["results"]:
        cycle.services.sync.ahead()  # why it is done is on its way to the disk while the first step is made ready
    before = _read_sequences(cycle)
    is_owed = any((state["reply_to"], state["served"], state["unplanned"], state["decision_ids"], cycle.errands))
    is_owed = is_owed or bool(cycle.workflows or cycle.work)
    if state["reply_to"]:
        cycle.note(answered=reply_to(cycle, state["reply_to"]))
    if state["served"]:
        cycle.note(confirmed=confirm(cycle, state["served"]))
    if state["unplanned"]:
        cycle.note(refused=refuse(cycle, state["unplanned"]))
    if state["decision_ids"]:
        cycle.note(performed=perform_approved(cycle, state["decision_ids"]))
        cycle.note(asked_again=ask_again(cycle.agent, state["decision_ids"]))
    if cycle.errands:
        cycle.note(followed=run_errands(cycle))
    if cycle.requests:
        cycle.note(attended=attend(cycle, queue_work(cycle)))
        cycle.requests = ()
    if cycle.workflows:
        cycle.note(workflows=advance_workflows(cycle))
    update: Update = {"reply_to": [], "served": {}, "unplanned": [], "decision_ids": []}
    if cycle.work and (following := carry_on(cycle)):
        return update | {"outcome": "acted", "next": following}
    is_done = is_owed or _read_sequences(cycle) != before
    update |= {"outcome": "acted" if is_done else "idle", "next": "learn"}  # a request may only wait for a person
    if state["intention_id"] and state["goal_id"] and not state["results"]:
        cycle.note(agreed=agree(cycle, state["goal_id"]))
    return update | _pursue(cycle, state) if state["intention_id"] else update


def _read_sequences(cycle: Cycle) -> tuple[int, int]:
    """Return how much is on record of the agent's mind and requests; it grows with whatever is done about them."""
    return cycle.agent.mind.seq, cycle.agent.requests.store.seq


def _pursue(cycle: Cycle, state: BdiState) -> Update:
    mind = cycle.agent.mind
    intention, plan = cycle.draft or (mind.intention(state["intention_id"]), mind.plan(state["plan_id"]))
    cycle.draft = None
    return _ended_with_its_goal(cycle, state, intention, plan) or _perform_next_step(cycle, state, intention, plan)


def _perform_next_step(cycle: Cycle, state: BdiState, intention: Intention, plan: Plan) -> Update:
    """Perform the next step of a plan, or say why none can be done now."""
    mind = cycle.agent.mind
    following = next_step(plan, mind.index)
    if following.readiness == "finished":
        return _over(cycle.agent, state, intention, plan, "completed", why="every step is done")
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
        return _decompose_goal(cycle, state, intention, plan, following.step)
    return _did(cycle, state, perform(cycle.agent, intention, plan, following.step))


def _ended_with_its_goal(cycle: Cycle, state: BdiState, intention: Intention, plan: Plan) -> Update | None:
    """End an intention whose goal is reached, or believed impossible, before its next step; None where it goes on."""
    mind = cycle.agent.mind
    goal = next((one for one in mind.goals if one.id == intention.goal_id), None)
    end = settle_goal(goal, mind.index, cycle.agent.clock()) if goal is not None else None
    if end is None:
        return None
    over = ended_with(intention, plan, end, cycle.now())
    mind.save(*over, why=end[1], cycle=cycle.id)
    cycle.note(ended_with_its_goal=end[1])
    outcome = "completed" if end[0].status == "achieved" else "failed"
    return {"finished_ids": [*state["finished_ids"], intention.id], "outcome": outcome, "next": "learn"}


def _decompose_goal(cycle: Cycle, state: BdiState, intention: Intention, plan: Plan, step: Step) -> Update:
    """Put the steps of a playbook in the place of a goal; where none applies to it, the step has failed."""
    after = with_goal_opened(cycle.agent, plan, step)
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
            cycle.agent, state, did.intention, did.plan, "completed", *did.beliefs, why="every step is done"
        )
    if did.beliefs or cycle.context.stepwise:  # a person may look, or go on from here, between two steps
        cycle.agent.mind.save(did.plan, did.intention, *did.beliefs, why="a step was done", cycle=cycle.id)
    else:
        # The effect's own record is on disk; the cursor follows when the cycle leaves off, and may be lost until then.
        cycle.draft = (did.intention, did.plan)
    return update | {"outcome": "acted", "next": "act"}


def _elsewhere(cycle: Cycle, state: BdiState, intention: Intention, plan: Plan, why: str) -> Update:
    """Replan if allowed; otherwise the intention fails, or waits if only a condition is missing."""
    failures = [*state["failures"], f"act: {why}"][-9:]
    other = another_way(cycle.agent, plan)
    cycle.agent.mind.save(other or plan, intention, why=why, cycle=cycle.id)
    if other is not None:
        cycle.note(playbook=other.name, instead=why)
        return {"failures": failures, "outcome": "acted", "next": "act"}
    if state["replans_left"] > 0 and plan.revision <= cycle.limits.max_plan_revisions:
        return {"failures": failures, "replans_left": state["replans_left"] - 1, "next": "plan"}
    if plan.status == "failed":
        return {"failures": failures, **_over(cycle.agent, state, intention, plan, "failed", why=why)}
    held = replace(intention, status="suspended", reason=why, updated=cycle.now())
    cycle.agent.mind.save(held, why="a condition is missing", cycle=cycle.id)
    return {"failures": failures, "outcome": "waiting", "next": "learn"}


def _over(
    agent: Agent,
    state: BdiState,
    intention: Intention,
    plan: Plan,
    status: Literal["completed", "failed"],
    *beliefs: Belief,
    why: str,
) -> Update:
    """End the intention; learn makes a case of it."""
    progress = 1.0 if status == "completed" else intention.progress
    why = describe_completion(agent, plan, why) if status == "completed" else why
    ended = replace(intention, status=status, reason=why, updated=agent.now(), progress=progress)
    agent.mind.save(replace(plan, status=status), ended, *beliefs, why=why, cycle=agent.cycle)
    return {"finished_ids": [*state["finished_ids"], intention.id], "outcome": status, "next": "learn"}


def run_errands(cycle: Cycle) -> dict[str, str]:
    """Follow the rules that are due, and return each with its result; calls that need a person are pending."""
    told: dict[str, str] = {}
    for errand in cycle.errands:
        outcome = call(
            cycle.services,
            errand.tool,
            errand.arguments,
            caller=cycle.agent.caller,
            key=errand.key,
            cycle=cycle.id,
            because=errand.because,
        )
        came = [deed for one in outcome.result.get("actions", ()) for deed in one["deeds"]]
        refs = [deed.get("message_id") or deed.get("decision_id") or deed.get("reason", "") for deed in came]
        sent = str(outcome.result.get("message_id", ""))
        said = outcome.message or "; ".join(filter(None, [told.get(errand.rule_id, ""), sent, *refs]))
        told[errand.rule_id] = said
    cycle.errands = ()
    return told


def with_goal_opened(agent: Agent, plan: Plan, step: Step) -> Plan:
    """Return the plan with the steps of the playbook for a goal; the step fails if none applies."""
    mind = agent.mind
    found = open_goal(plan, step, chooser(agent, routines(mind.playbooks)), agent.now())
    if found is not None:
        return found
    why = f"no playbook applies to {step.description}"
    return fold_outcome(plan, step.id, "failed", mind.index, agent.now(), result=why)


def another_way(agent: Agent, plan: Plan) -> Plan | None:
    """Return the plan with an alternative to the stuck playbook, or None."""
    stuck = current_step(plan)
    if plan.source != "playbook" or stuck is None:
        return None
    return otherwise(plan, stuck.id, chooser(agent, routines(agent.mind.playbooks)), agent.now())


def describe_completion(agent: Agent, plan: Plan, said: str) -> str:
    """Return the closing text of a plan; for a playbook, including whether its success criteria hold."""
    goal = next((one for one in agent.mind.goals if one.id == plan.goal_id), None)
    if plan.source != "playbook" or goal is None or not goal.success_criteria:
        return said
    verdicts = {True: "holds", False: "does not hold yet", None: "cannot be told from what is believed"}
    told = [f"{one} {verdicts[holds(one, agent.mind.index)]}" for one in goal.success_criteria]
    return f"{said}; success: {', '.join(told)}"
