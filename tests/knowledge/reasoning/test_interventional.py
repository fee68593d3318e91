"""Interventional: the front door and the sprinkler of Pearl 2009, the trial of Balke and Pearl 1997."""

from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from tests.knowledge.reasoning.asking import ask, late

CHOLESTYRAMINE = {
    "kind": "causal_model",
    "variables": {"assigned": {}, "taken": {"parents": ["assigned"]}, "better": {"parents": ["taken"]}},
    "confounded": [["taken", "better"]],
    "counts": {"over": ["assigned", "taken", "better"], "values": [0.473, 0.139, 0.073, 0.315, 0, 0, 0.081, 0.919]},
    "treatment": "taken",
    "outcome": "better",
}
FIRING = {
    "kind": "structural_model",
    "noise": {"order": 0.7, "nerves": 0.1},
    "equations": {"captain": "order", "a": "max(captain, nerves)", "b": "captain", "death": "max(a, b)"},
    "outcome": "death",
}


def tar(**more: Any) -> dict[str, Any]:
    """Return Pearl's table of smoking, tar and cancer (Causality, table 3.1)."""
    problem = {
        "kind": "causal_model",
        "variables": {"smoking": {}, "tar": {"parents": ["smoking"]}, "cancer": {"parents": ["tar"]}},
        "confounded": [["smoking", "cancer"]],
        "counts": {
            "over": ["smoking", "tar", "cancer"],
            "values": [
                *(0.475 * 0.85, 0.475 * 0.15, 0.025 * 0.9, 0.025 * 0.1),
                *(0.025 * 0.05, 0.025 * 0.95, 0.475 * 0.1, 0.475 * 0.9),
            ],
        },
        "treatment": "smoking",
        "outcome": "cancer",
    }
    return {**problem, **more}


def test_the_front_door_of_pearl_clears_smoking() -> None:
    result = ask("interventional", tar())
    assert [one["true"] for one in result.answer.shares] == pytest.approx([0.4525, 0.4975])
    assert (result.status, result.answer.by) == ("computed", "front-door")
    assert ask("causal", tar()).answer.reversed


def test_setting_the_sprinkler_says_nothing_of_the_season() -> None:
    problem = {
        "kind": "causal_model",
        "variables": {
            "cloudy": {"table": [0.5]},
            "sprinkler": {"parents": ["cloudy"], "table": [0.1, 0.5]},
            "rain": {"parents": ["cloudy"], "table": [0.8, 0.2]},
            "wet": {"parents": ["sprinkler", "rain"], "table": [0.99, 0.9, 0.9, 0.0]},
        },
        "treatment": "sprinkler",
        "outcome": "rain",
    }
    result = ask("interventional", problem)
    assert result.answer.effect == pytest.approx(0)
    assert result.claims[0].value == "none"
    wet = ask("interventional", {**problem, "outcome": "wet"}).answer
    assert wet.shares[0]["true"] == pytest.approx(0.5 * 0.99 + 0.5 * 0.9)
    assert wet.shares[1]["true"] == pytest.approx(0.5 * 0.9)


def test_the_bounds_of_balke_and_pearl_for_a_trial_with_noncompliance() -> None:
    result = ask("interventional", CHOLESTYRAMINE)
    assert result.status == "unknown"
    assert result.answer.effect_bounds == pytest.approx((0.392, 0.780), abs=5e-4)
    assert result.claims[0].value == "raises"
    compared = ask("causal", CHOLESTYRAMINE)
    assert (compared.status, compared.answer.effect_bounds) == ("unknown", result.answer.effect_bounds)


def test_a_contradiction_that_few_cases_allow_is_put_down_to_chance() -> None:
    over, seen = ["assigned", "taken", "better"], [6, 4, 0, 0, 4, 7, 0, 0]
    result = ask("interventional", {**CHOLESTYRAMINE, "counts": {"over": over, "values": seen}})
    assert result.status == "unknown"
    assert result.answer.effect_bounds is not None
    many = {"over": over, "values": [3_000 * one for one in seen]}
    assert ask("interventional", {**CHOLESTYRAMINE, "counts": many}).status == "inconsistent"


def test_three_methods_over_one_model_agree() -> None:
    methods = ("causal", "interventional", "counterfactual")
    reasoned = Engine(no_premises).reason(ReasoningRequest(dict(CausalModel.example), methods=methods, several=True))
    assert reasoned.fusion is not None
    assert reasoned.fusion.conclusion is not None
    assert reasoned.fusion.conclusion.value == pytest.approx(0.053671)
    assert reasoned.fusion.disagreements == ()


def test_an_instrument_that_acts_on_the_outcome_contradicts_the_graph() -> None:
    counts = {"over": ["assigned", "taken", "better"], "values": [0.9, 0.1, 0, 0, 0.1, 0.9, 0, 0]}
    assert ask("interventional", {**CHOLESTYRAMINE, "counts": counts}).status == "inconsistent"
    assert ask("causal", {**CHOLESTYRAMINE, "counts": counts}).status == "inconsistent"


def test_kidney_stones_have_an_interval_that_counts_drawn_anew_give() -> None:
    result = ask("interventional", dict(CausalModel.example))
    assert result.answer.effect == pytest.approx(0.0537, abs=5e-5)
    low, high = result.answer.interval
    assert low < 0 < result.answer.effect < high
    assert (result.status, result.soundness) == ("estimated", 3)
    assert ask("interventional", dict(CausalModel.example)).answer == result.answer


def test_holding_the_mediator_leaves_the_controlled_direct_effect() -> None:
    problem = {
        "kind": "causal_model",
        "variables": {
            "x": {"table": [0.5]},
            "m": {"parents": ["x"], "table": [0.9, 0.2]},
            "y": {"parents": ["x", "m"], "table": [0.8, 0.4, 0.7, 0.1]},
        },
        "treatment": "x",
        "outcome": "y",
    }
    assert ask("interventional", {**problem, "hold": {"m": "true"}}).answer.effect == pytest.approx(0.1)
    assert ask("interventional", {**problem, "hold": {"m": "false"}}).answer.effect == pytest.approx(0.3)


def test_the_effect_within_a_stratum_is_that_of_the_stratum() -> None:
    problem = {**CausalModel.example, "within": {"stones": "small"}}
    assert ask("interventional", problem).answer.effect == pytest.approx(81 / 87 - 234 / 270)


def test_where_nobody_was_treated_the_effect_is_unknown_and_bounded() -> None:
    counts = {"over": ["stones", "treatment", "cured"], "values": [81, 6, 234, 36, 0, 0, 55, 25]}
    result = ask("interventional", {**CausalModel.example, "counts": counts})
    assert result.status == "unknown"
    assert result.answer.effect_bounds[0] < 0 < result.answer.effect_bounds[1]
    assert "states that were not observed" in result.summary


def test_structural_equations_are_run_with_what_is_set() -> None:
    result = ask("interventional", {**FIRING, "do": {"a": 1}})
    assert result.answer.distribution == {"1": 1.0}
    held = ask("interventional", {**FIRING, "do": {"a": 0}}).answer
    assert (held.mean, held.mean_before) == (pytest.approx(0.7), pytest.approx(0.73))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"do": {"a": 1}, "evidence": {"death": 1}}, "counterfactual"),
        ({}, "nothing is set"),
        ({"do": {"a": 1}, "equations": {"death": "__import__('os').getpid()", "a": "order"}}, "not arithmetic"),
        ({"do": {"a": 1}, "equations": {"death": "a", "a": "death"}}, "cycle"),
        ({"do": {"a": 1}, "noise": {"order": {"values": [0, 1], "shares": [0.5, 0.6]}}}, "sum to 1.1"),
        ({"do": {"a": 1}, "noise": {f"u{n}": 0.5 for n in range(30)} | {"order": 0.5, "nerves": 0.1}}, "more than"),
    ],
)
def test_what_cannot_be_run_is_refused_with_the_reason(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("interventional", {**FIRING, **changes})


def test_a_late_answer_has_the_bounds_that_need_no_program() -> None:
    assert ask("interventional", CHOLESTYRAMINE, seconds=1e-9).status == "timeout"
    result = late("interventional", CHOLESTYRAMINE, looks=60)
    assert result.status == "timeout"
    low, high = result.answer.effect_bounds
    assert low < 0.392
    assert high > 0.78
