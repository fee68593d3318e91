"""A turn of an agent: its cycle, its share of the daily budget, its next turn, and error handling."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Literal, Protocol

from langgraph.errors import GraphDrained

from mabos.backends.metering import BudgetExhausted, Spent
from mabos.configs.errors import MabosError, Unavailable
from mabos.graphs.live.actors import NEVER, Actor, traces
from mabos.graphs.wiring import run_cycle
from mabos.nodes.state import CycleReport
from mabos.society.business import INBOX_FOLDER
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.budgets import budget
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso

Kind = Literal["started", "turn", "heartbeat", "moment", "clock", "failing", "mended", "budget", "stopping"]


@dataclass(frozen=True, slots=True)
class Happening:
    """An event: a turn with its report, or the text `said`; `at` is ISO 8601."""

    kind: Kind
    at: str
    agent_id: str = ""
    said: str = ""
    report: CycleReport | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as one JSON object; a turn includes the contents of its report."""
        told = {"event": self.kind, "at": self.at, "agent_id": self.agent_id, "said": self.said}
        report = self.report.as_json() if self.report else {}
        return {name: value for name, value in {**told, **report}.items() if value not in ("", None)}


Listener = Callable[[Happening], None]


LOG = logging.getLogger(__name__)

ENOUGH = 3
"""Turns that fail in a row before the owner is told."""
_NOTHING_MORE = {"idle", "waiting"}
"""Outcomes after which only news, or the heartbeat, brings an agent further."""


class Tell(Protocol):
    """A callback that receives the events of the company."""

    def __call__(self, kind: Kind, said: str = "", agent_id: str = "", report: CycleReport | None = None) -> None:
        """Tell it."""


@dataclass(frozen=True, slots=True)
class Made:
    """The result of a turn: its outcome, the seconds until the agent's next one, and the error."""

    outcome: str
    pause: float = 0.0
    report: CycleReport | None = None
    said: str = ""
    wrong: str = ""
    is_elsewhere: bool = False
    """Whether something outside failed it, as another process that runs the agent: nothing the owner has to mend."""


class Turns:
    """A runner for the cycles of a company's agents."""

    def __init__(self, services: Services, pace: float, tell: Tell) -> None:
        self._services = services
        self._pace = pace
        self._tell = tell

    def cycle(self, actor: Actor) -> Made:
        """Run one cycle of an agent, if its daily budget allows one, and return the result.

        Any error other than `MabosError` is a fault of the program or the machine and is raised.
        """
        if not (actor.was_urgent and actor.shared):  # what is urgent does not wait for what another look will find
            actor.shared = self._shared_folders(actor.agent_id)
            actor.beside = traces(*actor.shared)
        try:
            with self._reserve_cycle(actor):
                return self._cycle(actor)
        except BudgetExhausted as error:
            self._services.allowances.tell(actor.agent_id, error)
            actor.spent_on = iso(self._services.clock())[:10]
            return Made("spent", said=error.message)
        except MabosError as error:
            return Made("failed", wrong=error.message, is_elsewhere=isinstance(error, Unavailable))
        finally:
            actor.seen = actor.beside | traces(actor.own)

    def _cycle(self, actor: Actor) -> Made:
        try:
            report = run_cycle(self._services, actor.agent_id, trigger="live", control=actor.control)
        except GraphDrained:
            return Made("cut short")
        wrong = "; ".join(report.failures) if report.outcome == "failed" else ""
        return Made(report.outcome, self._pause(actor, report.outcome), report, wrong)

    @contextmanager
    def _reserve_cycle(self, actor: Actor) -> Iterator[None]:
        """Take a cycle of the agent's day, and the seconds it takes; raises `BudgetExhausted`."""
        limits = budget("day", self._services.settings.budgets.agent)
        if limits.cycles is None and limits.cycle_seconds is None:
            yield
            return
        day = self._services.directory.stores_of(actor.agent_id).day
        settle, began = day.reserve(Spent(cycles=1, cycle_seconds=actor.took)), monotonic()
        actor.spent_on = ""
        try:
            yield
        finally:
            actor.took = monotonic() - began
            settle(Spent(cycles=1, cycle_seconds=actor.took))

    def tell(self, actor: Actor, made: Made) -> None:
        """Report a finished turn: of consecutive failures only the first, with a notice to the owner after several."""
        if made.said and not actor.told_spent:
            self._tell("budget", made.said, actor.agent_id)
        elif made.wrong and actor.failures == 1:
            self._tell("failing", made.wrong, actor.agent_id, made.report)
        elif made.report is not None and not made.wrong:
            if actor.told_failing:
                self._tell("mended", "its cycles go through again", actor.agent_id)
            self._tell("turn", agent_id=actor.agent_id, report=made.report)
        actor.told_failing, actor.told_spent = bool(made.wrong), bool(made.said)
        if made.wrong and actor.failures == ENOUGH and not made.is_elsewhere:
            self._tell_owner(actor.agent_id, made.wrong)

    def _tell_owner(self, agent_id: str, wrong: str) -> None:
        """Leave the owner a letter about an agent that cannot think, once a day."""
        now = iso(self._services.clock())
        said = f"{agent_id} cannot think: {wrong} It is tried again at longer and longer intervals; see `mabos verify`."
        letter = Message(f"MSG-failing-{agent_id}-{now[:10]}", agent_id, STAKEHOLDER, "INFORM", said, now, "high")
        try:
            self._services.mail.deliver(letter)
        except (MabosError, OSError) as error:  # a disk that takes nothing takes no letter either
            LOG.warning("cannot notify the owner that %s fails: %s", agent_id, error)

    def _pause(self, actor: Actor, outcome: str) -> float:
        """Return how long an agent rests: not at all with mail unread, at its pace where it got on, else for good."""
        if self._services.inbox(actor.agent_id).unread():
            return 0.0
        return NEVER if outcome in _NOTHING_MORE else self._pace

    def _shared_folders(self, agent_id: str) -> tuple[Path, ...]:
        """Return the folders of the agent's business in which others write; none while its manifest cannot be read."""
        try:
            agent = self._services.agent(agent_id)
            home = agent.business.directory if agent.business_id else None
        except (MabosError, OSError):
            return ()
        return (home, home / INBOX_FOLDER) if home else ()


def describe_fault(error: Exception) -> Made:
    """Return the result of a turn ended by a fault of the program or the disk."""
    return Made("failed", wrong=f"{type(error).__name__}: {error}", is_elsewhere=isinstance(error, OSError))
