"""The conversation with an agent, or with the company: what was said and done, and what waits for an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mabos.interfaces.chat.record import ChatLine, history
from mabos.interfaces.dashboard.activity import KINDS, ActivityLine, activity_lines
from mabos.interfaces.dashboard.decisions import waiting
from mabos.interfaces.dashboard.view import PageRequest

LINES = 30
"""Messages of a conversation that are shown unless more are asked for."""
_ENTRIES = 5_000
_SOURCES = 4


@dataclass(frozen=True, slots=True)
class ChatItem:
    """One message, the records that it rests on, and what the agent did about it."""

    line: ChatLine
    sources: list[str]
    more_sources: int
    activity: list[ActivityLine]


def chat(asked: PageRequest) -> Mapping[str, Any]:
    """Return the conversation with one agent, oldest message first; without an agent, with the whole company."""
    services, words = asked.services, asked.text("q")
    agent_id = services.agent(asked.text("agent")).id if asked.text("agent") else ""
    limit = min(asked.number("limit", LINES), 1_000)
    lines = history(services, agent_id, limit=limit + 1, search=words)
    shown = lines[-limit:]
    return {
        "agents": services.agents(),
        "agent": agent_id,
        "title": services.agent(agent_id).mind.persona.title or agent_id if agent_id else "the company",
        "q": words,
        "items": _items(asked, shown),
        "earlier": limit * 2 if len(lines) > limit else 0,
        "waits": [] if words else waiting(asked, agent_id),
        "draft": asked.text("draft"),
        "done": asked.text("done"),
    }


def _items(asked: PageRequest, lines: list[ChatLine]) -> list[ChatItem]:
    """Return messages with their activity: that of the cycle that heard the message, by the message's id."""
    cycles = {one.id.removeprefix("MSG-"): one.id for one in lines if one.is_mine}
    activity: dict[str, list[ActivityLine]] = {}
    if cycles:
        agents = list({one.to for one in lines if one.is_mine})
        entries = asked.services.ledger_index().entries(
            agents=agents, kinds=KINDS, since=min(one.at for one in lines), limit=_ENTRIES, newest_first=True
        )
        for one in activity_lines(asked.services, reversed(entries)):
            if one.cycle in cycles:
                activity.setdefault(cycles[one.cycle], []).append(one)
    return [_item(one, activity.get(one.id, [])) for one in lines]


def _item(line: ChatLine, activity: list[ActivityLine]) -> ChatItem:
    sources = list(dict.fromkeys(str(one["record"]) for one in line.claims))
    return ChatItem(line, sources[:_SOURCES], max(0, len(sources) - _SOURCES), activity)
