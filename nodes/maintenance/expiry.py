"""Conversations that expire: whoever asked learns at a heartbeat that no answer came in time."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from mabos.configs.errors import MabosError
from mabos.mind.model import Belief
from mabos.nodes.perception.messages import ANSWER, headline
from mabos.society.messages import Message
from mabos.society.protocols import exchanged, protocol_named
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.services import Agent, Services
from mabos.workspace.clock import iso


def expecting(services: Services) -> dict[str, list[str]]:
    """Return for each agent of whom it wants an answer by a time; each inbox is looked into once for all of them.

    One that cannot be read tells of nobody: its own agent's turn says what is wrong with it.
    """
    found: dict[str, dict[str, None]] = {}
    for other in (*services.agents(), STAKEHOLDER):
        with suppress(MabosError):
            for message in services.inbox(other).dated():
                found.setdefault(message.sender, {})[other] = None
    return {agent_id: list(others) for agent_id, others in found.items()}


def expire(agent: Agent, others: Sequence[str]) -> list[str]:
    """Return the ids of the agent's own messages to `others` whose answer is overdue now; it believes so from here."""
    silent = [_none_came(one, agent) for one in _unanswered(agent, others)]
    if silent:
        agent.mind.save(*silent, why="no answer came in time", cycle="heartbeat")
    return [one.subject for one in silent]


def _unanswered(agent: Agent, others: Sequence[str]) -> Iterator[Message]:
    services, beliefs, now = agent.services, agent.mind.index, agent.clock()
    for other in others:
        for message in services.inbox(other).dated():
            protocol = protocol_named(message.protocol)
            if message.sender != agent.id or protocol is None or message.performative not in protocol.openings:
                continue
            if beliefs.belief(message.id, ANSWER) is not None:
                continue
            said = [one for one in services.mail.heard(other, message.thread) if one.sender == agent.id]
            heard = [one for one in agent.inbox.thread(message.thread) if one.sender == other]
            exchange, _ = exchanged(protocol, said, heard)
            if exchange is not None and exchange.is_expired(now):
                yield message


def _none_came(message: Message, agent: Agent) -> Belief:
    said = f"{message.to} gave no answer to {message.id} by {message.reply_by}: {headline(message.content)}"
    return Belief(
        id=f"B-{message.id}-expired",
        statement=said,
        certainty=1.0,
        category="agent",
        source="clock",
        subject=message.id,
        predicate=ANSWER,
        value="expired",
        updated=iso(agent.clock()),
        evidence=(message.id,),
    )
