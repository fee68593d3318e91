"""Compiled rules: variables become slots, and each condition becomes a trigger of its rule.

A rule's terms, variables and constants, are numbered. Binding a variable fills its slot; a None slot matches anything.
A comparison without a join is a guard (with a constant) or a slot comparison (of two slots).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.inference.relations import PredicateRelation
from mabos.knowledge.model import Condition, Rule, is_variable
from mabos.knowledge.values import compare, parse_quantity

Guard = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class RuleClause:
    """A condition: the relation of its triples, the slots of its ends, and the guards on its object.

    `private` are its slots used nowhere else in the rule.
    """

    position: int
    relation: PredicateRelation
    predicate: str
    subject: int
    object: int
    guards: tuple[Guard, ...] = ()
    private: frozenset[int] = frozenset()

    def is_aside(self, values: Sequence[str | None]) -> bool:
        """Return whether any match suffices, whatever fills its open slots."""
        return all(values[slot] is not None or slot in self.private for slot in (self.subject, self.object))

    def passes(self, subject: str, object_: str) -> bool:
        """Return whether a triple with these ends satisfies it, if any match suffices."""
        if self.subject == self.object and subject != object_:
            return False
        return not self.guards or all(guard(object_) for guard in self.guards)


@dataclass(frozen=True, slots=True)
class SlotComparison:
    """A comparison of two slots, possible only when both are filled."""

    operator: str
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule over slots; `template` holds its constants and None for every variable."""

    rule: Rule
    clauses: tuple[RuleClause, ...]
    comparisons: tuple[SlotComparison, ...]
    template: tuple[str | None, ...]
    relation: PredicateRelation
    predicate: str
    subject: int
    object: int

    def holds(self, values: list[str | None]) -> bool:
        """Return whether every slot comparison is true."""
        for one in self.comparisons:
            left, right = values[one.left], values[one.right]
            if left is None or right is None or not compare(one.operator, left, right):
                return False
        return True

    def with_ends(self, subject: str | None, object_: str | None) -> list[str | None] | None:
        """Return the slots with the conclusion's ends filled in (None is any); None if that is impossible."""
        values = list(self.template)
        for slot, value in ((self.subject, subject), (self.object, object_)):
            if value is None:
                continue
            if values[slot] is None:
                values[slot] = value
            elif values[slot] != value:
                return None
        return values


class RuleProgram:
    """Inference rules over one set of relations, indexed by trigger and by conclusion."""

    def __init__(self, rules: Iterable[Rule], relations: dict[str, PredicateRelation]) -> None:
        self.relations = relations
        self.rules = tuple(self._compile_rule(rule) for rule in rules if rule.type == "inference" and rule.enabled)
        self.concluding: dict[str, list[CompiledRule]] = {}
        for one in self.rules:
            self.concluding.setdefault(one.predicate, []).append(one)

    def relation(self, predicate: str) -> PredicateRelation:
        """Return the relation of a predicate, created on first use."""
        found = self.relations.get(predicate)
        if found is None:
            found = self.relations[predicate] = PredicateRelation()
        return found

    def _compile_rule(self, rule: Rule) -> CompiledRule:
        if rule.conclusion is None or not 0 < rule.confidence_factor <= 1:
            message = f"rule {rule.id!r} needs a conclusion and a confidence_factor above 0, at most 1"
            raise InvalidArgument(message, argument="conclusion")
        slots, comparisons = _Slots(), list[SlotComparison]()
        clauses = tuple(
            self._clause(number, condition, slots, comparisons) for number, condition in enumerate(rule.conditions)
        )
        predicate = rule.conclusion.predicate
        subject, object_ = slots.of(rule.conclusion.subject), slots.of(rule.conclusion.object)
        template = tuple(slots.values)
        asked = Counter(slot for one in clauses for slot in {one.subject, one.object})
        asked.update((subject, object_, *(slot for one in comparisons for slot in (one.left, one.right))))
        clauses = tuple(
            replace(one, private=frozenset(slot for slot in (one.subject, one.object) if asked[slot] == 1))
            for one in clauses
        )
        return CompiledRule(
            rule, clauses, tuple(comparisons), template, self.relation(predicate), predicate, subject, object_
        )

    def _clause(
        self, number: int, condition: Condition, slots: "_Slots", comparisons: list[SlotComparison]
    ) -> RuleClause:
        subject = slots.of(condition.subject)
        guards: tuple[Guard, ...] = ()
        if is_joined(condition):
            object_ = slots.of(condition.object)
        else:
            object_ = slots.of("")
            if is_variable(condition.object):
                comparisons.append(SlotComparison(condition.operator, object_, slots.of(condition.object)))
            else:
                guards = (passes(condition.operator, condition.object),)
        return RuleClause(number, self.relation(condition.predicate), condition.predicate, subject, object_, guards)


def is_joined(condition: Condition) -> bool:
    """Return whether the object is looked up verbatim; a number also matches its other spellings."""
    if condition.operator != "eq":
        return False
    return not condition.object or is_variable(condition.object) or parse_quantity(condition.object) is None


def passes(operator: str, wanted: str) -> Guard:
    """Return a cached test of objects against a constant."""
    verdicts: dict[str, bool] = {}

    def guard(text: str) -> bool:
        verdict = verdicts.get(text)
        if verdict is None:
            verdict = verdicts[text] = compare(operator, text, wanted)
        return verdict

    return guard


class _Slots:
    """Numbers the terms of one rule; every empty term is a slot of its own."""

    def __init__(self) -> None:
        self.values: list[str | None] = []
        self._known: dict[str, int] = {}

    def of(self, term: str) -> int:
        found = self._known.get(term) if term else None
        if found is None:
            found = len(self.values)
            self.values.append(None if not term or is_variable(term) else term)
            if term:
                self._known[term] = found
        return found
