"""Change campaigns on record: one step each, with the earlier values, so that a reply names old and new."""

from collections.abc import Mapping, Sequence
from typing import Any

from mabos.language.request import Check, Request, Slot
from mabos.mind.model import Step
from mabos.tools.requests.calls import call_tool
from mabos.tools.requests.carrying import OVER, ending_steps, plan_id
from mabos.tools.requests.records import section
from mabos.tools.requests.response import Do, Response
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.currencies import money

MANAGES = "ad_campaign_manage"


def manage(agent: Agent, request: Request) -> Response:
    """Return the steps that change the campaigns of an order, or the objection to one of them."""
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
    return _with_before(agent, request, Do(request.sentence, tuple(steps), effect_checks(request, steps)))


def book(agent: Agent, request: Request) -> Response:
    """Return the call that records a campaign, or changes the budget of its existing record.

    A campaign that differs in more than its budget is recorded again, and the one before it is stopped.
    """
    before = {str(value) for step in ending_steps(request) for value in step.arguments.values()}
    fields = ("name", "channel", "segment", "weeks")
    for one in section(agent, "campaigns"):
        is_same = str(one["id"]) in before and all(request.slot(name, one[name]) == one[name] for name in fields)
        if is_same and one["status"] not in OVER:
            given = {"campaign_id": one["id"], "action": "set_budget"}
            slots = [Slot(name, value, str(one["name"])) for name, value in given.items()]
            slots += [slot for slot in request.slots if slot.name == "weekly_budget_usd"]
            response = manage(agent, replace(request, operation=MANAGES, slots=tuple(slots)))
            return replace(response, replaces=False) if isinstance(response, Do) else response
    return call_tool(agent, request)


def budget_checks(steps: Sequence[Step]) -> tuple[Check, ...]:
    """Return the checks that campaigns have the budgets set by these steps."""
    of_campaigns = [one.arguments for one in steps if "campaign_id" in one.arguments]
    wanted = {str(one["campaign_id"]): one.get("weekly_budget_usd") for one in of_campaigns}
    return tuple(
        Check("campaigns", {"id": key, "weekly_budget_usd": weekly}, note=f"{money(float(weekly))} a week")
        for key, weekly in wanted.items()
        if weekly is not None
    )


def effect_checks(request: Request, steps: Sequence[Step]) -> tuple[Check, ...]:
    """Return the check that every one of these changes was performed by the plan of a request."""
    made = {"tool": MANAGES, "status": "done", "id": {"contains": f"{plan_id(request)}/"}}
    return (Check("effects", made, minimum=len(steps), note="; ".join(one.description for one in steps)),)


def restoring(agent: Agent, target: Request) -> tuple[Step, ...]:
    """Return the steps that restore campaigns to their state before a done order; a stop is final."""
    before = target.data.get("before", {}) if target.operation == MANAGES and target.status == "done" else {}
    changes = target.slot("changes") or [{one.name: one.value for one in target.slots}]
    made = {str(one.get("campaign_id")): one.get("weekly_budget_usd") for one in changes}
    steps = list[Step]()
    for one in section(agent, "campaigns"):
        old = before.get(str(one["id"]))
        if old is None or one["status"] in OVER:
            continue
        if made.get(str(one["id"])) not in (None, one["weekly_budget_usd"]):
            continue  # another amount was set since
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
    """Return the steps with the records before them, and with the names they leave out."""
    meant = {str(one.arguments.get("campaign_id", "")) for one in response.steps}
    before: Mapping[str, Any] = {
        str(one["id"]): {"weekly_budget_usd": one["weekly_budget_usd"], "status": one["status"]}
        for one in section(agent, "campaigns")
        if one["id"] in meant
    }
    spared = " and ".join(map(repr, request.data.get("spared", ())))
    told = f"I leave {spared} as it is." if spared else response.told
    checks = (*response.checks, *budget_checks(response.steps))
    return replace(response, told=told, checks=checks, data={**response.data, "before": before})
