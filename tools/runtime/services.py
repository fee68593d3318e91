"""What is open while a workspace is open: stores, clock, ids, model, ledger, and the agents and businesses on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.backends.chat import ChatModel
from mabos.backends.choice import asked, embedder, vectors
from mabos.backends.embed import Embedder
from mabos.backends.metering import Meter
from mabos.configs.errors import InvalidArgument, MabosError, Unavailable, UnknownId, unknown
from mabos.configs.settings import Environment, Settings, load_settings
from mabos.configs.settings import environment as read_environment
from mabos.knowledge.ontology.install import FOLDER
from mabos.knowledge.ontology.proposals import Proposals, follow_terms
from mabos.memory.meaning import Meaning
from mabos.society.business import MANIFEST_FILE, agent_ids, manifests
from mabos.society.contract_net import ContractNet
from mabos.society.contractors import Contractor
from mabos.society.decisions import Decisions, decision_queue
from mabos.society.governance import StakeholderProfile, first_profile, read_profile
from mabos.society.inbox import Inbox, open_inbox
from mabos.society.messages import Message
from mabos.society.protocols import admit
from mabos.society.records import Records
from mabos.society.workforce import open_pool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.agent import PERSON, STAKEHOLDER, Agent, Caller
from mabos.tools.runtime.budgets import budget, day_of
from mabos.tools.runtime.company import Business, open_business
from mabos.tools.runtime.effects import Effects, open_effects
from mabos.tools.runtime.opened import Opened
from mabos.tools.runtime.opening import AgentStores, Nobody, is_agent, open_agent, seat
from mabos.tools.runtime.spending import Spending
from mabos.workspace.clock import Clock, frozen_clock, iso, system_clock
from mabos.workspace.ids import Ids
from mabos.workspace.indexer import Index
from mabos.workspace.ledger import Entry, Ledger
from mabos.workspace.ledger_index import LedgerIndex
from mabos.workspace.names import Layout
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

if TYPE_CHECKING:
    from mabos.tools.runtime.graphs import BusinessGraph

__all__ = ["Business", "RunCycle", "Services", "Wake", "open_services"]

Wake = Callable[[str, bool], None]
"""Called with the agent that has a new message, and whether it is urgent."""

RunCycle = Callable[["Services", str, Mapping[str, Any]], Mapping[str, Any]]
"""Runs one cycle of an agent and returns its report: what the tool `bdi_cycle` does, given from above."""


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a tool or a node may use of an open workspace; one for each, shared by its threads.

    `open_services(root)` makes one. Stores are opened when first asked for and stay open until `close`. `without` names
    the parts that a simulation takes out of its agents to measure what they are worth; no file can.
    """

    layout: Layout
    settings: Settings
    environment: Environment
    clock: Clock
    ids: Ids
    seed: str
    sync: Sync
    ledger: Ledger
    index: Index
    model: ChatModel
    meter: Meter
    embedder: Embedder
    tools: Registry
    spending: Spending
    contract_net: ContractNet
    run_cycle: RunCycle | None = None
    without: frozenset[str] = frozenset()
    _open: Opened = field(default_factory=Opened, repr=False)

    def agents(self) -> list[str]:
        """Return the ids of all agents, in seat order; agents written by hand come last."""
        found = dict.fromkeys(agent_ids(self.layout))
        folders = self.layout.agents.iterdir() if self.layout.agents.is_dir() else ()
        others = (folder for folder in folders if folder.name not in found)
        return [*found, *sorted(folder.name for folder in others if is_agent(folder))]

    def agent(
        self,
        agent_id: str,
        *,
        caller: Caller | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        cycle: str = "",
        key: str = "",
    ) -> Agent:
        """Return an agent, acting for itself unless `caller` says otherwise; raises `UnknownId` for an unknown one."""
        stores = self.stores_of(agent_id)
        return stores.handle(self, clock or self.clock, ids or self.ids, caller or PERSON, cycle=cycle, key=key)

    def seat(
        self,
        caller: Caller = PERSON,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        cycle: str = "",
        key: str = "",
    ) -> Agent:
        """Return the handle of a person who acts in no agent's name: tools that need no mind work with it."""
        return seat(self, Nobody(self.agents), clock or self.clock, ids or self.ids, caller, cycle=cycle, key=key)

    def stores_of(self, agent_id: str) -> AgentStores:
        """Return the open stores of an agent; raises `UnknownId`."""
        return self._open.agents.get(agent_id) or self._opened(agent_id)

    def _opened(self, agent_id: str) -> AgentStores:
        directory = self.layout.agent(agent_id)
        with self._open.lock:
            found = self._open.agents.get(agent_id)
            if found is None:
                if not is_agent(directory):
                    raise unknown("agent", agent_id, self.agents(), argument="agent_id")
                found = open_agent(
                    agent_id,
                    directory,
                    clock=self.clock,
                    ids=self.ids,
                    sync=self.sync,
                    day=day_of(self, agent_id),
                    meaning=self._meaning(agent_id),
                )
                self._open.agents[agent_id] = found
                found.index_in(self.index)
                self._copy_graph(found.business_id)
            return found

    @property
    def copies_graphs(self) -> bool:
        """Whether a server is named that keeps a copy of each business's graph."""
        return bool(self.environment.neo4j_uri) and self.settings.graph.neo4j != "none"

    def _copy_graph(self, business_id: str) -> None:
        """Have what an agent writes brought to the server that copies the graph of its business, if there is one."""
        if self.copies_graphs:
            with suppress(MabosError):  # an agent whose business cannot be read still has its own files
                self.graph(business_id)

    def _meaning(self, agent_id: str) -> Meaning | None:
        kept = vectors(
            self.embedder,
            self.layout.internal / "vectors" / agent_id,
            self.settings.memory.vectors,
            endpoint=self.environment.chroma_endpoint,
        )
        return None if kept is None else Meaning(self.embedder, kept)

    def businesses(self) -> list[str]:
        """Return the ids of all businesses, oldest first."""
        return list(manifests(self.layout))

    def business(self, business_id: str = "", *, clock: Clock | None = None, ids: Ids | None = None) -> Business:
        """Return a business, by default the only one.

        Its documents know neither clock nor ids: those are accepted for symmetry with `agent`. Raises `UnknownId`, or
        `InvalidArgument` where several could be meant.
        """
        del clock, ids
        wanted = business_id or self._only_business()
        found = self._open.businesses.get(wanted)
        if found is None:
            with self._open.lock:
                found = self._open.businesses.get(wanted) or self._opened_business(wanted)
                self._open.businesses[wanted] = found
        return found

    def _only_business(self) -> str:
        known = self.businesses()
        if not known:
            raise UnknownId("there is no business yet; create one first", argument="business_id")
        if len(known) > 1:
            several = f"there are several businesses; give 'business_id', one of {', '.join(known)}"
            message = f"{several}, or 'agent_id', whose business is meant"
            raise InvalidArgument(message, argument="business_id")
        return known[0]

    def _opened_business(self, business_id: str) -> Business:
        return open_business(
            self.layout,
            business_id,
            self.sync,
            mirror=self._queue(),
            contractors=self.contractors(),
            default=first_profile(self.settings.governance),
        )

    def _queue(self) -> Store:
        with self._open.lock:
            if self._open.queue is None:
                self._open.queue = decision_queue(self.layout.root, self.sync)
            return self._open.queue

    def contractors(self) -> Records[Contractor]:
        """Return the contractor pool, which all businesses share: it works before there is any."""
        with self._open.lock:
            if self._open.contractors is None:
                self._open.contractors = open_pool(self.layout.root, self.sync)
            return self._open.contractors

    def decisions(self, business_id: str = "") -> Decisions:
        """Return the decisions of a business; where none is meant, those at the root of the workspace."""
        home = self._home(business_id)
        return home.decisions if home else self.root_decisions()

    def root_decisions(self) -> Decisions:
        """Return the queue at the root of the workspace: decisions of no business, and a mirror of all others."""
        return Decisions(self._queue())

    def profile(self, business_id: str = "") -> StakeholderProfile:
        """Return the stakeholder's profile for a business; where none is meant, the one at the root."""
        home = self._home(business_id)
        return home.profile if home else read_profile(first_profile(self.settings.governance), self.layout.root)

    def money(self, business_id: str = "") -> tuple[float | None, float | None]:
        """Return cash and the cash burnt a month, from the metrics of a business; None is unknown."""
        home = self._home(business_id)
        return home.money() if home else (None, None)

    def _home(self, business_id: str) -> Business | None:
        wanted = business_id or self.the_business()
        return self.business(wanted) if wanted else None

    def the_business(self) -> str:
        """Return the id of the only business; "" where there is none, or several could be meant."""
        folders = self.layout.businesses
        known = [path.parent.name for path in folders.glob(f"*/{MANIFEST_FILE}")] if folders.is_dir() else []
        return known[0] if len(known) == 1 else ""

    def effects(self, agent_id: str) -> Effects:
        """Return the keyed effects of an agent, or of the stakeholder."""
        if agent_id != STAKEHOLDER:
            return self.stores_of(agent_id).effects
        with self._open.lock:
            if self._open.effects is None:
                self._open.effects = open_effects(self.layout.root, self.sync)
            return self._open.effects

    def inbox(self, agent_id: str) -> Inbox:
        """Return the inbox of an agent, or of the stakeholder; raises `UnknownId`."""
        if agent_id != STAKEHOLDER:
            return self.stores_of(agent_id).inbox
        with self._open.lock:
            if STAKEHOLDER not in self._open.inboxes:
                self._open.inboxes[STAKEHOLDER] = open_inbox(self.layout.root, self.sync)
            return self._open.inboxes[STAKEHOLDER]

    def deliver(self, message: Message) -> Message | None:
        """Put a message in its recipient's inbox, once, and wake the recipient; return it as it lies there, if new.

        Raises `Refused` where the protocol of its conversation does not allow it. Without coordination nobody hears a
        colleague.
        """
        if "coordination" in self.without and {message.sender, message.to} <= {*self.agents()}:
            return None
        inbox = self.inbox(message.to)
        heard = self.heard(message.sender, message.thread) if message.conversation_id else ()
        new = inbox.deliver(message, heard=heard, admit=admit)
        if new and message.to != STAKEHOLDER:
            self.wake(message.to, urgent=message.priority == "urgent")
        return new

    def heard(self, agent_id: str, conversation_id: str) -> tuple[Message, ...]:
        """Return what an agent has received in a conversation; nothing for one who has no inbox here, as the market."""
        try:
            return self.inbox(agent_id).thread(conversation_id)
        except (UnknownId, InvalidArgument):
            return ()

    def wake(self, agent_id: str, *, urgent: bool = False) -> None:
        """Tell whoever runs agents in this process that one has something to do."""
        for wake in tuple(self._open.wakes):
            wake(agent_id, urgent)

    def on_wake(self, wake: Wake) -> Callable[[], None]:
        """Have `wake` called for every agent with news, until the returned function is called."""
        self._open.wakes.append(wake)
        return lambda: self._open.wakes.remove(wake)

    def note(self, agent: Agent, kind: str, body: Mapping[str, Any]) -> Entry:
        """Write an entry into the agent's ledger, at its clock and in its cycle."""
        return self.ledger.append(agent.id, kind, body, at=iso(self.clock()), cycle=agent.cycle)

    def ledger_index(self) -> LedgerIndex:
        """Return the index of the ledger, which is made when first asked for."""
        with self._open.lock:
            if self._open.ledger_index is None:
                self._open.ledger_index = LedgerIndex(self.layout)
            return self._open.ledger_index

    def graph(self, business_id: str = "") -> BusinessGraph:
        """Return the graph of a business, by default the only one's; raises as `business` does."""
        from mabos.tools.runtime.graphs import BusinessGraph

        wanted = self.business(business_id).id if business_id or self.businesses() else ""
        with self._open.lock:
            if wanted not in self._open.graphs:
                self._open.graphs[wanted] = BusinessGraph(self, wanted)
            return self._open.graphs[wanted]

    def cycle_of(self, agent_id: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run one cycle of an agent and return its report; raises `Unavailable` where nothing can run cycles."""
        if self.run_cycle is None:
            raise Unavailable("no cycle can run here: the workspace was opened without its machines")
        return self.run_cycle(self, agent_id, given)

    def checkpoint(self) -> None:
        """Bring the readable files of everything that is open up to date."""
        for store in self._open.stores():
            store.checkpoint()

    def close(self) -> None:
        """Bring every file up to date and let go of it; closing twice is allowed.

        One damaged file keeps no other from being closed; it is raised at the end.
        """
        self._open.close(self)


def open_services(
    root: Path,
    *,
    settings: Settings | None = None,
    environment: Environment | None = None,
    clock: Clock | None = None,
    seed: str = "",
    model: ChatModel | None = None,
    run_cycle: RunCycle | None = None,
    without: Iterable[str] = (),
    registry: Registry | None = None,
) -> Services:
    """Return the services of the workspace at `root`; nothing but `.mabos` is made before it is asked for.

    Settings and environment are read where they are not given. `MABOS_NOW` freezes the clock; with a `seed` every id
    follows from seed, clock and order of calls. `model` stands in for the one that settings name, `registry` for the
    catalogue.
    """
    layout = Layout(root.resolve())
    if layout.root.is_dir():
        with suppress(OSError):  # a workspace that may only be read is read
            layout.internal.mkdir(exist_ok=True)
    variables = environment or read_environment()
    chosen = settings or load_settings(layout.root, variables)
    now = clock or (frozen_clock(variables.now) if variables.now else system_clock)
    sync = Sync(chosen.durability)
    ledger = Ledger(layout, sync)
    index = Index(layout.internal / "index.sqlite")
    follow_terms(index, Proposals(layout.root / FOLDER, sync))
    meter = Meter(budget("run", chosen.budgets.run))
    models = asked(chosen.models, variables, layout.root, meter, stand_in=model, clock=now)
    return Services(
        layout=layout,
        settings=chosen,
        environment=variables,
        clock=now,
        ids=Ids(now, seed=seed or None),
        seed=seed,
        sync=sync,
        ledger=ledger,
        index=index,
        model=models.model,
        meter=meter,
        embedder=embedder(chosen.memory.embeddings, models.vectors),
        tools=registry or Registry(),
        spending=Spending(),
        contract_net=ContractNet(layout, durable=sync.durable),
        run_cycle=run_cycle,
        without=frozenset(without),
    )
