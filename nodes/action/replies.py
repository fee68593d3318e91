"""Answers to the questions that were perceived: each sent once, with the beliefs it rests on."""

from mind.model import Belief
from nodes.cycle import Cycle
from nodes.perception.messages import answer
from society.messages import Message
from tools.call import call
from workspace.text import terms


def reply_to(cycle: Cycle, message_ids: list[str]) -> list[str]:
    """Return the ids of the questions answered now; whom no message can reach is passed over."""
    wanted = set(message_ids)
    colleagues = set(cycle.services.agents())
    answered = []
    for question in cycle.agent.inbox.messages():
        if question.id in wanted and question.sender in colleagues:
            _reply(cycle, question)
            answered.append(question.id)
    return answered


def _reply(cycle: Cycle, question: Message) -> None:
    known = answer(question, cycle.agent.mind.beliefs, terms(question.content))
    arguments = {
        "to": question.sender,
        "performative": "INFORM",
        "content": wording(question, known),
        "reply_to": question.id,
    }
    outcome = call(
        cycle.services,
        "agent_message",
        arguments,
        caller=cycle.agent.caller,
        key=f"reply:{question.id}",
        cycle=cycle.id,
        because={"message": question.id},
    )
    if not outcome.ok:
        cycle.note(unanswered=f"{question.id}: {outcome.message}")


def wording(question: Message, known: tuple[Belief, ...]) -> str:
    """Return the answer in words: what is believed, how surely, and on whose word."""
    if not known:
        return f"I hold no belief about this: {question.content}"
    lines = [
        f"{belief.statement} (certainty {belief.certainty:g}{f', {belief.source}' if belief.source else ''})"
        for belief in known
    ]
    return "; ".join(lines)
