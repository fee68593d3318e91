"""Beliefs that cannot both hold, found through indexes, never by comparing all pairs (S0 10, S1 14, S3 18.4).

Two beliefs conflict only if both are certain enough. They give one claim different values, have one heading with
different content, or differ only by opposite terms or a final number. Nothing is deleted: the winner is named, the
other is flagged for review.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mabos.knowledge.wording import name_key, skeleton, words
from mabos.mind.beliefs import SUPERSEDE_MARGIN, claim, content, single_valued, stands, structure_belief
from mabos.mind.model import Belief
from mabos.mind.spelling import number_text
from mabos.mind.times import moment

THRESHOLD = 0.6
_NUMBERED = re.compile(r"(?:^|\s)([^\s:=]+)\s+#?\d[\d.]*\s*$")
_SAYING = words("is are was were be at to has have had reached fell rose about around over under than only exactly")
"""After these a number is what is said; after any other word, as in "Customer 17" or "Revenue in 2025", it names."""


@dataclass(frozen=True, slots=True)
class BeliefConflict:
    """Two contradicting beliefs, the severity (the lower certainty), and the winner."""

    a: Belief
    b: Belief
    subject: str
    reason: str
    severity: float
    winner: Belief
    resolution: str

    @property
    def loser(self) -> Belief:
        """The belief that is flagged for review."""
        return self.b if self.winner is self.a else self.a


def conflicts(
    beliefs: Iterable[Belief], *, threshold: float = THRESHOLD, margin: float = SUPERSEDE_MARGIN
) -> tuple[BeliefConflict, ...]:
    """Return the conflicts among `beliefs`, gravest first.

    In a contradicting group each belief is compared with the winner only. So a thousand opinions on one claim are a
    thousand conflicts, not half a million.
    """
    certain = [belief for belief in beliefs if belief.certainty > threshold and belief.status != "superseded"]
    found: dict[frozenset[str], BeliefConflict] = {}
    for group in _groups(certain):
        for a, b in _pairs(group, margin):
            key = frozenset((a.id, b.id))
            if len(key) == 2 and key not in found:
                found[key] = _conflict(a, b, margin)
    return tuple(sorted(found.values(), key=lambda one: (-one.severity, one.subject, one.a.id, one.b.id)))


def flag_losers(found: Sequence[BeliefConflict]) -> tuple[Belief, ...]:
    """Return the losers that are not yet flagged, now flagged, each once."""
    losers = {one.loser.id: one.loser for one in found}
    winners = {one.winner.id for one in found}
    return tuple(
        replace(belief, status="flagged")
        for belief in losers.values()
        if belief.status == "held" and belief.id not in winners
    )


def report(found: Sequence[BeliefConflict], day: datetime) -> str:
    """Return the conflict report of one day, or an empty text without conflicts."""
    if not found:
        return ""
    parts = [
        f"# BDI Conflict Report — {day:%Y-%m-%d}\n\n> {len(found)} conflict(s) detected during maintenance cycle.\n"
    ]
    parts += [_entry(number, one) for number, one in enumerate(found, 1)]
    return "\n".join(parts)


def _groups(beliefs: Sequence[Belief]) -> Iterator[list[tuple[str, Belief]]]:
    """Yield beliefs on the same matter, each with its content; those with different content conflict."""
    claims: dict[tuple[str, str], list[tuple[str, Belief]]] = defaultdict(list)
    frames: dict[tuple[str, ...], list[tuple[str, Belief]]] = defaultdict(list)
    for belief in beliefs:
        shaped = structure_belief(belief)
        if single_valued(shaped) and (shaped.value or not shaped.predicate):
            claims[claim(shaped)].append((content(shaped), belief))
        if not shaped.value:
            _add_frames(frames, belief)
    yield from (group for group in (*claims.values(), *frames.values()) if len(group) > 1)


def _add_frames(frames: dict[tuple[str, ...], list[tuple[str, Belief]]], belief: Belief) -> None:
    for text in {belief.statement, belief.subject}:
        bones = skeleton(text)
        if len(bones.frame) > 1:
            number = _NUMBERED.search(text)
            is_name = number is not None and number[1].casefold() not in _SAYING
            frames[(*bones.frame, bones.amount) if is_name else bones.frame].append(
                (f"{bones.signs} {bones.amount}", belief)
            )


def _pairs(group: Sequence[tuple[str, Belief]], margin: float) -> Iterator[tuple[Belief, Belief]]:
    """Yield the standing belief of a group with each one that says something else, in the order of the file."""
    standing_said, standing = group[0]
    for said, belief in group[1:]:
        if said != standing_said and stands(standing, belief, margin=margin).winner is belief:
            standing_said, standing = said, belief
    at = next(place for place, (_, belief) in enumerate(group) if belief is standing)
    for place, (said, belief) in enumerate(group):
        if said != standing_said:
            yield (belief, standing) if place < at else (standing, belief)


def _conflict(a: Belief, b: Belief, margin: float) -> BeliefConflict:
    standing = stands(a, b, margin=margin)
    letter, other = ("A", "B") if standing.winner is a else ("B", "A")
    certainties = f"{number_text(a.certainty)}, {number_text(b.certainty)}"
    return BeliefConflict(
        a=a,
        b=b,
        subject=a.subject or b.subject,
        reason=f"Both have high certainty ({certainties}) but different content",
        severity=min(a.certainty, b.certainty),
        winner=standing.winner,
        resolution=f"Belief {letter} wins ({standing.reason}); Belief {other} flagged for review",
    )


def _entry(number: int, one: BeliefConflict) -> str:
    title = f"## Conflict {number}" + (f": {one.subject}" if one.subject else "")
    return "\n".join(
        [
            title,
            "",
            f"- **Belief A:** {_describe_belief(one.a, one.b)}",
            f"- **Belief B:** {_describe_belief(one.b, one.a)}",
            f"- **Category:** {one.a.category}",
            f"- **Reason:** {one.reason}",
            f"- **Severity:** {number_text(one.severity)}",
            f"- **Resolution:** {one.resolution}",
            "",
        ]
    )


def _describe_belief(belief: Belief, other: Belief) -> str:
    """Return a belief with its heading, where that is neither its statement nor the heading of both."""
    at = moment(belief.updated)
    date = f"{at:%Y-%m-%d}" if at else "undated"
    source = " ".join(belief.source.split()) or "unknown"
    said = " ".join(belief.statement.split())
    heading = " ".join(belief.subject.split())
    is_own = not belief.predicate and name_key(heading) not in ("", name_key(said), name_key(other.subject))
    title = f"{heading}: " if is_own else ""
    value = f", value: {' '.join(belief.value.split())}" if belief.value and belief.value not in said else ""
    return f'{title}"{said}" (certainty: {number_text(belief.certainty)}, source: {source}, date: {date}{value})'
