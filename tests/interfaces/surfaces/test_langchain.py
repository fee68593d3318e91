"""The catalogue as tools of LangChain."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from mabos.configs.errors import UnknownId
from mabos.interfaces.facade import Workspace
from mabos.interfaces.surfaces.langchain import langchain_tools
from tests.interfaces.surfaces.offices import copied


@pytest.fixture
def workspace(company: Path, tmp_path: Path) -> Iterator[Workspace]:
    with copied(company, tmp_path / "workspace") as services:
        yield Workspace(services)


def calling(tool: StructuredTool, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": "call-1", "name": tool.name, "args": arguments}


def test_every_tool_is_offered_with_its_published_schema_under_a_name_that_models_may_say(workspace: Workspace) -> None:
    tools = langchain_tools(workspace)
    assert len(tools) == len(workspace.services.tools.all())
    for offered, tool in zip(tools, workspace.services.tools.all(), strict=True):
        assert isinstance(offered, StructuredTool)
        told = convert_to_openai_tool(offered)["function"]
        assert told["name"].replace("_", "").replace("-", "").isalnum()
        assert set(told["parameters"]["properties"]) == set(tool.schema["properties"])
        assert told["description"] == tool.summary


def test_tools_are_chosen_by_name_and_by_family(workspace: Workspace) -> None:
    names = [tool.name for tool in langchain_tools(workspace, ["memory_*", "ldg:task:get", "mem_graph"])]
    assert {"memory_recall", "memory_status", "ldg_task_get", "mem_graph"} <= set(names)
    assert "belief_get" not in names
    with pytest.raises(UnknownId, match="did you mean 'memory_recall'"):
        langchain_tools(workspace, ["memory_recal"])


def test_an_agent_is_offered_what_it_may_use(workspace: Workspace) -> None:
    names = {tool.name for tool in langchain_tools(workspace.agent("cfo"))}
    assert "memory_recall" in names
    assert "ldg_task_save" not in names


def test_a_message_is_text_for_the_model_and_json_for_the_program(workspace: Workspace) -> None:
    (tool,) = langchain_tools(workspace.agent("cfo"), ["memory_recall"])
    message = tool.invoke(calling(tool, {"query": "runway", "recursive_depth": 1}))
    assert isinstance(message, ToolMessage)
    assert "depth: 0) — Runway is nine months" in message.content
    assert message.artifact["result"]["items"][0]["content"] == "Runway is nine months"
    assert tool.invoke({"query": "runway", "recursive_depth": 1}) == message.content


def test_asked_without_waiting_it_answers_the_same(workspace: Workspace) -> None:
    (tool,) = langchain_tools(workspace.agent("cfo"), ["belief_get"])
    for arguments in ({}, {"limit": "many"}):
        waited = asyncio.run(tool.ainvoke(calling(tool, arguments)))
        assert waited == tool.invoke(calling(tool, arguments))


@pytest.mark.parametrize(
    "arguments", [{"self": 1}, {"config": 1}, {"run_manager": 1}, {"callbacks": []}, {"given": {}}, {"": None, "a": 1}]
)
def test_whatever_a_model_calls_an_argument_it_is_told_and_nothing_is_raised(
    arguments: dict[str, Any], workspace: Workspace
) -> None:
    (tool,) = langchain_tools(workspace, ["business_list"])
    message = tool.invoke(calling(tool, arguments))
    assert message.status == "error"
    assert "there is no argument" in message.content


def test_what_is_no_object_is_said_too(workspace: Workspace) -> None:
    (tool,) = langchain_tools(workspace, ["business_list"])
    assert "expected an object" in tool.invoke("all of them")
