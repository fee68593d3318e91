"""The suites that LangGraph and LangChain publish for stores and tools pass over ours, every test of them."""

import pytest

from bench.langgraph_suites import SuiteResult, store_suite, tool_suite

pytest.importorskip("langchain_tests")
EXCLUDED: dict[str, str] = {}
"""Tests of LangChain's suite for tools that may fail, each with its reason; there are none."""


@pytest.mark.slow
def test_our_store_passes_langgraphs_suite_for_stores() -> None:
    result = store_suite(ours=True)
    assert result == SuiteResult(24, 24, ())


@pytest.mark.slow
def test_every_operation_passes_langchains_standard_tests_for_tools() -> None:
    result = tool_suite()
    failed = [line for line in result.failures if not any(name in line for name in EXCLUDED)]
    assert failed == []
    assert result.total > 600
