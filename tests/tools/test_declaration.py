import inspect
import json
from dataclasses import fields
from typing import Annotated, Any, Literal, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field

from mabos.configs.errors import InvalidArgument
from mabos.tools.catalogue.declaration import Count, Fraction, Money, Text, Tool, ToolOptions


def note_write(
    agent: Any,
    *,
    text: Text,
    certainty: Fraction,
    kind: Literal["environment", "self"] | None = None,
    steps: list[dict[str, Any]] | None = None,
    from_: str = "",
    schema: int = 3,
    limit: Count = 5,
) -> dict[str, Any]:
    """Write a note and return it.

    The second paragraph is no summary.

    Args:
        text: What is
            noted.
        certainty: How sure the writer is.
        from_: Who says so.
    """
    return {"agent": agent, "text": text, "certainty": certainty, "from": from_, "schema": schema, "limit": limit}


def budget_spend(agent: Any, budget_usd: Money, to: str = "", level: str = "") -> dict[str, Any]:
    """Spend."""
    return {}


NOTE = Tool.of(note_write, module="Desires", writes=True)


def refusal(**arguments: Any) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as caught:
        NOTE.validate_arguments(arguments)
    return caught.value


def test_each_field_of_a_tool_is_an_argument_or_a_typed_option_of_a_declaration() -> None:
    own = set(inspect.signature(Tool.of).parameters) - {"options"}
    options = set(ToolOptions.__annotations__)
    assert own | options == {one.name for one in fields(Tool)}
    assert not own & options
    hints, of_tool = get_type_hints(ToolOptions), get_type_hints(Tool)
    assert {name: hints[name] for name in options} == {name: of_tool[name] for name in options}


def test_name_summary_and_rows_come_from_the_declaration() -> None:
    assert (NOTE.name, NOTE.summary) == ("note_write", "Write a note and return it.")
    assert (NOTE.module, NOTE.catalogue) == ("BDI core", "Desires")


def test_the_schema_describes_every_argument_and_adds_agent_id() -> None:
    schema = NOTE.schema
    assert list(schema["properties"]) == [
        "text", "certainty", "kind", "steps", "from", "schema", "limit", "agent_id",
    ]  # fmt: skip
    assert schema["required"] == ["text", "certainty"]
    assert schema["properties"]["text"]["description"] == "What is noted."
    assert schema["properties"]["from"]["description"] == "Who says so."
    assert schema["properties"]["kind"] == {"type": "string", "enum": ["environment", "self"]}
    json.dumps(schema)


def test_published_names_reach_the_function_under_its_own() -> None:
    values = NOTE.validate_arguments({"text": "x", "certainty": 1, "from": "cfo", "schema": 4.0})
    assert NOTE.run("a", values) == {
        "agent": "a", "text": "x", "certainty": 1.0, "from": "cfo", "schema": 4, "limit": 5,
    }  # fmt: skip


def test_null_means_left_out_for_an_optional_argument_only() -> None:
    assert NOTE.run("a", NOTE.validate_arguments({"text": "x", "certainty": 1, "limit": None}))["limit"] == 5
    assert refusal(text=None, certainty=1).argument == "text"


@pytest.mark.parametrize(
    ("arguments", "argument", "said"),
    [
        ({"text": "x"}, "certainty", "'certainty' is missing; expected a number from 0 to 1 (How sure the writer is.)"),
        ({"text": "x", "certainty": 2}, "certainty", "must be a number from 0 to 1, got 2"),
        ({"text": "x", "certainty": True}, "certainty", "got true"),
        ({"text": "x", "certainty": "0.5"}, "certainty", 'got "0.5"'),
        ({"text": "x", "certainty": float("nan")}, "certainty", "must be finite"),
        ({"text": " ", "certainty": 1}, "text", "a non-empty string"),
        ({"text": "x", "certainty": 1, "limit": 10**20}, "limit", "at most 64 bits"),
        ({"text": "x", "certainty": 1, "steps": [{"a": [-(10**20)]}]}, "steps", "at most 64 bits"),
        ({"text": "\ud800", "certainty": 1}, "text", "valid Unicode"),
        ({"text": "x", "certainty": 1, "kind": "enviroment"}, "kind", "did you mean 'environment'?"),
        ({"text": "x", "certainty": 1, "steps": "[]"}, "steps", "must be a list of objects, got \"[]\""),
        ({"text": "x", "certainty": 1, "steps": ["a"]}, "steps", "steps[0]"),
        ({"text": "x", "certainty": 1, "limit": 0}, "limit", "a whole number of at least 1"),
        ({"text": "x", "certanty": 1}, "certanty", "did you mean 'certainty'?"),
        ({"text": "x", "certainty": 1, "zzz": 1}, "zzz", "it takes text, certainty"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named_with_what_was_expected(arguments: dict[str, Any], argument: str, said: str) -> None:
    error = refusal(**arguments)
    assert error.argument == argument
    assert said in error.message


def test_a_string_of_the_wrong_form_is_told_which_form_is_meant() -> None:
    def found(agent: Any, *, business_id: Annotated[str, Field(pattern="^[a-z]+$")]) -> dict[str, Any]:
        """Found.

        Args:
            business_id: Lower-case letters.
        """
        return {}

    tool = Tool.of(found, module="Business", writes=True)
    with pytest.raises(InvalidArgument) as refused:
        tool.validate_arguments({"business_id": "../x"})
    said = "'business_id' must be a string that matches ^[a-z]+$ (Lower-case letters.), got \"../x\""
    assert said in refused.value.message


def test_arguments_that_are_nested_too_deep_are_said_to_be_unreadable() -> None:
    nested: list[Any] = []
    for _ in range(400):
        nested = [nested]
    assert "the arguments cannot be read" in refusal(text="x", certainty=1, steps=nested).message


def test_an_amount_of_money_is_so_small_that_weeks_of_it_stay_finite() -> None:
    spend = Tool.of(budget_spend, module="Marketing", writes=True, cost="budget_usd")
    with pytest.raises(InvalidArgument, match="'budget_usd' must be a number from 0 to 1e"):
        spend.validate_arguments({"budget_usd": 1e308})


def test_cost_counterparty_and_strategy_are_read_from_the_arguments() -> None:
    tool = Tool.of(
        budget_spend, module="Marketing", writes=True, cost="budget_usd", counterparty="to",
        strategic=lambda given: given.get("level") == "strategic",
    )  # fmt: skip
    assert tool.amount({"budget_usd": 12}) == 12.0
    assert tool.other_party({"to": "x"}) == "x"
    assert tool.needs_governance({"budget_usd": 1})
    assert not tool.needs_governance({"budget_usd": 0})
    assert tool.needs_governance({"budget_usd": 0, "level": "strategic"})


def test_what_is_exempt_by_its_arguments_needs_no_governance() -> None:
    tool = Tool.of(
        budget_spend, module="Marketing", writes=True, external=True, reversible=False,
        exempts=lambda given: given.get("to") == "nobody",
    )  # fmt: skip
    assert tool.needs_governance({"budget_usd": 1, "to": "x"})
    assert not tool.needs_governance({"budget_usd": 1, "to": "nobody"})
    assert tool.asked_for == ("final", "external")


def test_reading_never_needs_governance() -> None:
    assert not Tool.of(budget_spend, module="Marketing", writes=False, cost="budget_usd").needs_governance(
        {"budget_usd": 1e9}
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # which a busy machine fails by itself
@given(st.dictionaries(st.sampled_from([*NOTE.schema["properties"], "other"]), JSON))
def test_any_json_is_either_valid_or_refused_with_a_sentence(arguments: dict[str, Any]) -> None:
    try:
        values = NOTE.validate_arguments(arguments)
    except InvalidArgument as error:
        said = error.message
    else:
        said = f"note_write: {values}"
    assert said.startswith("note_write: ")
