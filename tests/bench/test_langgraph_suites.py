"""The suites that LangGraph and LangChain publish for stores and tools pass over ours, every test of them."""

import pytest

from bench.langgraph_suites import SuiteResult, store_suite, tool_suite

pytest.importorskip("langchain_tests")


@pytest.mark.slow
def test_our_store_passes_langgraphs_suite_for_stores() -> None:
    result = store_suite(ours=True)
    assert result == SuiteResult(24, 24, ())


@pytest.mark.slow
def test_every_operation_passes_langchains_standard_tests_for_tools() -> None:
    result = tool_suite()
    assert result.failures == ()
    assert result.total > 600
