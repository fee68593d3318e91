"""A letter that its sender wants to see first, and rules about a tag: nothing leaves before the owner's yes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.tools.requests.records import section
from tests.world import World

ORDER = (
    "This goes to everybody tagged 'rower'. Subject: Slipway. Text: The slipway is shut on 9 March. "
    "Don't send it till I've had a look."
)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "w", template="retail", at=datetime(2027, 3, 1, 9, tzinfo=UTC)) as world:
        for name, tags in (("Ada Pell", ["rower"]), ("Bo Lunn", ["rower", "junior"]), ("Cy Orr", ["coach"])):
            address = f"{name.split()[0].lower()}@club.example"
            world.do("crm_create_contact", email=address, name=name, tags=tags, business_id="acme")
        yield world


def sent_to(world: World) -> set[str]:
    return {one.to for one in world.business.mailings.letters.all() if one.status == "sent"}


def test_a_letter_waits_for_the_look_that_was_asked_for(club: World) -> None:
    club.agent("cmo").cycle(ORDER)
    assert not sent_to(club)
    (decision,) = [one for one in club.services.decisions("acme").all() if one.open]
    assert (decision.action or {})["tool"] == "email_campaign"


def test_a_letter_goes_to_an_address_that_only_the_order_names(club: World) -> None:
    club.agent("cmo").cycle("Write a letter to di@boats.example: the slipway is open again.")
    (decision,) = [one for one in club.services.decisions("acme").all() if one.open]
    letter = (decision.action or {})["arguments"]
    assert (letter["to"], letter["subject"]) == ("di@boats.example", "The slipway is open again")
    assert letter["text"].startswith("Good day,\n\nThe slipway is open again.")


def test_a_ban_on_a_tag_keeps_its_contacts_out_of_letters(club: World) -> None:
    club.agent("cmo").cycle("Please do not ever e-mail the contacts tagged 'junior'. Their parents complained.")
    assert not sent_to(club)
    (rule,) = club.business.instructions.all()
    assert (rule.kind, rule.who) == ("forbid", "junior")
    club.agent("cmo").cycle(ORDER)
    (decision,) = [one for one in club.services.decisions("acme").all() if one.open]
    assert (decision.action or {})["arguments"]["to"] == "ada@club.example"


def test_the_same_letter_for_others_has_their_readers_and_their_day(club: World) -> None:
    first = (
        "Could you write to all rowers? The boats are checked on 9 March 2027. Don't send it yet, I'd like to read it."
    )
    club.agent("cmo").cycle(first)
    club.agent("cmo").cycle("The same for the coaches please, only that there it's 16 March.")
    waiting = [(one.action or {})["arguments"] for one in club.services.decisions("acme").all() if one.open]
    assert len(waiting) == 2
    assert [("16 March" in one["text"], "9 March" in one["text"]) for one in waiting] == [(False, True), (True, False)]
    assert not any(goal.status == "achieved" for goal in club.agent("cmo").mind.goals), "no draft exists yet"


def draft_recipients(world: World) -> set[str]:
    return {to for one in section(world.agent("cmo").handle, "drafts") for to in one["to"]}


def test_a_number_of_readers_is_checked_against_the_contacts_there_are(club: World) -> None:
    order = "Draft a letter to the {} rowers. Subject: Slipway. Text: The slipway is shut on 9 March."
    club.agent("cmo").cycle(order.format("three"))
    assert not draft_recipients(club), "two contacts are rowers"
    club.agent("cmo").cycle(order.format("two"))
    assert draft_recipients(club) == {"ada@club.example", "bo@club.example"}


def test_a_letter_to_somebody_of_whom_the_owner_wants_to_be_asked_waits_for_that_reason(club: World) -> None:
    club.agent("cmo").cycle("From now on nobody writes to Cy Orr without asking me first.")
    club.agent("cmo").cycle("Write to all rowers and coaches. Subject: Slipway. Text: The slipway is shut on 9 March.")
    (rule,) = club.business.instructions.all()
    (decision,) = [one for one in club.services.decisions("acme").all() if one.open]
    assert not sent_to(club)
    assert (rule.kind, rule.who) == ("ask_first", "Cy Orr")
    assert rule.id in decision.description


def test_an_agent_that_writes_no_letters_tells_everybody_in_the_house(club: World) -> None:
    ceo = club.agent("ceo")
    ceo.cycle("Let everybody know that the heating is off on Friday.")
    others = [one for one in club.services.agents() if one != "ceo"]
    told = [one for one in others if any("heating" in m.content for m in club.services.inbox(one).messages())]
    assert told == others
    assert not sent_to(club)
    assert not draft_recipients(club)
