"""What happens inside a phase, told while it happens: the calls of operations, and the text that a model writes.

    with observed(events.append):
        call(services, "fact_assert", ...)      # events: [{"status": "call", "tool": "fact_assert", ...}]

Nothing of it is a record. Where nobody observes, nothing is told.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Observer = Callable[[Mapping[str, Any]], None]

_OBSERVER: ContextVar[Observer | None] = ContextVar("mabos.activity", default=None)


@contextmanager
def observed(by: Observer | None) -> Iterator[None]:
    """Have `by` told what happens on this thread until the end of the block; None tells nobody."""
    before = _OBSERVER.set(by)
    try:
        yield
    finally:
        _OBSERVER.reset(before)


def observer() -> Observer | None:
    """Return who observes this thread, or None."""
    return _OBSERVER.get()


def text_listener() -> Callable[[str], None] | None:
    """Return what hears the pieces of a model's text as they arrive, or None where nobody observes."""
    observing = _OBSERVER.get()
    return None if observing is None else lambda piece: observing({"status": "text", "text": piece})
