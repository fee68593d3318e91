"""The resources of an open workspace, and a tool's view of them: one agent, with the clock and ids of its call."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, Literal

from mabos.backends.chat import ChatModel
from mabos.backends.choice import describe_unused
from mabos.backends.embed import Embedder
from mabos.configs.errors import InvalidArgument, Unavailable, file_refused
from mabos.configs.settings import Environment, Settings
from mabos.knowledge.cases import Cases
from mabos.knowledge.facts import Facts
from mabos.knowledge.reasoning.history import Episodes
from mabos.knowledge.rules import Rules
from mabos.language.request import Request
from mabos.memory.memory import Memory
from mabos.mind.library import NO_PLANS, Library, library_in
from mabos.mind.mind import Mind
from mabos.society.business import AgentManifest
from mabos.society.contract_net import ContractNet
from mabos.society.decisions import Decisions
from mabos.society.inbox import Inbox
from mabos.society.own_roles import found_agent
from mabos.society.perceptors import NO_PERCEPTORS, Perceptors
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.allowances import Allowances
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.directory import CompanyDirectory
from mabos.tools.runtime.graphs import BusinessGraph, BusinessGraphs
from mabos.tools.runtime.mailroom import Mailroom
from mabos.tools.runtime.once import Once
from mabos.tools.runtime.spending import Spending
from mabos.tools.runtime.stores import AgentStores
from mabos.tools.work.proposals import ModelProposal
from mabos.tools.work.session import WorkSession
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.indexer import TextIndex
from mabos.workspace.ledger import Ledger, LedgerEntry
from mabos.workspace.ledger_index import LedgerIndex
from mabos.workspace.names import Layout
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

LOG = logging.getLogger(__name__)

RunCycle = Callable[["Services", str, Mapping[str, Any]], Mapping[str, Any]]
"""Runs one cycle of an agent and returns its report: what the tool `bdi_cycle` does, given from above."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The author of a call: a person may name any agent, an agent only itself."""

    kind: Literal["person", "agent"]
    agent_id: str = ""


PERSON = Caller("person")
"""A person; without an agent's name it acts, sends messages and stands in the ledger as `STAKEHOLDER`."""


@dataclass(frozen=True, slots=True)
class Services:
    """All open resources of a workspace, one of each, shared by its threads.

    Agents and businesses are in the `directory`, messages go through `mail`, `graphs` has the graph of each business,
    and `allowances` the budgets. `without` names the capabilities that a simulation disables to measure their value; no
    file can set it.
    """

    layout: Layout
    settings: Settings
    environment: Environment
    clock: Clock
    ids: Ids
    seed: str
    sync: Sync
    ledger: Ledger
    ledger_index: Once[LedgerIndex]
    index: TextIndex
    model: ChatModel
    embedder: Embedder
    tools: Registry
    spending: Spending
    contract_net: ContractNet
    directory: CompanyDirectory
    mail: Mailroom
    graphs: BusinessGraphs
    allowances: Allowances
    closed: Event = field(default_factory=Event)
    run_cycle: RunCycle | None = None
    without: frozenset[str] = frozenset()
    perceptors: Perceptors = NO_PERCEPTORS
    plans: Library = NO_PLANS

    @property
    def library(self) -> Library:
        """The plan library with plans from code and from the workspace's current files."""
        return library_in(self.layout.root / "plans", self.plans)

    def found_agent(self, agent_id: str, role: str | Mapping[str, Any]) -> AgentManifest:
        """Create an agent outside any business from a role; raises for an unknown role or tool, or a taken id."""
        terms: Any = {"clock": self.clock, "ids": self.ids, "sync": self.sync}
        return found_agent(self.layout, agent_id, role, find_tool=self.tools.tool, **terms)

    def agents(self) -> list[str]:
        """Return the ids of all agents, in seat order; handwritten agents come last."""
        return self.directory.agents()

    def agent(
        self,
        agent_id: str,
        *,
        caller: Caller = PERSON,
        clock: Clock | None = None,
        ids: Ids | None = None,
        cycle: str = "",
        key: str = "",
    ) -> "Agent":
        """Return an agent, acting for itself unless `caller` is another; raises `UnknownId`."""
        stores = self.directory.stores_of(agent_id)
        at, numbers = clock or self.clock, ids or self.ids
        return Agent(
            id=agent_id,
            business_id=stores.business_id,
            mind=stores.mind_at(at, numbers),
            memory=stores.memory_at(self.settings.memory, self.sync, at, numbers),
            facts=stores.facts_at(self.settings.knowledge, at, numbers),
            rules=Rules(agent_id, stores.rules, at, numbers),
            cases=Cases(agent_id, stores.cases, at, numbers, settings=self.settings.knowledge, clean=stores.clean),
            episodes=Episodes(stores.episodes, at, numbers),
            inbox=stores.inbox,
            requests=stores.requests,
            work=stores.work,
            proposals=stores.proposals,
            services=self,
            clock=at,
            ids=numbers,
            caller=caller,
            cycle=cycle,
            key=key,
        )

    def seat(
        self,
        caller: Caller = PERSON,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        cycle: str = "",
        key: str = "",
    ) -> "Agent":
        """Return the handle of a person without an agent, for tools that need no mind."""
        nobody: Any = Nobody(self.agents)
        return Agent(
            id=STAKEHOLDER,
            business_id="",
            mind=nobody,
            memory=nobody,
            facts=nobody,
            rules=nobody,
            cases=nobody,
            episodes=nobody,
            inbox=nobody,
            requests=nobody,
            work=nobody,
            proposals=nobody,
            services=self,
            clock=clock or self.clock,
            ids=ids or self.ids,
            caller=caller,
            cycle=cycle,
            key=key,
        )

    def businesses(self) -> list[str]:
        """Return the ids of all businesses, oldest first."""
        return self.directory.businesses()

    def business(self, business_id: str = "") -> Business:
        """Return a business, by default the only one; raises as the directory does."""
        return self.directory.business(business_id)

    def decisions(self, business_id: str = "") -> Decisions:
        """Return the decisions of a business, by default those at the workspace's root."""
        return self.directory.decisions(business_id)

    def inbox(self, agent_id: str) -> Inbox:
        """Return the inbox of an agent, or of the stakeholder; raises `UnknownId`."""
        return self.mail.inbox(agent_id)

    @property
    def copies_graphs(self) -> bool:
        """Return whether a server is named for copies of the business graphs."""
        return bool(self.environment.neo4j_uri) and self.settings.graph.neo4j != "none"

    @property
    def is_simulated(self) -> bool:
        """Return whether a simulated market plays this workspace's platforms, readers and customers."""
        return self.layout.simulation.exists()

    def graph(self, business_id: str = "") -> BusinessGraph:
        """Return the graph of a business, by default the only one's; raises as `business` does."""
        return self.graphs.of(business_id, self.environment if self.copies_graphs else None)

    def note(self, agent: "Agent", kind: str, body: Mapping[str, Any]) -> LedgerEntry:
        """Write an entry in the agent's ledger, with its clock and cycle."""
        return self.ledger.append(agent.id, kind, body, at=iso(self.clock()), cycle=agent.cycle)

    def cycle_of(self, agent_id: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run one cycle of an agent and return its report; raises `Unavailable` if cycles cannot run here."""
        if self.run_cycle is None:
            raise Unavailable("no cycle can run here: the workspace was opened without its state machines")
        return self.run_cycle(self, agent_id, given)

    def checkpoint(self) -> None:
        """Bring the readable files of all open documents up to date."""
        for store in self._stores():
            store.checkpoint()

    def close(self) -> None:
        """Bring every file up to date and release it; closing twice is allowed.

        A damaged file does not stop others from being closed; it is raised at the end. If the disk fails, the journals
        keep the missing data, and the log says so.
        """
        with self.directory.lock:
            if self.closed.is_set():
                return
            self.closed.set()
        damage = _close_all(partial(self._publish, agent) for agent in self.directory.open_agents())
        damage += _close_all(graph.close for graph in list(self.graphs.opened.values()))
        damage += _close_all(store.close for store in self._stores())  # a copy of a graph may have opened more of them
        if held := describe_unused(self.model):
            LOG.warning(held)
        indexed = self.ledger_index.found
        damage += _close_all([self.tools.close, self.index.close, *([indexed.close] if indexed is not None else [])])
        if damage:
            raise damage[0]

    def _publish(self, stores: AgentStores) -> None:
        memory = stores.memory_at(self.settings.memory, self.sync, self.clock, self.ids)
        facts = stores.facts_at(self.settings.knowledge, self.clock, self.ids)
        stores.publish(memory, facts, partial(self.allowances.charge_agent, stores.id, phase="close"))

    def _stores(self) -> list[Store]:
        return [*self.directory.stores(), *self.mail.stores()]


def _close_all(closings: Iterable[Callable[[], None]]) -> list[Exception]:
    """Close each, even if another fails, and return the errors; errors of the disk are only logged."""
    damage: list[Exception] = []
    for close in closings:
        try:
            close()
        except (OSError, Unavailable) as error:
            said = error if isinstance(error, Unavailable) else file_refused(error)
            LOG.warning("a file is out of date, but its journal is complete: %s", said.message)
        except Exception as error:  # noqa: BLE001  # a defect in one must not keep the others from being let go
            damage.append(error)
    return damage


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent in a tool's view; cheap, since its stores are shared and stay open.

    `clock` and `ids` are those of the call: in a call with an effect key they are frozen and seeded by the key, so
    running it again writes the same records. `key` is that effect key, or "". With `is_again` a call with this key was
    interrupted before, and its effect may have happened already.
    """

    id: str
    business_id: str
    mind: Mind
    memory: Memory
    facts: Facts
    rules: Rules
    cases: Cases
    episodes: Episodes
    inbox: Inbox
    requests: View[Request]
    work: View[WorkSession]
    proposals: View[ModelProposal]
    services: Services
    clock: Clock
    ids: Ids
    caller: Caller = PERSON
    cycle: str = ""
    key: str = ""
    is_again: bool = False

    @property
    def is_person(self) -> bool:
        """Return whether a person acts without an agent; mind, memory and inbox are then refused."""
        return self.id == STAKEHOLDER

    @property
    def business(self) -> Business:
        """The agent's business, else the only one; raises `UnknownId` if there is none."""
        return self.services.business(self.business_id)

    def now(self) -> str:
        """Return the present moment of the agent's clock (ISO 8601)."""
        return iso(self.clock())

    def mind_of(self, agent_id: str) -> Mind:
        """Return another agent's mind, with the clock and ids of this call; raises `UnknownId`."""
        return self.services.agent(agent_id, clock=self.clock, ids=self.ids).mind


class Nobody:
    """A stand-in for the mind, memory and inbox of a person without an agent: access raises a helpful error."""

    def __init__(self, known: Callable[[], list[str]]) -> None:
        self._known = known

    def __getattr__(self, part: str) -> Any:
        if part.startswith("__"):
            raise AttributeError(part)
        known = self._known()
        found = f"one of {', '.join(known[:12])}" if known else "there are none yet: create a business"
        raise InvalidArgument(f"only an agent can do this; give 'agent_id', {found}", argument="agent_id")
