"""A compiler for expressions: to functions that build their term at run time, or match a term against them.

The variables of a procedure are numbered; a list, the slots of one run, holds their values. An empty slot holds None.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from mabos.mind.procedures.syntax import Expression, Name, Series, Structure, Sum, Value
from mabos.mind.procedures.terms import Listing, Term, Trail, Variable, undo, unify, value_of

Slots = list[Any]
Build = Callable[[Slots], Term]
Match = Callable[[Term, Slots, Trail], bool]


class Broken(Exception):
    """A line of a procedure that cannot run as written; the procedure fails."""


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "div": operator.floordiv,
    "mod": operator.mod,
    "**": operator.pow,
}


@dataclass(slots=True)
class Numbering:
    """The slots of a procedure's variables, in order of first occurrence."""

    slots: dict[str, int] = field(default_factory=dict)

    def __call__(self, name: str) -> int:
        """Return the slot of a variable; each `_` has its own."""
        if name == "_":
            name = f"_{len(self.slots)} "
        return self.slots.setdefault(name, len(self.slots))


def building(part: Expression, number: Numbering) -> Build:
    """Return a function that builds the term of an expression; an unbound name becomes a fresh variable."""
    if isinstance(part, Name):
        return _variable(number(part.name))
    if isinstance(part, Sum):
        return _compile_sum(part, number)
    if not _has_variables(part):
        constant = constant_of(part)
        return lambda _slots: constant
    if isinstance(part, Series):
        return _series(part, number)
    return _structure(
        cast("Structure", part).functor, tuple(building(one, number) for one in cast("Structure", part).parts)
    )


def matching(part: Expression, number: Numbering) -> Match:
    """Return a function that matches a term against an expression, and binds unbound variables."""
    if isinstance(part, Name):
        return _anything if part.name == "_" else _bound_to(number(part.name))
    if isinstance(part, Structure) and _has_variables(part):
        return _alike(part.functor, len(part.parts), arguments(part, number), building(part, number))
    if isinstance(part, Series) and part.rest is not None:
        return _split(tuple(matching(one, number) for one in part.parts), matching(part.rest, number))
    build = building(part, number)
    if isinstance(part, Value | Structure) and not _has_variables(part):
        return _equal(build([]))
    return lambda term, slots, trail: unify(term, build(slots), trail)


def arguments(part: Structure, number: Numbering) -> Match:
    """Return a matcher for the arguments of a structure whose name and arity are already checked."""
    matches = tuple(matching(one, number) for one in part.parts)
    if not matches:
        return _anything
    if len(matches) == 1:
        (only,) = matches
        return lambda term, slots, trail: only(term[1], slots, trail)
    placed = tuple(enumerate(matches, start=1))

    def match(term: Term, slots: Slots, trail: Trail) -> bool:
        for place, one in placed:  # noqa: SIM110  # a generator costs as much as the matching
            if not one(term[place], slots, trail):
                return False
        return True

    return match


def compile_notes(part: Structure, number: Numbering) -> Match | None:
    """Return a matcher for the annotations that `part` requires; None if there are none."""
    wanted = tuple(matching(one, number) for one in part.notes)
    if not wanted:
        return None

    def match(notes: Term, slots: Slots, trail: Trail) -> bool:
        left = list(notes)
        for one in wanted:
            found = next((at for at, note in enumerate(left) if _try_match(one, note, slots, trail)), None)
            if found is None:
                return False
            del left[found]
        return True

    return match


def constant_of(part: Expression) -> Term:
    """Return the term of an expression without variables."""
    if isinstance(part, Value):
        return part.value
    if isinstance(part, Series):
        return Listing(map(constant_of, part.parts))
    shape = cast("Structure", part)  # all else has variables or is computed
    return (shape.functor, *map(constant_of, shape.parts))


def _try_match(one: Match, note: Term, slots: Slots, trail: Trail) -> bool:
    mark = len(trail)
    if one(note, slots, trail):
        return True
    undo(trail, mark)
    return False


def _has_variables(part: Expression) -> bool:
    if isinstance(part, Structure):
        return any(map(_has_variables, part.parts))
    if isinstance(part, Series):
        return part.rest is not None or any(map(_has_variables, part.parts))
    return not isinstance(part, Value)


def _variable(at: int) -> Build:
    def build(slots: Slots) -> Term:
        term = slots[at]
        if term is None:
            term = slots[at] = Variable()
        elif type(term) is Variable:
            term = value_of(term)
        return term

    return build


def _structure(functor: str, parts: tuple[Build, ...]) -> Build:
    if len(parts) == 1:
        (only,) = parts
        return lambda slots: (functor, only(slots))
    return lambda slots: (functor, *[part(slots) for part in parts])


def _series(part: Series, number: Numbering) -> Build:
    parts = tuple(building(one, number) for one in part.parts)
    if part.rest is None:
        return lambda slots: Listing([one(slots) for one in parts])
    rest = building(part.rest, number)

    def build(slots: Slots) -> Term:
        behind = value_of(rest(slots))
        if type(behind) is not Listing:
            raise Broken("the part after the bar of a list must be a list")
        return Listing((*[one(slots) for one in parts], *behind))

    return build


def _compile_sum(part: Sum, number: Numbering) -> Build:
    do = _ARITHMETIC.get(part.sign)
    if do is None:
        raise Broken(f"line {part.line}: {part.sign!r} has no value")
    left, right = building(part.left, number), building(part.right, number)

    def build(slots: Slots) -> Term:
        try:
            result = do(left(slots), right(slots))
        except (TypeError, ArithmeticError) as error:
            raise Broken(f"line {part.line}: {error}") from None
        if type(result) is int or type(result) is float:
            return result
        raise Broken(f"line {part.line}: {part.sign!r} needs numbers")

    return build


def _anything(_term: Term, _slots: Slots, _trail: Trail) -> bool:
    return True


def _bound_to(at: int) -> Match:
    def match(term: Term, slots: Slots, trail: Trail) -> bool:
        held = slots[at]
        if held is None:
            slots[at] = term
            trail.append((slots, at))
            return True
        return unify(held, term, trail)

    return match


def _equal(constant: Term) -> Match:
    def match(term: Term, _slots: Slots, trail: Trail) -> bool:
        return unify(term, constant, trail)

    return match


def _alike(functor: str, length: int, inside: Match, build: Build) -> Match:
    def match(term: Term, slots: Slots, trail: Trail) -> bool:
        term = value_of(term)
        if type(term) is Variable:
            return unify(term, build(slots), trail)
        return type(term) is tuple and len(term) == length + 1 and term[0] == functor and inside(term, slots, trail)

    return match


def _split(parts: tuple[Match, ...], rest: Match) -> Match:
    """Match a list with its first items and the rest."""
    many = len(parts)

    def match(term: Term, slots: Slots, trail: Trail) -> bool:
        term = value_of(term)
        if type(term) is not Listing or len(term) < many:
            return False
        first = all(one(item, slots, trail) for one, item in zip(parts, term, strict=False))
        return first and rest(Listing(term[many:]), slots, trail)

    return match
