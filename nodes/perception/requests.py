"""Matching of repeated requests: they confirm the existing item instead of creating it again."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from mabos.knowledge.wording import plain
from mabos.mind.model import Desire, Goal
from mabos.mind.times import moment
from mabos.nodes.choices import REST
from mabos.nodes.perception.messages import asked_for
from mabos.workspace.text import terms

EVIDENCE_KEPT = 12
"""At most this many requests are remembered as the evidence of one goal; the messages themselves stay in the inbox."""

_OPEN = ("pending", "active", "blocked")


@dataclass(frozen=True, slots=True)
class Served:
    """The match of a request: the id for its sender, and the changes from the repetition."""

    by: str
    changed: tuple[Desire | Goal, ...] = ()


def match_wish(wish: Desire, desires: Iterable[Desire], goals: Iterable[Goal], now: datetime) -> Served | None:
    """Return the item that already serves `wish`, or None if it is new.

    It is the same if the target is, or if the request has the same words except for its numbers. A goal matches while
    it is open and shortly afterwards; a desire until it is dropped or was fulfilled long ago. A repeated request
    becomes more urgent, never less.
    """
    standing = tuple(goals)
    for desire in desires:
        if desire.id != wish.id and _is_same(wish, desire.target, desire.description or desire.name):
            own = [goal for goal in standing if goal.desire_id == desire.id]
            if _still_serves(desire, own, now):
                return _by_desire(wish, desire, own)
    for goal in standing:
        if _is_same(wish, goal.target, goal.description) and _is_current(goal, now):
            return Served(goal.id, _add_request_evidence(goal, wish))
    return None


def intent(text: str) -> tuple[str, ...]:
    """Return the words of a request without its numbers, which two spellings share."""
    return tuple(word for word in terms(asked_for(text)) if not any(letter.isdigit() for letter in word))


def _is_same(wish: Desire, target: str, text: str) -> bool:
    if wish.target and target:
        return plain(wish.target) == plain(target)
    words = intent(wish.description)
    return bool(words) and words == intent(text)


def _still_serves(desire: Desire, own: Iterable[Goal], now: datetime) -> bool:
    if desire.status == "fulfilled" and not desire.target:
        return any(_is_current(goal, now) for goal in own)
    return desire.status != "dropped"


def _is_current(goal: Goal, now: datetime) -> bool:
    ended = moment(goal.updated)
    return goal.status in _OPEN or (goal.status == "achieved" and ended is not None and ended + REST > now)


def _by_desire(wish: Desire, desire: Desire, own: Iterable[Goal]) -> Served:
    firmer = replace(
        desire,
        base=max(desire.base, wish.base),
        importance=max(desire.importance, wish.importance),
        urgency=desire.urgency if desire.deadline else max(desire.urgency, wish.urgency),
        alignment=max(desire.alignment, wish.alignment),
    )
    changed: tuple[Desire | Goal, ...] = () if firmer == desire else (firmer,)
    goal = next((one for one in own if one.status in _OPEN), None)
    return Served(goal.id if goal else desire.id, (*changed, *(_add_request_evidence(goal, wish) if goal else ())))


def _add_request_evidence(goal: Goal, wish: Desire) -> tuple[Goal, ...]:
    """Return the goal with the request among its evidence, where it is not there yet."""
    message_id = wish.id.removeprefix("D-")
    if message_id in goal.evidence or goal.status not in _OPEN:
        return ()
    return (replace(goal, evidence=(*goal.evidence, message_id)[-EVIDENCE_KEPT:]),)
