"""Messages whose values are spread over several sentences: orders, corrections, withdrawals, and what is none."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.catalogue import operation_named
from mabos.language.interpreter import Context, Vocabulary
from mabos.language.letter_text import letter_end
from mabos.language.request import Reading, Request
from mabos.language.rule_interpreter import RuleInterpreter
from mabos.language.times import times_in
from mabos.tools.catalogue.registry import registry

CASES = read_yaml(Path(__file__).with_name("test_whole_messages_cases.yaml"))

NOW = datetime.fromisoformat("2027-03-01T09:00:00+00:00")  # a Monday
VOCABULARY = Vocabulary(
    metrics=("takings", "visitors"),
    tags=("rower", "coach", "choir"),
    companies=("Pell & Daughter",),
    names={"Ada Pell": "contacts/CON-1"},
)


@cache
def operations() -> tuple[Any, ...]:
    return tuple(operation_named(row["name"], row["summary"], row["schema"]) for row in registry().rows())


def context(earlier: Sequence[Request] = (), vocabulary: Vocabulary = VOCABULARY) -> Context:
    return Context(NOW, operations(), {"cfo": "cfo"}, vocabulary, tuple(earlier))


def read(text: str, earlier: Sequence[Request] = (), vocabulary: Vocabulary = VOCABULARY) -> tuple[Reading, ...]:
    return RuleInterpreter().read(text, context(earlier, vocabulary))


def ordered(text: str) -> Request:
    """Return the request of an order that is under way, or that asks for what is missing."""
    (reading,) = read(text)
    status: Any = "asking" if reading.missing else "underway"
    return Request(
        "REQ-1", "MSG-1", "stakeholder", reading.act, reading.sentence, reading.operation, reading.slots,
        reading.missing, confidence=reading.confidence, status=status,
    )  # fmt: skip


def values(reading: Reading) -> dict[str, Any]:
    return {slot.name: slot.value for slot in reading.slots}


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    CASES["orders"],
)
def test_an_order_takes_its_values_from_all_its_sentences(text: str, operation: str, expected: dict[str, Any]) -> None:
    (reading,) = read(text)
    assert (reading.act, reading.operation, reading.missing) == ("order", operation, ())
    assert expected.items() <= values(reading).items()
    assert reading.confidence >= 0.5


def test_two_orders_of_one_message_keep_their_own_values() -> None:
    first, second = read(
        "Two campaigns for the club, both for everybody. The first is on search, 'Learn to row', 60 dollars a week for "
        "four weeks. The other is on events, 'Boat show', 35 a week, two weeks."
    )
    assert [values(one)["name"] for one in (first, second)] == ["Learn to row", "Boat show"]
    assert [values(one)["weekly_budget_usd"] for one in (first, second)] == [60, 35]
    assert [values(one)["weeks"] for one in (first, second)] == [4, 2]


@pytest.mark.parametrize(
    "text",
    [
        "Is there a work package 'Pontoon chains' for 270 dollars by 19 March?",
        "The work package 'Pontoon chains' was 270 dollars and done by 19 March.",
        "I booked the campaign 'Regatta day' on social at 45 dollars a week for three weeks myself.",
        "Please never write to anybody tagged 'rower' again. They have complained.",
        "As a rule, check with me before you spend more than 200 dollars on a work package.",
    ],
)
def test_questions_reports_and_rules_with_the_values_of_an_order_are_no_orders(text: str) -> None:
    assert all(reading.act != "order" for reading in read(text))


def test_an_amount_without_a_place_is_read_back() -> None:
    (reading,) = read("Create a work package 'Oars' for 90 dollars by 9 March. Add 40 dollars for varnish.")
    assert reading.confidence < 0.5


@pytest.mark.parametrize(
    ("order", "text", "changed"),
    CASES["corrections"],
)
def test_a_correction_replaces_only_the_value_of_its_kind(order: str, text: str, changed: dict[str, Any]) -> None:
    (reading,) = read(text, (ordered(order),))
    assert (reading.act, reading.refers_to) == ("correction", "REQ-1")
    assert values(reading) == changed


def test_a_day_of_a_letter_that_has_two_is_not_guessed() -> None:
    letter = ordered(
        "E-mail everyone tagged 'rower'. Subject: Slipway. Text: Shut from 8 March to 12 March. I want to see it first."
    )
    assert not any("text" in values(one) for one in read("Sorry, wrong day. It's 15 March.", (letter,)))


@pytest.mark.parametrize(
    ("order", "text"),
    [
        ("Remind me on 22 March about the fire blankets.", "The fire blankets are here, so cancel that nudge."),
        (
            "Create a work package 'Oars', 90 dollars, by 9 March.",
            "My brother has oars to spare. Call the work package off.",
        ),
    ],
)
def test_a_withdrawal_may_say_why(order: str, text: str) -> None:
    (reading,) = read(text, (ordered(order),))
    assert (reading.act, reading.refers_to) == ("withdrawal", "REQ-1")


def test_an_answer_is_found_beside_other_words() -> None:
    asking = ordered("Start a campaign 'Regatta' on social for everybody, three weeks long.")
    (reading,) = read("Oh, of course. Let's say 45 dollars a week.", (asking,))
    assert (reading.act, values(reading), reading.missing) == ("answer", {"weekly_budget_usd": 45}, ())


def test_a_regular_report_is_left_out_once() -> None:
    duty = ordered("Every Tuesday send me the takings and the visitors.")
    (reading,) = read("We're closed. Skip the report on 9 March and carry on as usual on the 16th.", (duty,))
    assert values(reading) == {"left_out": ["2027-03-09"]}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We row at 6. Show me first, please.", "We row at 6."),
        ("We row at 6. Please bring a coat.", "We row at 6. Please bring a coat."),
        ("We row at 6. I'd like to look it over before it goes.", "We row at 6."),
    ],
)
def test_the_text_of_a_letter_ends_before_words_to_its_writer(text: str, kept: str) -> None:
    assert text[: letter_end(text)] == kept


@pytest.mark.parametrize(
    ("text", "iso"),
    [("a week before 1 April", "2027-03-25"), ("two days before 20 March", "2027-03-18"), ("9 am on 13 March", "")],
)
def test_days_are_counted_from_a_day(text: str, iso: str) -> None:
    found = [one.iso for one in times_in(text, NOW) if one.day]
    assert found == [iso] if iso else found


@pytest.mark.parametrize(
    ("text", "found"),
    CASES["messages"],
)
def test_each_part_of_a_message_is_read_as_what_it_is(text: str, found: Sequence[str]) -> None:
    assert [one.operation or one.act for one in read(text)] == found
