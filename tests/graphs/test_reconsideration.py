"""Commitments are thought over when something speaks against them, and the ledger says what and why."""

from datetime import timedelta
from typing import Any

import pytest

from mabos.mind.model import Belief, Step
from mabos.workspace.clock import iso
from tests.world import Member, World

NOTE = {"description": "The shop is painted", "certainty": 0.9, "source": "me", "subject": "shop", "value": "painted"}


def commit(hr: Member, step: Step, **intention: Any) -> None:
    """Commit the agent to paint the shop."""
    hr.commit(step, goal={"description": "Xylograph qwerty", "target": "shop = painted"}, **intention)


def reconsidered(hr: Member) -> list[dict[str, str]]:
    """Run one cycle and return what the ledger says was thought over in it."""
    report = hr.cycle()
    entries = [one for one in hr.world.services.ledger.entries("hr") if one.cycle == report.cycle]
    return [note for entry in entries for note in entry.body.get("reconsidered", [])]


def told(hr: Member, subject: str, value: str) -> None:
    hr.hear("News", f"{subject}-{value}", subject=subject, value=value, certainty=0.95)


@pytest.fixture
def hr(world: World) -> Member:
    return world.agent("hr")


def test_a_plan_that_costs_more_than_there_is_waits_for_money(hr: Member) -> None:
    hr.mind.save(Belief("B-cash", "cash is 1000", 0.95, subject="cash", value="1000"))
    commit(hr, Step("paint", "Paint", "belief_update", NOTE, cost=50_000.0))
    (note,) = reconsidered(hr)
    assert (note["trigger"], note["outcome"]) == ("resource_constraint", "suspend")
    assert "cash 1,000 for 50,000" in note["why"]
    standing = hr.intention()
    assert standing is not None
    assert standing.status == "suspended"
    assert reconsidered(hr) == []


def test_an_urgent_word_about_the_thing_itself_suspends_it_for_the_moment(hr: Member) -> None:
    commit(hr, Step("paint", "Paint", "belief_update", NOTE))
    hr.hear("Fire!", priority="urgent", subject="shop", predicate="alarm", value="fire")
    (note,) = reconsidered(hr)
    assert (note["trigger"], note["outcome"]) == ("external_event", "suspend")
    (resumed,) = reconsidered(hr)
    assert resumed["outcome"] == "resumed"
    assert hr.intention() is None


def test_an_urgent_word_about_something_else_shakes_nothing(hr: Member) -> None:
    commit(hr, Step("paint", "Paint", "belief_update", NOTE))
    hr.hear("Rain", priority="urgent")
    assert reconsidered(hr) == []
    assert hr.intention() is None


def test_a_belief_that_undoes_the_only_precondition_ends_the_intention(hr: Member) -> None:
    commit(hr, Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",)))
    told(hr, "weather", "wet")
    (note,) = reconsidered(hr)
    assert (note["trigger"], note["outcome"]) == ("belief_change", "abandon")
    assert hr.intention() is None


def test_what_is_stuck_looks_for_another_way_once(hr: Member) -> None:
    hr.mind.save(Belief("B-w", "weather is wet", 0.9, subject="weather", value="wet"))
    since = iso(hr.world.clock() - timedelta(days=5))
    step = Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",))
    commit(hr, step, status="suspended", updated=since, started=since)
    (note,) = reconsidered(hr)
    assert (note["trigger"], note["outcome"]) == ("progress_stall", "modify")
    standing = hr.intention()
    assert standing is not None
    assert (standing.status, standing.updated) == ("suspended", since)
    assert standing.reason.startswith("no other plan was found")
    assert reconsidered(hr) == []


def test_a_condition_that_has_come_true_lets_it_go_on(hr: Member) -> None:
    step = Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",))
    commit(hr, step, status="suspended")
    told(hr, "weather", "dry")
    (note,) = reconsidered(hr)
    assert note["outcome"] == "resumed"
    assert hr.intention() is None
