"""The gaps of a rule: the smallest set of unsatisfied conditions (S0 section 22)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from mabos.knowledge.inference.backward import ProvedTriple, Prover
from mabos.knowledge.matching import substitute
from mabos.knowledge.model import Condition, Rule, is_variable
from mabos.knowledge.values import compare


@dataclass(frozen=True, slots=True)
class Partial:
    """A rule that concludes the goal: the conditions that hold together, and the missing ones."""

    rule: Rule
    bindings: Mapping[str, str]
    satisfied: tuple[tuple[Condition, ProvedTriple], ...]
    missing: tuple[Condition, ...]

    @property
    def support(self) -> float:
        """The share of the conditions that hold, 0 to 1."""
        return len(self.satisfied) / len(self.rule.conditions)


def _unify_conclusion(rule: Rule, subject: str | None, object_: str | None) -> dict[str, str] | None:
    """Return the variables that make the conclusion of `rule` say this, or None where it cannot."""
    if rule.conclusion is None:
        return None
    bindings: dict[str, str] = {}
    for term, value in ((rule.conclusion.subject, subject), (rule.conclusion.object, object_)):
        if value is None:
            continue
        known = bindings.get(term, value) if is_variable(term) else term
        if known != value:
            return None
        if is_variable(term):
            bindings[term] = value
    return bindings


def ends_of(pattern: Condition) -> tuple[str | None, str | None]:
    """Return subject and object of a pattern; None for an empty term or variable, which match anything."""
    subject, object_ = (None if not term or is_variable(term) else term for term in (pattern.subject, pattern.object))
    return subject, object_


def partials(goal: Condition, rules: Iterable[Rule], prover: Prover) -> list[Partial]:
    """Return how close each rule for `goal` is to concluding it, in the order of the rules."""
    found = []
    for rule in rules:
        if rule.conclusion is not None and rule.conclusion.predicate == goal.predicate:
            bindings = _unify_conclusion(rule, *ends_of(goal))
            if bindings is not None:
                found.append(_nearest(rule, bindings, prover))
    return found


def _nearest(rule: Rule, bindings: Mapping[str, str], prover: Prover) -> Partial:
    """Return the way in which most conditions of `rule` hold together; conditions share their variables."""
    everything = range(len(rule.conditions))
    for number in range(len(rule.conditions) + 1):
        for skipped in combinations(everything, number):
            kept = [rule.conditions[place] for place in everything if place not in skipped]
            found = _first(kept, bindings, prover)
            if found is not None:
                bound, answers = found
                satisfied = tuple(
                    (_substitute_bindings(one, bound), answer) for one, answer in zip(kept, answers, strict=True)
                )
                missing = tuple(_substitute_bindings(rule.conditions[place], bound) for place in skipped)
                return Partial(rule, bound, satisfied, missing)
    return Partial(rule, bindings, (), rule.conditions)


def _first(
    conditions: Sequence[Condition], bindings: Mapping[str, str], prover: Prover
) -> tuple[dict[str, str], tuple[ProvedTriple, ...]] | None:
    """Return the first way in which all `conditions` hold, with an answer for each, in their order."""
    ways: list[tuple[dict[str, str], dict[int, ProvedTriple]]] = [(dict(bindings), {})]
    while ways:
        bound, answers = ways.pop()
        rest = [place for place in range(len(conditions)) if place not in answers]
        if not rest:
            return bound, tuple(answers[place] for place in range(len(conditions)))
        place = max(rest, key=lambda one: _known_ends(conditions[one], bound))
        for answer in reversed(_matching(conditions[place], bound, prover)):
            extended = _extend_bindings(conditions[place], bound, answer)
            if extended is not None:
                ways.append((extended, {**answers, place: answer}))
    return None


def _matching(condition: Condition, bound: Mapping[str, str], prover: Prover) -> list[ProvedTriple]:
    subject, object_ = (_resolve_term(term, bound) for term in (condition.subject, condition.object))
    return prover.prove(subject, condition.predicate, object_ if condition.operator == "eq" else None) or (
        prover.prove(subject, condition.predicate, None) if condition.operator == "eq" and object_ else []
    )


def _extend_bindings(condition: Condition, bound: dict[str, str], answer: ProvedTriple) -> dict[str, str] | None:
    subject, _, object_ = answer.triple
    extended = dict(bound)
    if is_variable(condition.subject) and extended.setdefault(condition.subject, subject) != subject:
        return None
    if not condition.object:
        return extended
    if condition.operator == "eq" and is_variable(condition.object):
        return extended if extended.setdefault(condition.object, object_) == object_ else None
    wanted = extended.get(condition.object) if is_variable(condition.object) else condition.object
    return extended if wanted is not None and compare(condition.operator, object_, wanted) else None


def _resolve_term(term: str, bound: Mapping[str, str]) -> str | None:
    return bound.get(term) if is_variable(term) else term or None


def _known_ends(condition: Condition, bound: Mapping[str, str]) -> float:
    late = condition.operator != "eq" and is_variable(condition.object) and condition.object not in bound
    ends = 2 * (_resolve_term(condition.subject, bound) is not None) + (
        _resolve_term(condition.object, bound) is not None
    )
    return -1 if late else ends


def _substitute_bindings(condition: Condition, bound: Mapping[str, str]) -> Condition:
    return replace(condition, subject=substitute(condition.subject, bound), object=substitute(condition.object, bound))
