"""The reason why a fact is held: its derivation as a tree, and as text (S0 section 20)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.knowledge.fact_index import as_record
from mabos.knowledge.model import Fact

_NESTED = 50  # levels of nested data, which others must be able to read; the text goes as deep as is asked


@dataclass(frozen=True, slots=True)
class Explanation:
    """A fact, the explanations of its supports, and the ids of missing supports.

    `cut` means that there is more below, `told` that it appears elsewhere in the tree.
    """

    fact: Fact
    supports: tuple["Explanation", ...] = ()
    missing: tuple[str, ...] = ()
    cut: bool = False
    told: bool = False

    def as_json(self, levels: int = _NESTED) -> dict[str, Any]:
        """Return the tree as nested data; `deeper` marks more below, `told` that it appears elsewhere."""
        told: dict[str, Any] = {"fact": as_record(self.fact), "rule_id": self.fact.rule_id}
        told["supports"] = [one.as_json(levels - 1) for one in self.supports] if levels else []
        told |= {"missing": list(self.missing), "deeper": self.cut or (bool(self.supports) and not levels)}
        return told | ({"told": True} if self.told else {})

    def text(self) -> str:
        """Return the tree as an indented list, each derived confidence with its calculation."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        waiting = [(self, 0)]
        while waiting:
            one, level = waiting.pop()
            indent = "  " * level
            yield f"{indent}- {one.fact} ({one.fact.id}, confidence {one.fact.confidence:.4g}, {one._origin()})"
            yield from (f"{indent}  - {fact_id} is no longer held" for fact_id in one.missing)
            if one.cut or one.told:
                yield f"{indent}  - {'as told elsewhere' if one.told else '...'}"
            waiting += [(support, level + 1) for support in reversed(one.supports)]

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
    """Return the derivation of `fact` among `facts`, down to `depth` levels of supports.

    A shared support is expanded once, at its highest occurrence; this also ends circular references by people.
    """
    places, below = [(fact, 0)], [list[int]()]
    told, expanded = set[int](), set[str]()
    for place, (one, level) in enumerate(places):
        if one.id in expanded:
            told.add(place)
        elif one.derived_from and level < depth:
            expanded.add(one.id)
            for support in one.derived_from:
                if support in facts:
                    below[place].append(len(places))
                    places.append((facts[support], level + 1))
                    below.append([])
    made: dict[int, Explanation] = {}
    for place in reversed(range(len(places))):
        one = places[place][0]
        is_open = one.id in expanded and place not in told
        made[place] = Explanation(
            one,
            supports=tuple(made[support] for support in below[place]),
            missing=tuple(support for support in one.derived_from if support not in facts) if is_open else (),
            cut=bool(one.derived_from) and not is_open and place not in told,
            told=place in told,
        )
    return made[0]
