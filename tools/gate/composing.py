"""Texts that a call would publish, written before a person is asked, so that the approval covers the exact words."""

from dataclasses import replace
from datetime import timedelta

from mabos.backends.chat import NOT_ASKED
from mabos.backends.metering import MeteredCall, within
from mabos.society.decisions import Decision
from mabos.tools.gate.tool_call import ToolCall
from mabos.workspace.clock import parse_time


class Uncomposed(Exception):
    """A person must decide, but the text to decide on is not yet written."""


def is_uncomposed(call: ToolCall) -> bool:
    """Return whether a model would write the text of a call after permission."""
    if call.tool.composes is None or call.arguments["body"]:
        return False
    return call.agent.services.model.name not in NOT_ASKED


def compose_text(call: ToolCall) -> ToolCall:
    """Return a call with its text, written now."""
    assert call.tool.composes is not None  # noqa: S101 - only such calls are uncomposed
    agent = call.agent

    def record(made: MeteredCall) -> None:
        agent.services.note(agent, "model", made.entry | {"tool": call.tool.name, "why": dict(call.because)})

    with within(report=record):
        body = call.tool.composes(agent, call.arguments)
    values = call.tool.validate_arguments({**call.canonical, "body": body})
    return replace(call, values=values, asked_as=call.digest)


def with_known_text(call: ToolCall) -> ToolCall:
    """Return a call as the person saw it, with the text written then and any changes from the answer."""
    if not is_uncomposed(call):
        return call
    asked = call.agent.services.decisions(call.agent.business_id).all()
    found = next((one for one in reversed(asked) if one.asked_hash == call.digest and _is_binding(call, one)), None)
    if found is None or found.action is None:
        return call
    return replace(call, values=call.tool.validate_arguments(found.action["arguments"]), asked_as=call.digest)


def _is_binding(call: ToolCall, decision: Decision) -> bool:
    """Return whether a decision is still about this call: it is open, granted, performed by it, or newly rejected."""
    if decision.status == "rejected":
        days = call.agent.services.settings.governance.decision_deadline_days
        return parse_time(decision.resolved_at) > call.agent.clock() - timedelta(days=days)
    return decision.open or decision.granted or (bool(call.key) and decision.performed_key == call.key)
