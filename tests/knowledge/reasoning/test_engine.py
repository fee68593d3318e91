"""The engine: a method by name, by classification, several together; and what it refuses."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.methods import METHODS, kinds, method, schema, solver, taking
from mabos.knowledge.reasoning.premises import KnownPremise
from mabos.knowledge.reasoning.probabilistic.choices import CriteriaChoice, DecisionTable
from mabos.knowledge.reasoning.problem import Premise, ReasoningProblem
from mabos.knowledge.reasoning.result import result_of
from mabos.knowledge.reasoning.router import Classification

CHOICE = dict(CriteriaChoice.example)
KNOWN = {
    "F-1": KnownPremise(
        Premise(id="F-1", subject="acme", predicate="large plant pays", object="$200", confidence=0.9), 0.9
    ),
    "B-2": KnownPremise(Premise(id="B-2", subject="market", predicate="mood", object="cautious", confidence=0.6), 0.6),
}


def resolve(name: str) -> KnownPremise:
    if name not in KNOWN:
        raise UnknownId(f"no {name}")
    return KNOWN[name]


@pytest.mark.parametrize("kind", kinds())
def test_the_example_of_every_kind_is_answered_by_every_method_that_it_fits(kind: str) -> None:
    problem = schema(kind).of(schema(kind).example)
    fitting = [one for one in taking(kind) if not solver(one).misfit(problem)]
    assert fitting
    for one in fitting:
        result = Engine(no_premises).reason(ReasoningRequest(dict(schema(kind).example), method=one.name)).result
        assert result.method == one.name
        assert result.status not in ("timeout", "needs_structure")
        assert result.summary
        assert solver(one).estimate(problem) > 0
        told = result.as_json()
        assert result_of(told).as_json() == told


def test_every_method_has_its_module() -> None:
    assert all(callable(solver(one).solve) for one in METHODS)


def test_urgency_satisfices_and_high_stakes_weigh_everything_up() -> None:
    engine = Engine(no_premises)
    urgent = engine.reason(ReasoningRequest(CHOICE, classification=Classification(time_pressure="urgent")))
    assert urgent.result.method == "satisficing"
    high = engine.reason(ReasoningRequest(CHOICE, classification=Classification(stakes="high")))
    assert high.result.method == "expected-utility"
    assert high.routing is not None
    assert high.routing.ranked[0].method.name == "expected-utility"


def test_a_method_that_does_not_fit_is_rejected_with_what_is_lacking() -> None:
    problem = {**CHOICE, "criteria": {name: {} for name in ("price", "quality")}}
    reasoned = Engine(no_premises).reason(
        ReasoningRequest(problem, classification=Classification(time_pressure="urgent"))
    )
    assert reasoned.routing is not None
    assert reasoned.routing.rejected == (("satisficing", "no criterion has an aspiration"),)


def test_where_the_best_method_refuses_when_asked_the_next_answers_and_the_refusal_is_told() -> None:
    steep = {**DecisionTable.example, "utility": {"form": "cara", "parameter": 9}}
    for several in (False, True):
        reasoned = Engine(no_premises).reason(ReasoningRequest(steep, several=several))
        assert [one.method for one in reasoned.results] == ["expected-utility"]
        assert reasoned.routing is not None
        assert "too steep" in dict(reasoned.routing.rejected)["decision-theory"]
        assert [one.method.name for one in reasoned.routing.ranked] == ["expected-utility"]
    crra = {**DecisionTable.example, "utility": {"form": "crra", "parameter": 2}}
    with pytest.raises(InvalidArgument, match="amounts above 0"):
        Engine(no_premises).reason(ReasoningRequest(crra))


def test_several_methods_are_fused_and_agree_or_not() -> None:
    methods = ("expected-utility", "heuristic", "satisficing")
    reasoned = Engine(no_premises).reason(ReasoningRequest(CHOICE, methods=methods, several=True))
    assert [one.method for one in reasoned.results] == list(methods)
    assert reasoned.fusion is not None
    assert reasoned.fusion.conclusion is not None
    assert reasoned.fusion.conclusion.value == "vendor a"


def test_each_of_several_methods_may_have_a_problem_of_its_own() -> None:
    problems = {"decision-theory": dict(DecisionTable.example), "heuristic": CHOICE}
    reasoned = Engine(no_premises).reason(ReasoningRequest(problems, methods=("decision-theory", "heuristic")))
    assert [one.method for one in reasoned.results] == ["decision-theory", "heuristic"]


def test_a_value_may_be_what_a_fact_says_and_the_result_cites_it() -> None:
    problem = dict(DecisionTable.example)
    problem["payoffs"] = {**problem["payoffs"], "build large": {"demand high": {"ref": "F-1"}, "demand low": -180}}
    result = Engine(resolve).reason(ReasoningRequest(problem, method="decision-theory")).result
    assert result.answer.rules["expected"][1]["build large"] == 10
    assert result.evidence == ("F-1",)


def test_how_sure_a_belief_is_may_be_a_probability() -> None:
    sure = {"ref": "B-2", "as": "confidence"}
    problem = {**DecisionTable.example, "probabilities": {"demand high": 0.4, "demand low": sure}}
    result = Engine(resolve).reason(ReasoningRequest(problem, method="decision-theory")).result
    assert result.answer.rules["expected"][1]["build large"] == pytest.approx(200 * 0.4 - 180 * 0.6)
    assert result.evidence == ("B-2",)


def test_prose_without_a_model_is_told_what_structure_is_needed() -> None:
    result = Engine(no_premises).reason(ReasoningRequest("Should we build?", method="decision-theory")).result
    assert result.status == "needs_structure"
    assert [one.kind for one in result.answer.forms] == ["decision", "decision_tree"]
    assert "none is at hand" in result.summary


def test_the_forms_shown_to_who_names_no_method_can_be_sent_as_they_are() -> None:
    needed = Engine(no_premises).reason(ReasoningRequest("")).result.answer
    for one in needed.forms:
        for name in one.methods:
            request = ReasoningRequest(one.example, method=name)
            if not solver(method(name)).misfit(schema(one.kind).of(one.example)):
                assert Engine(no_premises).reason(request).result.status not in ("timeout", "needs_structure")
    assert {one.kind for one in needed.forms} | set(needed.others) == set(kinds())


def test_a_model_that_cannot_make_a_problem_is_told_from_none() -> None:
    failing = Engine(no_premises, formalise=lambda _prose, _schemas: None)
    assert (
        "the chat model did not make a problem" in failing.reason(ReasoningRequest("Should we build?")).result.summary
    )


def test_prose_is_formalised_where_a_model_can() -> None:
    def formalise(prose: str, schemas: Sequence[type[ReasoningProblem]]) -> Mapping[str, Any]:
        assert prose == "Should we build?"
        assert DecisionTable in schemas
        return dict(DecisionTable.example)

    engine = Engine(no_premises, formalise=formalise)
    assert engine.reason(ReasoningRequest("Should we build?", method="decision-theory")).result.status == "computed"


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (ReasoningRequest({"kind": "magic"}), "no kind of problem 'magic'"),
        (
            ReasoningRequest({"payoffs": {"a": {"x": 1}}}, method="decision-theory"),
            "say with `kind` which it is, decision or",
        ),
        (ReasoningRequest({"payoffs": {}}), "a problem has a kind"),
        (ReasoningRequest(CHOICE, method="bayesian"), "bayesian takes hypotheses or network or factors, not choice"),
        (ReasoningRequest(CHOICE, method="astrology"), "no method 'astrology'"),
        (ReasoningRequest({"kind": "decision", "payoffs": {"a": {"x": {"ref": "F-9"}}}}), "no F-9"),
        (ReasoningRequest({"kind": "decision", "payoffs": {"a": {"x": {"ref": 3}}}}), "is the id of"),
        (ReasoningRequest({"kind": "decision", "payoffs": "lots"}), "payoffs: .* example of a decision"),
        (ReasoningRequest({"kind": "stakeholders"}), re.escape(json.dumps(schema("stakeholders").example)) + "$"),
        (ReasoningRequest({**CHOICE, "recognised": ["a\x07b"]}), r"'a\\x07b' holds U\+0007"),
        (ReasoningRequest({**CHOICE, "recognised": ["a\ud800"]}), r"holds U\+D800"),
        (ReasoningRequest({"kind": "hypotheses", "prior": {"a": 0.5, "a ": 0.5, "b": 0.5}}), "'a' occurs twice"),
    ],
)
def test_what_cannot_be_a_problem_is_refused_with_the_reason(request_: ReasoningRequest, said: str) -> None:
    with pytest.raises((InvalidArgument, UnknownId), match=said):
        Engine(resolve).reason(request_)


def test_ends_of_lines_and_a_backslash_that_looks_like_a_control_character_are_text() -> None:
    problem = {"kind": "hypotheses", "prior": {"a\\u0000": 0.5, "b\n\tc": 0.5}}
    likelihood = {"a\\u0000": 0.2, "b\n\tc": 0.8}
    result = Engine(no_premises).reason(ReasoningRequest({**problem, "likelihood": likelihood})).result
    assert result.answer.posterior["b\n\tc"] == pytest.approx(0.8)


def test_the_same_request_has_the_same_answer() -> None:
    request = ReasoningRequest(CHOICE, several=True)
    assert Engine(no_premises).reason(request) == Engine(no_premises).reason(request)
