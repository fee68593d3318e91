"""A running cycle: the thinking agent, the lock that keeps other processes out, and the notes to record."""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from mabos.backends.metering import BudgetExhausted, Meter, MeteredCall, within
from mabos.configs.settings import CycleSettings
from mabos.knowledge.reasoning.result import MethodResult
from mabos.mind.model import Intention, Plan
from mabos.nodes.state import Context
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.budgets import GoalExhausted
from mabos.tools.runtime.services import Agent, Services
from mabos.tools.work.loop import Desk
from mabos.workspace.clock import iso
from mabos.workspace.locks import AgentLock
from mabos.workspace.store import Store


@dataclass(frozen=True, slots=True)
class Errand:
    """A call requested by a rule or an offer of work; act makes it through the call path, once under its key."""

    rule_id: str
    tool: str
    arguments: Mapping[str, Any]
    key: str
    because: Mapping[str, str]


@dataclass(slots=True)
class Cycle:
    """The running cycle of an agent. Phases get it from the registry by agent and cycle id.

    `running` has the cycle of each agent in this process, and `seen` the state that each saw in its last finished one.

    `meter` counts its usage, and `exhausted` names the budget that was used up. `draft` holds intention and plan
    between two steps whose cursor is not written yet. `forecast` is the forecast that chose the goal, kept if that
    leads to a commitment. `errands` are pending calls of rules, `workflows` the runs with pending work, and `requests`
    the requests that may advance. `work` has those that a model works on, and `desks` their context. `no_plan` gives
    the goals without a plan, and why. `heard_before` is how many messages the owner had when it began.
    """

    id: str
    agent: Agent
    running: dict[str, "Cycle"]
    seen: dict[tuple[str, str], Hashable]
    lock: AgentLock
    started: str
    context: Context
    meter: Meter
    turn: RLock = field(default_factory=RLock)
    noted: dict[str, Any] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    marks: dict[tuple[str, str], Hashable] = field(default_factory=dict)
    recorded: int = 0
    exhausted: str = ""
    draft: tuple[Intention, Plan] | None = None
    forecast: MethodResult[Any] | None = None
    errands: tuple[Errand, ...] = ()
    workflows: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
    desks: dict[str, Desk] = field(default_factory=dict)
    no_plan: dict[str, list[str]] = field(default_factory=dict)
    heard_before: int = 0

    @property
    def services(self) -> Services:
        """The open services of this workspace."""
        return self.agent.services

    @property
    def limits(self) -> CycleSettings:
        """The limits of one cycle."""
        return self.services.settings.cycle

    @property
    def steps_allowed(self) -> int:
        """The maximum number of plan steps in this cycle."""
        given = self.context.max_steps
        return self.limits.max_steps if given is None else given

    @property
    def messages_allowed(self) -> int:
        """The maximum number of messages to read in this cycle."""
        return self.context.max_messages or self.limits.max_messages

    @property
    def told_owner(self) -> tuple[Message, ...]:
        """The messages of this agent to the owner since the cycle began, oldest first."""
        later = self.services.inbox(STAKEHOLDER).messages()[self.heard_before :]
        return tuple(one for one in later if one.sender == self.agent.id)

    def is_newer(self, store: Store, what: str) -> bool:
        """Return whether a document has changed since this agent's last finished cycle that read it."""
        store.refresh()
        return self.has_changed(what, store.seq)

    def has_changed(self, what: str, state: Hashable) -> bool:
        """Return whether `state` differs from the one in this agent's last finished cycle."""
        self.marks[self.agent.id, what] = state
        return self.seen.get((self.agent.id, what)) != state

    def now(self) -> str:
        """Return the current time of this agent's clock."""
        return iso(self.agent.clock())

    def note(self, **facts: Any) -> None:
        """Add to the ledger entry of the running phase; empty values are skipped."""
        self.noted.update({name: fact for name, fact in facts.items() if fact})

    def tell(self, **facts: Any) -> None:
        """Add to the listeners' view of the running phase, if it already has a ledger entry."""
        self.said.update({name: fact for name, fact in facts.items() if fact})

    @contextmanager
    def bind_budgets(self, phase: str) -> Iterator[None]:
        """Charge a phase and its tools to the budgets of cycle, agent and run, and record its model calls."""

        def record(made: MeteredCall) -> None:
            body = made.entry | {"phase": phase}
            self.services.ledger.append(self.agent.id, "model", body, at=self.now(), cycle=self.id)

        bound = (self.meter, *self.services.allowances.of(self.agent.id))
        with within(*bound, report=record, refusal=self._record_exhaustion, whose=self.agent.id):
            yield

    def _record_exhaustion(self, error: BudgetExhausted) -> None:
        """Remember that a budget is used up, and tell of it once."""
        if isinstance(error, GoalExhausted):
            return
        if not self.exhausted:
            self.services.allowances.tell(self.agent.id, error, cycle=self.id)
        self.exhausted = error.message

    def record(self, phase: str) -> Mapping[str, Any]:
        """Write the running phase's ledger entry if it has content, and return everything noted."""
        noted, self.noted = self.noted, {}
        said, self.said = self.said, {}
        if noted:
            self.services.ledger.append(self.agent.id, phase, noted, at=self.now(), cycle=self.id)
        self.recorded += bool(noted or said)
        return said | noted

    def end(self, *, completed: bool = False) -> None:
        """Release the agent for other processes; a `completed` cycle's inputs need not be read again."""
        if completed:
            self.seen.update(self.marks)
        if self.running.get(self.agent.id) is self:
            del self.running[self.agent.id]
            self.lock.release()
