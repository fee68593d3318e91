"""A model puts prose into a form and tells results; it is checked like anyone, and never answers itself."""

import json
from typing import Any

from mabos.backends.chat import NoModel, ScriptedModel
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.probabilistic.choices import DecisionTable
from mabos.knowledge.reasoning.prose import formaliser, narrate_result

FORM = json.dumps(DecisionTable.example)


def reasoned(*replies: str, method: str = "") -> Any:
    engine = Engine(no_premises, formalise=formaliser(ScriptedModel(replies)))
    return engine.reason(ReasoningRequest("Should we build the large plant or the small one?", method=method)).result


def test_a_model_names_the_kind_and_fills_in_its_form_and_the_method_answers() -> None:
    result = reasoned('{"kind": "decision"}', FORM)
    assert (result.status, result.answer.choice) == ("computed", "build small")


def test_where_the_method_takes_one_kind_the_model_is_asked_for_the_form_alone() -> None:
    odds = {"kind": "forecasts", "forecasts": [[0.9, 1]]}
    assert reasoned(json.dumps(odds), method="calibration").answer.count == 1


def test_a_form_that_is_wrong_is_sent_back_once_and_then_the_structure_is_asked_for() -> None:
    wrong = json.dumps({**DecisionTable.example, "probabilities": {"demand high": 2}})
    assert reasoned('{"kind": "decision"}', wrong, FORM).status == "computed"
    assert reasoned('{"kind": "decision"}', wrong, wrong).status == "needs_structure"


def test_a_model_that_answers_instead_is_not_believed() -> None:
    assert reasoned("Build the large one.", "Build the large one.").status == "needs_structure"


def test_without_a_model_nothing_is_formalised_and_nothing_told() -> None:
    assert formaliser(NoModel()) is None
    result = Engine(no_premises).reason(ReasoningRequest(dict(DecisionTable.example), method="decision-theory")).result
    assert narrate_result(NoModel(), "Should we build?", result) == ""
    assert narrate_result(ScriptedModel(['{"told": "Build small."}']), "Should we build?", result) == "Build small."
