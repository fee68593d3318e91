"""Orders read without a model: the operation, its slots with their words, and what is missing."""

from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from mabos.configs.yaml_file import read_yaml
from mabos.language.amounts import amounts_in
from mabos.language.catalogue import operation_named
from mabos.language.interpreter import Context, Vocabulary
from mabos.language.orders import operations_of, order
from mabos.language.selectors import selector_in
from mabos.language.times import times_in
from mabos.tools.catalogue.registry import registry

CASES = read_yaml(Path(__file__).with_name("orders_cases.yaml"))

NOW = datetime.fromisoformat("2026-11-09T08:00:00+00:00")  # a Monday
VOCABULARY = Vocabulary(
    metrics=("churn_rate", "members", "cash"),
    tags=("wholesale", "north", "retail", "member", "regular"),
    segments=("smb",),
    companies=("Hay & Daughters", "Inn at Rye"),
    names={"Petra Vane": "contacts/CON-1", "Autumn fair": "campaigns/CAMP-1"},
    fields={"city": ("Bath",), "standing": ("lead", "customer", "prospect")},
)
COLLEAGUES = {role: role for role in ("ceo", "cfo", "cmo", "coo", "cto", "hr", "legal", "strategy", "knowledge")}


@cache
def context() -> Context:
    rows = registry().rows()
    operations = [operation_named(row["name"], row["summary"], row["schema"]) for row in rows]
    return Context(NOW, operations, COLLEAGUES, VOCABULARY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90 bucks a week", (90, "money", "USD", "week", "exactly")),
        ("at most 2.4k", (2400, "count", "", "", "at most")),
        ("half a million", (500_000, "count", "", "", "exactly")),
        ("EUR 1.200,50 per month", (1200.5, "money", "EUR", "month", "exactly")),
        ("two and a half thousand dollars in total", (2500, "money", "USD", "total", "exactly")),
        ("about 3 %", (3, "percent", "", "", "about")),
        ("a weekly budget of 1,200 dollars", (1200, "money", "USD", "week", "exactly")),
    ],
)
def test_amounts_have_unit_rhythm_and_meaning(text: str, expected: tuple[object, ...]) -> None:
    (amount,) = amounts_in(text)
    assert (amount.value, amount.kind, amount.unit, amount.per, amount.meaning) == expected


@pytest.mark.parametrize("text", ["CAMP-1 on the 25th", "at 12:30", "5pm", "one of them", "B2B", "the 2nd half"])
def test_codes_days_and_times_are_no_amounts(text: str) -> None:
    assert not amounts_in(text)


@pytest.mark.parametrize(("text", "iso", "role"), CASES["days_are_read_from_now"])
def test_days_are_read_from_now(text: str, iso: str, role: str) -> None:
    (time,) = times_in(text, NOW)
    assert (time.iso, time.role) == (iso, role)


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("every Monday", {"every": "week", "weekday": "Monday"}),
        ("on the 5th of each month", {"every": "month", "day": 5}),
        ("every other week", {"every": "week", "interval": 2}),
        ("quarterly", {"every": "quarter"}),
    ],
)
def test_rhythms(text: str, every: dict[str, object]) -> None:
    (time,) = times_in(text, NOW)
    assert dict(time.every) == every


@pytest.mark.parametrize(
    ("text", "where", "order_by", "limit"),
    [
        ("our ten largest customers", {"standing": "customer"}, "-won_usd", 10),
        ("the three oldest leads", {"standing": "lead"}, "created_at", 3),
        ("wholesale customers in the north", {"standing": "customer", "tags": {"all": ["wholesale", "north"]}}, "", 0),
        ("all members", {"tags": "member"}, "", 0),
        ("everybody except Hay & Daughters", {"company": {"not": "Hay & Daughters"}}, "", 0),
        ("prospects who have not replied", {"standing": "prospect", "interactions": {"not": "replied"}}, "", 0),
        ("everyone in Bath", {"city": "Bath"}, "", 0),
        ("write to Petra Vane", {"name": "Petra Vane"}, "", 0),
    ],
)
def test_selectors_are_queries_over_contacts(text: str, where: object, order_by: str, limit: int) -> None:
    selection = selector_in(text, VOCABULARY, NOW)
    assert selection is not None
    assert not selection.unexplained
    assert selection.value["where"] == where
    assert (selection.value.get("order", ""), selection.value.get("limit", 0)) == (order_by, limit)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("our lapsed members", "lapsed"),
        ("customers in Wells", "Wells"),
        ("everybody except Marlow", "Marlow"),
        ("anyone who bought for more than 5,000 this year", "bought for more than 5,000 this year"),
        ("our best customers", "how many"),
        ("all tenants", "tenants"),
    ],
)
def test_a_selection_is_never_widened_over_a_word(text: str, word: str) -> None:
    selection = selector_in(text, VOCABULARY, NOW)
    assert selection is not None
    assert word in selection.unexplained
    reading = order(f"Send a letter to {text} about the fair", context())
    assert "recipients" in reading.missing
    assert "recipients" not in {slot.name for slot in reading.slots}


ORDERS: list[list[Any]] = yaml.safe_load((Path(__file__).parent / "orders.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("text", "operation", "slots", "missing"), ORDERS, ids=[str(row[0])[:40] for row in ORDERS])
def test_an_order_is_read_into_its_operation_and_slots(
    text: str, operation: str, slots: dict[str, Any], missing: list[str]
) -> None:
    reading = order(text, context())
    given = {slot.name: slot.value for slot in reading.slots}
    assert (reading.act, reading.operation) == ("order", operation)
    assert {name: given.get(name) for name in slots} == slots
    assert sorted(reading.missing) == sorted(missing)


def test_every_slot_remembers_words_of_the_order_or_none() -> None:
    for text, *_ in ORDERS:
        for slot in order(text, context()).slots:
            if isinstance(slot.value, str | int | float) and slot.name not in ("text", "title"):
                assert slot.words.lower() in str(text).lower()


def test_steps_of_a_project_are_work_approvals_and_operations() -> None:
    reading = order(
        "We want a garden party, plan it. First clear the lawn, then paint the sign. After that wait for my OK on the "
        "sign; only then have the tent sewn (work package, 280 dollars), and last tell all members.",
        context(),
    )
    steps = next(slot.value for slot in reading.slots if slot.name == "steps")
    assert reading.operation == "project"
    assert [step["kind"] for step in steps] == ["work", "work", "approval", "operation", "operation"]
    assert steps[3]["operation"] == "work_package_create"
    assert steps[3]["slots"]["budget_usd"] == 280
    assert steps[4]["slots"]["recipients"]["where"] == {"tags": "member"}


def test_what_nothing_explains_lowers_the_confidence() -> None:
    plain = order("Start ads on Google for 50 dollars a week for 3 weeks", context())
    odd = order("Start ads on Google for 50 dollars a week for 3 weeks with Zephyr 7734 glazing", context())
    assert plain.confidence - odd.confidence > 0.2


def test_an_operation_of_a_user_is_read_by_its_schema_alone() -> None:
    schema = {
        "properties": {"boat": {"type": "string", "description": "The boat."}, "hours": {"type": "integer"}},
        "required": ["boat", "hours"],
    }
    own = operation_named("reserve_boat", "Reserve a boat for some hours.", schema)
    reading = order(
        "Reserve the boat Kingfisher for 3 hours", replace(context(), operations=(*context().operations, own))
    )
    assert reading.operation == "reserve_boat"
    assert {slot.name: slot.value for slot in reading.slots}["hours"] == 3
    assert order("Reserve the boat Kingfisher for 3 hours", context()).operation == "task"


def test_a_task_is_always_possible() -> None:
    assert dict(operations_of("Prepare the room plan by Friday", context()))["task"]
