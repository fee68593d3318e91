"""Information and Monte Carlo: worked examples of the books, closed forms, and what draws must satisfy."""

from math import exp, log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.kernels.shares import entropy
from tests.knowledge.reasoning.asking import ask, late


def test_example_2_2_1_of_cover_and_thomas() -> None:
    rows = {
        "1": [1 / 8, 1 / 16, 1 / 32, 1 / 32],
        "2": [1 / 16, 1 / 8, 1 / 32, 1 / 32],
        "3": [1 / 16, 1 / 16, 1 / 16, 1 / 16],
        "4": [1 / 4, 0, 0, 0],
    }
    table = {name: dict(zip("abcd", row, strict=True)) for name, row in rows.items()}
    answer = ask("info-theory", {"kind": "joint", "table": table}).answer
    assert (answer.rows, answer.columns, answer.both) == pytest.approx((2, 7 / 4, 27 / 8))
    assert (answer.columns_given_rows, answer.rows_given_columns) == pytest.approx((11 / 8, 13 / 8))
    assert answer.mutual == pytest.approx(3 / 8)


@pytest.mark.parametrize(
    ("table", "gain"),
    [
        ({"sunny": (2, 3), "overcast": (4, 0), "rain": (3, 2)}, 0.246),
        ({"high": (3, 4), "normal": (6, 1)}, 0.151),
        ({"weak": (6, 2), "strong": (3, 3)}, 0.048),
        ({"hot": (2, 2), "mild": (4, 2), "cool": (3, 1)}, 0.029),
    ],
)
def test_the_gains_of_play_tennis_in_mitchell_1997(table: dict[str, tuple[int, int]], gain: float) -> None:
    rows = {name: {"yes": yes, "no": no} for name, (yes, no) in table.items()}
    assert ask("info-theory", {"kind": "joint", "table": rows}).answer.mutual == pytest.approx(gain, abs=1e-3)


def test_the_binary_symmetric_channel_tells_one_bit_less_its_noise() -> None:
    table = {"0": {"0": 0.5 * 0.9, "1": 0.5 * 0.1}, "1": {"0": 0.5 * 0.1, "1": 0.5 * 0.9}}
    answer = ask("info-theory", {"kind": "joint", "table": table}).answer
    assert answer.mutual == pytest.approx(1 + 0.9 * log2(0.9) + 0.1 * log2(0.1))


def test_the_question_that_halves_the_hypotheses_is_asked_unless_it_costs_too_much() -> None:
    prior = dict.fromkeys("abcd", 0.25)

    def question(*yes: str, cost: float = 1.0) -> dict[str, Any]:
        rows = {"yes": {h: float(h in yes) for h in prior}, "no": {h: float(h not in yes) for h in prior}}
        return {"answers": rows, "cost": cost}

    problem = {"kind": "questions", "prior": prior, "questions": {"a or b?": question("a", "b"), "a?": question("a")}}
    answer = ask("info-theory", problem).answer
    assert (answer.ask, answer.gain["a or b?"]) == ("a or b?", pytest.approx(1))
    assert answer.gain["a?"] == pytest.approx(0.8113, abs=1e-4)
    problem["questions"] = {"a or b?": question("a", "b", cost=2.0), "a?": question("a")}
    assert ask("info-theory", problem).answer.ask == "a?"


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_uncertainty_is_never_negative_nor_above_that_of_equal_shares(weights: list[float]) -> None:
    assert 0 <= entropy(weights) <= log2(len(weights)) + 1e-9


def call_option() -> dict[str, Any]:
    growth = "100 * exp((0.05 - 0.02) + 0.2 * z)"
    return {
        "kind": "simulation",
        "quantities": {"z": {"distribution": "normal", "mean": 0, "sd": 1}},
        "target": f"exp(-0.05) * max({growth} - 100, 0)",
        "event": f"{growth} > 100",
        "samples": 1_000_000,
    }


def test_a_call_option_is_worth_what_black_and_scholes_say() -> None:
    result = ask("monte-carlo", call_option(), seed=1)
    assert result.answer.mean == pytest.approx(10.4506, abs=4 * result.answer.standard_error)
    assert result.answer.probability == pytest.approx(0.5596, abs=2e-3)  # N(d2), d2 = 0.15
    assert result.answer.standard_error < 0.02


def test_the_indices_of_ishigami_and_homma() -> None:
    angle = {"distribution": "uniform", "low": -3.141592653589793, "high": 3.141592653589793}
    problem = {
        "kind": "simulation",
        "quantities": {"x": angle, "y": angle, "z": angle},
        "target": "sin(x) + 7 * sin(y) ** 2 + 0.1 * z ** 4 * sin(x)",
        "sensitivity": True,
    }
    answer = ask("monte-carlo", problem, seed=3).answer
    assert answer.mean == pytest.approx(3.5, abs=0.05)
    known = {"x": (0.3139, 0.5576), "y": (0.4424, 0.4424), "z": (0.0, 0.2437)}
    for name, shares in known.items():
        assert answer.sensitivity[name] == pytest.approx(shares, abs=0.02)


def test_pert_estimates_have_the_mean_of_malcolm_1959() -> None:
    step = {"distribution": "pert", "low": 2, "mode": 4, "high": 12}
    problem = {"kind": "simulation", "quantities": {"a": step, "b": step}, "target": "a + b", "event": "a + b <= 12"}
    answer = ask("monte-carlo", problem, seed=5).answer
    assert answer.mean == pytest.approx(2 * (2 + 16 + 12) / 6, abs=0.05)


def test_draws_end_when_the_error_is_small_enough() -> None:
    problem = {**call_option(), "standard_error": 0.2}
    answer = ask("monte-carlo", problem).answer
    assert answer.standard_error <= 0.2
    assert answer.samples < 1_000_000


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    once, again, other = (ask("monte-carlo", call_option() | {"samples": 1000}, seed=seed) for seed in (1, 1, 2))
    assert once == again
    assert once.answer.mean != other.answer.mean


def test_a_late_answer_is_of_the_draws_made_by_then() -> None:
    result = late("monte-carlo", call_option(), looks=4)
    assert result.status == "timeout"
    assert 0 < result.answer.samples < 1_000_000


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"target": "__import__('os').system('id')"}, "is not arithmetic"),
        ({"target": "z + y"}, "'y', which is not given"),
        ({"quantities": {"z": {"distribution": "normal", "mean": 0}}}, "sd is missing"),
        ({"quantities": {"z": {"distribution": "uniform", "low": 2, "high": 1}}}, "low < high"),
        ({"samples": 10**9}, "less than or equal to 5000000"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("monte-carlo", {**call_option(), **changes})


def test_a_target_without_a_value_for_some_draw_is_said() -> None:
    with pytest.raises(InvalidArgument, match="has no finite value for"):
        ask("monte-carlo", {**call_option(), "target": "1 / max(z, 0)"})


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 0.95), st.integers(0, 100))
def test_the_probability_of_an_event_lies_in_its_interval(share: float, seed: int) -> None:
    problem = {
        "kind": "simulation",
        "quantities": {"u": {"distribution": "uniform", "low": 0, "high": 1}},
        "target": "u",
        "event": f"u < {share}",
        "samples": 2000,
    }
    answer = ask("monte-carlo", problem, seed=seed).answer
    low, high = answer.probability_interval
    assert low <= answer.probability <= high
    assert answer.probability == pytest.approx(share, abs=0.06)
    assert exp(0) * answer.mean == pytest.approx(0.5, abs=0.05)
