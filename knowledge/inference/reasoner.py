"""Derivation of triples: a semi-naive fixed point with confidences and witnesses, maintained exactly.

The confidence of a triple is the best over its derivations of min(supports) x factor, or its stated confidence if that
is higher. So no order of facts or rules matters. A triple is revisited only when its confidence rose. On a removal, the
triples whose witness rested on it are removed and rederived from the rest, then the consequences of those that return.
One witness per triple makes this exact: a removal can only lower a best derivation, and an untouched witness still
attains it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mabos.knowledge.inference.program import CompiledRule, RuleProgram
from mabos.knowledge.inference.relations import HeldTriple, PredicateRelation, StatedTriple, Triple
from mabos.knowledge.inference.triggers import Triggers, join_clauses
from mabos.knowledge.model import Rule

EPSILON = 1e-12
"""A confidence that differs by less is the same."""


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """The end of a run: the rule levels that derived anything, and whether nothing was left to derive."""

    levels: int
    converged: bool = True
    reason: str = ""


_Candidate = tuple[float, Rule | None, tuple[HeldTriple, ...]]
"""A way to hold a triple: how surely, by which rule (None is stated), from what. A tuple, since very many are made."""


class Reasoner:
    """Stated triples and everything that `rules` derive from them, at most `max_derived` triples."""

    def __init__(self, rules: Iterable[Rule], *, max_derived: int = 50_000) -> None:
        self.relations: dict[str, PredicateRelation] = {}
        self.program = RuleProgram(rules, self.relations)
        self.stated: dict[Triple, StatedTriple] = {}
        self.touched: dict[Triple, None] = {}
        """Triples that came, went or are held otherwise since this was last cleared."""
        self.size = 0
        self._triggers = Triggers(self.program, self._known_confidence)
        self._waiting: dict[Triple, _Candidate] = {}
        self._max_derived = max_derived

    def find(self, triple: Triple) -> HeldTriple | None:
        """Return a held triple, or None."""
        relation = self.relations.get(triple[1])
        return None if relation is None else relation.find(triple[0], triple[2])

    def held(self) -> Iterable[HeldTriple]:
        """Return all triples that hold."""
        for relation in self.relations.values():
            yield from relation.candidates(None, None)

    def change(self, stated: Mapping[Triple, StatedTriple | None], *, max_levels: int | None = None) -> FixedPoint:
        """Add, restate, or withdraw (None) statements, and derive the consequences.

        Only triples that depend on a change are revisited. If the run did not converge, discard the reasoner.
        """
        weakened = [triple for triple, now in stated.items() if self._weakens(triple, now)]
        for triple, now in stated.items():
            if now is None:
                self.stated.pop(triple, None)
            else:
                self.stated[triple] = now
                if self.find(triple) is not None:
                    self.touched[triple] = None
        removed = self._without(weakened)
        for triple, now in stated.items():
            if now is not None and now.confidence > 0:
                self._wait(triple, (now.confidence, None, ()))
        for held in removed:
            self._derive_again(held)
        return self.run(max_levels=max_levels)

    def run(self, *, max_levels: int | None = None) -> FixedPoint:
        """Derive until nothing new follows; a level is one round of all rules over the last level's results."""
        levels = 0
        while self._one_level():
            if not self._waiting:
                return FixedPoint(levels)
            if max_levels is not None and levels >= max_levels:
                return FixedPoint(levels, converged=False, reason=f"the limit of {max_levels} levels was reached")
            levels += 1
        return FixedPoint(levels, converged=False, reason=f"more than {self._max_derived} facts were derived")

    def _one_level(self) -> bool:
        """Accept the waiting triples and fire their rules; return False if there are too many to hold."""
        taken, self._waiting = self._waiting, {}
        room = self._max_derived + len(self.stated)
        for triple, candidate in taken.items():
            held = self._accept(triple, candidate)
            if held is not None:
                self._triggers.fire(held, self._offer)
                if self.size > room or len(self._waiting) > self._max_derived:
                    return False
        return True

    def _offer(
        self, compiled: CompiledRule, subject: str, object_: str, least: float, supports: tuple[HeldTriple, ...]
    ) -> None:
        rule = compiled.rule
        confidence = least * rule.confidence_factor
        row = compiled.relation.by_subject.get(subject)
        if row is not None:
            held = row.get(object_)
            if held is not None and held.confidence >= confidence - EPSILON:
                return
        triple = (subject, compiled.predicate, object_)
        waiting = self._waiting.get(triple)
        if waiting is None or waiting[0] < confidence - EPSILON:
            self._waiting[triple] = (confidence, rule, supports)

    def _known_confidence(self, compiled: CompiledRule, subject: str, object_: str) -> float:
        held = compiled.relation.find(subject, object_)
        waiting = self._waiting.get((subject, compiled.predicate, object_))
        sure = 0.0 if held is None else held.confidence
        return sure if waiting is None or waiting[0] < sure else waiting[0]

    def _wait(self, triple: Triple, candidate: _Candidate) -> None:
        waiting = self._waiting.get(triple)
        if waiting is None or waiting[0] < candidate[0] - EPSILON:
            self._waiting[triple] = candidate

    def _accept(self, triple: Triple, candidate: _Candidate) -> HeldTriple | None:
        """Hold a triple as `candidate` says, and return it; None if it is held at least as surely."""
        relation = self.program.relation(triple[1])
        held = relation.find(triple[0], triple[2])
        if held is None:
            held = HeldTriple(triple, candidate[0])
            relation.add(held)
            self.size += 1
        elif held.confidence >= candidate[0] - EPSILON:
            return None
        held.confidence, held.rule, held.supports = candidate
        for support in held.supports:
            support.supports_also(held)
        self.touched[triple] = None
        return held

    def _weakens(self, triple: Triple, now: StatedTriple | None) -> bool:
        held = self.find(triple)
        if held is None or held.rule is not None:
            return False
        return now is None or now.confidence < held.confidence - EPSILON

    def _without(self, triples: Iterable[Triple]) -> list[HeldTriple]:
        """Take out triples and all whose witness rests on them, and return these."""
        waiting = [held for held in map(self.find, triples) if held is not None]
        cone = {held.triple: held for held in waiting}
        while waiting:
            held = waiting.pop()
            for dependent in held.dependents:
                known = dependent.triple in cone or self.find(dependent.triple) is not dependent
                if not known and dependent.rests_on(held):
                    cone[dependent.triple] = dependent
                    waiting.append(dependent)
        for held in cone.values():
            self.program.relation(held.triple[1]).remove(held)
            self.touched[held.triple] = None
        self.size -= len(cone)
        return list(cone.values())

    def _derive_again(self, held: HeldTriple) -> None:
        stated = self.stated.get(held.triple)
        if stated is not None and stated.confidence > 0:
            self._wait(held.triple, (stated.confidence, None, ()))
        for compiled in self.program.concluding.get(held.triple[1], ()):
            values = compiled.with_ends(held.triple[0], held.triple[2])
            if values is None:
                continue
            supports: list[HeldTriple | None] = [None] * len(compiled.clauses)
            for least in join_clauses(compiled, compiled.clauses, values, supports, 1.0, self._known_confidence):
                found = tuple(one for one in supports if one is not None)
                self._offer(compiled, held.triple[0], held.triple[2], least, found)
