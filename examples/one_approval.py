"""An agent of LangChain that pauses where governance asks: the person is asked once, and the record names the person.

    pip install "mabos[langchain]"
    export OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2
    python examples/one_approval.py my-company cmo "Ana Ruiz" "Start a search campaign, 2000 dollars a week."

The answer may also come days later and from another process: the saver's file keeps the conversation.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from mabos import open_workspace
from mabos.interfaces.surfaces.approval import PersonApproves
from mabos.interfaces.surfaces.langchain import langchain_tools

TOOLS = ["ad_campaign_*", "fact_query", "memory_recall"]
Answer = dict[str, Any]


def converse(
    folder: str, agent_id: str, person: str, order: str, *, model: BaseChatModel, decide: Callable[[str], Answer | None]
) -> str:
    """Return the agent's last words; `decide` answers a question, or puts it off with None.

    An empty order goes on with the conversation that was put off.
    """
    with (
        open_workspace(folder) as workspace,
        SqliteSaver.from_conn_string(str(Path(folder) / "approvals.sqlite")) as saver,
    ):
        home = workspace.agent(agent_id)
        tools = langchain_tools(home, TOOLS)
        agent = create_agent(model, tools, middleware=[PersonApproves(home, tools, by=person)], checkpointer=saver)
        thread: Any = {"configurable": {"thread_id": agent_id}}
        given: Any = {"messages": [HumanMessage(order)]} if order else None
        while True:
            if given is not None:
                agent.invoke(given, thread)
            state = agent.get_state(thread)
            if not state.interrupts:
                return str(state.values["messages"][-1].text)
            answers = {one.id: decide(one.value["description"]) for one in state.interrupts}
            if None in answers.values():
                return "It waits for you."
            given = Command(resume=answers)


def at_the_keyboard(question: str) -> Answer:
    """Return what the person types: yes, or why not."""
    said = input(f"{question}\nApprove? (yes, or why not) ")
    return {"type": "approve"} if said.strip().lower() in ("y", "yes") else {"type": "reject", "message": said}


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: python examples/one_approval.py WORKSPACE AGENT PERSON ORDER")
    company, name, who, asked = sys.argv[1:]
    chat = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4o-mini"))
    print(converse(company, name, who, asked, model=chat, decide=at_the_keyboard))
