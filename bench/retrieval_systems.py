"""The systems of the retrieval benchmark: ours in several modes, and others, all queried in the same way."""

import pickle
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from bench.retrieval_sets import Text
from mabos.backends.minilm import MiniLM
from mabos.backends.vectors import FlatVectors
from mabos.configs.settings import load_settings
from mabos.memory.meaning import MeaningIndex
from mabos.memory.memory import Memory, open_memory
from mabos.memory.weights import Preset, RankingWeights, ranking_weights
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync
from mabos.workspace.text import query_terms

LATER = datetime(2030, 1, 1, tzinfo=UTC)


class Searched(Protocol):
    """A system with its remembered texts."""

    def remember(self, texts: Sequence[Text]) -> None:
        """Add texts."""

    def search(self, query: str, limit: int) -> list[str]:
        """Return the ids of the best matches."""


System = Callable[[Path, list[str]], Searched]
"""Makes an empty system in a folder; it is told who speaks in what it will remember."""


class CachedEmbedder:
    """The local embedder with a cache in a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._model = MiniLM(threads=2)
        self._file = None if folder is None else folder / f"{self._model.fingerprint}.pickle"
        self._known: dict[str, list[float]] = {}
        if self._file is not None and self._file.exists():
            self._known = pickle.loads(self._file.read_bytes())  # noqa: S301  # written by this benchmark alone

    fingerprint = MiniLM.fingerprint
    dimensions = MiniLM.dimensions

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._model.embed(new), strict=True))
        return [self._known[text] for text in texts]

    def keep(self) -> None:
        """Save the cache."""
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_bytes(pickle.dumps(self._known))


@dataclass
class Ours:
    """An agent's memory, queried through `Memory.recall`."""

    folder: Path
    embedder: CachedEmbedder | None
    preset: Preset = "fusion"
    weights: RankingWeights | None = None
    depth: int = 0
    most: int = 1000

    def __post_init__(self) -> None:
        clock = SteppedClock(LATER)
        meaning = None
        if self.embedder is not None:
            vectors = FlatVectors(self.folder / "vectors", self.embedder.fingerprint, self.embedder.dimensions)
            meaning = MeaningIndex(self.embedder, vectors)
        document = open_memory(self.folder, sync=Sync("off"))
        self._memory = Memory(
            "bench",
            document,
            self.folder,
            clock,
            Ids(clock, "bench"),
            settings=load_settings().memory,
            meaning=meaning,
            preset=self.preset,
            weights=self.weights,
        )
        self._ids: dict[str, str] = {}

    def remember(self, texts: Sequence[Text]) -> None:
        """Store texts in long-term memory, and embed them."""
        fields = [
            {
                "content": text.content,
                "source": text.source or "manual",
                "store": "long_term",
                "created_at": text.at.isoformat() if text.at else "",
            }
            for text in texts
        ]
        for text, item in zip(texts, self._memory.store_many(fields), strict=True):
            self._ids.setdefault(item.id, text.id)
        self._memory.embed()

    def recall(self, query: str, limit: int) -> list[tuple[str, Mapping[str, float]]]:
        """Return the recalled ids, each with the parts of its score."""
        hits = self._memory.recall(query, limit=min(limit, self.most), recursive_depth=self.depth)
        return [(self._ids[hit.found.id], hit.why) for hit in hits]

    def search(self, query: str, limit: int) -> list[str]:
        """Recall."""
        return [one for one, _ in self.recall(query, limit)]


class Fts:
    """SQLite's full-text search as commonly used: Porter stems, our stop words, any word."""

    def __init__(self, *_: object) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")

    def remember(self, texts: Sequence[Text]) -> None:
        """Insert texts."""
        self._connection.executemany("INSERT INTO t VALUES (?, ?)", [(text.id, text.content) for text in texts])

    def search(self, query: str, limit: int) -> list[str]:
        """Match any word."""
        words = " OR ".join(f'"{word}"' for word in query_terms(query))
        found = self._connection.execute("SELECT id FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (words, limit))
        return [one for (one,) in found]


class Chroma:
    """Chroma, given our vectors."""

    def __init__(self, embedder: CachedEmbedder, folder: Path) -> None:
        import chromadb

        self._embedder = embedder
        client = chromadb.PersistentClient(str(folder / "chroma"))
        self._texts = client.create_collection("bench", embedding_function=None, metadata={"hnsw:space": "cosine"})

    def remember(self, texts: Sequence[Text]) -> None:
        """Add texts with their authors."""
        vectors = self._embedder.embed([named(text) for text in texts])
        self._texts.add(ids=[text.id for text in texts], embeddings=vectors)

    def search(self, query: str, limit: int) -> list[str]:
        """Query by vector."""
        found = self._texts.query(query_embeddings=self._embedder.embed([query]), n_results=limit)
        return list(found["ids"][0])


class LangGraphStore:
    """LangGraph's own store with semantic search."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        from langgraph.store.memory import InMemoryStore

        index: Any = {"dims": embedder.dimensions, "embed": embedder.embed, "fields": ["text"]}
        self._store = InMemoryStore(index=index)

    def remember(self, texts: Sequence[Text]) -> None:
        """Add texts one by one, since equal texts in one batch make it fail."""
        for text in texts:
            self._store.put(("bench",), text.id, {"text": named(text)})

    def search(self, query: str, limit: int) -> list[str]:
        """Search by meaning."""
        return [found.key for found in self._store.search(("bench",), query=query, limit=limit)]


def named(text: Text) -> str:
    """Return a text with its author, in the form given to the peers."""
    return f"{text.source}: {text.content}" if text.source else text.content


def only(**signals: float) -> RankingWeights:
    """Return weights for these signals only, the same for every question, which is used verbatim."""
    shipped = ranking_weights()
    doubt = shipped.doubt.model_copy(update={"most": 1.0})
    return shipped.model_copy(update={"signals": signals, "doubt": doubt, "names": {}})


def _ours(**more: Any) -> Callable[[CachedEmbedder | None], System | str]:
    def make(embedder: CachedEmbedder | None) -> System | str:
        if embedder is None:
            return "no embedder"
        return lambda folder, _: Ours(folder, embedder, **more)

    return make


def _words(**more: Any) -> Callable[[CachedEmbedder | None], System | str]:
    return lambda _: lambda folder, _: Ours(folder, None, **more)


def _peer(
    module: str, make: Callable[[CachedEmbedder, Path], Searched]
) -> Callable[[CachedEmbedder | None], System | str]:
    def made(embedder: CachedEmbedder | None) -> System | str:
        if embedder is None:
            return "no embedder"
        if find_spec(module) is None:
            return f"{module} is not installed"
        return lambda folder, _: make(embedder, folder)

    return made


def _mem0(embedder: CachedEmbedder, folder: Path) -> Searched:
    from bench.retrieval_peers import Mem0

    return Mem0(embedder, folder)


SYSTEMS: dict[str, Callable[[CachedEmbedder | None], System | str]] = {
    "fusion": _ours(),
    "fusion, depth 1": _ours(depth=1, most=10),
    "fusion, depth 2": _ours(depth=2, most=10),
    "fusion, depth 3": _ours(depth=3, most=10),
    "fusion, words only": _words(),
    "ours: text only": _words(weights=only(words=1.0)),
    "ours: dense only": _ours(weights=only(meaning=1.0)),
    "ours: hybrid .7/.3": _ours(weights=only(meaning=0.7, words=0.3)),
    "classic (documents)": _ours(preset="classic"),
    "FTS5": lambda _: Fts,
    "Chroma": _peer("chromadb", Chroma),
    "LangGraph InMemoryStore": _peer("langgraph", lambda embedder, _: LangGraphStore(embedder)),
    "mem0 (infer=False)": _peer("mem0", _mem0),
}
"""The measured systems; each entry creates one, or gives the reason why it cannot. Deeper recalls ask for ten hits."""
