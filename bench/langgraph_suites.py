"""LangGraph's and LangChain's own suites against ours, and against the reference implementations: one table.

    python -m bench.langgraph_suites

LangGraph's suite for stores (`bench/data/langgraph`, copied from `libs/checkpoint/tests` of its repository) runs twice:
as it is, over LangGraph's `InMemoryStore`, and with our `MemoryStore` in its place. The conformance package checks our
checkpointer and theirs; LangChain's standard tests for tools run over every operation.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_COUNTED = re.compile(r"(\d+) (passed|failed|error|skipped)s?")
_INSTEAD = '''
import tempfile
from pathlib import Path

import langgraph.store.memory
from mabos.graphs.memory_store import MemoryStore
from mabos.tools.runtime.opening import open_services


class InMemoryStore(MemoryStore):
    """Ours, made as LangGraph's tests make theirs."""

    def __init__(self, *, index=None):
        super().__init__(open_services(Path(tempfile.mkdtemp())), index=index)


langgraph.store.memory.InMemoryStore = InMemoryStore
'''
_TOOLS = """
import pytest
from langchain_tests.unit_tests import ToolsUnitTests
from mabos import open_workspace
from mabos.interfaces.surfaces.langchain import langchain_tools

WORKSPACE = open_workspace(%r)
WORKSPACE.create_business("acme", name="Acme", template="saas")


def example(schema, defs):
    if "$ref" in schema:
        return example(defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "enum" in schema or "const" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    if "anyOf" in schema:
        return example(schema["anyOf"][0], defs)
    if schema.get("type") == "object":
        return {name: example(schema["properties"][name], defs) for name in schema.get("required", [])}
    if schema.get("type") == "array":
        return [example(schema.get("items", {}), defs)] * schema.get("minItems", 0)
    return {"integer": 1, "number": schema.get("minimum", 0.5), "boolean": True}.get(schema.get("type"), "x")


def arguments(schema):
    return example(schema, schema.get("$defs", {}))


def suite(tool):
    class Suite(ToolsUnitTests):
        tool_constructor = property(lambda self: tool)
        tool_invoke_params_example = property(lambda self: arguments(tool.args_schema))
    Suite.__name__ = Suite.__qualname__ = "Test_" + tool.name
    return Suite


globals().update({one.__name__: one for one in map(suite, langchain_tools(WORKSPACE))})
"""


def main() -> None:
    """Run every suite and print the table as Markdown."""
    rows = [
        ("store: LangGraph's `test_store.py`", f"InMemoryStore {store_suite(ours=False)}", f"{store_suite(ours=True)}")
    ]
    rows.append(("checkpointer: `langgraph-checkpoint-conformance`", *asyncio.run(_checkpointers())))
    rows.append(("tools: `langchain-tests`, every operation", "-", f"{tool_suite()}"))
    print("| Suite | Reference | MABOS |\n| --- | --- | --- |")
    for name, reference, ours in rows:
        print(f"| {name} | {reference} | {ours} |")


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """How many tests of a suite passed, how many there are, and the lines of those that failed."""

    passed: int
    total: int
    failures: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.passed} of {self.total}"


def store_suite(*, ours: bool) -> SuiteResult:
    """Run LangGraph's suite for stores over our store or over theirs."""
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "tests"
        tests.mkdir()
        for path in (Path(__file__).parent / "data" / "langgraph").glob("*.py.txt"):
            (tests / path.stem).write_text(path.read_text("utf-8"), "utf-8")
        (tests / "__init__.py").touch()
        (Path(folder) / "conftest.py").write_text(_INSTEAD if ours else "", encoding="utf-8")
        return _pytest(Path(folder), "tests/test_store.py", "-o", "asyncio_mode=auto")


def tool_suite() -> SuiteResult:
    """Run LangChain's standard tests over every operation of a founded company."""
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / "test_tools.py"
        test.write_text(_TOOLS % str(Path(folder) / "company"), encoding="utf-8")
        return _pytest(Path(folder), "test_tools.py")


def _pytest(folder: Path, *words: str) -> SuiteResult:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "--rootdir", ".", *words]
    paths = f"{folder}:{ROOT}:{':'.join(sys.path)}"
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**_environment(), "PYTHONPATH": paths}
    )
    lines = done.stdout.splitlines()
    found = {kind: int(number) for number, kind in _COUNTED.findall(lines[-1] if lines else "")}
    failures = tuple(line for line in lines if line.startswith(("FAILED", "ERROR")))
    passed = found.get("passed", 0)
    total = passed + found.get("failed", 0) + found.get("error", 0)
    return SuiteResult(passed, total, failures if total else (*failures, done.stdout[-600:] + done.stderr[-600:]))


def _environment() -> dict[str, str]:
    from mabos.configs.settings import environment

    return dict(environment().variables)


async def _checkpointers() -> tuple[str, str]:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from mabos.graphs.checkpoints import Checkpoints

    with tempfile.TemporaryDirectory() as folder:

        async def memory() -> AsyncIterator[Any]:
            yield InMemorySaver()

        async def sqlite() -> AsyncIterator[Any]:
            async with AsyncSqliteSaver.from_conn_string(":memory:") as saver:
                yield saver

        async def ours() -> AsyncIterator[Any]:
            saver = Checkpoints(Path(folder) / "checkpoints.sqlite", keep=1_000)
            yield saver
            saver.close()

        made = {"InMemorySaver": memory, "AsyncSqliteSaver": sqlite, "ours": ours}
        said = {name: await _validated(name, make) for name, make in made.items()}
    return f"InMemorySaver {said['InMemorySaver']}, AsyncSqliteSaver {said['AsyncSqliteSaver']}", said["ours"]


async def _validated(name: str, make: Any) -> str:
    from langgraph.checkpoint.conformance import checkpointer_test, validate

    report = await validate(checkpointer_test(name=name)(make))
    passed = sum(one.passed is True for one in report.results.values())
    return f"{passed} of {len(report.results)} capabilities"


if __name__ == "__main__":
    main()
