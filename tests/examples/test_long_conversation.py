"""The example for LangChain runs as it stands, against a server on this machine, and again where it stopped."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from mabos import open_workspace
from mabos.memory import checkpoints
from tests import warm
from tests.backends.test_openai_compatible import completion, server

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "long_conversation.py"


def called(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def respond(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Answer at length; look something up where that is asked, and keep what is to be kept."""
    last = body["messages"][-1]
    answer = completion("Understood. " + "The figures are as we said. " * 70)
    message = answer["choices"][0]["message"]
    if "<conversation>" in last["content"]:
        assert {one["function"]["name"] for one in body["tools"]} == {"memory_checkpoint", "memory_store_item"}
        kept = called("memory_checkpoint", context="Going through the figures", next_steps=["Ask about churn"])
        fact = called("memory_store_item", content="Churn is measured weekly", importance=0.8, type="fact")
        message.update(content="", tool_calls=[kept, fact])
    elif "look it up" in last["content"]:
        message.update(content="", tool_calls=[called("recall", question="churn weekly")])
    elif last["role"] == "tool":
        message.update(content=f"I remember: {last['content']}")
    return 200, answer


def say(lines: list[str], folder: Path, base_url: str) -> list[str]:
    environment = {**os.environ, "OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "sk-local", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*warm.python(), str(EXAMPLE), str(folder), "cfo"],
        input="\n".join(lines) + "\n",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_long_conversation_is_kept_over_its_cuts_and_over_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "company"
    with open_workspace(folder) as workspace:
        workspace.create_business("acme", name="Acme", template="saas")
    with server(respond) as seen:
        said = [f"Figure {number}: " + "so many dollars " * 120 for number in range(20)]
        assert len(say(said, folder, seen.base_url)) == 20
        answer = say(["How often is churn measured? Please look it up."], folder, seen.base_url)
    assert "Churn is measured weekly" in "\n".join(answer)
    path = checkpoints.latest(folder / "agents" / "cfo")
    assert path is not None
    kept = checkpoints.parse(path.read_text("utf-8"))
    assert kept is not None
    assert (kept.context, kept.next_steps) == ("Going through the figures", ("Ask about churn",))
    last = seen[-1]["body"]["messages"]
    assert "Going through the figures" in last[1]["content"], "the restarted agent is reminded"
    assert "Figure 0:" not in str(last)
