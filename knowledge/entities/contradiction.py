"""Find facts that exclude each other: same subject and relation, overlapping times (S2, S0 section 20).

A relation is functional if a subject has one value at a time. Functional relations are declared, not guessed: a later
lesson would otherwise change earlier conclusions. All others are additive, and none of their objects ends another. Of
two values of a functional relation the earlier ends where the later begins, unless its end was stated. Values that
begin together, or overlap by a stated end, are flagged. Nothing is deleted, and times are never joined: a value that
returns is a second interval. The result does not depend on the order in which facts are learned.

Times are ISO 8601 and compare as text; "" is open. Validity includes its beginning and not its end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Action = Literal["supersede", "merge", "flag"]


@dataclass(frozen=True, slots=True)
class RelationClaim:
    """A claim that a subject has a relation to an object during a period.

    `superseded_by` is the id of the claim whose beginning ended this one; if it is empty, the end was stated.
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
    """Two claims that exclude each other, the action to take, and the reason."""

    existing: RelationClaim
    incoming: RelationClaim
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """The records to write after a new claim: it, the claims that changed with it, and the conflicts.

    If it was merged, `changed` has the existing claim that already states it instead.
    """

    changed: tuple[RelationClaim, ...]
    conflicts: tuple[RelationConflict, ...]


def settle(incoming: RelationClaim, existing: Iterable[RelationClaim], *, is_functional: bool) -> Settlement:
    """Return the settlement of a new claim with existing ones; those of another subject or relation are ignored."""
    related = [one for one in existing if (one.subject, one.relation) == (incoming.subject, incoming.relation)]
    same = [one for one in related if one.object == incoming.object and one.valid_from == incoming.valid_from]
    for twin in same:
        if told_end(twin) == told_end(incoming) or not told_end(twin) or not told_end(incoming):
            return _merge_twin(twin, incoming)
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
        if one.valid_from < incoming.valid_from and (ended := _end_claim(one, incoming)) != one:
            changed.append(ended)
        elif one.valid_from > incoming.valid_from:
            settled = _end_claim(settled, one)
    return Settlement((*changed, settled), tuple(conflicts))


def told_end(claim: RelationClaim) -> str:
    """Return the stated end of a claim, "" if it was superseded."""
    return "" if claim.superseded_by else claim.valid_to


def _merge_twin(twin: RelationClaim, incoming: RelationClaim) -> Settlement:
    """Return the claim that says the same already, with an end if only the newcomer knows one."""
    known = twin
    if told_end(incoming) and not told_end(twin):
        known = replace(twin, valid_to=incoming.valid_to, superseded_by="")
    conflict = RelationConflict(twin, incoming, "merge", "says the same of the same time")
    return Settlement((known,) if known != twin else (), (conflict,))


def _rivalry(one: RelationClaim, incoming: RelationClaim) -> RelationConflict | None:
    """Return the conflict of two values of a functional relation, None where no overlap is known."""
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


def _end_claim(older: RelationClaim, newer: RelationClaim) -> RelationClaim:
    """Return `older` ended where `newer` begins; a stated end stays, and so does an earlier one."""
    if told_end(older) or (older.valid_to and (older.valid_to, older.superseded_by) <= (newer.valid_from, newer.id)):
        return older
    return replace(older, valid_to=newer.valid_from, superseded_by=newer.id)
