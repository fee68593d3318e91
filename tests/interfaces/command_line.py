"""How these tests use the command line: in this process, with standard output and standard error apart."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from mabos.interfaces.cli import front

NOW = "2026-02-24T14:30:00Z"


def mabos(*arguments: str, workspace: Path | None = None, code: int = 0, now: str = NOW) -> Result:
    """Run a command and return its result; the exit code must be `code`."""
    where = ["--workspace", str(workspace)] if workspace else []
    result = CliRunner().invoke(front, [*where, *arguments], env={"MABOS_NOW": now}, prog_name="mabos")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, f"{result.exit_code}\n{result.stdout}\n{result.stderr}"
    return result


def answer(*arguments: str, workspace: Path | None = None, code: int = 0, now: str = NOW) -> Any:
    """Run a command with `--json` and return what it answers."""
    return json.loads(mabos("--json", *arguments, workspace=workspace, code=code, now=now).stdout)


def company(folder: Path) -> Path:
    """Return a workspace in `folder` with one business."""
    mabos("business", "create", "acme", "--name", "Acme", "--template", "saas", workspace=folder)
    return folder
