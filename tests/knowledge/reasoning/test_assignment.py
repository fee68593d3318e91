"""Puzzles of assignment: textbook ones, those of Logic-LM's sets, and brute force."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import OutOfTime
from mabos.knowledge.reasoning.formal.assignment import Assignment
from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning import logic_lm
from tests.knowledge.reasoning.asking import ask, late


def assigned(variables: Mapping[str, Sequence[Any]], constraints: list[Any], **more: Any) -> MethodResult[Any]:
    domains = {name: list(domain) for name, domain in variables.items()}
    return ask("deductive", {"kind": "assignment", "variables": domains, "constraints": constraints, **more})


def test_three_birds_are_put_in_order() -> None:
    result = ask("deductive", dict(Assignment.example))
    assert (result.status, result.answer.chosen, result.evidence) == ("proved", ("A",), ("B-2",))
    assert result.answer.fixed == {"robin": 1, "owl": 2, "crow": 3}


def test_the_zebra_belongs_to_the_japanese() -> None:
    groups = [
        ["red", "green", "ivory", "yellow", "blue"],
        ["Englishman", "Spaniard", "Ukrainian", "Norwegian", "Japanese"],
        ["dog", "snails", "fox", "horse", "zebra"],
        ["coffee", "tea", "milk", "juice", "water"],
        ["Old Gold", "Kools", "Chesterfield", "Lucky Strike", "Parliament"],
    ]
    same = "Englishman=red Spaniard=dog coffee=green Ukrainian=tea Old Gold=snails Kools=yellow Lucky Strike=juice"
    same = same.replace("Old Gold", "Old_Gold").replace("Lucky Strike", "Lucky_Strike") + " Japanese=Parliament"
    pairs = [one.replace("_", " ").split("=") for one in same.split()]
    beside = [("Chesterfield", "fox"), ("Kools", "horse"), ("Norwegian", "blue")]
    constraints: list[Any] = [["==", left, right] for left, right in pairs]
    constraints += [["==", ["abs", ["-", left, right]], 1] for left, right in beside]
    constraints += [["==", "green", ["+", "ivory", 1]], ["==", "milk", 3], ["==", "Norwegian", 1]]
    variables = {name: [1, 2, 3, 4, 5] for group in groups for name in group}
    options = {name: ["==", name, "zebra"] for name in groups[1]}
    result = assigned(variables, constraints, all_different=groups, options=options, ask="must")
    assert (result.status, result.answer.chosen) == ("proved", ("Japanese",))
    assert (result.answer.fixed["water"], result.answer.fixed["Norwegian"]) == (1, 1)


def test_australia_needs_three_colours() -> None:
    borders = ["WA-NT", "WA-SA", "NT-SA", "NT-Q", "SA-Q", "SA-NSW", "SA-V", "Q-NSW", "NSW-V"]
    regions = [*sorted({name for one in borders for name in one.split("-")}), "T"]
    constraints = [{"id": one, "says": ["!=", *one.split("-")]} for one in borders]
    assert assigned(dict.fromkeys(regions, "rgb"), constraints).status == "computed"
    two = assigned(dict.fromkeys(regions, "rg"), constraints)
    assert two.status == "infeasible"
    assert len(two.evidence) == 3  # a triangle of borders, whichever


def test_eight_queens_have_a_place_each() -> None:
    queens = [f"q{number}" for number in range(8)]
    apart = [["!=", ["abs", ["-", a, b]], queens.index(b) - queens.index(a)] for a, b in combinations(queens, 2)]
    result = assigned(dict.fromkeys(queens, range(8)), apart, all_different=[queens])
    rows = [result.answer.solution[queen] for queen in queens]
    assert len({row + n for n, row in enumerate(rows)}) == len({row - n for n, row in enumerate(rows)}) == 8
    assert len(set(rows)) == 8


def test_an_option_must_could_or_cannot_be_true() -> None:
    options = {"A": ["==", ["count", ["==", "x", "y"], ["==", "x", 1]], 2], "B": ["<", "x", 3], "C": [">", "x", "y"]}
    result = assigned({"x": [1, 2], "y": [1, 2]}, [["<=", "x", "y"]], options=options)
    assert result.answer.options == {"A": "could", "B": "must", "C": "cannot"}
    assert result.answer.possible == {"x": (1, 2), "y": (1, 2)}


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        (["==", "x", "z"], "'z' is neither a variable nor a value of one"),
        (["eval", "x"], "is not a condition"),
        (["<", "x", ["value", "b"]], "'<' needs numbers"),
        (["and", "x"], "'x' is a value where a condition should be"),
        ("__import__('os')", "is neither a variable nor a value"),
    ],
)
def test_what_is_no_condition_is_refused(constraint: Any, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        assigned({"x": [1, 2]}, [constraint])


def test_a_sum_of_too_many_values_is_refused_before_it_is_built() -> None:
    variables = {f"v{number}": list(range(200)) for number in range(3)}
    with pytest.raises(InvalidArgument, match="pairs of values in"):
        assigned(variables, [["==", ["*", *variables], 7]])


def test_too_many_values_are_refused_before_anything_is_built() -> None:
    with pytest.raises(InvalidArgument, match="80,000 values of variables are more than"):
        assigned({f"v{number}": range(200) for number in range(400)}, [])


def test_no_time_is_a_timeout() -> None:
    with pytest.raises(OutOfTime):
        late("deductive", dict(Assignment.example), looks=1)


terms = st.one_of(st.sampled_from(["x", "y", "z"]), st.integers(0, 3))
conditions = st.recursive(
    st.tuples(st.sampled_from(["==", "!=", "<", "<="]), terms, terms).map(list),
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner).map(list),
        st.tuples(st.sampled_from(["and", "or", "implies", "xor", "iff"]), inner, inner).map(list),
        st.lists(inner, max_size=3).map(lambda some: ["==", ["count", *some], 1]),
    ),
    max_leaves=4,
)


def value(said: Any, at: dict[str, int]) -> Any:
    if not isinstance(said, list):
        return at.get(said, said) if isinstance(said, str) else said
    op, *parts = said[0], *(value(one, at) for one in said[1:])
    joins: dict[str, Any] = {
        "and": all,
        "or": any,
        "not": lambda some: not some[0],
        "implies": lambda some: not some[0] or some[1],
        "xor": lambda some: some[0] != some[1],
        "iff": lambda some: some[0] == some[1],
        "count": lambda some: sum(map(bool, some)),
        "==": lambda some: some[0] == some[1],
        "!=": lambda some: some[0] != some[1],
        "<": lambda some: some[0] < some[1],
        "<=": lambda some: some[0] <= some[1],
    }
    return joins[op](parts)


@settings(max_examples=30, deadline=None)
@given(st.lists(conditions, max_size=2), conditions)
def test_options_stand_as_enumeration_says(constraints: list[Any], option: Any) -> None:
    ways = [dict(zip("xyz", row, strict=True)) for row in product([0, 1, 2], repeat=3)]
    left = [way for way in ways if all(value(one, way) for one in constraints)]
    result = assigned({name: [0, 1, 2] for name in "xyz"}, constraints, options={"it": option})
    if not left:
        assert result.status == "infeasible"
        return
    true = sum(bool(value(option, way)) for way in left)
    assert result.answer.options["it"] == ("must" if true == len(left) else "could" if true else "cannot")
    assert result.answer.solution in left
    assert result.answer.possible == {name: tuple(sorted({way[name] for way in left})) for name in "xyz"}


def test_the_programs_of_logical_deduction_give_the_share_of_right_answers_that_is_published() -> None:
    questions = logic_lm.rows("logicaldeduction")[::2]
    if not questions:
        pytest.skip("the programs of Logic-LM are not in ../shared/data/reasoning")
    right = sum(
        ask("deductive", logic_lm.puzzle(logic_lm.program(row))).answer.chosen == (row["answer"],) for row in questions
    )
    print(f"LogicalDeduction: {right}/{len(questions)} right")
    assert right / len(questions) >= 0.876
