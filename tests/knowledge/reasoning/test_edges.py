"""Figures at the edge of what numbers hold, and answers of several methods about several things."""

import json
from typing import Any

import pytest

from mabos.backends.chat import ScriptedModel
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.experience.pattern_recognition import MOST_SPLITS
from mabos.knowledge.reasoning.fusion import fuse_results
from mabos.knowledge.reasoning.methods import kinds, method, schema, solver
from mabos.knowledge.reasoning.prose import formaliser
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult
from mabos.workspace.expressions import Expression

SURE = {"kind": "decision", "payoffs": {"a": {"s": 1000, "t": 1}, "b": {"s": 400, "t": 400}}}
RISKY = {**SURE, "probabilities": {"s": 0.5, "t": 0.5}}


def answer(problem: dict[str, Any], name: str) -> MethodResult[Any]:
    return Engine(no_premises).reason(ReasoningRequest(problem, name, seconds=20.0)).result


@pytest.mark.parametrize("value", [10**5000, {1, 2}, object(), {(1, 2): 3}], ids=["huge", "set", "object", "key"])
def test_what_has_no_form_in_json_is_refused_with_what_has_one(value: object) -> None:
    with pytest.raises(InvalidArgument, match="numbers of at most 4,300 digits"):
        answer({"kind": "decision", "payoffs": value}, "decision-theory")


@pytest.mark.parametrize("kind", kinds())
def test_the_form_of_every_kind_comes_through_a_model_unchanged(kind: str) -> None:
    formalise = formaliser(ScriptedModel([json.dumps(schema(kind).example)]))
    assert formalise is not None
    assert schema(kind).of(formalise("as it is", [schema(kind)]) or {}) == schema(kind).of(schema(kind).example)


@pytest.mark.parametrize("utility", [("crra", 400), ("crra", -200)])
def test_a_utility_too_steep_to_tell_the_amounts_apart_is_refused(utility: tuple[str, float]) -> None:
    steep = {**RISKY, "utility": {"form": utility[0], "parameter": utility[1]}}
    for name in ("decision-theory", "expected-utility"):
        with pytest.raises(InvalidArgument, match="too steep for"):
            answer(steep, name)


def test_hundreds_of_observations_leave_a_posterior_and_not_a_contradiction() -> None:
    seen = [{"a": 0.1, "b": 0.1}] * 400 + [{"a": 0.8, "b": 0.2}]
    found = answer({"kind": "hypotheses", "prior": {"a": 0.5, "b": 0.5}, "evidence": seen}, "bayesian")
    assert found.answer.posterior == pytest.approx({"a": 0.8, "b": 0.2})


def test_hundreds_of_observed_children_leave_marginals_by_both_methods() -> None:
    child = {"parents": ["c"], "table": [0.02, 0.02]}
    nodes = {
        "c": {"table": [0.5]},
        **{f"o{n}": child for n in range(250)},
        "d": {"parents": ["c"], "table": [0.8, 0.2]},
    }
    seen = {name: "true" for name in nodes if name != "c"}
    problem = {"kind": "network", "nodes": nodes, "evidence": seen}
    exact, drawn = answer(problem, "bayesian"), answer(problem, "monte-carlo")
    assert exact.answer.marginals["c"]["true"] == pytest.approx(0.8)
    assert exact.answer.most_probable == {"c": "true"}
    assert drawn.answer.marginals["c"]["true"] == pytest.approx(0.8, abs=0.01)
    assert drawn.confidence is not None
    assert drawn.confidence <= 1


def test_shares_of_the_variance_do_not_drown_in_a_large_mean() -> None:
    spread = {"x": {"distribution": "normal", "mean": 0, "sd": 1}, "y": {"distribution": "normal", "mean": 0, "sd": 2}}
    problem = {"kind": "simulation", "quantities": spread, "target": "x + y + 1000000", "sensitivity": True}
    assert answer(problem, "monte-carlo").answer.sensitivity["x"] == pytest.approx((0.2, 0.2), abs=0.03)


def test_a_free_question_that_tells_nothing_but_rounding_is_not_asked() -> None:
    same = dict.fromkeys("abcdefg", 0.1)
    other = dict.fromkeys("abcdefg", 0.9)
    useful = {
        "yes": {name: float(name < "d") for name in "abcdefg"},
        "no": {name: float(name >= "d") for name in "abcdefg"},
    }
    prior = dict(zip("abcdefg", (0.11, 0.13, 0.07, 0.29, 0.17, 0.19, 0.04), strict=True))
    questions = {"useless": {"answers": {"p": same, "q": other}, "cost": 0}, "useful": {"answers": useful, "cost": 3}}
    assert answer({"kind": "questions", "prior": prior, "questions": questions}, "info-theory").answer.ask == "useful"


def test_the_only_option_is_chosen_though_nothing_is_known_of_it() -> None:
    only = {"kind": "choice", "options": {"a": {}}, "criteria": {"price": {}}}
    assert answer(only, "heuristic").answer.choice == "a"


def test_figures_beyond_what_a_number_holds_are_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidArgument, match="scale the problem's numbers down"):
        answer({"kind": "series", "values": [1e308, -1e308] * 20, "period": 2}, "pattern-recognition")


def test_the_rules_of_frequent_sets_are_bounded_where_all_baskets_are_alike() -> None:
    alike = {"kind": "transactions", "transactions": [[f"i{n}" for n in range(13)]] * 3, "support": 0.5}
    found = answer(alike, "pattern-recognition")
    assert len(found.answer.rules) <= MOST_SPLITS
    assert found.assumptions == ("only the rules of the smaller sets were considered",)


@pytest.mark.parametrize("text", ["1" * 400, "-" * 490 + "x", "log(x, 2)", "sqrt(x, y)", "max(x)"])
def test_arithmetic_that_cannot_be_is_refused_and_no_argument_is_written_to(text: str) -> None:
    with pytest.raises(InvalidArgument):
        Expression.of(text)


def test_a_verdict_is_as_sure_as_the_claim_about_its_own_question() -> None:
    claims = (
        AnswerClaim("rain", "is", "yes", (("yes", 0.9), ("no", 0.1))),
        AnswerClaim("wind", "is", "yes", (("yes", 0.6), ("no", 0.4))),
    )
    verdicts = fuse_results(
        [MethodResult("computed", None, "", claims=claims, method="bayesian", soundness=1)], {}
    ).verdicts
    assert {one.question: round(one.confidence or 0, 9) for one in verdicts} == {"rain: is": 0.9, "wind: is": 0.6}


def test_figures_that_agree_but_for_a_little_confirm_each_other() -> None:
    def figure(name: str, value: float) -> MethodResult[None]:
        return MethodResult("estimated", None, "", (AnswerClaim("cost", "mean", value),), 0.9, method=name, soundness=1)

    verdict = fuse_results([figure("bayesian", 100.0), figure("monte-carlo", 101.0)], {}).verdicts[0]
    assert verdict.confidence == pytest.approx(0.9)
    endless = fuse_results([figure("bayesian", float("inf")), figure("monte-carlo", float("inf"))], {})
    assert endless.disagreements == ()


def test_a_deadline_is_kept_while_sets_are_joined() -> None:
    ticks = iter(range(10_000_000))
    budget = Budget(20, monotonic=lambda: float(next(ticks)))
    alike = {"kind": "transactions", "transactions": [[f"i{n}" for n in range(60)]] * 2, "support": 0.5}
    found = solver(method("pattern-recognition")).solve(schema("transactions").of(alike), budget)
    assert found.status == "timeout"


def test_a_network_of_which_all_is_observed_tells_how_probable_that_is_or_that_it_cannot_be() -> None:
    seen = {"kind": "network", "nodes": {"a": {"table": [0.25]}}, "evidence": {"a": "true"}}
    assert "what was seen has the weight 0.25" in answer(seen, "bayesian").summary
    never = {**seen, "nodes": {"a": {"table": [0]}}}
    assert answer(never, "bayesian").status == "inconsistent"


@pytest.mark.parametrize("text", ["1/0", "2 ** 100000 * 2.0 ** 100000", "log(0)", "units / 0"])
def test_an_expression_without_a_value_is_refused_for_many_draws_as_for_one(text: str) -> None:
    problem = {**schema("simulation").example, "target": text}
    with pytest.raises(InvalidArgument, match=r"has no (finite )?value"):
        answer(problem, "monte-carlo")
