"""The tools of a workspace in a graph of your own: LangGraph's ToolNode calls them, in parallel, and never raises.

    python examples/tool_node.py my-company

The graph is asked without a model here, as a program asks it: with the tool calls that a model would make.
"""

import sys

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from mabos import open_workspace
from mabos.interfaces.surfaces.langchain import langchain_tools

CALLS = [
    {"id": "1", "name": "business_list", "args": {}},
    {"id": "2", "name": "belief_get", "args": {"agent_id": "cfo", "limit": 1}},
    {"id": "3", "name": "goal_evaluate", "args": {"agent_id": "cfo", "goal_id": "G-none"}},
]


def main(folder: str) -> None:
    """Print what the tools answer, errors among them."""
    with open_workspace(folder) as workspace:
        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode(langchain_tools(workspace)))
        graph.add_edge(START, "tools")
        state = graph.compile().invoke({"messages": [AIMessage("", tool_calls=CALLS)]})
    for message in state["messages"]:
        if isinstance(message, ToolMessage):
            print(f"{message.name} ({message.status}): {str(message.content).splitlines()[0]}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/tool_node.py WORKSPACE")
    main(sys.argv[1])
