"""Proofs, gaps and explanations: exactly what forward inference holds, and what is missing where it holds nothing."""

from random import Random
from time import process_time

import pytest
from hypothesis import given, settings

from bench.inference_loads import Triples, business, inference, pattern, university
from mabos.knowledge.inference.abduction import hypotheses, next_question
from mabos.knowledge.inference.backward import Prover
from mabos.knowledge.inference.proof import GoalVerdict, verdict
from mabos.knowledge.model import Fact, Rule
from tests.knowledge.oracle import closure
from tests.knowledge.test_reasoner import AGES, APART, FLAG, FRIENDS, KNOWING, PRODUCT, assert_equal


def prover(facts: Triples, rules: tuple[Rule, ...], **more: int) -> Prover:
    held = [Fact(f"F-{n}", *triple, confidence=sure) for n, (triple, sure) in enumerate(facts.items())]
    by: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in held:
        s, p, o = fact.triple
        for key in ((s, p, o), (s, p, ""), ("", p, o), ("", p, "")):
            by.setdefault(key, []).append(fact)
    return Prover(rules, lambda *wanted: by.get(wanted, []), **more)


def judge(goal: str, facts: Triples, *rules: Rule) -> GoalVerdict:
    return verdict(pattern(goal), rules, prover(facts, rules))


@settings(max_examples=40, deadline=None)
@given(knowing=KNOWING, ages=AGES)
def test_what_is_proved_is_what_follows_with_the_same_confidence(knowing: Triples, ages: Triples) -> None:
    facts = knowing | ages
    expected = closure(facts, FRIENDS)
    for predicate in ("knows", "trusts", "outranks", "has"):
        asked = prover(facts, FRIENDS).prove(None, predicate, None)
        assert_equal(
            {answer.triple: answer.confidence for answer in asked},
            {triple: sure for triple, sure in expected.items() if triple[1] == predicate},
        )
        for subject in ("ann", "club"):
            found = prover(facts, FRIENDS).prove(subject, predicate, None)
            wanted = {triple: sure for triple, sure in expected.items() if triple[:2] == (subject, predicate)}
            assert_equal({answer.triple: answer.confidence for answer in found}, wanted)
            for triple, sure in wanted.items():
                (one,) = prover(facts, FRIENDS).prove(*triple)
                assert one.confidence == pytest.approx(sure)


@settings(max_examples=40, deadline=None)
@given(knowing=KNOWING, ages=AGES)
def test_conditions_that_only_have_to_hold_somehow_are_proved_at_their_surest(knowing: Triples, ages: Triples) -> None:
    facts = knowing | ages
    expected = closure(facts, APART)
    for triple, sure in expected.items():
        (one,) = prover(facts, APART).prove(*triple)
        assert one.confidence == pytest.approx(sure)
    for predicate in ("busy", "meets", "elder"):
        found = prover(facts, APART).prove(None, predicate, None)
        wanted = {triple: sure for triple, sure in expected.items() if triple[1] == predicate}
        assert_equal({answer.triple: answer.confidence for answer in found}, wanted)


def test_conditions_that_are_apart_cost_no_product() -> None:
    assert len(prover(PRODUCT, (FLAG,)).prove(None, "flagged", "true")) == 200


@pytest.mark.parametrize("load", [university(2500, sure=False, factor=0.9), business(1500)], ids=lambda load: load.name)
def test_random_goals_over_many_facts_agree_with_the_oracle(load: object) -> None:
    assert hasattr(load, "facts")
    assert hasattr(load, "rules")
    facts, rules = load.facts, load.rules
    expected, random = closure(facts, rules), Random(2)
    for triple in random.sample(list(expected), 15):
        (answer,) = prover(facts, rules).prove(*triple)
        assert answer.confidence == pytest.approx(expected[triple])
    for subject, predicate, _ in random.sample(list(expected), 15):
        assert prover(facts, rules).prove(subject, predicate, "nothing") == []


def test_the_conditions_of_a_rule_share_their_variables() -> None:
    rule = inference("R-1", "?x taxable true", "?x has_revenue ?y", "?x located_in US")
    apart = {("acme", "has_revenue", "9"): 1.0, ("rival", "located_in", "US"): 1.0}
    found = judge("?x taxable true", apart, rule)
    assert found.status == "POTENTIALLY_DERIVABLE"
    together = apart | {("acme", "located_in", "US"): 0.5}
    found = judge("acme taxable true", together, rule)
    assert (found.status, found.proofs[0].answer.confidence) == ("PROVEN", 0.5)


def test_a_proof_is_a_tree_down_to_what_is_stated() -> None:
    rules = tuple(inference(f"R-{n}", f"?x p{n + 1} ?y", f"?x p{n} ?y", factor=0.9) for n in range(3))
    found = judge("a p3 b", {("a", "p0", "b"): 1.0}, *rules)
    tree = found.proofs[0].as_json()
    assert tree["confidence"] == pytest.approx(0.729)
    assert tree["supports"][0]["supports"][0]["supports"][0]["fact_id"] == "F-0"
    assert "by R-2: min(0.81) x 0.9" in next(found.proofs[0].lines())


def test_cycles_end() -> None:
    rules = (inference("R-1", "?x near ?y", "?y near ?x"), inference("R-2", "?x near ?z", "?x near ?y", "?y near ?z"))
    assert judge("a near b", {}, *rules).status == "POTENTIALLY_DERIVABLE"
    assert judge("c near a", {("a", "near", "b"): 1.0, ("b", "near", "c"): 0.5}, *rules).status == "PROVEN"


def test_nothing_concludes_it() -> None:
    found = judge("acme colour red", {}, inference("R-1", "?x q ?y", "?x p ?y"))
    assert found.status == "CANNOT_PROVE"
    assert [str(gap.condition) for gap in found.gaps] == ["acme colour red"]


def test_gaps_name_what_is_missing_under_the_best_partial_match() -> None:
    rules = (
        inference(
            "R-1", "?c strategic true", "?c status enterprise", "?c value gt 10000", "?c region ?r", "?r key true"
        ),
        inference("R-2", "?r key true", "?r revenue gt 1000000"),
    )
    facts = {("acme", "status", "enterprise"): 1.0, ("acme", "value", "20000"): 1.0, ("acme", "region", "emea"): 1.0}
    found = judge("acme strategic true", facts, *rules)
    (partial,) = found.partials
    assert [str(one) for one, _ in partial.satisfied] == [
        "acme status enterprise",
        "acme value gt 10000",
        "acme region emea",
    ]
    assert [(str(gap.condition), gap.wanted_by, gap.derivable_by) for gap in found.gaps] == [
        ("emea key true", ("R-1",), ("R-2",)),
        ("emea revenue gt 1000000", ("R-2",), ()),
    ]


def test_only_what_bears_on_the_goal_is_looked_at() -> None:
    load = university(30_000)
    asked = prover(load.facts, load.rules)
    started = process_time()
    assert asked.prove("univ0.dept1.student4", "type", "Person")
    assert process_time() - started < 0.5


@pytest.mark.parametrize("forwards", [True, False])
def test_a_long_chain_is_proved(forwards: bool) -> None:
    facts = {(f"n{n}", "next", f"n{n + 1}"): 1.0 for n in range(150)}
    step = ("?x next ?y", "?y after ?z") if forwards else ("?x after ?y", "?y next ?z")
    rules = (inference("R-1", "?x after ?y", "?x next ?y"), inference("R-2", "?x after ?z", *step, factor=0.99))
    found = judge("n0 after n150", facts, *rules)
    assert found.proofs[0].answer.confidence == pytest.approx(0.99**149)
    lines = list(found.proofs[0].lines())
    assert len(lines) < 150
    assert any("..." in line for line in lines)


def test_an_open_goal_over_a_long_chain_is_answered_and_so_are_others_after_it() -> None:
    facts = {(f"n{n}", "next", f"n{n + 1}"): 0.9 for n in range(1500)} | {("n1500", "reaches", "end"): 1.0}
    rules = (
        inference("C-1", "?x reaches ?z", "?x next ?y", "?y reaches ?z"),
        inference("C-2", "?x calm true", "?x reaches end", factor=0.5),
    )
    asked = prover(facts, rules)
    found = asked.prove(None, "reaches", None)
    assert len(found) == 1501
    assert found[-1].confidence == 0.9
    assert [str(one.rule.id) for one in asked.prove("n0", "reaches", "end") if one.rule] == ["C-1"]
    (one,) = asked.prove("n7", "calm", "true")
    assert (one.confidence, one.supports) == (0.45, (("n7", "reaches", "end"),))
    assert len(asked.prove(None, "calm", None)) == 1501
    told = verdict(pattern("n0 reaches end"), rules, asked)
    assert told.proofs[0].supports[0].answer.fact_id


def test_too_many_answers_are_said_to_be() -> None:
    facts = {(f"p{n}", "is", "person"): 1.0 for n in range(60)}
    rules = (inference("R-1", "?x near ?y", "?x is person", "?y is person"),)
    found = verdict(pattern("?x near ?y"), rules, prover(facts, rules, max_answers=100))
    assert (found.status, found.is_complete) == ("PROVEN", False)


CHURN = (
    inference("R-1", "?p churns true", "?p price_rose true", "?p rival_cheaper true", factor=0.8),
    inference("R-2", "?p churns true", "?p outage true", "?p support_slow true", factor=0.9),
    inference("R-3", "?p churns true", "?p season low", factor=0.3),
)


def test_explanations_are_ranked_by_support_and_factor() -> None:
    facts = {("pro", "price_rose", "true"): 0.5, ("pro", "outage", "true"): 1.0, ("pro", "support_slow", "true"): 1.0}
    found = hypotheses(pattern("pro churns true"), CHURN, prover(facts, CHURN))
    assert [(one.rule.id, round(one.score, 6), round(one.posterior, 6)) for one in found] == [
        ("R-2", 0.9, 0.9),
        ("R-1", 0.4, 0.2),
        ("R-3", 0.0, 0.0),
    ]
    assert [str(one) for one in found[1].partial.missing] == ["pro rival_cheaper true"]


def test_the_next_question_tells_the_best_explanations_apart() -> None:
    facts = {("pro", "price_rose", "true"): 1.0, ("pro", "outage", "true"): 1.0}
    found = hypotheses(pattern("pro churns true"), CHURN, prover(facts, CHURN))
    question = next_question(found)
    assert question is not None
    assert str(question.condition) == "pro support_slow true"
    assert question.decides == ("R-2",)
    assert set(question.others) == {"R-1", "R-3"}
    assert next_question(found[:0]) is None


def test_a_supported_condition_must_be_of_the_same_thing() -> None:
    facts = {("pro", "price_rose", "true"): 1.0, ("starter", "rival_cheaper", "true"): 1.0}
    found = hypotheses(pattern("pro churns true"), CHURN, prover(facts, CHURN))
    assert found[0].score == pytest.approx(0.4)
