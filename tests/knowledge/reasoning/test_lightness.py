"""The way in to reasoning is light: what a method computes with is imported when the method runs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEAVY = {"clingo", "numpy", "scipy", "networkx", "langgraph", "langchain_core"}


def imported(statement: str) -> set[str]:
    """Return the top-level packages a statement imports, in a Python of its own."""
    told = subprocess.run(
        [sys.executable, "-c", f"import sys; {statement}; print(*sorted(sys.modules))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in told.stdout.split()}


def test_the_engine_imports_neither_clingo_nor_numpy() -> None:
    found = imported("import mabos.knowledge.reasoning.engine")
    assert "pydantic" in found
    assert not found & HEAVY


def test_choosing_among_all_kinds_and_methods_imports_neither_clingo_nor_numpy() -> None:
    statement = (
        "from mabos.knowledge.reasoning.methods import *; [schema(one) for one in kinds()]; [*map(solver, METHODS)]"
    )
    assert not imported(statement) & HEAVY
