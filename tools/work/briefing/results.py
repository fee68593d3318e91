"""The briefing part with earlier results of a user's own tools in a conversation, which MABOS does not record."""

import json
from collections.abc import Iterator
from typing import Final

from mabos.society.messages import Message
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing.parts import BriefingPart
from mabos.tools.work.session import WorkSession
from mabos.workspace.text import one_line

_SHOWN: Final = 24
"""Results that are shown, the newest; a budget may leave fewer."""
EARLIER_RESULTS: Final = (
    "What your own tools returned before in this talk, newest first; look again where it may have changed"
)


def earlier_results(agent: Agent, message: Message) -> BriefingPart:
    """Return the results of earlier sessions with a message's sender, newest first, each call once."""
    own = {one.name for one in agent.services.tools.extra}
    lines = dict[str, str]()
    for session in reversed(_before(agent, message)) if own else ():
        for call, result in reversed(list(_results(session))):
            if call.partition("(")[0] in own:
                lines.setdefault(call, f"- {call}: {one_line(result)}")
    return BriefingPart(EARLIER_RESULTS, tuple(lines.values())[:_SHOWN], worth=5, is_data=True)


def _before(agent: Agent, message: Message) -> list[WorkSession]:
    """Return the sessions about other messages of the same sender, oldest first."""
    requests = {one.id: one for one in agent.requests.all() if one.sender == message.sender}
    found = [one for one in agent.work.all() if one.request_id in requests]
    return [one for one in found if requests[one.request_id].message_id != message.id]


def _results(session: WorkSession) -> Iterator[tuple[str, str]]:
    """Yield each call of a session in one line, with its result."""
    uses = {use.id: use for turn in session.turns for use in turn.tool_uses}
    for turn in session.turns:
        if use := uses.get(turn.tool_use_id):
            yield f"{use.name}({json.dumps(dict(use.arguments), ensure_ascii=False)})", turn.content
