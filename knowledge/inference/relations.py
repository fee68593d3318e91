"""Triples by predicate, indexed by subject and object: the relations that rules join."""

from collections.abc import Iterator
from dataclasses import dataclass

from mabos.knowledge.model import Rule

Triple = tuple[str, str, str]


class HeldTriple:
    """A triple that holds: its confidence, its rule (none if stated), its supports, and its dependents.

    Only the best witness is kept. `dependents` may include triples that now have another witness: check `rests_on`.
    """

    __slots__ = ("confidence", "dependents", "rule", "supports", "triple")

    def __init__(self, triple: Triple, confidence: float) -> None:
        self.triple = triple
        self.confidence = confidence
        self.rule: Rule | None = None
        self.supports: tuple[HeldTriple, ...] = ()
        self.dependents: list[HeldTriple] | tuple[()] = ()

    def supports_also(self, other: "HeldTriple") -> None:
        """Record that `other` depends on this one."""
        if self.dependents:
            self.dependents.append(other)
        else:
            self.dependents = [other]

    def rests_on(self, other: "HeldTriple") -> bool:
        """Return whether `other` is part of the witness."""
        return any(support is other for support in self.supports)

    def __repr__(self) -> str:
        return f"{' '.join(self.triple)} ({self.confidence:.4g})"


@dataclass(frozen=True, slots=True)
class StatedTriple:
    """A triple stated by someone, not derived by a rule."""

    confidence: float
    valid_from: str = ""
    valid_until: str = ""


class PredicateRelation:
    """All triples with one predicate, by subject and by object."""

    __slots__ = ("by_object", "by_subject", "size")

    def __init__(self) -> None:
        self.by_subject: dict[str, dict[str, HeldTriple]] = {}
        self.by_object: dict[str, dict[str, HeldTriple]] = {}
        self.size = 0

    def find(self, subject: str, object_: str) -> HeldTriple | None:
        """Return the triple with these ends, or None."""
        row = self.by_subject.get(subject)
        return None if row is None else row.get(object_)

    def add(self, held: HeldTriple) -> None:
        """Add a new triple."""
        subject, _, object_ = held.triple
        self.by_subject.setdefault(subject, {})[object_] = held
        self.by_object.setdefault(object_, {})[subject] = held
        self.size += 1

    def remove(self, held: HeldTriple) -> None:
        """Remove an existing triple."""
        subject, _, object_ = held.triple
        for index, first, second in ((self.by_subject, subject, object_), (self.by_object, object_, subject)):
            entries = index[first]
            del entries[second]
            if not entries:
                del index[first]
        self.size -= 1

    def count(self, subject: str | None, object_: str | None) -> int:
        """Return the number of triples with these ends (None is any)."""
        if subject is None:
            return self.size if object_ is None else len(self.by_object.get(object_, ()))
        row = self.by_subject.get(subject)
        if row is None:
            return 0
        return len(row) if object_ is None else int(object_ in row)

    def candidates(self, subject: str | None, object_: str | None) -> Iterator[HeldTriple]:
        """Yield the triples with these ends (None is any)."""
        if subject is None:
            if object_ is None:
                for row in self.by_subject.values():
                    yield from row.values()
            else:
                yield from self.by_object.get(object_, {}).values()
        elif object_ is None:
            yield from self.by_subject.get(subject, {}).values()
        elif (held := self.find(subject, object_)) is not None:
            yield held
