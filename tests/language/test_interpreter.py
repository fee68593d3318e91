"""What a person's message is read as, without a chat model: sentences, acts, conversation and rules."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.classifier import classify
from mabos.language.interpreter import Context, Vocabulary
from mabos.language.request import Reading, Request
from mabos.language.rule_interpreter import RuleInterpreter
from mabos.language.tagger import tag

CASES = read_yaml(Path(__file__).with_name("test_interpreter_cases.yaml"))
NOW = datetime(2026, 11, 10, 9, tzinfo=UTC)
READER = RuleInterpreter()
WORDS = Vocabulary(tags=("member", "customer"), companies=("Hill & Co",), fields={"city": ("Leeds", "York")})


def conversation(*messages: str) -> list[Reading]:
    """Return the reading of each message, with the requests of the earlier ones on record, changed as they say."""
    earlier: list[Request] = []
    readings = []
    for number, message in enumerate(messages, start=1):
        (reading,) = READER.read(message, Context(NOW, vocabulary=WORDS, earlier=tuple(reversed(earlier))))
        readings.append(reading)
        names = {slot.name for slot in reading.slots}
        if reading.act in ("correction", "answer"):
            earlier = [
                replace(one, slots=(*(x for x in one.slots if x.name not in names), *reading.slots), status="underway")
                if one.id == reading.refers_to
                else one
                for one in earlier
            ]
        earlier.append(request(reading, number))
    return readings


def request(reading: Reading, number: int) -> Request:
    """Return the request that is kept of a reading."""
    status: Any = {"order": "asking" if reading.missing else "underway", "standing": "standing"}.get(
        reading.act, "answered"
    )
    return Request(
        f"REQ-{number}", "MSG-1", "owner", reading.act, reading.sentence, reading.operation, reading.slots,
        reading.missing, reading.refers_to, reading.confidence, status=status,
    )  # fmt: skip


def values(reading: Reading) -> dict[str, Any]:
    return {slot.name: slot.value for slot in reading.slots}


def acts(text: str) -> list[str]:
    return [reading.act for reading in READER.read(text, Context(NOW))]


SCRIPTS = Path(__file__).parents[2] / "scripts"
SHARES = [("speech_acts", 0.76), ("question_topics", 0.84), ("order_kinds", 0.71), ("order_clauses", 0.84)]


@pytest.mark.parametrize(("name", "least"), SHARES)
def test_a_classifier_reads_voices_that_it_was_not_trained_on(name: Any, least: float) -> None:
    lines = (SCRIPTS / f"{name}_unseen.tsv").read_text("utf-8").splitlines()
    said = [(one[0], classify(name.rpartition("_")[2], one[1])) for line in lines if len(one := line.split("\t")) == 2]
    assert sum(shares[label] == max(shares.values()) for label, shares in said) / len(said) >= least


def test_most_parts_of_orders_are_found_in_a_voice_that_the_tagger_was_not_trained_on() -> None:
    orders = [json.loads(line) for line in (SCRIPTS / "order_parts_unseen.jsonl").read_text("utf-8").splitlines()]
    hits = 0
    for one in orders:
        found = {(part.words, part.role) for part in tag(one["kind"], one["text"], NOW)}
        hits += sum((words.rstrip(" .,;:!?"), role) in found for words, role in one["marks"])
    assert hits / sum(len(one["marks"]) for one in orders) >= 0.7


@pytest.mark.parametrize(("text", "expected"), CASES["a_message_is_read_as_what_it_does"])
def test_a_message_is_read_as_what_it_does(text: str, expected: list[str]) -> None:
    assert acts(text) == expected


KITES = "Start a campaign 'Kites' on search for everybody, 40 dollars a week for 3 weeks."


@pytest.mark.parametrize(
    ("order", "message", "changed"),
    [
        (KITES, "I wrote search but I meant social. Everything else stays.", {"channel": "social"}),
        (KITES, "ah no, two weeks not three", {"weeks": 2}),
        (KITES, "Not 40, 45.", {"weekly_budget_usd": 45.0}),
        (KITES, "Okay okay, then make it 35 dollars a week.", {"weekly_budget_usd": 35.0}),
        (KITES, "call it 'Dragons' instead", {"name": "Dragons"}),
        ("ping me on 3 dec about the permit", "sorry, the 4th, not the 3rd", {"date": "2026-12-04"}),
        (
            "Every Tuesday send me a note with the bookings and the cash.",
            "From next week add the refunds as well.",
            {"figures": ["bookings", "cash", "refunds"]},
        ),
    ],
)
def test_a_correction_changes_only_what_it_names(order: str, message: str, changed: dict[str, Any]) -> None:
    _, correction = conversation(order, message)
    assert (correction.act, correction.refers_to, values(correction)) == ("correction", "REQ-1", changed)


def test_an_answer_fills_the_slot_that_was_asked_for() -> None:
    order, answer = conversation("Remind me to call the vet.", "on 4 december")
    assert order.missing == ("date",)
    assert (answer.act, answer.refers_to, answer.missing, values(answer)) == (
        "answer",
        "REQ-1",
        (),
        {"date": "2026-12-04"},
    )


def test_the_same_once_more_takes_over_what_is_not_changed() -> None:
    _, again = conversation(KITES, "Great. The same on social, but for five weeks.")
    assert (again.act, again.refers_to) == ("order", "REQ-1")
    assert values(again) == {
        "name": "Kites",
        "channel": "social",
        "segment": "all",
        "weekly_budget_usd": 40,
        "weeks": 5,
    }


def test_a_letter_to_others_keeps_the_rest_of_its_text() -> None:
    letter = "Write to our customers in Leeds. Our van comes on 3 May 2027. Don't send it before I have read it."
    _, again = conversation(letter, "The same for York, but there it's 8 May.")
    assert values(again)["facts"] == "Our van comes on 8 May 2027."
    assert values(again)["recipients"]["where"] == {"tags": "customer", "city": "York"}


def test_a_withdrawal_names_the_order_that_it_means() -> None:
    readings = conversation(KITES, "Remind me on 3 December to call the bank.", "Forget the kites campaign.")
    assert (readings[-1].act, readings[-1].refers_to) == ("withdrawal", "REQ-1")


@pytest.mark.parametrize(("text", "operation", "slots"), CASES["a_rule_says_what_is_forbidden_or_capped"])
def test_a_rule_says_what_is_forbidden_or_capped(text: str, operation: str, slots: dict[str, Any] | None) -> None:
    (rule,) = READER.read(text, Context(NOW, vocabulary=WORDS))
    assert (rule.act, rule.operation) == ("standing", operation)
    assert slots is None or values(rule) == slots


def test_a_rule_ends_with_its_lifting() -> None:
    _, lifted = conversation("Never write to anyone at Hill & Co.", "You may write to Hill & Co again.")
    assert (lifted.act, lifted.operation, lifted.refers_to) == ("standing", "lift", "REQ-1")


def test_what_refers_to_nothing_is_unsure() -> None:
    assert all(READER.read(text, Context(NOW))[0].confidence < 0.5 for text in ("Make it four weeks.", "Forget it."))


def test_one_more_thing_is_a_second_order_and_changes_nothing_of_the_first() -> None:
    _, second = conversation(
        "Create a work package 'Wreaths', 340 dollars, due 11 December.",
        "And one more called 'Garlands', 215 dollars, a week after that.",
    )
    assert (second.act, second.refers_to) == ("order", "")
    assert values(second) | {"description": ""} == {
        "title": "Garlands",
        "budget_usd": 215,
        "deadline": "2026-12-18",
        "description": "",
    }


def test_a_message_of_nothing_but_a_new_value_corrects_the_open_order() -> None:
    _, correction = conversation(KITES, "Oh right. On social then.")
    assert (correction.act, correction.refers_to, values(correction)) == ("correction", "REQ-1", {"channel": "social"})


def test_a_question_for_a_colleague_who_is_named_first_is_put_to_him() -> None:
    (reading,) = READER.read(
        "And from legal I want to know when our permit runs out.", Context(NOW, colleagues={"legal": "Legal"})
    )
    assert values(reading)["questions"] == [{"to": "legal", "question": "when our permit runs out"}]
