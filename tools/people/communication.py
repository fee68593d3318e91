"""Communication: messages between agents, questions to the stakeholder, and the contract net (S3 section 9)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mabos.configs.errors import InvalidArgument, unknown
from mabos.society.decisions import Decision, Decisions
from mabos.society.instructions import Instruction
from mabos.society.messages import Message, Performative, Priority, message
from mabos.tools.catalogue.declaration import Money, OwnId, Text, Tool
from mabos.tools.people import bidding, threads
from mabos.tools.people.bidding import MODULE
from mabos.tools.runtime.for_business import business_of, reachable
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.copies import replace

FREEZE: Final = "freeze"
"""The key of a message's metadata that announces a freeze of spending, or says that it is `over`."""
_MONEY_KEEPERS: Final = ("cfo", "ceo")
_FROZEN: Final = re.compile(
    r"\b(?:spending|budget|hiring) freeze\b|\bfreeze (?:on )?(?:all |new )*(?:spending|orders)", re.I
)
_THAW: Final = re.compile(r"\bfreeze (?:is|has been) (?:over|lifted)\b|\b(?:lift|end) the (?:spending )?freeze\b", re.I)


def agent_message(
    agent: Agent,
    *,
    to: Text,
    performative: Performative,
    content: Text,
    from_: str = "",  # noqa: ARG001  # the agent acts as it before this is called
    priority: Priority = "normal",
    reply_to: str = "",
    conversation_id: str = "",
    protocol: str = "",
    reply_by: str = "",
    metadata: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Send a message to another agent: it lies in the recipient's inbox when this returns.

    Args:
        to: The agent it is for, or stakeholder.
        performative: What kind of speech act it is.
        content: What is said.
        from_: The sender; the calling agent if left out.
        priority: How pressing it is; urgent wakes the recipient at once.
        reply_to: The id of the message this answers.
        conversation_id: The exchange it belongs to; that of the answered message if left out.
        protocol: The protocol of the exchange: request, query, subscribe, propose, cancel or contract-net. What it does
            not allow next is refused.
        reply_by: When an answer is wanted, ISO 8601.
        metadata: Structured data for the recipient, as subject, predicate and value.
    """
    reachable(agent, to, "to", reply_to=reply_to)
    answered = _find_reply_target(agent, to, reply_to) if reply_to else None
    sent = message(
        agent.id, to, performative, content, ids=agent.ids, clock=agent.clock, priority=priority, reply_to=reply_to,
        conversation_id=conversation_id or (answered.thread if answered else ""),
        protocol=protocol or (answered.protocol if answered and not answered.flag else ""),
        reply_by=iso(parse_time(reply_by, argument="reply_by")) if reply_by else "", metadata=metadata or {},
    )  # fmt: skip
    placed = agent.services.mail.deliver(sent) or sent
    _note_freeze(agent, placed)
    return {"message_id": placed.id, "delivered": True, **placed.as_json()}


def _note_freeze(agent: Agent, sent: Message) -> None:
    """Put a freeze of spending on record that the CFO or the CEO announces, or lift the one it announced."""
    if not agent.business_id or agent.business.manifest.role_of(agent.id) not in _MONEY_KEEPERS:
        return
    instructions = agent.business.instructions
    if sent.metadata.get(FREEZE) == "over" or _THAW.search(sent.content):
        own = [one for one in instructions.all() if one.kind == "freeze" and one.is_in_force]
        instructions.save(*(replace(one, lifted_at=agent.now(), lifted_by=agent.id) for one in own))
    elif sent.metadata.get(FREEZE) or _FROZEN.search(sent.content):
        name = f"INS-FREEZE-{sent.id.removeprefix('MSG-')}"
        instructions.save(Instruction(name, "freeze", sent.content, created_at=agent.now(), created_by=agent.id))


def _find_reply_target(agent: Agent, to: str, reply_to: str) -> Message:
    """Return the message that is answered: one that was received, or one of one's own that is followed up."""
    services = agent.services
    own, sent = services.inbox(agent.id), services.inbox(to).find(reply_to)
    found = own.find(reply_to) or (sent if sent is not None and sent.sender == agent.id else None)
    if found is None:
        raise unknown("message", reply_to, (one.id for one in own.messages()), argument="reply_to")
    return found


def decision_request(
    agent: Agent,
    *,
    subject: Text,
    description: Text,
    options: list[dict[str, Any] | str],
    recommendation: str = "",
    deadline: str = "",
    business_id: str = "",
    decision_id: OwnId = "",
    urgency: Priority = "normal",
    estimated_cost: Money = 0.0,
) -> dict[str, Any]:
    """Put a decision before the stakeholder; the agent goes on and is told when it is answered.

    Args:
        subject: The question in one line.
        description: What the stakeholder needs to know to decide.
        options: What can be chosen: objects with id, label and impact, or just labels.
        recommendation: The id of the option the agent advises.
        deadline: By when an answer is needed, ISO 8601.
        business_id: The business; the agent's own if left out.
        decision_id: An id of your own; made if left out.
        urgency: How pressing it is.
        estimated_cost: Dollars at stake, if any.
    """
    offered = _options(options)
    if recommendation and recommendation not in [option["id"] for option in offered]:
        wrong = unknown("option", recommendation, [option["id"] for option in offered], argument="recommendation")
        raise InvalidArgument(wrong.message, argument="recommendation")
    decisions = desk(agent, business_id)
    asked = decisions.request(
        Decision(
            id=decision_id or agent.ids.new("DEC"),
            from_agent=agent.id,
            subject=subject,
            description=description,
            options=offered,
            recommendation=recommendation,
            deadline=iso(parse_time(deadline, argument="deadline")) if deadline else "",
            created_at=iso(agent.clock()),
            urgency=urgency,
            cost=estimated_cost,
            cycle=agent.cycle,
        )
    )
    return {"decision_id": asked.id, **asked.as_json()}


def _options(options: Sequence[Mapping[str, Any] | str]) -> tuple[dict[str, Any], ...]:
    if not options:
        raise InvalidArgument("'options' is empty; give at least one, as {id, label, impact}", argument="options")
    found: list[dict[str, Any]] = []
    for number, option in enumerate(options):
        given = {"label": option} if isinstance(option, str) else dict(option)
        label = given.get("label")
        if not isinstance(label, str) or not label.strip():
            message = f"options[{number}] needs a 'label': what the stakeholder reads"
            raise InvalidArgument(message, argument="options")
        found.append(
            {"id": str(given.get("id") or chr(ord("A") + number)), **{k: given[k] for k in given if k != "id"}}
        )
    ids = [option["id"] for option in found]
    if len(set(ids)) < len(ids):
        raise InvalidArgument(f"two options have the same id: {', '.join(ids)}", argument="options")
    return tuple(found)


def desk(agent: Agent, business_id: str) -> Decisions:
    """Return the decisions of a call's business; without a business, those at the workspace's root."""
    if business_id or agent.business_id:
        return business_of(agent, business_id).decisions
    return agent.services.decisions()


TOOLS = [
    Tool.of(
        agent_message,
        module=MODULE,
        writes=True,
        category="communication",
        acts_as="from",
        addresses=("content", "metadata"),
    ),
    Tool.of(
        decision_request,
        module=MODULE,
        writes=True,
        category="communication",
        addresses=("subject", "description", "options"),
    ),
    *bidding.TOOLS,
    *threads.TOOLS,
]
