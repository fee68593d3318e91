"""Every restriction in a message is read or asked about before anything happens; a doubtful change stops its order."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.configs.yaml_file import read_yaml
from tests.world import World

KITES = "Start a social campaign 'Kite week' at 90 a week for 3 weeks, for everybody"
RAFTS = "Start a search campaign 'Raft week' at 50 a week for 2 weeks, for everybody."


@pytest.fixture
def club(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "w", template="consulting", at=datetime(2027, 3, 1, 9, tzinfo=UTC)) as world:
        for name, tags in (("Ada Pell", ["rower", "east"]), ("Bo Lunn", ["rower", "west"]), ("Cy Orr", ["coach"])):
            address = f"{name.split()[0].lower()}@club.example"
            world.do("crm_create_contact", email=address, name=name, tags=tags, business_id="acme")
        world.do("stakeholder_profile", approval_threshold_usd=100_000, business_id="acme")
        for agent in ("cmo", "coo", "ceo"):
            world.agent(agent).want_nothing()
        yield world


def campaigns(world: World) -> list[tuple[str, float, str]]:
    return [(one.name, one.weekly_budget_usd, one.status) for one in world.business.campaigns.all()]


def packages(world: World) -> list[tuple[str, str, float | None]]:
    return [(one.title, one.status, one.quality_score) for one in world.business.workforce.packages.all()]


def readers(world: World) -> set[str]:
    return {one.to for one in world.business.mailings.letters.all() if one.status == "sent"}


def say(world: World, agent: str, *messages: str) -> None:
    for message in messages:
        world.agent(agent).cycle(message)


def test_what_was_cancelled_is_told_apart_from_what_is_committed(club: World) -> None:
    say(club, "coo", "Order a work package 'Oars', 200 dollars.", "No, make it 230.", "What did you spend so far?")
    assert "$230 still stands" in club.services.inbox("stakeholder").messages()[-1].content
    say(club, "coo", "work package 'Rope', 70 dollars", "so whats on order n how much is that altogether")
    assert "$300 altogether" in club.services.inbox("stakeholder").messages()[-1].content


@pytest.mark.parametrize(
    ("change", "weeks"), [("Make it one week more.", 4), ("a week less please", 2), ("4 weeks", 4)]
)
def test_weeks_are_added_to_those_that_were_ordered(club: World, change: str, weeks: int) -> None:
    say(club, "cmo", f"{KITES}.", change)
    assert [one.weeks for one in club.business.campaigns.all() if one.status == "recorded"] == [weeks]


def test_a_ban_on_a_person_with_a_title_holds_and_the_same_letter_goes_to_nobody_twice(club: World) -> None:
    say(club, "cmo", "Never write to Mr Pell.", "Send all rowers this letter. Subject: Regatta. Text: It is on 5 May.")
    club.answer("approve", club.questions()[0].id)
    say(club, "cmo", "", "The same letter to him too please.")
    assert [one.to for one in club.business.mailings.letters.all()] == ["bo@club.example"]
    assert club.services.agent("cmo").requests.all()[-1].status == "asking"


@pytest.mark.parametrize(
    ("end", "left"),
    [
        ("Don't remind me of the oars, Bo does that.", ["boats"]),
        ("Cancel the reminder for the 19th.", ["oars"]),
        ("You needn't remind me of the lamps.", ["boats", "oars"]),
        ("Cancel both reminders.", []),
    ],
)
def test_the_reminder_that_is_named_ends_and_no_other(club: World, end: str, left: list[str]) -> None:
    say(club, "coo", "Remind me on 19 March of the boats and on 23 March of the oars.", end)
    kept = [one for one in club.services.agent("coo").requests.all() if one.status == "standing"]
    assert sorted(str(one.slot("text")).split()[-1] for one in kept) == left


def test_a_report_that_is_left_out_once_goes_on(club: World) -> None:
    say(
        club,
        "coo",
        "Every Tuesday send me the boats out.",
        "Leave it out next Tuesday, I'm away. Then go on as before.",
    )
    (duty,) = [one for one in club.services.agent("coo").requests.all() if one.status == "standing"]
    assert duty.slot("left_out") == ["2027-03-09"]


def strict(world: World) -> None:
    """Put everything that costs money before the owner."""
    world.do("stakeholder_profile", approval_threshold_usd=1, business_id="acme")


# --- restrictions ---------------------------------------------------------------


@pytest.mark.parametrize(
    "rest",
    [
        ", but not before 12 April.",
        " from 15 March.",
        ". Only if the ferry runs.",
        ". Nothing may start before the permit is there.",
        ", unless it rains.",
        ". Leave the schools out.",
        ", except on Sundays.",
    ],
)
def test_an_order_with_an_unread_restriction_has_no_effect_before_the_answer(club: World, rest: str) -> None:
    say(club, "cmo", f"{KITES}{rest}")
    assert campaigns(club) == []
    assert club.services.agent("cmo").requests.all()[0].status == "asking"


def test_an_order_goes_on_without_a_restriction_only_after_a_yes(club: World) -> None:
    say(club, "cmo", f"{KITES}, except on Sundays.", "Yes, do it without that.")
    assert campaigns(club) == [("Kite week", 90.0, "recorded")]


@pytest.mark.parametrize(
    "rest",
    [", if you could.", ". We have never advertised before.", ", and no need to aim it at anybody.", ". No rush."],
)
def test_a_remark_or_a_courtesy_stops_no_order(club: World, rest: str) -> None:
    say(club, "cmo", f"{KITES}{rest}")
    assert campaigns(club) == [("Kite week", 90.0, "recorded")]


def test_an_order_that_the_owner_wants_to_approve_waits_for_it(club: World) -> None:
    say(club, "cmo", f"{KITES}. Don't start it until I've said yes.")
    assert campaigns(club) == []
    (question,) = club.questions()
    club.answer("approve", question.id)
    club.agent("cmo").cycle()
    assert campaigns(club) == [("Kite week", 90.0, "recorded")]


@pytest.mark.parametrize("message", ["Pause 'Kite week' on Friday.", "Raise 'Kite week' to 100 a week from 15 March."])
def test_a_change_for_a_later_day_is_not_made_today(club: World, message: str) -> None:
    say(club, "cmo", f"{KITES}.", message)
    assert campaigns(club) == [("Kite week", 90.0, "recorded")]


def test_a_sentence_about_the_readers_is_no_part_of_the_letter(club: World) -> None:
    say(club, "cmo", "Write to all rowers that the slip is shut on Monday. Not to the ones in the west.")
    assert (readers(club), club.questions()) == (set(), [])


# --- doubt ----------------------------------------------------------------------


def test_an_unread_change_takes_the_question_about_its_order_back(club: World) -> None:
    strict(club)
    say(club, "cmo", f"{KITES}.")
    (question,) = club.questions()
    say(club, "cmo", "Kite week can wait until the boats are back.")
    assert club.services.decisions("acme").one(question.id).status == "withdrawn"
    assert (club.questions(), campaigns(club)) == ([], [])
    say(club, "cmo", "Yes, go on with it.")
    assert [one.subject for one in club.questions()] == [question.subject]


def test_the_order_that_is_counted_or_named_is_dropped_and_the_other_stays(club: World) -> None:
    strict(club)
    say(club, "cmo", f"{KITES}.", RAFTS, "Forget the first one.")
    assert ["Raft week" in one.subject for one in club.questions()] == [True]
    say(club, "cmo", f"{KITES}.", "Drop Raft week. The other one stays.")
    assert ["Kite week" in one.subject for one in club.questions()] == [True]


def test_a_letter_is_corrected_by_the_number_of_its_day(club: World) -> None:
    letter = "Send all rowers this letter. Subject: Row. Text: We row on 14 April. I want to see it before it goes."
    say(club, "cmo", letter, "Wait, not the 14th. It's the 15th.")
    (question,) = club.questions()
    club.answer("approve", question.id)
    club.agent("cmo").cycle()
    assert readers(club) == {"ada@club.example", "bo@club.example"}
    assert (question.action or {})["arguments"]["text"] == "We row on 15 April."


def test_a_smaller_order_after_a_no_is_the_same_order_again(club: World) -> None:
    strict(club)
    say(club, "cmo", f"{KITES}.")
    club.answer("reject")
    say(club, "cmo", "", "That was too much. Make it 20 a week, the three weeks stay.")
    club.answer("approve")
    club.agent("cmo").cycle()
    assert campaigns(club) == [("Kite week", 20.0, "recorded")]


# --- what is on record ----------------------------------------------------------


def test_a_budget_is_shared_out_only_where_the_shares_use_it_up(club: World) -> None:
    say(club, "cmo", f"{KITES}.", RAFTS)
    say(club, "cmo", "We have 400 dollars a week for ads. A quarter goes to 'Kite week', the rest to 'Raft week'.")
    assert campaigns(club) == [("Kite week", 100.0, "recorded"), ("Raft week", 300.0, "recorded")]
    say(club, "cmo", "We have 800 dollars a week for ads. A quarter goes to 'Kite week', half to 'Raft week'.")
    assert [weekly for _, weekly, _ in campaigns(club)] == [100.0, 300.0]


def test_work_is_ticked_off_with_its_mark(club: World) -> None:
    say(club, "coo", "Create a work package 'Roof of the boathouse', 300 dollars, by 20 April.")
    say(club, "coo", "Bea has finished the roof of the boathouse. Tick it off, I'd give it 8 out of 10.")
    assert packages(club) == [("Roof of the boathouse", "complete", 0.8)]


def test_a_rule_that_no_gate_can_check_is_put_before_the_owner(club: World) -> None:
    say(club, "cmo", "Never advertise on Sundays.", f"{KITES}.")
    (rule,) = club.business.instructions.all()
    assert (rule.kind, rule.operations, campaigns(club)) == ("ask_first", ("ad_campaign_create",), [])
    (question,) = club.questions()
    assert rule.id in " ".join(question.reasons)


def test_news_reaches_a_colleague_as_it_was_said_and_gives_no_order(club: World) -> None:
    say(club, "ceo", "Let the COO know that the inspector comes on 4 May at 10.")
    (told,) = [one for one in club.services.agent("coo").inbox.messages() if one.sender == "ceo"]
    assert (told.performative, told.content) == ("INFORM", "The inspector comes on 4 May at 10.")


def test_a_report_ends_by_the_words_for_it(club: World) -> None:
    say(club, "coo", "Each Tuesday drop me a line with the visitors and the takings.")
    say(club, "coo", "You can leave off the Tuesday note from now on, the new till prints it. Thank you for all of it!")
    assert club.services.agent("coo").requests.all()[0].status == "withdrawn"


def test_a_project_whose_order_is_not_clear_starts_nothing(club: World) -> None:
    say(
        club,
        "coo",
        "Plan the boathouse as a project: first clear the yard; the winch (work package, 300 dollars) is ordered only "
        "once the floor is dry; then paint the doors.",
    )
    assert packages(club) == []
    assert club.services.agent("coo").requests.all()[0].status == "asking"


@pytest.mark.parametrize(
    ("words", "stopped"),
    [
        ("Scrap the raft week thing, no ads this year.", True),
        ("Please discontinue the raft week campaign, we do not make advertising this year.", True),
        ("Stop the raft week campaign, no sooner than 12 April.", False),
    ],
)
def test_the_reason_of_a_stop_restricts_nothing_and_its_day_does(club: World, words: str, stopped: bool) -> None:
    say(club, "cmo", RAFTS, words)
    assert (campaigns(club)[0][2] == "stopped") is stopped


@pytest.mark.parametrize("talk", read_yaml(Path(__file__).with_name("order_talks.yaml"))["talks"], ids=str)
def test_orders_of_a_conversation_end_in_these_records(club: World, talk: tuple[str, list[str], list[str]]) -> None:
    strict(club)
    for message in talk[1]:
        for question in club.questions() if message == "!" else ():
            club.answer("approve", question.id)
        club.agent(talk[0]).cycle("" if message == "!" else message)
    jobs = club.business.workforce.packages.all()
    found = [f"{one.title} {one.budget_usd:g} {(one.deadline or '')[:10]} {one.status}" for one in jobs]
    found += [
        f"{a.name} {a.channel} {a.weekly_budget_usd:g} {a.weeks} {a.status}" for a in club.business.campaigns.all()
    ]
    found += [f"mail to {reader}" for reader in readers(club)]
    people = club.business.customers.contacts.all()
    found += [f"{one.name} {tag}" for one in people for tag in {"vip", "trial"}.intersection(one.tags)]
    found += [f"{one.kind} {one.who or one.text}" for one in club.business.instructions.all() if one.is_in_force]
    assert sorted(found) == sorted(talk[2])
    assert not [one for one in club.agent(talk[0]).mind.goals if "beagles" in one.description]
