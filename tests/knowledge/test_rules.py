"""Rules: variables joined across conditions, and what constraints and policies find."""

from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.matching import matches
from mabos.knowledge.model import Condition, Fact
from mabos.knowledge.values import compare
from tests.knowledge.knowing import Knowing


@pytest.fixture
def cfo(tmp_path: Path) -> Knowing:
    return Knowing(tmp_path)


def rule(kind: str, *conditions: dict[str, Any], **more: Any) -> dict[str, Any]:
    extra = {"policy": {"action": "act on ?x"}, "constraint": {"violation_message": "?x is wrong"}}.get(kind, {})
    return {"name": "a rule", "type": kind, "conditions": list(conditions), **extra, **more}


BIG: dict[str, Any] = {"subject": "?x", "predicate": "revenue", "object": "10,000", "operator": "gt"}
IN_US: dict[str, Any] = {"subject": "?x", "predicate": "located_in", "object": "US"}


def test_a_variable_is_the_same_in_every_condition(cfo: Knowing) -> None:
    for subject, revenue, country in (("acme", "$50000", "US"), ("rival", "$90000", "DE"), ("tiny", "$100", "US")):
        cfo.hold(subject, "revenue", revenue)
        cfo.hold(subject, "located_in", country)
    cfo.rules.create(rule("constraint", BIG, IN_US))
    (violation,) = cfo.rules.constraints(cfo.facts)
    assert (violation.message, dict(violation.bindings)) == ("acme is wrong", {"?x": "acme"})
    assert [cfo.facts.fact(fact_id).predicate for fact_id in violation.facts] == ["revenue", "located_in"]


def test_a_variable_may_be_compared_with_what_another_condition_binds(cfo: Knowing) -> None:
    spent = {"subject": "?x", "predicate": "spent", "object": "?budget", "operator": "gt"}
    cfo.rules.create(rule("policy", spent, {"subject": "?x", "predicate": "budget", "object": "?budget"}))
    for subject, budget, amount in (("ads", "$900", "$1,000"), ("rent", "$1,000", "$900")):
        cfo.hold(subject, "budget", budget)
        cfo.hold(subject, "spent", amount)
    assert [action.action for action in cfo.rules.policies(cfo.facts)] == ["act on ads"]


def test_a_number_is_equal_to_another_spelling_of_itself(cfo: Knowing) -> None:
    cfo.hold("acme", "seats", "1,000")
    cfo.rules.create(rule("policy", {"subject": "?x", "predicate": "seats", "object": 1000}))
    assert len(cfo.rules.policies(cfo.facts)) == 1


def test_only_what_holds_now_counts(cfo: Knowing) -> None:
    cfo.hold("acme", "located_in", "US", valid_until="2026-02-24")
    cfo.rules.create(rule("policy", IN_US))
    assert len(cfo.rules.policies(cfo.facts)) == 1
    cfo.clock.advance(timedelta(days=1))
    assert cfo.rules.policies(cfo.facts) == []


def test_two_witnesses_of_one_state_are_one_violation(cfo: Knowing) -> None:
    cfo.hold("acme", "located_in", "US")
    cfo.hold("acme", "revenue", "20000")
    cfo.hold("acme", "revenue", "30000")
    cfo.rules.create(rule("constraint", BIG, IN_US))
    assert len(cfo.rules.constraints(cfo.facts)) == 1


def test_the_most_severe_violations_come_first(cfo: Knowing) -> None:
    cfo.hold("acme", "located_in", "US")
    for severity in ("info", "critical", "warning"):
        cfo.rules.create(rule("constraint", IN_US, severity=severity))
    assert [one.severity for one in cfo.rules.constraints(cfo.facts)] == ["critical", "warning", "info"]


def test_ids_count_up_and_an_id_is_not_given_a_second_meaning(cfo: Knowing) -> None:
    first = cfo.rules.create(rule("policy", IN_US))
    assert (first.id, cfo.rules.create(rule("policy", BIG)).id) == ("R-001", "R-002")
    assert cfo.rules.create(rule("policy", IN_US), "R-001") == first
    with pytest.raises(InvalidArgument, match="says something else"):
        cfo.rules.create(rule("policy", BIG), "R-001")


def test_rules_survive_being_closed_and_a_persons_own_fields_with_them(cfo: Knowing) -> None:
    made = cfo.rules.create(rule("policy", BIG, IN_US, escalate=True))
    path = cfo.directory / "rules.json"
    cfo.rule_file.close()
    path.write_text(path.read_text().replace('"enabled": true', '"owner": "Priya",\n      "enabled": true'))
    again = cfo.reopened()
    assert again.rules.rule(made.id) == made
    again.rules.toggle(made.id, False)
    again.rule_file.close()
    assert "Priya" in path.read_text()
    assert '"enabled": false' in path.read_text()


def test_a_rule_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text('{"rules": [{"id": "R-7", "type": "policy", "conditions": []}]}')
    with pytest.raises(Damaged, match="R-7"):
        Knowing(tmp_path).rules.select()


TERM = st.sampled_from(["a", "b", "1", "2"])
NAME = st.sampled_from(["p", "q"])
FACTS = st.lists(st.tuples(TERM, NAME, TERM), max_size=8, unique=True)
SLOT = st.sampled_from(["?x", "?y", "a", "1", ""])
CONDITIONS = st.lists(st.builds(Condition, predicate=NAME, subject=SLOT, object=SLOT), min_size=1, max_size=3)


@settings(max_examples=50, deadline=None)
@given(triples=FACTS, conditions=CONDITIONS)
def test_joining_equals_trying_every_combination(
    triples: list[tuple[str, str, str]], conditions: list[Condition]
) -> None:
    facts = [Fact(f"F-{n}", *triple) for n, triple in enumerate(triples)]

    def candidates(*wanted: str) -> list[Fact]:
        return [
            one for one in facts if all(not want or want == has for want, has in zip(wanted, one.triple, strict=True))
        ]

    found = list(matches(conditions, candidates))
    expected = {
        tuple(fact.id for fact in chosen): tuple(sorted(bindings.items()))
        for chosen in product(facts, repeat=len(conditions))
        if (bindings := _fits_together(conditions, chosen)) is not None
    }
    assert sorted(tuple(sorted(match.bindings.items())) for match in found) == sorted(set(expected.values()))
    for match in found:
        assert expected[tuple(fact.id for fact in match.facts)] == tuple(sorted(match.bindings.items()))


def _fits_together(conditions: list[Condition], chosen: tuple[Fact, ...]) -> dict[str, str] | None:
    bindings: dict[str, str] = {}
    for condition, fact in zip(conditions, chosen, strict=True):
        if condition.predicate != fact.predicate:
            return None
        for term, value in ((condition.subject, fact.subject), (condition.object, fact.object)):
            if term.startswith("?"):
                if bindings.setdefault(term, value) != value:
                    return None
            elif term and not compare("eq", value, term):
                return None
    return bindings
