"""Plans made of playbooks while they are carried out: goals opened, other ways taken, success looked at."""

from mabos.mind.conditions import holds
from mabos.mind.model import Plan, Step
from mabos.mind.plans import current_step, folded
from mabos.mind.procedures.playbooks import routines
from mabos.mind.procedures.unfolding import opened, otherwise
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.playbooks import chooser


def with_goal_opened(cycle: Cycle, plan: Plan, step: Step) -> Plan:
    """Return the plan with the steps of the playbook for a goal; with the step failed where none applies."""
    mind = cycle.agent.mind
    found = opened(plan, step, chooser(cycle, routines(mind.playbooks)), cycle.now())
    if found is not None:
        return found
    why = f"no playbook applies to {step.description}"
    return folded(plan, step.id, "failed", mind.index, cycle.now(), result=why)


def another_way(cycle: Cycle, plan: Plan) -> Plan | None:
    """Return the plan with another playbook in the place of the one that cannot go on; None where there is none."""
    stuck = current_step(plan)
    if plan.source != "playbook" or stuck is None:
        return None
    return otherwise(plan, stuck.id, chooser(cycle, routines(cycle.agent.mind.playbooks)), cycle.now())


def concluded(cycle: Cycle, plan: Plan, said: str) -> str:
    """Return what is said at the end of a plan, and for a playbook whether its success shows."""
    goal = next((one for one in cycle.agent.mind.goals if one.id == plan.goal_id), None)
    if plan.source != "playbook" or goal is None or not goal.success_criteria:
        return said
    verdicts = {True: "holds", False: "does not hold yet", None: "cannot be told from what is believed"}
    told = [f"{one} {verdicts[holds(one, cycle.agent.mind.index)]}" for one in goal.success_criteria]
    return f"{said}; success: {', '.join(told)}"
