"""Queries of the entity memory: by question, by graph, by time (S2's query actions). Nothing here changes truth.

Every answer is from one view: the records visible to the caller, as of now or of a date.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from mabos.backends.graph.model import Direction, GraphStep, GraphView, Node, NodeCondition, Strategy
from mabos.backends.graph.search import traverse
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.answers import (
    EntityMatch,
    EntityMatches,
    EntityProfile,
    EntitySnapshot,
    EntityWalk,
    Neighbour,
    WalkHit,
)
from mabos.knowledge.entities.finding import EntityFilter, find_entities
from mabos.knowledge.entities.model import (
    ENTITY_TYPES,
    REFERENCES,
    RELATION_TYPES,
    EntityType,
    Observation,
    entity_type,
    relation_type,
)
from mabos.knowledge.entities.parts import OBSERVES, entity_of, is_entity, observation_of, relation_of
from mabos.knowledge.entities.ranking import (
    SessionQuality,
    Weights,
    access_frequency,
    days_between,
    importance,
    recency,
    source_quality,
)
from mabos.knowledge.entities.statistics import MemoryFigures, Stats, figures
from mabos.knowledge.entities.viewer import Viewer, moment
from mabos.workspace.clock import iso

_ALL = 1_000_000
_NEIGHBOURS = 10
"""Neighbours shown with a result."""
_WALKED = tuple(type_ for type_ in RELATION_TYPES if type_ not in ("EXTRACTED_FROM", "APPLIED_IN"))
"""The relations that are walked where none are named: two things of one session are not related by that."""
_ENTITY = NodeCondition("kind", "=", "entity")


class EntityQueries:
    """The questions that one agent, or a person, may ask of a memory."""

    def __init__(self, viewer: Viewer, weights: Weights, session_quality: SessionQuality) -> None:
        self._viewer = viewer
        self._store = viewer.store
        self._graph = viewer.graph
        self._weights = weights
        self._quality = session_quality

    def query_semantic(
        self,
        query: str,
        *,
        limit: int = 10,
        types: Sequence[str] = (),
        min_confidence: float = 0.0,
        max_age_days: float | None = None,
        min_similarity: float = 0.0,
        at: str = "",
    ) -> EntityMatches:
        """Return the entities that fit a question, best first, and the means by which they were found.

        Search uses embeddings, without them words; if no word fits, the most important entities are shown. Raises
        `InvalidArgument` and `UnknownId`.
        """
        if not query.strip() or limit < 1:
            raise InvalidArgument("give a query, and a limit of at least 1", argument="query" if limit > 0 else "limit")
        self._store.update()
        view, now = self._viewer.view(at), self._viewer.clock()
        since = iso(now - timedelta(days=max_age_days)) if max_age_days is not None else ""
        wanted = EntityFilter(view, _types(types), min_confidence, since)
        finds = find_entities(self._graph, self._store.meaning, query, wanted, limit)
        alike = [(node, similarity) for node, similarity in finds.similar.values() if similarity >= min_similarity]
        ranked = sorted(alike, key=lambda one: (-self._score(*one), one[0].uid))[:limit]
        profiles = self._profiles([node for node, _ in ranked], view)
        results = [
            EntityMatch(profile, similarity, self._score(node, similarity))
            for profile, (node, similarity) in zip(profiles, ranked, strict=True)
        ]
        self._store.accesses.count([node.uid for node, _ in ranked])
        return EntityMatches(tuple(results), finds.used, finds.notice)

    def query_graph(
        self,
        start_entity: str,
        *,
        relation_types: Sequence[str] = (),
        return_types: Sequence[str] = (),
        direction: Direction = "both",
        depth: int = 1,
        at: str = "",
        limit: int = 100,
    ) -> EntityWalk:
        """Return the nodes related to an entity: for example, the patterns and insights that an agent learned.

        `return_types` restricts the results, not the nodes walked through. Raises as `traverse` does.
        """
        return self.traverse(
            start_entity,
            relation_types=relation_types,
            types=return_types,
            direction=direction,
            max_depth=depth,
            at=at,
            limit=limit,
        )

    def traverse(
        self,
        start_entity: str,
        *,
        relation_types: Sequence[str] = (),
        max_depth: int = 3,
        types: Sequence[str] = (),
        direction: Direction = "both",
        strategy: Strategy = "bfs",
        at: str = "",
        limit: int = 100,
    ) -> EntityWalk:
        """Return the nodes reached from an entity within a number of steps, each with its shortest path.

        `at` is a date as of which to look, or `any` for every time. Without named relations, all are walked but those
        to sessions and tasks. Raises `UnknownId` and `InvalidArgument`.
        """
        self._store.update()
        view = self._viewer.view(at)
        start = self._viewer.node(start_entity, argument="start_entity")
        walked = tuple(relation_type(one, argument="relation_types") for one in relation_types) or _WALKED
        kinds: Sequence[str] = _types(types) or (*ENTITY_TYPES, *REFERENCES.values())
        went = traverse(
            self._graph,
            [start.uid],
            strategy=strategy,
            direction=direction,
            edge_types=walked,
            node_types=kinds,
            depth=max_depth,
            view=view,
            limit=limit,
        )
        hits = tuple(
            WalkHit(
                one.node.uid,
                entity_of(one.node) if is_entity(one.node) else None,
                one.depth,
                tuple(map(relation_of, one.path)),
            )
            for one in went.hits
            if "kind" in one.node.properties
        )
        self._store.accesses.count([start.uid])
        return EntityWalk(entity_of(start), hits, tuple(map(relation_of, went.edges)), went.is_cut)

    def query_temporal(
        self,
        *,
        at: str = "",
        since: str = "",
        until: str = "",
        entity: str = "",
        types: Sequence[str] = (),
        limit: int = 100,
    ) -> list[EntitySnapshot]:
        """Return the entities that held at a time, or at any time from `since` until before `until`, oldest first.

        With `entity` only that one, its predecessors and its successors. Each comes with the observations and relations
        that held then. Raises `UnknownId` and `InvalidArgument`.
        """
        if at and (since or until):
            raise InvalidArgument("give either at, or since and until", argument="at")
        self._store.update()
        begin, end = moment(since, "since"), moment(until, "until")
        period = bool(begin or end)
        view = self._viewer.always if period or (entity and not at) else self._viewer.view(at)
        nodes = self._succession(self._viewer.node(entity), view) if entity else self._entities(types, view)
        nodes = [node for node in nodes if _overlaps(node.valid_from, node.valid_to, begin, end)]
        nodes = sorted(nodes, key=lambda node: (node.valid_from, node.uid))[:limit]
        helds = [EntitySnapshot(entity_of(node), *self._read_surroundings(node, view)) for node in nodes]
        return [_within(one, begin, end) for one in helds] if period else helds

    def entity(self, reference: str, *, at: str = "") -> EntityProfile:
        """Return an entity with its observations and neighbours; raises `UnknownId` and `InvalidArgument`."""
        self._store.update()
        node = self._viewer.node(reference)
        self._store.accesses.count([node.uid])
        has_ended = not GraphView(at=self._viewer.now()).holds(node)
        return self._profiles([node], self._viewer.always if has_ended else self._viewer.view(at))[0]

    def recent(self, limit: int = 10) -> list[EntityProfile]:
        """Return the entities accessed last."""
        self._store.update()
        view = self._viewer.view()
        looked = self._store.accesses.recent()
        nodes = [node for node in self._graph.fetch(looked, view) if is_entity(node)][:limit]
        return self._profiles(nodes, view)

    def stats(self, *, types: Sequence[str] = ()) -> Stats:
        """Return the figures of the visible records that hold now."""
        self._store.update()
        view = self._viewer.view()
        nodes = self._entities(types, view)
        uids = [node.uid for node in nodes]
        links = self._graph.links(uids, "out", RELATION_TYPES, view)
        others = self._graph.fetch(list({end for _, _, end in links}.difference(uids)), view)
        left_out = {node.uid for node in others if is_entity(node)}
        related = [link for link in links if link[2] not in left_out]
        observations = len(self._graph.links(uids, "in", [OBSERVES], view))
        return figures([entity_of(node) for node in nodes], related, observations, self._viewer.clock())

    def figures(self, *, types: Sequence[str] = ()) -> MemoryFigures:
        """Return every visible entity, relation and observation that holds now."""
        self._store.update()
        view = self._viewer.view()
        nodes = self._entities(types, view)
        uids = [node.uid for node in nodes]
        there = set(uids)
        steps = self._graph.expand(uids, "out", RELATION_TYPES, view) if uids else []
        seen = self._graph.expand(uids, "in", [OBSERVES], view) if uids else []
        relations = [relation_of(step.edge) for step in steps if step.node.uid in there or not is_entity(step.node)]
        observations = [observation_of(step.node, step.origin) for step in seen]
        return MemoryFigures([entity_of(node) for node in nodes], relations, observations)

    def _entities(self, types: Sequence[str], view: GraphView) -> list[Node]:
        return self._graph.find(_types(types) or ENTITY_TYPES, [_ENTITY], view, limit=_ALL)

    def _importance(self, node: Node, degree: int) -> float:
        accesses, _ = self._store.accesses.of(node.uid)
        days = days_between(node.properties["created_at"], self._viewer.clock())
        return importance(accesses, days, degree, self._store.highest_degree)

    def _score(self, node: Node, similarity: float) -> float:
        accesses, _ = self._store.accesses.of(node.uid)
        return self._weights.score(
            similarity,
            recency(days_between(node.properties["created_at"], self._viewer.clock())),
            access_frequency(accesses),
            source_quality(node.properties["sessions"], self._quality),
        )

    def _profiles(self, nodes: Sequence[Node], view: GraphView) -> list[EntityProfile]:
        uids = [node.uid for node in nodes]
        seen, beside = self._around(uids, view)
        profiles = []
        for node in nodes:
            observed = _observations(seen.get(node.uid, ()))
            steps = beside.get(node.uid, [])
            sessions = [*node.properties["sessions"], *(one.source_session for one in observed)]
            profiles.append(
                EntityProfile(
                    entity_of(node),
                    observed,
                    tuple(map(_neighbour, steps[:_NEIGHBOURS])),
                    tuple(dict.fromkeys(filter(None, sessions))),
                    *self._store.accesses.of(node.uid),
                    self._importance(node, len(steps)),
                )
            )
        return profiles

    def _around(
        self, uids: Sequence[str], view: GraphView
    ) -> tuple[dict[str, list[GraphStep]], dict[str, list[GraphStep]]]:
        seen: dict[str, list[GraphStep]] = {}
        beside: dict[str, list[GraphStep]] = {}
        if uids:
            for step in self._graph.expand(uids, "in", [OBSERVES], view):
                seen.setdefault(step.origin, []).append(step)
            for step in self._graph.expand(uids, "both", _WALKED, view):
                if is_entity(step.node):
                    beside.setdefault(step.origin, []).append(step)
        return seen, beside

    def _read_surroundings(self, node: Node, view: GraphView) -> tuple[tuple[Observation, ...], tuple[Neighbour, ...]]:
        seen, beside = self._around([node.uid], view)
        return _observations(seen.get(node.uid, ())), tuple(map(_neighbour, beside.get(node.uid, ())))

    def _succession(self, node: Node, view: GraphView) -> list[Node]:
        nodes, frontier = {node.uid: node}, [node.uid]
        while frontier:
            steps = self._graph.expand(frontier, "both", ["SUPERSEDES", "MERGED_FROM"], self._viewer.always)
            fresh = {step.node.uid: step.node for step in steps if step.node.uid not in nodes}
            nodes |= fresh
            frontier = list(fresh)
        return [one for one in nodes.values() if view.shows(one)]


def _types(types: Iterable[str]) -> tuple[EntityType, ...]:
    return tuple(entity_type(one, argument="types") for one in types)


def _overlaps(valid_from: str, valid_to: str, begin: str, end: str) -> bool:
    return (not end or valid_from < end) and (not valid_to or valid_to > begin)


def _within(held: EntitySnapshot, begin: str, end: str) -> EntitySnapshot:
    observations = (one for one in held.observations if _overlaps(one.valid_from, one.valid_to, begin, end))
    related = (one for one in held.related if _overlaps(one.relation.valid_from, one.relation.valid_to, begin, end))
    return EntitySnapshot(held.entity, tuple(observations), tuple(related))


def _observations(steps: Iterable[GraphStep]) -> tuple[Observation, ...]:
    """Return the observations that steps lead to, each once, oldest first."""
    found = {step.node.uid: observation_of(step.node, step.origin) for step in steps}
    return tuple(sorted(found.values(), key=lambda one: (one.added_at, one.id)))


def _neighbour(step: GraphStep) -> Neighbour:
    """Return the node at the other end of a step."""
    label = str(step.node.properties.get("label", step.node.name))
    return Neighbour(relation_of(step.edge), step.node.uid, step.node.type, step.node.name, label)
