"""Commitments are thought over when something speaks against them, and the ledger says what and why."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso

NOTE = {"description": "The shop is painted", "certainty": 0.9, "source": "me", "subject": "shop", "value": "painted"}


class Office:
    """One agent with one commitment: to paint the shop, in two steps that can be done, or not."""

    def __init__(self, root: Path, *, without: Iterable[str] = ()) -> None:
        self.clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        self.services: Services = wiring.hold(root, clock=self.clock, without=without)
        made = call(self.services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message

    def commit(self, step: Step, **intention: Any) -> None:
        now = iso(self.clock())
        goal = Goal("G-1", "Xylograph qwerty", priority=0.99, target="shop = painted", created=now, updated=now)
        plan = Plan("P-1", "G-1", "painting", steps=(step,), status="active", confidence=0.9, created=now, updated=now)
        given = {"started": now, "updated": now, **intention}
        self.services.agent("hr").mind.save(goal, plan, Intention("I-1", "G-1", "P-1", **given))

    def cycle(self) -> list[dict[str, str]]:
        """Run one cycle and return what the ledger says was thought over in it."""
        report = wiring.run_cycle(self.services, "hr")
        entries = [one for one in self.services.ledger.entries("hr") if one.cycle == report.cycle]
        return [note for entry in entries for note in entry.body.get("reconsidered", [])]

    def intention(self) -> Intention | None:
        return next((one for one in self.services.agent("hr").mind.intentions if one.id == "I-1"), None)

    def believe(self, subject: str, value: str) -> None:
        metadata = {"subject": subject, "value": value, "certainty": 0.95}
        self.hear(
            Message(f"MSG-{subject}-{value}", "ceo", "hr", "INFORM", "News", iso(self.clock()), metadata=metadata)
        )

    def hear(self, message: Message) -> None:
        self.services.mail.deliver(message)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path / "workspace")
    yield made
    wiring.release(made.services)


def test_a_plan_that_costs_more_than_there_is_waits_for_money(office: Office) -> None:
    office.services.agent("hr").mind.save(Belief("B-cash", "cash is 1000", 0.95, subject="cash", value="1000"))
    office.commit(Step("paint", "Paint", "belief_update", NOTE, cost=50_000.0))
    (note,) = office.cycle()
    assert (note["trigger"], note["outcome"]) == ("resource_constraint", "suspend")
    assert "cash 1,000 for 50,000" in note["why"]
    standing = office.intention()
    assert standing is not None
    assert standing.status == "suspended"
    assert office.cycle() == []


def test_an_urgent_word_about_the_thing_itself_suspends_it_for_the_moment(office: Office) -> None:
    office.commit(Step("paint", "Paint", "belief_update", NOTE))
    office.hear(Message("MSG-fire", "ceo", "hr", "INFORM", "Fire!", iso(office.clock()), priority="urgent",
                        metadata={"subject": "shop", "predicate": "alarm", "value": "fire"}))  # fmt: skip
    (note,) = office.cycle()
    assert (note["trigger"], note["outcome"]) == ("external_event", "suspend")
    (resumed,) = office.cycle()
    assert resumed["outcome"] == "resumed"
    assert office.intention() is None


def test_an_urgent_word_about_something_else_shakes_nothing(office: Office) -> None:
    office.commit(Step("paint", "Paint", "belief_update", NOTE))
    office.hear(Message("MSG-rain", "ceo", "hr", "INFORM", "Rain", iso(office.clock()), priority="urgent"))
    assert office.cycle() == []
    assert office.intention() is None


def test_a_belief_that_undoes_the_only_precondition_ends_the_intention(office: Office) -> None:
    office.commit(Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",)))
    office.believe("weather", "wet")
    (note,) = office.cycle()
    assert (note["trigger"], note["outcome"]) == ("belief_change", "abandon")
    assert office.intention() is None


def test_what_is_stuck_looks_for_another_way_once(office: Office) -> None:
    office.services.agent("hr").mind.save(Belief("B-w", "weather is wet", 0.9, subject="weather", value="wet"))
    since = iso(office.clock() - timedelta(days=5))
    step = Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",))
    office.commit(step, status="suspended", updated=since, started=since)
    (note,) = office.cycle()
    assert (note["trigger"], note["outcome"]) == ("progress_stall", "modify")
    standing = office.intention()
    assert standing is not None
    assert (standing.status, standing.updated) == ("suspended", since)
    assert standing.reason.startswith("no other plan was found")
    assert office.cycle() == []


def test_a_condition_that_has_come_true_lets_it_go_on(office: Office) -> None:
    step = Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",))
    office.commit(step, status="suspended")
    office.believe("weather", "dry")
    (note,) = office.cycle()
    assert note["outcome"] == "resumed"
    assert office.intention() is None
