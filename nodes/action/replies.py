"""What is sent back: answers with their beliefs, word that a request is served, or that no plan fits it; each once."""

from collections.abc import Collection, Mapping
from typing import Any

from mind.model import Belief
from nodes.choices import BLOCKED
from nodes.cycle import Cycle
from nodes.perception.messages import answer
from society.messages import Message, Performative
from tools.agent import STAKEHOLDER
from tools.call import call


def reply_to(cycle: Cycle, message_ids: list[str]) -> list[str]:
    """Return the ids of the questions answered now; whom no message can reach is passed over."""
    answered = []
    for question in _from_colleagues(cycle, message_ids):
        known = answer(question, cycle.agent.mind.beliefs)
        nothing: dict[str, Any] = {} if known else {"metadata": {"beliefs": []}}  # not knowing is nothing to believe
        if _sent(cycle, question, "INFORM", wording(question, known), key=f"reply:{question.id}", **nothing):
            answered.append(question.id)
    return answered


def confirm(cycle: Cycle, served: Mapping[str, str]) -> list[str]:
    """Return the ids of the requests whose sender was told now that something serves them already."""
    mind = cycle.agent.mind
    standing: dict[str, tuple[str, str]] = {one.id: (one.name, one.status) for one in mind.desires}
    standing |= {one.id: (one.description, one.status) for one in mind.goals}
    told = []
    for request in _from_colleagues(cycle, served):
        what, status = standing.get(served[request.id], (served[request.id], "known"))
        said = f"What you ask for is served already, by {what!r} ({served[request.id]}, {status})."
        if _sent(cycle, request, "CONFIRM", said, key=f"confirm:{request.id}"):
            told.append(request.id)
    return told


def refuse(cycle: Cycle, goal_ids: Collection[str]) -> list[str]:
    """Return the ids of the requests whose sender was told now that there is no plan for what they ask."""
    told = list[str]()
    for goal in (cycle.agent.mind.goal(goal_id) for goal_id in goal_ids):
        said = (
            f"I have no plan now for {goal.description!r} ({goal.id}): no case and no template fits. "
            f"I look at it again in {BLOCKED.days} days."
        )
        fact = {"subject": goal.id, "predicate": "plan", "value": "none"}
        told += [
            request.id
            for request in _from_colleagues(cycle, goal.evidence)
            if _sent(cycle, request, "INFORM", said, key=f"unplanned:{request.id}", metadata=fact)
        ]
    return told


def _from_colleagues(cycle: Cycle, message_ids: Collection[str]) -> list[Message]:
    """Return these messages as far as their senders can be answered."""
    wanted, colleagues = set(message_ids), {*cycle.services.agents(), STAKEHOLDER}
    return [one for one in cycle.agent.inbox.messages() if one.id in wanted and one.sender in colleagues]


def _sent(cycle: Cycle, answered: Message, performative: Performative, content: str, *, key: str, **more: Any) -> bool:
    """Return whether an answer was sent, under a key that lets it be sent once."""
    arguments = {"to": answered.sender, "performative": performative, "content": content, "reply_to": answered.id}
    outcome = call(
        cycle.services,
        "agent_message",
        arguments | more,
        caller=cycle.agent.caller,
        key=key,
        cycle=cycle.id,
        because={"message": answered.id},
    )
    if not outcome.ok:
        cycle.note(unanswered=f"{answered.id}: {outcome.message}")
    return outcome.ok


def wording(question: Message, known: tuple[Belief, ...]) -> str:
    """Return the answer in words: what is believed, how surely, and on whose word."""
    if not known:
        return f"I hold no belief about this: {question.content}"
    lines = [
        f"{belief.statement} (certainty {belief.certainty:g}{f', {belief.source}' if belief.source else ''})"
        for belief in known
    ]
    return "; ".join(lines)
