"""Orders of the owner, from the request on record to what there is in the world, and what is said of it."""

from pathlib import Path
from typing import Any

import pytest

from mabos.language.request import Request, Slot
from tests.world import Member, World

CAMPAIGN = {"name": "Spring camp", "channel": "search", "segment": "all", "weekly_budget_usd": 150.0, "weeks": 3}


@pytest.fixture
def cmo(tmp_path: Path) -> Any:
    with World(tmp_path) as world:
        world.do("stakeholder_profile", approval_threshold_usd=400)
        yield world.quiet("cmo")


def ask(member: Member, act: str, operation: str = "", /, sentence: str = "", **more: Any) -> str:
    """Put a request on record as an interpreter would, with the message that it stands in; return its id."""
    agent = member.handle
    number = len(agent.requests.all()) + 1
    slots = tuple(Slot(name, value, str(value)) for name, value in more.pop("slots", {}).items())
    words = sentence or f"{act} {operation}"
    member.hear(words, f"{number}", "stakeholder", "INFORM", beliefs=[])
    made = Request(
        f"REQ-{number}", f"MSG-{number}", "stakeholder", act, words, operation, slots,  # type: ignore[arg-type]
        created_at=agent.now(), **more,
    )  # fmt: skip
    agent.requests.save(made)
    return made.id


def status(member: Member, request_id: str) -> str:
    return member.handle.requests.one(request_id).status


def campaigns(member: Member) -> list[tuple[str, float, int, str]]:
    return [
        (one.channel, one.weekly_budget_usd, one.weeks, one.status) for one in member.world.business.campaigns.all()
    ]


def said(member: Member) -> str:
    return member.world.services.inbox("stakeholder").messages()[-1].content


def test_an_order_above_the_autonomy_waits_and_is_done_after_the_yes(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots=CAMPAIGN)
    cmo.cycle()
    assert status(cmo, order) == "underway"
    assert campaigns(cmo) == []
    (question,) = cmo.world.questions()
    assert question.cost == 450
    assert question.id in said(cmo)
    cmo.world.answer("approve")
    cmo.cycle()
    assert [one[:3] for one in campaigns(cmo)] == [("search", 150.0, 3)]
    assert status(cmo, order) == "done"
    assert "$450" in said(cmo)
    (goal,) = [one for one in cmo.mind.goals if one.request_id == order]
    assert goal.status == "achieved"


@pytest.mark.parametrize("who", ["smb", "small businesses"])
def test_a_campaign_addresses_whom_the_order_names(cmo: Member, who: str) -> None:
    cmo.cycle(f"Start a search campaign for {who}, 50 dollars a week for 2 weeks.")
    assert [one.segment for one in cmo.world.business.campaigns.all()] == [who]


def test_a_rejected_order_is_not_done_and_nothing_says_so(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots=CAMPAIGN)
    cmo.cycle()
    cmo.world.answer("reject")
    cmo.cycle()
    assert (status(cmo, order), campaigns(cmo), cmo.world.questions()) == ("failed", [], [])
    assert "rejected" in said(cmo)


def test_a_correction_withdraws_the_question_and_asks_about_the_new_value(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots=CAMPAIGN)
    cmo.cycle()
    ask(cmo, "correction", refers_to=order, slots={"weekly_budget_usd": 140.0, "channel": "social"})
    cmo.cycle()
    (question,) = cmo.world.questions()
    assert question.cost == 420
    assert "$140" in said(cmo)
    cmo.world.answer("approve")
    cmo.cycle()
    assert [one[:3] for one in campaigns(cmo)] == [("social", 140.0, 3)]


def test_what_is_missing_is_asked_for_and_the_answer_goes_on(cmo: Member) -> None:
    known = {name: value for name, value in CAMPAIGN.items() if name != "weeks"}
    order = ask(cmo, "order", "ad_campaign_create", slots=known, missing=("weeks",))
    cmo.cycle()
    assert status(cmo, order) == "asking"
    assert "weeks" in said(cmo)
    ask(cmo, "answer", refers_to=order, slots={"weeks": 1})
    cmo.cycle()
    assert [one[:3] for one in campaigns(cmo)] == [("search", 150.0, 1)]
    assert status(cmo, order) == "done"


def test_a_withdrawn_order_stops_what_was_booked(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots={**CAMPAIGN, "weeks": 1})
    cmo.cycle()
    ask(cmo, "withdrawal", sentence="Forget it.", refers_to=order)
    cmo.cycle()
    for question in cmo.world.questions():
        cmo.world.answer("approve", question.id)
        cmo.cycle()
    assert [one[3] for one in campaigns(cmo)] == ["stopped"]


def test_an_open_order_that_is_withdrawn_leaves_no_question_behind(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots=CAMPAIGN)
    cmo.cycle()
    ask(cmo, "withdrawal", sentence="Forget it.", refers_to=order)
    cmo.cycle()
    assert (status(cmo, order), campaigns(cmo), cmo.world.questions()) == ("withdrawn", [], [])


def test_work_for_a_person_is_done_when_a_person_says_so_and_not_before(cmo: Member) -> None:
    task = ask(
        cmo, "order", "task", "Prepare the kit list", slots={"text": "prepare the kit list", "deadline": "2026-03-06"}
    )
    cmo.cycle()
    cmo.cycle()
    assert status(cmo, task) == "underway"
    (goal,) = [one for one in cmo.mind.goals if one.request_id == task]
    assert (goal.status, goal.deadline[:10]) == ("active", "2026-03-06")


def test_an_order_survives_a_restart_between_question_and_answer(cmo: Member) -> None:
    order = ask(cmo, "order", "ad_campaign_create", slots=CAMPAIGN)
    cmo.cycle()
    cmo.world.answer("approve")
    cmo.world.restart()
    cmo.cycle()
    cmo.cycle()
    assert [one[:3] for one in campaigns(cmo)] == [("search", 150.0, 3)]
    assert status(cmo, order) == "done"


def test_a_cap_stops_a_dearer_order_until_the_owner_decides(cmo: Member) -> None:
    ask(cmo, "standing", "cap", slots={"amount": 100.0, "per": "week", "operations": ["ad_campaign_create"]})
    cmo.cycle()
    ask(cmo, "order", "ad_campaign_create", slots={**CAMPAIGN, "weeks": 1})
    cmo.cycle()
    (question,) = cmo.world.questions()
    assert "INS-1" in question.reasons[0]
    assert "$100 a week" in question.reasons[0], "the limit as it was read"
    assert campaigns(cmo) == []
    ask(cmo, "correction", refers_to="REQ-2", slots={"weekly_budget_usd": 95.0})
    cmo.cycle()
    assert [one[:2] for one in campaigns(cmo)] == [("search", 95.0)]
    assert cmo.world.questions() == []


def test_whom_the_owner_excludes_gets_no_letter_from_anybody_until_the_rule_is_lifted(cmo: Member) -> None:
    world = cmo.world
    world.do("crm_create_contact", email="ada@quill.example", name="Ada", tags=["member"])
    world.do("crm_create_contact", email="dee@marlow.example", name="Dee", company="Marlow & Sons", tags=["member"])
    ask(cmo, "standing", "forbid", "Never write to anybody at Marlow & Sons.", slots={"who": "Marlow & Sons"})
    cmo.cycle()
    letter = {"subject": "Club night", "text": "On Thursday."}
    assert world.agent("ceo").ask("email_send", to="dee@marlow.example", **letter).code == "refused"
    world.do("email_send", list="member", **letter)
    sent = [one.to for one in world.business.mailings.letters.all() if one.status == "sent"]
    assert sent == ["ada@quill.example"]
    ask(cmo, "standing", "lift", slots={"who": "Marlow"})
    cmo.cycle()
    world.do("email_send", to="dee@marlow.example", **letter)
    assert len([one for one in world.business.mailings.letters.all() if one.status == "sent"]) == 2
