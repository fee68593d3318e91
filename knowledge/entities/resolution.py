"""Which records are the same thing: candidates by rare words, a score, and what may be done without asking.

What `verdict` calls `merge` was the same thing in at least 99 of 100 cases on every public set it was measured on;
`suggest` is for a person or a model to decide. Both limits were set on one half of the sets and hold on the other, see
`python -m bench.entities` (S2, "Auto-merge similar entities").

    found = matches({"a": record_of("sql-injection-risk", {}), "b": record_of("SQL injection risk", {})})
    verdict(found[0].score)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mabos.knowledge.entities.blocking import pairs
from mabos.knowledge.entities.likeness import Rarity, Record, likeness, profile

MERGE = 0.9
"""Score from which two records are one without a question."""
SUGGEST = 0.56
"""Score from which two records are more likely one than not."""

Verdict = Literal["merge", "suggest", "apart"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two records, by id, that may be the same thing; how alike they are, 0 to 1, and why."""

    a: str
    b: str
    score: float
    reasons: tuple[str, ...]


def verdict(score: float) -> Verdict:
    """Return what may be done with two records that are so alike.

    >>> verdict(0.95), verdict(0.7), verdict(0.2)
    ('merge', 'suggest', 'apart')
    """
    if score >= MERGE:
        return "merge"
    return "suggest" if score >= SUGGEST else "apart"


def matches(
    records: Mapping[str, Record], others: Mapping[str, Record] | None = None, *, least: float = SUGGEST
) -> list[Candidate]:
    """Return pairs of records at least so alike, the most alike first: within `records`, or of the two sides."""
    ones = {id_: profile(record) for id_, record in records.items()}
    rivals = None if others is None else {id_: profile(record) for id_, record in others.items()}
    rarity = Rarity([*ones.values(), *(rivals or {}).values()])
    second = ones if rivals is None else rivals
    found = []
    for a, b in pairs(ones, rivals, rarity):
        like = likeness(ones[a], second[b], rarity)
        if like.score >= least:
            found.append(Candidate(a, b, like.score, like.reasons))
    return sorted(found, key=lambda one: (-one.score, one.a, one.b))


def compared(record: Record, other: Record, among: Mapping[str, Record]) -> Candidate:
    """Return how alike two records are, where words are as rare as they are `among` all; ids are left empty."""
    rarity = Rarity(map(profile, among.values()))
    like = likeness(profile(record), profile(other), rarity)
    return Candidate("", "", like.score, like.reasons)
