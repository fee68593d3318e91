"""The threads of a live company: some that run agents, one for urgent ones, one timer, one or two watchers.

An agent is an actor: its mailbox is its inbox on disk, and a wake-up means that there is something in it. A turn is one
cycle. An agent wakes up for a message, an answered decision, an outside change of its or its business's files, work
that may continue, perceptor news, a due time, and the heartbeat. Otherwise it costs no cycle.

An urgent message ends its recipient's running cycle at the next phase boundary and begins a new one, which reads it;
meanwhile others yield (`way`). Stopping drains in the same way. This holds no state that a restart would miss:
everything follows from the files.
"""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from threading import Condition, Lock, Thread
from time import monotonic, sleep

from mabos.configs.errors import Unavailable
from mabos.graphs.live.actors import NEVER, Actor, is_more_than_mail, next_up, taken_until, traces
from mabos.graphs.live.keeper import Keeper
from mabos.graphs.live.presence import announce, is_asked_to_stop, live_lock
from mabos.graphs.live.turns import Happening, Kind, Listener, Turns, describe_fault
from mabos.graphs.live.way import Way
from mabos.nodes.state import CycleReport
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso
from mabos.workspace.locks import try_lock

LOG = logging.getLogger(__name__)

WORKERS = 2
"""Agents that think at a time where one waits for something, beside the one place that is kept for what is urgent."""
PACE = 60.0
"""Seconds after which an agent that got on has its next turn, if nothing wakes it before."""
LOOK = 0.25
"""Seconds between looks at what other processes and people have written."""


class LiveCompany:
    """All agents of a workspace as actors. `run` raises `Unavailable` if another process runs it live.

    `by` names who started the run, for `presence`.
    """

    def __init__(
        self,
        services: Services,
        *,
        workers: int = WORKERS,
        heartbeat: float | None = None,
        pace: float = PACE,
        on_event: Listener | None = None,
        by: str = "mabos live",
    ) -> None:
        self._services = services
        self._by = by
        self._workers = workers
        self._on_event = on_event
        self._lock = Lock()
        # What is urgent wakes its own thread, and no other has to be waited for until it has looked around.
        self._urgent, self._ordinary = Condition(self._lock), Condition(self._lock)
        self._way = Way()
        self._stopping = False
        self._turns = Turns(services, pace, self._tell)
        every = services.settings.heartbeat.minutes * 60 if heartbeat is None else heartbeat
        self._keeper = Keeper(services, every, self.wake, self._tell)
        self.actors = {agent_id: self._actor(agent_id) for agent_id in services.agents()}

    def run(self, *, seconds: float = NEVER, once: bool = False) -> None:
        """Run the company until `stop`, for `seconds`, or (`once`) until no agent has work left.

        Returns when every cycle has ended at a phase boundary.
        """
        ends = monotonic() + seconds
        with ExitStack() as open_now:
            layout = self._services.layout
            if not open_now.enter_context(try_lock(live_lock(layout))):
                raise Unavailable(f"{layout.root} is already live in another process; stop that one first")
            here = open_now.enter_context(announce(layout, self._by, iso(self._services.clock())))
            open_now.callback(self._services.mail.on_wake(self.wake))
            threads = [Thread(target=self._work, args=(number == 0,)) for number in range(1 + self._workers)]
            threads.append(Thread(target=self._keeper.run))
            if any(one.every_s for one in self._services.perceptors.all):
                threads.append(Thread(target=self._perceive))
            open_now.callback(self._drain, threads)
            self._tell("started", f"{len(self.actors)} agents are live; Ctrl-C ends each at its next phase")
            for agent_id in self.actors:
                self.wake(agent_id)
            for thread in threads:
                thread.start()
            self._watch(ends, lambda: is_asked_to_stop(layout, here), once=once)

    def stop(self) -> None:
        """End every running cycle at its next phase boundary, and begin no other. Callable from any thread."""
        self._stopping = True  # and no lock is taken: a signal may come while this thread holds one

    def wake(self, agent_id: str, urgent: bool = False) -> None:
        """Give an agent a turn as soon as a thread is free; an urgent wake-up interrupts its running cycle."""
        with self._lock:
            actor = self.actors.get(agent_id)
            if actor is None:
                if not self._services.layout.agent(agent_id).is_dir():
                    return
                actor = self.actors[agent_id] = self._actor(agent_id)  # founded while the company runs
            actor.want(now := monotonic(), urgent=urgent)
            works = actor.is_running
            if urgent:
                if actor.rests_until <= now and not (works and actor.was_urgent):
                    self._way.take(agent_id)
                self._urgent.notify()
            self._ordinary.notify()
        if not works:  # else it may be this thread that is waited for
            self._way.step_aside()

    def _watch(self, ends: float, is_asked_to_stop: Callable[[], bool], *, once: bool) -> None:
        """Watch for changes by others until the end."""
        while not self._stopping and monotonic() < ends and not is_asked_to_stop():
            sleep(max(0.0, min(LOOK, ends - monotonic())))
            today = iso(self._services.clock())[:10]
            look = cache(traces)  # the folders of a business are those of all its agents, and looked at once
            for actor in list(self.actors.values()):
                if not actor.own.is_dir():
                    self._forget(actor)
                    continue
                if actor.spent_on not in ("", today):
                    actor.spent_on, actor.rests_until = "", 0.0
                    self.wake(actor.agent_id)
                found = frozenset() if actor.is_running else look(actor.own) | look(*actor.shared)
                if not actor.is_running and found != actor.seen:
                    if is_more_than_mail(actor.seen, found):
                        actor.rests_until = 0.0  # a person may have mended what it failed at, or given leave
                    self.wake(actor.agent_id)
            if once and self._is_quiet():
                return

    def _perceive(self) -> None:
        """Wake the agents that a perceptor has news for."""
        while not self._stopping:
            for agent_id in list(self.actors):
                if not self._stopping and self._services.perceptors.look(agent_id, iso(self._services.clock())):
                    self.wake(agent_id)
            sleep(LOOK)

    def _forget(self, actor: Actor) -> None:
        """Let go of an agent whose folder was taken away."""
        with self._lock:
            if self.actors.get(actor.agent_id) is actor and not actor.is_running:
                del self.actors[actor.agent_id]

    def _is_quiet(self) -> bool:
        """Return whether every agent has had a turn, none wants another now, and nothing is due."""
        if not self._keeper.is_at_rest:
            return False
        with self._lock:
            now = monotonic()
            return all(one.turns and not one.is_running and one.ready_at > now for one in self.actors.values())

    def _work(self, urgent_only: bool) -> None:
        """Give turns to who is next, until the company stops."""
        news = self._urgent if urgent_only else self._ordinary
        while True:
            with self._lock:
                actor = self._next(urgent_only)
                while actor is None and not self._stopping:
                    news.wait(None if urgent_only else self._until_next())
                    actor = self._next(urgent_only)
                if actor is None or self._stopping:
                    return
                self._begin(actor)
            self._turn(actor)

    def _next(self, urgent_only: bool) -> Actor | None:
        now, actors = monotonic(), self.actors.values()
        return next_up(actors, now, urgent_only=urgent_only or now < taken_until(actors))

    def _begin(self, actor: Actor) -> None:
        actor.begin(monotonic(), self._way.control(actor.agent_id, is_urgent=actor.is_urgent))

    def _turn(self, actor: Actor) -> None:
        """Run a cycle of an agent, and the next one after an urgent message."""
        try:
            with self._services.sync.group():  # what the first one wrote need not be forced before the second begins
                made = self._turns.cycle(actor)
                while made.outcome == "cut short" and not self._stopping:
                    with self._lock:
                        actor.end(made.outcome, monotonic(), made.pause)
                        self._begin(actor)
                    made = self._turns.cycle(actor)
                with self._lock:
                    actor.thinks_since = -NEVER
                    self._ordinary.notify()
            self._keeper.name(actor.agent_id)
        except Exception as error:  # one agent's fault must not end the others
            if not actor.failures:
                LOG.exception("the turn of %s failed", actor.agent_id)
            made = describe_fault(error)
        if actor.was_urgent:
            self._way.leave(actor.agent_id)
        with self._lock:
            actor.end(made.outcome, monotonic(), made.pause)
            if actor.is_urgent:
                self._urgent.notify()
            self._ordinary.notify()
        try:
            self._turns.tell(actor, made)
        except Exception:  # as above; and this thread is for other agents too
            LOG.exception("what became of the turn of %s could not be told", actor.agent_id)

    def _until_next(self) -> float:
        waiting = [one.ready_at for one in self.actors.values() if not one.is_running]
        now = monotonic()
        return max(0.0, min((*waiting, now + 60)) - now, taken_until(self.actors.values()) - now)

    def _actor(self, agent_id: str) -> Actor:
        return Actor(agent_id, self._services.layout.agent(agent_id))

    def _tell(self, kind: Kind, said: str = "", agent_id: str = "", report: CycleReport | None = None) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(Happening(kind, iso(self._services.clock()), agent_id, said, report))
        except Exception:  # whoever listened may be gone; the company goes on
            LOG.exception("who listens to the company failed")

    def _drain(self, threads: list[Thread]) -> None:
        self._stopping = True
        self._tell("stopping", "every cycle ends at its next phase")
        self._keeper.stop()
        with self._lock:
            for actor in self.actors.values():
                if actor.control is not None:
                    actor.control.request_drain("shutdown")
            self._urgent.notify_all()
            self._ordinary.notify_all()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
