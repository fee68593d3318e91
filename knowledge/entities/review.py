"""Records that need review: contradicting statements, and possible duplicates (S2)."""

from dataclasses import dataclass
from typing import Any

from mabos.knowledge.entities.agreement import MemoryRules, rivals
from mabos.knowledge.entities.model import ENTITY_TYPES, Entity
from mabos.knowledge.entities.resolution import Verdict, judge, matches
from mabos.knowledge.entities.statistics import MemoryFigures
from mabos.knowledge.similarity import record_of


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two entities that contradict each other, or compete as a subject's only object; and the reason."""

    one: Entity
    other: Entity
    reason: str
    relations: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return its fields; the entities by address."""
        pair = {"entities": [self.one.address, self.other.address], "ids": [self.one.id, self.other.id]}
        return pair | {"reason": self.reason, "relations": list(self.relations)}


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two entities that may be the same, their similarity, and the verdict."""

    one: Entity
    other: Entity
    score: float
    reasons: tuple[str, ...]
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """Return its fields; the entities by address."""
        pair = {"entities": [self.one.address, self.other.address], "ids": [self.one.id, self.other.id]}
        return pair | {"score": round(self.score, 4), "reasons": list(self.reasons), "verdict": self.verdict}


def disputes(figures: MemoryFigures, rules: MemoryRules, now: str) -> list[Dispute]:
    """Return the contradictions that hold now and are undecided: deliberation settles them."""
    there = {one.id: one for one in figures.entities}
    found = [
        Dispute(there[one.from_id], there[one.to_id], str(one.properties.get("reason", "")), (one.id,))
        for one in figures.relations
        if one.type == "CONTRADICTS" and one.from_id in there and one.to_id in there
    ]
    for one in rivals(figures.relations, rules, now):
        pair = (one.existing.object, one.incoming.object)
        if all(end in there for end in pair):
            reason = f"{there[one.existing.subject].address}: {one.reason}"
            found.append(Dispute(there[pair[0]], there[pair[1]], reason, (one.existing.id, one.incoming.id)))
    return found


def duplicates(figures: MemoryFigures) -> list[Duplicate]:
    """Return pairs of entities of one type and circle that may be the same, most similar first."""
    pairs = [one for kind in ENTITY_TYPES for one in _alike(figures, kind)]
    return sorted(pairs, key=lambda one: (-one.score, one.one.id, one.other.id))


def _alike(figures: MemoryFigures, type_: str) -> list[Duplicate]:
    said: dict[str, list[str]] = {}
    for one in figures.observations:
        said.setdefault(one.entity_id, []).append(one.content)
    there = {one.id: one for one in figures.entities if one.type == type_}
    records = {
        one.id: record_of(one.name, {"label": one.label, **one.properties}, said.get(one.id, ()))
        for one in there.values()
    }
    return [
        Duplicate(there[found.a], there[found.b], found.score, found.reasons, judge(records, found))
        for found in matches(records)
        if there[found.a].audience == there[found.b].audience
    ]
