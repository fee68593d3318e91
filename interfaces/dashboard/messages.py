"""Messages between agents: the timeline of all, and one conversation in full with its state."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import UnknownId
from mabos.interfaces.dashboard.sequence import diagram
from mabos.interfaces.dashboard.view import PageRequest, part
from mabos.society.messages import Message
from mabos.society.protocols import Conversation, find_protocol, standing, thread
from mabos.society.roles import STAKEHOLDER
from mabos.workspace.clock import iso

ROWS = 40
"""Messages that one picture shows."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in the list: its length, the time of its last message, and its first message."""

    id: str
    count: int
    last: str
    first: Message


@dataclass(frozen=True, slots=True)
class ConversationSide:
    """The state of one party of a conversation under its protocol, and the expected next messages."""

    agent: str
    state: str
    expected: str
    reply_by: str


def messages(asked: PageRequest) -> Mapping[str, Any]:
    """Return the newest messages of all, or one conversation; and the conversations, most recent first."""
    services, agent, words = asked.services, asked.text("agent"), asked.text("q")
    every = [one for one in _list_messages(asked) if _is_wanted(one, agent, words)]
    every.sort(key=lambda one: one.timestamp, reverse=True)
    talks = _talks(every)
    chosen = asked.text("thread")
    shown = _conversation(asked, chosen) if chosen else every
    protocol = find_protocol(shown) if chosen else None
    stands = standing(protocol, shown) if protocol else None
    rows = part(list(shown), asked.number("row"), size=ROWS)
    drawn = rows.rows if chosen else rows.rows[::-1]
    broken = {one.message_id: str(one) for one in stands.violations} if stands else {}
    return {
        "agents": services.agents(),
        "agent": agent,
        "q": words,
        "thread": chosen,
        "talks": part(talks, asked.number("from"), size=30),
        "rows": rows,
        "drawn": drawn,
        "picture": diagram(drawn, broken=broken, order=[STAKEHOLDER, *services.agents()]) if drawn else "",
        "protocol": protocol.name if protocol else (shown[0].protocol if chosen else ""),
        "sides": list(_sides(stands, asked)) if stands else [],
        "broken": broken,
    }


def _list_messages(asked: PageRequest) -> Iterator[Message]:
    """Yield every message in an inbox, of agents and of the person."""
    for name in (*asked.services.agents(), STAKEHOLDER):
        yield from asked.services.inbox(name).messages()


def _is_wanted(one: Message, agent: str, words: str) -> bool:
    return (not agent or agent in (one.sender, one.to)) and (not words or words.lower() in one.content.lower())


def _talks(newest_first: Iterable[Message]) -> list[Talk]:
    found: dict[str, tuple[int, str, Message]] = {}
    for one in newest_first:
        count, last, _ = found.get(one.thread, (0, one.timestamp, one))
        found[one.thread] = (count + 1, last, one)
    return [Talk(name, *told) for name, told in found.items()]


def _conversation(asked: PageRequest, thread_id: str) -> Sequence[Message]:
    """Return all that was said in a conversation, on all sides, oldest first."""
    services = asked.services
    said = thread(*(services.mail.heard(one, thread_id) for one in (*services.agents(), STAKEHOLDER)))
    if not said:
        raise UnknownId(f"there is no conversation {thread_id!r}")
    return said


def _sides(stands: Conversation, asked: PageRequest) -> Iterator[ConversationSide]:
    for name, side in stands.sides.items():
        state = "expired" if side.is_expired(asked.now) else side.state
        yield ConversationSide(name, state, side.expected(), iso(side.due) if side.due else "")
