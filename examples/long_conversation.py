"""An agent of LangChain that may talk as long as it likes: its memory is that of an agent of a MABOS workspace.

    pip install "mabos[langchain]"
    OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2 python examples/long_conversation.py my-company cfo

Each line of standard input is something you say. What is kept of the conversation before it is cut stands in
`my-company/agents/cfo/memory/checkpoints`. Run it again, and the agent goes on with it.
"""

import os
import sys

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver

from mabos import open_workspace
from mabos.graphs.memory_flush import MemoryFlush
from mabos.graphs.memory_store import MemoryStore

WINDOW = 16_000
"""How many tokens the model reads: small models are often served with no more."""


def main(folder: str, agent_id: str) -> None:
    """Answer line by line, as the agent `agent_id` of the workspace `folder`."""
    model = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4o-mini"))
    with open_workspace(folder) as workspace, SqliteSaver.from_conn_string(f"{folder}/talk.sqlite") as saver:
        memories = MemoryStore(workspace.services)

        @tool
        def recall(question: str) -> str:
            """Search what is remembered."""
            found = memories.search((agent_id,), query=question, limit=5)
            return "\n".join(item.value["content"] for item in found) or "Nothing is remembered about that."

        agent = create_agent(
            model,
            [recall],
            system_prompt=f"You are the {agent_id} of this company.",
            middleware=[MemoryFlush(workspace.services, agent_id, model, window=WINDOW)],
            checkpointer=saver,
            store=memories,
        )
        for line in sys.stdin:
            state = agent.invoke({"messages": [HumanMessage(line)]}, {"configurable": {"thread_id": agent_id}})
            print(state["messages"][-1].text, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/long_conversation.py WORKSPACE AGENT")
    main(*sys.argv[1:])
