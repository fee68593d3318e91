"""An agent as a node of a graph of your own, for any state and context of the graph.

    graph = StateGraph(MessagesState)
    graph.add_node("cfo", agent_node(workspace.agent("cfo")))

The node sends the newest message to the agent, streams its phases as custom events, and answers with its reply. For
another state, define the request and the handling of the reply: `agent_node(cfo, ask=..., answer=...)`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.config import get_stream_writer

from mabos.interfaces.chat.events import ChatReply
from mabos.interfaces.facade import AgentHandle

Update = Mapping[str, Any]


def newest(state: Any) -> str:
    """Return the text of the newest message of a state."""
    messages = state["messages"] if isinstance(state, Mapping) else state.messages
    return str(messages[-1].text) if messages else ""


def as_message(reply: ChatReply) -> Update:
    """Return a reply as a message; its claims and open approvals are in `additional_kwargs`."""
    more = {"claims": list(reply.claims), "waits": [one.as_json() for one in reply.waits], "asks": reply.asks}
    return {"messages": [AIMessage(reply.text, name=reply.agent_id, additional_kwargs=more)]}


def agent_node(
    agent: AgentHandle, *, ask: Callable[[Any], str] = newest, answer: Callable[[ChatReply], Update] = as_message
) -> Runnable[Any, Any]:
    """Return a node that says `ask(state)` to the agent and updates the state with `answer(reply)`."""

    def node(state: Any) -> Update:
        write = get_stream_writer()
        for event in agent.stream(ask(state)):
            if isinstance(event, ChatReply):
                return answer(event)
            write(event.as_json())
        return {}

    return RunnableLambda(node, name=agent.id)
