"""The router: the documents' weights, the methods they name, and what must hold whatever the problem."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.knowledge.reasoning.engine import rank_methods
from mabos.knowledge.reasoning.methods import METHODS, ReasoningMethod, kinds, method, taking
from mabos.knowledge.reasoning.router import WEIGHTS, Classification, MethodCandidate, printed_scores, route

PRESSURES = ("none", "moderate", "urgent")
STAKES = ("low", "medium", "high")

classifications = st.builds(
    Classification,
    uncertainty=st.sampled_from(["low", "medium", "high"]),
    complexity=st.sampled_from(["simple", "moderate", "complex"]),
    domain=st.sampled_from(["formal", "empirical", "social", "mixed"]),
    time_pressure=st.sampled_from(PRESSURES),
    data_availability=st.sampled_from(["rich", "moderate", "sparse"]),
    stakes=st.sampled_from(STAKES),
)
costs = st.floats(min_value=0, max_value=1e6, allow_nan=False)
candidate_lists = st.lists(
    st.builds(MethodCandidate, st.sampled_from(METHODS), costs),
    min_size=1,
    max_size=12,
    unique_by=lambda one: one.method.name,
)


def pick(
    classification: Classification, candidates: list[MethodCandidate], one_problem: bool = False
) -> MethodCandidate:
    return route(classification, candidates, one_problem=one_problem).ranked[0]


def changed(classification: Classification, **changes: Any) -> Classification:
    return classification.model_copy(update=changes)


def test_there_are_thirty_two_methods_and_three_of_fusion() -> None:
    printed = (
        "deductive inductive abductive analogical modal deontic temporal bayesian decision-theory expected-utility "
        "info-theory monte-carlo causal counterfactual interventional root-cause systems-thinking heuristic case-based "
        "pattern-recognition satisficing naturalistic game-theory negotiation social-choice argumentation stakeholder "
        "meta-cognitive strategy-selection learning-to-reason reflection calibration"
    )
    fusion = {"weighted-ensemble", "dempster-shafer", "debate"}
    assert sorted(one.name for one in METHODS) == sorted([*printed.split(), *fusion])
    assert {one.name for one in METHODS if one.kernel == "fusion"} == fusion


def test_every_kind_of_problem_is_taken_by_some_method() -> None:
    assert all(taking(kind) for kind in kinds())


@pytest.mark.parametrize(
    ("dimension", "value", "named"),
    [
        ("uncertainty", "high", {"bayesian", "monte-carlo"}),
        ("complexity", "complex", {"systems-thinking"}),
        ("time_pressure", "urgent", {"satisficing", "naturalistic"}),
        ("data_availability", "rich", {"inductive", "pattern-recognition"}),
        ("stakes", "high", {"decision-theory", "expected-utility"}),
    ],
)
def test_with_one_dimension_high_the_methods_named_for_it_lead(dimension: str, value: str, named: set[str]) -> None:
    ranked = rank_methods(Classification.model_validate({dimension: value})).ranked
    assert {one.method.name for one in ranked[: len(named)]} == named


def test_the_printed_formula_is_reproduced_for_every_classification() -> None:
    for uncertainty, complexity, domain in product(
        ["low", "medium", "high"], ["simple", "moderate", "complex"], ["formal", "empirical", "social", "mixed"]
    ):
        for name, score in printed_scores(
            Classification.model_validate({"uncertainty": uncertainty, "complexity": complexity, "domain": domain})
        ).items():
            one = method(name)
            level = {"simple": "low", "moderate": "medium", "complex": "high"}[complexity]
            expected = WEIGHTS["uncertainty"] * (uncertainty in one.uncertainty)
            expected += WEIGHTS["complexity"] * (level in one.complexity) + WEIGHTS["domain"] * (domain in one.domain)
            expected += WEIGHTS["data"] * ("medium" in one.data) + WEIGHTS["stakes"] * (one.soundness == 3)
            assert score == pytest.approx(expected)


@given(classifications, candidate_lists, st.booleans())
def test_more_time_pressure_never_picks_a_costlier_method(
    classification: Classification, candidates: list[MethodCandidate], one_problem: bool
) -> None:
    picked = [pick(changed(classification, time_pressure=one), candidates, one_problem).cost_ms for one in PRESSURES]
    assert picked == sorted(picked, reverse=True)


def test_a_method_named_for_urgency_is_not_chosen_where_a_sounder_one_is_cheaper() -> None:
    candidates = [MethodCandidate(method("deductive"), 1.0), MethodCandidate(method("satisficing"), 2.0)]
    urgent = Classification(time_pressure="urgent", domain="formal", stakes="low", data_availability="rich")
    assert pick(urgent, candidates, one_problem=True).method.name == "deductive"


@given(classifications, candidate_lists, st.booleans())
def test_higher_stakes_never_pick_a_less_sound_method(
    classification: Classification, candidates: list[MethodCandidate], one_problem: bool
) -> None:
    picked = [pick(changed(classification, stakes=one), candidates, one_problem).method.soundness for one in STAKES]
    assert picked == sorted(picked, reverse=True)


@given(classifications, candidate_lists, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(
    classification: Classification, candidates: list[MethodCandidate], random: Random
) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert route(classification, shuffled).ranked == route(classification, candidates).ranked


@given(classifications)
def test_the_parts_of_a_score_are_told_and_sum_to_it(classification: Classification) -> None:
    for one in rank_methods(classification).ranked:
        assert one.score == pytest.approx(sum(worth for _, worth in one.parts))
        assert {"uncertainty", "complexity", "domain", "data", "stakes", "time"} <= {name for name, _ in one.parts}


def test_a_method_that_would_take_too_long_is_rejected_with_the_reason() -> None:
    slow, quick = MethodCandidate(method("monte-carlo"), 60_000), MethodCandidate(method("bayesian"), 5)
    routing = route(Classification(time_pressure="moderate"), [slow, quick])
    assert [one.method.name for one in routing.ranked] == ["bayesian"]
    assert routing.rejected == (("monte-carlo", "it would take about 60.0 s"),)


def test_where_nothing_is_quick_enough_the_cheapest_is_taken_and_that_is_said() -> None:
    slow, slower = MethodCandidate(method("bayesian"), 3_000), MethodCandidate(method("monte-carlo"), 60_000)
    routing = route(Classification(time_pressure="urgent"), [slower, slow])
    assert routing.late
    assert routing.ranked[0].method.name == "bayesian"


def test_learned_reliability_moves_a_method_up() -> None:
    candidates = [MethodCandidate(method("interventional"), 5), MethodCandidate(method("counterfactual"), 5)]

    def known(one: ReasoningMethod) -> float | None:
        return 0.95 if one.name == "counterfactual" else 0.2

    ranked = route(Classification(), candidates, reliability=known).ranked
    assert ranked[0].method.name == "counterfactual"


def test_a_portfolio_for_high_stakes_has_distinct_kernels_and_something_exact() -> None:
    for data, domain in product(["rich", "sparse"], ["empirical", "social"]):
        routing = rank_methods(
            Classification.model_validate({"data_availability": data, "domain": domain, "time_pressure": "urgent"})
        )
        chosen = routing.portfolio(2, sound=True)
        assert len({one.kernel for one in chosen}) == 2
        assert any(one.soundness <= 2 for one in chosen)


def test_of_methods_for_one_problem_the_sounder_that_costs_no_more_goes_first() -> None:
    exact, drawn = MethodCandidate(method("bayesian"), 5), MethodCandidate(method("monte-carlo"), 90)
    ranked = route(Classification(), [drawn, exact], one_problem=True).ranked
    assert [one.method.name for one in ranked] == ["bayesian", "monte-carlo"]
    slow = MethodCandidate(method("bayesian"), 500)
    assert route(Classification(), [drawn, slow], one_problem=True).ranked[0].method.name == "monte-carlo"
