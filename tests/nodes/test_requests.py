"""A request that something serves already confirms it; titles and amounts are for readers."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from mabos.mind.model import Desire, Goal, Step
from mabos.mind.templates import StepTemplate, Template, TemplateParameter
from mabos.nodes.perception.messages import title, wish
from mabos.nodes.perception.requests import intent, match_wish
from mabos.nodes.planning.phrasing import drop_repeated_units, for_readers
from mabos.society.figure_words import amount, period, readable
from mabos.society.messages import Message

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
AT, LAST_WEEK, LONG_AGO = "2026-03-02T09:00:00.000Z", "2026-02-24T09:00:00.000Z", "2026-01-05T09:00:00.000Z"
ASKED = "Churn is 8.7% a month. Please reduce churn: find out why customers leave."


def request(number: int, text: str = ASKED, target: str = "", **more: Any) -> Desire:
    metadata = {"target": target} if target else {}
    return wish(Message(f"MSG-{number}", "ceo", "coo", "REQUEST", text, AT, metadata=metadata, **more), AT)


def goal(desire: Desire, **more: Any) -> Goal:
    return Goal("G-1", desire.name, desire_id=desire.id, target=desire.target, updated=AT, **more)


def test_the_same_request_with_other_numbers_is_served_by_the_goal_it_made() -> None:
    first = request(1)
    found = match_wish(request(2, ASKED.replace("8.7", "6.8")), [first], [goal(first)], NOW)
    assert found is not None
    assert found.by == "G-1"
    assert [item.evidence for item in found.changed if isinstance(item, Goal)] == [("MSG-2",)]


def test_a_request_with_the_target_of_a_standing_desire_is_served_by_it_in_any_words() -> None:
    own = Desire("D-1", "Keep churn low", target="churn_rate < 5%")
    found = match_wish(request(2, "Stop the bleeding", "churn_rate  <  5%"), [own], [], NOW)
    assert found is not None
    assert found.by == "D-1"


def test_another_target_or_another_sense_is_something_new() -> None:
    first = request(1, target="churn_rate < 5%")
    assert match_wish(request(2, target="churn_rate < 3%"), [first], [], NOW) is None
    assert match_wish(request(3, "Please review the budget."), [first], [], NOW) is None


def test_a_repetition_makes_a_wish_more_pressing_and_never_less() -> None:
    first = request(1)
    (louder,) = [one for one in _again(first, priority="urgent") if isinstance(one, Desire)]
    assert louder.urgency > first.urgency
    assert _again(first, priority="low") == ()


def _again(first: Desire, **more: Any) -> tuple[Desire | Goal, ...]:
    found = match_wish(request(2, **more), [first], [], NOW)
    assert found is not None
    return found.changed


@pytest.mark.parametrize(("ended", "is_served"), [(LAST_WEEK, True), (LONG_AGO, False)])
def test_what_was_done_a_short_while_ago_still_serves(ended: str, is_served: bool) -> None:
    done = replace(request(1), status="fulfilled")
    reached = replace(goal(done, status="achieved"), updated=ended)
    assert (match_wish(request(2), [done], [reached], NOW) is not None) is is_served


def test_a_dropped_wish_serves_nothing() -> None:
    assert match_wish(request(2), [replace(request(1), status="dropped")], [], NOW) is None


def test_the_intent_of_a_request_is_its_asking_sentence_without_numbers() -> None:
    assert intent("MRR is $26,066. Please win 3 customers.") == intent("MRR is $28,737. please win 5 customers")
    assert intent("Review the 2 budgets") == ("review", "the", "budgets")


def test_a_title_says_what_is_asked_for() -> None:
    assert title(ASKED) == "Reduce churn"
    assert title("Review the budget") == "Review the budget"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (26066.4, "USD/month", "$26,066"), (8.6999, "% a month", "8.7%"), (7.9379, "months", "7.9"),
        (52.25, "USD/month", "$52.25"), (-1200.0, "USD", "-$1,200"), (0.5412, "", "0.54"), (433.0, "customers", "433"),
    ],
)  # fmt: skip
def test_numbers_are_rounded_for_readers(value: float, unit: str, text: str) -> None:
    assert amount(value, unit) == text


def test_what_is_no_number_is_said_as_it_is() -> None:
    assert [readable(text) for text in ("overdue", "2026-01-05", "8.6999%")] == ["overdue", "2026-01-05", "8.7%"]
    assert [period(unit) for unit in ("USD/week", "% a month", "tickets", "USD", "%", "")] == [
        " a week", " a month", " tickets", "", "", "",
    ]  # fmt: skip


def test_a_plan_speaks_in_rounded_numbers_and_reckons_with_exact_ones() -> None:
    step = StepTemplate(id="ask", description="ask", arguments={"content": "LTV is {ltv} dollars"})
    spoken = TemplateParameter.model_validate({"default": "unknown", "from": "belief:ltv"})
    reckoned = TemplateParameter.model_validate({"default": 100, "from": "belief:ltv", "scale": 0.5})
    template = Template(name="t", category="c", summary="s", goals=("g",), steps=(step,),
                        parameters={"ltv": spoken, "budget": reckoned})  # fmt: skip
    bound = for_readers(template, lambda _: "601.1903", lambda _: "USD")
    assert bound.steps[0].arguments == {"content": "LTV is {now:ltv} dollars"}  # read when it is sent
    assert bound.parameters["budget"] == reckoned
    assert drop_repeated_units(Step("ask", arguments={"content": "LTV is $601 dollars"})).arguments == {
        "content": "LTV is $601"
    }
