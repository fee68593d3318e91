"""Argumentation, against the examples of Dung 1995 and against brute force."""

from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.result import MethodResult
from mabos.knowledge.reasoning.social.argumentation import Extensions
from tests.knowledge.reasoning.asking import late

NAMES = "abcde"


def argued(arguments: str | list[str], attacks: list[tuple[str, str]], **more: Any) -> MethodResult[Extensions]:
    told = [{"by": by, "on": on} for by, on in attacks]
    problem = {"kind": "arguments", "arguments": list(arguments), "attacks": told, **more}
    return Engine(no_premises).reason(ReasoningRequest(problem, method="argumentation")).result


def test_the_nixon_diamond_has_two_preferred_extensions_and_an_empty_grounded_one() -> None:
    result = argued("qr", [("q", "r"), ("r", "q")], query="q")
    assert result.answer.preferred == (("q",), ("r",))
    assert result.answer.grounded == {"q": "undecided", "r": "undecided"}
    assert (result.status, result.answer.credulous, result.answer.sceptical) == ("unknown", True, False)


def test_an_odd_cycle_has_no_stable_extension_and_an_empty_preferred_one() -> None:
    result = argued("abc", [("a", "b"), ("b", "c"), ("c", "a")])
    assert result.answer.stable == ()
    assert result.answer.preferred == ((),)


def test_reinstatement_defends_the_first_argument() -> None:
    result = argued("abc", [("b", "a"), ("c", "b")], query="a")
    assert result.answer.grounded == {"a": "in", "b": "out", "c": "in"}
    assert result.status == "proved"


def test_an_attack_on_a_preferred_argument_fails() -> None:
    assert argued("qr", [("q", "r"), ("r", "q")], prefer=[("q", "r")], query="q").status == "proved"


def test_names_are_never_program_text() -> None:
    names = ['a"). :- true. %', "__import__('os')", "é\n\\"]
    result = argued(names, [(names[0], names[1])])
    assert result.answer.preferred == (tuple(sorted((names[0], names[2].strip()), key=repr)),)


def test_an_attack_by_an_unknown_argument_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="'z' is not among the arguments"):
        argued("ab", [("z", "a")])


def test_an_argument_in_every_one_of_very_many_extensions_is_not_claimed_to_be_proved_by_some() -> None:
    """Twelve pairs that attack each other have 4,096 preferred extensions; `defended` stands in all of them."""
    pairs = [(f"a{n}", f"b{n}") for n in range(12)]
    attacks = [attack for a, b in pairs for attack in ((a, b), (b, a))]
    attacks += [("a0", "doubt"), ("b0", "doubt"), ("doubt", "defended")]
    names = [name for pair in pairs for name in pair] + ["doubt", "defended"]
    result = argued(names, attacks, query="defended")
    assert (result.answer.credulous, result.answer.sceptical, result.status) == (True, None, "unknown")
    assert len(result.answer.preferred) == 64
    doubt = argued(names, attacks, query="doubt")
    assert (doubt.answer.credulous, doubt.answer.sceptical, doubt.status) == (False, False, "disproved")


def test_where_the_time_is_up_what_is_beyond_doubt_is_there() -> None:
    attacks = [{"by": "a", "on": "b"}]
    problem = {"kind": "arguments", "arguments": ["a", "b"], "attacks": attacks, "query": "a"}
    result = late("argumentation", problem, looks=2)
    assert (result.status, result.answer.grounded) == ("proved", {"a": "in", "b": "out"})
    assert late("argumentation", {**problem, "query": "b"}, looks=2).status == "disproved"
    tied = {**problem, "attacks": [*attacks, {"by": "b", "on": "a"}]}
    assert late("argumentation", tied, looks=2).status == "timeout"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=10, unique=True))
def test_the_extensions_are_those_of_the_definitions(attacks: list[tuple[str, str]]) -> None:
    result = argued(NAMES, attacks)
    sets = [frozenset(chosen) for chosen in chain.from_iterable(combinations(NAMES, n) for n in range(6))]

    def hits(by: frozenset[str], on: str) -> bool:
        return any((one, on) in attacks for one in by)

    free = [chosen for chosen in sets if not any(hits(chosen, one) for one in chosen)]
    admissible = [s for s in free if all(hits(s, by) for by, on in attacks if on in s)]
    preferred = {s for s in admissible if not any(s < other for other in admissible)}
    stable = {s for s in free if all(hits(s, one) for one in set(NAMES) - s)}
    assert set(map(frozenset, result.answer.preferred)) == preferred
    assert set(map(frozenset, result.answer.stable)) == stable
