"""Terms: what unification binds and takes back, and that what is written is read again."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.procedures.expressions import Numbering, building
from mabos.mind.procedures.reader import read_query
from mabos.mind.procedures.terms import (
    Listing,
    Term,
    Trail,
    Variable,
    is_ground,
    render_term,
    resolve_term,
    undo,
    unify,
)

names = st.from_regex(r"[a-z][a-zA-Z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in ("true", "false", "not", "div", "mod")
)
plain = st.one_of(st.integers(-1000, 1000), st.text(max_size=8), st.booleans(), names.map(lambda name: (name,)))


def _larger(parts: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.lists(parts, max_size=3).map(Listing),
        st.tuples(names, st.lists(parts, min_size=1, max_size=3)).map(lambda made: (made[0], *made[1])),
    )


terms = st.recursive(plain, _larger, max_leaves=8)


def _read_back(text: str) -> Any:
    return building(read_query(f"believed({text})"), Numbering())([])[1]


def _opened(term: Term, boxes: list[Variable], at: int = 0) -> Term:
    """Return the term with every second part of a structure replaced by a variable."""
    if type(term) is not tuple or len(term) == 1:
        return term
    parts: list[Term] = []
    for place, part in enumerate(term[1:], start=at):
        if place % 2:
            parts.append(_opened(part, boxes, place))
        else:
            boxes.append(Variable())
            parts.append(boxes[-1])
    return (term[0], *parts)


@given(terms)
def test_what_is_written_is_read_as_the_same_term(term: Term) -> None:
    assert _read_back(render_term(term)) == term


@given(terms, terms)
def test_two_ground_terms_unify_exactly_if_they_are_equal(one: Term, other: Term) -> None:
    same = one == other and render_term(one) == render_term(other)
    assert unify(one, other, []) == unify(other, one, []) == same


@given(terms)
def test_a_pattern_of_a_term_unifies_with_it_and_becomes_it_and_can_be_taken_back(term: Term) -> None:
    boxes: list[Variable] = []
    pattern, trail = _opened(term, boxes), list[Any]()
    kept: Trail = trail
    assert unify(pattern, term, kept)
    assert resolve_term(pattern) == term
    assert is_ground(pattern)
    undo(kept, 0)
    assert all(box[0] is None for box in boxes)


def test_a_list_is_not_an_atom_of_the_same_text() -> None:
    assert not unify(Listing(("a",)), ("a",), [])
    assert not unify(1, True, [])
    assert hash(Listing((1,))) == hash(Listing((1,)))
