"""A compiler from a context or test to one function that enumerates the answers.

A query is compiled with its continuation: `then` is called at each answer and returns whether to stop there. So `a & b`
is `a` followed by `b`, and the bindings of a failed answer are undone before the next one. `QueryScope` is the part of
an agent that a query needs: its beliefs and rules. An `EventTrigger` is an event with a context.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from mabos.mind.procedures.beliefs import INDEXED_FROM, BeliefBase, Key, Notes
from mabos.mind.procedures.expressions import (
    Broken,
    Match,
    Numbering,
    Slots,
    arguments,
    building,
    compile_notes,
    matching,
)
from mabos.mind.procedures.syntax import Expression, Kind, Name, Structure, Sum, Value
from mabos.mind.procedures.terms import (
    Listing,
    Term,
    Trail,
    format_term,
    is_ground,
    resolve_term,
    undo,
    unify,
    value_of,
)

Rules: TypeAlias = Mapping[Key, Sequence[Callable[[Any, Term, Trail, Callable[[], bool]], bool]]]
"""Rules that derive beliefs, by name and length; called with a term, a trail, and a continuation."""


class QueryScope(Protocol):
    """The parts of an agent that a query needs."""

    name: str
    beliefs: BeliefBase
    rules: Rules


Query: TypeAlias = Callable[[Any, Slots, Trail], bool]
"""Asked at a place, with the slots and the trail of a run: whether some answer suits all that follows."""

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def accept_answer(_place: QueryScope, _slots: Slots, _trail: Trail) -> bool:
    """Accept the first answer of the last query."""
    return True


@dataclass(frozen=True, slots=True, eq=False)
class EventTrigger:
    """A compiled event and context; `names` maps slots to variables."""

    kind: Kind
    event: Structure
    head: Match
    notes: Match | None
    context: Query | None
    names: Mapping[str, int]

    def match_event(self, place: QueryScope, term: Term, notes: Notes) -> Slots | None:
        """Return the slots with which the trigger fits an event and the context holds now, or None."""
        slots: Slots = [None] * len(self.names)
        trail: Trail = []
        if (
            self.head(term, slots, trail)
            and (self.notes is None or self.notes(notes, slots, trail))
            and (self.context is None or self.context(place, slots, trail))
        ):
            return slots
        undo(trail, 0)
        return None


def trigger(kind: Kind, event: Structure, context: Expression | None, number: Numbering | None = None) -> EventTrigger:
    """Return the compiled form of an event and a context; raises `Broken` if something cannot be queried."""
    number = number or Numbering()
    head, notes = arguments(event, number), compile_notes(event, number)
    asked = None if context is None else query(context, number)
    return EventTrigger(kind, event, head, notes, asked, number.slots)


def query(asked: Expression, number: Numbering, then: Query = accept_answer) -> Query:
    """Return the compiled form of a query, followed by `then`."""
    if isinstance(asked, Value) and isinstance(asked.value, bool):
        return then if asked.value else _never
    if isinstance(asked, Sum):
        return _compile_connective(asked, number, then)
    if isinstance(asked, Structure):
        if asked.functor.startswith("."):
            return _internal(asked, number, then)
        return _compile_belief(asked, number, then)
    if isinstance(asked, Name):
        return _compile_variable(building(asked, number), then)
    raise Broken("a query must be a belief, a comparison, true, false, or several of them")


def _compile_connective(asked: Sum, number: Numbering, then: Query) -> Query:
    if asked.sign == "&":
        return query(asked.left, number, query(asked.right, number, then))
    if asked.sign == "|":
        one, other = query(asked.left, number, then), query(asked.right, number, then)
        return lambda place, slots, trail: one(place, slots, trail) or other(place, slots, trail)
    if asked.sign == "not":
        return _not(query(asked.left, number), then)
    return _compile_comparison(asked, number, then)


def _not(inner: Query, then: Query) -> Query:
    def ask(place: QueryScope, slots: Slots, trail: Trail) -> bool:
        mark = len(trail)
        holds = inner(place, slots, trail)
        undo(trail, mark)
        return not holds and then(place, slots, trail)

    return ask


def _compile_comparison(asked: Sum, number: Numbering, then: Query) -> Query:
    if asked.sign == "=":
        return _made_equal(asked, number, then)
    left, right = building(asked.left, number), building(asked.right, number)
    if asked.sign in ("==", "\\=="):
        wanted = asked.sign == "=="

        def same(place: QueryScope, slots: Slots, trail: Trail) -> bool:
            return (resolve_term(left(slots)) == resolve_term(right(slots))) is wanted and then(place, slots, trail)

        return same
    compare = _COMPARE.get(asked.sign)
    if compare is None:
        raise Broken(f"line {asked.line}: {asked.sign!r} is not a query")

    def ask(place: QueryScope, slots: Slots, trail: Trail) -> bool:
        one, other = left(slots), right(slots)
        try:
            return compare(one, other) and then(place, slots, trail)
        except TypeError:
            raise Broken(f"line {asked.line}: {format_term(one)} and {format_term(other)} cannot be compared") from None

    return ask


def _made_equal(asked: Sum, number: Numbering, then: Query) -> Query:
    build = building(asked.right, number) if not isinstance(asked.left, Sum) else building(asked.left, number)
    match = matching(asked.left if not isinstance(asked.left, Sum) else asked.right, number)

    def ask(place: QueryScope, slots: Slots, trail: Trail) -> bool:
        mark = len(trail)
        if match(build(slots), slots, trail) and then(place, slots, trail):
            return True
        undo(trail, mark)
        return False

    return ask


def _compile_belief(asked: Structure, number: Numbering, then: Query) -> Query:
    key = (asked.functor, len(asked.parts))
    match, notes = arguments(asked, number), compile_notes(asked, number)
    first = building(asked.parts[0], number) if asked.parts and asked.parts[0] != Name("_") else None
    whole = building(asked, number)

    def ask(place: QueryScope, slots: Slots, trail: Trail) -> bool:
        group = place.beliefs.groups.get(key)
        mark = len(trail)
        if group:
            if first is not None and len(group) >= INDEXED_FROM and is_ground(start := first(slots)):
                terms = place.beliefs.about(key, resolve_term(start))
            else:
                terms = group
            for term in terms:
                if notes is None:
                    if match(term, slots, trail) and then(place, slots, trail):
                        return True
                    undo(trail, mark)
                    continue
                for held in group[term]:
                    if match(term, slots, trail) and notes(held, slots, trail) and then(place, slots, trail):
                        return True
                    undo(trail, mark)
        if key in place.rules:
            term = whole(slots)
            return any(rule(place, term, trail, lambda: then(place, slots, trail)) for rule in place.rules[key])
        return False

    return ask


def _compile_variable(build: Callable[[Slots], Term], then: Query) -> Query:
    """Query the value of a variable."""

    def ask(place: QueryScope, slots: Slots, trail: Trail) -> bool:
        term = resolve_term(build(slots))
        if isinstance(term, bool):
            return term and then(place, slots, trail)
        return answers(place, term, trail, lambda: then(place, slots, trail))

    return ask


def answers(place: QueryScope, term: Term, trail: Trail, then: Callable[[], bool]) -> bool:
    """Query beliefs and rules for a term, as currently bound; `then` is called at each answer."""
    if type(term) is not tuple:
        raise Broken(f"{format_term(term)} is not a query")
    key = (term[0], len(term) - 1)
    mark = len(trail)
    for held in place.beliefs.groups.get(key, ()):
        if unify(term, held, trail) and then():
            return True
        undo(trail, mark)
    return any(rule(place, term, trail, then) for rule in place.rules.get(key, ()))


def _never(_place: QueryScope, _slots: Slots, _trail: Trail) -> bool:
    return False


def _internal(asked: Structure, number: Numbering, then: Query) -> Query:
    make = INTERNAL.get((asked.functor, len(asked.parts))) or INTERNAL.get((asked.functor, -1))
    if make is None:
        known = ", ".join(sorted({name for name, _ in INTERNAL}))
        raise Broken(f"line {asked.line}: unknown query {asked.functor}/{len(asked.parts)}; known: {known}")
    parts = [building(part, number) for part in asked.parts]

    def ask(place: QueryScope, slots: Slots, trail: Trail) -> bool:
        mark = len(trail)
        try:
            pairs = make(place, [value_of(part(slots)) for part in parts], trail)
        except TypeError:
            raise Broken(f"line {asked.line}: {asked.functor} has arguments of the wrong kind") from None
        for left, right in pairs:
            if unify(left, right, trail) and then(place, slots, trail):
                return True
            undo(trail, mark)
        return False

    return ask


Pairs = list[tuple[Term, Term]]


def _member(_place: QueryScope, given: list[Term], _trail: Trail) -> Pairs:
    return [(given[0], one) for one in given[1]]


def _findall(place: QueryScope, given: list[Term], trail: Trail) -> Pairs:
    return [(given[2], Listing(_all(place, given[1], given[0], trail)))]


def _count(place: QueryScope, given: list[Term], trail: Trail) -> Pairs:
    return [(given[1], len(_all(place, given[0], True, trail)))]


def _all(place: QueryScope, asked: Term, wanted: Term, trail: Trail) -> list[Term]:
    kept: list[Term] = []

    def keep() -> bool:
        kept.append(resolve_term(wanted))
        return False

    mark = len(trail)
    answers(place, resolve_term(asked), trail, keep)
    undo(trail, mark)
    return kept


def _concat(_place: QueryScope, given: list[Term], _trail: Trail) -> Pairs:
    *parts, whole = given
    if all(type(part) is Listing for part in parts):
        return [(whole, Listing(one for part in parts for one in part))]
    return [(whole, "".join(format_term(part) for part in parts))]


def _my_name(place: QueryScope, given: list[Term], _trail: Trail) -> Pairs:
    return [(given[0], (place.name,))]


def _ground(_place: QueryScope, given: list[Term], _trail: Trail) -> Pairs:
    return [(True, True)] if is_ground(given[0]) else []


INTERNAL: dict[Key, Callable[[Any, list[Term], Trail], Pairs]] = {
    (".member", 2): _member,
    (".findall", 3): _findall,
    (".count", 2): _count,
    (".concat", -1): _concat,
    (".my_name", 1): _my_name,
    (".ground", 1): _ground,
}
"""Queries about the agent or terms: each answer is a list of pairs to unify."""
