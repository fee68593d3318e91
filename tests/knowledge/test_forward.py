"""Derived facts on record: exact whatever happens to facts, rules and time, and untouched by suppositions."""

from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.knowledge.facts import statement
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.model import Fact
from tests.knowledge.knowing import Knowing, assert_all

KNOWS = {"subject": "?x", "predicate": "knows", "object": "?y"}
TRANSITIVE = {
    "type": "inference",
    "conditions": [KNOWS, {"subject": "?y", "predicate": "knows", "object": "?z"}],
    "conclusion": {"subject": "?x", "predicate": "knows", "object": "?z"},
}
TRUST = {
    "type": "inference",
    "conditions": [KNOWS],
    "conclusion": {"subject": "?x", "predicate": "trusts", "object": "?y"},
    "confidence_factor": 0.8,
}
HONEST = {
    "type": "inference",
    "conditions": [{"subject": "?y", "predicate": "honest", "object": "true"}, KNOWS],
    "conclusion": {"subject": "?x", "predicate": "trusts", "object": "?y"},
    "confidence_factor": 0.95,
}


@pytest.fixture
def cfo(tmp_path: Path) -> Knowing:
    return Knowing(tmp_path)


def inference(cfo: Knowing, **more: Any) -> Inference:
    return Inference(cfo.facts, cfo.rules, **more)


def say(cfo: Knowing, subject: str, predicate: str, object_: str, **more: Any) -> Fact:
    return inference(cfo).state(statement(subject, predicate, object_, **more))


def told(facts: list[Fact]) -> dict[str, float]:
    return {str(fact): round(fact.confidence, 9) for fact in facts}


def recomputed(cfo: Knowing, directory: Path) -> dict[str, float]:
    """Return what a new document holds after the same statements and one inference."""
    other = Knowing(directory, cfo.clock)
    for rule in cfo.rules.select():
        made = other.rules.create({**cfo.rule_file.read()["rules"][rule.id]}, rule.id)
        other.rules.toggle(made.id, rule.enabled)
    for fact in cfo.facts.query():
        said = fact.statement
        if said is not None:
            other.hold(*fact.triple, confidence=said.confidence, source=said.source,
                       valid_from=said.valid_from, valid_until=said.valid_until)  # fmt: skip
    inference(other).forward(persist=True)
    return told(other.facts.query())


def test_derived_facts_are_returned_and_written_only_when_asked(cfo: Knowing) -> None:
    fact = cfo.hold("ann", "knows", "bob", confidence=0.9)
    cfo.rules.create(TRUST)
    found = inference(cfo).forward()
    assert (told(list(found.new)), found.levels, found.converged) == ({"ann trusts bob": 0.72}, 1, True)
    assert cfo.facts.query() == [fact]
    (kept,) = inference(cfo).forward(persist=True).new
    assert (kept.source, kept.rule_id, kept.derived_from) == ("inference", "R-001", (fact.id,))
    assert kept.id.startswith("F-inf-")
    assert cfo.facts.query("ann", "trusts") == [kept]
    assert inference(cfo).forward(persist=True).new == ()
    assert cfo.reopened().facts.query("ann", "trusts") == [kept]


def test_a_retraction_takes_what_no_longer_follows_and_keeps_what_follows_otherwise(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob")
    honest = say(cfo, "bob", "honest", "true")
    cfo.rules.create(TRUST)
    cfo.rules.create(HONEST)
    (trust,) = inference(cfo).forward(persist=True).new
    assert trust.confidence == 0.95
    taken = inference(cfo).retract(honest.id)
    assert (taken.facts, taken.dependents) == ((honest,), ())
    (now,) = taken.updated
    assert (now.id, now.confidence, now.rule_id) == (trust.id, 0.8, "R-001")
    assert inference(cfo).retract(predicate="knows").dependents == (now,)
    assert cfo.facts.query() == []


def test_a_changed_confidence_is_passed_on(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob", confidence=0.5)
    cfo.rules.create(TRUST)
    inference(cfo).forward(persist=True)
    for sure in (1.0, 0.25):
        say(cfo, "ann", "knows", "bob", confidence=sure)
        assert told(cfo.facts.query("ann", "trusts")) == {"ann trusts bob": 0.8 * sure}


def test_a_new_fact_waits_for_the_next_inference_but_what_is_on_record_may_rise(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob")
    cfo.rules.create(TRUST)
    cfo.rules.create(HONEST)
    inference(cfo).forward(persist=True)
    say(cfo, "ann", "knows", "cy")
    say(cfo, "bob", "honest", "true")
    assert told(cfo.facts.query("ann", "trusts")) == {"ann trusts bob": 0.95}
    assert told(list(inference(cfo).forward(persist=True).new)) == {"ann trusts cy": 0.8}


def test_what_expires_is_retracted_and_a_longer_lived_derivation_takes_over(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob", valid_until="2026-03-31")
    say(cfo, "bob", "honest", "true", valid_from="2026-02-01", valid_until="2026-02-28")
    cfo.rules.create(TRUST)
    cfo.rules.create(HONEST)
    (first,) = inference(cfo).forward(persist=True).new
    assert (first.confidence, first.valid_from, first.valid_until) == (0.95, "2026-02-01", "2026-02-28")
    cfo.clock.advance(timedelta(days=10))
    (second,) = inference(cfo).maintain().updated
    assert (second.id, second.confidence, second.valid_from, second.valid_until) == (first.id, 0.8, "", "2026-03-31")
    cfo.clock.advance(timedelta(days=40))
    assert inference(cfo).maintain().dropped == (second,)
    assert len(cfo.facts.query()) == 2
    assert cfo.facts.query("ann", "trusts", known_at="2026-02-23") == []
    believed = cfo.facts.query("ann", "trusts", known_at="2026-03-01T00:00:00Z")
    assert [fact.confidence for fact in believed] == [0.95]


def test_what_begins_later_does_not_count_before(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob", valid_from="2026-03-01")
    cfo.rules.create(TRUST)
    assert inference(cfo).forward(persist=True).new == ()
    cfo.clock.advance(timedelta(days=5))
    (fact,) = inference(cfo).forward(persist=True).new
    assert fact.valid_from == "2026-03-01"


def test_a_fact_that_is_both_stated_and_derived_loses_only_what_is_taken_back(cfo: Knowing) -> None:
    base = say(cfo, "ann", "knows", "bob")
    said = say(cfo, "ann", "trusts", "bob", confidence=0.5, source="ann")
    cfo.rules.create(TRUST)
    (both,) = inference(cfo).forward(persist=True).updated
    assert (both.id, both.confidence, both.rule_id) == (said.id, 0.8, "R-001")
    inference(cfo).retract(base.id)
    assert [(f.confidence, f.source, f.rule_id) for f in cfo.facts.query("ann", "trusts")] == [(0.5, "ann", "")]
    say(cfo, "ann", "knows", "bob")
    inference(cfo).forward(persist=True)
    inference(cfo).retract(both.id)
    assert [(f.confidence, f.stated) for f in cfo.facts.query("ann", "trusts")] == [(0.8, None)]


def test_a_derived_fact_that_is_named_goes_with_what_rests_on_it_until_it_is_derived_again(cfo: Knowing) -> None:
    for one, other in (("a", "b"), ("b", "c"), ("c", "d")):
        say(cfo, one, "knows", other)
    cfo.rules.create(TRANSITIVE)
    inference(cfo).forward(persist=True)
    everything = told(cfo.facts.query())
    (fact,) = cfo.facts.query("a", "knows", "c")
    inference(cfo).retract(fact.id)
    left = told(cfo.facts.query())
    assert "a knows c" not in left
    assert left.items() < everything.items()
    inference(cfo).forward(persist=True)
    assert told(cfo.facts.query()) == everything


def test_what_a_rule_derived_goes_when_it_is_switched_off(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob")
    rule = cfo.rules.create(TRUST)
    inference(cfo).forward(persist=True)
    cfo.rules.toggle(rule.id, False)
    assert told(list(inference(cfo).maintain().dropped)) == {"ann trusts bob": 0.8}
    assert len(cfo.facts.query()) == 1


def test_another_process_and_a_restart_keep_it_exact(cfo: Knowing) -> None:
    base = say(cfo, "ann", "knows", "bob")
    cfo.rules.create(TRUST)
    inference(cfo).forward(persist=True)
    other = Knowing(cfo.directory, cfo.clock)
    say(other, "ann", "knows", "bob", confidence=0.5)
    assert told(cfo.facts.query("ann", "trusts")) == {"ann trusts bob": 0.4}
    again = cfo.reopened()
    inference(again).retract(base.id)
    assert cfo.facts.query() == []


def test_a_long_chain_is_cut_at_the_limit_says_so_and_goes_on_with_the_next_call(cfo: Knowing) -> None:
    assert_all(cfo.facts, (statement(f"n{n}", "next", f"n{n + 1}") for n in range(40)))
    follows = {"subject": "?x", "predicate": "next", "object": "?y"}
    after = {"subject": "?x", "predicate": "after", "object": "?y"}
    ahead = {"subject": "?y", "predicate": "next", "object": "?z"}
    far = {"subject": "?x", "predicate": "after", "object": "?z"}
    cfo.rules.create({"type": "inference", "conditions": [follows], "conclusion": after, "confidence_factor": 1.0})
    cfo.rules.create({"type": "inference", "conditions": [after, ahead], "conclusion": far, "confidence_factor": 1.0})
    found = inference(cfo).forward(persist=True, max_levels=10)
    assert (found.converged, found.levels, len(found.new)) == (False, 10, sum(40 - n for n in range(10)))
    deeper = inference(cfo).forward(persist=True, max_levels=10)
    assert (deeper.converged, len(deeper.new)) == (False, sum(30 - n for n in range(10)))
    whole = inference(cfo).forward(persist=True)
    assert (whole.converged, len(cfo.facts.query(predicate="after"))) == (True, 40 * 41 // 2)


def test_a_chain_of_a_thousand_is_written_without_recursion(cfo: Knowing) -> None:
    cfo.hold("n0", "reached", "true")
    assert_all(cfo.facts, (statement(f"n{n}", "next", f"n{n + 1}") for n in range(1000)))
    reached = {"predicate": "reached", "object": "true"}
    step = [{"subject": "?x", **reached}, {"subject": "?x", "predicate": "next", "object": "?y"}]
    cfo.rules.create({"type": "inference", "conditions": step, "conclusion": {"subject": "?y", **reached}})
    assert len(inference(cfo).forward(persist=True).new) == 1000
    inference(cfo).retract(subject="n0", predicate="reached")
    assert cfo.facts.query(predicate="reached") == []


def test_where_too_much_follows_a_retraction_still_leaves_nothing_unsupported(cfo: Knowing) -> None:
    for n in range(12):
        say(cfo, f"p{n}", "knows", f"p{n + 1}")
    cfo.rules.create(TRANSITIVE)
    assert inference(cfo).forward(persist=True).converged
    inference(cfo, max_derived=5).retract(subject="p5")
    ids = {fact.id for fact in cfo.facts.query()}
    assert all(support in ids for fact in cfo.facts.query() for support in fact.derived_from)
    assert not inference(cfo, max_derived=5).forward().converged


def test_a_supposition_shows_what_would_change_and_changes_nothing(cfo: Knowing) -> None:
    say(cfo, "ann", "knows", "bob", confidence=0.5)
    honest = say(cfo, "bob", "honest", "true", confidence=0.9)
    cfo.rules.create(TRUST)
    cfo.rules.create(HONEST)
    inference(cfo).forward(persist=True)
    before = cfo.facts.query()
    outlook = inference(cfo).what_if([statement("ann", "knows", "cy")], [honest.id])
    shifts = {" ".join(one.triple): (round(one.before, 6), round(one.after, 6)) for one in outlook.shifts}
    assert shifts == {
        "ann knows cy": (0.0, 1.0),
        "ann trusts cy": (0.0, 0.8),
        "bob honest true": (0.9, 0.0),
        "ann trusts bob": (0.475, 0.4),
    }
    assert cfo.facts.query() == before
    assert inference(cfo).forward(persist=True).new == ()


NAMES = st.sampled_from(["ann", "bob", "cy", "di"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "retract", "infer", "suppose", "wait", "toggle"]),
        NAMES, NAMES, st.sampled_from(["knows", "honest", "trusts"]), st.sampled_from([0.3, 0.6, 1.0]),
        st.sampled_from(["", "2026-02-26", "2026-03-01"]),
    ),
    max_size=14,
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(steps=STEPS)
def test_whatever_happens_the_record_is_what_a_new_start_would_derive(
    steps: list[tuple[str, str, str, str, float, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    cfo = Knowing(tmp_path_factory.mktemp("facts"))
    for definition in (TRANSITIVE, TRUST, HONEST):
        cfo.rules.create(definition)
    for kind, one, other, predicate, sure, until in steps:
        match kind:
            case "say":
                object_ = "true" if predicate == "honest" else other
                say(cfo, one, predicate, object_, confidence=sure, valid_until=until)
            case "retract":
                for fact in cfo.facts.query(one, predicate):
                    if not fact.inferred:
                        inference(cfo).retract(fact.id)
            case "infer":
                inference(cfo).forward(persist=True)
            case "suppose":
                stated = [fact.id for fact in cfo.facts.query(other) if not fact.inferred]
                inference(cfo).what_if([statement(one, "knows", other, confidence=sure)], stated)
            case "wait":
                cfo.clock.advance(timedelta(days=1))
            case _:
                cfo.rules.toggle("R-002", sure > 0.5)
    inference(cfo).forward(persist=True)
    assert told(cfo.facts.query()) == recomputed(cfo, tmp_path_factory.mktemp("again"))
    ids = {fact.id: fact for fact in cfo.facts.query()}
    for fact in ids.values():
        if fact.inferred:
            least = min(ids[support].confidence for support in fact.derived_from)
            factor = cfo.rules.rule(fact.rule_id).confidence_factor
            assert fact.confidence == pytest.approx(least * factor)


def test_random_retractions_equal_recomputation_without_another_inference(tmp_path: Path) -> None:
    random, cfo = Random(5), Knowing(tmp_path / "one")
    for definition in (TRANSITIVE, TRUST, HONEST):
        cfo.rules.create(definition)
    people = [f"p{n}" for n in range(9)]
    for _ in range(22):
        say(cfo, random.choice(people), "knows", random.choice(people), confidence=random.choice((0.4, 0.7, 1.0)))
    say(cfo, "p1", "honest", "true")
    inference(cfo).forward(persist=True)
    for trial in range(15):
        fact = random.choice([one for one in cfo.facts.query() if not one.inferred])
        inference(cfo).retract(fact.id)
        assert told(cfo.facts.query()) == recomputed(cfo, tmp_path / f"again{trial}")
