"""LangGraph's and LangChain's own suites against ours, and against the reference implementations: one table.

    pip install langgraph-checkpoint-conformance langchain-tests pytest-asyncio pytest-mock
    python -m bench.langgraph_suites PATH_OF_A_LANGGRAPH_CHECKOUT

The checkout's `libs/checkpoint/tests/test_store.py` runs twice: as it is, over LangGraph's `InMemoryStore`, and with
our `MemoryStore` in its place. The conformance package checks our checkpointer and theirs; LangChain's standard tests
for tools run over every operation.
"""

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_COUNTED = re.compile(r"(\d+) (passed|failed|error|skipped)")
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


def example(schema):
    if "enum" in schema or "const" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    if "anyOf" in schema:
        return example(schema["anyOf"][0])
    made = {"integer": 1, "number": schema.get("minimum", 0.5), "boolean": True, "array": [], "object": {}}
    if schema.get("type") == "array" and schema.get("minItems"):
        return [example(schema.get("items", {}))]
    return made.get(schema.get("type"), "x")


def arguments(schema):
    return {name: example(schema["properties"][name]) for name in schema["required"]}


def suite(tool):
    class Suite(ToolsUnitTests):
        tool_constructor = property(lambda self: tool)
        tool_invoke_params_example = property(lambda self: arguments(tool.args_schema))
    Suite.__name__ = Suite.__qualname__ = "Test_" + tool.name
    return Suite


globals().update({one.__name__: one for one in map(suite, langchain_tools(WORKSPACE))})
"""


def main(checkout: Path) -> None:
    """Run every suite and print the table as Markdown."""
    rows = [("store: `libs/checkpoint/tests/test_store.py`", _store(checkout, ours=False), _store(checkout, ours=True))]
    rows.append(("checkpointer: `langgraph-checkpoint-conformance`", *asyncio.run(_checkpointers())))
    rows.append(("tools: `langchain-tests`, every operation", "-", _tools()))
    print("| Suite | Reference | MABOS |\n| --- | --- | --- |")
    for name, reference, ours in rows:
        print(f"| {name} | {reference} | {ours} |")


def _store(checkout: Path, *, ours: bool) -> str:
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "tests"
        shutil.copytree(checkout / "libs" / "checkpoint" / "tests", tests)
        conftest = "pytest_plugins = []\n" + (_INSTEAD if ours else "")
        (Path(folder) / "conftest.py").write_text(conftest, encoding="utf-8")
        return _counts(_pytest(Path(folder), "tests/test_store.py", "-o", "asyncio_mode=auto"))


def _tools() -> str:
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / "test_tools.py"
        test.write_text(_TOOLS % str(Path(folder) / "company"), encoding="utf-8")
        return _counts(_pytest(Path(folder), "test_tools.py"))


def _pytest(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "--rootdir", ".", *words]
    paths = f"{folder}:{ROOT}:{':'.join(sys.path)}"
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**_environment(), "PYTHONPATH": paths}
    )
    for line in done.stdout.splitlines():
        if line.startswith(("FAILED", "ERROR")):
            print(line[:160], file=sys.stderr)
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-300:]


def _environment() -> dict[str, str]:
    from mabos.configs.settings import environment

    return dict(environment().variables)


def _counts(line: str) -> str:
    found = {kind: int(number) for number, kind in _COUNTED.findall(line)}
    passed = found.get("passed", 0)
    total = passed + found.get("failed", 0) + found.get("error", 0)
    return f"{passed} of {total}" if total else line


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
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bench.langgraph_suites PATH_OF_A_LANGGRAPH_CHECKOUT")
    main(Path(sys.argv[1]))
