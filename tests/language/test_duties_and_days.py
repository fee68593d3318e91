"""Regular reports, reminders and questions to colleagues, in wording that says more than one thing."""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.interpreter import Context, Vocabulary
from mabos.language.nth_weekdays import nth_weekdays
from mabos.language.request import Reading, Request, Slot
from mabos.language.rule_interpreter import RuleInterpreter
from mabos.tools.requests.comparing import compare_figures, figure_of

CASES = read_yaml(Path(__file__).with_name("test_duties_and_days_cases.yaml"))

NOW = datetime.fromisoformat("2027-03-01T09:00:00+00:00")  # a Monday
COLLEAGUES = {"cfo": "cfo", "coo": "coo", "hr": "hr", "legal": "legal"}


def read(text: str, earlier: Sequence[Request] = ()) -> tuple[Reading, ...]:
    context = Context(NOW, (), COLLEAGUES, Vocabulary(tags=("rower",)), tuple(earlier))
    return RuleInterpreter().read(text, context)


def values(reading: Reading) -> dict[str, Any]:
    return {slot.name: slot.value for slot in reading.slots}


def duty(**more: Any) -> Request:
    slots = [Slot("rhythm", {"every": "week", "weekday": "Friday"}), Slot("figures", ["loaves", "tips"])]
    return Request("REQ-1", "MSG-1", "stakeholder", "order", "", "report_regularly", tuple(slots), **more)


@pytest.mark.parametrize(("text", "figures", "more"), CASES["beginning_end_and_fallback"])
def test_a_regular_report_has_its_beginning_its_end_and_its_fallback(
    text: str, figures: list[str], more: dict[str, Any]
) -> None:
    (reading,) = read(text)
    given = values(reading)
    assert (reading.operation, given["figures"]) == ("report_regularly", figures)
    assert given["rhythm"]["weekday"] == "Friday"
    assert {name: given.get(name) for name in ("from", "times", "until", "fallback") if name in given} == more


@pytest.mark.parametrize("text", CASES["work_a_question_and_a_custom_are_no_report"])
def test_work_a_question_and_a_custom_are_no_report(text: str) -> None:
    assert "report_regularly" not in [one.operation for one in read(text)]


@pytest.mark.parametrize(("text", "ends"), CASES["a_report_ends_when_it_is_named_and_not_when_one_is_left_out"])
def test_a_report_ends_when_it_is_named_and_not_when_one_is_left_out(text: str, ends: bool) -> None:
    found = [one for one in read(text, [duty(status="standing")]) if one.act == "withdrawal"]
    assert bool(found and found[0].operation == "report_regularly") is ends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On the 27th tell me about the regatta. Not earlier.", [("2027-03-27", "the regatta")]),
        ("Come back to me about the lease on 12 March.", [("2027-03-12", "the lease")]),
        (
            "Remind me on Thursday to fetch the van, and a week later to bring it back.",
            [("2027-03-04", "fetch the van"), ("2027-03-11", "bring it back (fetch the van)")],
        ),
        ("Remind me on the 20th of the deposit and again on the 25th.", [("2027-03-20", "the deposit"),
            ("2027-03-25", "the deposit")]),
        ("Nudge me on 9 March to ring Falk, and two days after that to send him the plan.",
            [("2027-03-09", "ring Falk"), ("2027-03-11", "send him the plan")]),
    ],
)  # fmt: skip
def test_each_day_of_a_message_is_a_reminder_of_its_own(text: str, expected: list[tuple[str, str]]) -> None:
    found = [values(one) for one in read(text) if one.operation == "remind"]
    assert [(one["date"], one["text"]) for one in found] == expected


def test_a_reminder_before_a_deadline_counts_back_from_it_and_the_deadline_is_kept() -> None:
    goal, reminder = read("The accounts must be with the auditor by 30 March, remind me a week before.")
    assert (goal.operation, values(goal)["deadline"]) == ("task", "2027-03-30")
    assert (reminder.operation, values(reminder)["date"]) == ("remind", "2027-03-23")


def test_a_day_after_a_reminder_adds_one_and_changes_none() -> None:
    first = Request("REQ-1", "MSG-1", "stakeholder", "order", "Remind me", "remind", (Slot("date", "2027-03-12"),),
                    status="standing")  # fmt: skip
    (reading,) = read("Also on the 16th, about the fitting.", [first])
    assert (reading.act, values(reading)) == ("order", {"date": "2027-03-16", "text": "the fitting"})


@pytest.mark.parametrize(("words", "day"), CASES["a_weekday_is_counted_within_its_month"])
def test_a_weekday_is_counted_within_its_month(words: str, day: str) -> None:
    assert [found.isoformat() for *_, found in nth_weekdays(words, date(2027, 3, 1))] == [day]


@pytest.mark.parametrize(("text", "asked"), CASES["every_colleague_that_is_named_gets_a_question"])
def test_every_colleague_that_is_named_gets_a_question(text: str, asked: dict[str, str]) -> None:
    (reading,) = read(text)
    assert {one["to"]: one["question"] for one in values(reading)["questions"]} == asked


@pytest.mark.parametrize("text", ["The CFO tells me that we are short.", "Hand the price list to the CFO."])
def test_news_and_an_order_are_no_questions_to_colleagues(text: str) -> None:
    assert "ask_colleagues" not in [one.operation for one in read(text)]


def test_the_last_question_to_colleagues_is_put_again_or_to_others() -> None:
    asked = Slot("questions", [{"to": "coo", "question": "how many oars"}])
    first = Request("REQ-1", "MSG-1", "stakeholder", "order", "Ask", "ask_colleagues", (asked,), status="done")
    for text, to in (("Get it from the CFO too.", "cfo"), ("Ask again please.", "coo")):
        (reading,) = read(text, [first])
        assert values(reading)["questions"] == [{"to": to, "question": "how many oars"}]


def test_answers_with_one_figure_each_are_compared_and_others_are_not() -> None:
    asked = "how many oars"
    (line,) = compare_figures([("the CFO", asked, "Oars: 24 (the list of 3 March)"), ("the COO", asked, "Oars: 21")])
    assert "3 apart" in line
    assert not compare_figures([("the CFO", asked, "Oars: 24"), ("the COO", asked, "I have no record")])
    assert figure_of("12 of 14 oars") is None
