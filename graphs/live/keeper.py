"""The timed events of a live company: due times in the files, and the heartbeat.

It uses the clock of the workspace, which may be simulated, stop, or jump.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from threading import Event, Lock

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from mabos.configs.errors import MabosError
from mabos.graphs.live.turns import Tell
from mabos.graphs.wiring import run_maintenance
from mabos.nodes.maintenance.moments import Moment, business_moments, last_heartbeat, moments, note_heartbeat
from mabos.tools.runtime.mailroom import Wake
from mabos.tools.runtime.services import Services


class Wheel:
    """A timer wheel with future times by source; those missed between `since` and the first check are due at once.

    It persists nothing: every source reads its times from files. A time that passed while it was being written is due
    at the next check. Setting the clock back makes times due again.
    """

    def __init__(self, since: datetime) -> None:
        self._since = since
        self._named_at: dict[str, datetime] = {}
        self._ahead: dict[str, set[Moment]] = {}
        self._come: dict[str, set[Moment]] = {}

    def name(self, who: str, found: Iterable[Moment], now: datetime) -> None:
        """Replace all times of `who` as of `now`; those before its last update are over."""
        since = self._named_at.get(who, self._since)
        come = self._come.pop(who, set())
        self._ahead[who] = {one for one in found if one.at > since and one not in come}
        self._named_at[who] = now

    def due(self, now: datetime) -> list[Moment]:
        """Return and remove the due times in order; equal kinds are merged."""
        come: dict[tuple[str, bool], Moment] = {}
        for who, ahead in self._ahead.items():
            passed = {one for one in ahead if one.at <= now}
            ahead.difference_update(passed)
            self._come.setdefault(who, set()).update(passed)
            for one in sorted(passed):
                come.setdefault((one.agent_id, one.tends), one)
        return sorted(come.values())

    def next(self) -> datetime | None:
        """Return the next due time."""
        return min((one.at for ahead in self._ahead.values() for one in ahead), default=None)

    def set_back(self, now: datetime) -> None:
        """Accept that the clock shows an earlier time: all times are read again from there."""
        self._since = min(self._since, now)
        self._named_at = {who: min(at, now) for who, at in self._named_at.items()}
        self._come.clear()


LOG = logging.getLogger(__name__)

LOOK = 0.25
"""Seconds between looks at the clock, which somebody may set; a moment that is nearer is waited for."""


class Keeper:
    """The timekeeper of a company. A heartbeat missed while the company was stopped is due at once."""

    def __init__(self, services: Services, every: float, wake: Wake, tell: Tell) -> None:
        self._services = services
        self._every = timedelta(seconds=every)
        self._wake = wake
        self._tell = tell
        self._ended, self._control = Event(), RunControl()
        self._lock, self._looks = Lock(), False
        self._shown = services.clock()
        last = last_heartbeat(services.layout)
        since = self._shown if last is None else min(last, self._shown)
        self._beat_at = since + self._every
        self._wheel = Wheel(since)

    def run(self) -> None:
        """Watch the clock until stopped."""
        try:
            if last_heartbeat(self._services.layout) is None:
                note_heartbeat(self._services)  # the first one is due from now on, however often this is restarted
        except (MabosError, OSError) as error:
            LOG.warning("cannot record the first heartbeat: %s", error)
        while not self._ended.wait(self._until_next()):
            self._looks = True
            try:
                self._look()
            except GraphDrained:
                return
            except Exception:  # a disk that is full for a while must not stop the clock
                LOG.exception("what was due now could not be done")
            finally:
                self._looks = False

    @property
    def is_at_rest(self) -> bool:
        """Return whether nothing is due and no due work is in progress."""
        return not self._looks and self._until_next() > 0

    def stop(self) -> None:
        """Stop soon; running maintenance ends at its next step."""
        self._control.request_drain("shutdown")
        self._ended.set()

    def name(self, agent_id: str) -> None:
        """Reread the future times of an agent and its business; unreadable files have none."""
        with self._lock:
            try:
                now, business = self._services.clock(), self._services.agent(agent_id).business_id
                self._wheel.name(agent_id, moments(self._services, agent_id), now)
                if business:
                    self._wheel.name(f"businesses/{business}", business_moments(self._services, business), now)
            except (MabosError, OSError) as error:
                LOG.debug("the moments of %s cannot be read: %s", agent_id, error)

    def _look(self) -> None:
        now = self._services.clock()
        with self._lock:
            is_set_back, self._shown = now < self._shown, now
            if is_set_back:
                self._wheel.set_back(now)
            come = self._wheel.due(now)
        if is_set_back:
            self._beat_at = min(self._beat_at, now + self._every)
            self._tell("clock", "the clock was set back; what lies ahead comes again by the time it shows now")
            self._wake_all()  # so that each names its moments anew
        beats = now >= self._beat_at
        if beats:
            self._beat_at = now + self._every
        for one in come:
            self._come(one, tends=one.tends and not beats)
        if beats:
            self._beat()

    def _come(self, moment: Moment, *, tends: bool) -> None:
        if tends:
            try:
                run_maintenance(self._services, moment.agent_id, control=self._control)
            except (MabosError, OSError) as error:
                # What else is due comes all the same, and the agent looks for itself.
                LOG.warning("cannot handle due events of %s: %s", moment.agent_id, error)
        self._tell("moment", "something is due", moment.agent_id)
        self._wake(moment.agent_id, False)

    def _beat(self) -> None:
        try:
            run_maintenance(self._services, control=self._control)
        except (MabosError, OSError) as error:
            LOG.warning("heartbeat: %s", error)
        self._tell("heartbeat", "every mind was tended")
        self._wake_all()

    def _wake_all(self) -> None:
        for agent_id in self._services.agents():
            self._wake(agent_id, False)

    def _until_next(self) -> float:
        with self._lock:
            ahead = self._wheel.next()
        soonest = self._beat_at if ahead is None else min(self._beat_at, ahead)
        return max(0.0, min(LOOK, (soonest - self._services.clock()).total_seconds()))
