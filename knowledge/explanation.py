"""Why a fact is held true: its derivation as a tree, and as text (S0 section 20)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowledge.fact_index import as_record
from knowledge.model import Fact


@dataclass(frozen=True, slots=True)
class Explanation:
    """A fact, the explanations of what it was derived from, and the ids of supports that are gone."""

    fact: Fact
    supports: tuple["Explanation", ...] = ()
    missing: tuple[str, ...] = ()
    cut: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the tree as nested data; `deeper` says that there is more below."""
        return {
            "fact": as_record(self.fact),
            "rule_id": self.fact.rule_id,
            "supports": [support.as_json() for support in self.supports],
            "missing": list(self.missing),
            "deeper": self.cut,
        }

    def text(self) -> str:
        """Return the tree as an indented list, each derived confidence with its calculation."""
        return "\n".join(self._lines(0))

    def _lines(self, level: int) -> Iterator[str]:
        indent = "  " * level
        yield f"{indent}- {self.fact} ({self.fact.id}, confidence {self.fact.confidence:.4g}, {self._origin()})"
        for support in self.supports:
            yield from support._lines(level + 1)
        yield from (f"{indent}  - {fact_id} is no longer held" for fact_id in self.missing)
        if self.cut:
            yield f"{indent}  - ..."

    def _origin(self) -> str:
        if not self.fact.derived:
            return f"stated by {self.fact.source or 'an unknown source'}"
        rule = f"derived by {self.fact.rule_id}" if self.fact.rule_id else "derived"
        least = min((support.fact.confidence for support in self.supports), default=0.0)
        if self.missing or not least:
            return rule
        listed = ", ".join(f"{support.fact.confidence:.4g}" for support in self.supports)
        return f"{rule}: min({listed}) x {self.fact.confidence / least:.4g}"


def explanation(fact: Fact, facts: Mapping[str, Fact], depth: int) -> Explanation:
    """Return the derivation of `fact` among `facts`, down to `depth` levels of supports."""
    if depth <= 0:
        return Explanation(fact, cut=bool(fact.derived_from))
    here = [support for support in fact.derived_from if support in facts]
    return Explanation(
        fact,
        supports=tuple(explanation(facts[support], facts, depth - 1) for support in here),
        missing=tuple(support for support in fact.derived_from if support not in facts),
    )
