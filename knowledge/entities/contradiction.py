"""Facts that cannot both hold: of one subject and relation, and only while their times overlap (S2, S0 section 20).

A relation is functional if a subject has one value at a time; all others are additive, and no object of theirs ever
ends another. Of two values of a functional relation the earlier ends where the later begins, unless its end was told;
what begins at the same time or was told to overlap is flagged. Nothing is deleted, and no two times become one: a value
that comes back is a second interval. The outcome does not depend on the order in which facts are learned.

Times are ISO 8601 and compare as text; "" is open. Validity includes its beginning and not its end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from knowledge.values import parse_quantity

Action = Literal["supersede", "merge", "flag"]

SUPPORT = 10
"""Subjects whose values must have succeeded each other before a relation counts as functional."""
_EXCEPTIONS = 0.02
"""Share of successions that may overlap nevertheless, since data err."""


@dataclass(frozen=True, slots=True)
class Claim:
    """That a subject stands in a relation to an object, from when to when.

    `superseded_by` is the id of the claim whose beginning ended this one; where it is empty the end was told.
    """

    id: str
    subject: str
    relation: str
    object: str
    valid_from: str = ""
    valid_to: str = ""
    superseded_by: str = ""

    def holds(self, at: str) -> bool:
        """Return whether the claim is valid at a moment."""
        return self.valid_from <= at and (not self.valid_to or at < self.valid_to)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims that do not go together, and what becomes of that."""

    existing: Claim
    incoming: Claim
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What to write after a claim arrived: it and those that changed with it, and why.

    Where it was merged, it is not among `changed`, but the claim is that already said it.
    """

    changed: tuple[Claim, ...]
    conflicts: tuple[Conflict, ...]


def settle(incoming: Claim, existing: Iterable[Claim], *, is_functional: bool) -> Settled:
    """Return what becomes of a claim among those that exist; those of another subject or relation are ignored."""
    related = [one for one in existing if (one.subject, one.relation) == (incoming.subject, incoming.relation)]
    same = [one for one in related if one.object == incoming.object and one.valid_from == incoming.valid_from]
    for twin in same:
        if told_end(twin) == told_end(incoming) or not told_end(twin) or not told_end(incoming):
            return _merged(twin, incoming)
    conflicts = [
        Conflict(twin, incoming, "flag", f"one claim, two ends: {told_end(twin)}, {told_end(incoming)}")
        for twin in same
    ]
    if not is_functional:
        return Settled((incoming,), tuple(conflicts))
    settled, changed = incoming, []
    for one in sorted(related, key=lambda one: (one.valid_from, one.id)):
        conflict = _rivalry(one, incoming) if one not in same else None
        if conflict is not None:
            conflicts.append(conflict)
        if one.valid_from < incoming.valid_from and (ended := _ended(one, incoming)) != one:
            changed.append(ended)
        elif one.valid_from > incoming.valid_from:
            settled = _ended(settled, one)
    return Settled((*changed, settled), tuple(conflicts))


def told_end(claim: Claim) -> str:
    """Return the end that was told of a claim, and not found by superseding it."""
    return "" if claim.superseded_by else claim.valid_to


def holding(claims: Iterable[Claim], at: str) -> list[Claim]:
    """Return the claims that hold at a moment."""
    return [one for one in claims if one.holds(at)]


def functional_relations(claims: Iterable[Claim], *, support: int = SUPPORT) -> frozenset[str]:
    """Return the relations of which a subject has one value at a time, as far as the claims show it beyond doubt.

    It takes `support` subjects whose different values begin at different times, hardly any two at once. Besides, a
    value must be seen to end the one before it: all are quantities, of which a later one replaces an earlier, or most
    end on the day on which the next begins. Events that happen to lie apart, such as awards or visits, show neither.
    What began at an unknown time shows nothing.
    """
    values: defaultdict[str, defaultdict[str, list[Claim]]] = defaultdict(lambda: defaultdict(list))
    for one in claims:
        if one.valid_from:
            values[one.relation][one.subject].append(one)
    return frozenset(relation for relation, subjects in values.items() if _is_functional(subjects.values(), support))


def _merged(twin: Claim, incoming: Claim) -> Settled:
    """Return the claim that says the same already, with an end if only the newcomer knows one."""
    known = twin
    if told_end(incoming) and not told_end(twin):
        known = replace(twin, valid_to=incoming.valid_to, superseded_by="")
    conflict = Conflict(twin, incoming, "merge", "says the same of the same time")
    return Settled((known,) if known != twin else (), (conflict,))


def _rivalry(one: Claim, incoming: Claim) -> Conflict | None:
    """Return what two values of a functional relation are to each other, None where they are not known to overlap."""
    older, newer = (one, incoming) if one.valid_from < incoming.valid_from else (incoming, one)
    end = told_end(older)
    if one.object == incoming.object or (older.valid_to and older.valid_to <= newer.valid_from):
        return None
    if one.valid_from == incoming.valid_from:
        is_known = bool(one.valid_from) or end == told_end(newer)
        begun = one.valid_from or "at an unknown time"
        return Conflict(one, incoming, "flag", f"both begin {begun}") if is_known else None
    if end:
        return Conflict(one, incoming, "flag", f"{newer.valid_from} lies before the told end {end}")
    return Conflict(one, incoming, "supersede", f"{newer.object} begins {newer.valid_from}")


def _ended(older: Claim, newer: Claim) -> Claim:
    """Return `older` as it is once `newer` has begun; a told end stays, and so does an earlier one."""
    if told_end(older) or (older.valid_to and (older.valid_to, older.superseded_by) <= (newer.valid_from, newer.id)):
        return older
    return replace(older, valid_to=newer.valid_from, superseded_by=newer.id)


def _is_functional(subjects: Collection[list[Claim]], support: int) -> bool:
    changing = [claims for claims in subjects if len({one.object for one in claims}) > 1]
    if len(changing) < support:
        return False
    steps = [step for claims in changing for step in pairwise(sorted(claims, key=lambda one: one.valid_from))]
    steps = [(one, later) for one, later in steps if one.object != later.object]
    clashes = sum(not _succeeds(one, later) for one, later in steps)
    if clashes > _EXCEPTIONS * len(steps):
        return False
    if all(parse_quantity(one.object) is not None for claims in subjects for one in claims):
        return True
    return sum(bool(one.valid_to) and one.valid_to == later.valid_from for one, later in steps) >= 0.8 * len(steps)


def _succeeds(one: Claim, later: Claim) -> bool:
    end = told_end(one)
    return one.valid_from < later.valid_from and (not end or end <= later.valid_from)
