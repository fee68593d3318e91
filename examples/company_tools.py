"""An agent of LangChain that works with the tools of an agent of a MABOS workspace, and remembers as it does.

    pip install "mabos[langchain]"
    export OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2
    python examples/company_tools.py my-company cfo "Is our runway long enough?"

What the model may do is what the agent may do: its Capabilities.md and the owner's governance hold, and every call
stands in its ledger. What needs approval is not done; `mabos decisions` shows it.
"""

import os
import sys

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

from mabos import open_workspace
from mabos.graphs.memory_store import MemoryStore
from mabos.interfaces.surfaces.langchain import langchain_tools

TOOLS = ["belief_get", "fact_*", "memory_recall", "memory_store_item", "goal_evaluate", "agent_message"]


def ask(folder: str, agent_id: str, question: str, model: BaseChatModel) -> str:
    """Return the answer of the agent `agent_id` of the workspace `folder`."""
    with open_workspace(folder) as workspace:
        agent = create_agent(
            model,
            langchain_tools(workspace.agent(agent_id), TOOLS),
            system_prompt=f"You are the {agent_id} of this company. Look up what you believe before you answer.",
            store=MemoryStore(workspace.services),
        )
        state = agent.invoke({"messages": [HumanMessage(question)]})
        return str(state["messages"][-1].text)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python examples/company_tools.py WORKSPACE AGENT QUESTION")
    company, name, asked = sys.argv[1:]
    print(ask(company, name, asked, ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4o-mini"))))
