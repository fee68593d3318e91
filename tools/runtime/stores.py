"""The documents of one agent, opened once; every call uses them with its own clock and ids."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from mabos.backends.daily import DailyMeter
from mabos.configs.errors import Damaged, MabosError
from mabos.configs.settings import KnowledgeSettings, MemorySettings
from mabos.knowledge import case_records, fact_index, rule_records
from mabos.knowledge.cases import open_cases
from mabos.knowledge.entities.sensitive import keep_value
from mabos.knowledge.facts import open_facts
from mabos.knowledge.inference.forward import FollowedFacts
from mabos.knowledge.reasoning import history
from mabos.knowledge.reasoning.history import open_episodes
from mabos.knowledge.rules import Rules, open_rules
from mabos.language.request import Request
from mabos.memory.meaning import MeaningIndex
from mabos.memory.memory import Memory, open_memory
from mabos.memory.shelf import rows
from mabos.memory.weights import ranking_weights
from mabos.mind.mind import Mind, open_mind
from mabos.society.inbox import Inbox, open_inbox
from mabos.tools.runtime.effects import Effects, open_effects
from mabos.tools.work.proposals import ModelProposal
from mabos.tools.work.session import WorkSession
from mabos.workspace.clock import Clock
from mabos.workspace.documents import json_document
from mabos.workspace.ids import Ids
from mabos.workspace.indexer import TextIndex
from mabos.workspace.records import declaration
from mabos.workspace.regular import content
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

_EMBEDDED_AT_CLOSE = 256
DOCUMENTS = "documents"
"""The collection of `perceived.json`: the documents that an agent has read."""
AGENT_FILES = ("agent.json", "Persona.md", "Beliefs.md")
"""A folder with one of these is an agent's."""


@dataclass(frozen=True, slots=True)
class AgentStores:
    """All documents of one agent; opening reads nothing and creates nothing."""

    id: str
    directory: Path
    business_id: str
    mind: Mind
    memory: Store
    meaning: MeaningIndex | None
    facts: Store
    rules: Store
    cases: Store
    episodes: Store
    inbox: Inbox
    effects: Effects
    perceived: Store
    requests: View[Request]
    work: View[WorkSession]
    proposals: View[ModelProposal]
    day: DailyMeter
    clean: Callable[[Any], Any]

    def memory_at(self, settings: MemorySettings, sync: Sync, clock: Clock, ids: Ids) -> Memory:
        """Return the memory with this clock and these ids."""
        return Memory(
            self.id,
            self.memory,
            self.directory,
            clock,
            ids,
            settings=settings,
            sync=sync,
            meaning=self.meaning,
            preset=settings.ranking,
            weights=ranking_weights(mmr=settings.classic_mmr, temporal_decay=settings.classic_temporal_decay),
            clean=self.clean,
        )

    def facts_at(self, settings: KnowledgeSettings, clock: Clock, ids: Ids) -> FollowedFacts:
        """Return the facts with this clock and these ids."""
        rules = Rules(self.id, self.rules, clock, ids)
        return FollowedFacts(self.id, self.facts, clock, ids, rules, max_derived=settings.inference_max_facts)

    def mind_at(self, clock: Clock, ids: Ids) -> Mind:
        """Return the mind at another clock; parsed data is shared."""
        if self.mind.clock is clock and self.mind.ids is ids:
            return self.mind
        twin = copy(self.mind)
        twin.clock, twin.ids = clock, ids
        return twin

    def publish(
        self, memory: Memory, facts: FollowedFacts, charged: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Write derived data: pages of memory and facts, counted recalls, and queued vectors.

        `charged` accounts for the costs of the embedder.
        """
        with suppress(MabosError, OSError):  # a file that is damaged or read-only is named by whoever needs it
            memory.materialise()
        with suppress(MabosError, OSError):
            facts.materialise(self.directory)
        if self.meaning is not None:
            with suppress(MabosError, OSError):  # without an embedder what waits is found by its words
                if self.meaning.is_behind:
                    with charged():
                        memory.embed(_EMBEDDED_AT_CLOSE)
                self.meaning.describe()
            self.meaning.close()

    def index_in(self, index: TextIndex) -> None:
        """Index the agent's memories and knowledge for search from now on."""
        index.follow(f"memory:{self.id}", self.memory, rows(self.id))
        index.follow(f"facts:{self.id}", self.facts, fact_index.rows(self.id))
        index.follow(f"rules:{self.id}", self.rules, rule_records.rows(self.id))
        index.follow(f"cases:{self.id}", self.cases, case_records.rows(self.id))
        index.follow(f"reasoning:{self.id}", self.episodes, history.rows(self.id))

    def stores(self) -> tuple[Store, ...]:
        """Return every store, for closing."""
        return (
            self.mind.store,
            self.memory,
            self.facts,
            self.rules,
            self.cases,
            self.episodes,
            self.inbox.store,
            self.effects.store,
            self.perceived,
            self.requests.store,
            self.work.store,
            self.proposals.store,
        )


def open_agent(
    agent_id: str,
    directory: Path,
    *,
    clock: Clock,
    ids: Ids,
    sync: Sync,
    day: DailyMeter,
    meaning: MeaningIndex | None = None,
    clean: Callable[[Any], Any] = keep_value,
) -> AgentStores:
    """Return the stores of the agent in `directory`; clock and ids are those of most calls.

    `day` is its remaining budget for today; `clean` screens the memories, cases and lessons of its cycles.
    """
    return AgentStores(
        id=agent_id,
        directory=directory,
        business_id=_business_of(directory),
        mind=open_mind(directory, clock=clock, ids=ids, sync=sync, agent_id=agent_id, clean=clean),
        memory=open_memory(directory, sync=sync),
        meaning=meaning,
        facts=open_facts(directory, sync=sync),
        rules=open_rules(directory, sync=sync),
        cases=open_cases(directory, sync=sync),
        episodes=open_episodes(directory, sync=sync),
        inbox=open_inbox(directory, sync),
        effects=open_effects(directory, sync),
        perceived=json_document(directory / "perceived.json", [DOCUMENTS], sync=sync),
        requests=View(declaration(Request).open(directory, sync), Request),
        work=View(declaration(WorkSession).open(directory, sync), WorkSession),
        proposals=View(declaration(ModelProposal).open(directory, sync), ModelProposal),
        day=day,
        clean=clean,
    )


def is_agent(directory: Path) -> bool:
    """Return whether `directory` belongs to an agent."""
    return any((directory / name).exists() for name in AGENT_FILES)


def _business_of(directory: Path) -> str:
    """Return the business that an agent's manifest names; a hand-written agent may have none."""
    try:
        manifest = orjson.loads(content(directory / "agent.json"))
    except (OSError, Damaged, orjson.JSONDecodeError):
        return ""
    return str(manifest.get("business_id", "")) if isinstance(manifest, dict) else ""
