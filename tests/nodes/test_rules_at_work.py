"""Rules at work in an agent's cycles: what follows is derived, and what a policy asks for is done, once."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.settings import load_settings
from mabos.graphs import wiring
from mabos.interfaces.reasons.chain import Reason, explained
from mabos.interfaces.reasons.gathering import gathered
from mabos.knowledge.fact_index import FactIndex
from mabos.mind.model import Belief, Desire
from mabos.nodes.report import CycleReport
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.tools.workspaces import NOON, laid_out

QUICK = load_settings().model_copy(update={"durability": "off"})
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


class Company:
    """A CFO with rules; `clock` can be moved."""

    def __init__(self, services: Services, clock: SteppedClock) -> None:
        self.services = services
        self.clock = clock
        self.agent = services.agent("cfo")

    def say(self, subject: str, predicate: str, value: str, **more: Any) -> str:
        """State a fact and return its id."""
        told = {"subject": subject, "predicate": predicate, "object": value, "confidence": 0.9, "source": "ledger"}
        return str(self.do("fact_assert", **told | more)["fact_id"])

    def do(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the result of a call that must succeed."""
        outcome = call(self.services, tool, arguments, agent_id="cfo")
        assert outcome.ok, outcome.message
        return dict(outcome.result)

    def run(self) -> CycleReport:
        return wiring.run_cycle(self.services, "cfo")

    def heard(self) -> list[str]:
        """Return what has arrived at the CEO."""
        return [one.content for one in self.services.inbox("ceo").messages()]

    def why(self, record_id: str) -> list[str]:
        """Return the ids in the chain of reasons of a record."""
        records = gathered(self.services)
        return list(_ids(explained(records.find(record_id), records, self.services.layout.root)))


def _ids(reason: Reason) -> Iterator[str]:
    yield reason.id
    for below in reason.because:
        yield from _ids(below)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out(tmp_path / "workspace")


@pytest.fixture
def company(root: Path) -> Iterator[Company]:
    clock = SteppedClock(NOON)
    with wiring.opened(root, clock=clock, settings=QUICK) as services:
        yield Company(services, clock)


def test_a_policy_that_applies_is_followed_once_and_again_for_other_facts(company: Company) -> None:
    company.do("rule_create", **CHURN)
    company.say("starter", "churn_rate", "6%")
    company.say("pro", "churn_rate", "1%")
    assert company.run().outcome == "acted"
    assert company.heard() == ["Look after the customers of starter"]
    assert company.run().outcome == "idle"
    company.say("pro", "churn_rate", "7%")
    company.run()
    company.run()
    assert company.heard() == ["Look after the customers of starter", "Look after the customers of pro"]


def test_why_leads_from_what_a_policy_sent_to_the_rule_and_the_fact(company: Company) -> None:
    rule_id = company.do("rule_create", **CHURN)["rule_id"]
    fact_id = company.say("starter", "churn_rate", "6%")
    company.run()
    (sent,) = company.services.inbox("ceo").messages()
    assert {rule_id, fact_id} <= set(company.why(sent.id))


def test_a_policy_is_not_followed_again_by_a_workspace_that_is_opened_again(root: Path) -> None:
    clock = SteppedClock(NOON)
    for _ in range(2):
        with wiring.opened(root, clock=clock, settings=QUICK) as services:
            company = Company(services, clock)
            company.do("rule_create", **CHURN)
            company.say("starter", "churn_rate", "6%")
            company.run()
            assert len(company.heard()) == 1


def test_a_policy_applies_to_what_is_believed_too_and_again_when_that_changes(company: Company) -> None:
    condition = {"subject": "churn_rate", "predicate": "percent", "object": 5, "operator": "gt"}
    company.do("rule_create", **CHURN | {"conditions": [condition], "action": 'REQUEST ceo "Act on churn"'})
    company.agent.mind.save(Belief("B-churn", "churn_rate is 6%", 0.9, subject="churn_rate", value="6%"))
    company.run()
    company.run()
    assert company.heard() == ["Act on churn"]
    company.agent.mind.save(Belief("B-churn", "churn_rate is 8%", 0.9, subject="churn_rate", value="8%"))
    company.run()
    assert len(company.heard()) == 2
    assert company.agent.facts.query() == []


def test_what_a_policy_says_in_words_becomes_a_desire_with_the_rule_as_its_reason(company: Company) -> None:
    rule_id = company.do("rule_create", **CHURN | {"action": "Look after the customers of ?product"})["rule_id"]
    fact_id = company.say("starter", "churn_rate", "6%")
    company.run()
    company.run()
    (wish,) = company.agent.mind.desires
    assert wish.name == "Look after the customers of starter"
    assert {rule_id, fact_id} <= set(company.why(wish.id))


def test_a_policy_that_escalates_puts_its_question_before_a_person(company: Company) -> None:
    rule = CHURN | {"action": "Lower the price of ?product", "escalate": True}
    rule_id = company.do("rule_create", **rule)["rule_id"]
    fact_id = company.say("starter", "churn_rate", "6%")
    company.run()
    company.run()
    (asked,) = company.services.business("acme").decisions.all()
    assert asked.subject == "Lower the price of starter"
    assert {rule_id, fact_id} <= set(company.why(asked.id))


def test_a_policy_waits_for_the_time_of_its_fact(company: Company) -> None:
    company.do("rule_create", **CHURN)
    company.say("starter", "churn_rate", "6%", valid_from="2026-03-01")
    company.run()
    assert company.heard() == []
    company.clock.advance(timedelta(days=10))
    company.run()
    assert len(company.heard()) == 1


def test_a_disabled_policy_is_not_followed(company: Company) -> None:
    rule_id = company.do("rule_create", **CHURN)["rule_id"]
    company.do("rule_toggle", rule_id=rule_id, enabled=False)
    company.say("starter", "churn_rate", "6%")
    assert company.run().outcome == "idle"
    company.do("rule_toggle", rule_id=rule_id, enabled=True)
    company.run()
    assert len(company.heard()) == 1


def test_what_follows_from_facts_is_on_record_after_a_cycle_and_believed_where_it_is_asked_for(
    company: Company,
) -> None:
    company.agent.mind.save(Desire("D-runway", "Keep runway", target="runway_months >= 9"))
    rule_id = company.do("rule_create", **GRANT)["rule_id"]
    stated = company.say("acme", "grant", "paid")
    company.run()
    (fact,) = company.agent.facts.query(predicate="runway_months")
    assert (fact.rule_id, fact.derived_from) == (rule_id, (stated,))
    assert company.agent.mind.value("runway_months") == "12"
    assert {fact.id, rule_id, stated} <= set(company.why("runway_months"))
    company.do("fact_retract", fact_id=stated)
    company.run()
    assert company.agent.facts.query(predicate="runway_months") == []
    assert company.agent.mind.value("runway_months") is None


def test_a_rule_that_is_switched_on_later_derives_from_what_is_there(company: Company) -> None:
    company.say("acme", "grant", "paid")
    company.run()
    company.do("rule_create", **GRANT)
    company.run()
    assert len(company.agent.facts.query(predicate="runway_months")) == 1


def test_what_is_stated_between_two_cycles_is_derived_from_in_the_next(company: Company) -> None:
    condition = {"subject": "?x", "predicate": "grant", "object": "paid"}
    conclusion = {"subject": "?x", "predicate": "is_safe", "object": "yes"}
    company.do("rule_create", **GRANT | {"conditions": [condition], "conclusion": conclusion})
    for name in ("acme", "globex", "initech"):
        company.say(name, "grant", "paid")
        company.do("infer_forward")
        company.run()
        company.say(name, "note", "nothing")
    assert {one.subject for one in company.agent.facts.query(predicate="is_safe")} == {"acme", "globex", "initech"}


def test_what_a_rule_costs_follows_what_has_changed(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    company.do("rule_create", **CHURN)
    for number in range(60):
        company.say(f"product-{number}", "churn_rate", "1%")
    company.run()
    looked: list[int] = []
    candidates = FactIndex.candidates

    def counted(index: FactIndex, subject: str = "", predicate: str = "", object_: str = "") -> Any:
        found = candidates(index, subject, predicate, object_)
        looked.append(len(found))
        return found

    monkeypatch.setattr(FactIndex, "candidates", counted)
    company.run()
    assert looked == []
    company.say("product-7", "churn_rate", "9%")
    company.run()
    assert looked
    assert max(looked) < 10
    assert company.heard() == ["Look after the customers of product-7"]


RUNWAY = {
    "name": "Runway floor",
    "description": "",
    "type": "constraint",
    "conditions": [{"subject": "acme", "predicate": "cash_runway_months", "object": "3", "operator": "lt"}],
    "violation_message": "Cash runway below 3 months",
    "severity": "critical",
}


def _alarms(company: Company) -> list[Message]:
    return [one for one in company.services.inbox("stakeholder").messages() if one.content.startswith("critical")]


def _desires(company: Company) -> dict[str, str]:
    return {one.description: one.status for one in company.agent.mind.desires if one.id.startswith("D-broken-")}


def test_a_broken_constraint_becomes_a_desire_and_is_told_once_until_it_holds_again(company: Company) -> None:
    rule_id = company.do("rule_create", **RUNWAY)["rule_id"]
    first = company.say("acme", "cash_runway_months", "2.5")
    company.run()
    company.run()
    assert _desires(company) == {"Cash runway below 3 months": "active"}
    (sent,) = _alarms(company)
    assert (sent.content, sent.priority) == ("critical: Cash runway below 3 months", "urgent")
    assert {rule_id, first} <= set(company.why(sent.id))
    company.do("fact_retract", fact_id=first)
    company.say("acme", "cash_runway_months", "4")
    company.run()
    assert _desires(company) == {"Cash runway below 3 months": "dropped"}
    company.clock.advance(timedelta(days=1))
    company.say("acme", "cash_runway_months", "1")
    company.run()
    assert _desires(company) == {"Cash runway below 3 months": "active"}
    assert len(_alarms(company)) == 2


def test_what_is_believed_breaks_a_constraint_too_and_a_mere_warning_is_told_nobody(company: Company) -> None:
    company.do("rule_create", **RUNWAY | {"severity": "warning"})
    company.agent.mind.save(
        Belief("B-R", "runway", certainty=0.9, subject="cash_runway_months", value="2"), why="measured"
    )
    company.run()
    assert _desires(company) == {"Cash runway below 3 months": "active"}
    assert not _alarms(company)


def test_a_constraint_that_is_switched_off_asks_for_nothing_more(company: Company) -> None:
    rule_id = company.do("rule_create", **RUNWAY)["rule_id"]
    company.say("acme", "cash_runway_months", "2.5")
    company.run()
    company.do("rule_toggle", rule_id=rule_id, enabled=False)
    company.run()
    assert _desires(company) == {"Cash runway below 3 months": "dropped"}


def test_an_alert_that_was_not_sent_before_the_cycle_died_is_sent_by_the_next(company: Company) -> None:
    company.do("rule_create", **RUNWAY)
    company.say("acme", "cash_runway_months", "2.5")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mabos.nodes.act.run_errands", _die)
        with pytest.raises(KeyboardInterrupt):
            company.run()
    assert not _alarms(company)
    company.run()
    company.run()
    assert len(_alarms(company)) == 1


def _die(_cycle: object) -> dict[str, str]:
    raise KeyboardInterrupt
