"""Plan steps that start a workflow and wait for its end; the step then has the result of the workflow."""

from collections.abc import Mapping
from typing import Any

from mabos.mind.model import Step
from mabos.mind.plans import is_run
from mabos.society.workflows import WorkflowRun
from mabos.tools.gate.approval import AwaitingApproval
from mabos.tools.gate.call import Outcome
from mabos.tools.runtime.services import Agent

STARTS = "workflow_status"
ENDED_BADLY = "workflow_failed"
"""The code of an outcome whose workflow was begun and did not come to its end."""


def seen_through(agent: Agent, tool: str, arguments: Mapping[str, Any], outcome: Outcome) -> Outcome:
    """Return the outcome of a step's call; if it started a workflow, that is known when the workflow ends."""
    if tool != STARTS or arguments.get("status") != "running" or not outcome.ok:
        return outcome
    return _came_to(agent, arguments, str(outcome.result["run_id"]))


def check_awaited_run(agent: Agent, step: Step, arguments: Mapping[str, Any]) -> Outcome | None:
    """Return the status of the workflow that a step waits for, or None."""
    return _came_to(agent, arguments, step.decision_id) if is_run(step.decision_id) else None


def has_ended(agent: Agent, step: Step) -> bool:
    """Return whether a step waits for a workflow that has ended or no longer exists."""
    if step.status != "waiting" or not is_run(step.decision_id):
        return False
    run = _run(agent, step.arguments, step.decision_id)
    return run is None or run.status != "running"


def _came_to(agent: Agent, arguments: Mapping[str, Any], run_id: str) -> Outcome:
    run = _run(agent, arguments, run_id)
    if run is None:
        return Outcome(code=ENDED_BADLY, message=f"run {run_id} is not in workflows.json any more")
    if run.status == "running":
        return Outcome(code=AwaitingApproval.code, message=f"{run.workflow_id!r} runs ({run.id})", decision_id=run.id)
    if run.status not in ("completed", "terminated"):
        return Outcome(code=ENDED_BADLY, message=f"{run.workflow_id!r} is {run.status} ({run.id}): {run.outcome}")
    told = {"run_id": run.id, "workflow_id": run.workflow_id, "status": run.status, "outcome": run.outcome}
    return Outcome(told | {"variables": dict(run.state.get("variables", {}))})


def _run(agent: Agent, arguments: Mapping[str, Any], run_id: str) -> WorkflowRun | None:
    business = agent.services.business(str(arguments.get("business_id") or agent.business_id))
    return business.workflows.runs.find(run_id)
