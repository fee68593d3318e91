"""Facts, rules and possible additions as an answer-set program."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.kernels.clauses import ClauseClosure, HornClause, SignedAtom, derive, instances

MOST_INSTANCES = 50_000

RULES = """
{in(A)} :- open(A).
in(A) :- taken(A).
h(L) :- stated(L).
h(L) :- in(A), gives(A,L).
h(L) :- head(R,L), h(M) : pos(R,M); not h(M) : naf(R,M).
:- h(L), h(M), against(L,M).
"""
"""Literals and rules are numbers; `in` are the additions that are made."""


class Theory:
    """Ground rules and statements. `possible` are literals from additions."""

    def __init__(
        self,
        stated: Iterable[SignedAtom],
        clauses: Sequence[HornClause],
        possible: Iterable[SignedAtom],
        budget: Budget,
    ) -> None:
        self._stated, self._budget = list(stated), budget
        self._numbers: dict[SignedAtom, int] = {}
        anything = ClauseClosure()
        derive(
            dict.fromkeys([*self._stated, *possible], (1.0, "")),
            [replace(clause, unless=(), factor=1.0) for clause in clauses],
            budget,
            anything,
        )
        self._rules: dict[HornClause, None] = {}
        for rule in instances(clauses, anything, budget):
            self._rules[rule] = None
            at_most(len(self._rules), MOST_INSTANCES, "ground rules", argument="rules")

    def number(self, literal: SignedAtom) -> int:
        """Return the number of a literal in the program."""
        return self._numbers.setdefault(literal, len(self._numbers))

    def facts(self) -> list[asp.Atom]:
        """Return the theory as facts to accompany `RULES`; request the numbers of other literals first."""
        told: list[asp.Atom] = [("stated", (self.number(one),)) for one in self._stated]
        for number, rule in enumerate(self._budget.each(self._rules)):
            told.append(("head", (number, self.number(rule.head))))
            told += [("pos", (number, self.number(one))) for one in rule.body]
            told += [("naf", (number, self.number(one))) for one in rule.unless]
        for literal, number in self._numbers.items():
            against = self._numbers.get(literal.opposite)
            if literal.holds and against is not None:
                told.append(("against", (number, against)))
        return told
