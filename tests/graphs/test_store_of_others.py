"""deepagents and langmem, as they are published, keep what they are told in the store under namespaces of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = "deepagents==0.7.32 langmem==0.0.30 trustcall==0.0.39 dydantic==0.0.8 wcmatch==12.0.1 bracex==3.2.3"
PROGRAM = """
import sys
from deepagents import create_deep_agent
from deepagents.backends import StoreBackend
from langchain_core.messages import AIMessage
from langgraph.prebuilt import create_react_agent
from langmem import create_manage_memory_tool, create_search_memory_tool
from mabos import open_workspace
from mabos.graphs.memory_store import MemoryStore
from tests.examples.test_company_tools import Scripted

def script(*calls):
    turns = [AIMessage("", tool_calls=[{"id": "1", "name": name, "args": given}]) for name, given in calls]
    return Scripted(script=[*turns, AIMessage("Done.")])

with open_workspace(sys.argv[1]) as workspace:
    store = MemoryStore(workspace.services)
    tools = [make(namespace=("memories",)) for make in (create_manage_memory_tool, create_search_memory_tool)]
    noted = {"content": "Ana likes charts", "action": "create"}
    told = script(("manage_memory", noted), ("search_memory", {"query": "Ana"}))
    memories = create_react_agent(told, tools, store=store)
    told = script(("write_file", {"file_path": "/n.md", "content": "Buy tea"}), ("read_file", {"file_path": "/n.md"}))
    files = create_deep_agent(model=told, store=store, backend=StoreBackend(namespace=lambda _: ("filesystem",)))
    for agent in (memories, files):
        print(agent.invoke({"messages": [("user", "hello")]})["messages"][-2].content)
    print(store.list_namespaces())
    store.close()
"""


@pytest.mark.slow
def test_files_of_deepagents_and_memories_of_langmem_are_found_again(tmp_path: Path) -> None:
    theirs = str(tmp_path / "theirs")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", theirs, *PACKAGES.split()]
    subprocess.run(pip, check=True)
    paths = f"import sys; sys.path += [{theirs!r}, {str(ROOT)!r}]\n"
    command = [sys.executable, "-W", "ignore", "-c", paths + PROGRAM, str(tmp_path / "company")]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert "Ana likes charts" in told
    assert "Buy tea" in told
    assert told.splitlines()[-1] == "[('filesystem',), ('memories',)]"
