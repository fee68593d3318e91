"""The record of a conversation: its messages, and the last order, which can be withdrawn while it is open.

The messages are in the inboxes of the agent and of the owner. There is no other copy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mabos.configs.errors import Refused
from mabos.language.request import Request
from mabos.society.messages import Message, message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.services import Services
from mabos.tools.work.session import is_work
from mabos.workspace.text import fold, terms


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A message of a conversation; `reply_to` is the id of the message that it answers."""

    id: str
    at: str
    sender: str
    to: str
    text: str
    performative: str = ""
    reply_to: str = ""
    claims: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_mine(self) -> bool:
        """Return whether the owner wrote it."""
        return self.sender == STAKEHOLDER

    def as_json(self) -> dict[str, Any]:
        """Return the line as JSON."""
        return {**asdict(self), "claims": [dict(one) for one in self.claims]}


def history(services: Services, agent_id: str = "", *, limit: int = 20, search: str = "") -> list[ChatLine]:
    """Return the messages between the owner and an agent, oldest first; without an agent, with all agents.

    `search` keeps messages that have all its words.
    """
    agents = [services.agent(agent_id).id] if agent_id else list(services.agents())
    messages = [one for one in services.inbox(STAKEHOLDER).messages() if one.sender in agents]
    for name in agents:
        messages += [one for one in services.inbox(name).messages() if _is_said(one)]
    wanted = set(terms(search))
    said = {one.id: (one.timestamp, number) for number, one in enumerate(messages) if _is_said(one)}

    def order(message: Message) -> tuple[str, int, bool]:
        """Order by time; at one moment, each answer follows its message."""
        at, number = said.get(message.reply_to, ("", 0))
        own = said.get(message.id, (message.timestamp, number if at == message.timestamp else len(messages)))
        return *own, message.id not in said

    found = [one for one in messages if not wanted or wanted <= set(terms(fold(one.content)))]
    return [_line(one) for one in sorted(found, key=order)[-limit:]]


def last_partner(services: Services, agents: Sequence[str]) -> ChatLine | None:
    """Return the newest message of all conversations, or None; unsolicited messages of agents start none."""
    lines = [one for one in history(services) if one.is_mine or one.reply_to or one.performative == "QUERY"][-1:]
    return lines[0] if lines and {lines[0].sender, lines[0].to} & set(agents) else None


def last_order(services: Services, agents: Sequence[str]) -> tuple[str, Request]:
    """Return the owner's last order to any of some agents, with its agent; raises `Refused` if it is not open."""
    orders = [
        (one.created_at, number, name, one)
        for name in agents
        for number, one in enumerate(services.agent(name).requests.all())
        if one.sender == STAKEHOLDER and one.act in ("order", "standing") and not is_work(one)
        if one.status not in ("withdrawn", "refused", "answered")
    ]
    if not orders:
        raise Refused("you have no order to withdraw")
    *_, agent_id, last = max(orders, key=lambda one: one[:2])
    if last.status == "failed":
        why = f" ({last.reason.rstrip('.')})" if last.reason else ""
        raise Refused(f"your last order, to {agent_id}, was not carried out{why}: {last.sentence}")
    if not last.is_open:
        hint = "say in words what should happen now, as: stop the campaign"
        raise Refused(f"your last order, to {agent_id}, is {last.status} and stays: {last.sentence} ({hint})")
    return agent_id, last


def withdraw_last(services: Services, agents: Sequence[str]) -> tuple[str, str]:
    """Send an agent the withdrawal of its owner's last order; return agent and message. Raises as `last_order`.

    The request is recorded with its target, so nothing depends on how words are read.
    """
    agent_id, order = last_order(services, agents)
    agent = services.agent(agent_id)
    words = f"Withdraw my order: {order.sentence}"
    said = message(STAKEHOLDER, agent_id, "REQUEST", words, ids=services.ids, clock=services.clock, priority="high")
    suffix = said.id.removeprefix("MSG-")
    request = Request(
        f"REQ-{suffix}", said.id, STAKEHOLDER, "withdrawal", words, refers_to=order.id, created_at=said.timestamp
    )
    agent.requests.save(request)
    services.mail.deliver(said)
    return agent_id, said.id


def _is_said(message: Message) -> bool:
    return message.sender == STAKEHOLDER and message.protocol != "decision"


def _line(message: Message) -> ChatLine:
    claims = tuple(message.metadata.get("claims", ()))
    return ChatLine(
        message.id,
        message.timestamp,
        message.sender,
        message.to,
        message.content,
        message.performative,
        message.reply_to,
        claims,
    )
