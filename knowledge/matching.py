"""Conditions joined over facts: every way in which they all hold together (S0 section 21)."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mabos.knowledge.model import VARIABLE, Condition, Fact, binding_terms, is_variable
from mabos.knowledge.values import compare, parse_quantity

Bindings = Mapping[str, str]
Candidates = Callable[[str, str, str], Iterable[Fact]]
"""Returns the facts with a subject, a predicate and an object; an empty one is anything."""


@dataclass(frozen=True, slots=True)
class ConditionMatch:
    """A match of conditions: the value of each variable, and one fact per condition."""

    bindings: Bindings
    facts: tuple[Fact, ...]


def matches(conditions: Sequence[Condition], candidates: Candidates) -> Iterator[ConditionMatch]:
    """Yield every way in which all `conditions` hold, one for each distinct binding of their variables.

    Facts of a match are in the order of `conditions`; if several fit, the first is used.
    """
    order = _order(conditions)
    for bindings, facts in _join([conditions[position] for position in order], candidates, {}, ()):
        by_position = dict(zip(order, facts, strict=True))
        yield ConditionMatch(bindings, tuple(by_position[position] for position in range(len(conditions))))


def match_with_bindings(
    conditions: Sequence[Condition], candidates: Candidates, given: Bindings
) -> Iterator[ConditionMatch]:
    """Yield the ways in which `conditions` hold with these values of their variables."""
    filled = [
        replace(one, subject=substitute(one.subject, given), object=substitute(one.object, given)) for one in conditions
    ]
    for match in matches(filled, candidates):
        yield ConditionMatch({**given, **match.bindings}, match.facts)


def touching(
    conditions: Sequence[Condition], candidates: Candidates, claims: Iterable[tuple[str, str]]
) -> Iterator[ConditionMatch]:
    """Yield the matches of `conditions` that use a fact with one of these subjects and predicates, each once.

    The cost depends on the facts about those subjects, not on all facts of those predicates.
    """
    seen = set()
    for subject, predicate in claims:
        for one in (one for one in conditions if one.predicate == predicate and _fits(one.subject, subject)):
            for match in match_with_bindings(
                conditions, candidates, {one.subject: subject} if is_variable(one.subject) else {}
            ):
                told = tuple(sorted(match.bindings.items()))
                if told not in seen:
                    seen.add(told)
                    yield match


def _fits(term: str, subject: str) -> bool:
    return term in ("", subject) or is_variable(term)


def _order(conditions: Sequence[Condition]) -> list[int]:
    """Return the positions of `conditions`, those with the most known terms at their turn first.

    A comparison with a variable comes after the condition that binds it.
    """
    order: list[int] = []
    bound: set[str] = set()
    while len(order) < len(conditions):
        left = [position for position in range(len(conditions)) if position not in order]
        chosen = max(left, key=lambda position: _known_ends(conditions[position], bound))
        order.append(chosen)
        bound.update(binding_terms(conditions[chosen]))
    return order


def _known_ends(condition: Condition, bound: Container[str]) -> int:
    subject, object_ = (bool(term) and (not is_variable(term) or term in bound) for term in
                        (condition.subject, condition.object))  # fmt: skip
    if condition.operator != "eq":
        return 2 * subject if object_ else -1
    return 2 * subject + object_


def _join(
    conditions: Sequence[Condition], candidates: Candidates, bindings: Bindings, facts: tuple[Fact, ...]
) -> Iterator[tuple[Bindings, tuple[Fact, ...]]]:
    if not conditions:
        yield bindings, facts
        return
    for fact, extended in _facts(conditions[0], candidates, bindings):
        yield from _join(conditions[1:], candidates, extended, (*facts, fact))


def _facts(condition: Condition, candidates: Candidates, bindings: Bindings) -> Iterator[tuple[Fact, Bindings]]:
    """Yield the first fitting fact for each different binding of the open terms."""
    subject = substitute(condition.subject, bindings)
    wanted = substitute(condition.object, bindings)
    exact = wanted if _is_exact(condition, wanted) else ""
    seen: set[tuple[str, ...]] = set()
    for fact in candidates("" if is_variable(subject) else subject, condition.predicate, exact):
        extended = _bind_term(subject, fact.subject, bindings)
        if extended is not None and not exact:
            extended = _object_bound(condition, fact.object, extended)
        if extended is None:
            continue
        if len(extended) == len(bindings):
            yield fact, extended
            return
        if (told := tuple(extended.values())) not in seen:
            seen.add(told)
            yield fact, extended


def _object_bound(condition: Condition, value: str, bindings: Bindings) -> Bindings | None:
    if not condition.object:
        return bindings
    if condition.operator == "eq" and is_variable(condition.object):
        return _bind_term(condition.object, value, bindings)
    return bindings if compare(condition.operator, value, substitute(condition.object, bindings)) else None


def _is_exact(condition: Condition, wanted: str) -> bool:
    # A variable joins by the very same text; a written number also means other spellings of itself.
    if condition.operator != "eq" or is_variable(wanted):
        return False
    return is_variable(condition.object) or parse_quantity(wanted) is None


def _bind_term(term: str, value: str, bindings: Bindings) -> Bindings | None:
    if not is_variable(term):
        return bindings
    known = bindings.get(term)
    if known is None:
        return {**bindings, term: value}
    return bindings if known == value else None


def substitute(text: str, bindings: Bindings) -> str:
    """Return `text` with every bound `?variable` replaced by its value."""
    return VARIABLE.sub(lambda found: bindings.get(found[0], found[0]), text) if "?" in text else text
