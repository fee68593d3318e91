"""The agents and businesses of a workspace, with documents opened at first use."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import RLock

from mabos.backends.daily import DailyMeter
from mabos.configs.errors import InvalidArgument, MabosError, UnknownId, unknown
from mabos.configs.settings import Settings
from mabos.knowledge.entities.sensitive import cleaner
from mabos.knowledge.model import Rule
from mabos.knowledge.ontology.rules import business_rules
from mabos.knowledge.ontology.vocabulary import FOLDER
from mabos.knowledge.rule_records import book_of
from mabos.memory.meaning import MeaningIndex
from mabos.society.business import MANIFEST_FILE, agent_ids, manifests
from mabos.society.contractors import Contractor
from mabos.society.decisions import GRANTED, Decision, Decisions, decision_queue
from mabos.society.governance import StakeholderProfile, first_profile, read_profile
from mabos.society.roles import STAKEHOLDER
from mabos.society.workforce import open_pool
from mabos.tools.runtime.budgets import budget, day_question
from mabos.tools.runtime.company import Business, open_business
from mabos.tools.runtime.effects import Effects, open_effects
from mabos.tools.runtime.once import Once
from mabos.tools.runtime.stores import AgentStores, is_agent, open_agent
from mabos.workspace.clock import Clock, iso
from mabos.workspace.currencies import DOLLARS
from mabos.workspace.ids import Ids
from mabos.workspace.names import Layout
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View


class CompanyDirectory:
    """Finds agents and businesses by id; their documents stay open until the workspace closes.

    `meaning` opens the vectors of an agent; each of `listeners` is called when an agent's documents are opened.
    """

    def __init__(
        self,
        layout: Layout,
        settings: Settings,
        sync: Sync,
        *,
        clock: Clock,
        ids: Ids,
        meaning: Callable[[str], MeaningIndex | None],
        lock: RLock,
    ) -> None:
        self.layout = layout
        self.listeners: list[Callable[[AgentStores], None]] = []
        self.contractors = Once[View[Contractor]](partial(open_pool, layout.root, sync), lock)
        self._settings = settings
        self._sync = sync
        self._clock = clock
        self._ids = ids
        self._meaning = meaning
        self.lock = lock
        self._agents: dict[str, AgentStores] = {}
        self._businesses: dict[str, Business] = {}
        self._queue = Once[Store](partial(decision_queue, layout.root, sync), lock)
        self._effects = Once[Effects](partial(open_effects, layout.root, sync), lock)

    def agents(self) -> list[str]:
        """Return the ids of all agents, in seat order; handwritten agents come last."""
        found = dict.fromkeys(agent_ids(self.layout))
        folders = self.layout.agents.iterdir() if self.layout.agents.is_dir() else ()
        others = (folder for folder in folders if folder.name not in found)
        return [*found, *sorted(folder.name for folder in others if is_agent(folder))]

    def stores_of(self, agent_id: str) -> AgentStores:
        """Return the open stores of an agent; raises `UnknownId`."""
        return self._agents.get(agent_id) or self._open_agent(agent_id)

    def _open_agent(self, agent_id: str) -> AgentStores:
        directory = self.layout.agent(agent_id)
        with self.lock:
            found = self._agents.get(agent_id)
            if found is None:
                if not is_agent(directory):
                    raise unknown("agent", agent_id, self.agents(), argument="agent_id")
                found = open_agent(
                    agent_id,
                    directory,
                    clock=self._clock,
                    ids=self._ids,
                    sync=self._sync,
                    day=self._day_of(agent_id),
                    meaning=self._meaning(agent_id),
                    clean=cleaner(self._settings.entities.sensitive),
                )
                self._agents[agent_id] = found
                book_of(found.rules).vocabulary = partial(self._rules_of, found.business_id)
                for listener in self.listeners:
                    listener(found)
            return found

    def _rules_of(self, business_id: str) -> Mapping[str, Rule]:
        """Return the rules of the ontologies of a business."""
        if not business_id:
            return {}
        with suppress(MabosError):  # a manifest that is damaged is named by whoever needs it
            return business_rules(self.layout.root / FOLDER, self.business(business_id).manifest.domain)
        return {}

    def _day_of(self, agent_id: str) -> DailyMeter:
        """Return an agent's remaining budget for today, over all processes."""
        path = self.layout.internal / "budgets" / f"{agent_id}.json"

        def today() -> str:
            return iso(self._clock())[:10]

        return DailyMeter(
            path,
            budget("day", self._settings.budgets.agent),
            today,
            lambda: len(self.granted_budgets(agent_id, today())),
        )

    def granted_budgets(self, agent_id: str, day: str) -> list[Decision]:
        """Return the owner's approvals of more budget for an agent's day."""
        asked, business_id = day_question(agent_id, day), self.stores_of(agent_id).business_id
        every = self.decisions(business_id).all()
        return [decision for decision in every if decision.id.startswith(asked) and decision.status in GRANTED]

    def effects(self, agent_id: str) -> Effects:
        """Return the keyed effects of an agent, or of the stakeholder."""
        return self._effects() if agent_id == STAKEHOLDER else self.stores_of(agent_id).effects

    def businesses(self) -> list[str]:
        """Return the ids of all businesses, oldest first."""
        return list(manifests(self.layout))

    def the_business(self) -> str:
        """Return the id of the only business; "" if there is none, or several."""
        folders = self.layout.businesses
        known = [path.parent.name for path in folders.glob(f"*/{MANIFEST_FILE}")] if folders.is_dir() else []
        return known[0] if len(known) == 1 else ""

    def business(self, business_id: str = "") -> Business:
        """Return a business, by default the only one.

        Raises `UnknownId`, or `InvalidArgument` if it is ambiguous.
        """
        wanted = business_id or self._only_business()
        found = self._businesses.get(wanted)
        if found is None:
            with self.lock:
                found = self._businesses.get(wanted) or self._open_business(wanted)
                self._businesses[wanted] = found
        return found

    def currency_of(self, agent_id: str) -> str:
        """Return the currency of an agent's business; dollars if it has none, or its files are unreadable."""
        with suppress(MabosError):
            is_known = agent_id in self._agents or (agent_id and is_agent(self.layout.agent(agent_id)))
            wanted = self.stores_of(agent_id).business_id if is_known else self.the_business()
            return self.business(wanted).currency if wanted else DOLLARS
        return DOLLARS

    def _only_business(self) -> str:
        known = self.businesses()
        if not known:
            raise UnknownId("there is no business yet; create one first", argument="business_id")
        if len(known) > 1:
            several = f"there are several businesses; give 'business_id', one of {', '.join(known)}"
            message = f"{several}, or 'agent_id', whose business is meant"
            raise InvalidArgument(message, argument="business_id")
        return known[0]

    def _open_business(self, business_id: str) -> Business:
        return open_business(
            self.layout,
            business_id,
            self._sync,
            mirror=self._queue(),
            contractors=self.contractors(),
            default=first_profile(self._settings.governance),
        )

    def decisions(self, business_id: str = "") -> Decisions:
        """Return the decisions of a business, by default those at the workspace's root."""
        home = self._home(business_id)
        return home.decisions if home else self.root_decisions()

    def root_decisions(self) -> Decisions:
        """Return the queue at the workspace's root: decisions outside businesses, and a mirror of all others."""
        return Decisions(self._queue())

    def profile(self, business_id: str = "") -> StakeholderProfile:
        """Return the stakeholder's profile for a business, by default the one at the root."""
        home = self._home(business_id)
        return home.profile if home else read_profile(first_profile(self._settings.governance), self.layout.root)

    def money(self, business_id: str = "") -> tuple[float | None, float | None]:
        """Return cash and monthly cash burn from the metrics of a business; None is unknown."""
        home = self._home(business_id)
        return home.money() if home else (None, None)

    def _home(self, business_id: str) -> Business | None:
        wanted = business_id or self.the_business()
        return self.business(wanted) if wanted else None

    def open_agents(self) -> list[AgentStores]:
        """Return the agents whose documents are open."""
        return list(self._agents.values())

    def stores(self) -> list[Store]:
        """Return every open document."""
        with self.lock:
            found = [store for agent in self._agents.values() for store in agent.stores()]
            found += [store for business in self._businesses.values() for store in business.stores()]
            found += [self._queue.found] if self._queue.found is not None else []
            others = (self.contractors.found, self._effects.found)
            return [*found, *(records.store for records in others if records is not None)]
