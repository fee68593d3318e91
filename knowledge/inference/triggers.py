"""Firing of rules on a new triple: one trigger for each condition of each rule, of three kinds.

Most rules of a business have one or two conditions. With one condition, a trigger offers the conclusion at once; with
two, it iterates over the candidates of the other; with more, or with comparisons, it joins the rest, always taking the
condition with the fewest candidates first.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from mabos.knowledge.inference.program import CompiledRule, RuleClause, RuleProgram
from mabos.knowledge.inference.relations import HeldTriple

Offer = Callable[[CompiledRule, str, str, float, tuple[HeldTriple, ...]], None]
"""Takes a conclusion: its rule, subject and object, the least confidence among its supports, and those."""
Known = Callable[[CompiledRule, str, str], float]
"""Returns how sure a rule's conclusion with this subject and object is already, 0 if it is not."""
_UNBOUND = -1


class RuleTrigger(Protocol):
    """A condition of a rule as a trigger."""

    def fire(self, held: HeldTriple, subject: str, object_: str, offer: Offer) -> None:
        """Offer everything that follows from `held` in place of this condition."""


class _Placed:
    """A condition at its place in a rule, which a triple fits or does not."""

    __slots__ = ("clause", "compiled", "same", "wanted")

    def __init__(self, compiled: CompiledRule, position: int) -> None:
        self.compiled = compiled
        self.clause = compiled.clauses[position]
        self.wanted = compiled.template[self.clause.subject]
        self.same = self.clause.subject == self.clause.object

    def fits(self, subject: str, object_: str) -> bool:
        """Return whether a triple with these ends fits the condition, whose object is not a constant."""
        if (self.wanted is not None and self.wanted != subject) or (self.same and subject != object_):
            return False
        guards = self.clause.guards
        return not guards or all(guard(object_) for guard in guards)


class Alone(_Placed):
    """The only condition of a rule."""

    __slots__ = ("constants", "head")

    def __init__(self, compiled: CompiledRule) -> None:
        super().__init__(compiled, 0)
        self.constants = (compiled.template[compiled.subject] or "", compiled.template[compiled.object] or "")
        places = {self.clause.object: 1, self.clause.subject: 0}
        self.head = places.get(compiled.subject, 2), places.get(compiled.object, 3)

    def fire(self, held: HeldTriple, subject: str, object_: str, offer: Offer) -> None:
        """Offer the conclusion."""
        if not self.fits(subject, object_):
            return
        values = (subject, object_, *self.constants)
        offer(self.compiled, values[self.head[0]], values[self.head[1]], held.confidence, (held,))


class Pair(_Placed):
    """A trigger of a rule with two conditions; `ends` are the other one's end positions among the values."""

    __slots__ = ("constants", "ends", "head", "other", "twin")

    def __init__(self, compiled: CompiledRule, position: int) -> None:
        super().__init__(compiled, position)
        self.other = compiled.clauses[1 - position]
        clause, other, template = self.clause, self.other, compiled.template
        self.twin = other.subject == other.object
        places = {clause.object: 1, clause.subject: 0}
        slots = (other.subject, other.object, compiled.subject, compiled.object)
        self.constants = tuple(template[slot] or "" for slot in slots)
        ends = [places.get(slot, n + 2 if template[slot] is not None else _UNBOUND) for n, slot in enumerate(slots[:2])]
        self.ends = ends[0], ends[1]
        places = {other.object: 7, other.subject: 6, **places}
        self.head = places.get(compiled.subject, 4), places.get(compiled.object, 5)

    def fire(self, held: HeldTriple, subject: str, object_: str, offer: Offer) -> None:
        """Offer the conclusion with every triple that matches the other condition."""
        if not self.fits(subject, object_):
            return
        values = (subject, object_, *self.constants)
        first, second = self.ends
        found = self._others(
            values[first] if first != _UNBOUND else None, values[second] if second != _UNBOUND else None
        )
        confidence, compiled, (head, tail) = held.confidence, self.compiled, self.head
        earlier = self.clause.position == 0
        for other in found:
            its_subject, _, its_object = other.triple
            if self.other.guards and not all(guard(its_object) for guard in self.other.guards):
                continue
            if self.twin and its_subject != its_object:
                continue
            ends = (*values, its_subject, its_object)
            least = other.confidence if other.confidence < confidence else confidence
            offer(compiled, ends[head], ends[tail], least, (held, other) if earlier else (other, held))

    def _others(self, subject: str | None, object_: str | None) -> Iterable[HeldTriple]:
        relation = self.other.relation
        if subject is not None and object_ is not None:
            held = relation.find(subject, object_)
            return () if held is None else (held,)
        if subject is not None:
            row = relation.by_subject.get(subject)
            return () if row is None else row.values()
        return relation.candidates(None, object_)


class Several:
    """A trigger of a rule with many conditions, or with comparisons between them."""

    __slots__ = ("clause", "compiled", "known", "rest")

    def __init__(self, compiled: CompiledRule, position: int, known: Known) -> None:
        self.compiled = compiled
        self.clause = compiled.clauses[position]
        self.rest = [clause for clause in compiled.clauses if clause.position != position]
        self.known = known

    def fire(self, held: HeldTriple, subject: str, object_: str, offer: Offer) -> None:
        """Offer the conclusion for every way in which the other conditions hold."""
        compiled, values = self.compiled, list(self.compiled.template)
        if not bind(self.clause, values, subject, object_):
            return
        supports: list[HeldTriple | None] = [None] * len(compiled.clauses)
        supports[self.clause.position] = held
        for least in join_clauses(compiled, self.rest, values, supports, held.confidence, self.known):
            ends = values[compiled.subject], values[compiled.object]
            offer(compiled, str(ends[0]), str(ends[1]), least, tuple(one for one in supports if one is not None))


def bind(clause: RuleClause, values: list[str | None], subject: str, object_: str) -> bool:
    """Fill the slots of `clause` with the ends of a triple; return whether they fit."""
    for slot, value in ((clause.subject, subject), (clause.object, object_)):
        if values[slot] is None:
            values[slot] = value
        elif values[slot] != value:
            return False
    return not clause.guards or all(guard(object_) for guard in clause.guards)


def join_clauses(  # noqa: PLR0917  # all of them change from one level to the next, or are shared by all
    compiled: CompiledRule,
    rest: Sequence[RuleClause],
    values: list[str | None],
    supports: list[HeldTriple | None],
    least: float,
    known: Known,
) -> Iterator[float]:
    """Yield the minimum confidence for each way in which `rest` holds, with its `values` and `supports`.

    Ways that cannot raise the conclusion above its `known` confidence are skipped, since loosely connected conditions
    would have very many.
    """
    subject, object_ = values[compiled.subject], values[compiled.object]
    is_whole = subject is not None and object_ is not None
    if is_whole and known(compiled, str(subject), str(object_)) >= least * compiled.rule.confidence_factor:
        return
    if not rest:
        if compiled.holds(values):
            yield least
        return
    clause = narrowest(rest, values)
    if clause is None:
        return
    remaining = [one for one in rest if one is not clause]
    before = values[clause.subject], values[clause.object]
    for held in _choices(clause, values, least):
        subject, _, object_ = held.triple
        if bind(clause, values, subject, object_):
            supports[clause.position] = held
            yield from join_clauses(
                compiled, remaining, values, supports, held.confidence if held.confidence < least else least, known
            )
        values[clause.object] = before[1]
        values[clause.subject] = before[0]
    supports[clause.position] = None


def _choices(clause: RuleClause, values: Sequence[str | None], least: float) -> Iterable[HeldTriple]:
    """Return the triples that may hold a condition; only the surest where any would do."""
    found = clause.relation.candidates(values[clause.subject], values[clause.object])
    if not clause.private or not clause.is_aside(values):
        return found
    best: HeldTriple | None = None
    for held in found:
        is_better = best is None or held.confidence > best.confidence
        if is_better and clause.passes(held.triple[0], held.triple[2]):
            best = held
            if best.confidence >= least:
                break
    return () if best is None else (best,)


def narrowest(rest: Sequence[RuleClause], values: list[str | None]) -> RuleClause | None:
    """Return the condition with the fewest candidates, or None if one has none."""
    best, fewest = None, -1
    for clause in rest:
        count = clause.relation.count(values[clause.subject], values[clause.object])
        if count == 0:
            return None
        if best is None or count < fewest:
            best, fewest = clause, count
            if count == 1:
                break
    return best


class Triggers:
    """All triggers of a program, by the predicate of their condition and, if given, its object."""

    def __init__(self, program: RuleProgram, known: Known) -> None:
        self.by_predicate: dict[str, list[RuleTrigger]] = {}
        self.by_object: dict[tuple[str, str], list[RuleTrigger]] = {}
        for compiled in program.rules:
            for clause in compiled.clauses:
                trigger = _trigger(compiled, clause.position, known)
                constant = compiled.template[clause.object]
                if constant is None:
                    self.by_predicate.setdefault(clause.predicate, []).append(trigger)
                else:
                    self.by_object.setdefault((clause.predicate, constant), []).append(trigger)

    def fire(self, held: HeldTriple, offer: Offer) -> None:
        """Offer all conclusions from `held` and the existing triples."""
        subject, predicate, object_ = held.triple
        for trigger in self.by_predicate.get(predicate, ()):
            trigger.fire(held, subject, object_, offer)
        for trigger in self.by_object.get((predicate, object_), ()):
            trigger.fire(held, subject, object_, offer)


def _trigger(compiled: CompiledRule, position: int, known: Known) -> RuleTrigger:
    first, *others = compiled.clauses
    is_apart = any(not {first.subject, first.object} & {one.subject, one.object} for one in others)
    if compiled.comparisons or len(compiled.clauses) > 2 or is_apart:
        return Several(compiled, position, known)
    return Alone(compiled) if len(compiled.clauses) == 1 else Pair(compiled, position)
