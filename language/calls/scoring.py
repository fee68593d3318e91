"""The reader with the interface of function-calling benchmarks: a call, or None if no call is certain enough.

Nearly all values have a candidate (98 percent of our own slots). The errors are in the choice: the slots of two
numbers, the end of a name, the value of an optional argument. `docs/requests.md` has the measurements.
"""

from collections.abc import Sequence
from typing import Any, Final

from mabos.language.calls.reader import read_call
from mabos.language.operation import Operation

THRESHOLD: Final = 0.61
"""Probability from which a call is answered; see `docs/requests.md`."""


def answer(query: str, functions: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the call with its arguments, or None: no function fits, a value is missing, or the reading is unsure."""
    operations = [
        Operation(function["name"], function.get("description", ""), function.get("parameters", {}))
        for function in functions
    ]
    reading = read_call(query, operations)
    if reading.missing or reading.probability < THRESHOLD:
        return None
    return {"name": reading.operation, "arguments": dict(reading.arguments)}
