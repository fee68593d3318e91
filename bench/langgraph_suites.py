"""LangGraph's and LangChain's own test suites on our implementations and the reference ones.

LangGraph's suite for stores (`bench/data/langgraph`, copied from `libs/checkpoint/tests` of its repository) runs twice:
as it is, over LangGraph's `InMemoryStore`, and with our `MemoryStore` in its place; the three files of its
`checkpoint-sqlite` likewise, over `SqliteStore`. The conformance package checks our
checkpointer and theirs; LangChain's standard tests for tools run over every operation.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.measured import Line, exactly
from bench.printed import printed

ROOT = Path(__file__).resolve().parents[1]
_PLUGINS = ("-p", "no:cacheprovider", "-p", "pytest_asyncio.plugin", "-p", "pytest_mock", "-p", "xdist.plugin")
"""The plugins that the suites need; loading every installed plugin costs each process seconds."""
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
_SQLITE = '''
import tempfile
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import langgraph.store.sqlite
import langgraph.store.sqlite.aio
from mabos.graphs.memory_store import MemoryStore
from mabos.tools.runtime.opening import open_services


def open_store(cls, index, ttl):
    if index and index.get("text_fields"):
        index = {**index, "fields": index["text_fields"]}
    return cls(open_services(Path(tempfile.mkdtemp())), index=index, ttl=ttl)


class SqliteStore(MemoryStore):
    """Ours, opened as LangGraph's tests open theirs."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, path, *, index=None, ttl=None, **_):
        store = open_store(cls, index, ttl)
        yield store
        store.close()

    def setup(self):
        pass


class AsyncSqliteStore(MemoryStore):
    """The same one; what theirs awaits is at once here."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, path, *, index=None, ttl=None, **_):
        store = open_store(cls, index, ttl)
        yield store
        store.close()

    async def setup(self):
        pass

    async def sweep_ttl(self):
        return MemoryStore.sweep_ttl(self)

    def _sweep(self, seconds):
        while not self._stop_sweeping.wait(seconds):
            MemoryStore.sweep_ttl(self)

    async def start_ttl_sweeper(self, minutes=None):
        MemoryStore.start_ttl_sweeper(self, minutes)

    async def stop_ttl_sweeper(self, timeout=None):
        return MemoryStore.stop_ttl_sweeper(self, timeout)


langgraph.store.sqlite.SqliteStore = SqliteStore
langgraph.store.sqlite.AsyncSqliteStore = langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncSqliteStore
'''
LEFT_OUT = {
    "test_vector_store_initialization": "it reads the tables of a SQLite database",
    "test_nonnull_migrations": "it reads the migrations of a SQLite database",
    "test_sql_injection_vulnerability": "it expects a `ValueError` for a filter key that SQL could not quote; here any "
    "text is the name of a field, and one that no entry has finds nothing",
    "test_no_running_loop": "it expects calls without `await` to fail within a loop; ours work there",
}
"""The tests of `checkpoint-sqlite` that ours is not made to pass, with the reason."""
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


SUITES = {
    "store: LangGraph's `test_store.py`": "InMemoryStore",
    "store: `test_store.py`, `test_async_store.py`, `test_ttl.py` of `checkpoint-sqlite`": "SqliteStore",
    "checkpointer: `langgraph-checkpoint-conformance`": "AsyncSqliteSaver",
    "tools: `langchain-tests`, every operation": "-",
}
"""The suites as the table of docs/extending.md names them, and what is beside ours."""


def lines(scale: int) -> Iterator[Line]:
    """Yield how many tests of each suite pass on ours, at any scale; the limit is all but `LEFT_OUT`."""
    runs: list[Callable[[], tuple[SuiteResult | None, SuiteResult]]] = [
        lambda: (store_suite(ours=False), store_suite(ours=True)),
        lambda: (sqlite_suite(ours=False), sqlite_suite(ours=True)),
        lambda: asyncio.run(_checkpointers()),
        lambda: (None, tool_suite()),
    ]
    for (suite, peer), run in zip(SUITES.items(), runs, strict=True):
        reference, ours = run()
        note = f"{ours}; {peer} {reference}" if reference else str(ours)
        yield Line(suite, exactly(ours.passed), least=ours.passed + len(ours.failures), unit="", note=note)


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The number of passed tests of a suite, the total, and the lines of the failures."""

    passed: int
    total: int
    failures: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.passed} of {self.total}"


def store_suite(*, ours: bool) -> SuiteResult:
    """Run LangGraph's suite for stores on our store or theirs."""
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "tests"
        tests.mkdir()
        for path in (Path(__file__).parent / "data" / "langgraph").glob("*.py.txt"):
            (tests / path.stem).write_text(path.read_text("utf-8"), "utf-8")
        (tests / "__init__.py").touch()
        (Path(folder) / "conftest.py").write_text(_INSTEAD if ours else "", encoding="utf-8")
        return _pytest(Path(folder), "tests/test_store.py", "-o", "asyncio_mode=auto")


def sqlite_suite(*, ours: bool) -> SuiteResult:
    """Run LangGraph's SQLite store suite on theirs or ours; a Python without SQLite extensions fails some.

    Failures are those that `LEFT_OUT` does not explain.
    """
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "tests"
        tests.mkdir()
        for path in (Path(__file__).parent / "data" / "langgraph" / "sqlite").glob("*.py.txt"):
            (tests / path.stem).write_text(path.read_text("utf-8"), "utf-8")
        (tests / "__init__.py").touch()
        (Path(folder) / "conftest.py").write_text(_SQLITE if ours else "", encoding="utf-8")
        found = _pytest(Path(folder), "tests", "-o", "asyncio_mode=auto", "-n", "4")  # most of them sleep
    named = re.compile(rf"::({'|'.join(LEFT_OUT)})\b")
    return replace(found, failures=tuple(line for line in found.failures if not named.search(line)))


def tool_suite() -> SuiteResult:
    """Run LangChain's standard tests on every operation of a new company."""
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / "test_tools.py"
        test.write_text(_TOOLS % str(Path(folder) / "company"), encoding="utf-8")
        return _pytest(Path(folder), "test_tools.py")


def _pytest(folder: Path, *words: str) -> SuiteResult:
    command = [sys.executable, "-m", "pytest", "-q", *_PLUGINS, "-n", "0", "--rootdir", ".", *words]
    paths = f"{folder}:{ROOT}:{':'.join(sys.path)}"
    around = {**_environment(), "PYTHONPATH": paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=around)
    lines = done.stdout.splitlines()
    found = {kind: int(number) for number, kind in _COUNTED.findall(lines[-1] if lines else "")}
    failures = tuple(line for line in lines if line.startswith(("FAILED", "ERROR")))
    passed = found.get("passed", 0)
    total = passed + found.get("failed", 0) + found.get("error", 0)
    return SuiteResult(passed, total, failures if total else (*failures, done.stdout[-600:] + done.stderr[-600:]))


def _environment() -> dict[str, str]:
    from mabos.configs.settings import environment

    return dict(environment().variables)


async def _checkpointers() -> tuple["SuiteResult", "SuiteResult"]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from mabos.graphs.checkpoints import Checkpoints

    with tempfile.TemporaryDirectory() as folder:

        async def sqlite() -> AsyncIterator[Any]:
            async with AsyncSqliteSaver.from_conn_string(":memory:") as saver:
                yield saver

        async def ours() -> AsyncIterator[Any]:
            saver = Checkpoints(Path(folder) / "checkpoints.sqlite", keep=1_000)
            yield saver
            saver.close()

        made = {"AsyncSqliteSaver": sqlite, "ours": ours}
        said = {name: await _conformance(name, make) for name, make in made.items()}
    return said["AsyncSqliteSaver"], said["ours"]


async def _conformance(name: str, make: Any) -> "SuiteResult":
    from langgraph.checkpoint.conformance import checkpointer_test, validate

    report = await validate(checkpointer_test(name=name)(make))
    failures = tuple(name for name, one in report.results.items() if one.passed is not True)
    return SuiteResult(len(report.results) - len(failures), len(report.results), failures)


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
