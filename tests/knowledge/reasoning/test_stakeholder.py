"""Stakeholders: the classes of Mitchell, Agle and Wood, Saaty's comparisons, the aircraft of Hwang and Yoon."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.kernels.criteria import priorities
from mabos.knowledge.reasoning.social.stakeholder import Stakeholders
from tests.knowledge.reasoning.asking import ask, late

EXAMPLE = dict(Stakeholders.example)
ANYONE = {"one": {"power": 0.5, "legitimacy": 0.5, "urgency": 0.5}}


def stakes(stakeholders: dict[str, Any] | None = None, **more: Any) -> Any:
    return ask("stakeholder", {"kind": "stakeholders", "stakeholders": stakeholders or ANYONE, **more})


@pytest.mark.parametrize(
    ("held", "name"),
    [
        ("", "nonstakeholder"),
        ("P", "dormant"),
        ("L", "discretionary"),
        ("U", "demanding"),
        ("PL", "dominant"),
        ("PU", "dangerous"),
        ("LU", "dependent"),
        ("PLU", "definitive"),
    ],
)
def test_the_classes_are_those_of_mitchell_agle_and_wood(held: str, name: str) -> None:
    """1997, figure 2."""
    one = {"power": 0.9 * ("P" in held), "legitimacy": 0.8 * ("L" in held), "urgency": 0.7 * ("U" in held)}
    standing = stakes({"one": one}).answer.standing["one"]
    assert (standing.salience_class, standing.attributes) == (name, len(held))


@pytest.mark.parametrize(
    ("power", "interest", "attitude"),
    [(1, 1, "manage closely"), (1, 0, "keep satisfied"), (0, 1, "keep informed"), (0, 0, "monitor")],
)
def test_the_grid_is_mendelows(power: float, interest: float, attitude: str) -> None:
    one = {"power": power, "legitimacy": 0.5, "urgency": 0.5, "interest": interest}
    assert stakes({"one": one}).answer.standing["one"].attitude == attitude


DRINKS = ("coffee", "wine", "tea", "beer", "soda", "milk", "water")
TIMES = [[9, 5, 2, 1, 1, 1 / 2], [1 / 3, 1 / 9, 1 / 9, 1 / 9, 1 / 9], [1 / 3, 1 / 4, 1 / 3, 1 / 9], [1 / 2, 1, 1 / 3], [2, 1 / 2], [1 / 3]]  # fmt: skip  # noqa: E501


def compared(names: tuple[str, ...], times: list[list[float]]) -> dict[str, Any]:
    """Return criteria with comparisons, given as the upper triangle of the matrix."""
    told = [
        {"first": names[i], "second": names[i + 1 + j], "times": value}
        for i, row in enumerate(times)
        for j, value in enumerate(row)
    ]
    return {"criteria": {name: {} for name in names}, "comparisons": told}


def test_saatys_consumption_of_drinks() -> None:
    """Saaty 2008, Decision making with the analytic hierarchy process, table 2: ratio .022."""
    result = stakes(**compared(DRINKS, TIMES))
    assert list(result.answer.weights.values()) == pytest.approx(
        [0.177, 0.019, 0.042, 0.116, 0.19, 0.129, 0.327], abs=5e-4
    )
    assert result.answer.consistency == pytest.approx(0.022, abs=5e-4)
    assert not any("contradict" in said for said in result.assumptions)


def test_comparisons_that_go_in_a_circle_are_told_with_the_worst_of_them() -> None:
    result = stakes(**compared(("a", "b", "c"), [[5, 1 / 5], [5]]))
    assert result.answer.consistency > 0.1
    assert "the comparisons contradict each other" in result.assumptions[1]


def test_comparisons_that_agree_give_the_weights_they_come_from() -> None:
    result = stakes(**compared(("a", "b", "c"), [[2, 6], [3]]))
    assert result.answer.weights == pytest.approx({"a": 0.6, "b": 0.3, "c": 0.1})
    assert result.answer.consistency == pytest.approx(0, abs=1e-9)


AIRCRAFT = {
    "criteria": {
        "speed": {"weight": 0.2},
        "range": {"weight": 0.1},
        "payload": {"weight": 0.1},
        "cost": {"weight": 0.1, "more_is_better": False},
        "reliability": {"weight": 0.2},
        "manoeuvre": {"weight": 0.3},
    },
    "options": {
        name: dict(zip(("speed", "range", "payload", "cost", "reliability", "manoeuvre"), row, strict=True))
        for name, row in {
            "A1": (2.0, 1500, 20000, 5.5, 5, 9),
            "A2": (2.5, 2700, 18000, 6.5, 3, 5),
            "A3": (1.8, 2000, 21000, 4.5, 7, 7),
            "A4": (2.2, 1800, 20000, 5.0, 5, 5),
        }.items()
    },
}


def test_the_fighter_aircraft_of_hwang_and_yoon() -> None:
    """1981, Multiple attribute decision making, the example of TOPSIS."""
    result = stakes(**AIRCRAFT)
    assert result.answer.closeness == pytest.approx({"A1": 0.643, "A2": 0.268, "A3": 0.613, "A4": 0.312}, abs=2e-3)
    assert list(result.answer.scores) == ["A1", "A3", "A4", "A2"]
    assert (result.claims[0].subject, result.claims[0].predicate, result.claims[0].value) == (
        "decision",
        "choose",
        "A1",
    )


def test_a_rank_that_hangs_on_an_irrelevant_option_is_told() -> None:
    options = {"a": {"x": 10, "y": 2}, "b": {"x": 5, "y": 6.5}, "c": {"x": 1, "y": 15}}
    result = stakes(options=options, criteria={"x": {}, "y": {}})
    for left_out, ahead in result.answer.reversals:
        rest = {name: row for name, row in options.items() if name != left_out}
        assert stakes(options=rest, criteria={"x": {}, "y": {}}).answer.choice == ahead != result.answer.choice
    assert result.answer.reversals
    assert any("would be first by the criteria" in said for said in result.assumptions)


def test_who_is_for_and_against_and_who_loses_is_told_for_each_option() -> None:
    result = ask("stakeholder", EXAMPLE)
    close = result.answer.support["close the plant"]
    assert (close.backers, close.opponents) == (("board",), ("workers",))
    assert close.losers == (("workers", pytest.approx(2 / 3)),)
    assert (close.weight_for, close.weight_against) == (pytest.approx(2.5 / 3), pytest.approx(2 / 3))
    assert list(result.answer.standing) == ["board", "workers", "press"]
    assert result.soundness == 4


def test_votes_decide_whether_an_option_is_carried_and_on_whom_it_turns() -> None:
    """Luxembourg in the council of 1958 again: its vote never turns a decision."""
    votes = {"de": 4, "fr": 4, "it": 4, "be": 2, "nl": 2, "lu": 1}
    base = {"power": 0.5, "legitimacy": 0.5, "urgency": 0.5}
    council = {
        name: {**base, "votes": count, "positions": {"treaty": 1 if name in ("de", "fr", "it") else -1}}
        for name, count in votes.items()
    }
    answer = stakes(council, options={"treaty": {}}, quota=12 / 17).answer
    assert answer.support["treaty"].carried
    assert answer.standing["lu"].pivotal == 0
    assert answer.standing["de"].pivotal == Fraction(14, 60)
    halves = {name: {**base, "votes": 1, "positions": {"it": sign}} for name, sign in (("yes", 1), ("no", -1))}
    assert not stakes(halves, options={"it": {}}).answer.support["it"].carried
    all_of_three = {name: {**base, "votes": 0.1, "positions": {"it": 1}} for name in "abc"}
    assert stakes(all_of_three, options={"it": {}}, quota=1).answer.support["it"].carried


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({**EXAMPLE, "stakeholders": {"a": {"power": 2, "legitimacy": 0, "urgency": 0}}}, "less than or equal to 1"),
        ({**EXAMPLE, "options": {}}, "takes a position on 'close the plant', not a known option"),
        ({**EXAMPLE, "criteria": {"cost": {}}}, "has a value for 'jobs', not a known criterion"),
        ({**EXAMPLE, "criteria": {**EXAMPLE["criteria"], "air": {}}}, "has no value for 'air'"),
        ({**EXAMPLE, "comparisons": [{"first": "cost", "second": "air", "times": 1}]}, "'air', not a known"),
        ({**EXAMPLE, "comparisons": [{"first": "cost", "second": "jobs", "times": 10}]}, "less than or equal to 9"),
        (
            {**EXAMPLE, "comparisons": [{"first": "cost", "second": "jobs", "times": 2}] * 2},
            "'cost' and 'jobs' are compared 2 times",
        ),
    ],
)
def test_what_cannot_be_weighed_is_refused_with_the_reason(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("stakeholder", problem)


def test_the_order_in_which_people_and_options_are_told_does_not_matter() -> None:
    turned = {**EXAMPLE, **{key: dict(reversed(EXAMPLE[key].items())) for key in ("stakeholders", "options")}}
    told, again = ask("stakeholder", EXAMPLE), ask("stakeholder", turned)
    assert (told.answer.scores, told.claims) == (again.answer.scores, again.claims)
    equal = stakes(options={"b": {}, "a": {}})
    assert equal.answer.choice == "a"
    assert "a, b are equal; the first by name is taken" in equal.assumptions


def test_names_are_only_ever_names() -> None:
    hostile = {"__import__('os')": {**ANYONE["one"], "positions": {'"); drop': 1}}}
    result = stakes(hostile, options={'"); drop': {}})
    assert result.answer.choice == '"); drop'


def test_where_the_time_is_up_the_ranking_is_there_without_what_takes_long() -> None:
    result = late("stakeholder", {"kind": "stakeholders", "stakeholders": ANYONE, **AIRCRAFT}, looks=1)
    assert (result.status, result.answer.choice) == ("timeout", "A1")
    assert result.answer.standing["one"].pivotal is None


said_times = st.sampled_from([1 / 9, 1 / 5, 1 / 3, 1, 3, 5, 9])


@given(st.lists(said_times, min_size=6, max_size=6))
def test_the_weights_are_an_eigenvector_of_the_comparisons(times: list[float]) -> None:
    matrix = [[1.0] * 4 for _ in range(4)]
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for (i, j), value in zip(pairs, times, strict=True):
        matrix[i][j], matrix[j][i] = value, 1 / value
    found = priorities(matrix)
    assert sum(found.weights) == pytest.approx(1)
    assert found.eigenvalue >= 4 - 1e-9
    for row, weight in zip(matrix, found.weights, strict=True):
        raised = sum(a * w for a, w in zip(row, found.weights, strict=True))
        assert raised == pytest.approx(found.eigenvalue * weight, rel=1e-6)


@given(st.lists(st.tuples(*[st.floats(0, 100)] * 3), min_size=2, max_size=5))
def test_an_option_that_is_best_throughout_is_first(rows: list[tuple[float, float, float]]) -> None:
    names = ("x", "y", "z")
    best = tuple(max(column) + 1 for column in zip(*rows, strict=True))
    options = {f"o{n}": dict(zip(names, row, strict=True)) for n, row in enumerate([*rows, best])}
    answer = stakes(options=options, criteria={name: {} for name in names}).answer
    assert answer.choice == f"o{len(rows)}"
    assert answer.closeness[answer.choice] == 1
    assert answer.reversals == ()
