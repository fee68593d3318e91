"""LangGraph's published conformance suite for checkpointers, against ours."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mabos.graphs.checkpoints import Checkpoints

conformance = pytest.importorskip("langgraph.checkpoint.conformance")


def test_our_checkpointer_has_every_capability_of_the_suite(tmp_path: Path) -> None:
    @conformance.checkpointer_test(name="Checkpoints")  # type: ignore[untyped-decorator]  # the suite has no types
    async def ours() -> AsyncIterator[Checkpoints]:
        saver = Checkpoints(tmp_path / "checkpoints.sqlite", keep=1_000)
        yield saver
        saver.close()

    report = asyncio.run(conformance.validate(ours))
    results = report.results
    assert {name: one.failures for name, one in results.items() if one.failures} == {}
    assert all(one.passed for one in results.values()), results
    assert {"copy_thread", "delete_for_runs", "prune"} <= set(results)
