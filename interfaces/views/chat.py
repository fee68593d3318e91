"""A conversation on a terminal: a line for each call, the reply with its sources, and open questions."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from mabos.interfaces.actions import argument_lines, letter_lines
from mabos.interfaces.chat.events import ApprovalEvent, ChatReply, ToolEvent
from mabos.interfaces.chat.record import ChatLine
from mabos.interfaces.views.words import cut, format_value, table
from mabos.workspace.currencies import money

_LONGEST = 110
_MARKS = {"done": "·", "waiting": "?", "failed": "!"}
_STYLES = {"done": "dim", "waiting": "yellow", "failed": "red"}


def tool_line(event: ToolEvent) -> Text:
    """Return a call on one line: the operation, its arguments, and its result."""
    if event.tool == "agent_message":
        what = f"to {event.arguments.get('to', '')}: {event.arguments.get('content', '')}"
    else:
        given = ", ".join(f"{name} {format_value(value)}" for name, value in event.arguments.items())
        what = f"{event.tool} {given}"
    came = {"done": event.ref, "waiting": f"waits as {event.ref}", "failed": f"failed: {event.message}"}[event.status]
    room = _LONGEST - min(len(came), _LONGEST // 2)
    own = "on its own: " if event.is_own else ""
    line = f"  {_MARKS[event.status]} {own}{cut(what, room)}{f' → {cut(came, _LONGEST)}' if came else ''}"
    return Text(line, style=_STYLES[event.status])


def reply_lines(reply: ChatReply) -> Iterator[Text]:
    """Yield an agent's reply: the answer, its sources, and further reports."""
    if reply.text:
        yield Text.assemble((reply.agent_id, "bold"), f": {reply.text}")
    elif reply.message_id:
        why = "; ".join(reply.failures) or "your message waits in its inbox"
        yield Text(f"{reply.agent_id} has not answered yet: {why}", style="yellow")
    sources = list(dict.fromkeys(str(one["record"]) for one in reply.claims))
    if sources:
        more = f" and {len(sources) - 4} more" if len(sources) > 4 else ""
        yield Text(f"  sources: {', '.join(sources[:4])}{more} (/why)", style="dim")
    for one in reply.news:
        yield Text(f"  {reply.agent_id} also reports: {one}")


def approval_lines(asked: ApprovalEvent) -> Iterator[Text]:
    """Yield an open question in full: the letter to send, else the arguments, else the options."""
    price = money(asked.cost_usd)
    costs = f", {price}" if asked.cost_usd >= 0.01 and price not in asked.subject else ""
    yield Text(f"{asked.decision_id} waits for your answer: {asked.subject}{costs}", style="bold yellow")
    for reason in asked.reasons:
        yield Text(f"  because {reason}")
    if asked.letter is not None:
        yield from (Text(f"  {line}") for line in letter_lines(asked.letter))
    else:
        yield from (Text(f"  {line}") for line in argument_lines(asked.arguments))
    if not asked.tool:
        for one in asked.options:
            impact = f": {one['impact']}" if one.get("impact") else ""
            advised = " (recommended)" if asked.recommendation and one.get("id") == asked.recommendation else ""
            yield Text(f"  {one.get('id', '')}  {one.get('label', '')}{advised}{impact}")


def detail_lines(asked: ApprovalEvent) -> Iterator[Text]:
    """Yield the call that an approval allows: the operation, and every argument."""
    yield Text(f"  operation: {asked.tool or 'none, a question'}")
    yield from (Text(f"  {line}") for line in argument_lines(asked.arguments))


def claims_table(claims: tuple[Mapping[str, Any], ...]) -> Any:
    """Return the sources of a reply as a table: the record, the field, its value, and when it was read."""
    rows = [[one["record"], one["field"], format_value(one["value"]), str(one.get("as_of", ""))[:16]] for one in claims]
    return table("Record", "Field", "Value", "As of", rows=rows)


def history_lines(lines: list[ChatLine], *, names: bool) -> Iterator[Text]:
    """Yield a conversation, one message per paragraph, with `names` if there are several agents."""
    for one in lines:
        who = (f"you to {one.to}" if names else "you") if one.is_mine else one.sender
        yield Text.assemble((f"{one.at[:16].replace('T', ' ')} ", "dim"), (who, "bold"), f": {one.text}")
