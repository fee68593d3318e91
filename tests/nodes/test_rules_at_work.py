"""Rules at work in an agent's cycles: what follows is derived, and what a policy asks for is done, once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.interfaces.reasons.chain import Reason
from mabos.knowledge.fact_index import FactIndex
from mabos.mind.model import Belief, Desire
from mabos.society.messages import Message
from tests.world import Member, World

CHURN = {
    "name": "Churn alarm",
    "description": "Act on churn",
    "type": "policy",
    "conditions": [{"subject": "?product", "predicate": "churn_rate", "object": "5%", "operator": "gt"}],
    "action": 'REQUEST ceo "Look after the customers of ?product"',
}
GRANT = {
    "name": "A grant lasts a year",
    "description": "",
    "type": "inference",
    "conditions": [{"subject": "acme", "predicate": "grant", "object": "paid"}],
    "conclusion": {"subject": "acme", "predicate": "runway_months", "object": "12"},
}


def _ids(reason: Reason) -> Iterator[str]:
    yield reason.id
    for below in reason.because:
        yield from _ids(below)


@pytest.fixture
def cfo(tmp_path: Path) -> Iterator[Member]:
    """A CFO with rules, for whom the owner calls tools."""
    with World.small(tmp_path / "workspace") as world:
        yield world.owner("cfo")


def heard(cfo: Member) -> list[str]:
    """Return what has arrived at the CEO."""
    return [one.content for one in cfo.world.agent("ceo").messages()]


def why(cfo: Member, record_id: str) -> set[str]:
    """Return the ids in the chain of reasons of a record."""
    return set(_ids(cfo.world.why(record_id)))


def test_a_policy_that_applies_is_followed_once_and_again_for_other_facts(cfo: Member) -> None:
    cfo.do("rule_create", **CHURN)
    cfo.say("starter", "churn_rate", "6%")
    cfo.say("pro", "churn_rate", "1%")
    assert cfo.cycle().outcome == "acted"
    assert heard(cfo) == ["Look after the customers of starter"]
    assert cfo.cycle().outcome == "idle"
    cfo.say("pro", "churn_rate", "7%")
    cfo.cycle()
    cfo.cycle()
    assert heard(cfo) == ["Look after the customers of starter", "Look after the customers of pro"]


def test_why_leads_from_what_a_policy_sent_to_the_rule_and_the_fact(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **CHURN)["rule_id"]
    fact_id = cfo.say("starter", "churn_rate", "6%")
    cfo.cycle()
    (sent,) = cfo.world.agent("ceo").messages()
    assert {rule_id, fact_id} <= why(cfo, sent.id)


def test_a_policy_is_not_followed_again_by_a_workspace_that_is_opened_again(cfo: Member) -> None:
    for _ in range(2):
        cfo.do("rule_create", **CHURN)
        cfo.say("starter", "churn_rate", "6%")
        cfo.cycle()
        assert len(heard(cfo)) == 1
        cfo.world.restart()


def test_a_policy_applies_to_what_is_believed_too_and_again_when_that_changes(cfo: Member) -> None:
    condition = {"subject": "churn_rate", "predicate": "percent", "object": 5, "operator": "gt"}
    cfo.do("rule_create", **CHURN | {"conditions": [condition], "action": 'REQUEST ceo "Act on churn"'})
    cfo.mind.save(Belief("B-churn", "churn_rate is 6%", 0.9, subject="churn_rate", value="6%"))
    cfo.cycle()
    cfo.cycle()
    assert heard(cfo) == ["Act on churn"]
    cfo.mind.save(Belief("B-churn", "churn_rate is 8%", 0.9, subject="churn_rate", value="8%"))
    cfo.cycle()
    assert len(heard(cfo)) == 2
    assert cfo.handle.facts.query() == []


def test_what_a_policy_says_in_words_becomes_a_desire_with_the_rule_as_its_reason(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **CHURN | {"action": "Look after the customers of ?product"})["rule_id"]
    fact_id = cfo.say("starter", "churn_rate", "6%")
    cfo.cycle()
    cfo.cycle()
    (wish,) = cfo.mind.desires
    assert wish.name == "Look after the customers of starter"
    assert {rule_id, fact_id} <= why(cfo, wish.id)


def test_a_policy_that_escalates_puts_its_question_before_a_person(cfo: Member) -> None:
    rule = CHURN | {"action": "Lower the price of ?product", "escalate": True}
    rule_id = cfo.do("rule_create", **rule)["rule_id"]
    fact_id = cfo.say("starter", "churn_rate", "6%")
    cfo.cycle()
    cfo.cycle()
    (asked,) = cfo.world.business.decisions.all()
    assert asked.subject == "Lower the price of starter"
    assert {rule_id, fact_id} <= why(cfo, asked.id)


def test_a_policy_waits_for_the_time_of_its_fact(cfo: Member) -> None:
    cfo.do("rule_create", **CHURN)
    cfo.say("starter", "churn_rate", "6%", valid_from="2026-03-01")
    cfo.cycle()
    assert heard(cfo) == []
    cfo.world.later(days=10)
    cfo.cycle()
    assert len(heard(cfo)) == 1


def test_a_disabled_policy_is_not_followed(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **CHURN)["rule_id"]
    cfo.do("rule_toggle", rule_id=rule_id, enabled=False)
    cfo.say("starter", "churn_rate", "6%")
    assert cfo.cycle().outcome == "idle"
    cfo.do("rule_toggle", rule_id=rule_id, enabled=True)
    cfo.cycle()
    assert len(heard(cfo)) == 1


def test_what_follows_from_facts_is_on_record_after_a_cycle_and_believed_where_it_is_asked_for(cfo: Member) -> None:
    cfo.mind.save(Desire("D-runway", "Keep runway", target="runway_months >= 9"))
    rule_id = cfo.do("rule_create", **GRANT)["rule_id"]
    stated = cfo.say("acme", "grant", "paid")
    cfo.cycle()
    (fact,) = cfo.handle.facts.query(predicate="runway_months")
    assert (fact.rule_id, fact.derived_from) == (rule_id, (stated,))
    assert cfo.mind.value("runway_months") == "12"
    assert {fact.id, rule_id, stated} <= why(cfo, "runway_months")
    cfo.do("fact_retract", fact_id=stated)
    cfo.cycle()
    assert cfo.handle.facts.query(predicate="runway_months") == []
    assert cfo.mind.value("runway_months") is None


def test_a_rule_that_is_switched_on_later_derives_from_what_is_there(cfo: Member) -> None:
    cfo.say("acme", "grant", "paid")
    cfo.cycle()
    cfo.do("rule_create", **GRANT)
    cfo.cycle()
    assert len(cfo.handle.facts.query(predicate="runway_months")) == 1


def test_what_is_stated_between_two_cycles_is_derived_from_in_the_next(cfo: Member) -> None:
    condition = {"subject": "?x", "predicate": "grant", "object": "paid"}
    conclusion = {"subject": "?x", "predicate": "is_safe", "object": "yes"}
    cfo.do("rule_create", **GRANT | {"conditions": [condition], "conclusion": conclusion})
    for name in ("acme", "globex", "initech"):
        cfo.say(name, "grant", "paid")
        cfo.do("infer_forward")
        cfo.cycle()
        cfo.say(name, "note", "nothing")
    assert {one.subject for one in cfo.handle.facts.query(predicate="is_safe")} == {"acme", "globex", "initech"}


def test_what_a_rule_costs_follows_what_has_changed(cfo: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    cfo.do("rule_create", **CHURN)
    for number in range(60):
        cfo.say(f"product-{number}", "churn_rate", "1%")
    cfo.cycle()
    looked: list[int] = []
    candidates = FactIndex.candidates

    def counted(index: FactIndex, subject: str = "", predicate: str = "", object_: str = "") -> Any:
        found = candidates(index, subject, predicate, object_)
        looked.append(len(found))
        return found

    monkeypatch.setattr(FactIndex, "candidates", counted)
    cfo.cycle()
    assert looked == []
    cfo.say("product-7", "churn_rate", "9%")
    cfo.cycle()
    assert looked
    assert max(looked) < 10
    assert heard(cfo) == ["Look after the customers of product-7"]


RUNWAY = {
    "name": "Runway floor",
    "description": "",
    "type": "constraint",
    "conditions": [{"subject": "acme", "predicate": "cash_runway_months", "object": "3", "operator": "lt"}],
    "violation_message": "Cash runway below 3 months",
    "severity": "critical",
}


def _alarms(cfo: Member) -> list[Message]:
    return [one for one in cfo.world.agent("stakeholder").messages() if one.content.startswith("critical")]


def _desires(cfo: Member) -> dict[str, str]:
    return {one.description: one.status for one in cfo.mind.desires if one.id.startswith("D-broken-")}


def test_a_broken_constraint_becomes_a_desire_and_is_told_once_until_it_holds_again(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **RUNWAY)["rule_id"]
    first = cfo.say("acme", "cash_runway_months", "2.5")
    cfo.cycle()
    cfo.cycle()
    assert _desires(cfo) == {"Cash runway below 3 months": "active"}
    (sent,) = _alarms(cfo)
    assert (sent.content, sent.priority) == ("critical: Cash runway below 3 months", "urgent")
    assert {rule_id, first} <= why(cfo, sent.id)
    cfo.do("fact_retract", fact_id=first)
    cfo.say("acme", "cash_runway_months", "4")
    cfo.cycle()
    assert _desires(cfo) == {"Cash runway below 3 months": "dropped"}
    cfo.world.later(days=1)
    cfo.say("acme", "cash_runway_months", "1")
    cfo.cycle()
    assert _desires(cfo) == {"Cash runway below 3 months": "active"}
    assert len(_alarms(cfo)) == 2


def test_what_is_believed_breaks_a_constraint_too_and_a_mere_warning_is_told_nobody(cfo: Member) -> None:
    cfo.do("rule_create", **RUNWAY | {"severity": "warning"})
    cfo.mind.save(Belief("B-R", "runway", certainty=0.9, subject="cash_runway_months", value="2"), why="measured")
    cfo.cycle()
    assert _desires(cfo) == {"Cash runway below 3 months": "active"}
    assert not _alarms(cfo)


def test_a_constraint_that_is_switched_off_asks_for_nothing_more(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **RUNWAY)["rule_id"]
    cfo.say("acme", "cash_runway_months", "2.5")
    cfo.cycle()
    cfo.do("rule_toggle", rule_id=rule_id, enabled=False)
    cfo.cycle()
    assert _desires(cfo) == {"Cash runway below 3 months": "dropped"}


def test_an_alert_that_was_not_sent_before_the_cycle_died_is_sent_by_the_next(cfo: Member) -> None:
    cfo.do("rule_create", **RUNWAY)
    cfo.say("acme", "cash_runway_months", "2.5")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mabos.nodes.act.run_errands", _die)
        with pytest.raises(KeyboardInterrupt):
            cfo.cycle()
    assert not _alarms(cfo)
    cfo.cycle()
    cfo.cycle()
    assert len(_alarms(cfo)) == 1


def _die(_cycle: object) -> dict[str, str]:
    raise KeyboardInterrupt
