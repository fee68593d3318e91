"""The live company: every agent runs when it has something to do, until somebody stops it.

    with opened(Path("workspace")) as services:
        company = LiveCompany(services)
        company.run(seconds=600)             # or until company.stop() is called from another thread

An agent is an actor: its mailbox is its inbox on disk, and a wake-up says that something lies there. A turn is one
cycle. What wakes an agent: a message, a decision that was answered, a change of its files or its business's by anybody
else, something done that may lead on, and the heartbeat. An agent with none of these costs no cycle.

Turns share a few threads, and one more is kept for what is urgent. An urgent message to an agent in the middle of a
cycle ends that cycle at its next phase boundary and begins a new one, which hears it. Stopping drains the same way.
Nothing is kept here that a restart would miss: all of it follows from the files.
"""

import logging
import math
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from configs.errors import MabosError, Unavailable
from graphs.wiring import run_cycle, run_maintenance
from nodes.report import CycleReport
from society.business import INBOX_FOLDER
from tools.services import Services
from workspace.locks import try_lock

LOG = logging.getLogger(__name__)

WORKERS = 2
"""Agents that think at a time, beside the one place that is kept for what is urgent."""
PACE = 60.0
"""Seconds after which an agent that got on has its next turn, if nothing wakes it before."""
LOOK = 0.25
"""Seconds between looks at what other processes and people have written."""
_PATIENCE = 1.0
"""Seconds until a turn that could not be had is tried again; doubled each time."""
_LONGEST = 600.0
_NEVER = math.inf
_NOTHING_MORE = {"idle", "waiting"}
"""Outcomes after which only news, or the heartbeat, brings an agent further."""

Listener = Callable[[CycleReport], None]
Trace = tuple[str, int, int]
"""A file with its size and time: whether somebody has written into it."""


@dataclass(slots=True)
class Actor:
    """One agent as the company runs it; times are monotonic seconds."""

    agent_id: str
    own: Path
    shared: tuple[Path, ...] = ()
    due: float = _NEVER
    is_urgent: bool = False
    control: RunControl | None = None
    was_urgent: bool = False
    """Whether the running turn was itself urgent: then it is not cut short, so that no flood of mail starves it."""
    failures: int = 0
    seen: frozenset[Trace] = frozenset()
    """Its files, and those of its business, as its last turn left or found them."""
    turns: dict[str, int] = field(default_factory=dict)
    """Turns so far, by their outcome."""

    @property
    def is_running(self) -> bool:
        """Whether a thread is at its turn now."""
        return self.control is not None


class LiveCompany:
    """All agents of a workspace as actors. Raises `Unavailable` where another process runs it live."""

    def __init__(
        self,
        services: Services,
        *,
        workers: int = WORKERS,
        heartbeat: float | None = None,
        pace: float = PACE,
        on_turn: Listener | None = None,
    ) -> None:
        self._services = services
        self._workers = workers
        self._heartbeat = services.settings.heartbeat.minutes * 60 if heartbeat is None else heartbeat
        self._pace = pace
        self._on_turn = on_turn
        self._news = Condition()
        self._stopping = False
        self.actors = {agent_id: self._actor(agent_id) for agent_id in services.agents()}

    def run(self, *, seconds: float = _NEVER) -> None:
        """Run the company until `stop`, or for so many seconds; return when every cycle has ended at a boundary."""
        ends = monotonic() + seconds
        with ExitStack() as open_now:
            path = self._services.layout.internal / "locks" / "live.lock"
            if not open_now.enter_context(try_lock(path)):
                raise Unavailable(f"{self._services.layout.root} is run live by another process; stop that one first")
            open_now.callback(self._services.on_wake(self.wake))
            threads = [
                Thread(target=self._work, args=(only,), daemon=True) for only in (True, *[False] * self._workers)
            ]
            open_now.callback(self._drain, threads)
            for agent_id in self.actors:
                self.wake(agent_id)
            for thread in threads:
                thread.start()
            self._watch(ends)

    def stop(self) -> None:
        """Have every running cycle end at its next phase boundary, and begin no other. May be called from anywhere."""
        self._stopping = True

    def wake(self, agent_id: str, urgent: bool = False) -> None:
        """Give an agent a turn as soon as there is a thread; what is urgent cuts its running cycle short."""
        with self._news:
            actor = self.actors.get(agent_id)
            if actor is None:
                actor = self.actors[agent_id] = self._actor(agent_id)  # founded while the company runs
            actor.due = min(actor.due, monotonic())
            actor.is_urgent = actor.is_urgent or urgent
            if urgent and actor.control is not None and not actor.was_urgent:
                actor.control.request_drain("urgent")
            self._news.notify_all()

    def _watch(self, ends: float) -> None:
        """Look at what others write, and keep the heartbeat, until the end."""
        beat = monotonic() + self._heartbeat
        while not self._stopping and monotonic() < ends:
            with self._news:
                self._news.wait(max(0.0, min(LOOK, ends - monotonic())))
            look = cache(_traces)  # the folders of a business are those of all its agents, and looked at once
            for actor in list(self.actors.values()):
                if not actor.is_running and look(actor.own) | look(*actor.shared) != actor.seen:
                    self.wake(actor.agent_id)
            if monotonic() >= beat:
                beat += self._heartbeat
                self._beat()

    def _beat(self) -> None:
        try:
            run_maintenance(self._services)
        except MabosError as error:
            LOG.warning("heartbeat: %s", error.message)
        for agent_id in self._services.agents():
            self.wake(agent_id)

    def _work(self, urgent_only: bool) -> None:
        while True:
            with self._news:
                actor = self._next(urgent_only)
                while actor is None and not self._stopping:
                    self._news.wait(None if urgent_only else self._until_next())
                    actor = self._next(urgent_only)
                if actor is None or self._stopping:
                    return
                actor.control, actor.was_urgent = RunControl(), actor.is_urgent
                actor.due, actor.is_urgent = _NEVER, False
            pause = self._turn(actor, actor.control)
            with self._news:
                actor.control = None
                actor.due = min(actor.due, monotonic() + pause)
                self._news.notify_all()

    def _next(self, urgent_only: bool) -> Actor | None:
        """Return whose turn it is: what is urgent first, then who has waited longest."""
        now = monotonic()
        ready = [
            (not one.is_urgent, one.due, one.agent_id)
            for one in self.actors.values()
            if one.due <= now and not one.is_running and (one.is_urgent or not urgent_only)
        ]
        return self.actors[min(ready)[2]] if ready else None

    def _until_next(self) -> float:
        waiting = [one.due for one in self.actors.values() if not one.is_running]
        return max(0.0, min((*waiting, monotonic() + 60)) - monotonic())

    def _turn(self, actor: Actor, control: RunControl) -> float:
        """Run one cycle, and return after how many seconds the agent's next turn is."""
        actor.shared = self._shared(actor.agent_id)
        found = _traces(*actor.shared)
        outcome = "failed"
        try:
            report = run_cycle(self._services, actor.agent_id, trigger="live", control=control)
            outcome = report.outcome
        except GraphDrained:
            outcome = "cut short"
        except MabosError as error:
            LOG.warning("%s: %s", actor.agent_id, error.message)
        except Exception:  # one agent's fault must not end the others
            LOG.exception("the turn of %s failed", actor.agent_id)
        else:
            if self._on_turn:
                self._on_turn(report)
        actor.seen = found | _traces(actor.own)
        actor.failures = actor.failures + 1 if outcome == "failed" else 0
        actor.turns[outcome] = actor.turns.get(outcome, 0) + 1
        return self._pause(actor, outcome)

    def _pause(self, actor: Actor, outcome: str) -> float:
        """Return how long an agent rests: not at all with mail unread, at its pace where it got on, else for good."""
        if outcome == "failed":
            return min(_LONGEST, _PATIENCE * 2.0 ** (actor.failures - 1))
        agent = self._services.agent(actor.agent_id)
        if outcome == "cut short" or agent.inbox.unread():
            return 0.0
        return _NEVER if outcome in _NOTHING_MORE else self._pace

    def _actor(self, agent_id: str) -> Actor:
        return Actor(agent_id, self._services.layout.agent(agent_id))

    def _shared(self, agent_id: str) -> tuple[Path, ...]:
        """Return the folders of the agent's business in which others write; none while its manifest cannot be read."""
        try:
            agent = self._services.agent(agent_id)
            home = agent.business.directory if agent.business_id else None
        except MabosError:
            return ()
        return (home, home / INBOX_FOLDER) if home else ()

    def _drain(self, threads: list[Thread]) -> None:
        self._stopping = True
        with self._news:
            for actor in self.actors.values():
                if actor.control is not None:
                    actor.control.request_drain("shutdown")
            self._news.notify_all()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _traces(*folders: Path) -> frozenset[Trace]:
    return frozenset(trace for folder in folders for trace in _files(folder))


def _files(folder: Path) -> Iterator[Trace]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file():
                    found = entry.stat()
                    yield entry.path, found.st_size, found.st_mtime_ns
    except FileNotFoundError:
        return
