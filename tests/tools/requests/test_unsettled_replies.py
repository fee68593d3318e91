"""Mails, conditions and wishes: nothing is done before the owner says so, and every answer gets a reply."""

import pytest

from mabos.tools.requests.records import section
from tests.tools.requests.test_orders import said
from tests.world import Member

MAIL = (
    "From: Olga Brandt <olga@brandt.example>\nDate: Mon, 1 Mar 2027\nSubject: Rack\n\n"
    "Could you repair the rack before 20 December? I can pay 310 dollars.\nOlga"
)
IF = "If bookings drop under 10, set up a work package 'Flyers', 90 dollars, by 20 December."


def replies(member: Member) -> int:
    return len(member.world.services.inbox("stakeholder").messages())


def packages(member: Member) -> list[tuple[str, float]]:
    return [(one.title, one.budget_usd) for one in member.world.business.workforce.packages.all()]


def test_a_passed_on_mail_writes_to_nobody_and_becomes_what_the_owner_says(coo: Member) -> None:
    coo.world.do("crm_create_contact", name="Olga Brandt", email="olga@brandt.example")
    coo.cycle(MAIL)
    assert not section(coo.handle, "letters")
    assert "Olga Brandt" in said(coo)
    assert "20 December" in said(coo)
    coo.cycle("Make a job of that, with her budget and her date.")
    assert packages(coo) == [("Rack", 310.0)]
    assert [one.status for one in coo.handle.requests.all()] == ["answered", "done"]


def test_an_order_under_a_condition_is_done_after_the_yes_alone(coo: Member) -> None:
    coo.cycle(IF)
    assert packages(coo) == []
    coo.cycle("Yes, do it now.")
    assert packages(coo) == [("Flyers", 90.0)]


def test_what_was_read_back_is_done_after_a_yes_and_after_nothing_else(coo: Member) -> None:
    coo.cycle("we need a job opened: gutter cleaning, 240 dollars by friday")
    for answer in ("maybe later", "l", "hm"):
        coo.cycle(answer)
        assert packages(coo) == []
    coo.cycle("yes please")
    assert [cost for _, cost in packages(coo)] == [240.0]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (MAIL, "Hm, whatever suits."),
        (MAIL, "Yes."),
        (MAIL, "No, leave it."),
        (IF, "Hm, whatever suits."),
        ("The monthly pass has to go up by five percent.", "Hm, whatever suits."),
        ("The monthly pass has to go up by five percent.", "Yes."),
    ],
)
def test_an_answer_that_says_nothing_to_do_gets_a_reply(coo: Member, first: str, then: str) -> None:
    coo.cycle(first)
    before = replies(coo)
    coo.cycle(then)
    assert replies(coo) == before + 1
    assert packages(coo) == []


def test_a_reading_is_shown_in_plain_words(coo: Member) -> None:
    coo.cycle("The boat ramp must be cleared before 20 December, budget 450 dollars.")
    assert packages(coo) == []
    assert "set up a work package" in said(coo)
    assert "$450" in said(coo)
    assert "[" not in said(coo)
    coo.cycle("Yes.")
    assert [budget for _, budget in packages(coo)] == [450.0]


def test_a_mail_that_is_to_be_left_alone_is_settled(coo: Member) -> None:
    coo.cycle(MAIL)
    coo.cycle("No, leave it.")
    assert not [one for one in coo.handle.requests.all() if one.is_open]
