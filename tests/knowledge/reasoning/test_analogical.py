"""Analogy: the mappings of the papers, series of the books, and what a rule must satisfy."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.formal.analogical import Analogy
from tests.knowledge.reasoning.asking import ask


def said(**statements: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"id": name, "relation": relation, "of": list(of)} for name, (relation, *of) in statements.items()]


def test_rutherfords_atom_is_like_the_solar_system_and_the_electron_is_held_to_revolve() -> None:
    """Gentner 1983."""
    answer = ask("analogical", dict(Analogy.example)).answer
    assert answer.things == {"sun": "nucleus", "planet": "electron"}
    assert answer.suggests == ("causes(attracts(nucleus, electron), revolves around(electron, nucleus))",)


def test_heat_flows_as_water_does_because_more_structure_is_kept() -> None:
    """Falkenhainer, Forbus and Gentner 1989: the beaker's pressure is the coffee's temperature, not its surface."""
    base = said(
        p1=("greater", "pressure in beaker", "pressure in vial"),
        f1=("flow", "beaker", "vial", "water", "pipe"),
        c1=("cause", "p1", "f1"),
        d1=("greater", "diameter of beaker", "diameter of vial"),
        s1=("flat top", "water"),
    )
    target = said(
        g1=("greater", "temperature of coffee", "temperature of ice"),
        f2=("flow", "coffee", "ice", "heat", "bar"),
        t2=("flat top", "coffee"),
    )
    answer = ask("analogical", {"kind": "analogy", "base": base, "target": target}).answer
    assert answer.things["water"] == "heat"
    assert answer.things["pipe"] == "bar"
    assert answer.things["pressure in beaker"] in ("temperature of coffee", "?")
    assert "cause(" in answer.suggests[0]


def test_relations_that_are_said_to_be_the_same_go_together() -> None:
    base, target = said(a=("opens", "key", "door")), said(b=("unlocks", "password", "account"))
    assert ask("analogical", {"kind": "analogy", "base": base, "target": target}).status == "unknown"
    told = {"kind": "analogy", "base": base, "target": target, "same": [["opens", "unlocks"]]}
    assert ask("analogical", told).answer.things == {"key": "password", "door": "account"}


def test_a_mapping_is_one_to_one_and_keeps_what_it_can() -> None:
    base = said(a=("likes", "x", "y"), b=("likes", "y", "z"))
    target = said(c=("likes", "1", "2"), d=("likes", "2", "2"))
    answer = ask("analogical", {"kind": "analogy", "base": base, "target": target}).answer
    assert len(answer.statements) == 1
    assert len(set(answer.things.values())) == len(answer.things)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("rs"), st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=4),
    st.lists(st.tuples(st.sampled_from("rs"), st.sampled_from("123"), st.sampled_from("123")), min_size=1, max_size=4),
)
def test_no_mapping_keeps_more_than_the_one_found(
    base: list[tuple[str, str, str]], target: list[tuple[str, str, str]]
) -> None:
    told = {
        "kind": "analogy",
        "base": said(**{f"b{n}": one for n, one in enumerate(base)}),
        "target": said(**{f"t{n}": one for n, one in enumerate(target)}),
    }
    kept = len(ask("analogical", told).answer.statements)
    best = 0
    for chosen in permutations("123"):
        to = dict(zip("abc", chosen, strict=True))
        left = list(target)
        count = 0
        for relation, x, y in base:
            image = (relation, to[x], to[y])
            if image in left:
                left.remove(image)
                count += 1
        best = max(best, count)
    assert kept == best


@pytest.mark.parametrize(
    ("terms", "following"),
    [
        ([1, 4, 7, 10], "13"),
        ([3, 6, 12, 24], "48"),
        ([2, 5, 10, 17, 26], "37"),
        ([1, 1, 2, 3, 5, 8], "13"),
        ([1, 3, 7, 15, 31], "63"),
        ([5, 2, 5, 2], "5"),
        ([1, 8, 27, 64, 125], "216"),
        ([1, 10, 2, 20, 3, 30], "4"),
        (["a", "c", "e", "g"], "i"),
    ],
)
def test_series_of_the_books_go_on_as_they_should(terms: list[Any], following: str) -> None:
    assert ask("analogical", {"kind": "sequence", "terms": terms}).answer.next == following


@pytest.mark.parametrize(
    ("before", "after", "given", "made"),
    [
        ("abc", "abd", "ijk", "ijl"),
        ("abc", "abd", "iijjkk", "iijjll"),
        ("abc", "cba", "mno", "onm"),
        ("abc", "aabbcc", "xy", "xxyy"),
        ("abc", "abcd", "ijk", "ijkl"),
        ("abc", "bbc", "ijk", "jjk"),
    ],
)
def test_letter_strings_of_hofstadter_and_mitchell(before: str, after: str, given: str, made: str) -> None:
    told = {"kind": "sequence", "before": before, "after": after, "apply_to": given}
    assert ask("analogical", told).answer.next == made


def test_beyond_the_end_of_the_alphabet_there_is_no_answer_and_none_is_made_up() -> None:
    told = {"kind": "sequence", "before": "abc", "after": "abd", "apply_to": "xyz"}
    assert ask("analogical", told).status == "unknown"
    assert ask("analogical", {"kind": "sequence", "terms": [3, 1, 4, 1, 5]}).status == "unknown"


def test_a_statement_over_itself_is_refused() -> None:
    told = {"kind": "analogy", "base": said(a=("r", "b"), b=("r", "a")), "target": said(c=("r", "x"))}
    with pytest.raises(InvalidArgument, match="statement 'a' refers to itself"):
        ask("analogical", told)


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-3, 3))
def test_every_parabola_is_continued(a: int, b: int, c: int) -> None:
    terms = [a + b * n + c * n * n for n in range(6)]
    answer = ask("analogical", {"kind": "sequence", "terms": terms}).answer
    following = str(a + b * 6 + c * 36)
    assert following in (answer.next, *(told for _, told in answer.others))
