"""Right of way for urgent work: until its cycle perceives, all other work yields, but only briefly.

Threads share one interpreter. So others wait where they hold nothing that a cycle needs: between two phases, and after
sending mail. The program that owns the process sets the thread switch interval, which `mabos live` shortens.
"""

from threading import Event, Lock
from time import monotonic

from langgraph.runtime import RunControl

PATIENCE = 0.02
"""Seconds for which others step aside: what is not perceived by then waits for something else than the interpreter."""


class Way:
    """The agents with urgent work whose cycle has not perceived it yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way: set[str] = set()
        self._is_free, self._until = Event(), 0.0
        self._is_free.set()

    def take(self, agent_id: str) -> None:
        """Make others yield until the agent's next cycle perceives."""
        with self._lock:
            self._under_way.add(agent_id)
            self._until = monotonic() + PATIENCE
            self._is_free.clear()

    def control(self, agent_id: str, *, is_urgent: bool) -> RunControl:
        """Return the control of a new cycle."""
        return Ahead(self, agent_id) if is_urgent else Aside(self)

    def leave(self, agent_id: str) -> None:
        """Release the right of way."""
        if agent_id in self._under_way:
            with self._lock:
                self._under_way.discard(agent_id)
                if not self._under_way:
                    self._free()

    def step_aside(self) -> None:
        """Return once no urgent work is pending, or it has been pending too long."""
        if not self._is_free.is_set() and not self._is_free.wait(max(0.0, self._until - monotonic())):
            with self._lock:
                if monotonic() >= self._until:  # nothing else has come meanwhile
                    self._free()

    def _free(self) -> None:
        self._under_way.clear()
        self._is_free.set()


class Aside(RunControl):
    """The control of an ordinary cycle: LangGraph checks it before each phase, and it yields to urgent work."""

    __slots__ = ("_way",)

    def __init__(self, way: Way) -> None:
        super().__init__()
        self._way = way

    @property
    def drain_requested(self) -> bool:
        """Return whether the cycle must end here."""
        if not super().drain_requested:
            self._way.step_aside()
        return super().drain_requested


class Ahead(RunControl):
    """The control of an urgent cycle, which has begun to perceive when LangGraph first checks it."""

    __slots__ = ("_agent_id", "_way")

    def __init__(self, way: Way, agent_id: str) -> None:
        super().__init__()
        self._way, self._agent_id = way, agent_id

    @property
    def drain_requested(self) -> bool:
        """Return whether the cycle must end here."""
        self._way.leave(self._agent_id)
        return super().drain_requested
