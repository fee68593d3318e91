"""What the entity memory is asked: by question, by graph, by time (S2's query actions). Nothing here changes truth.

Every answer is from one view: what the asking agent may see, as of now or of a date.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from mabos.backends.graph.model import Condition, Direction, Node, Strategy, View
from mabos.backends.graph.search import traverse
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.answers import Held, Hit, Match, Matches, Neighbour, Profile, Walk
from mabos.knowledge.entities.finding import Wanted, found
from mabos.knowledge.entities.looking import WALKED, Looking, moment, neighbour, observations
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
from mabos.knowledge.entities.statistics import Figures, Stats, figures
from mabos.workspace.clock import iso

EVERYTHING_AT_ONCE = 1_000_000


class Questions(Looking):
    """What one agent may ask of a memory."""

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
    ) -> Matches:
        """Return what fits a question in natural language, best first, and by what means it was found.

        Found by embeddings; without them by words; where no word fits, what matters most is shown. Raises
        `InvalidArgument` and `UnknownId`.
        """
        if not query.strip() or limit < 1:
            raise InvalidArgument("ask something, for at least one result", argument="query" if limit > 0 else "limit")
        self._store.update()
        view, now = self._view(at), self._clock()
        since = iso(now - timedelta(days=max_age_days)) if max_age_days is not None else ""
        wanted = Wanted(view, _types(types), min_confidence, since)
        finds = found(self._graph, self._store.meaning, query, wanted, limit)
        alike = [(node, similarity) for node, similarity in finds.similar.values() if similarity >= min_similarity]
        ranked = sorted(alike, key=lambda one: (-self._score(*one), one[0].uid))[:limit]
        profiles = self._profiles([node for node, _ in ranked], view)
        results = [
            Match(profile, similarity, self._score(node, similarity))
            for profile, (node, similarity) in zip(profiles, ranked, strict=True)
        ]
        self._store.accesses.count([node.uid for node, _ in ranked])
        return Matches(tuple(results), finds.used, finds.notice)

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
    ) -> Walk:
        """Return what is related to an entity: the patterns and insights that an agent learned, say.

        `return_types` restricts what is returned, not what is walked through. Raises as `traverse` does.
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
    ) -> Walk:
        """Return what is reached from an entity in so many steps, each with the shortest way to it.

        `at` is a date as of which to look, or `any` for every time. Where no relations are named, all are walked but
        those to sessions and tasks. Raises `UnknownId` and `InvalidArgument`.
        """
        self._store.update()
        view = self._view(at)
        start = self._node(start_entity, argument="start_entity")
        walked = tuple(relation_type(one, argument="relation_types") for one in relation_types) or WALKED
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
            Hit(
                one.node.uid,
                entity_of(one.node) if is_entity(one.node) else None,
                one.depth,
                tuple(map(relation_of, one.path)),
            )
            for one in went.hits
            if "kind" in one.node.properties
        )
        self._store.accesses.count([start.uid])
        return Walk(entity_of(start), hits, tuple(map(relation_of, went.edges)), went.is_cut)

    def query_temporal(
        self,
        *,
        at: str = "",
        since: str = "",
        until: str = "",
        entity: str = "",
        types: Sequence[str] = (),
        limit: int = 100,
    ) -> list[Held]:
        """Return what held at a time, or at any time from `since` until before `until`, oldest first.

        With `entity` only that one, what it replaced and what replaced it. Each comes with the observations and
        relations that held then. Raises `UnknownId` and `InvalidArgument`.
        """
        if at and (since or until):
            raise InvalidArgument("give either at, or since and until", argument="at")
        self._store.update()
        begin, end = moment(since, "since"), moment(until, "until")
        period = bool(begin or end)
        view = View(self._principals) if period or (entity and not at) else self._view(at)
        if entity:
            nodes = self._succession(self._node(entity), view)
        else:
            nodes = self._graph.find(_types(types) or ENTITY_TYPES, [_MINE], view, limit=EVERYTHING_AT_ONCE)
        nodes = [node for node in nodes if _overlaps(node.valid_from, node.valid_to, begin, end)]
        nodes = sorted(nodes, key=lambda node: (node.valid_from, node.uid))[:limit]
        helds = [Held(entity_of(node), *self._held(node, view)) for node in nodes]
        return [_within(one, begin, end) for one in helds] if period else helds

    def entity(self, reference: str, *, at: str = "") -> Profile:
        """Return an entity with its observations and neighbours; raises `UnknownId` and `InvalidArgument`."""
        self._store.update()
        node = self._node(reference)
        self._store.accesses.count([node.uid])
        view = View(self._principals) if at == "any" or not View(at=iso(self._clock())).holds(node) else None
        return self._profiles([node], view or self._view(at))[0]

    def recent(self, limit: int = 10) -> list[Profile]:
        """Return what was looked at last."""
        self._store.update()
        view = self._view("")
        looked = self._store.accesses.recent()
        nodes = [node for node in self._graph.fetch(looked, view) if is_entity(node)][:limit]
        return self._profiles(nodes, view)

    def stats(self, *, types: Sequence[str] = ()) -> Stats:
        """Return the figures of what may be seen and holds now."""
        self._store.update()
        view = self._view("")
        nodes = self._graph.find(_types(types) or ENTITY_TYPES, [_MINE], view, limit=EVERYTHING_AT_ONCE)
        uids = [node.uid for node in nodes]
        links = self._graph.links(uids, "out", RELATION_TYPES, view)
        others = self._graph.fetch(list({end for _, _, end in links}.difference(uids)), view)
        left_out = {node.uid for node in others if is_entity(node)}
        related = [link for link in links if link[2] not in left_out]
        observations = len(self._graph.links(uids, "in", [OBSERVES], view))
        return figures([entity_of(node) for node in nodes], related, observations, self._clock())

    def figures(self, *, types: Sequence[str] = ()) -> Figures:
        """Return every entity, relation and observation that may be seen and holds now."""
        self._store.update()
        view = self._view("")
        nodes = self._graph.find(_types(types) or ENTITY_TYPES, [_MINE], view, limit=EVERYTHING_AT_ONCE)
        uids = [node.uid for node in nodes]
        there = set(uids)
        steps = self._graph.expand(uids, "out", RELATION_TYPES, view) if uids else []
        seen = self._graph.expand(uids, "in", [OBSERVES], view) if uids else []
        relations = [relation_of(step.edge) for step in steps if step.node.uid in there or not is_entity(step.node)]
        observations = [observation_of(step.node, step.origin) for step in seen]
        return Figures([entity_of(node) for node in nodes], relations, observations)

    def _held(self, node: Node, view: View) -> tuple[tuple[Observation, ...], tuple[Neighbour, ...]]:
        seen, beside = self._around([node.uid], view)
        return observations(seen.get(node.uid, ())), tuple(map(neighbour, beside.get(node.uid, ())))

    def _succession(self, node: Node, view: View) -> list[Node]:
        nodes, frontier = {node.uid: node}, [node.uid]
        while frontier:
            steps = self._graph.expand(frontier, "both", ["SUPERSEDES", "MERGED_FROM"], View(self._principals))
            fresh = {step.node.uid: step.node for step in steps if step.node.uid not in nodes}
            nodes |= fresh
            frontier = list(fresh)
        return [one for one in nodes.values() if view.shows(one)]


_MINE = Condition("kind", "=", "entity")


def _types(types: Iterable[str]) -> tuple[EntityType, ...]:
    return tuple(entity_type(one, argument="types") for one in types)


def _overlaps(valid_from: str, valid_to: str, begin: str, end: str) -> bool:
    return (not end or valid_from < end) and (not valid_to or valid_to > begin)


def _within(held: Held, begin: str, end: str) -> Held:
    observations = (one for one in held.observations if _overlaps(one.valid_from, one.valid_to, begin, end))
    related = (one for one in held.related if _overlaps(one.relation.valid_from, one.relation.valid_to, begin, end))
    return Held(held.entity, tuple(observations), tuple(related))
