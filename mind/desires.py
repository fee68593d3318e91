"""An agent's desires, their priority, and their order (S3 4.1 and 6).

priority = 0.30 base + 0.25 importance + 0.25 urgency + 0.15 alignment + 0.05 dependencies
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mabos.knowledge.wording import are_opposed, name_key, plain, words
from mabos.mind.conditions import Lookup, direction, entails, holds, is_comparison, negation, parse, presume_holds
from mabos.mind.model import Belief, Desire, DesireType, Goal
from mabos.mind.times import due, moment
from mabos.workspace.copies import replace

WEIGHTS = {"base": 0.30, "importance": 0.25, "urgency": 0.25, "alignment": 0.15, "deps": 0.05}
"""The weight of each term of a priority (S3 6.1)."""
CERTAIN = 0.6
EXACT = 12
"""Digits that are kept: all that count, without the noise of binary fractions that a file would show."""
UNDATED_HORIZON_DAYS = 90
"""The span against which a deadline counts where nobody wrote down when the desire was created."""
_HOPELESS = words("impossible infeasible unreachable forbidden prohibited unattainable illegal hopeless")
_NO = frozenset({"no", "false"})
STANDING = ("active", "suspended")
WON = "won by bid: "
"""The prefix of the reason of a desire adopted for an award; the award's id follows."""

_VERB = re.compile(r"^(?:maintain|keep|achieve|reach|get|ensure|avoid|prevent|optimi[sz]e|have|hold)\s+", re.IGNORECASE)
_SCORE = re.compile(r"0(\.\d+)?|1(\.0+)?")
_MONEY_GOAL = re.compile(r"([$€£]?\d[\d.,]*[KMB]?)\s+(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Adoption:
    """The decision on a new desire, and the reason for a rejection."""

    adopted: bool
    reason: str = ""


def priority(base: float, importance: float, urgency: float, alignment: float, deps: float = 1.0) -> float:
    """Return the priority of a desire, in [0, 1] (S3 6.1)."""
    shares = (base, importance, urgency, alignment, deps)
    raw = sum(share * weight for share, weight in zip(shares, WEIGHTS.values(), strict=True))
    return round(min(1.0, max(0.0, raw)), EXACT)


def terms(
    desire: Desire, now: datetime, met: Mapping[str, float], lookup: Lookup | None = None
) -> dict[str, tuple[float, float]]:
    """Return the five terms of a desire's priority by name: the value in [0, 1], and the weighted value.

    A bare stated priority has no terms.
    """
    if desire.stated:
        return {}
    pressing, deps = urgency(desire, now), dependency_score(desire, met, lookup)
    shares = (desire.base, desire.importance, pressing, desire.alignment, deps)
    return {name: (share, share * WEIGHTS[name]) for name, share in zip(WEIGHTS, shares, strict=True)}


def urgency(desire: Desire, now: datetime) -> float:
    """Return `1 - remaining / total` within [0, 1], or the stated urgency without a deadline (S3 18.3)."""
    deadline = due(desire.deadline)
    if deadline is None:
        return desire.urgency
    created = moment(desire.created)
    remaining = (deadline - now).total_seconds()
    total = (deadline - created).total_seconds() if created else UNDATED_HORIZON_DAYS * 86400.0
    if total <= 0:
        return 1.0
    return round(min(1.0, max(0.0, 1 - remaining / total)), EXACT)


def satisfaction(desires: Iterable[Desire], goals: Iterable[Goal] = ()) -> dict[str, float]:
    """Return how far each desire and goal is met, in [0, 1], by id (a desire also by name)."""
    met: dict[str, float] = {}
    for desire in desires:
        met[desire.id] = met[desire.name] = 1.0 if desire.status == "fulfilled" else 0.0
    for goal in goals:
        met[goal.id] = 1.0 if goal.status == "achieved" else goal.progress / 100
    return met


def dependency_score(desire: Desire, met: Mapping[str, float], lookup: Lookup | None = None) -> float:
    """Return the mean satisfaction of the dependencies; without any it is 1, and an unknown one counts as blocked.

    A dependency may also be a condition on beliefs, or a stated score from 0 to 1.
    """
    if not desire.deps:
        return 1.0
    scores = [
        met[dep] if dep in met
        else float(dep) if _SCORE.fullmatch(dep)
        else float(lookup is not None and holds(dep, lookup) is True)
        for dep in desire.deps
    ]  # fmt: skip
    return sum(scores) / len(scores)


def rate_desire(desire: Desire, now: datetime, met: Mapping[str, float], lookup: Lookup | None = None) -> Desire:
    """Return `desire` with its priority, and its urgency if a deadline sets it; a bare stated priority is kept."""
    if desire.stated:
        return desire
    pressing = urgency(desire, now)
    deps = dependency_score(desire, met, lookup)
    scored = priority(desire.base, desire.importance, pressing, desire.alignment, deps)
    if (pressing, scored) == (desire.urgency, desire.priority):
        return desire
    return replace(desire, urgency=pressing, priority=scored)


def rank_desires(
    desires: Sequence[Desire], now: datetime, goals: Iterable[Goal] = (), lookup: Lookup | None = None
) -> tuple[Desire, ...]:
    """Return the desires rated, highest priority first, ties by name."""
    met = satisfaction(desires, goals)
    scored = [rate_desire(desire, now, met, lookup) for desire in desires]
    return tuple(sorted(scored, key=lambda desire: (-desire.priority, desire.name, desire.id)))


def is_fulfilled(desire: Desire, lookup: Lookup) -> bool | None:
    """Return whether the target of `desire` holds; None if it cannot be decided."""
    return presume_holds(desire.target, lookup) if is_comparison(desire.target) else None


def adoptable(
    desire: Desire, desires: Iterable[Desire], beliefs: Iterable[Belief], lookup: Lookup | None = None
) -> Adoption:
    """Return whether a new desire may be adopted (S3 6.2).

    It may not if a certain belief calls it impossible or states the opposite, or if an active desire of equal or higher
    priority wants the same or more.
    """
    about = _list_names(desire)
    for belief in beliefs:
        if belief.status != "held" or belief.certainty <= CERTAIN:
            continue
        if _denies(belief, about) or are_opposed(desire.name, belief.statement):
            return Adoption(False, f"belief {belief.id} ({belief.certainty:g}) speaks against it: {belief.statement}")
    for other in desires:
        if other.status == "active" and _wants_same(other, desire) and other.priority >= desire.priority:
            return Adoption(False, f"desire {other.id} already wants it, with priority {other.priority:g}")
        if other.status == "active" and _wants_more(other, desire) and other.priority >= desire.priority:
            why = f"desire {other.id} ({other.target}) covers it, with priority {other.priority:g}"
            return Adoption(False, why)
    if desire.type == "achieve" and lookup is not None and is_fulfilled(desire, lookup):
        return Adoption(False, f"its target holds already: {desire.target}")
    return Adoption(True)


def given_up_before(desire: Desire, desires: Iterable[Desire]) -> str:
    """Return why the same desire was dropped or fulfilled before, which bars it, or an empty text."""
    gone = (one for one in desires if one.status in ("dropped", "fulfilled") and _wants_same(one, desire))
    return next((f"{one.id} wanted it and was {one.status}: {one.reason}" for one in gone), "")


def target_of(name: str, kind: DesireType) -> str:
    """Return the condition spelled out in a desire's name, or an empty text.

    `Maintain cash runway > 6 months` gives just that, `Avoid churn > 5%` its opposite, `Achieve $100K MRR` a minimum,
    `Optimize CAC` a lower value.
    """
    text = _VERB.sub("", name.strip())
    if is_comparison(text) and len(parse(text)) == 1:
        return negation(text) if kind == "avoid" else text
    money = _MONEY_GOAL.fullmatch(text)
    if money and kind in ("achieve", "maintain"):
        return f"{money[2]} >= {money[1]}"
    if kind == "optimize":
        return text if direction(text) else ""
    return ""


def find_outlived(
    desires: Sequence[Desire], goals: Iterable[Goal] = (), news: Iterable[Belief] = ()
) -> tuple[Desire, ...]:
    """Return the active desires to give up now, dropped with the reason (S3 6.4).

    One is superseded if a higher one wants the same, and infeasible if `news` call it impossible.
    """
    ended = {one.id: one for one in _find_superseded(desires)}
    beliefs = [one for one in news if one.status == "held" and one.certainty > CERTAIN]
    if not beliefs:
        return tuple(ended.values())
    own: dict[str, list[Goal]] = {}
    for goal in goals:
        own.setdefault(goal.desire_id, []).append(goal)
    for desire in desires:
        serving = own.get(desire.id, [])
        if desire.id in ended or desire.status not in STANDING:
            continue
        about = _list_names(desire) | {name_key(goal.id) for goal in serving}
        if denied := next((one for one in beliefs if _denies(one, about)), None):
            reason = f"infeasible: belief {denied.id} ({denied.certainty:g}) says: {denied.statement}"
            ended[desire.id] = replace(desire, status="dropped", reason=reason)
    return tuple(ended.values())


def denial(desire: Desire, beliefs: Iterable[Belief]) -> Belief | None:
    """Return the certain belief that makes a desire impossible, or None."""
    about = _list_names(desire)
    sure = (one for one in beliefs if one.status == "held" and one.certainty > CERTAIN)
    return next((one for one in sure if _denies(one, about)), None)


def says_hopeless(belief: Belief) -> bool:
    """Return whether a belief is certain and calls its subject impossible."""
    return belief.status == "held" and belief.certainty > CERTAIN and _is_hopeless(belief)


def _find_superseded(desires: Iterable[Desire]) -> Iterator[Desire]:
    """Yield the active desires for which a terminal or weightier one has the same target.

    A desire that serves another is a step on its way, whatever its name. A desire promised for an award is owed.
    """
    alike: dict[tuple[str, str], list[Desire]] = {}
    for desire in desires:
        if desire.status == "active" and not desire.serves and not desire.reason.startswith(WON):
            wants = (desire.type, plain(desire.target)) if desire.target else ("", plain(desire.name))
            alike.setdefault(wants, []).append(desire)
    for same in alike.values():
        first, *others = sorted(same, key=lambda one: (one.category != "terminal", -one.priority, one.created, one.id))
        for other in others:
            yield replace(
                other, status="dropped", reason=f"superseded by {first.id} ({first.name}), which wants the same"
            )


def _wants_same(one: Desire, other: Desire) -> bool:
    if one.id == other.id:
        return False
    same_target = bool(one.target) and plain(one.target) == plain(other.target) and one.type == other.type
    return same_target or plain(one.name) == plain(other.name)


def _wants_more(one: Desire, other: Desire) -> bool:
    """Return whether one desire's target includes the other's; `maintain` includes `achieve`."""
    is_kind = one.type == other.type or (one.type == "maintain" and other.type == "achieve")
    return one.id != other.id and is_kind and entails(one.target, other.target)


def _list_names(desire: Desire) -> set[str]:
    """Return every name by which a belief may speak of a desire."""
    return {name_key(one) for one in (desire.id, desire.name, desire.target)} - {""}


def _denies(belief: Belief, about: Collection[str]) -> bool:
    """Return whether a belief says of something named `about` that it cannot be had."""
    return name_key(belief.subject) in about and _is_hopeless(belief)


def _is_hopeless(belief: Belief) -> bool:
    if name_key(belief.predicate) == "feasible" and plain(belief.value) in _NO:
        return True
    return bool(_HOPELESS & set(plain(belief.value or belief.statement).split()))


def ended_with(gone: Desire, desires: Iterable[Desire]) -> tuple[Desire, ...]:
    """Return the instrumental desires that lose their purpose when `gone` ends, dropped (S3 6.4)."""
    dropped: list[Desire] = []
    ended = {gone.id, gone.name}
    waiting = [desire for desire in desires if desire.category == "instrumental" and desire.serves]
    while lost := [desire for desire in waiting if desire.serves in ended and desire.status in STANDING]:
        for desire in lost:
            dropped.append(replace(desire, status="dropped", reason=_purposeless(gone, gone.status)))
            ended |= {desire.id, desire.name}
            waiting.remove(desire)
    return tuple(dropped)


def revive_desires(desires: Iterable[Desire]) -> tuple[Desire, ...]:
    """Return the desires that were dropped with one they served, active again if that one is."""
    known = tuple(desires)
    back = {_purposeless(one, "fulfilled") for one in known if one.status == "active"}
    return tuple(
        replace(one, status="active", reason="") for one in known if one.status == "dropped" and one.reason in back
    )


def _purposeless(gone: Desire, status: str) -> str:
    return f"the desire it served, {gone.name}, is {status}"


def released_goals(
    gone: Iterable[Desire], desires: Iterable[Desire], goals: Iterable[Goal], now: str
) -> tuple[Goal, ...]:
    """Return the open goals of removed desires: linked to another desire that they serve, or abandoned."""
    lost = {desire.id: desire for desire in gone}
    alive = [desire for desire in desires if desire.status == "active" and desire.id not in lost]
    changed = []
    for goal in goals:
        if goal.desire_id not in lost or goal.status in ("achieved", "abandoned"):
            continue
        heir = next((desire for desire in alive if goal.target and plain(desire.target) == plain(goal.target)), None)
        if heir is None:
            heir = next((desire for desire in alive if desire.id == lost[goal.desire_id].serves), None)
        linked = (
            replace(goal, desire_id=heir.id, updated=now) if heir else replace(goal, status="abandoned", updated=now)
        )
        changed.append(linked)
    return tuple(changed)
