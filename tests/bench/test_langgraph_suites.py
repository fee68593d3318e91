"""The suites that LangGraph and LangChain publish pass over ours, but for tests with a reason, as the page says."""

import pytest

from bench.langgraph_suites import LEFT_OUT, SUITES, SuiteResult, sqlite_suite, store_suite, tool_suite
from tests.conftest import ROOT

pytest.importorskip("langchain_tests")
PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")


def on_page(suite: int) -> str:
    """Return what the page's table says of ours."""
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {list(SUITES)[suite]} |")]
    return row.split("|")[3].strip()


@pytest.mark.slow
def test_our_store_passes_langgraphs_suite_for_stores() -> None:
    result = store_suite(ours=True)
    assert (result, on_page(0)) == (SuiteResult(24, 24, ()), str(result))


@pytest.mark.slow
def test_our_store_passes_the_suite_of_langgraphs_sqlite_store_but_for_tests_with_a_reason() -> None:
    result = sqlite_suite(ours=True)
    assert (result.failures, on_page(1)) == ((), str(result))
    assert [name for name in LEFT_OUT if f"`{name}`" not in PAGE] == []


@pytest.mark.slow
def test_every_operation_passes_langchains_standard_tests_for_tools() -> None:
    result = tool_suite()
    assert (result.failures, on_page(3)) == ((), str(result))
