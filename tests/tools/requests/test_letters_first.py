"""A letter that its sender wants to see first, and rules about a tag: nothing leaves before the owner's yes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

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


def test_a_ban_on_a_tag_keeps_its_contacts_out_of_letters(club: World) -> None:
    club.agent("cmo").cycle("Please do not ever e-mail the contacts tagged 'junior'. Their parents complained.")
    assert not sent_to(club)
    (rule,) = club.business.instructions.all()
    assert (rule.kind, rule.who) == ("forbid", "junior")
    club.agent("cmo").cycle(ORDER)
    (decision,) = [one for one in club.services.decisions("acme").all() if one.open]
    assert (decision.action or {})["arguments"]["to"] == "ada@club.example"
