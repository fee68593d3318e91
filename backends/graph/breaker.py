"""A circuit breaker: what is out of reach is asked rarely, and costs nobody else any time.

Closed, every call goes through. After two failures in a row it is open, and calls are refused at once, for 5 s, then
twice as long each time, up to 300 s. After that one call is the trial: a probe first, then the call itself. If both
succeed the breaker is closed; meanwhile all others are still refused.
"""

import random
import time
from collections.abc import Callable
from threading import Lock
from typing import Literal, TypeVar

from configs.errors import Unavailable

State = Literal["closed", "open", "half-open"]
Returned = TypeVar("Returned")

FAILURES = 2
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0  # seconds
_SPREAD = 0.2  # of a pause, so that many who lost the same server do not all come back at once


class Breaker:
    """Lets calls through or refuses them; threads share one object.

    `probe` raises `Unavailable` where there is nothing to be reached, and is asked before the call that would be the
    first again. `clock` counts seconds, `chance` gives numbers from 0 to 1. Whatever else a call raises is an answer:
    only `Unavailable` is a failure.
    """

    def __init__(
        self,
        probe: Callable[[], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._probe = probe
        self._clock = clock
        self._chance = chance
        self._guard = Lock()
        self._state: State = "closed"
        self._failures = 0
        self._pause = 0.0
        self._until = 0.0
        self._turn = 0  # counts changes of state, so that a call begun before one does not cause another
        self._error = ""

    @property
    def state(self) -> State:
        """Whether calls go through, are refused, or are refused while one is tried."""
        return self._state

    @property
    def pause(self) -> float:
        """How many seconds are left until a call is tried; 0 if one may be."""
        return max(0.0, self._until - self._clock()) if self._state == "open" else 0.0

    @property
    def error(self) -> str:
        """What the last failure said; empty while all is well."""
        return self._error

    def call(self, work: Callable[[], Returned]) -> Returned:
        """Return what `work` does; raises `Unavailable` without calling it while the breaker is open."""
        turn, is_trial = self._admitted()
        try:
            if is_trial:
                self._probe()
            answer = work()
        except Unavailable as error:
            self._failed(turn, error.message)
            raise
        except Exception:
            self._succeeded(turn)
            raise
        except BaseException:  # interrupted: nothing was learned, and the next may try
            if is_trial:
                self._opened(turn, self._error, 0.0)
            raise
        self._succeeded(turn)
        return answer

    def _admitted(self) -> tuple[int, bool]:
        with self._guard:
            if self._state == "closed":
                return self._turn, False
            if self._state == "half-open" or self._clock() < self._until:
                raise Unavailable(self._error)
            self._become("half-open")
            return self._turn, True

    def _succeeded(self, turn: int) -> None:
        with self._guard:
            if turn == self._turn:
                self._failures, self._pause, self._error = 0, 0.0, ""
                if self._state != "closed":
                    self._become("closed")

    def _failed(self, turn: int, error: str) -> None:
        with self._guard:
            if turn != self._turn:
                return
            self._failures, self._error = self._failures + 1, error
            if self._state == "closed" and self._failures < FAILURES:
                return
            self._pause = min(max(2 * self._pause, FIRST_PAUSE), LONGEST_PAUSE)
        self._opened(turn, error, self._pause * (1 - _SPREAD * self._chance()))

    def _opened(self, turn: int, error: str, pause: float) -> None:
        with self._guard:
            if turn == self._turn:
                self._until, self._error = self._clock() + pause, error
                self._become("open")

    def _become(self, state: State) -> None:
        self._state, self._turn = state, self._turn + 1
