"""Proofs of a goal: only relevant rules run, conditions share their variables, and cycles end (S0 22).

Every subgoal, a predicate with or without each of its ends, has one table of answers. A table is computed from the
rules that conclude it over the statements and the tables of their conditions. It is recomputed whenever one of those
has grown, until none grows. Answers have the best confidence over all derivations, exactly as in forward inference. If
that is expensive, as for a goal with both ends open over long chains, the relevant part is derived forwards.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mabos.knowledge.inference.program import CompiledRule, RuleClause, RuleProgram
from mabos.knowledge.inference.reasoner import EPSILON, Reasoner
from mabos.knowledge.inference.relations import HeldTriple, PredicateRelation, StatedTriple, Triple
from mabos.knowledge.inference.triggers import bind
from mabos.knowledge.matching import Candidates
from mabos.knowledge.model import Rule

_STEPS = 200_000
"""Answers looked at after which deriving forwards is less work."""
Goal = tuple[str | None, str, str | None]
"""Subject, predicate and object; None is anything."""


@dataclass(frozen=True, slots=True)
class ProvedTriple:
    """A proved triple: its confidence, rule and supports; a stated one has no rule."""

    triple: Triple
    confidence: float
    fact_id: str = ""
    rule: Rule | None = None
    supports: tuple[Triple, ...] = ()


@dataclass(slots=True)
class _GoalTable:
    goal: Goal
    answers: dict[Triple, ProvedTriple] = field(default_factory=dict)
    wanted_by: dict[Goal, None] = field(default_factory=dict)


class Prover:
    """A prover of goals from stated facts (`candidates`) by rules; it holds at most `max_answers`."""

    def __init__(self, rules: Iterable[Rule], candidates: Candidates, *, max_answers: int = 50_000) -> None:
        self._program = RuleProgram(rules, dict[str, PredicateRelation]())
        self._candidates = candidates
        self._tables: dict[Goal, _GoalTable] = {}
        self._waiting: dict[Goal, None] = {}
        self._max_answers = max_answers
        self._count = 0
        self._steps = 0
        self._settled: dict[str, Reasoner] = {}
        self._ids: dict[Triple, str] = {}

    @property
    def is_exhausted(self) -> bool:
        """Return whether there were too many answers, so that some may be missing."""
        return self._count > self._max_answers

    def prove(self, subject: str | None, predicate: str, object_: str | None) -> list[ProvedTriple]:
        """Return every matching triple that follows, most certain first."""
        if predicate not in self._settled:
            table = self._table((subject, predicate, object_), None)
            while self._waiting and not self.is_exhausted and self._steps < _STEPS:
                # The youngest first: a subgoal is then mostly complete before who asked for it looks again.
                goal, _ = self._waiting.popitem()
                self._work_out(self._tables[goal])
            if self._steps < _STEPS or self.is_exhausted:
                return sorted(table.answers.values(), key=lambda answer: -answer.confidence)
            self._waiting.clear()
            self._tables.clear()  # which are unfinished
            self._steps = 0
            self._settle(predicate)
        found = self._settled[predicate].program.relation(predicate).candidates(subject, object_)
        return sorted(map(self._answer, found), key=lambda answer: -answer.confidence)

    def _settle(self, predicate: str) -> None:
        """Derive forwards all that bears on a predicate."""
        predicates = {predicate: None}
        rules: dict[str, Rule] = {}
        waiting = [predicate]
        for one in waiting:  # which grows meanwhile
            for compiled in self._program.concluding.get(one, ()):
                rules[compiled.rule.id] = compiled.rule
                new = [clause.predicate for clause in compiled.clauses if clause.predicate not in predicates]
                predicates |= dict.fromkeys(new)
                waiting += new
        facts = {fact.triple: fact for one in predicates for fact in self._candidates("", one, "")}
        self._ids |= {triple: fact.id for triple, fact in facts.items()}
        reasoner = Reasoner(rules.values(), max_derived=self._max_answers)
        if not reasoner.change({triple: StatedTriple(fact.confidence) for triple, fact in facts.items()}).converged:
            self._count = self._max_answers + 1
        self._settled |= dict.fromkeys(predicates, reasoner)

    def _answer(self, held: HeldTriple) -> ProvedTriple:
        supports = tuple(support.triple for support in held.supports)
        fact_id = "" if held.rule is not None else self._ids[held.triple]
        return ProvedTriple(held.triple, held.confidence, fact_id, held.rule, supports)

    def answer(self, triple: Triple) -> ProvedTriple | None:
        """Return the best answer found so far for one triple."""
        subject, predicate, object_ = triple
        if predicate in self._settled:
            held = self._settled[predicate].find(triple)
            return None if held is None else self._answer(held)
        goals: Sequence[Goal] = (
            triple,
            (subject, predicate, None),
            (None, predicate, object_),
            (None, predicate, None),
        )
        found = [
            table.answers[triple] for goal in goals if (table := self._tables.get(goal)) and triple in table.answers
        ]
        return max(found, key=lambda answer: answer.confidence, default=None)

    def _table(self, goal: Goal, asker: Goal | None) -> _GoalTable:
        table = self._tables.get(goal)
        if table is None:
            table = self._tables[goal] = _GoalTable(goal)
            subject, predicate, object_ = goal
            for fact in self._candidates(subject or "", predicate, object_ or ""):
                self._add(table, ProvedTriple(fact.triple, fact.confidence, fact.id))
            self._waiting[goal] = None
        if asker is not None:
            table.wanted_by[asker] = None
        return table

    def _work_out(self, table: _GoalTable) -> None:
        subject, predicate, object_ = table.goal
        for compiled in self._program.concluding.get(predicate, ()):
            values = compiled.with_ends(subject, object_)
            if values is None:
                continue
            supports: list[ProvedTriple | None] = [None] * len(compiled.clauses)
            self._join(compiled, compiled.clauses, values, supports, table)

    def _join(
        self,
        compiled: CompiledRule,
        rest: Sequence[RuleClause],
        values: list[str | None],
        supports: list[ProvedTriple | None],
        table: _GoalTable,
    ) -> None:
        if not rest:
            self._conclude(compiled, values, supports, table)
            return
        if self._is_known(compiled, values, supports, table):
            return
        clause = max(rest, key=lambda one: _score_bindings(one, values))
        remaining = [one for one in rest if one is not clause]
        before = values[clause.subject], values[clause.object]
        answers = self._table((before[0], clause.predicate, before[1]), table.goal).answers
        self._steps += len(answers)
        for answer in _choices(clause, values, answers):
            if bind(clause, values, answer.triple[0], answer.triple[2]):
                supports[clause.position] = answer
                self._join(compiled, remaining, values, supports, table)
            values[clause.object] = before[1]
            values[clause.subject] = before[0]
        supports[clause.position] = None

    def _is_known(
        self, compiled: CompiledRule, values: list[str | None], supports: list[ProvedTriple | None], table: _GoalTable
    ) -> bool:
        """Return whether the conclusion has an answer at least as sure as could follow from here."""
        subject, object_ = values[compiled.subject], values[compiled.object]
        if subject is None or object_ is None:
            return False
        known = table.answers.get((subject, compiled.predicate, object_))
        if known is None:
            return False
        least = min((one.confidence for one in supports if one is not None), default=1.0)
        return known.confidence >= least * compiled.rule.confidence_factor

    def _conclude(
        self, compiled: CompiledRule, values: list[str | None], supports: list[ProvedTriple | None], table: _GoalTable
    ) -> None:
        subject, object_ = values[compiled.subject], values[compiled.object]
        if subject is None or object_ is None or not compiled.holds(values):
            return
        found = [one for one in supports if one is not None]
        confidence = min(one.confidence for one in found) * compiled.rule.confidence_factor
        told = tuple(one.triple for one in found)
        self._add(table, ProvedTriple((subject, compiled.predicate, object_), confidence, "", compiled.rule, told))

    def _add(self, table: _GoalTable, answer: ProvedTriple) -> None:
        known = table.answers.get(answer.triple)
        if known is not None and known.confidence >= answer.confidence - EPSILON:
            return
        self._count += known is None
        table.answers[answer.triple] = answer
        self._waiting |= table.wanted_by


def _choices(
    clause: RuleClause, values: Sequence[str | None], answers: Mapping[Triple, ProvedTriple]
) -> list[ProvedTriple]:
    """Return the answers that may hold a condition; only the surest where any would do."""
    if not clause.private or not clause.is_aside(values):
        return list(answers.values())
    fit = (one for one in answers.values() if clause.passes(one.triple[0], one.triple[2]))
    best = max(fit, key=lambda one: one.confidence, default=None)
    return [] if best is None else [best]


def _score_bindings(clause: RuleClause, values: Sequence[str | None]) -> int:
    """Return how narrow a condition is by now: both ends, the subject, the object, neither."""
    return 2 * (values[clause.subject] is not None) + (values[clause.object] is not None)
