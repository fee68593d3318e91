"""The conversation with an agent, or with the company: messages, actions, and open questions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mabos.interfaces.chat.record import ChatLine, history
from mabos.interfaces.dashboard.activity import ActivityLine, activity_lines
from mabos.interfaces.dashboard.decisions import waiting
from mabos.interfaces.dashboard.view import PageRequest
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.requests.answers.happenings import KINDS

LINES = 30
"""Messages of a conversation that are shown unless more are asked for."""
QUESTIONS = 6
"""Questions that are shown below the conversation."""
_SOURCES = 4


@dataclass(frozen=True, slots=True)
class ChatItem:
    """A message, its supporting records by name and id, and the agent's actions for it."""

    line: ChatLine
    sources: list[tuple[str, str]]
    more_sources: int
    activity: list[ActivityLine]


def chat(asked: PageRequest) -> Mapping[str, Any]:
    """Return the conversation with one agent, oldest message first; without an agent, with the whole company."""
    services, words = asked.services, asked.text("q")
    agent_id = services.agent(asked.text("agent")).id if asked.text("agent") else ""
    limit = min(asked.number("limit", LINES), 1_000)
    lines = history(services, agent_id, limit=limit + 1, search=words)
    shown = lines[-limit:]
    decisions = all_decisions(services)
    waits, total = waiting(asked, decisions, QUESTIONS, agent_id)
    return {
        "agents": services.agents(),
        "agent": agent_id,
        "title": _title(asked, agent_id),
        "q": words,
        "items": _items(asked, shown),
        "earlier": limit * 2 if len(lines) > limit else 0,
        "waits": [] if words else waits,
        "waiting": total,
        "draft": asked.text("draft"),
        "done": next((one for one in decisions if one.id == asked.text("done")), None),
    }


def _title(asked: PageRequest, agent_id: str) -> str:
    if not agent_id:
        return "the company"
    title = asked.services.agent(agent_id).mind.persona.title
    return f"the {title}" if title else agent_id


def _items(asked: PageRequest, lines: list[ChatLine]) -> list[ChatItem]:
    """Return messages with the actions of the cycle that heard each: its id is in that of the message."""
    index, services = asked.services.ledger_index(), asked.services
    activity: dict[str, list[ActivityLine]] = {}
    for one in lines:
        if one.is_mine:
            entries = index.entries(agents=[one.to], kinds=KINDS, cycle=one.id.removeprefix("MSG-"))
            activity[one.id] = activity_lines(services, entries)
    return [_item(one, activity.get(one.id, [])) for one in lines]


def _item(line: ChatLine, activity: list[ActivityLine]) -> ChatItem:
    sources = list(dict.fromkeys(str(one["record"]) for one in line.claims))
    named = [(re.sub(r"^(?:[\w-]+/)+(?=[^/]+$)|^(?:message|belief) ", "", one), one) for one in sources[:_SOURCES]]
    return ChatItem(line, named, max(0, len(sources) - _SOURCES), activity)
