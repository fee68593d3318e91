"""Terms that are the same as, or too like, terms that exist: the graded rule.

An equal label or synonym is a duplicate. So is a long term one or two letters away from another; a short one is only
worth a warning, since MRR and ARR, or Cart and Cost, are different things (S0 section 24 and S3 section 8.4 print a
plain "distance < 3", which refuses their own terms).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.knowledge.ontology.model import Concept
from mabos.knowledge.ontology.wording import distance, key, letters

NEAR = 3
"""Terms fewer edits apart than this are near each other."""
LONG = 8
"""Letters from which nearness may mean sameness."""
ALIKE = 0.85
"""Share of letters in common from which a near, long term counts as the same."""

Grade = Literal["reject", "warn"]


@dataclass(frozen=True, slots=True)
class Likeness:
    """A term and the existing concept it is like."""

    term: str
    concept: Concept
    existing: str
    distance: int
    grade: Grade

    def __str__(self) -> str:
        said = f"{self.term!r}"
        if key(self.term) == key(self.existing):
            which = "the label" if self.existing == self.concept.label else "a synonym"
            return f"{said} is {which} of {self.concept.id} ({self.concept.label}); use that concept"
        return f"{said} is {self.distance} letters from {self.existing!r} ({self.concept.id}); make sure it is meant"


def likenesses(names: Sequence[str], concepts: Iterable[Concept]) -> list[Likeness]:
    """Return what the `names` of a term have in common with `concepts`, the worst first."""
    found = [
        like
        for concept in concepts
        for existing in concept.names
        for name in names
        if (like := _likeness(name, concept, existing)) is not None
    ]
    return sorted(found, key=lambda one: (one.grade != "reject", one.distance, one.concept.id, one.term))


def _likeness(name: str, concept: Concept, existing: str) -> Likeness | None:
    one, other = name.casefold(), existing.casefold()
    if key(name) == key(existing):
        return Likeness(name, concept, existing, distance(one, other, NEAR), "reject")
    if abs(len(one) - len(other)) >= NEAR or (letters(one) ^ letters(other)).bit_count() > 2 * (NEAR - 1):
        return None
    apart = distance(one, other, NEAR - 1)
    return Likeness(name, concept, existing, apart, graded(one, other, apart)) if apart < NEAR else None


def graded(one: str, other: str, apart: int) -> Grade:
    """Return whether two different terms, `apart` edits from each other, are too like to stand side by side."""
    longest = max(len(one), len(other))
    return "reject" if apart < NEAR and longest >= LONG and 1 - apart / longest >= ALIKE else "warn"
