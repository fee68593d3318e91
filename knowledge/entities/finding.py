"""Find and order the entities that fit a question: by meaning, else by words, else by graph structure (S2)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from mabos.backends.graph.model import GraphView, Node, NodeCondition
from mabos.backends.graph.tier import GraphTier
from mabos.configs.errors import Unavailable
from mabos.knowledge.entities.meaning import EntityVectors
from mabos.knowledge.entities.model import ENTITY_TYPES, EntityType
from mabos.knowledge.entities.parts import OBSERVATION, OBSERVES, is_entity
from mabos.memory.stem import stem
from mabos.workspace.text import query_terms, terms

Means = Literal["embeddings", "words", "graph"]

_WIDE = 64  # texts that are looked at first; four times as many each time too few of them are wanted


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """The conditions on an answer; `view` gives the caller and the time."""

    view: GraphView
    types: tuple[EntityType, ...] = ()
    min_confidence: float = 0.0
    created_since: str = ""

    def holds(self, node: Node) -> bool:
        """Return whether an entity may be in the answer; the confidence limit ignores types without a confidence."""
        confidence = node.properties["confidence"]
        return (
            (not self.types or node.type in self.types)
            and (confidence is None or confidence >= self.min_confidence)
            and node.properties["created_at"] >= self.created_since
        )


@dataclass(frozen=True, slots=True)
class FoundEntities:
    """Entities with their similarity to a question, the means by which they were found, and a notice."""

    similar: Mapping[str, tuple[Node, float]]
    used: Means
    notice: str = ""


def find_entities(
    graph: GraphTier, meaning: EntityVectors, question: str, wanted: EntityFilter, limit: int
) -> FoundEntities:
    """Return at least `limit` fitting entities, if so many exist, by the best available means."""
    notice = ""
    if meaning.is_there:
        try:
            by_meaning = _by_meaning(graph, meaning, question, wanted, limit)
            if meaning.pending:
                notice = f"{meaning.pending} texts are not embedded yet and found by words alone"
                by_meaning = by_words(graph, question, wanted, limit) | by_meaning
            if by_meaning:
                return FoundEntities(by_meaning, "embeddings", notice)
        except Unavailable as error:
            notice = f"found by words: {error.message}"
    by_word = by_words(graph, question, wanted, limit)
    if by_word:
        return FoundEntities(by_word, "words", notice)
    every = graph.find(wanted.types or ENTITY_TYPES, [NodeCondition("kind", "=", "entity")], wanted.view, limit=100_000)
    unasked = {node.uid: (node, 0.0) for node in every if wanted.holds(node)}
    return FoundEntities(unasked, "graph", "; ".join(filter(None, [notice, "no word of the question was found"])))


def by_words(graph: GraphTier, question: str, wanted: EntityFilter, limit: int) -> dict[str, tuple[Node, float]]:
    """Return entities that contain a word of the question, with the share of its words that they contain."""
    asked = {stem(word) for word in query_terms(question)}
    wide, said = _WIDE, dict[str, tuple[Node, set[str]]]()
    while True:
        hits = graph.search(question, [*(wanted.types or ENTITY_TYPES), OBSERVATION], wanted.view, limit=wide)
        nodes = [hit.node for hit in hits]
        said = {}
        for node, entity in _entities(graph, nodes, wanted):
            words = {stem(word) for word in terms(f"{node.name} {node.text}")} & asked
            said[entity.uid] = (entity, said.get(entity.uid, (entity, set()))[1] | words)
        if len(said) >= limit or len(hits) < wide:
            return {uid: (node, len(words) / len(asked)) for uid, (node, words) in said.items()}
        wide *= 4


def _by_meaning(
    graph: GraphTier, meaning: EntityVectors, question: str, wanted: EntityFilter, limit: int
) -> dict[str, tuple[Node, float]]:
    wide = _WIDE
    while True:
        near = meaning.near(question, wide)
        similarity = dict(reversed(near))  # of several texts of a node the nearest counts
        best: dict[str, tuple[Node, float]] = {}
        nodes = graph.fetch(list(similarity), wanted.view)
        for node, entity in _entities(graph, nodes, wanted):
            likeness = max(0.0, min(1.0, similarity[node.uid]))
            if likeness > best.get(entity.uid, (entity, -1.0))[1]:
                best[entity.uid] = (entity, likeness)
        if len(best) >= limit or len(near) < wide:
            return best
        wide *= 4


def _entities(graph: GraphTier, nodes: Iterable[Node], wanted: EntityFilter) -> list[tuple[Node, Node]]:
    """Return each node with the entity it is, or observes, as far as that is wanted."""
    nodes = list(nodes)
    observations = {node.uid: node for node in nodes if node.type == OBSERVATION}
    pairs = [(node, node) for node in nodes if is_entity(node)]
    steps = graph.expand(list(observations), "out", [OBSERVES], wanted.view) if observations else []
    pairs += [(observations[step.origin], step.node) for step in steps if is_entity(step.node)]
    return [(node, entity) for node, entity in pairs if wanted.holds(entity)]
