"""Changes of what is on record: what ends and when, what is left out, and amounts worked out from the record."""

from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from tests.tools.requests.test_orders import CAMPAIGN, ask, said, status
from tests.world import Member, World

CASES = read_yaml(Path(__file__).with_name("test_changes_cases.yaml"))


@pytest.fixture
def cmo(tmp_path: Path) -> Any:
    with World(tmp_path) as world:
        world.do("stakeholder_profile", approval_threshold_usd=400)
        yield world.quiet("cmo")


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


def test_an_approved_change_sets_the_new_budget_of_the_one_record(cmo: Member) -> None:
    order = changed_order(cmo)
    cmo.world.answer("approve")
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 420.0, "recorded")]
    assert status(cmo, order) == "done"


def test_a_package_on_record_that_is_dropped_is_cancelled(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        coo = world.quiet("coo")
        order = ask(coo, "order", "work_package_create", slots={"title": "Mow", "budget_usd": 130.0})
        coo.cycle()
        ask(coo, "withdrawal", sentence="Drop it.", refers_to=order)
        coo.cycle()
        assert [one.status for one in world.business.workforce.packages.all()] == ["cancelled"]


def test_a_rejected_change_leaves_the_old_campaign_as_it_was_and_says_so(cmo: Member) -> None:
    order = changed_order(cmo)
    cmo.world.answer("reject")
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 150.0, "recorded")]
    assert status(cmo, order) == "failed"
    assert "$150 a week, as before" in said(cmo)


def test_a_second_change_of_a_waiting_change_sets_the_budget_once(cmo: Member) -> None:
    order = changed_order(cmo)
    ask(cmo, "correction", sentence="No, 160.", refers_to=order, slots={"weekly_budget_usd": 160.0})
    cmo.cycle()
    assert booked(cmo) == [("Spring camp", 160.0, "recorded")]
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


@pytest.fixture
def three(tmp_path: Path) -> Any:
    """Return the CMO of a company with three campaigns on record, who may change all of them."""
    with World(tmp_path) as world:
        world.do("stakeholder_profile", approval_threshold_usd=100_000, decision_style="strategic-only")
        for name, weekly in (("Night calls", 90), ("Refits", 70), ("Boiler week", 50)):
            more = {"channel": "search", "segment": "all", "weekly_budget_usd": weekly, "weeks": 10}
            world.do("ad_campaign_create", name=name, **more)
        yield world.quiet("cmo")


def states(member: Member) -> dict[str, str]:
    return {name: state for name, _, state in booked(member)}


def weekly(member: Member) -> dict[str, float]:
    return {name: amount for name, amount, _ in booked(member)}


@pytest.mark.parametrize("message", CASES["what_a_sentence_leaves_out_is_left_and_the_others_are_paused"])
def test_what_a_sentence_leaves_out_is_left_and_the_others_are_paused(three: Member, message: str) -> None:
    three.cycle(message)
    assert states(three) == {"Night calls": "recorded", "Refits": "paused", "Boiler week": "paused"}, said(three)
    assert "Night calls" in said(three)


@pytest.mark.parametrize("message", CASES["a_ban_or_an_unknown_exception_stops_nothing_and_bans_no_letter"])
def test_a_ban_or_an_unknown_exception_stops_nothing_and_bans_no_letter(three: Member, message: str) -> None:
    three.cycle(message)
    three.cycle("yes")
    assert set(states(three).values()) == {"recorded"}, said(three)
    assert "no letters" not in said(three)


@pytest.mark.parametrize(("message", "amount"), CASES["differences"])
def test_a_difference_is_worked_out_from_the_record_and_the_reply_names_old_and_new(
    three: Member, message: str, amount: float
) -> None:
    three.cycle(message)
    assert weekly(three) == {"Night calls": 90, "Refits": amount, "Boiler week": 50}, said(three)
    assert f"${amount}" in said(three)
    assert "$70" in said(three)


def test_a_corrected_difference_is_worked_out_from_the_record_and_leaves_one_question(three: Member) -> None:
    three.world.do("stakeholder_profile", approval_threshold_usd=100)
    three.cycle("Raise 'Refits' by 40 dollars a week.")
    order = next(one.id for one in three.handle.requests.all() if one.act == "order")
    ask(three, "correction", sentence="No, by 20.", refers_to=order, slots={"weekly_budget_usd": 20.0})
    three.cycle()
    (question,) = three.world.questions()
    three.world.answer("approve", question.id)
    three.cycle()
    assert weekly(three)["Refits"] == 90, said(three)


def test_a_price_is_never_set_to_the_difference_that_was_said(three: Member) -> None:
    three.world.do("stripe_create_product", name="Monthly pass")
    three.world.agent("cfo").cycle("Raise the price of 'Monthly pass' by 2 dollars.")
    assert three.world.questions() == []
    assert three.world.business.pricing.prices.all() == ()


def test_money_moves_from_one_campaign_to_another_in_one_order(three: Member) -> None:
    three.cycle("Take 40 dollars a week off 'Night calls' and put it on 'Refits' instead.")
    assert weekly(three) == {"Night calls": 50, "Refits": 110, "Boiler week": 50}, said(three)


def test_a_cut_below_nothing_is_asked_about(three: Member) -> None:
    three.cycle("Cut 'Boiler week' by 60 dollars a week.")
    assert weekly(three)["Boiler week"] == 50
    assert states(three)["Boiler week"] == "recorded"


@pytest.mark.parametrize(("message", "state"), CASES["a_campaign_that_a_person_booked_is_found_by_its_name"])
def test_a_campaign_that_a_person_booked_is_found_by_its_name(three: Member, message: str, state: str) -> None:
    three.cycle(message)
    assert states(three) == {"Night calls": "recorded", "Refits": "recorded", "Boiler week": state}, said(three)


def test_what_was_changed_is_undone_to_what_was_there_before(three: Member) -> None:
    three.cycle("Raise 'Refits' by 40 dollars a week.")
    three.cycle("Undo that.")
    assert weekly(three)["Refits"] == 70, said(three)
    assert states(three)["Refits"] == "recorded"


def packages(member: Member) -> list[tuple[str, str, str]]:
    found = member.world.business.workforce.packages.all()
    return [(one.title, one.deadline[:10], one.status) for one in found]


def test_an_order_under_the_name_of_a_campaign_is_not_carried_out_under_it(three: Member) -> None:
    coo = three.world.agent("coo")
    coo.cycle("Get the 'Boiler week' ads paused, and set up a work package for painting the yard, 640 dollars.")
    assert packages(coo) == []
    assert "Boiler week" in said(coo)


@pytest.mark.parametrize("message", CASES["the_deadline_of_a_package_on_record_moves_and_the_old_one_is_cancelled"])
def test_the_deadline_of_a_package_on_record_moves_and_the_old_one_is_cancelled(three: Member, message: str) -> None:
    ordered(three, "Van inspection", "2026-03-20")
    three.world.agent("coo").cycle(message)
    assert packages(three) == [
        ("Van inspection", "2026-03-20", "cancelled"),
        ("Van inspection", "2026-03-27", "open"),
    ], said(three)


def test_a_second_move_changes_its_own_package_while_the_first_waits(three: Member) -> None:
    world = three.world
    ordered(three, "Van inspection", "2026-03-20")
    ordered(three, "New crates", "2026-03-10")
    world.do("stakeholder_profile", approval_threshold_usd=10)
    world.agent("coo").cycle("Move the deadline of 'Van inspection' to 27 March.")
    world.agent("coo").cycle("'New crates' can wait until 13 March.")
    for _ in range(2):
        for question in world.questions():
            world.answer("approve", question.id)
        world.agent("coo").cycle()
    assert sorted(packages(three)) == [
        ("New crates", "2026-03-10", "cancelled"),
        ("New crates", "2026-03-13", "open"),
        ("Van inspection", "2026-03-20", "cancelled"),
        ("Van inspection", "2026-03-27", "open"),
    ], said(three)


def ordered(member: Member, title: str, deadline: str) -> None:
    more = {"description": title, "required_skills": [], "budget_usd": 200}
    member.world.do("work_package_create", title=title, deadline=deadline, **more)


def test_an_order_that_is_taken_back_after_it_was_done_is_no_goal_reached(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots={**CAMPAIGN, "weeks": 1})
    cmo.cycle()
    goal = cmo.handle.requests.one(order).goal_id
    assert cmo.mind.goal(goal).status == "achieved"
    ask(cmo, "withdrawal", sentence="Forget it, stop the Spring camp.", refers_to=order)
    cmo.cycle()
    if cmo.world.questions():
        cmo.world.answer("approve")
        cmo.cycle()
    assert [one[2] for one in booked(cmo)] == ["stopped"]
    assert (status(cmo, order), cmo.mind.goal(goal).status) == ("withdrawn", "abandoned")


def test_a_change_says_what_became_of_the_question_about_the_old_values(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots={**CAMPAIGN, "weekly_budget_usd": 500.0, "weeks": 1})
    cmo.cycle()
    (asked,) = cmo.world.questions()
    change = ask(cmo, "correction", sentence="Make it 420.", refers_to=order, slots={"weekly_budget_usd": 420.0})
    cmo.cycle()
    assert asked.id in cmo.handle.requests.one(change).replied
    assert not cmo.world.services.decisions("acme").one(asked.id).open


BOOK = "Start a search campaign named 'Spring camp' on Google: 90 dollars a week for 4 weeks, for everybody."


@pytest.mark.parametrize(("message", "amount"), CASES["a_new_budget_changes_the_one_record_and_a_stop_ends_it"])
def test_a_new_budget_changes_the_one_record_and_a_stop_ends_it(cmo: Member, message: str, amount: float) -> None:
    cmo.cycle(BOOK)
    (order,) = cmo.handle.requests.all()
    cmo.cycle(message)
    assert booked(cmo) == [("Spring camp", amount, "recorded")], said(cmo)
    assert status(cmo, order.id) == "done"
    last = cmo.handle.requests.all()[-1]
    checks = cmo.handle.requests.one(last.refers_to or last.id).checks
    assert {"id": cmo.world.business.campaigns.all()[0].id, "weekly_budget_usd": amount} in [
        one.where for one in checks
    ]
    cmo.cycle("Stop the Spring camp campaign.")
    assert booked(cmo) == [("Spring camp", amount, "stopped")], said(cmo)


def test_an_order_whose_budget_was_raised_since_is_corrected_from_its_record(cmo: Member) -> None:
    cmo.world.do("stakeholder_profile", approval_threshold_usd=10_000)
    cmo.cycle(BOOK)
    cmo.cycle("Raise Spring camp to 120 a week.")
    cmo.cycle("Sorry, I meant 6 weeks for Spring camp.")
    assert booked(cmo) == [("Spring camp", 120.0, "stopped"), ("Spring camp", 120.0, "recorded")], said(cmo)


def test_an_undone_raise_brings_back_the_budget_and_is_no_failure(cmo: Member) -> None:
    cmo.world.do("stakeholder_profile", approval_threshold_usd=10_000)
    cmo.cycle(BOOK)
    cmo.cycle("Raise the Google ads to 95 a week.")
    cmo.cycle("Undo that.")
    assert booked(cmo) == [("Spring camp", 90.0, "recorded")]
    assert cmo.handle.requests.all()[-1].status == "done"


def test_the_ads_of_another_platform_are_not_changed(cmo: Member) -> None:
    cmo.cycle("Start a campaign 'Summer' on Facebook, 50 a week for 5 weeks, for everybody.")
    cmo.cycle("Increase the Instagram budget to 70 weekly.")
    cmo.cycle("Make the TikTok ads 60 a week.")
    cmo.cycle("Up the LinkedIn spend to 65 dollars a week.")
    assert booked(cmo) == [("Summer", 50.0, "recorded")], said(cmo)


def test_the_budget_of_a_package_changes_and_the_record_before_it_is_cancelled(three: Member) -> None:
    ordered(three, "Van inspection", "2026-03-20")
    coo = three.world.agent("coo")
    coo.cycle("Raise the budget of Van inspection to 250 dollars.")
    found = three.world.business.workforce.packages.all()
    assert [(one.budget_usd, one.deadline[:10], one.status) for one in found] == [
        (200, "2026-03-20", "cancelled"),
        (250, "2026-03-20", "open"),
    ], said(three)
