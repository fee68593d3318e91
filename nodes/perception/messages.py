"""Interpret a message for its reader: beliefs, a desire, a question to answer, or a memory (S3 9.2)."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.knowledge.values import number
from mabos.knowledge.wording import name_key
from mabos.mind.beliefs import structure_belief
from mabos.mind.lookup import BeliefIndex, names_of
from mabos.mind.model import Belief, Desire
from mabos.society.messages import Message
from mabos.workspace.text import STOPWORDS, terms

STRANGER = 0.7
"""The remaining confidence in somebody of another business about whom nothing is believed."""

TRUST = "trust"
_HEARD = "message from "


@dataclass(frozen=True, slots=True)
class Trust:
    """The share of a sender's stated certainty that is adopted, and the belief behind it, if any."""

    share: float = 1.0
    evidence: tuple[str, ...] = ()


def trust_in(sender: str, beliefs: BeliefIndex, is_stranger: Callable[[str], bool]) -> Trust:
    """Return the trust in `sender`.

    The belief `<sender> trust` decides if it exists: anyone who may change beliefs changes it (`belief_update`, or
    Beliefs.md by hand), and `mabos why` names it with the beliefs that used it. Claims in messages never count: no
    sender vouches for itself. By default people and colleagues are trusted.
    """
    held = beliefs.belief(sender, TRUST)
    share = number(held.value) if held is not None and not held.source.startswith(_HEARD) else None
    if held is not None and share is not None:
        return Trust(min(1.0, max(0.0, share)), (held.id,))
    return Trust(STRANGER) if is_stranger(sender) else Trust()


def vouches(belief: Belief, names: Callable[[], Collection[str]]) -> bool:
    """Return whether a belief states the trust in one of `names`."""
    meant = [
        name.removesuffix(f"_{TRUST}") for name in names_of(structure_belief(belief)) if name.endswith(f"_{TRUST}")
    ]
    return bool(meant) and not {name_key(name) for name in names()}.isdisjoint(meant)


PERSON = "stakeholder"
"""The sender of a person's message to an agent."""

_WEIGHT = {"low": 0.3, "normal": 0.6, "high": 0.8, "urgent": 0.95}
_QUESTIONS = ("QUERY", "QUERY_REF", "SUBSCRIBE")
ANSWERS = {"AGREE": "agreed", "REFUSE": "refused", "FAILURE": "failed", "NOT_UNDERSTOOD": "not understood"}
"""What the one who asked believes of its own message by the answer, under the predicate `ANSWER`."""

ANSWER = "answer"
UNCHECKED = "No record says whether that is what you wanted; please tell me."
"""The wording for completed steps if nothing can decide whether they were enough."""

_TRUSTED = Trust()
_HEARSAY = 0.7  # certainty of what a colleague says without saying how sure it is
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PLEASE = re.compile(r"\bplease\b", re.IGNORECASE)
_CATEGORIES = ("environment", "self", "agent", "case")


@dataclass(frozen=True, slots=True)
class Heard:
    """The meaning of one message: new beliefs, desires to adopt, desires to drop, and whether to answer."""

    beliefs: tuple[Belief, ...] = ()
    desires: tuple[Desire, ...] = ()
    withdrawn: tuple[str, ...] = ()
    asks: bool = False


def parse_message(message: Message, now: str, *, superior: str = "", trust: Trust = _TRUSTED) -> Heard:
    """Return the meaning of a message. Its text is data: it never changes governance, permissions or identity.

    Ids derive from the message's, so reading it twice changes nothing.
    """
    if message.performative == "INFORM":
        return Heard(beliefs=parse_inform(message, now, trust))
    if message.performative in ANSWERS:
        return Heard(beliefs=(_build_answer_belief(message, now, trust),) if message.reply_to else ())
    if message.performative in _QUESTIONS:
        return Heard(asks=True)
    if message.performative == "REQUEST":
        return Heard(desires=(wish(message, now, superior=superior),))
    if message.performative == "CANCEL":
        return Heard(withdrawn=(f"D-{message.reply_to}",) if message.reply_to else (), asks=True)
    return Heard()


def parse_inform(message: Message, now: str, trust: Trust = _TRUSTED) -> tuple[Belief, ...]:
    """Return the beliefs in an INFORM: those in its metadata (an empty list means none), else those in its prose.

    The sender's stated certainty is multiplied by the trust in the sender.
    """
    listed = message.metadata.get("beliefs")
    if listed == []:
        return ()
    records = listed if isinstance(listed, list) else [message.metadata]
    spelled = [one for one in records if isinstance(one, Mapping) and (one.get("subject") or one.get("statement"))]
    return tuple(_belief(message, record, now, number, trust) for number, record in enumerate(spelled or [{}], start=1))


def _build_answer_belief(message: Message, now: str, trust: Trust) -> Belief:
    """Return the belief about one's own request that an answer to it gives."""
    said = ANSWERS[message.performative]
    about = {"subject": message.reply_to, "predicate": ANSWER, "value": said, "category": "agent", "certainty": 1.0}
    statement = f"{message.sender} answered {message.reply_to}: {said} ({headline(message.content)})"
    return _belief(message, {**about, "statement": statement}, now, 1, trust)


def _belief(message: Message, record: Mapping[str, Any], now: str, number: int, trust: Trust) -> Belief:
    subject, predicate, value = (str(record.get(field, "")) for field in ("subject", "predicate", "value"))
    category = record.get("category")
    return Belief(
        id=f"B-{message.id}" if number == 1 else f"B-{message.id}-{number}",
        statement=str(
            record.get("statement") or " ".join(filter(None, (subject, predicate, value))) or message.content
        ),
        certainty=round(_share(record.get("certainty", record.get("confidence")), _HEARSAY) * trust.share, 6),
        category=category if category in _CATEGORIES else "environment",
        source=f"message from {message.sender}",  # whom its sender has it from is not for the sender to vouch for
        subject=subject,
        predicate=predicate,
        value=value,
        updated=now,
        expires=str(record.get("expires", "")),
        evidence=(message.id, *trust.evidence),
    )


def wish(message: Message, now: str, *, superior: str = "", target: str = "") -> Desire:
    """Return the desire in a REQUEST; requests of superiors and people have more weight."""
    weight = _WEIGHT.get(message.priority, 0.6)
    trusted = message.sender in (PERSON, superior)
    metadata = message.metadata
    return Desire(
        id=f"D-{message.id}",
        name=title(message.content),
        description=message.content,
        type="achieve",
        category="terminal",
        base=0.7 if trusted else 0.5,
        importance=min(1.0, weight + 0.2) if trusted else weight,
        urgency=weight,
        alignment=0.8 if trusted else 0.6,
        target=target or str(metadata.get("target", "")),
        deadline=str(metadata.get("deadline", "") or message.reply_by),
        created=now,
        reason=f"requested by {message.sender} in {message.id}",
        resource=str(metadata.get("resource", "")),
    )


def answer(question: Message, beliefs: Iterable[Belief], *, limit: int = 5) -> tuple[Belief, ...]:
    """Return the beliefs that answer a question, best first.

    If its metadata names beliefs, only those answer. Otherwise beliefs whose exact subject is in the question come
    first, then those that share words with it.
    """
    held = [belief for belief in beliefs if belief.status == "held"]
    wanted = {name: str(question.metadata[name]) for name in ("subject", "predicate") if question.metadata.get(name)}
    named = [one for one in held if wanted and all(getattr(one, name) == value for name, value in wanted.items())]
    if named:
        return tuple(sorted(named, key=lambda one: (-one.certainty, one.id))[:limit])
    asked = terms(" ".join((*wanted.values(), question.content)))
    meant = {word for word in asked if word not in STOPWORDS}
    scored = []
    for belief in held:
        subject = terms(belief.subject)
        shared = meant & set(terms(f"{belief.statement} {belief.subject} {belief.predicate}"))
        if shared:
            scored.append((not _stands_in(subject, asked), -len(shared), -belief.certainty, belief.id, belief))
    return tuple(entry[-1] for entry in sorted(scored, key=lambda entry: entry[:-1])[:limit])


def is_question(text: str) -> bool:
    """Return whether a person asks for information, judged by wording alone.

    >>> is_question("Please tell me our runway"), is_question("Review our runway")
    (True, False)
    """
    said = _PLEASE.sub("", text, count=1).strip(" ,.\n")
    return said.endswith("?") or said.casefold().startswith(("tell me ", "what ", "how much ", "how many "))


def _stands_in(words: list[str], text: list[str]) -> bool:
    return bool(words) and f" {' '.join(words)} " in f" {' '.join(text)} "


def requested_in(desire_id: str) -> str:
    """Return the id of the message that requested a desire, or an empty text."""
    return desire_id.removeprefix("D-") if desire_id.startswith("D-MSG-") else ""


def asked_for(text: str) -> str:
    """Return the requesting sentence of a message: the first with `please` in it, else the first line."""
    line = " ".join(text.strip().split("\n", 1)[0].split())
    asking = next((part for part in _SENTENCE.split(line) if _PLEASE.search(part)), "")
    return _PLEASE.sub("", asking, count=1).strip(" ,.") if asking else line


def title(text: str) -> str:
    """Return a request as a title: `... Please reduce churn: find out why` is `Reduce churn`."""
    said = asked_for(text)
    short = said.partition(":")[0].strip()
    chosen = headline(short if len(short.split()) > 1 else said)
    return chosen[:1].upper() + chosen[1:]


def headline(text: str, limit: int = 80) -> str:
    """Return the first line of a text, cut at a word: a heading must stay on one line."""
    line = " ".join(text.strip().split("\n", 1)[0].split()) or "(no text)"
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0] + " ..."


def weight(message: Message) -> float:
    """Return the importance of remembering a message, 0 to 1."""
    return _WEIGHT.get(message.priority, 0.6)


def _share(value: Any, otherwise: float) -> float:
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError, OverflowError):
        return otherwise
