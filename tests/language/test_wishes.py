"""Wishes, days and repetitions: what is wanted, by which day, and to whom once more."""

from dataclasses import replace

import pytest

from tests.language.test_whole_messages import ordered, read, values


@pytest.mark.parametrize(
    "text",
    [
        "The oven hood needs a deep clean before the 20th, up to 450 dollars. Please get that moving.",
        "The boat ramp must be cleared before 20 March, budget 450 dollars.",
    ],
)
def test_work_that_is_wanted_for_an_amount_is_a_work_package_that_is_read_back(text: str) -> None:
    (reading,) = read(text)
    assert reading.operation == "work_package_create"
    assert (values(reading)["budget_usd"], values(reading)["deadline"]) == (450, "2027-03-20")
    assert reading.confidence < 0.5


def test_a_statement_that_something_must_change_is_asked_about() -> None:
    (reading,) = read("The monthly pass has to go up by five percent.")
    assert (reading.act, reading.operation) == ("order", "wish")


@pytest.mark.parametrize("text", ["The plumber had to come twice.", "The pontoon has arrived."])
def test_news_stays_news(text: str) -> None:
    assert "wish" not in [one.operation for one in read(text)]


def test_a_month_in_which_something_is_so_is_no_deadline() -> None:
    assert all("deadline" not in values(one) for one in read("'Hop' sounds daft in October. Call it 'Jig'."))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("It can't be done before the 27th. Change that.", "2027-11-27"),
        ("Make it the 10th.", "2027-11-10"),
        ("Make it the 27th of March.", "2027-03-27"),
    ],
)
def test_a_bare_day_in_a_correction_is_in_the_month_of_the_day_it_replaces(text: str, day: str) -> None:
    (reading,) = read(text, (ordered("Set up a work package 'Van check', 300 dollars, by 20 November."),))
    assert (reading.act, values(reading)) == ("correction", {"deadline": day})


def test_the_same_to_a_known_contact_is_the_same_letter() -> None:
    first = replace(ordered("Write to rowers that the lesson is on Friday."), status="done")
    (reading,) = read("And the same to Ada Pell.", (first,))
    assert (reading.act, reading.operation) == ("order", "email_send")
    assert values(reading)["recipients"] == {"records": "contacts", "where": {"name": "Ada Pell"}}


def test_the_same_to_somebody_else_goes_to_nobody_of_the_first_letter() -> None:
    first = replace(ordered("Write to Ada Pell that the lesson is on Friday."), status="done")
    (reading,) = read("And the same to Sian Carey.", (first,))
    assert reading.operation == "email_send"
    assert "recipients" not in values(reading)
    assert reading.missing == ("recipients",)
    assert values(reading)["facts"] == "the lesson is on Friday."


@pytest.mark.parametrize(
    "text",
    [
        "Let me know why we have fewer guests every Tuesday.",
        "Have the boss look into why fewer guests come on Tuesdays and let me know.",
    ],
)
def test_a_rhythm_inside_a_reason_is_no_rhythm_of_a_report(text: str) -> None:
    assert "report_regularly" not in [one.operation for one in read(text)]


def test_a_delegation_keeps_its_whole_text() -> None:
    (reading,) = read("Have the CFO look into why fewer guests come on Tuesdays and let me know.")
    assert values(reading) == {
        "to": "cfo", "text": "look into why fewer guests come on Tuesdays and let me know",
    }  # fmt: skip


def test_a_regular_report_stays_one() -> None:
    (reading,) = read("Every Tuesday send me the takings and the visitors.")
    assert reading.operation == "report_regularly"
