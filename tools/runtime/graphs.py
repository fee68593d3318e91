"""The graph of one business while its workspace is open: its sources, and its answers (S0 section 12).

It is in `.mabos/graph`, follows the source files of all agents of the business, and can be deleted. It is opened at
first use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from mabos.backends.embed import Embedder
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.follow import Feed, Fresh
from mabos.backends.graph.mapping import graph_parts
from mabos.backends.graph.model import GraphPart, Node
from mabos.backends.graph.records import build_owned_part, drop_empty, record_uid, tie
from mabos.backends.vectors import Vectors
from mabos.configs.errors import MabosError
from mabos.configs.settings import Environment
from mabos.knowledge.archive import store as archive
from mabos.knowledge.archive.retrieval import describe as describe_archive
from mabos.knowledge.case_records import Case
from mabos.knowledge.entities.store import EntityStore
from mabos.knowledge.entities.visibility import NOBODY as NO_DIRECTORY
from mabos.knowledge.entities.visibility import Directory
from mabos.knowledge.fact_index import index_of
from mabos.knowledge.in_graph import episode_part, is_thing, named_thing, names_thing, thing
from mabos.knowledge.model import FACTS_SECTION, Fact, Rule, thing_uid
from mabos.knowledge.ontology.vocabulary import FOLDER as ONTOLOGIES
from mabos.memory.model import MemoryItem
from mabos.mind.in_graph import parts, step_uid
from mabos.society.business import MANIFEST_FILE
from mabos.society.contacts import Contact
from mabos.society.deals import Deal
from mabos.society.decisions import Decision
from mabos.society.in_graph import business_part
from mabos.society.packages import WorkPackage
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.directory import CompanyDirectory
from mabos.tools.runtime.graph_copy import GraphCopy
from mabos.tools.runtime.stores import AgentStores
from mabos.workspace.clock import Clock
from mabos.workspace.follower import Cursor, news
from mabos.workspace.names import Layout
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

FOLDER = "graph"
NOBODY = "workspace"
"""The name of the graph of agents without a business."""


@dataclass(frozen=True, slots=True)
class BusinessGraphs:
    """The graphs of a workspace, by business; `vectors` opens those in a folder and is None without an embedder."""

    layout: Layout
    clock: Clock
    sync: Sync
    embedder: Embedder
    vectors: Callable[[Path], Vectors | None]
    directory: CompanyDirectory
    lock: RLock
    opened: dict[str, "BusinessGraph"] = field(default_factory=dict)

    def of(self, business_id: str, server: Environment | None) -> "BusinessGraph":
        """Return the graph of a business, by default the only one's; a `server` keeps a copy of it from now on.

        Raises `UnknownId`, or `InvalidArgument` if it is ambiguous.
        """
        directory = self.directory
        wanted = directory.business(business_id).id if business_id or directory.businesses() else ""
        with self.lock:
            if wanted not in self.opened:
                self.opened[wanted] = BusinessGraph(self, wanted, server)
            return self.opened[wanted]


class BusinessGraph:
    """A graph and its updates; threads share one object."""

    def __init__(self, kept: BusinessGraphs, business_id: str, server: Environment | None) -> None:
        self.business_id = business_id
        self.path = kept.layout.internal / FOLDER / f"{business_id or NOBODY}.sqlite"
        self.graph = EmbeddedGraph(self.path, clock=kept.clock)
        self._kept = kept
        self._directory = kept.directory
        self._feed = Feed(self.graph)
        self._guard = RLock()
        self._followed: dict[str, AgentStores] = {}
        self._vectors: dict[str, Vectors | None] = {}
        self._entities: EntityStore | None = None
        self._spellings: dict[str, dict[str, None]] = {}
        if business_id:
            self._follow_business(self._directory.business(business_id))
        self._feed.follow_log("things", self._things)
        self.copy = None if server is None else self._start_copy(server)

    def fresh(self) -> EmbeddedGraph:
        """Return the graph, brought up to date with the files of truth."""
        self.update()
        return self.graph

    def update(self) -> int:
        """Bring the graph up to date; return the number of changed nodes and edges. Cheap without changes."""
        with self._guard:
            for agent_id in self.agents():
                if agent_id not in self._followed:
                    self._follow_agent(self._directory.stores_of(agent_id))
            self.entities().update()
            return self._feed.update()

    def rebuild(self) -> tuple[int, int]:
        """Rebuild the graph from the files of truth; return its number of nodes and edges. Copies are updated too."""
        with self._guard:
            self.graph.forget()
            self.update()
            digest = self.graph.digest()
        return digest.nodes, digest.edges

    def agents(self) -> list[str]:
        """Return the agents whose minds and stores are in this graph."""
        known = self._directory
        if self.business_id:
            return list(known.business(self.business_id).manifest.agents.values())
        employed = {one for business in known.businesses() for one in known.business(business).manifest.agents.values()}
        return [one for one in known.agents() if one not in employed]

    def vectors(self, of: str) -> Vectors | None:
        """Return the vector store of `archive` or `entities`; None without an embedder."""
        with self._guard:
            if of not in self._vectors:
                self._vectors[of] = self._kept.vectors(self._kept.layout.internal / of / (self.business_id or NOBODY))
            return self._vectors[of]

    def directory(self) -> Directory:
        """Return the users and teams of the business, from its current `business.json`."""
        if not self.business_id:
            return NO_DIRECTORY
        return Directory.read(self._kept.layout.business(self.business_id) / MANIFEST_FILE)

    def entities(self) -> EntityStore:
        """Return the entity memory of the business (S2): `graph.jsonl` in its folder, indexed by this graph."""
        layout = self._kept.layout
        with self._guard:
            if self._entities is None:
                folder = layout.business(self.business_id) if self.business_id else layout.root
                self._entities = EntityStore(
                    folder / "graph.jsonl",
                    self.graph,
                    business=self.business_id,
                    derived=layout.internal / "entities",
                    clock=self._kept.clock,
                    sync=self._kept.sync,
                    embedder=self._kept.embedder,
                    vectors=self.vectors("entities"),
                )
            return self._entities

    def close(self) -> None:
        """Release the files, and the server after delivering the rest, if that is immediate."""
        if self.copy is not None:
            with suppress(MabosError):  # a file that cannot be read is told by whoever asks for what is in it
                self.update()
            self.copy.close()
        self._describe_vectors()
        self.graph.close()
        if self._entities is not None:
            self._entities.close()
        for kept in self._vectors.values():
            if kept is not None:
                kept.close()

    def _describe_vectors(self) -> None:
        """Let other programs read the texts of entities and archive, where the store of vectors can show them."""
        with suppress(MabosError, OSError):  # what cannot be read is told by whoever asks for it
            if self._entities is not None:
                self._entities.meaning.describe()
            if (kept := self._vectors.get("archive")) is not None and self.business_id:
                describe_archive(kept, self._directory.business(self.business_id).archive.nodes())

    def _start_copy(self, server: Environment) -> GraphCopy:
        """Return the copy on a server, which is fed from now on."""
        ontologies = self._kept.layout.root / ONTOLOGIES
        copy = GraphCopy(
            self.graph, self.business_id or NOBODY, server, ontologies, self.update, embedder=self._kept.embedder
        )
        copy.start()
        return copy

    def _follow_business(self, business: Business) -> None:
        whole = business_part(business.manifest)
        self._feed.follow_log("business", lambda cursor: _if_new(cursor, repr(business.manifest), {"manifest": whole}))
        self._feed.follow("decisions", business.decisions.store, graph_parts(Decision))
        self._feed.follow("packages", business.workforce.packages.store, graph_parts(WorkPackage))
        customers, own = business.customers, business.id
        self._feed.follow("contacts", customers.contacts.store, graph_parts(Contact, own))
        self._feed.follow("deals", customers.deals.store, graph_parts(Deal, own))
        self._feed.follow("archive", business.archive.store, archive.part_of)

    def _follow_agent(self, stores: AgentStores) -> None:
        own, follow = stores.id, self._feed.follow
        self._followed[own] = stores
        self._feed.follow_log(f"mind/{own}", lambda cursor: _mind(stores, cursor))
        follow(f"facts/{own}", stores.facts, graph_parts(Fact, own))
        follow(f"rules/{own}", stores.rules, graph_parts(Rule, own))
        follow(f"cases/{own}", stores.cases, graph_parts(Case, own))
        follow(f"reasoning/{own}", stores.episodes, partial(episode_part, own))
        follow(f"memory/{own}", stores.memory, graph_parts(MemoryItem, own))
        follow(f"effects/{own}", stores.effects.store, partial(_effect_part, own))

    def _things(self, cursor: str) -> Fresh | None:
        """Return the facts of all agents together on each subject with news from any of them."""
        seen = dict(one.split("=") for one in cursor.split()) if cursor else {}
        subjects: dict[str, None] = {}
        is_whole, is_news, now = not cursor, False, dict[str, str]()
        for own, stores in self._followed.items():
            generation, _, seq = seen.get(own, "").partition(":")
            found = news(stores.facts, Cursor(int(generation), int(seq)) if seq else Cursor())
            now[own] = seen[own] if found is None else f"{found.cursor.generation}:{found.cursor.seq}"
            if found is not None:
                is_news = True
                told = _subjects(found.records)
                is_whole = is_whole or found.is_whole or told is None
                subjects |= told or {}
        if not is_news:
            return None
        if is_whole or not self._spellings:  # other spellings of the same name count too
            every = {fact.subject: None for stores in self._followed.values() for fact in _facts(stores.facts)}
            self._record_spellings(every)
            subjects = every if is_whole else subjects
        about = {uid: self._about(uid) for uid in self._record_spellings(subjects)}
        given = {uid: thing(facts) for uid, facts in about.items()} | self._build_named_parts(about, is_whole=is_whole)
        return Fresh(given, " ".join(f"{own}={at}" for own, at in now.items()), is_whole)

    def _record_spellings(self, subjects: Iterable[str]) -> dict[str, None]:
        """Note the spellings of subjects, and return the uids of the things they name."""
        uids = {subject: thing_uid(subject) for subject in subjects}
        for subject, uid in uids.items():
            self._spellings.setdefault(uid, {})[subject] = None
        return dict.fromkeys(uids.values())

    def _build_named_parts(self, about: Mapping[str, Sequence[Fact]], *, is_whole: bool) -> dict[str, GraphPart]:
        """Return the parts of things that these subjects name, or named, without facts about them.

        The graph knows the other subjects that name them, unless it is rebuilt.
        """
        told = [one.object for facts in about.values() for one in facts if names_thing(one.object)]
        names = {thing_uid(name): name for name in sorted(told, reverse=True)}
        if not is_whole:
            links = self.graph.links
            was = {*about, *(end for _, _, end in links([*about], "out") if is_thing(end))}
            kept = {end for end, _, start in links([*was], "in") if is_thing(start) and start not in about}
            names |= {node.uid: node.name for node in self.graph.fetch([*kept - names.keys()])}
            names |= dict.fromkeys(was - names.keys(), "")
        return {uid: named_thing(name) for uid, name in names.items() if not about.get(uid) and not self._about(uid)}

    def _about(self, uid: str) -> list[Fact]:
        every = [stores.facts for stores in self._followed.values()]
        spelled = self._spellings.get(uid, ())
        return [fact for subject in spelled for store in every for fact in _facts(store, subject)]


def _mind(stores: AgentStores, cursor: str) -> Fresh | None:
    stores.mind.store.refresh()
    now = str(stores.mind.seq)
    return None if now == cursor else Fresh(parts(stores.mind), now, is_whole=True)


def _if_new(cursor: str, now: str, given: dict[str, GraphPart]) -> Fresh | None:
    return None if cursor == now else Fresh(given, now, is_whole=True)


def _facts(store: Store, subject: str = "") -> Iterable[Fact]:
    index = index_of(store)
    index.follow()
    with index.lock:
        return index.candidates(subject) if subject else list(index.facts.values())


def _subjects(records: Any) -> dict[str, None] | None:
    """Return the subjects of changed facts; None if a fact is gone and its subject is unknown."""
    told = {one["subject"]: None for one in records.values() if one is not None and "subject" in one}
    past = {one.get("fact_id") for one in records.values() if one is not None}
    gone = {key for (collection, key), one in records.items() if one is None and collection == FACTS_SECTION}
    return told if gone <= past else None


def _effect_part(agent_id: str, _collection: str, key: str, record: Any) -> GraphPart | None:
    """Return the graph part of a keyed call's record: an execution, and the step it was of."""
    told = drop_empty(tool=record.get("tool"), status=record.get("status"), begun_at=record.get("begun_at"))
    node = Node(record_uid(agent_id, f"effect/{key}"), "action_execution", str(record.get("tool", "")), "", told)
    plan, _, rest = key.partition("/")
    step = rest.split("/")[1:2]
    ties = [tie("step_has_execution", step_uid(agent_id, plan, step[0]), node.uid)] if step else []
    return build_owned_part(agent_id, node, ties)
