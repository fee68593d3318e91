"""Facts that cannot both hold: of one subject and relation, and only while their times overlap (S2, S0 section 20).

A relation is functional if a subject has one value at a time, which is said of it and not guessed: what was learned
later would otherwise change what was concluded before. All others are additive, and no object of theirs ever ends
another. Of two values of a functional relation the earlier ends where the later begins, unless its end was told;
what begins at the same time or was told to overlap is flagged. Nothing is deleted, and no two times become one: a value
that comes back is a second interval. The outcome does not depend on the order in which facts are learned.

Times are ISO 8601 and compare as text; "" is open. Validity includes its beginning and not its end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Action = Literal["supersede", "merge", "flag"]


@dataclass(frozen=True, slots=True)
class RelationClaim:
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
class RelationConflict:
    """Two claims that do not go together, and what becomes of that."""

    existing: RelationClaim
    incoming: RelationClaim
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """What to write after a claim arrived: it and those that changed with it, and why.

    Where it was merged, it is not among `changed`, but the claim is that already said it.
    """

    changed: tuple[RelationClaim, ...]
    conflicts: tuple[RelationConflict, ...]


def settle(incoming: RelationClaim, existing: Iterable[RelationClaim], *, is_functional: bool) -> Settlement:
    """Return what becomes of a claim among those that exist; those of another subject or relation are ignored."""
    related = [one for one in existing if (one.subject, one.relation) == (incoming.subject, incoming.relation)]
    same = [one for one in related if one.object == incoming.object and one.valid_from == incoming.valid_from]
    for twin in same:
        if told_end(twin) == told_end(incoming) or not told_end(twin) or not told_end(incoming):
            return _merged(twin, incoming)
    conflicts = [
        RelationConflict(twin, incoming, "flag", f"one claim, two ends: {told_end(twin)}, {told_end(incoming)}")
        for twin in same
    ]
    if not is_functional:
        return Settlement((incoming,), tuple(conflicts))
    settled, changed = incoming, []
    for one in sorted(related, key=lambda one: (one.valid_from, one.id)):
        conflict = _rivalry(one, incoming) if one not in same else None
        if conflict is not None:
            conflicts.append(conflict)
        if one.valid_from < incoming.valid_from and (ended := _ended(one, incoming)) != one:
            changed.append(ended)
        elif one.valid_from > incoming.valid_from:
            settled = _ended(settled, one)
    return Settlement((*changed, settled), tuple(conflicts))


def told_end(claim: RelationClaim) -> str:
    """Return the end that was told of a claim, and not found by superseding it."""
    return "" if claim.superseded_by else claim.valid_to


def _merged(twin: RelationClaim, incoming: RelationClaim) -> Settlement:
    """Return the claim that says the same already, with an end if only the newcomer knows one."""
    known = twin
    if told_end(incoming) and not told_end(twin):
        known = replace(twin, valid_to=incoming.valid_to, superseded_by="")
    conflict = RelationConflict(twin, incoming, "merge", "says the same of the same time")
    return Settlement((known,) if known != twin else (), (conflict,))


def _rivalry(one: RelationClaim, incoming: RelationClaim) -> RelationConflict | None:
    """Return what two values of a functional relation are to each other, None where they are not known to overlap."""
    older, newer = (one, incoming) if one.valid_from < incoming.valid_from else (incoming, one)
    end = told_end(older)
    if one.object == incoming.object or (older.valid_to and older.valid_to <= newer.valid_from):
        return None
    if one.valid_from == incoming.valid_from:
        is_known = bool(one.valid_from) or end == told_end(newer)
        begun = one.valid_from or "at an unknown time"
        return RelationConflict(one, incoming, "flag", f"both begin {begun}") if is_known else None
    if end:
        return RelationConflict(one, incoming, "flag", f"{newer.valid_from} lies before the told end {end}")
    return RelationConflict(one, incoming, "supersede", f"{newer.object} begins {newer.valid_from}")


def _ended(older: RelationClaim, newer: RelationClaim) -> RelationClaim:
    """Return `older` as it is once `newer` has begun; a told end stays, and so does an earlier one."""
    if told_end(older) or (older.valid_to and (older.valid_to, older.superseded_by) <= (newer.valid_from, newer.id)):
        return older
    return replace(older, valid_to=newer.valid_from, superseded_by=newer.id)
