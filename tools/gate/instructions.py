"""The owner's standing instructions at the gate: they hold for every agent, whoever asks for the call."""

from mabos.configs.errors import Refused
from mabos.society.contacts import Contact
from mabos.society.governance import ApprovalVerdict
from mabos.society.instructions import Instruction, concerns, exceeds
from mabos.tools.gate.tool_call import ToolCall

MAIL = frozenset({"email_send", "email_campaign"})


def instructed(call: ToolCall) -> ApprovalVerdict | None:
    """Return that the owner must decide because of an instruction, or None where none is about this call.

    Raises `Refused` for a letter to somebody whom the owner does not want to be written to.
    """
    agent = call.agent
    if not agent.business_id or call.agent.caller.kind == "person":
        return None
    in_force = [one for one in agent.business.instructions.all() if one.is_in_force]
    for one in in_force:
        reason = f"your instruction: {one.sentence!r} ({one.id})"
        if one.who and call.tool.name in MAIL and _is_written_to(call, one):
            raise Refused(f"{call.tool.name}: this contact is excluded by {reason}", argument="to")
        about = call.tool.name in one.operations or call.tool.category in one.operations
        if about and not one.who and (one.kind != "cap" or exceeds(one, call.arguments, call.cost)):
            return ApprovalVerdict(True, (reason,), "instruction")
    return None


def _is_written_to(call: ToolCall, instruction: Instruction) -> bool:
    to = str(call.arguments.get("to") or "").strip().casefold()
    if not to:
        return False
    customers = call.agent.business.customers
    contact = customers.contacts.find(to.upper()) or customers.by_address(to)
    return concerns(instruction, contact or Contact("", to))
