"""An agent that uses two public MCP servers through the gate: one only reads, of the other a tool asks the owner.

    pip install "mabos[mcp]" mcp-server-time mcp-server-git
    python examples/mcp_servers.py my-company

Nothing here needs a model: the agent reads the questions itself, and the servers answer them.
"""

import subprocess
import sys
from pathlib import Path

from mabos import open_workspace
from mabos.interfaces.surfaces.langchain import langchain_tools

SETTINGS = """\
mcp_servers:
  time:
    command: [{python}, -m, mcp_server_time, --local-timezone, UTC]
    tools: {{"*": read}}
    calls_a_day: 100
  git:
    command: [{python}, -m, mcp_server_git, --repository, {repository}]
    tools: {{git_log: read, git_status: read, git_create_branch: ask, "*": hidden}}
"""


def main(folder: str) -> None:
    """Ask an agent what only the servers know, and let it do something that the owner must allow."""
    repository = Path(folder).resolve() / "repository"
    with open_workspace(folder) as workspace:
        workspace.create_business("acme", name="Acme", template="saas")
        settings = SETTINGS.format(python=sys.executable, repository=repository)
        (workspace.root / "mabos.yaml").write_text(settings, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(repository)], check=True)  # noqa: S603, S607
    who = ["-c", "user.name=Ana", "-c", "user.email=ana@acme.example"]
    first = ["commit", "--quiet", "--allow-empty", "--message=First draft of the price list"]
    subprocess.run(["git", "-C", str(repository), *who, *first], check=True)  # noqa: S603, S607
    with open_workspace(folder) as workspace:
        cto = workspace.agent("cto")
        print(cto.say("What is the current time in timezone Asia/Tokyo?").text)
        print(cto.call("git_log", repo_path=str(repository)).result["text"].splitlines()[4])
        (tool,) = langchain_tools(cto, ["git_create_branch"])  # as the agent itself would call it
        asked = {"repo_path": str(repository), "branch_name": "prices"}
        waiting = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": asked})
        print(waiting.content)
        decision = waiting.artifact["error"]["decision_id"]
        workspace.call("decision_resolve", decision_id=decision, resolution="approve").required()
        print(tool.invoke({"type": "tool_call", "id": "2", "name": tool.name, "args": asked}).content)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/mcp_servers.py WORKSPACE")
    main(sys.argv[1])
