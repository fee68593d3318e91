"""The examples of LangChain's surface run as they stand: a ToolNode, and an agent with a scripted model."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from examples.company_tools import ask
from mabos import open_workspace
from tests import warm
from tests.conftest import ROOT
from tests.interfaces.surfaces.servers import surroundings


class Scripted(BaseChatModel):
    """A model that says what a script says, and remembers what it was shown."""

    script: list[AIMessage]
    shown: list[list[BaseMessage]] = []  # noqa: RUF012 - pydantic copies it
    tools: list[str] = []  # noqa: RUF012 - as above

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, Any]:
        self.tools[:] = [tool.name for tool in tools]
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.shown.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.script.pop(0))])


def called(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"call-{name}", "name": name, "args": arguments}])


@pytest.fixture
def company(tmp_path: Path) -> Path:
    with open_workspace(tmp_path / "company") as workspace:
        workspace.create_business("acme", name="Acme", template="saas")
        cfo = workspace.agent("cfo")
        cfo.memory.store("Runway is nine months", type="fact", importance=0.8, store="long_term")
    return tmp_path / "company"


def answers(model: Scripted) -> list[ToolMessage]:
    return [one for one in model.shown[-1] if isinstance(one, ToolMessage)]


def test_an_agent_of_langchain_works_with_the_tools_of_an_agent_and_its_memory(company: Path) -> None:
    model = Scripted(
        script=[
            called("memory_recall", query="runway"),
            called("memory_store_item", content="The owner asked about runway", importance=0.7),
            called("memory_store_item", content="It is urgent", importance=7),
            called("belief_get", agent_id="ceo"),
            AIMessage("Nine months."),
        ]
    )
    assert ask(str(company), "cfo", "Is our runway long enough?", model) == "Nine months."
    assert {"belief_get", "fact_query", "memory_recall"} <= set(model.tools)
    recalled, stored, wrong, other = answers(model)
    assert "Runway is nine months" in recalled.content
    assert [one.status for one in (recalled, stored, wrong, other)] == ["success", "success", "error", "error"]
    assert "'importance' must be a number from 0 to 1, got 7" in wrong.content
    assert "'cfo' may act only as itself, not as 'ceo'" in other.content
    with open_workspace(company) as workspace:
        kept = workspace.agent("cfo").memory.recall("what did the owner ask about?")
        assert "The owner asked about runway" in [hit.content for hit in kept]


def test_the_tool_node_answers_calls_with_messages_and_never_raises(company: Path) -> None:
    done = subprocess.run(
        [*warm.python(), str(ROOT / "examples" / "tool_node.py"), str(company)],
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    businesses, beliefs, goal = done.stdout.splitlines()
    assert businesses.startswith("business_list (success): ")
    assert beliefs.startswith("belief_get (success): ")
    assert goal.startswith("goal_evaluate (error): unknown_id: ")
