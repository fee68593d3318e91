"""What an agent does in running workflows: the tasks of its lanes, as far as they go in one cycle (S3 14)."""

from nodes.cycle import Cycle
from tools.workflow_running import advanced


def advance_workflows(cycle: Cycle) -> dict[str, str]:
    """Return the runs that went on, each with what was done in it and what is asked of people."""
    told: dict[str, str] = {}
    for run_id in cycle.workflows:
        found = advanced(cycle.agent, run_id)
        did = [*found.did, *(f"waits for {one}" for one in found.asked)]
        ended = [f"it is {found.run.status}"] if found.run.status != "running" else []
        told[run_id] = "; ".join([*did, *ended]) or "nothing could be done"
    cycle.workflows = ()
    return told
