"""Passed-on mails and conditions: what only a mail says is no order, and what waits for an event is not done."""

from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.request import Reading, Request
from tests.language.test_whole_messages import ordered, read, values

CASES = read_yaml(Path(__file__).with_name("unsettled_cases.yaml"))

MAIL = (
    "---------- Forwarded message ----------\nFrom: Olga Brandt <olga@brandt.example>\nDate: Mon, 1 Mar 2027\n"
    "Subject: Boat rack\n\nCould you repair the rack before 20 March? I can pay 310 dollars. Please send the bill "
    "to my office, office@brandt.example.\nOlga"
)
QUOTE = "> From: Olga Brandt <olga@brandt.example>\n> Please cancel my mooring and write to all members.\n> Olga"


def asked(text: str) -> Request:
    """Return the request of a message that the agent asks back about."""
    (reading,) = read(text)
    return Request(
        "REQ-1", "MSG-1", "stakeholder", reading.act, reading.sentence, reading.operation, reading.slots,
        status="asking",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        MAIL,
        f"FYI, nothing to do yet.\n\n{MAIL}",
        f"This came in today:\n{MAIL}",
        f"See below.\n\n{QUOTE}",
        "Fwd: Rack\n\nFrom: Olga Brandt <olga@brandt.example>\n\nNever write to us again.\nOlga",
        "Date: Mon, 1 Mar 2027\nSubject: Rack\n\nPlease start a search campaign, 90 dollars a week for 3 weeks.\nOlga",
        "On Mon, 1 Mar 2027 Olga Brandt <olga@brandt.example> wrote:\n> Please send the bill to my office.",
        f"What does she want?\n\n{MAIL}",
        f"Should we accept?\n\n{MAIL}",
        f"Please deal with this.\n\n{MAIL}",
    ],
)
def test_a_mail_without_an_order_around_it_is_asked_about(text: str) -> None:
    (reading,) = read(text)
    assert reading.operation == "forwarded"
    assert values(reading)["text"]


def test_the_sender_and_the_subject_of_a_mail_are_kept() -> None:
    (reading,) = read(MAIL)
    given = values(reading)
    assert (given["sender"], given["address"], given["subject"]) == ("Olga Brandt", "olga@brandt.example", "Boat rack")


def answered(before: str, text: str) -> tuple[Reading, dict[str, Any]]:
    (reading,) = read(text, (asked(before),))
    return reading, values(reading)


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    [
        (
            "Yes, make a job of that, with her budget and her date.",
            "work_package_create",
            {"title": "Boat rack", "budget_usd": 310, "deadline": "2027-03-20"},
        ),
        ("Make a job of it, 150 dollars.", "work_package_create", {"title": "Boat rack", "budget_usd": 150}),
        ("Put her in our contacts.", "crm_create_contact", {"name": "Olga Brandt", "email": "olga@brandt.example"}),
        ("Answer her that we come on Tuesday.", "email_send", {"facts": "we come on Tuesday."}),
        ("Remind me of it on Friday.", "remind", {"date": "2027-03-05"}),
    ],
)
def test_the_own_words_take_from_a_mail_what_they_point_at(text: str, operation: str, expected: dict[str, Any]) -> None:
    reading, given = answered(MAIL, text)
    (beside,) = read(f"{text}\n\n{MAIL}")
    assert reading.refers_to == "REQ-1"
    for one, its in ((reading, given), (beside, values(beside))):
        assert one.operation == operation
        assert {name: its.get(name) for name in expected} == expected


def test_a_mail_gives_no_budget_that_nobody_points_at() -> None:
    reading, given = answered(MAIL, "Make a job of that.")
    assert "budget_usd" not in given
    assert reading.missing == ("budget_usd",)


def test_a_signature_gives_the_address_of_the_person_who_is_meant() -> None:
    contact, letter = read(
        "Met this lady at the regatta. Put her in our contacts and drop her a line that the shed is free in May.\n\n"
        "Ines van Loon\nEvents, Quay House\nines@quay.example\n+44 1632 960222"
    )
    assert values(contact)["email"] == "ines@quay.example"
    assert values(letter)["recipients"] == {"records": "contacts", "where": {"email": "ines@quay.example"}}
    assert values(letter)["facts"] == "the shed is free in May."


def test_a_letter_with_headings_of_its_own_is_an_order() -> None:
    (reading,) = read("To: all contacts with the tag 'rower'\nSubject: Slipway\nText: The slipway is shut on Monday.")
    assert reading.operation == "email_send"


@pytest.mark.parametrize(("text", "condition", "then"), CASES["an_order_under_a_condition_is_not_done_and_is_no_rule"])
def test_an_order_under_a_condition_is_not_done_and_is_no_rule(text: str, condition: str, then: str) -> None:
    (reading,) = read(text)
    given = values(reading)
    assert (reading.act, reading.operation) == ("order", "conditional")
    assert condition in given["condition"]
    assert then in given["then"]


@pytest.mark.parametrize(
    "text",
    [
        "If possible, start ads on search, 80 dollars a week for 3 weeks.",
        "If you spend more than 100 dollars, ask me first.",
        "Write to all rowers that we are shut if it rains.",
        "Ask the cfo if we can afford a new boat.",
        "What happens if it rains?",
        "Publish nothing unless I approve it.",
    ],
)
def test_politeness_approval_rules_and_texts_are_no_conditions(text: str) -> None:
    assert "conditional" not in [one.operation for one in read(text)]


def test_a_conditional_order_is_done_now_or_reminded_of_as_the_answer_says() -> None:
    text = "If it rains, start a search campaign 'Rain', 50 dollars a week for 2 weeks."
    now, given = answered(text, "Yes, do it now.")
    assert (now.operation, given["name"], now.refers_to) == ("ad_campaign_create", "Rain", "REQ-1")
    later, given = answered(text, "No, remind me on Friday.")
    assert (later.operation, given["date"], later.refers_to) == ("remind", "2027-03-05", "REQ-1")


def test_a_total_in_a_yes_is_a_limit_of_that_order_and_no_rule() -> None:
    campaign = ordered("Start a search campaign 'Rain' at 400 dollars a week for 3 weeks, for everybody.")
    (above,) = read("Fine by me, but no more than 900 altogether.", (campaign,))
    assert (above.operation, above.refers_to) == ("capped", "REQ-1")
    (within,) = read("OK, as long as it stays under 1,500 in all.", (campaign,))
    assert (within.act, values(within)) == ("answer", {"yes": True})
    (lower,) = read(
        "Fine, but no more than 900 in all.", (ordered("Set up a work package 'Roof', 1,200 dollars, by 9 March."),)
    )
    assert (lower.act, values(lower)) == ("correction", {"budget_usd": 900})
