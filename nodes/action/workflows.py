"""Advance running workflows: do the tasks in the agent's lanes, as far as possible in one cycle (S3 14)."""

from dataclasses import replace

from mabos.mind.model import Intention, Item, Plan
from mabos.nodes.cycle import Cycle
from mabos.tools.runtime.services import Agent
from mabos.tools.workflow.running import advance_run, put_beside
from mabos.tools.workflow.waiting import has_ended


def advance_workflows(cycle: Cycle) -> dict[str, str]:
    """Advance the workflow runs; return each with the work done and the questions to people."""
    told: dict[str, str] = {}
    for run_id in cycle.workflows:
        found = advance_run(cycle.agent, run_id)
        put_beside(cycle.agent.business, found.run)
        did = [*found.did, *(f"waits for {one}" for one in found.asked)]
        ended = [f"it is {found.run.status}"] if found.run.status != "running" else []
        told[run_id] = "; ".join([*did, *ended]) or "nothing could be done"
    cycle.workflows = ()
    return told


def opened_by_workflows(agent: Agent) -> list[str]:
    """Return the intentions that can resume because the workflow they waited for is over."""
    mind = agent.mind
    waiting = [one for one in mind.intentions if one.status == "awaiting_approval"]
    plans = {one.id: one for one in mind.plans} if waiting else {}
    opened, changed = list[str](), list[Item]()
    for intention in waiting:
        plan = plans.get(intention.plan_id)
        over = [] if plan is None else [step.id for step in plan.steps if has_ended(agent, step)]
        if plan is not None and over:
            opened.append(intention.id)
            changed += _reopen_steps(agent, intention, plan, over)
    if changed:
        mind.save(*changed, why="a workflow is over", cycle=agent.cycle)
    return opened


def _reopen_steps(agent: Agent, intention: Intention, plan: Plan, over: list[str]) -> list[Item]:
    now = agent.now()
    steps = tuple(replace(step, status="pending") if step.id in over else step for step in plan.steps)
    active = replace(intention, status="active", reason=f"{', '.join(over)}: the workflow is over", updated=now)
    return [replace(plan, steps=steps, updated=now), active]
