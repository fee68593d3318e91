"""Calls for proposals that a person made: the heartbeat awards them, as an agent's own cycle awards its own."""

from mabos.society.contract_net import is_due
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.people.bidding import refusals
from mabos.tools.runtime.services import PERSON, Services
from mabos.workspace.clock import iso


def award_due(services: Services) -> dict[str, str]:
    """Return what came of each call of a person's that can get no further bid now: who got it, or why nobody did."""
    told: dict[str, str] = {}
    for task in services.contract_net.unfinished(STAKEHOLDER):
        if task.status != "open" or is_due(task, refusals(services, task), iso(services.clock())):
            key = f"award:{task.id}"
            outcome = call(services, "contract_net_award", {"task_id": task.id}, caller=PERSON, key=key)
            told[task.id] = str(outcome.result.get("awarded_to") or outcome.message or "nobody")
    return told
