"""Percepts that a model reads from prose messages, each with its message and quoted words (S3 4.1).

A model proposes; its evidence must exist. A percept has no more effect than the message's own fields could: it is a
belief with the sender's certainty, never a desire, a permission or a rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage
from mabos.backends.structured import complete_structured
from mabos.configs.prompts import prompt
from mabos.mind.model import Belief
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.messages import Heard
from mabos.society.messages import Message

MOST = 8
"""Percepts that are taken over from one reading."""
_LONGEST = 600  # characters of one message
Short = Annotated[str, Field(min_length=1, max_length=80)]


class _Percept(BaseModel):
    message: Annotated[str, Field(max_length=80)]
    subject: Short
    predicate: Annotated[str, Field(max_length=40)] = ""
    value: Short
    quote: Annotated[str, Field(min_length=3, max_length=200)]


class _Reading(BaseModel):
    percepts: list[_Percept] = []


def with_percepts(cycle: Cycle, messages: Sequence[Message], told: list[Heard]) -> list[Heard]:
    """Return the meaning of messages with a model's percepts of plain prose; without a model, unchanged.

    The model is asked once for all of them. A percept with an unknown message or a wrong quotation is left out, and the
    ledger records why.
    """
    prose = {
        message.id: (at, heard.beliefs[0])
        for at, (message, heard) in enumerate(zip(messages, told, strict=True))
        if message.performative == "INFORM"
        and len(heard.beliefs) == 1
        and heard.beliefs[0].statement == message.content
    }
    model = cycle.services.model
    if not prose or model.name in NOT_ASKED:
        return told
    shown = {message.id: message for message in messages if message.id in prose}
    lines = [f"[{one.id}] {one.sender}: {' '.join(one.content.split())[:_LONGEST]}" for one in shown.values()]
    asked = [ChatMessage("system", prompt("perceive")), ChatMessage("user", "\n".join(lines))]
    reading = complete_structured(model, asked, _Reading, max_tokens=800, tag="perceive")
    if reading is None:
        return told
    found, refused = _partition_percepts(reading, shown)
    for message_id, percepts in found.items():
        at, said = prose[message_id]
        beliefs = tuple(_belief(said, one, number) for number, one in enumerate(percepts, 1))
        told[at] = replace(told[at], beliefs=(*told[at].beliefs, *beliefs))
    cycle.note(read=[f"{one.subject} = {one.value} ({one.message})" for many in found.values() for one in many])
    cycle.note(misread_by_model=refused)
    return told


def _partition_percepts(reading: _Reading, shown: Mapping[str, Message]) -> tuple[dict[str, list[_Percept]], list[str]]:
    """Return the percepts that rest on words of a message, by message, and why the others do not."""
    found, refused = dict[str, list[_Percept]](), list[str]()
    for one in reading.percepts[:MOST]:
        if wrong := _check_grounding(one, shown):
            refused.append(f"{one.subject}: {wrong}")
        else:
            found.setdefault(one.message, []).append(one)
    return found, refused


def _check_grounding(one: _Percept, shown: Mapping[str, Message]) -> str:
    if one.message not in shown:
        return f"there is no message {one.message!r}"
    said = _plain(shown[one.message].content)
    if _plain(one.quote) not in said:
        return "its quotation is not in the text"
    return "" if _plain(one.value) in said else "its value is not in the text"


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _belief(said: Belief, one: _Percept, number: int) -> Belief:
    """Return a percept as a belief with the certainty and the source of the message."""
    statement = " ".join(filter(None, (one.subject, one.predicate, one.value)))
    return replace(
        said,
        id=f"{said.id}-r{number}",
        statement=statement,
        subject=one.subject,
        predicate=one.predicate,
        value=one.value,
    )
