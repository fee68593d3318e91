"""The tool `reason`, called as a person calls it: over what the agent knows, kept, and refused with the reason."""

import json
from typing import Any

import pytest

from mabos.configs.errors import UnknownId
from mabos.knowledge.case_records import as_record
from mabos.mind.model import Belief
from mabos.tools.knowledge.reasoning import find_premise
from tests.world import Member

PLANT: dict[str, Any] = {
    "kind": "decision",
    "payoffs": {"large": {"high": 200, "low": -180}, "small": {"high": 100, "low": -20}},
    "probabilities": {"high": 0.5, "low": 0.5},
}


def test_a_named_method_answers_and_its_answer_is_kept(cfo: Member) -> None:
    told = cfo.do("reason", problem=PLANT, method="decision-theory")["result"]
    assert (told["status"], told["answer"]["choice"]) == ("computed", "small")
    episode = cfo.services.agent("cfo").episodes.find(told["episode_id"])
    assert (episode.method, episode.kind, episode.summary) == ("decision-theory", "decision", told["summary"])


def test_the_router_chooses_and_says_why(cfo: Member) -> None:
    told = cfo.do("reason", problem=PLANT, problem_classification={"stakes": "high"})
    assert told["result"]["method"] == told["ranking"][0]["method"] == "decision-theory"
    assert told["ranking"][0]["score"] == pytest.approx(sum(told["ranking"][0]["parts"].values()))
    assert told["rejected"] == [{"method": "satisficing", "reason": "there is no aspiration"}]


def test_several_methods_are_fused(cfo: Member) -> None:
    told = cfo.do("reason", problem=PLANT, methods=["decision-theory", "expected-utility"], multi_method=True)
    assert [one["method"] for one in told["results"]] == ["decision-theory", "expected-utility"]
    assert told["fusion"]["conclusion"]["value"] == "small"


def test_a_classification_alone_ranks_the_methods(cfo: Member) -> None:
    told = cfo.do("reason", problem_classification={"complexity": "complex"})
    assert told["ranking"][0]["method"] == "systems-thinking"
    assert set(told["printed_scores"].values()) <= {number / 20 for number in range(21)}


def test_facts_and_beliefs_are_put_in_by_id_and_cited(cfo: Member) -> None:
    fact = cfo.do("fact_assert", subject="plant", predicate="pays", object="$500", confidence=0.9, source="study")
    problem = {**PLANT, "payoffs": {**PLANT["payoffs"], "large": {"high": {"ref": fact["fact_id"]}, "low": -180}}}
    told = cfo.do("reason", problem=problem, method="decision-theory")["result"]
    assert told["answer"]["choice"] == "large"
    assert told["evidence"] == [fact["fact_id"]]


def test_a_belief_a_rule_and_a_case_are_known_by_id_like_a_fact(cfo: Member) -> None:
    agent = cfo.services.agent("cfo")
    agent.mind.save(Belief("B-9", "Demand is high", certainty=0.4, subject="demand", value="high"))
    premises = {"kind": "horn", "premises": ["B-9"], "rules": [], "facts": [], "goal": ["?p", "demand", "high"]}
    assert cfo.do("reason", problem=premises, method="deductive")["result"]["evidence"] == ["B-9"]
    sure = {"ref": "B-9", "as": "confidence"}
    problem = {**PLANT, "probabilities": {"high": sure, "low": 0.6}}
    assert cfo.do("reason", problem=problem, method="decision-theory")["result"]["evidence"] == ["B-9"]
    made = cfo.do("cbr_store", situation={"beliefs": ["x"], "desires": ["y"]}, solution={"a": 1}, outcome="success")
    assert find_premise(agent, made["case_id"]).said == {**as_record(agent.cases.case(made["case_id"]))}
    with pytest.raises(UnknownId, match="no fact, belief, rule or case 'F-0'"):
        find_premise(agent, "F-0")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ({"problem": '{"kind": '}, "invalid_argument", "begins like JSON but is not valid"),
        ({"problem": PLANT, "method": "astrology"}, "unknown_id", "no method 'astrology'"),
        ({"problem": {"kind": "decision", "payoffs": {"a": {"x": {"ref": "F-1"}}}}}, "unknown_id", "no fact, belief"),
        ({"problem": PLANT, "seconds": 3600.0}, "invalid_argument", "at most 60"),
        ({"problem": PLANT, "problem_classification": {"stakes": "huge"}}, "invalid_argument", "stakes"),
        ({"problem": {"kind": "decision", "payoffs": {"a": {"x": "1; import os"}}}}, "invalid_argument", "payoffs.a.x"),
    ],
)
def test_what_cannot_be_reasoned_about_is_refused(cfo: Member, arguments: dict[str, Any], code: str, said: str) -> None:
    answer = cfo.call("reason", arguments).as_json()
    assert answer["error"]["code"] == code
    assert said in answer["error"]["message"]


def test_left_out_the_problem_is_asked_for_with_examples_that_can_be_sent(cfo: Member) -> None:
    told = cfo.do("reason")["result"]
    assert (told["status"], told["summary"].startswith("no problem was given")) == ("needs_structure", True)
    for form in [*told["answer"]["forms"], *cfo.do("reason", method="causal")["result"]["answer"]["forms"]]:
        assert form["purpose"]
        assert cfo.do("reason", problem=form["example"])["result"]["method"] in form["methods"]


def test_a_problem_that_is_json_in_a_text_is_read_as_what_it_says(cfo: Member) -> None:
    said, plain = (cfo.do("reason", problem=one, method="decision-theory") for one in (json.dumps(PLANT), PLANT))
    assert said["result"]["answer"] == plain["result"]["answer"]


def test_prose_is_not_guessed_at(cfo: Member) -> None:
    told = cfo.do("reason", problem="Should we build the large plant?", method="decision-theory")["result"]
    assert told["status"] == "needs_structure"
    assert told["answer"]["forms"][0]["kind"] == "decision"
    assert cfo.services.agent("cfo").episodes.all() == ()


def test_an_answer_that_turned_out_right_makes_its_method_more_reliable(cfo: Member) -> None:
    for number in range(10):
        told = cfo.do("reason", problem=PLANT, method="decision-theory")["result"]
        settled = cfo.do("reason", outcome={"episode_id": told["episode_id"], "right": number > 0})
        assert (settled["reliability"] is None) == (number < 9)
    assert settled["reliability"] == pytest.approx(11 / 14)
    assert cfo.do("reason", method="learning-to-reason")["result"]["answer"]["use"] == "decision-theory"
    refused = cfo.call("reason", {"method": "calibration"}).as_json()
    assert "no answer of cfo has turned out" in refused["error"]["message"]
    answer = cfo.call("reason", {"outcome": {"right": True}}).as_json()
    assert answer["error"]["argument"] == "outcome"


def test_a_question_in_words_is_answered_and_kept_like_any_answer(cfo: Member) -> None:
    told = cfo.do("reason", problem="The seller wants at least 80 and the buyer pays at most 100. What price is fair?")
    assert (told["answered"], told["method"], told["result"]["status"]) == (True, "negotiation", "computed")
    assert cfo.services.agent("cfo").episodes.find(told["result"]["episode_id"]).method == "negotiation"
    lacking = cfo.do("reason", problem="The buyer pays at most 500. What should the price be?")
    assert (lacking["answered"], lacking["missing"]) == (False, ["what the seller wants at least"])


def test_facts_and_cases_are_used_by_reference(cfo: Member) -> None:
    fact = cfo.do("fact_assert", subject="US", predicate="is", object="open", confidence=0.9, source="test")
    problem = {"kind": "horn", "facts": [{"ref": fact["fact_id"]}], "rules": [], "goal": ["is", "US", "open"]}
    solved = cfo.do("reason", problem=problem, method="deductive")["result"]
    assert (solved["status"], solved["evidence"]) == ("proved", [fact["fact_id"]])
    situation = {"beliefs": ["churn is high"], "desires": ["keep customers"]}
    made = cfo.do("cbr_store", situation=situation, solution={"action": "discount"}, outcome="success")
    own = cfo.do("reason", problem=situation, method="case-based")["result"]
    assert made["case_id"] in own["summary"]
    named = {"kind": "cases", **situation, "cases": [{"ref": made["case_id"]}]}
    assert cfo.do("reason", problem=named)["result"]["answer"] == own["answer"]


def test_the_text_of_several_methods_names_what_they_come_to(cfo: Member) -> None:
    told = cfo.do("reason", problem=PLANT, methods=["decision-theory", "expected-utility"])
    assert told["text"].splitlines()[-1].startswith("together (decision: choose): small, because all agree")
