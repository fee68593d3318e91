"""The reader behind the interface of function-calling benchmarks: a call, or None where none is sure enough."""

from collections.abc import Sequence
from typing import Any, Final

from mabos.backends import minilm
from mabos.language.calls.reader import read_call
from mabos.language.operation import Operation

THRESHOLD: Final = 0.45
"""Probability from which a call is answered; chosen by cross-validation."""


def answer(query: str, functions: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the call with its arguments, or None: no function fits, a value is missing, or the reading is unsure."""
    return _answer(query, functions, with_embedder=not minilm.missing())


def answer_without_embedder(query: str, functions: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return what `answer` does from words alone."""
    return _answer(query, functions, with_embedder=False)


def _answer(query: str, functions: Sequence[dict[str, Any]], *, with_embedder: bool) -> dict[str, Any] | None:
    operations = [
        Operation(function["name"], function.get("description", ""), function.get("parameters", {}))
        for function in functions
    ]
    reading = read_call(query, operations, embedder=minilm.MiniLM() if with_embedder else None)
    if reading.missing or reading.probability < THRESHOLD:
        return None
    return {"name": reading.operation, "arguments": dict(reading.arguments)}
