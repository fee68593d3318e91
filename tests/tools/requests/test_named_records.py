"""Questions for the fields of records are answered from the records, of one by its name or of the last spoken of."""

from pathlib import Path
from typing import Any

import pytest

from mabos.tools.requests.answers.entries import entries_of
from mabos.tools.requests.answers.query import read_queries
from mabos.tools.requests.records import section
from tests.world import World

PROFILE: dict[str, Any] = {"approval_threshold_usd": 5000, "risk_tolerance": "moderate"}


class Boatyard:
    """A company with jobs, contractors, contacts and a campaign; questions are put to its COO by the owner."""

    def __init__(self, root: Path) -> None:
        self.world = World(root)
        self.world.do("stakeholder_profile", **PROFILE)
        for name, skill, rate in (("Pavel Novak", "electrics", 38), ("Greta Holm", "electrics", 45)):
            self.world.do("contractor_add", name=name, skills=[skill], hourly_rate_usd=rate)
        for title, budget, deadline in (("Slipway winch", 880, "2026-03-26"), ("Jetty lights", 420, "2026-03-12")):
            fields = {"required_skills": ["electrics"], "budget_usd": budget, "deadline": deadline}
            self.world.do("work_package_create", title=title, description=title, package_id=f"WP-{title[0]}", **fields)
        for name, tag in (("Ada Birch", "waiting-list"), ("Ben Stokes", "member"), ("Cy Marsh", "waiting-list")):
            contact = {"email": f"{name.split()[0].lower()}@row.example", "tags": [tag], "phone": f"555 01{len(name)}"}
            self.world.do("crm_create_contact", name=name, **contact)
        pavel = next(one for one in self.records("contractors") if one["name"] == "Pavel Novak")
        self.world.do("work_package_assign", package_id="WP-J", contractor_id=pavel["id"])

    def records(self, name: str) -> list[dict[str, Any]]:
        """Return the records of a section, as they are now."""
        return section(self.world.agent("coo").handle, name)

    def ask(self, question: str, agent: str = "coo") -> str:
        """Return the reply to a question of the owner."""
        known = {one.id for one in self.world.services.inbox("stakeholder").messages()}
        self.world.agent(agent).cycle(question)
        said = [one for one in self.world.services.inbox("stakeholder").messages() if one.id not in known]
        return "\n".join(one.content for one in said)


@pytest.fixture
def yard(tmp_path: Path) -> Boatyard:
    return Boatyard(tmp_path)


def test_a_field_of_a_named_record_is_that_of_the_record_and_of_no_other(yard: Boatyard) -> None:
    said = yard.ask("When are the jetty lights due?")
    assert "12 March 2026" in said
    assert "26 March" not in said
    assert "$420" in yard.ask("And what may they cost?")
    assert "Pavel Novak" in yard.ask("Who has the jetty lights?")
    assert "$38" in yard.ask("At what rate?"), "who has the work is spoken of then"


def test_the_largest_and_the_first_are_found_over_all_records_of_a_kind(yard: Boatyard) -> None:
    assert yard.ask("Which job is the dearest?").partition("other")[0].count("Slipway winch") == 1
    assert "Jetty lights" in yard.ask("Which one is due first?").partition("other")[0]
    assert "Pavel Novak" in yard.ask("Who is our cheapest electrician?").partition("other")[0]


def test_people_are_selected_by_their_tag_and_counted(yard: Boatyard) -> None:
    said = yard.ask("Names and phone numbers of everybody on the waiting list?")
    assert "Ada Birch" in said
    assert "Cy Marsh" in said
    assert "Ben Stokes" not in said
    assert yard.ask("How many members do we have?").startswith("1 ")


def test_a_word_that_no_record_explains_is_not_passed_over(yard: Boatyard) -> None:
    entries = entries_of(yard.world.agent("coo").handle)
    today = yard.world.clock().date()
    assert read_queries("What do the jetty lights cost?", entries, (), today)
    assert not read_queries("What do the copper pipes for the jetty lights cost?", entries, (), today)
    assert not read_queries("What does the rowing club pay for the winch?", entries, (), today)


def test_it_means_what_was_ordered_last(yard: Boatyard) -> None:
    yard.ask("Create a work package 'Pontoon planks', 310 dollars, by 19 March 2026.")
    assert "19 March 2026" in yard.ask("When is it due?")
    assert "$310" in yard.ask("How much does it cost?")
    assert yard.ask("Is it finished?").startswith("Not yet")


def test_the_rule_of_the_owner_is_told_with_its_sum_and_since_when(yard: Boatyard) -> None:
    yard.ask("Nobody is to spend more than 200 dollars a week on any one campaign.")
    said = yard.ask("What limit is there, and since when?")
    assert "$200 a week" in said
    assert "2 March 2026" in said
    assert "every agent" in yard.ask("Who does it apply to?")
