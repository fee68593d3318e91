"""A clock that goes by the lines of the repository's own code that have run, so that no machine is slow or fast."""

import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

Trace = Callable[[FrameType, str, Any], Any]


class Overrun(BaseException):  # no `except Exception` of the code under test may catch it
    """More lines ran than may; the traceback ends in the loop that does not look at the clock."""


class Lines:
    """Counts the lines of `knowledge` that run inside a `with`, and stops what runs more than `most` of them."""

    def __init__(self, most: int) -> None:
        self.count, self._most = 0, most
        self._before: Any = None

    def __call__(self) -> float:
        """Return the lines by now, as a clock does the seconds."""
        return float(self.count)

    def __enter__(self) -> "Lines":
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, _event: str, _argument: Any) -> Trace | None:
        if "/knowledge/" not in frame.f_code.co_filename:
            return None
        self.count += 1
        return self._ran

    def _ran(self, _frame: FrameType, event: str, _argument: Any) -> Trace:
        if event == "line":
            self.count += 1
            if self.count > self._most:
                raise Overrun
        return self._ran
