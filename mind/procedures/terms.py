"""The terms of procedures, their unification, and their text form.

A number, a text (`str`) and a truth value represent themselves. A structure is a tuple whose first item is its name:
`("price", ("apple",), 3)`; an atom is a structure without arguments. A list is a `Listing`. A `Variable` holds None
until it is bound. Since they are tuples, terms without variables are hashed and compared quickly.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

Term: TypeAlias = Any
"""A number, text, truth value, structure (tuple), `Listing` or `Variable`."""

Trail: TypeAlias = list[tuple[list[Any], int]]
"""The bindings, newest last, so that they can be undone."""


class Variable(list[Any]):
    """A logic variable; two unbound ones are equal only if they are the same object."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((None,))

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__  # type: ignore[assignment]  # a box is known by its place


class Listing(tuple[Any, ...]):
    """A list of terms, which is never equal to a structure."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is Listing and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})
_PLAIN = frozenset({int, float, str, bool})


def value_of(term: Term) -> Term:
    """Return the value of a variable, through chains of variables; any other term is its own value."""
    while type(term) is Variable and term[0] is not None:
        term = term[0]
    return term


def unify(left: Term, right: Term, trail: Trail) -> bool:
    """Return whether two terms can be unified; the bindings are recorded on the trail.

    >>> box = Variable()
    >>> unify(("price", box), ("price", 3), []), value_of(box)
    (True, 3)
    """
    left, right = value_of(left), value_of(right)
    if left is right:
        return True
    kind = type(left)
    if kind is Variable or type(right) is Variable:
        box, term = (left, right) if kind is Variable else (right, left)
        box[0] = term
        trail.append((box, 0))
        return True
    if kind is tuple or kind is Listing:
        if kind is not type(right) or len(left) != len(right):
            return False
        return all(unify(one, other, trail) for one, other in zip(left, right, strict=True))
    return (kind is bool) == (type(right) is bool) and bool(left == right)


def undo(trail: Trail, mark: int) -> None:
    """Undo every binding made since the trail had length `mark`."""
    while len(trail) > mark:
        box, place = trail.pop()
        box[place] = None


def resolve_term(term: Term) -> Term:
    """Return a term with bound variables replaced, unbound ones unchanged."""
    term = value_of(term)
    kind = type(term)
    if kind is tuple:
        return tuple(map(resolve_term, term))
    return Listing(map(resolve_term, term)) if kind is Listing else term


def ground_term(term: Term) -> Term:
    """Return a structure with its variables replaced, or None if one is unbound."""
    for part in term:
        if type(part) not in _PLAIN:
            return resolve_term(term) if is_ground(term) else None
    return term


def is_ground(term: Term) -> bool:
    """Return whether a term has no unbound variable."""
    term = value_of(term)
    kind = type(term)
    return all(map(is_ground, term)) if kind is tuple or kind is Listing else kind is not Variable


def format_term(term: Term) -> str:
    """Return a term formatted for printing: texts, alone or in a list, without quotation marks.

    >>> format_term(("price", ("apple",), "a day", 2.0)), format_term(Listing(("a day", 1)))
    ('price(apple, "a day", 2)', '[a day, 1]')
    """
    term = value_of(term)
    if type(term) is Listing:
        return f"[{', '.join(map(format_term, term))}]"
    return term if isinstance(term, str) else render_term(term)


def render_term(term: Term) -> str:
    """Return a term in the syntax that the parser reads."""
    term = value_of(term)
    if type(term) is Variable:
        return "_"
    if type(term) is Listing:
        return f"[{', '.join(map(render_term, term))}]"
    if isinstance(term, tuple):
        return f"{term[0]}{_arguments(term[1:])}"
    return _plain(term)


def _plain(term: Term) -> str:
    if isinstance(term, bool):
        return "true" if term else "false"
    if isinstance(term, str):
        return '"' + term.translate(_ESCAPES) + '"'
    return str(int(term)) if isinstance(term, float) and term.is_integer() else str(term)


def _arguments(terms: Iterable[Term]) -> str:
    listed = ", ".join(map(render_term, terms))
    return f"({listed})" if listed else ""
