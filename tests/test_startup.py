"""The command line answers at once: heavy libraries are imported by the command that needs them, and by no other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"langgraph", "chromadb", "neo4j", "langchain_openai", "onnxruntime", "tokenizers", "numpy"}
ALSO_NOT_FOR_HELP = {"pydantic", "rich", "yaml", "sqlite3"}


def python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python on this source, and return what it wrote."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MABOS_NOW": "2026-02-24T14:30:00Z"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )


def imported(*command: str, folder: Path) -> set[str]:
    """Return the top-level packages that a MABOS command imports."""
    errors = python("-X", "importtime", "-m", "mabos", *command, folder=folder).stderr
    lines = [line for line in errors.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def seconds(*arguments: str, folder: Path) -> float:
    """Return the least processor time of three, of which a busy machine takes little away."""

    def once() -> float:
        before = os.times()
        python(*arguments, folder=folder)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(once() for _ in range(3))


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("startup")
    python("-m", "mabos", "init", "workspace", folder=folder)
    python("-m", "mabos", "business", "create", "acme", "--name", "Acme", "--template", "saas", folder=folder)
    return folder


def test_help_takes_a_small_fraction_of_importing_langgraph(tmp_path: Path) -> None:
    assert (
        seconds("-m", "mabos", "--help", folder=tmp_path) < seconds("-c", "import langgraph.graph", folder=tmp_path) / 3
    )


def test_help_imports_next_to_nothing(tmp_path: Path) -> None:
    packages = imported("--help", folder=tmp_path)
    assert "click" in packages
    assert not packages & (HEAVY | ALSO_NOT_FOR_HELP)


@pytest.mark.parametrize(
    "command",
    [
        ("init", "another"),
        ("business", "list"),
        ("business", "status", "acme"),
        ("tools",),
        ("mind", "cfo"),
        ("memory", "status"),
        ("decisions", "list"),
        ("verify", "ledger"),
        ("call", "belief_get", "{}", "--agent", "cfo"),
    ],
    ids=" ".join,
)
def test_a_command_that_runs_no_graph_imports_none(command: tuple[str, ...], company: Path) -> None:
    assert not imported(*command, folder=company) & HEAVY
