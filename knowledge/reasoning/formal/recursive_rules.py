"""Learning of recursive rules: programs are tried by number of literals, each run to its fixed point.

The first that covers every positive example and no negative one has the fewest literals (Cropper and Morel 2021).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.formal.relations import LearnedRules, Relational, language, lesson, relations
from mabos.knowledge.reasoning.kernels.joins import Relations
from mabos.knowledge.reasoning.kernels.rule_search import Condition, Language, Search, Types, canonical

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.kernels.joins import Table

MOST_LITERALS = 12
"""Literals of a program, heads included."""
MOST_DERIVED = 100_000
"""Tuples a program may derive."""

Conditions = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The conditions of a rule, the positive examples it has at most, as bits, and without recursion what it has."""

    conditions: Conditions
    covered: int
    table: "Table | None" = None

    @property
    def literals(self) -> int:
        """Its size with its head."""
        return len(self.conditions) + 1


def program(problem: Relational, budget: Budget) -> tuple[LearnedRules, tuple[str, ...], bool]:
    """Return the smallest rules, caveats of the search, and whether time ran out before any fitted.

    If none fits, the rules cover as many positive examples as possible and no negative one.
    """
    programs = _Programs(problem, budget)
    late = False
    try:
        programs.search()
    except OutOfTime:
        late = True
    lessons = tuple(lesson(problem, one.conditions, one.covered.bit_count()) for one in programs.best)
    missing = tuple(one for place, one in enumerate(problem.positive) if not programs.covered >> place & 1)
    caveats = ["every variable of a rule occurs in it at least twice"]
    caveats += [f"programs of more than {MOST_LITERALS} literals were not looked for"] if missing and not late else []
    return LearnedRules(lessons, missing), tuple(caveats), late


class _Programs:
    """The programs of a problem, by their number of literals; `best` has `covered` of the positive examples."""

    def __init__(self, problem: Relational, budget: Budget) -> None:
        self.best: tuple[_Rule, ...] = ()
        self.covered = 0
        self._problem = problem
        self._budget = budget
        self._relations, self._examples = relations(problem)
        self._places = {tuple(row[1:]): row[0] for row in self._examples.tolist()}
        self._all = (1 << len(problem.positive)) - 1
        whole = language(problem)
        stated = {name: types for name, types in whole.relations.items() if name != problem.head}
        self._whole = _Bodies(whole, problem.head)
        plain = replace(whole, relations=stated)
        self._plain = _Bodies(plain, problem.head)
        count = len(problem.positive)
        self._single = Search(self._relations, plain, self._examples, self._all, count, budget)
        self._base: list[_Rule] = []
        self._recursive: list[_Rule] = []
        self._extensions: set[bytes] = set()

    def search(self) -> None:
        """Look at program after program until one fits; `best` is the best so far. Raises `OutOfTime`."""
        most = min(MOST_LITERALS, self._problem.max_clauses * (self._problem.max_body + 1))
        for literals in range(2, most + 1):
            if literals - 1 <= self._problem.max_body and self._is_alone(literals - 1):
                return
            for largest in range(2, min(literals - 2, self._problem.max_body + 1) + 1):
                self._fill(literals, largest)
                for rules in self._sets(literals, largest):
                    self._keep_better(rules)
                    if self.covered == self._all:
                        return

    def _is_alone(self, size: int) -> bool:
        """Keep one rule of a size that has all positive examples, if there is one."""
        for body in self._single.bodies(size):
            if is_tied(body.conditions, self._problem.arity):
                self.best, self.covered = (_Rule(body.conditions, self._all),), self._all
                return True
        return False

    def _fill(self, literals: int, largest: int) -> None:
        """Find the bodies that are needed for the first time: a recursive rule needs another one with it."""
        if largest == literals - 2:
            for conditions in self._plain.of(largest - 1, self._budget):
                self._add_base(conditions)
            for conditions in self._whole.of(largest - 1, self._budget):
                stated = [one for one in conditions if one[0] != self._problem.head]
                if len(stated) < len(conditions):
                    self._recursive.append(_Rule(conditions, self._within_reach(stated)))

    def _add_base(self, conditions: Conditions) -> None:
        """Add a rule without recursion, unless a smaller one has the same, or it has a negative example."""
        table = extension(self._relations, conditions, self._problem.arity)
        if table is None or not len(table) or table.tobytes() in self._extensions:
            return
        self._extensions.add(table.tobytes())
        covered = self._positives(table)
        if covered is not None:
            self._base.append(_Rule(conditions, covered, table))

    def _within_reach(self, stated: Sequence[Condition]) -> int:
        """Return the positive examples for which these conditions can hold, whatever the head may have, as bits."""
        places = {one: one for one in range(self._problem.arity + 1)}
        table: Table | None = self._examples[: len(self._problem.positive)]
        for name, columns in stated:
            mapped = [places.setdefault(one, len(places)) for one in columns]
            table = None if table is None else self._relations.join_table(table, name, mapped)
        return self._all if table is None else sum(1 << place for place in set(table[:, 0].tolist()))

    def _positives(self, derived: "Table | None") -> int | None:
        """Return the derived positive examples, as bits; None if a negative one is derived, or too much."""
        bits = 0
        for row in derived.tolist() if derived is not None else ():
            bits |= 1 << self._places[tuple(row)] if tuple(row) in self._places else 0
        return None if derived is None or bits & ~self._all else bits

    def _sets(self, literals: int, largest: int) -> Iterator[tuple[_Rule, ...]]:
        """Yield the sets of rules with just so many literals, the largest rule having just `largest`.

        One at least is without recursion; without any other all are. What rules have at most is all that is needed.
        """
        base = [one for one in self._base if one.literals <= largest]
        recursive = [one for one in self._recursive if one.literals <= largest]
        for chosen, left in self._enumerate_rules(base, 0, literals, self._problem.max_clauses):
            room = self._problem.max_clauses - len(chosen)
            for more, over in self._enumerate_rules(recursive, 0, left, room):
                rules = (*chosen, *more)
                if chosen and not over and max(one.literals for one in rules) == largest:
                    yield rules

    def _enumerate_rules(
        self, rules: Sequence[_Rule], start: int, literals: int, room: int
    ) -> Iterator[tuple[tuple[_Rule, ...], int]]:
        """Yield the sets of at most `room` rules from `start` on, and the literals they leave."""
        yield (), literals
        for place in range(start, len(rules) if room else 0):
            left = literals - rules[place].literals
            if left < 0:
                return
            self._budget.check()
            yield from (
                ((rules[place], *more), over) for more, over in self._enumerate_rules(rules, place + 1, left, room - 1)
            )

    def _keep_better(self, rules: tuple[_Rule, ...]) -> None:
        """Keep these rules if they have more of the positive examples than the best so far, and no negative one."""
        bits = 0
        for one in rules:
            bits |= one.covered
        recursive = [one.conditions for one in rules if one.table is None]
        if bits.bit_count() <= self.covered.bit_count():
            return
        if recursive:
            told = self._positives(self._fixpoint([one.table for one in rules if one.table is not None], recursive))
            bits = told or 0
        if bits.bit_count() > self.covered.bit_count():
            self.best, self.covered = rules, bits

    def _fixpoint(self, tables: "Sequence[Table]", rules: Sequence[Conditions]) -> "Table | None":
        """Return all that the rules derive from the tables, round after round; None if too much."""
        import numpy as np

        held = np.unique(np.concatenate(tables), axis=0)
        while True:
            self._budget.check()
            self._relations.put(self._problem.head, held)
            told = [extension(self._relations, one, self._problem.arity) for one in rules]
            grown = np.unique(np.concatenate([held, *(one for one in told if one is not None)]), axis=0)
            if len(grown) > MOST_DERIVED or any(one is None for one in told):
                return None
            if len(grown) == len(held):
                return held
            held = grown


@dataclass(slots=True)
class _Bodies:
    """The bodies of rules by size: every condition hangs together with the head."""

    language: Language
    head: str
    _front: list[tuple[Conditions, Types]] = field(default_factory=list)
    _seen: set[Conditions] = field(default_factory=set)

    def of(self, size: int, budget: Budget) -> Iterator[Conditions]:
        """Yield the bodies of a size; sizes are asked for in turn from 1."""
        arity = len(self.language.head)
        before = self._front if size > 1 else [((), (None, *self.language.head))]
        self._front = []
        for conditions, types in before:
            budget.check()
            for condition, held in self.language.conditions(types):
                budget.check()
                if condition in conditions or not any(one < len(types) for one in condition[1]):
                    continue
                if condition == (self.head, tuple(range(1, arity + 1))):
                    continue  # what is to be shown
                key = canonical((*conditions, condition), arity + 1, len(held))
                if key not in self._seen:
                    self._seen.add(key)
                    self._front.append(((*conditions, condition), held))
        for conditions, _ in self._front:
            if is_tied(conditions, arity):
                yield conditions


def is_tied(conditions: Sequence[Condition], arity: int) -> bool:
    """Return whether every argument of the head occurs in a body, and every other variable at least twice."""
    times = Counter(one for _, columns in conditions for one in columns)
    return all(times[one] for one in range(1, arity + 1)) and all(n > 1 for one, n in times.items() if one > arity)


def extension(known: Relations, conditions: Sequence[Condition], arity: int) -> "Table | None":
    """Return the tuples of a head with a given arity for which the conditions hold; None if too many bindings."""
    import numpy as np

    places: dict[int, int] = {}
    table: Table | None = np.zeros((1, 0), dtype=np.int64)
    for name, columns in conditions:
        if table is None:
            return None
        table = known.join_table(table, name, [places.setdefault(one, len(places)) for one in columns])
    return None if table is None else np.unique(table[:, [places[one] for one in range(1, arity + 1)]], axis=0)
