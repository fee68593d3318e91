"""A circuit breaker: an unreachable service is tried rarely and delays no other work.

Closed, every call goes through. After two failures in a row it is open, and calls are refused at once, for 5 s, then
twice as long each time, up to 300 s. The first call after that is refused too, and starts a probe in the background,
half-open. If the probe succeeds the breaker is closed, though a single failure opens it again until a call has
succeeded.
"""

import random
import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Literal, TypeVar

from mabos.configs.errors import Unavailable
from mabos.workspace.delivery import RetryPolicy

State = Literal["closed", "open", "half-open"]
Returned = TypeVar("Returned")

FAILURES = 2
RETRY = RetryPolicy(5.0, longest=300.0)
_SPREAD = 0.2  # of a pause, so that many who lost the same server do not all come back at once


def beside(work: Callable[[], None]) -> None:
    """Run `work` on its own thread, without waiting for it."""
    Thread(target=work, name="probe", daemon=True).start()


class Breaker:
    """A circuit breaker for calls to one service; threads share one object.

    `probe` raises `Unavailable` if the service is out of reach; `start` runs it. `clock` counts seconds, `chance` gives
    numbers from 0 to 1. Only `Unavailable` is a failure; any other error is an answer.
    """

    def __init__(
        self,
        probe: Callable[[], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        start: Callable[[Callable[[], None]], None] = beside,
    ) -> None:
        self._probe = probe
        self._clock = clock
        self._chance = chance
        self._start = start
        self._guard = Lock()
        self._state: State = "closed"
        self._failures = 0
        self._openings = 0  # since a call last succeeded
        self._until = 0.0
        self._turn = 0  # counts changes of state, so that a call begun before one does not cause another
        self._error = ""

    @property
    def state(self) -> State:
        """The state: calls go through, are refused, or are refused during a probe."""
        return self._state

    @property
    def pause(self) -> float:
        """The seconds left until a probe is allowed; 0 unless it is open."""
        return max(0.0, self._until - self._clock()) if self._state == "open" else 0.0

    @property
    def error(self) -> str:
        """The last failure's message; empty while the service works."""
        return self._error

    def call(self, work: Callable[[], Returned]) -> Returned:
        """Return the result of `work`; raises `Unavailable` without calling it while the breaker is not closed."""
        turn = self._admit_call()
        try:
            answer = work()
        except Unavailable as error:
            self._record_failure(turn, error.message)
            raise
        except Exception:  # whatever it says, something was reached
            self._record_success(turn)
            raise
        self._record_success(turn)
        return answer

    def _admit_call(self) -> int:
        if self._is_due():
            try:
                self._start(self._run_probe)
            except RuntimeError as error:  # no thread can be had; half-open nobody would ever be let through again
                self._record_failure(self._turn, f"the retry failed: {error}")
        with self._guard:
            if self._state != "closed":
                raise Unavailable(self._error)
            return self._turn

    def _is_due(self) -> bool:
        if self._state != "open" or self._clock() < self._until:  # without the lock: refusing must cost nothing
            return False
        with self._guard:
            if self._state != "open":
                return False
            self._become("half-open")
            return True

    def _run_probe(self) -> None:
        turn = self._turn
        try:
            self._probe()
        except Exception as error:  # noqa: BLE001  # a probe that breaks has reached nothing
            self._record_failure(turn, str(error))
        else:
            with self._guard:
                self._failures = FAILURES - 1
                self._become("closed")

    def _record_success(self, turn: int) -> None:
        with self._guard:
            if turn == self._turn:
                self._failures, self._openings, self._error = 0, 0, ""

    def _record_failure(self, turn: int, error: str) -> None:
        with self._guard:
            if turn != self._turn:
                return
            self._failures, self._error = self._failures + 1, error
            if self._state == "closed" and self._failures < FAILURES:
                return
            self._openings += 1
            self._until = self._clock() + RETRY.pause(self._openings) * (1 - _SPREAD * self._chance())
            self._become("open")

    def _become(self, state: State) -> None:
        self._state, self._turn = state, self._turn + 1
