"""Sentences that are clear only in a conversation: corrections, withdrawals, answers, "the same, but ..."."""

import re
from collections.abc import Mapping

from mabos.language.interpreter import Context
from mabos.language.request import Reading, Request, SpeechAct


def adjusted(shares: Mapping[SpeechAct, float], flat: str, context: Context) -> dict[SpeechAct, float]:
    """Return the probabilities of the acts in this conversation: answers are likely only where something was asked."""
    odds: dict[SpeechAct, float] = {}
    if asked(context):
        odds["answer"] = 6.0 if len(flat.split()) <= 10 else 2.0
    elif context.earlier:
        odds["answer"] = 0.3
        odds["correction"] = 1.5 if any(request.is_open for request in context.earlier) else 0.7
    found = {act: share * odds.get(act, 1.0) for act, share in shares.items()}
    total = sum(found.values()) or 1.0
    return {act: share / total for act, share in found.items()}


def asked(context: Context) -> Request | None:
    """Return the newest request that waits for an answer of its sender."""
    return next((request for request in context.earlier if request.status == "asking"), None)


def correction(text: str, context: Context, share: float) -> Reading:
    """Read a correction of the newest order that is open."""
    target = next((request for request in context.earlier if request.act == "order"), None)
    if target is None:
        return Reading("correction", text, confidence=min(share, 0.3))
    return Reading("correction", text, target.operation, refers_to=target.id, confidence=share)


def withdrawal(text: str, context: Context, share: float) -> Reading:
    """Read a withdrawal of the newest order."""
    target = next((request for request in context.earlier if request.act == "order"), None)
    if target is None:
        return Reading("withdrawal", text, confidence=min(share, 0.3))
    return Reading("withdrawal", text, target.operation, refers_to=target.id, confidence=share)


def answer(text: str, context: Context, share: float) -> Reading:
    """Read an answer to the newest request that waits for one."""
    target = asked(context)
    if target is None:
        return Reading("answer", text, confidence=min(share, 0.3))
    return Reading("answer", text, target.operation, refers_to=target.id, confidence=share)


def repetition(text: str, context: Context, share: float) -> Reading | None:
    """Read "the same, but ..." as a new order with the slots of the newest earlier one, or return None."""
    if not re.match(r"(?i)\W*(?:\w+\W+){0,3}the same\b", text):
        return None
    target = next((request for request in context.earlier if request.act == "order"), None)
    if target is None:
        return None
    return Reading("order", text, target.operation, target.slots, refers_to=target.id, confidence=share)
