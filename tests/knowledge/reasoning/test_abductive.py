"""Abduction: textbook explanations, the circuits of Reiter and de Kleer, and brute force over assumptions."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.formal.abductive import Explain
from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning.asking import ask, late


def explained(observations: list[Any], abducibles: list[Any], **more: Any) -> MethodResult[Any]:
    problem = {"kind": "explanation", "observations": observations, "abducibles": abducibles, **more}
    return ask("abductive", problem)


def found(result: MethodResult[Any]) -> set[frozenset[str]]:
    return {frozenset(one.assumes) for one in result.answer.ranked}


GATES: dict[str, tuple[str, str, str, str]] = {
    "X1": ("xor", "a", "b", "c"),
    "X2": ("xor", "c", "carry_in", "sum"),
    "A1": ("and", "a", "b", "d"),
    "A2": ("and", "c", "carry_in", "e"),
    "O1": ("or", "d", "e", "carry_out"),
}
TABLES = {
    "xor": {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0},
    "and": {(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 1},
    "or": {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 1},
}
ONE_VALUE = [["is", "?w", "?a"], ["is", "?w", "?b"], {"compare": ["?a", "!=", "?b"]}]


def test_the_full_adder_of_reiter_has_its_three_diagnoses() -> None:
    facts = [["gate", name, *told] for name, told in GATES.items()]
    facts += [["row", kind, *map(str, ins), str(out)] for kind, table in TABLES.items() for ins, out in table.items()]
    works = ["gate", "?g", "?kind", "?p", "?q", "?r"]
    rule = {
        "id": "gate works",
        "if": [
            works,
            {"not": ["broken", "?g"]},
            ["is", "?p", "?x"],
            ["is", "?q", "?y"],
            ["row", "?kind", "?x", "?y", "?z"],
        ],
        "then": ["is", "?r", "?z"],
    }
    seen = {"a": 1, "b": 0, "carry_in": 1, "sum": 1, "carry_out": 0}
    gates = [["broken", name] for name in GATES]
    # An exclusive or tells one input from the other and the output, as the circuit is read backwards too.
    back = {
        "id": "xor read back",
        "if": [
            ["gate", "?g", "xor", "?p", "?q", "?r"],
            {"not": ["broken", "?g"]},
            ["is", "?q", "?y"],
            ["is", "?r", "?z"],
            ["row", "xor", "?x", "?y", "?z"],
        ],
        "then": ["is", "?p", "?x"],
    }
    decisive = [
        {
            "id": f"one input of {kind} decides",
            "if": [["gate", "?g", kind, "?p", "?q", "?r"], {"not": ["broken", "?g"]}, ["is", wire, value]],
            "then": ["is", "?r", value],
        }
        for kind, value in (("or", "1"), ("and", "0"))
        for wire in ("?p", "?q")
    ]
    result = explained(
        [["is", wire, str(value)] for wire, value in seen.items()],
        gates,
        facts=facts,
        rules=[rule, back, *decisive],
        constraints=[ONE_VALUE],
        explains="consistent",
    )
    expected = [{"broken(X1)"}, {"broken(X2)", "broken(A2)"}, {"broken(X2)", "broken(O1)"}]
    assert found(result) == set(map(frozenset, expected))
    assert result.answer.ranked[0].assumes == ("broken(X1)",)


def polybox() -> dict[str, Any]:
    """Three multipliers into two adders: A=3 B=2 C=2 D=3 E=3, and F is 10 though 12 was expected, G is 12."""
    parts = {
        "M1": ("times", "A", "C", "X"),
        "M2": ("times", "B", "D", "Y"),
        "M3": ("times", "C", "E", "Z"),
        "A1": ("plus", "X", "Y", "F"),
        "A2": ("plus", "Y", "Z", "G"),
    }
    small = range(1, 13)
    facts = [["part", name, *told] for name, told in parts.items()]
    facts += [["row", "plus", str(a), str(b), str(a + b)] for a in small for b in small if a + b <= 12]
    facts += [["row", "times", str(a), str(b), str(a * b)] for a in (2, 3) for b in (2, 3)]
    part, works = ["part", "?m", "?op", "?p", "?q", "?r"], {"not": ["broken", "?m"]}
    first, second, third = ["is", "?p", "?x"], ["is", "?q", "?y"], ["is", "?r", "?z"]
    row = ["row", "?op", "?x", "?y", "?z"]
    rules = [
        {"id": "forward", "if": [part, works, first, second, row], "then": third},
        {"id": "left", "if": [part, works, second, third, row], "then": first},
        {"id": "right", "if": [part, works, first, third, row], "then": second},
    ]
    seen = {"A": 3, "B": 2, "C": 2, "D": 3, "E": 3, "F": 10, "G": 12}
    return {
        "kind": "explanation",
        "facts": facts,
        "rules": rules,
        "constraints": [ONE_VALUE],
        "observations": [["is", wire, str(value)] for wire, value in seen.items()],
        "abducibles": [{"atom": ["broken", name], "prior": 0.01} for name in parts],
        "explains": "consistent",
    }


def test_the_polybox_of_de_kleer_has_its_four_diagnoses_and_x_is_measured_next() -> None:
    problem = {**polybox(), "tests": [["is", "X", "6"], ["is", "Y", "6"], ["is", "Z", "6"]]}
    result = ask("abductive", problem)
    doubles = [{"broken(A2)", "broken(M2)"}, {"broken(M2)", "broken(M3)"}]
    assert found(result) == set(map(frozenset, [{"broken(A1)"}, {"broken(M1)"}, *doubles]))
    assert [one.share for one in result.answer.ranked[:2]] == pytest.approx([0.495, 0.495], abs=0.005)
    assert result.answer.next_test.look_at == "is(X, 6)"


def test_wet_grass_is_rain_or_the_sprinkler_and_the_road_would_tell() -> None:
    result = ask("abductive", dict(Explain.example))
    best = result.answer.ranked[0]
    assert (best.assumes, best.prior_times_likelihood) == (("rained",), pytest.approx(0.3 * 0.9))
    odds = 0.3 / 0.7 * 0.9, 0.1 / 0.9
    assert result.confidence == pytest.approx(odds[0] / sum(odds))
    assert result.answer.next_test.look_at == "wet(road)"


def test_the_score_of_s0_is_the_share_of_conditions_that_hold_times_the_factor() -> None:
    rules = [
        {
            "id": "R-1",
            "if": [["price", "up"], ["rival", "cut"], ["season", "low"]],
            "then": ["churn", "up"],
            "factor": 0.9,
        },
        {"id": "R-2", "if": [["support", "slow"]], "then": ["churn", "up"], "factor": 0.8},
    ]
    facts = [{"id": "F-1", "atom": ["price", "up"]}, {"id": "F-2", "atom": ["season", "low"]}]
    result = explained([["churn", "up"]], [["rival", "cut"], ["support", "slow"]], facts=facts, rules=rules)
    assert {one.assumes: one.coverage for one in result.answer.ranked} == {
        ("rival(cut)",): pytest.approx(2 / 3 * 0.9),
        ("support(slow)",): 0.0,
    }
    assert result.evidence == ("F-1", "F-2", "R-1")


def test_an_allergy_explains_what_two_illnesses_would_as_in_reggia() -> None:
    causes = {
        "flu": ["fever", "ache"],
        "allergy": ["sneeze"],
        "cold": ["sneeze", "ache"],
        "measles": ["fever", "spots"],
    }
    rules = [{"if": [["has", ill]], "then": ["shows", sign]} for ill, signs in causes.items() for sign in signs]
    result = explained([["shows", "fever"], ["shows", "sneeze"]], [["has", ill] for ill in causes], rules=rules)
    pairs = [{"flu", "allergy"}, {"flu", "cold"}, {"measles", "allergy"}, {"measles", "cold"}]
    assert found(result) == {frozenset(f"has({ill})" for ill in pair) for pair in pairs}


def test_what_cannot_be_together_explains_nothing() -> None:
    rules = [{"if": [["a"], ["b"]], "then": ["seen"]}]
    barred = explained([["seen"]], [["a"], ["b"]], rules=rules, constraints=[[["a"], ["b"]]])
    assert (barred.status, barred.answer.ranked) == ("infeasible", ())
    denied = [*rules, {"if": [["a"]], "then": {"neg": ["b"]}}]
    assert explained([["seen"]], [["a"], ["b"]], rules=denied).status == "infeasible"


def test_what_follows_anyway_needs_no_assumption() -> None:
    result = explained([["seen"]], [["a"]], facts=[{"id": "F-1", "atom": ["seen"]}])
    assert (result.answer.ranked[0].assumes, result.evidence) == ((), ("F-1",))


def test_hostile_names_are_only_names() -> None:
    name = "\"). :- true. %\n__import__('os')"
    result = explained([["seen", name]], [["a", name]], rules=[{"if": [["a", "?x"]], "then": ["seen", "?x"]}])
    assert result.answer.ranked[0].assumes == (f"a({name})",)


def test_an_assumption_with_a_variable_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"broken\(\?x\) has a variable"):
        explained([["seen"]], [["broken", "?x"]])


def test_when_time_is_up_the_explanations_found_are_told() -> None:
    rules = [{"if": [[f"a{n}"]], "then": [f"o{m}"]} for n in range(40) for m in range(20) if (n * 7 + m) % 3]
    signs, causes = [[f"o{m}"] for m in range(20)], [[f"a{n}"] for n in range(40)]
    problem = {"kind": "explanation", "rules": rules, "observations": signs, "abducibles": causes}
    part = late("abductive", problem, looks=6_000)
    assert part.status == "timeout"
    assert 0 < len(part.answer.ranked) < len(ask("abductive", problem).answer.ranked)


ITEMS = "abcd"
rules_ = st.lists(
    st.tuples(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=2), st.sampled_from("xyz")), min_size=1, max_size=7
)


@settings(max_examples=30, deadline=None)
@given(
    rules_,
    st.lists(st.sampled_from("xyz"), min_size=1, max_size=2, unique=True),
    st.tuples(*[st.sampled_from(ITEMS)] * 2),
)
def test_the_explanations_are_the_smallest_sets_from_which_all_follows(
    rules: list[tuple[list[str], str]], seen: list[str], barred: tuple[str, str]
) -> None:
    def explains(chosen: frozenset[str]) -> bool:
        derived = {head for body, head in rules if set(body) <= chosen}
        return set(seen) <= derived and not set(barred) <= chosen

    every = [frozenset(some) for size in range(5) for some in combinations(ITEMS, size)]
    good = [one for one in every if explains(one)]
    smallest = {one for one in good if not any(other < one for other in good)}
    result = explained(
        [[one] for one in seen],
        [[one] for one in ITEMS],
        rules=[{"if": [[one] for one in body], "then": [head]} for body, head in rules],
        constraints=[[[one] for one in barred]],
    )
    assert found(result) == smallest
