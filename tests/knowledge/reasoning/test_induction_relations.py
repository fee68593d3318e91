"""Induction from relations: grandparents (Muggleton and De Raedt 1994), even numbers, reachability, a dozen trains,
the five tasks of Popper, and rules checked against every example by joins of their own."""

from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.formal.relations import LearnedRules
from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning.asking import ask, late
from tests.knowledge.reasoning.popper import task

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "inductive" / "popper"


def learned(
    head: str, background: dict[str, Any], positive: Any, negative: Any, **more: Any
) -> MethodResult[LearnedRules]:
    problem = {"kind": "relational", "head": head, "background": background, "positive": positive, **more}
    return ask("inductive", {**problem, "negative": negative})


def fixpoint(answer: LearnedRules, background: dict[str, list[list[Any]]]) -> set[tuple[Any, ...]]:
    """Return all that the rules derive, by nested loops over the facts."""
    facts = {name: {tuple(row) for row in rows} for name, rows in background.items()}
    derived: set[tuple[Any, ...]] = set()
    while True:
        told = set(derived)
        for rule in answer.rules:
            ways: list[dict[str, Any]] = [{}]
            for one in rule.body:
                rows = derived if one.relation == rule.head.relation else facts[one.relation]
                ways = [
                    {**way, **dict(zip(one.variables, row, strict=True))}
                    for way in ways
                    for row in rows
                    if all(way.get(name, value) == value for name, value in zip(one.variables, row, strict=True))
                    and len(set(zip(one.variables, row, strict=True))) == len(set(one.variables))
                ]
            told |= {tuple(way[name] for name in rule.head.variables) for way in ways}
        if told == derived:
            return derived
        derived = told


def test_a_grandparent_is_a_parent_of_a_parent() -> None:
    background = {"parent": [["ann", "bob"], ["bob", "cid"], ["bob", "dee"], ["eve", "cid"]]}
    result = learned("grandparent", background, [["ann", "cid"], ["ann", "dee"]], [["ann", "bob"], ["eve", "cid"]])
    assert result.answer.text == "grandparent(A, B) :- parent(A, C), parent(C, B)."
    assert (result.status, result.soundness) == ("computed", 3)


def test_a_daughter_takes_two_conditions_on_the_same() -> None:
    background = {
        "parent": [["ann", "mary"], ["ann", "tom"], ["tom", "eve"], ["tom", "ian"]],
        "female": [["ann"], ["mary"], ["eve"]],
    }
    result = learned("daughter", background, [["mary", "ann"], ["eve", "tom"]], [["tom", "ann"], ["eve", "ann"]])
    assert result.answer.text == "daughter(A, B) :- female(A), parent(B, A)."


def test_an_even_number_is_two_after_an_even_one() -> None:
    background = {"zero": [[0]], "succ": [[n, n + 1] for n in range(9)]}
    result = learned("even", background, [[0], [4], [8]], [[n] for n in (1, 3, 5, 7)], recursion=True, max_body=3)
    assert fixpoint(result.answer, background) == {(0,), (2,), (4,), (6,), (8,)}
    assert result.status == "computed"


def test_what_is_reached_is_next_or_reached_from_what_is() -> None:
    background = {"edge": [["a", "b"], ["b", "c"], ["c", "d"], ["e", "f"]]}
    positive, negative = [["a", "b"], ["a", "c"], ["a", "d"], ["b", "d"]], [["a", "e"], ["b", "a"], ["d", "a"]]
    result = learned("reached", background, positive, negative, recursion=True)
    assert len(result.answer.rules) == 2
    assert fixpoint(result.answer, background) == {*map(tuple, [*positive, ["b", "c"], ["c", "d"], ["e", "f"]])}


def test_where_no_rule_of_the_bias_fits_the_rest_is_named() -> None:
    result = learned("f", {"p": [["a"], ["b"]]}, [["a"], ["c"]], [["b"]])
    assert (result.status, result.answer.rules) == ("infeasible", ())
    assert result.answer.uncovered == (("a",), ("c",))


def test_two_kinds_of_positive_examples_take_two_rules() -> None:
    background = {"red": [["a"], ["b"], ["x"]], "big": [["a"], ["b"], ["y"]], "odd": [["c"], ["d"]]}
    result = learned("f", background, [["a"], ["b"], ["c"], ["d"]], [["x"], ["y"]])
    assert {one.text for one in result.answer.rules} == {"f(A) :- odd(A).", "f(A) :- big(A), red(A)."}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"head": "p"}, "is to be learned"),
        ({"positive": [["a"], ["a", "b"]]}, "tuples of 1 and 2 arguments"),
        ({"types": {"q": ["t"]}}, "not a relation of the background"),
        ({"types": {"p": ["t", "u"]}}, "1 arguments but 2 types"),
        ({"single": ["t"]}, "which is not a type"),
        ({"negative": [["a"]]}, "a positive and a negative example"),
        ({"background": {"p": [["a"] * 6]}}, "arguments of a relation are more than"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_by_name(change: dict[str, Any], said: str) -> None:
    told = {"head": "f", "background": {"p": [["a"], ["b"]]}, "positive": [["a"]], "negative": []}
    with pytest.raises(InvalidArgument, match=said):
        ask("inductive", {"kind": "relational", **told, **change})


def test_names_are_never_program_text() -> None:
    hostile = ['x"). :- true. %', "__import__('os').system('true')", "a\nb"]
    result = learned("f'(", {"p) :- q(": [[one] for one in hostile[:2]]}, [[hostile[0]], [hostile[1]]], [[hostile[2]]])
    assert result.answer.rules[0].body[0].relation == "p) :- q("
    assert result.status == "computed"


def test_when_the_time_is_up_the_best_so_far_is_told_with_what_it_leaves_out() -> None:
    background = {"red": [["a"]], "edge": [[f"n{i}", f"n{i * 7 % 40}"] for i in range(40)]}
    problem = {"kind": "relational", "head": "f", "background": background, "positive": [["a"], ["n3"]]}
    result = late("inductive", {**problem, "negative": [["n4"]]}, looks=12)
    assert result.status == "timeout"
    assert ("n3",) in result.answer.uncovered


@settings(max_examples=25, deadline=None)
@given(
    st.sets(st.tuples(*[st.sampled_from("abcd")] * 2), max_size=7),
    st.sets(st.sampled_from("abcd"), max_size=3),
    st.sets(st.sampled_from("abcd"), min_size=1, max_size=2),
)
def test_learned_rules_have_every_positive_example_and_no_negative_one(
    edges: set[tuple[str, str]], marked: set[str], wanted: set[str]
) -> None:
    background = {"edge": [list(one) for one in sorted(edges)], "mark": [[one] for one in sorted(marked)]}
    negative = sorted(set("abcd") - wanted)
    result = learned("f", background, [[one] for one in sorted(wanted)], [[one] for one in negative], max_body=2)
    has = {one for (one,) in fixpoint(result.answer, background)}
    assert not has & set(negative)
    assert (wanted <= has) == (result.status == "computed")
    assert {one for one, *_ in result.answer.uncovered} == wanted - has


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sets(st.sampled_from("pqrs")), min_size=4, max_size=6), st.data())
def test_no_rules_of_fewer_literals_fit(rows: list[set[str]], data: st.DataObject) -> None:
    signs = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    names = [str(place) for place in range(len(rows))]
    background = {p: [[one] for one, row in zip(names, rows, strict=True) if p in row] for p in "pqrs"}
    positive = [[one] for one, sign in zip(names, signs, strict=True) if sign]
    negative = [[one] for one, sign in zip(names, signs, strict=True) if not sign]
    if not positive:
        return
    result = learned("f", background, positive, negative)
    bodies = [frozenset(body) for n in range(1, 5) for body in product("pqrs", repeat=n)]
    fitting = {
        body: frozenset(place for place, row in enumerate(rows) if body <= row)
        for body in bodies
        if not any(body <= row for row, sign in zip(rows, signs, strict=True) if not sign)
    }
    least = {frozenset[int](): 0}
    for body, has in fitting.items():
        for before, cost in list(least.items()):
            least[before | has] = min(least.get(before | has, 99), cost + len(body) + 1)
    wanted = frozenset(place for place, sign in enumerate(signs) if sign)
    costs = [cost for has, cost in least.items() if has >= wanted]
    assert bool(costs) == (result.status == "computed")
    if costs:
        assert sum(len(one.body) + 1 for one in result.answer.rules) == min(costs)


@pytest.mark.skipif(not DATA.exists(), reason="the tasks of Popper are not at hand")
@pytest.mark.parametrize("name", ["trains1", "kinship-ancestor"])
def test_the_rules_of_a_popper_task_have_all_positive_examples_and_no_negative_one(name: str) -> None:
    problem = task(DATA / name)
    result = ask("inductive", problem, seconds=300)
    assert result.status == "computed"
    worlds = by_train(problem["background"]).values() if name.startswith("trains") else [problem["background"]]
    has = {one for world in worlds for one in fixpoint(result.answer, world)}
    assert has >= {tuple(one) for one in problem["positive"]}
    assert not has & {tuple(one) for one in problem["negative"]}


def by_train(background: dict[str, list[list[str]]]) -> dict[str, dict[str, list[list[str]]]]:
    """Return the facts of each train, whose parts are named after it: nested loops over all would take hours."""
    apart: dict[str, dict[str, list[list[str]]]] = defaultdict(lambda: {name: [] for name in background})
    for name, rows in background.items():
        for row in rows:
            apart[row[0].split("_")[0]][name].append(row)
    return apart
