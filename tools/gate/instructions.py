"""The owner's standing instructions at the gate, binding for every agent and caller."""

from mabos.configs.errors import Refused
from mabos.society.contacts import Contact
from mabos.society.governance import ApprovalVerdict
from mabos.society.instructions import Instruction, concerns, describe_limit, exceeds, is_about_mail
from mabos.tools.gate.tool_call import ToolCall

MAIL = frozenset({"email_send", "email_campaign"})


def check_instructions(call: ToolCall) -> ApprovalVerdict | None:
    """Return the verdict that an instruction requires the owner's decision, or None if none applies to this call.

    Raises `Refused` for a letter to a contact that the owner has excluded.
    """
    agent = call.agent
    if not agent.business_id or call.agent.caller.kind == "person":
        return None
    if call.tool.name in MAIL and not call.is_draft and _is_to_be_seen(call):
        return ApprovalVerdict(True, ("you want to see it before it goes",), "instruction")
    in_force = [one for one in agent.business.instructions.all() if one.is_in_force and one.kind != "closing"]
    for one in in_force:
        limit = describe_limit(one)
        reason = f"your instruction{f' of {limit}' if limit else ''}: {one.sentence!r} ({one.id})"
        if one.who and is_about_mail(one) and call.tool.name in MAIL:
            if one.kind != "ask_first" and _is_written_to(call, one):
                raise Refused(f"{call.tool.name}: this contact is excluded by {reason}", argument="to")
            if (
                one.kind == "ask_first"
                and not call.is_draft
                and (_is_written_to(call, one) or not call.arguments.get("to"))
            ):
                return ApprovalVerdict(True, (reason,), "instruction")  # a mailing may go to them as well
        about = call.tool.name in one.operations or call.tool.category in one.operations
        if one.channel and str(call.arguments.get("channel") or one.channel) != one.channel:
            continue
        is_meant = not one.who or (not is_about_mail(one) and _is_named(call, one))
        if about and is_meant and (one.kind != "cap" or exceeds(one, call.arguments, call.cost)):
            return ApprovalVerdict(True, (reason,), "instruction")
    return None


def _is_to_be_seen(call: ToolCall) -> bool:
    """Return whether the order behind a letter says that its sender wants to see it first."""
    goal = next((one for one in call.agent.mind.goals if one.id == call.because.get("goal", "")), None)
    request = call.agent.requests.find(goal.request_id) if goal is not None and goal.request_id else None
    return request is not None and bool(request.slot("look_first"))


def _is_named(call: ToolCall, instruction: Instruction) -> bool:
    """Return whether a call names the contractor, supplier, campaign or work package that an instruction is about."""
    business, given = call.agent.business, call.arguments
    contractor = business.workforce.contractors.find(str(given.get("contractor_id") or ""))
    campaign = business.campaigns.find(str(given.get("campaign_id") or ""))
    package = business.workforce.packages.find(str(given.get("package_id") or ""))
    names = [
        contractor.name if contractor else "", campaign.name if campaign else "", package.title if package else "",
        *(str(given.get(field) or "") for field in ("title", "description")),
    ]  # fmt: skip
    return any(name and concerns(instruction, Contact("", "", name=name, company=name)) for name in names)


def _is_written_to(call: ToolCall, instruction: Instruction) -> bool:
    to = str(call.arguments.get("to") or "").strip().casefold()
    if not to:
        return False
    customers = call.agent.business.customers
    contact = customers.contacts.find(to.upper()) or customers.by_address(to)
    return concerns(instruction, contact or Contact("", to))
