"""A sample of `make fuzz`, and that the campaign finds what it looks for."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from fuzz.arguments import ESCAPED
from fuzz.tools import Campaign, Found, call_often, look_at, names_another, opened, template
from fuzz.watch import watched
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry, registry
from tests.world import World

_SAMPLE = 4


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    start = tmp_path_factory.mktemp("fuzz") / "some" / "where" / "company"
    return Campaign(start, template(start), sets=_SAMPLE)


@pytest.fixture
def home(campaign: Campaign) -> Iterator[World]:
    logging.disable(logging.CRITICAL)
    with opened(campaign.template) as home:
        yield home
    logging.disable(logging.NOTSET)


def test_random_and_hostile_calls_of_every_tool_break_nothing_and_leave_the_workspace_alone(
    home: World, campaign: Campaign
) -> None:
    faults: dict[str, str] = {}
    with watched(campaign.template, ESCAPED) as outside:
        for tool in registry().all():
            found = Found(tool.name)
            call_often(home, tool, campaign, found)
            faults |= {f"{tool.name}: {kind}": example for kind, example in found.faults.items()}
    last = Found("all")
    look_at(home, last)
    assert faults | last.faults == {}
    assert outside == set()


@pytest.mark.parametrize(
    ("name", "number"), [("model:llm", 150), ("model:embed", 150), ("webhook_process", 150), ("email_send", 600)]
)
def test_what_asks_for_a_model_a_signature_or_a_whole_letter_is_reached_too(
    home: World, campaign: Campaign, name: str, number: int
) -> None:
    found = Found(name)
    call_often(home, home.services.tools.tool(name), replace(campaign, sets=number), found)
    assert found.done > 0
    assert found.faults == {}


def _found_of(home: World, campaign: Campaign, tool: Tool) -> Found:
    found = Found(tool.name)
    faulty = home.variant(tools=Registry((), [tool]))
    call_often(faulty, tool, replace(campaign, sets=30), found)
    look_at(faulty, found)
    return found


def test_a_tool_that_raises_is_found(home: World, campaign: Campaign) -> None:
    def tenth(agent: Any, *, words: str) -> dict[str, Any]:
        """Return the tenth letter."""
        return {"tenth": words[9], "by": agent.id}

    found = _found_of(home, campaign, Tool.of(tenth, module="Memory", writes=False))
    assert any("IndexError" in kind for kind in found.faults)


def test_a_tool_that_leaves_a_file_half_written_is_found(home: World, campaign: Campaign) -> None:
    path = home.root / "businesses" / "acme" / "campaigns.json"
    whole = path.read_bytes()

    def torn(agent: Any) -> dict[str, Any]:
        """Tear a file."""
        path.write_bytes(whole[: len(whole) // 2])
        return {"by": agent.id}

    try:
        found = _found_of(home, campaign, Tool.of(torn, module="Memory", writes=True))
    finally:
        path.write_bytes(whole)
    assert any("campaigns.json" in kind for kind in found.faults)


def test_a_tool_that_follows_a_path_out_of_the_workspace_is_found(home: World, campaign: Campaign) -> None:
    def read(agent: Any, *, path: str) -> dict[str, Any]:
        """Read a file."""
        place = agent.services.layout.root / path
        return {"text": place.read_text() if "\0" not in path and len(path) < 100 and place.is_file() else ""}

    secret = campaign.template.parent / ESCAPED
    secret.write_text("x")
    tool = Tool.of(read, module="Memory", writes=False)
    with watched(campaign.template, ESCAPED) as outside:
        faulty = home.variant(tools=Registry((), [tool]))
        faulty.call("read", {"path": f"../{ESCAPED}"}, "cfo")
    secret.unlink()
    assert [one for one in outside if ESCAPED in one]


def test_an_agent_that_may_name_another_is_found(home: World) -> None:
    found = Found("fact_query")
    names_another(home, registry().tool("fact_query"), found)
    assert found.faults == {}
    names_another(home, replace(registry().tool("fact_query"), acts_as="subject"), found)
    assert [kind for kind in found.faults if kind.startswith("named another agent in subject")]
