"""A developer's afternoon: an agent with an own tool, an own role and an own model answers in a graph of your own.

    pip install "mabos[langchain]"
    python examples/own_graph.py my-scout

The graph was there before: it has a state, a context and a node of its own. The model stands in for a real one.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from mabos import open_workspace, own_tool
from mabos.interfaces.surfaces.graph_node import agent_node

ROLE = """\
title: Shelf keeper
style: Short, with numbers.
responsibilities: [Know what is on the shelf]
autonomy: full
"""
STOCK = {"tea": 12, "coffee": 0}


def units_on_shelf(article: Literal["tea", "coffee"]) -> dict[str, int]:
    """Get the number of units of an article on the shelf.

    Args:
        article: The article, tea or coffee.
    """
    return {"units": STOCK[article]}


class OwnModel(BaseChatModel):
    """A model of one's own: it looks something up, and says what it found."""

    @property
    def _llm_type(self) -> str:
        return "own"

    def bind_tools(self, *_: Any, **__: Any) -> Runnable[Any, Any]:
        """Return itself: it knows which tool it wants."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        found = next((str(one.content) for one in reversed(messages) if one.type == "tool"), "")
        if found:
            message = AIMessage("There are 12 units of tea on the shelf.")
        else:
            message = AIMessage("", tool_calls=[{"id": "1", "name": "units_on_shelf", "args": {"article": "tea"}}])
        return ChatResult(generations=[ChatGeneration(message=message)])


class ShopState(TypedDict, total=False):
    """What the shop's own graph knows."""

    customer: str
    question: str
    answer: str


@dataclass
class ShopContext:
    """What the shop's own graph is run with."""

    language: str


def greet(state: ShopState, runtime: Runtime[ShopContext]) -> ShopState:
    """Greet the customer, before the agent answers: a node that was there already."""
    hello = "Guten Tag" if runtime.context.language == "de" else "Good day"
    return {"answer": f"{hello}, {state['customer']}."}


def main(folder: str, model: BaseChatModel | None = None) -> None:
    """Ask twice on one thread of the shop's own graph, and print what it answers."""
    roles = Path(folder) / "roles"
    roles.mkdir(parents=True, exist_ok=True)
    (roles / "keeper.yaml").write_text(ROLE, encoding="utf-8")
    tools = [own_tool(units_on_shelf, writes=False)]
    with open_workspace(folder, model=model, tools=tools) as workspace:
        keeper = workspace.create_agent("keeper", role="keeper")
        shop = StateGraph(ShopState, context_schema=ShopContext)
        shop.add_node("greet", greet)
        shop.add_node(
            "keeper",
            agent_node(keeper, ask=lambda state: state["question"], answer=lambda reply: {"answer": reply.text}),
        )
        shop.add_edge(START, "greet")
        shop.add_edge("greet", "keeper")
        shop.add_edge("keeper", END)
        graph = shop.compile(checkpointer=InMemorySaver())
        asked: ShopState = {"customer": "Ana", "question": "How many units of the article tea are on the shelf?"}
        config: Any = {"configurable": {"thread_id": "ana"}}
        modes: Any = ["custom", "updates"]
        parts: Any = graph.stream(asked, config, context=ShopContext("de"), stream_mode=modes)
        for mode, part in parts:
            print(part.get("phase") or part.get("tool") or part if mode == "custom" else part)
        print(graph.get_state(config).values["answer"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/own_graph.py WORKSPACE")
    main(sys.argv[1], OwnModel())
