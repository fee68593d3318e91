"""One turn of an agent: its cycle, what it may use of its day, when its next is, and what follows where it fails."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from langgraph.errors import GraphDrained

from configs.errors import MabosError, Unavailable
from graphs.live.actors import NEVER, Actor
from graphs.live.files import traces
from graphs.live.happenings import Kind
from graphs.wiring import run_cycle
from nodes.report import CycleReport
from society.business import INBOX_FOLDER
from society.messages import Message
from tools.agent import STAKEHOLDER
from tools.services import Services
from workspace.clock import iso

LOG = logging.getLogger(__name__)

ENOUGH = 3
"""Turns that fail in a row before the owner is told."""
_NOTHING_MORE = {"idle", "waiting"}
"""Outcomes after which only news, or the heartbeat, brings an agent further."""


class Tell(Protocol):
    """Tells whoever listens to the company what happened."""

    def __call__(self, kind: Kind, said: str = "", agent_id: str = "", report: CycleReport | None = None) -> None:
        """Tell it."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a turn: its outcome, the seconds until the agent's next one, and what was wrong."""

    outcome: str
    pause: float = 0.0
    report: CycleReport | None = None
    wrong: str = ""
    is_elsewhere: bool = False
    """Whether something outside failed it, as another process that runs the agent: nothing the owner has to mend."""


class Turns:
    """Runs the cycles of a company's agents."""

    def __init__(self, services: Services, pace: float, tell: Tell) -> None:
        self._services = services
        self._pace = pace
        self._tell = tell

    def cycle(self, actor: Actor) -> Made:
        """Run one cycle of an agent and return what became of it; whatever it raises keeps no other agent."""
        actor.shared = self._shared(actor.agent_id)
        found = traces(*actor.shared)
        try:
            report = run_cycle(self._services, actor.agent_id, trigger="live", control=actor.control)
            wrong = "; ".join(report.failures) if report.outcome == "failed" else ""
            made = Made(report.outcome, self._pause(actor, report.outcome), report, wrong)
        except GraphDrained:
            made = Made("cut short")
        except MabosError as error:
            made = Made("failed", wrong=error.message, is_elsewhere=isinstance(error, Unavailable))
        except Exception as error:  # one agent's fault must not end the others
            if not actor.failures:
                LOG.exception("the turn of %s failed", actor.agent_id)
            made = Made("failed", wrong=f"{type(error).__name__}: {error}")
        actor.seen = found | traces(actor.own)
        return made

    def tell(self, actor: Actor, made: Made) -> None:
        """Tell of a turn that is over: of failing ones the first, and the owner when there were several in a row."""
        if made.wrong and actor.failures == 1:
            self._tell("failing", made.wrong, actor.agent_id, made.report)
        elif made.report is not None and not made.wrong:
            if actor.told_failing:
                self._tell("mended", "its cycles go through again", actor.agent_id)
            self._tell("turn", agent_id=actor.agent_id, report=made.report)
        actor.told_failing = bool(made.wrong)
        if made.wrong and actor.failures == ENOUGH and not made.is_elsewhere:
            self._tell_owner(actor.agent_id, made.wrong)

    def _tell_owner(self, agent_id: str, wrong: str) -> None:
        """Leave the owner a letter about an agent that cannot think, once a day."""
        now = iso(self._services.clock())
        said = f"{agent_id} cannot think: {wrong} It is tried again at longer and longer intervals; see `mabos verify`."
        letter = Message(f"MSG-failing-{agent_id}-{now[:10]}", agent_id, STAKEHOLDER, "INFORM", said, now, "high")
        try:
            self._services.deliver(letter)
        except (MabosError, OSError) as error:  # a disk that takes nothing takes no letter either
            LOG.warning("the owner could not be told that %s fails: %s", agent_id, error)

    def _pause(self, actor: Actor, outcome: str) -> float:
        """Return how long an agent rests: not at all with mail unread, at its pace where it got on, else for good."""
        if self._services.inbox(actor.agent_id).unread():
            return 0.0
        return NEVER if outcome in _NOTHING_MORE else self._pace

    def _shared(self, agent_id: str) -> tuple[Path, ...]:
        """Return the folders of the agent's business in which others write; none while its manifest cannot be read."""
        try:
            agent = self._services.agent(agent_id)
            home = agent.business.directory if agent.business_id else None
        except (MabosError, OSError):
            return ()
        return (home, home / INBOX_FOLDER) if home else ()
