"""What facts make an agent believe, cycle by cycle, as a person sees it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.knowledge.fact_index import FactIndex
from mabos.mind.grounds import names
from mabos.mind.model import Belief, Desire
from tests.world import Member, World

WANTS = Desire("D-runway", "Keep nine months of runway", target="runway_months >= 9", base=0.9)


@pytest.fixture
def cfo(tmp_path: Path) -> Iterator[Member]:
    """A CFO who wants runway, for whom the owner calls tools."""
    with World.small(tmp_path / "workspace") as world:
        found = world.owner("cfo")
        found.mind.save(WANTS)
        yield found


def held(cfo: Member, name: str = "runway_months") -> Belief | None:
    return cfo.mind.index.about(name)


def test_a_fact_about_what_the_agent_wants_becomes_a_belief_with_the_fact_behind_it(cfo: Member) -> None:
    fact_id = cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    belief = held(cfo)
    assert belief is not None
    assert (belief.value, belief.certainty, belief.source) == ("9", 0.9, "ledger")
    assert fact_id in belief.evidence
    reason = cfo.world.why("runway_months", "cfo")
    assert fact_id in [one.id for one in reason.because]


def test_facts_that_nobody_asks_for_stay_facts(cfo: Member) -> None:
    cfo.cycle()
    before = cfo.mind.beliefs
    for number in range(50):
        cfo.say(f"customer-{number}", "runway_months", "3")
        cfo.say("acme", f"detail_{number}", "3")
    cfo.cycle()
    assert cfo.mind.beliefs == before


def test_a_newer_fact_revises_what_an_older_one_said_and_the_log_tells_both(cfo: Member) -> None:
    cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    cfo.world.later(days=1)
    cfo.do("fact_retract", subject="acme", predicate="runway_months")
    cfo.say("acme", "runway_months", "7")
    cfo.cycle()
    belief = held(cfo)
    assert belief is not None
    assert belief.value == "7"
    assert ("9", "7") in [(one.before, one.after) for one in belief.revisions]


def test_an_older_fact_does_not_undo_what_was_learnt_since(cfo: Member) -> None:
    cfo.say("acme", "runway_months", "9")
    cfo.world.later(days=1)
    said = {"description": "runway is 4", "certainty": 0.9, "source": "bank", "subject": "runway_months", "value": "4"}
    cfo.do("belief_update", **said)
    cfo.cycle()
    cfo.cycle()
    belief = held(cfo)
    assert belief is not None
    assert belief.value == "4"


def test_a_less_certain_fact_does_not_displace_a_more_certain_one(cfo: Member) -> None:
    cfo.say("acme", "runway_months", "9")
    cfo.world.later(hours=1)
    cfo.say("acme", "runway_months", "2", confidence=0.3, source="a rumour")
    cfo.cycle()
    belief = held(cfo)
    assert belief is not None
    assert belief.value == "9"


@pytest.mark.parametrize("ends", ["retracted", "doubted", "expired"])
def test_a_belief_that_rests_on_a_fact_alone_ends_with_it(cfo: Member, ends: str) -> None:
    until = {"valid_until": "2026-03-01"} if ends == "expired" else {}
    fact_id = cfo.say("acme", "runway_months", "9", **until)
    cfo.cycle()
    assert held(cfo) is not None
    if ends == "retracted":
        cfo.do("fact_retract", fact_id=fact_id)
    elif ends == "doubted":
        cfo.say("acme", "runway_months", "9", confidence=0.0)
    cfo.world.later(days=30)
    cfo.cycle()
    assert held(cfo) is None
    (over,) = [one for one in cfo.mind.beliefs if one.subject == "runway_months"]
    assert (over.status, over.certainty) == ("superseded", 0.0)
    assert fact_id in over.revisions[-1].source


def test_a_belief_that_a_fact_only_confirmed_outlives_it_as_sure_as_before(cfo: Member) -> None:
    said = {"description": "runway is 9", "certainty": 0.6, "source": "bank", "subject": "runway_months", "value": "9"}
    cfo.do("belief_update", **said)
    fact_id = cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    confirmed = held(cfo)
    assert confirmed is not None
    assert (confirmed.certainty, fact_id in confirmed.evidence) == (0.9, True)
    cfo.do("fact_retract", fact_id=fact_id)
    cfo.cycle()
    weaker = held(cfo)
    assert weaker is not None
    assert (weaker.certainty, weaker.evidence) == (0.6, ())


def test_a_fact_of_later_is_believed_when_its_time_has_come(cfo: Member) -> None:
    cfo.say("acme", "runway_months", "9", valid_from="2026-03-01")
    cfo.cycle()
    assert held(cfo) is None
    cfo.world.later(days=10)
    cfo.cycle()
    assert held(cfo) is not None


def test_a_fact_is_believed_once_somebody_begins_to_ask(cfo: Member) -> None:
    cfo.say("acme", "headcount", "12")
    cfo.cycle()
    assert held(cfo, "headcount") is None
    cfo.mind.save(Desire("D-heads", "Stay small", target="headcount <= 10"))
    cfo.cycle()
    belief = held(cfo, "headcount")
    assert belief is not None
    assert belief.value == "12"


def test_why_tells_a_fact_as_it_was_stated_when_it_was_believed(cfo: Member) -> None:
    fact_id = cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    (entry,) = [one for one in cfo.world.services.ledger.entries("cfo") if one.kind == "perceive"]
    cfo.world.later(days=7)
    cfo.say("acme", "runway_months", "9", confidence=0.5, source="bank")
    cfo.cycle()
    cfo.do("fact_retract", fact_id=fact_id)

    def told(record_id: str) -> str:
        return str(cfo.world.why(record_id, "cfo").as_json())

    assert "acme runway_months 9 (confidence 0.90" in told(entry.id)
    assert "confidence 0.50" not in told(entry.id)
    assert "held until" in told(fact_id)


def test_a_derived_fact_is_believed_and_goes_when_it_no_longer_follows(cfo: Member) -> None:
    cfo.do(
        "rule_create",
        name="Cash lasts",
        description="A year where there is a grant",
        type="inference",
        conditions=[{"subject": "acme", "predicate": "grant", "object": "paid"}],
        conclusion={"subject": "acme", "predicate": "runway_months", "object": "12"},
        confidence_factor=0.9,
    )
    stated = cfo.say("acme", "grant", "paid", confidence=1.0)
    cfo.do("infer_forward", persist=True)
    cfo.cycle()
    belief = held(cfo)
    assert belief is not None
    assert (belief.value, belief.certainty) == ("12", 0.9)
    cfo.do("fact_retract", fact_id=stated)
    cfo.cycle()
    assert held(cfo) is None


def test_what_a_person_writes_into_the_file_of_facts_is_believed(cfo: Member) -> None:
    fact_id = cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    path = cfo.world.path("agents/cfo/facts.json")
    path.write_text(path.read_text("utf-8").replace('"object": "9"', '"object": "6"'), "utf-8")
    cfo.cycle()
    belief = held(cfo)
    assert belief is not None
    assert (belief.value, belief.evidence) == ("6", (fact_id,))


def test_a_workspace_opened_again_believes_nothing_twice(cfo: Member) -> None:
    cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    before = cfo.mind.beliefs
    cfo.world.restart()
    cfo.cycle()
    assert cfo.mind.beliefs == before


def test_a_fact_taken_back_in_another_process_is_believed_no_longer(cfo: Member) -> None:
    cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    cfo.world.restart()
    cfo.do("fact_retract", predicate="runway_months")
    cfo.world.restart()
    cfo.cycle()
    assert cfo.mind.value("runway_months") is None


def test_a_cycle_does_not_look_at_facts_that_have_not_changed(cfo: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        cfo.say(f"customer-{number}", "churn_rate", "3%")
    cfo.cycle()
    cfo.cycle()
    looked: list[str] = []
    candidates = FactIndex.candidates

    def counted(index: FactIndex, subject: str = "", predicate: str = "", object_: str = "") -> Any:
        looked.append(subject)
        return candidates(index, subject, predicate, object_)

    monkeypatch.setattr(FactIndex, "candidates", counted)
    cfo.cycle()
    assert looked == []
    cfo.say("acme", "runway_months", "9")
    cfo.cycle()
    assert looked == ["acme"]


def test_the_same_relation_of_somebody_else_is_not_the_agents_own() -> None:
    assert "churn_rate" in names("acme", "churn_rate", ("acme",))
    assert names("customer-1", "churn_rate", ("acme",)) == ("customer_1_churn_rate",)
    assert names("quality", "is", ("acme",)) == ("quality",)
