"""Changes of what is on record: nothing ends before what replaces it is there, and a rejected change changes nothing."""

from pathlib import Path
from typing import Any

import pytest

from tests.tools.requests.test_orders import CAMPAIGN, ask, said, status
from tests.world import Member, World


@pytest.fixture
def cmo(tmp_path: Path) -> Any:
    with World(tmp_path) as world:
        world.do("stakeholder_profile", approval_threshold_usd=400)
        member = world.agent("cmo")
        member.want_nothing()
        yield member


def booked(member: Member) -> list[tuple[str, float, str]]:
    """Return the name, the weekly budget and the status of each campaign, in the order in which they were made."""
    return [(one.name, one.weekly_budget_usd, one.status) for one in member.world.business.campaigns.all()]


def changed_order(cmo: Member) -> str:
    """Book a campaign for one week at $150, want it at $420, and return the id of the order; the owner is asked."""
    order = ask(cmo, "order", "ad_campaign_create", slots={**CAMPAIGN, "weeks": 1})
    cmo.cycle()
    ask(cmo, "correction", sentence="Make it 420.", refers_to=order, slots={"weekly_budget_usd": 420.0})
    cmo.cycle()
    return order


def test_a_booked_campaign_runs_on_while_its_change_waits(cmo: Member) -> None:
    changed_order(cmo)
    assert len(cmo.world.questions()) == 1
    assert booked(cmo) == [("Spring camp", 150.0, "recorded")]


def test_an_approved_change_books_the_new_campaign_and_then_stops_the_old_one(cmo: Member) -> None:
    order = changed_order(cmo)
    cmo.world.answer("approve")
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 150.0, "stopped"), ("Spring camp", 420.0, "recorded")]
    assert status(cmo, order) == "done"


def test_a_rejected_change_leaves_the_old_campaign_as_it_was_and_says_so(cmo: Member) -> None:
    order = changed_order(cmo)
    cmo.world.answer("reject")
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 150.0, "recorded")]
    assert status(cmo, order) == "failed"
    assert "$150 a week, as before" in said(cmo)


def test_a_second_change_of_a_waiting_change_still_stops_the_old_campaign_once(cmo: Member) -> None:
    order = changed_order(cmo)
    ask(cmo, "correction", sentence="No, 160.", refers_to=order, slots={"weekly_budget_usd": 160.0})
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 150.0, "stopped"), ("Spring camp", 160.0, "recorded")]
    assert cmo.world.questions() == []


def test_a_change_that_is_taken_back_leaves_the_old_campaign_and_no_question(cmo: Member) -> None:
    order = changed_order(cmo)
    ask(cmo, "withdrawal", sentence="Forget it.", refers_to=order)
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 150.0, "recorded")]
    assert cmo.world.questions() == []
    assert "$150 a week, as before" in said(cmo)


def test_what_a_rejected_change_left_running_can_be_stopped(cmo: Member) -> None:
    order = changed_order(cmo)
    cmo.world.answer("reject")
    cmo.cycle()
    ask(cmo, "withdrawal", sentence="Stop it.", refers_to=order)
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 150.0, "stopped")], said(cmo)
