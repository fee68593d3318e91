"""How much work a piece of code may make of what a stranger sends."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_FAR_TOO_MUCH = 60.0


class TooMuchWork(BaseException):
    """What was sent keeps the processor busy; no `except Exception` of the code under test may swallow it."""


@contextmanager
def bounded() -> Iterator[None]:
    """Raise `TooMuchWork` where the body uses a minute of this process's own processor time.

    That is no measure of speed: what is tried with it takes milliseconds where it is right and hours where it is not.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooMuchWork

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _FAR_TOO_MUCH)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
