"""Orders for tools that a company has of its own: known by their schemas alone, in a trade nobody wrote words for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.catalogue.registry import MODULES, Registry
from mabos.tools.runtime.services import Agent
from tests.world import World

Calls = list[tuple[str, dict[str, Any]]]


def tools_of_a_boatyard(calls: Calls) -> list[Tool]:
    """Return three tools of a boatyard that keep what they are called with."""

    def slipway_reserve(agent: Agent, *, vessel: Text, arrival: Text, nights: Count) -> dict[str, Any]:
        """Reserve a slipway of the boatyard for a vessel.

        Args:
            vessel: Name of the vessel.
            arrival: Day of arrival in the format YYYY-MM-DD.
            nights: Number of nights that the vessel stays.
        """
        calls.append(("slipway_reserve", {"vessel": vessel, "arrival": arrival, "nights": nights}))
        return {"reserved": vessel}

    def hull_paint(
        agent: Agent, *, vessel: Text, color: Literal["red", "green", "blue", "white"], coats: Count = 1
    ) -> dict[str, Any]:
        """Paint the hull of a vessel.

        Args:
            vessel: Name of the vessel.
            color: Color of the paint.
            coats: Number of coats of paint.
        """
        calls.append(("hull_paint", {"vessel": vessel, "color": color, "coats": coats}))
        return {"painted": vessel}

    def tide_table(agent: Agent, *, harbour: Text, days: Count) -> dict[str, Any]:
        """Look up the tide table of a harbour.

        Args:
            harbour: Name of the harbour.
            days: Number of days.
        """
        calls.append(("tide_table", {"harbour": harbour, "days": days}))
        return {"harbour": harbour, "high_water": "06:12"}

    return [
        Tool.of(slipway_reserve, module="Boatyard", writes=True, category="operations"),
        Tool.of(hull_paint, module="Boatyard", writes=True, category="operations"),
        Tool.of(tide_table, module="Boatyard", writes=False),
    ]


@pytest.fixture
def calls() -> Calls:
    return []


@pytest.fixture
def boatyard(tmp_path: Path, calls: Calls) -> Iterator[World]:
    with World(tmp_path, tools=Registry(MODULES, tools_of_a_boatyard(calls))) as world:
        page = world.services.layout.agent("coo") / "Capabilities.md"
        page.write_text("# Capabilities\n", "utf-8")  # which lists none, and so allows all
        yield world


def requests(boatyard: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = boatyard.read("agents/coo/requests.json")["requests"]
    return found


@pytest.mark.parametrize(
    ("order", "call"),
    [
        (
            "Reserve a slipway for the vessel 'Sea Otter' from June 3, 2026 for 4 nights.",
            ("slipway_reserve", {"vessel": "Sea Otter", "arrival": "2026-06-03", "nights": 4}),
        ),
        (
            "Paint the hull of the vessel 'Sea Otter' green with 2 coats.",
            ("hull_paint", {"vessel": "Sea Otter", "color": "green", "coats": 2}),
        ),
        (
            "Look up the tide table of the harbour of Whitby for 5 days.",
            ("tide_table", {"harbour": "Whitby", "days": 5}),
        ),
    ],
)
def test_an_order_calls_a_tool_of_an_odd_trade_with_exactly_what_was_said(
    boatyard: World, calls: Calls, order: str, call: tuple[str, dict[str, Any]]
) -> None:
    boatyard.cycle("coo", order)
    assert calls == [call]
    assert [one["status"] for one in requests(boatyard)] == ["done"]


@pytest.mark.parametrize(
    ("order", "dialogue", "call"),
    [
        (
            "Reserve a slipway for the vessel 'Sea Otter' from June 3, 2026.",
            (["nights"], "4 nights"),
            ("slipway_reserve", {"vessel": "Sea Otter", "arrival": "2026-06-03", "nights": 4}),
        ),
        (
            "Paint the hull of the 'Sea Otter'.",
            (["color"], "Green, please"), ("hull_paint", {"vessel": "Sea Otter", "color": "green", "coats": 1}),
        ),
    ],
)  # fmt: skip
def test_a_required_value_that_nobody_said_is_asked_for_and_not_made_up(
    boatyard: World, calls: Calls, order: str, dialogue: tuple[list[str], str], call: tuple[str, dict[str, Any]]
) -> None:
    missing, answer = dialogue
    boatyard.cycle("coo", order)
    (request,) = requests(boatyard)
    assert (request["status"], request["missing"], calls) == ("asking", missing, [])
    boatyard.cycle("coo", answer)
    assert calls == [call]


def test_an_order_with_words_that_nothing_explains_is_read_back_before_it_is_carried_out(
    boatyard: World, calls: Calls
) -> None:
    boatyard.cycle("coo", "Put green paint on the hull of the yacht 'Sea Otter', and mind the new propeller")
    (request,) = requests(boatyard)
    assert (request["operation"], request["status"], request["missing"]) == ("hull_paint", "asking", ["confirm"])
    assert calls == []
    boatyard.cycle("coo", "Yes")
    assert calls == [("hull_paint", {"vessel": "Sea Otter", "color": "green", "coats": 1})]


def test_an_order_for_something_else_calls_no_tool_of_the_trade(boatyard: World, calls: Calls) -> None:
    boatyard.cycle("coo", "Write me three ideas for the name of the new canteen")
    assert calls == []
    assert not {one.get("operation") for one in requests(boatyard)} & {"slipway_reserve", "hull_paint", "tide_table"}
