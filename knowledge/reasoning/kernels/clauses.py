"""Derivation of literals from facts and rules of any arity, with best confidences and proofs.

The confidence of a derived literal is the best over its derivations of min(supports) x factor. Factors are at most 1,
so literals are settled best first and each is visited once (Knuth, A generalization of Dijkstra's algorithm, 1977).
`unless` is negation as failure, by strata (Apt, Blair, Walker 1988). No order of facts or rules matters.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.values import compare

MOST = 100_000
"""The literals that may follow."""

Bindings: TypeAlias = dict[str, str]
_Relation: TypeAlias = tuple[bool, str, int]


def is_variable(term: str) -> bool:
    """Return whether a term is a variable."""
    return term.startswith("?")


class SignedAtom(NamedTuple):
    """An atom, its predicate first, that holds or, with `holds` False, is denied."""

    atom: tuple[str, ...]
    holds: bool = True

    @property
    def opposite(self) -> "SignedAtom":
        """Return its negation."""
        return SignedAtom(self.atom, not self.holds)

    @property
    def variables(self) -> frozenset[str]:
        """The variables in it."""
        return frozenset([term for term in self.atom[1:] if term.startswith("?")])

    @property
    def relation(self) -> _Relation:
        """The sign, predicate and arity."""
        return self.holds, self.atom[0], len(self.atom)

    def __str__(self) -> str:
        places = f"({', '.join(self.atom[1:])})" if len(self.atom) > 1 else ""
        return f"{'' if self.holds else 'not '}{self.atom[0]}{places}"


class TermComparison(NamedTuple):
    """A comparison of two terms, as amounts if both are (`knowledge.values.compare`)."""

    left: str
    operator: str
    right: str


@dataclass(frozen=True, slots=True)
class HornClause:
    """A rule: the head holds if the whole body does and none of `unless`."""

    id: str
    head: SignedAtom
    body: tuple[SignedAtom, ...]
    unless: tuple[SignedAtom, ...] = ()
    comparisons: tuple[TermComparison, ...] = ()
    factor: float = 1.0

    @property
    def unsafe(self) -> str:
        """The first unbound variable, or nothing."""
        bound = frozenset[str]().union(*(one.variables for one in self.body))
        read = [*self.head.atom[1:], *(term for one in self.unless for term in one.atom[1:])]
        read += [term for one in self.comparisons for term in (one.left, one.right)]
        return next((term for term in read if is_variable(term) and term not in bound), "")


@dataclass(frozen=True, slots=True)
class HeldAtom:
    """The support of a literal: its certainty, rule and premises; without a clause, it is stated with its id."""

    literal: SignedAtom
    confidence: float
    clause: HornClause | None = None
    uses: tuple[SignedAtom, ...] = ()
    id: str = ""


Stated: TypeAlias = Mapping[SignedAtom, tuple[float, str]]
"""A stated atom's confidence and its id."""


@dataclass(slots=True)
class ClauseClosure:
    """All that holds, indexed by relation and argument."""

    held: dict[SignedAtom, HeldAtom] = field(default_factory=dict)
    _by_relation: defaultdict[_Relation, list[SignedAtom]] = field(default_factory=lambda: defaultdict(list))
    _by_argument: defaultdict[tuple[_Relation, int, str], list[SignedAtom]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, held: HeldAtom) -> None:
        """Add a literal with final confidence."""
        literal = held.literal
        self.held[literal] = held
        relation = literal.relation
        self._by_relation[relation].append(literal)
        for place, term in enumerate(literal.atom[1:], 1):
            self._by_argument[relation, place, term].append(literal)

    def has(self, relation: _Relation) -> bool:
        """Return whether any literal of a relation holds."""
        return relation in self._by_relation

    def matching(self, pattern: SignedAtom) -> Iterator[Bindings]:
        """Yield the bindings under which a pattern holds."""
        for literal in self._candidates(pattern, {}):
            found = _unify_literal(pattern, literal, {})
            if found is not None:
                yield found

    def solutions(
        self, body: Sequence[SignedAtom], comparisons: Sequence[TermComparison], bound: Bindings, budget: Budget
    ) -> Iterator[Bindings]:
        """Yield the bindings under which a body holds, starting with the rarest literal. Raises `OutOfTime`."""
        if not _compares(comparisons, bound):
            return
        if not body:
            yield bound
            return
        found = [self._candidates(one, bound) for one in body]
        first = min(range(len(body)), key=lambda place: len(found[place]))
        rest = [one for place, one in enumerate(body) if place != first]
        for literal in budget.each(list(found[first])):
            bindings = _unify_literal(body[first], literal, bound)
            if bindings is not None:
                yield from self.solutions(rest, comparisons, bindings, budget)

    def _candidates(self, pattern: SignedAtom, bound: Bindings) -> Sequence[SignedAtom]:
        relation = pattern.relation
        best: Sequence[SignedAtom] = self._by_relation.get(relation, ())
        for place, term in enumerate(pattern.atom[1:], 1):
            value = bound.get(term, term)
            if not is_variable(value):
                some = self._by_argument.get((relation, place, value), ())
                best = some if len(some) < len(best) else best
        return best


def derive(stated: Stated, clauses: Sequence[HornClause], budget: Budget, into: ClauseClosure) -> None:
    """Add statements and their consequences to a closure; on timeout it holds those found so far.

    Raises `OutOfTime`, and `InvalidArgument` if a rule depends on its own absence or too much follows.
    """
    levels = _strata(clauses, budget)
    stated_at = defaultdict[int, list[SignedAtom]](list)
    heads = {clause.head.relation: level for level, some in enumerate(levels) for clause in some}
    for literal in budget.each(stated):
        stated_at[heads.get(literal.relation, 0)].append(literal)
    for level, some in enumerate(levels):
        _settle({one: stated[one] for one in stated_at[level]}, some, budget, into)


def instances(clauses: Iterable[HornClause], closure: ClauseClosure, budget: Budget) -> Iterator[HornClause]:
    """Yield each clause instantiated for all ways its body holds in a closure; `unless` is kept."""
    for clause in budget.each(clauses):
        for bindings in closure.solutions(clause.body, clause.comparisons, {}, budget):
            yield replace(
                clause,
                head=_fill_literal(clause.head, bindings),
                body=tuple(_fill_literal(one, bindings) for one in clause.body),
                unless=tuple(_fill_literal(one, bindings) for one in clause.unless),
                comparisons=(),
            )


def contradictions(closure: ClauseClosure) -> list[SignedAtom]:
    """Return the literals that both hold and are denied, sorted."""
    return sorted(one for one in closure.held if one.holds and one.opposite in closure.held)


def proof(closure: ClauseClosure, goals: Iterable[SignedAtom]) -> list[HeldAtom]:
    """Return the support of the goals and everything behind it, premises first, each once."""
    steps: dict[SignedAtom, HeldAtom] = {}
    waiting = [(goal, False) for goal in reversed(list(goals))]
    while waiting:
        literal, done = waiting.pop()
        held = closure.held[literal]
        if done:
            steps[literal] = held
        elif literal not in steps:
            waiting.append((literal, True))
            waiting.extend((one, False) for one in reversed(held.uses) if one not in steps)
    return list(steps.values())


def _settle(stated: Stated, clauses: Sequence[HornClause], budget: Budget, into: ClauseClosure) -> None:
    """Settle the literals of one stratum, the surest first; among equals in the order of their names."""
    clauses = sorted(clauses, key=_order)
    triggers = defaultdict[_Relation, list[tuple[int, int]]](list)
    for number, clause in enumerate(clauses):
        for place, one in enumerate(clause.body):
            triggers[one.relation].append((number, place))
    heap: list[tuple[float, SignedAtom, int, tuple[SignedAtom, ...]]] = []
    offered: dict[SignedAtom, tuple[float, int, tuple[SignedAtom, ...]]] = {}

    def fire(number: int, body: Sequence[SignedAtom], bound: Bindings) -> None:
        clause = clauses[number]
        for bindings in into.solutions(body, clause.comparisons, bound, budget):
            head = _fill_literal(clause.head, bindings)
            if head not in into.held and not any(_fill_literal(one, bindings) in into.held for one in clause.unless):
                uses = tuple(_fill_literal(one, bindings) for one in clause.body)
                surest = min((into.held[one].confidence for one in uses), default=1.0) * clause.factor
                offer = (-surest, number, uses)
                if head not in offered or offer < offered[head]:
                    offered[head] = offer
                    at_most(len(offered), MOST, "facts that follow", argument="facts")
                    heappush(heap, (-surest, head, number, uses))

    for literal, (confidence, _) in budget.each(stated.items()):
        heappush(heap, (-confidence, literal, -1, ()))
    for number, clause in enumerate(budget.each(clauses)):
        if all(into.has(one.relation) for one in clause.body):
            fire(number, clause.body, {})
    while heap:
        budget.check()
        negative, literal, number, uses = heappop(heap)
        if literal in into.held or negative == 0:
            continue
        rule = clauses[number] if number >= 0 else None
        into.add(HeldAtom(literal, -negative, rule, uses, "" if rule else stated[literal][1]))
        for number, place in triggers[literal.relation]:
            body = clauses[number].body
            bindings = _unify_literal(body[place], literal, {})
            if bindings is not None:
                fire(number, body[:place] + body[place + 1 :], bindings)


def _order(clause: HornClause) -> tuple[object, ...]:
    return clause.id, clause.head, clause.body, clause.unless, clause.comparisons, clause.factor


def _strata(clauses: Sequence[HornClause], budget: Budget) -> list[list[HornClause]]:
    """Return the clauses level by level: an atom required absent is settled on a level below."""
    if not any(clause.unless for clause in clauses):
        return [list(clauses)]
    height = defaultdict[_Relation, int](int)
    moved = True
    while moved:
        moved = False
        for clause in budget.each(clauses):
            needed = [height[one.relation] for one in clause.body] + [height[one.relation] + 1 for one in clause.unless]
            lowest = max(needed, default=0)
            if lowest > len(clauses):
                msg = f"rule {clause.id} depends on the absence of its own conclusion, so it has no meaning"
                raise InvalidArgument(msg, argument="rules")
            if lowest > height[clause.head.relation]:
                height[clause.head.relation], moved = lowest, True
    levels: list[list[HornClause]] = [[] for _ in range(max(height.values(), default=0) + 1)]
    for clause in clauses:
        levels[height[clause.head.relation]].append(clause)
    return levels


def _unify_literal(pattern: SignedAtom, literal: SignedAtom, bound: Bindings) -> Bindings | None:
    """Return `bound` extended so that the pattern equals the literal, or None."""
    if pattern.relation != literal.relation:
        return None
    found = dict(bound)
    for term, value in zip(pattern.atom[1:], literal.atom[1:], strict=True):
        if (found.setdefault(term, value) if is_variable(term) else term) != value:
            return None
    return found


def _fill_literal(pattern: SignedAtom, bound: Bindings) -> SignedAtom:
    return SignedAtom((pattern.atom[0], *(bound.get(term, term) for term in pattern.atom[1:])), pattern.holds)


def _compares(comparisons: Sequence[TermComparison], bound: Bindings) -> bool:
    """Return whether none of the comparisons whose terms have values fails."""
    for one in comparisons:
        left, right = bound.get(one.left, one.left), bound.get(one.right, one.right)
        if not is_variable(left) and not is_variable(right) and not compare(one.operator, left, right):
            return False
    return True
