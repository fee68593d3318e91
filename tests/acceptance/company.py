"""A company as a stranger's scripts use it: the `mabos` command line, its files, and nothing from inside.

acme.done("belief_get", agent="cfo")["beliefs"]       # a call that must succeed: its result
acme.refused("goal_evaluate", goal_id="G-9")["argument"]
acme.run("cfo", message="Review our runway")           # one cycle: its report
acme.text("agents/cfo/Beliefs.md")
"""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import Result

from tests import warm
from tests.interfaces.command_line import NOW, answer, mabos

ROOT = Path(__file__).resolve().parent.parent.parent
ROLES = ("ceo", "cfo", "coo", "cmo", "cto", "hr", "legal", "strategy", "knowledge")


@dataclass(frozen=True, slots=True)
class Company:
    """A workspace with one business, acme, and its nine agents."""

    root: Path

    def command(self, *arguments: str, code: int = 0, now: str = NOW) -> Result:
        """Return the result of a command in this process; its exit code must be `code`."""
        return mabos(*arguments, workspace=self.root, code=code, now=now)

    def data(self, *arguments: str, code: int = 0, now: str = NOW) -> Any:
        """Return what a command answers with `--json`."""
        return answer(*arguments, workspace=self.root, code=code, now=now)

    def done(self, tool: str, *, agent: str = "cfo", now: str = NOW, **arguments: Any) -> dict[str, Any]:
        """Return the result of an operation, which must succeed."""
        done = self.data("call", tool, json.dumps(arguments), "--agent", agent, now=now)
        assert done["ok"] is True
        return dict(done["result"])

    def refused(self, tool: str, *, agent: str = "cfo", now: str = NOW, **arguments: Any) -> dict[str, Any]:
        """Return the error of an operation, which must be refused."""
        refused = self.data("call", tool, json.dumps(arguments), "--agent", agent, now=now, code=1)
        assert refused["ok"] is False
        assert set(refused["error"]) >= {"code", "message", "argument"}
        return dict(refused["error"])

    def run(self, agent: str, *, message: str = "", now: str = NOW, code: int = 0) -> dict[str, Any]:
        """Return the report of one cycle; its exit code is 1 if a step failed for good."""
        said = ("--message", message) if message else ()
        return dict(self.data("run", agent, *said, now=now, code=code))

    def commit(self, *steps: dict[str, Any], agent: str = "cfo", name: str = "x") -> None:
        """Commit an agent to a plan of these steps: goal G-name, plan P-name, intention I-name."""
        self.done("goal_create", agent=agent, level="operational", description=f"Goal {name}", goal_id=f"G-{name}")
        self.done("plan_generate", agent=agent, goal_id=f"G-{name}", plan_id=f"P-{name}", steps=list(steps))
        self.done("intention_commit", agent=agent, goal_id=f"G-{name}", plan_id=f"P-{name}", intention_id=f"I-{name}")

    def heartbeat(self, agent: str = "", *, now: str = NOW) -> dict[str, dict[str, Any]]:
        """Return the rows of one heartbeat by agent."""
        named = ("--agent", agent) if agent else ()
        return {row["agentId"]: row for row in self.data("heartbeat", "--once", *named, now=now)["agents"]}

    def file(self, path: str) -> Path:
        """Return the path of a file of the workspace."""
        return self.root / path

    def text(self, path: str) -> str:
        """Return a file of the workspace as text."""
        return self.file(path).read_text("utf-8")

    def read(self, path: str) -> Any:
        """Return a JSON file of the workspace."""
        return json.loads(self.text(path))

    def write(self, path: str, content: Any) -> None:
        """Write a file by hand: text as it is, anything else as JSON."""
        target = self.file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), "utf-8")


def process(*arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Return a started `mabos` with pipes; it knows nothing of this process."""
    return _start([*warm.mabos(), *arguments], env, cwd)


def python(*arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Return a started Python that has the packages imported."""
    return _start([*warm.python(), *arguments], env, cwd)


def _start(command: list[str], env: Mapping[str, str] | None, cwd: Path | None) -> subprocess.Popen[str]:
    around = {**os.environ, "PYTHONPATH": str(ROOT), "MABOS_NOW": NOW, **(env or {})}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=around, cwd=cwd or ROOT
    )


def ended(started: subprocess.Popen[str], *, code: int = 0, within: float = 600) -> tuple[str, str]:
    """Return standard output and standard error of a process that must end with `code`; a stuck one takes `within`."""
    out, err = started.communicate(timeout=within)
    assert started.returncode == code, f"{started.returncode}\n{out}\n{err}"
    return out, err
