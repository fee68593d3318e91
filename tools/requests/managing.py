"""Changes of campaigns on record: one step each, with what was there before, so that a reply names old and new."""

from collections.abc import Mapping, Sequence
from typing import Any

from mabos.language.request import Check, Request, Slot
from mabos.mind.model import Step
from mabos.tools.requests.calls import call_tool
from mabos.tools.requests.carrying import OVER, plan_id
from mabos.tools.requests.records import section
from mabos.tools.requests.response import Do, Response
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace

MANAGES = "ad_campaign_manage"


def manage(agent: Agent, request: Request) -> Response:
    """Return the steps that change the campaigns of an order, or what stands against one of them."""
    changes = request.slot("changes")
    if changes is None:
        response = call_tool(agent, request)
        return _with_before(agent, request, response) if isinstance(response, Do) else response
    steps = []
    for number, change in enumerate(changes, start=1):
        slots = tuple(Slot(name, value, request.sentence) for name, value in change.items())
        response = call_tool(agent, replace(request, slots=slots))
        if not isinstance(response, Do) or response.steps[0].tool != request.operation:
            return response
        steps.append(replace(response.steps[0], id=f"S{number}"))
    return _with_before(agent, request, Do(request.sentence, tuple(steps), performed(request, steps)))


def performed(request: Request, steps: Sequence[Step]) -> tuple[Check, ...]:
    """Return the check that every one of these changes was performed by the plan of a request."""
    made = {"tool": MANAGES, "status": "done", "id": {"contains": f"{plan_id(request)}/"}}
    return (Check("effects", made, minimum=len(steps), note="; ".join(one.description for one in steps)),)


def restoring(agent: Agent, target: Request) -> tuple[Step, ...]:
    """Return the steps that bring campaigns back to what they were before an order that is done; a stop is for good."""
    before = target.data.get("before", {}) if target.operation == MANAGES and target.status == "done" else {}
    steps = list[Step]()
    for one in section(agent, "campaigns"):
        old = before.get(str(one["id"]))
        if old is None or one["status"] in OVER:
            continue
        weekly = float(old["weekly_budget_usd"])
        wanted: dict[str, Any] = {"campaign_id": one["id"]}
        if float(one["weekly_budget_usd"]) != weekly:
            wanted |= {"action": "set_budget", "weekly_budget_usd": weekly}
        elif (one["status"] == "paused") != (old["status"] == "paused"):
            wanted |= {"action": "pause" if old["status"] == "paused" else "resume"}
        else:
            continue
        steps.append(Step(f"S{len(steps) + 1}", f"{wanted['action'].replace('_', ' ')} {one['name']}", MANAGES, wanted))
    return tuple(steps)


def _with_before(agent: Agent, request: Request, response: Do) -> Do:
    """Return the steps with what is on record before them, and with what they leave out."""
    meant = {str(one.arguments.get("campaign_id", "")) for one in response.steps}
    before: Mapping[str, Any] = {
        str(one["id"]): {"weekly_budget_usd": one["weekly_budget_usd"], "status": one["status"]}
        for one in section(agent, "campaigns")
        if one["id"] in meant
    }
    spared = " and ".join(map(repr, request.data.get("spared", ())))
    told = f"I leave {spared} as it is." if spared else response.told
    return replace(response, told=told, data={**response.data, "before": before})
