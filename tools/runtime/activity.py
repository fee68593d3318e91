"""Reports of activity within a phase as it happens: calls of operations, and text that a model writes.

    with observe_activity(events.append):
        call(services, "fact_assert", ...)      # events: [{"status": "call", "tool": "fact_assert", ...}]

None of it is recorded, and without an observer none is reported.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Observer = Callable[[Mapping[str, Any]], None]

_OBSERVER: ContextVar[Observer | None] = ContextVar("mabos.activity", default=None)


@contextmanager
def observe_activity(by: Observer | None) -> Iterator[None]:
    """Report activity on this thread to `by` until the end of the block; None reports nothing."""
    before = _OBSERVER.set(by)
    try:
        yield
    finally:
        _OBSERVER.reset(before)


def observer() -> Observer | None:
    """Return this thread's observer, or None."""
    return _OBSERVER.get()


def text_listener() -> Callable[[str], None] | None:
    """Return the listener for the pieces of a model's text as they arrive, or None without an observer."""
    observing = _OBSERVER.get()
    return None if observing is None else lambda piece: observing({"status": "text", "text": piece})
