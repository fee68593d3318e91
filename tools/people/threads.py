"""Read a conversation as one thread: the messages of both sides, its status, and protocol violations."""

from typing import Any

from mabos.configs.errors import unknown
from mabos.society.messages import Message
from mabos.society.protocols import Conversation, find_protocol, standing, thread
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import Text, Tool
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso


def conversation_read(agent: Agent, *, conversationId: Text) -> dict[str, Any]:  # noqa: N803  # as the bus spells ids
    """Read a conversation as a thread, oldest first, with how it stands under its protocol and what may come next.

    An agent reads what it has said and heard; a person reads what everybody said.

    Args:
        conversationId: The id of the conversation, or of any message in it that was received.
    """
    said = _read_thread(agent, conversationId)
    if not said:
        known = {one.thread for one in agent.services.inbox(agent.id).messages()}
        raise unknown("conversation", conversationId, known, argument="conversationId")
    protocol = find_protocol(said)
    found: dict[str, Any] = {
        "conversationId": said[0].thread,
        "protocol": protocol.name if protocol else said[0].protocol,
        "messages": [one.as_json() for one in said],
        "text": "\n".join(_line(one) for one in said),
    }
    return found | (_standing(agent, standing(protocol, said)) if protocol else {})


def _read_thread(agent: Agent, conversation_id: str) -> tuple[Message, ...]:
    services = agent.services
    named = services.inbox(agent.id).find(conversation_id)
    wanted = named.thread if named else conversation_id
    inboxes = [services.mail.heard(one, wanted) for one in (*services.agents(), STAKEHOLDER)]
    everything = agent.is_person or agent.caller.kind == "person"
    told = ([one for one in part if everything or agent.id in (one.sender, one.to)] for part in inboxes)
    return thread(*told)


def _standing(agent: Agent, found: Conversation) -> dict[str, Any]:
    now = agent.clock()
    sides = [
        {
            "agent": name,
            "state": "expired" if side.is_expired(now) else side.state,
            "expected": side.expected(),
            "replyBy": iso(side.due) if side.due else "",
        }
        for name, side in found.sides.items()
    ]
    broken = [{"message": one.message_id, "rule": one.rule, "text": str(one)} for one in found.violations]
    return {"initiator": found.initiator, "sides": sides, "violations": broken}


def _line(message: Message) -> str:
    flag = f" [set aside: {message.flag}]" if message.flag else ""
    return f"{message.timestamp} {message.sender} -> {message.to} {message.performative}: {message.content}{flag}"


TOOLS: list[Tool] = [Tool.of(conversation_read, module="Agent bus", writes=False, called="ldg:msg:thread")]
