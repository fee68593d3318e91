"""What facts make an agent believe, cycle by cycle, as a person sees it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.settings import load_settings
from mabos.graphs import wiring
from mabos.interfaces.reasons.chain import explained
from mabos.interfaces.reasons.gathering import gathered
from mabos.knowledge.fact_index import FactIndex
from mabos.mind.grounds import names
from mabos.mind.model import Belief, Desire
from mabos.nodes.report import CycleReport
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.tools.workspaces import NOON, laid_out

QUICK = load_settings().model_copy(update={"durability": "off"})
WANTS = Desire("D-runway", "Keep nine months of runway", target="runway_months >= 9", base=0.9)


class Company:
    """A CFO who wants runway; `clock` can be moved."""

    def __init__(self, services: Services, clock: SteppedClock) -> None:
        self.services = services
        self.clock = clock
        self.agent = services.agent("cfo")
        self.agent.mind.save(WANTS)

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

    def held(self, name: str = "runway_months") -> Belief | None:
        return self.agent.mind.index.about(name)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(NOON)


@pytest.fixture
def company(tmp_path: Path, clock: SteppedClock) -> Iterator[Company]:
    root = laid_out(tmp_path / "workspace")
    with wiring.opened(root, clock=clock, settings=QUICK) as services:
        yield Company(services, clock)


def test_a_fact_about_what_the_agent_wants_becomes_a_belief_with_the_fact_behind_it(company: Company) -> None:
    fact_id = company.say("acme", "runway_months", "9")
    company.run()
    belief = company.held()
    assert belief is not None
    assert (belief.value, belief.certainty, belief.source) == ("9", 0.9, "ledger")
    assert fact_id in belief.evidence
    records = gathered(company.services)
    reason = explained(records.find("runway_months", "cfo"), records, company.services.layout.root)
    assert fact_id in [one.id for one in reason.because]


def test_facts_that_nobody_asks_for_stay_facts(company: Company) -> None:
    company.run()
    before = company.agent.mind.beliefs
    for number in range(50):
        company.say(f"customer-{number}", "runway_months", "3")
        company.say("acme", f"detail_{number}", "3")
    company.run()
    assert company.agent.mind.beliefs == before


def test_a_newer_fact_revises_what_an_older_one_said_and_the_log_tells_both(company: Company) -> None:
    company.say("acme", "runway_months", "9")
    company.run()
    company.clock.advance(timedelta(days=1))
    company.do("fact_retract", subject="acme", predicate="runway_months")
    company.say("acme", "runway_months", "7")
    company.run()
    belief = company.held()
    assert belief is not None
    assert belief.value == "7"
    assert ("9", "7") in [(one.before, one.after) for one in belief.revisions]


def test_an_older_fact_does_not_undo_what_was_learnt_since(company: Company) -> None:
    company.say("acme", "runway_months", "9")
    company.clock.advance(timedelta(days=1))
    said = {"description": "runway is 4", "certainty": 0.9, "source": "bank", "subject": "runway_months", "value": "4"}
    company.do("belief_update", **said)
    company.run()
    company.run()
    belief = company.held()
    assert belief is not None
    assert belief.value == "4"


def test_a_less_certain_fact_does_not_displace_a_more_certain_one(company: Company) -> None:
    company.say("acme", "runway_months", "9")
    company.clock.advance(timedelta(hours=1))
    company.say("acme", "runway_months", "2", confidence=0.3, source="a rumour")
    company.run()
    belief = company.held()
    assert belief is not None
    assert belief.value == "9"


@pytest.mark.parametrize("ends", ["retracted", "doubted", "expired"])
def test_a_belief_that_rests_on_a_fact_alone_ends_with_it(company: Company, ends: str) -> None:
    until = {"valid_until": "2026-03-01"} if ends == "expired" else {}
    fact_id = company.say("acme", "runway_months", "9", **until)
    company.run()
    assert company.held() is not None
    if ends == "retracted":
        company.do("fact_retract", fact_id=fact_id)
    elif ends == "doubted":
        company.say("acme", "runway_months", "9", confidence=0.0)
    company.clock.advance(timedelta(days=30))
    company.run()
    assert company.held() is None
    (over,) = [one for one in company.agent.mind.beliefs if one.subject == "runway_months"]
    assert (over.status, over.certainty) == ("superseded", 0.0)
    assert fact_id in over.revisions[-1].source


def test_a_belief_that_a_fact_only_confirmed_outlives_it_as_sure_as_before(company: Company) -> None:
    said = {"description": "runway is 9", "certainty": 0.6, "source": "bank", "subject": "runway_months", "value": "9"}
    company.do("belief_update", **said)
    fact_id = company.say("acme", "runway_months", "9")
    company.run()
    confirmed = company.held()
    assert confirmed is not None
    assert (confirmed.certainty, fact_id in confirmed.evidence) == (0.9, True)
    company.do("fact_retract", fact_id=fact_id)
    company.run()
    weaker = company.held()
    assert weaker is not None
    assert (weaker.certainty, weaker.evidence) == (0.6, ())


def test_a_fact_of_later_is_believed_when_its_time_has_come(company: Company) -> None:
    company.say("acme", "runway_months", "9", valid_from="2026-03-01")
    company.run()
    assert company.held() is None
    company.clock.advance(timedelta(days=10))
    company.run()
    assert company.held() is not None


def test_a_fact_is_believed_once_somebody_begins_to_ask(company: Company) -> None:
    company.say("acme", "headcount", "12")
    company.run()
    assert company.held("headcount") is None
    company.agent.mind.save(Desire("D-heads", "Stay small", target="headcount <= 10"))
    company.run()
    belief = company.held("headcount")
    assert belief is not None
    assert belief.value == "12"


def test_why_tells_a_fact_as_it_was_stated_when_it_was_believed(company: Company) -> None:
    fact_id = company.say("acme", "runway_months", "9")
    company.run()
    (entry,) = [one for one in company.services.ledger.entries("cfo") if one.kind == "perceive"]
    company.clock.advance(timedelta(days=7))
    company.say("acme", "runway_months", "9", confidence=0.5, source="bank")
    company.run()
    company.do("fact_retract", fact_id=fact_id)

    def told(record_id: str) -> str:
        records = gathered(company.services)
        return str(explained(records.find(record_id, "cfo"), records, company.services.layout.root).as_json())

    assert "acme runway_months 9 (confidence 0.90" in told(entry.id)
    assert "confidence 0.50" not in told(entry.id)
    assert "held until" in told(fact_id)


def test_a_derived_fact_is_believed_and_goes_when_it_no_longer_follows(company: Company) -> None:
    company.do(
        "rule_create",
        name="Cash lasts",
        description="A year where there is a grant",
        type="inference",
        conditions=[{"subject": "acme", "predicate": "grant", "object": "paid"}],
        conclusion={"subject": "acme", "predicate": "runway_months", "object": "12"},
        confidence_factor=0.9,
    )
    stated = company.say("acme", "grant", "paid", confidence=1.0)
    company.do("infer_forward", persist=True)
    company.run()
    belief = company.held()
    assert belief is not None
    assert (belief.value, belief.certainty) == ("12", 0.9)
    company.do("fact_retract", fact_id=stated)
    company.run()
    assert company.held() is None


def test_what_a_person_writes_into_the_file_of_facts_is_believed(company: Company) -> None:
    fact_id = company.say("acme", "runway_months", "9")
    company.run()
    company.services.checkpoint()
    path = company.services.layout.agent("cfo") / "facts.json"
    path.write_text(path.read_text("utf-8").replace('"object": "9"', '"object": "6"'), "utf-8")
    company.run()
    belief = company.held()
    assert belief is not None
    assert (belief.value, belief.evidence) == ("6", (fact_id,))


def test_a_workspace_opened_again_believes_nothing_twice(tmp_path: Path) -> None:
    root, clock = laid_out(tmp_path / "workspace"), SteppedClock(NOON)
    with wiring.opened(root, clock=clock) as services:
        first = Company(services, clock)
        first.say("acme", "runway_months", "9")
        first.run()
        before = first.agent.mind.beliefs
    with wiring.opened(root, clock=clock) as services:
        wiring.run_cycle(services, "cfo")
        assert services.agent("cfo").mind.beliefs == before


def test_a_fact_taken_back_in_another_process_is_believed_no_longer(tmp_path: Path) -> None:
    root, clock = laid_out(tmp_path / "workspace"), SteppedClock(NOON)
    with wiring.opened(root, clock=clock) as services:
        first = Company(services, clock)
        first.say("acme", "runway_months", "9")
        first.run()
    with wiring.opened(root, clock=clock) as services:
        again = Company(services, clock)
        again.do("fact_retract", predicate="runway_months")
    with wiring.opened(root, clock=clock) as services:
        wiring.run_cycle(services, "cfo")
        assert services.agent("cfo").mind.value("runway_months") is None


def test_a_cycle_does_not_look_at_facts_that_have_not_changed(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        company.say(f"customer-{number}", "churn_rate", "3%")
    company.run()
    company.run()
    looked: list[str] = []
    candidates = FactIndex.candidates

    def counted(index: FactIndex, subject: str = "", predicate: str = "", object_: str = "") -> Any:
        looked.append(subject)
        return candidates(index, subject, predicate, object_)

    monkeypatch.setattr(FactIndex, "candidates", counted)
    company.run()
    assert looked == []
    company.say("acme", "runway_months", "9")
    company.run()
    assert looked == ["acme"]


def test_the_same_relation_of_somebody_else_is_not_the_agents_own() -> None:
    assert "churn_rate" in names("acme", "churn_rate", ("acme",))
    assert names("customer-1", "churn_rate", ("acme",)) == ("customer_1_churn_rate",)
    assert names("quality", "is", ("acme",)) == ("quality",)
