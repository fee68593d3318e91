"""Vectors in Chroma, with the same promises as `FlatVectors`: one collection for each model, only our own vectors.

Chroma files must not be opened by two processes at once, so an operating-system lock is held from the first use to
`close`; where another process holds it, every call raises `Unavailable` and recall ranks by words alone. Never hand
Chroma texts: it would embed them with a model of its own. Its search is approximate.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any

from backends.vectors import Near
from configs.errors import Unavailable
from workspace.locks import AgentLock

_BATCH = 1000


class ChromaVectors:
    """The vectors of one model in a Chroma collection named after it."""

    name = "chroma"

    def __init__(self, directory: Path, fingerprint: str, dimensions: int) -> None:
        self._folder = directory / "chroma"
        self._fingerprint = fingerprint
        self._dimensions = dimensions
        self._guard = RLock()
        self._opener = AgentLock(directory / "chroma.lock", "chroma")
        self._client: Any = None
        self._collection: Any = None

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Keep each vector under its key; a key that is there already is left as it is."""
        new = self.missing(list(vectors))
        with self._reached() as collection:
            for start in range(0, len(new), _BATCH):
                keys = new[start : start + _BATCH]
                given = [list(vectors[key]) for key in keys]
                collection.add(ids=[key.hex() for key in keys], embeddings=given)

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, each once, in order."""
        wanted = list(dict.fromkeys(keys))
        if not wanted or not self._exists():
            return wanted
        with self._reached() as collection:
            there: set[str] = set()
            for start in range(0, len(wanted), _BATCH):
                asked = [key.hex() for key in wanted[start : start + _BATCH]]
                there.update(collection.get(ids=asked, include=[])["ids"])
        return [key for key in wanted if key.hex() not in there]

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""
        if not keys or not self._exists():
            return {}
        with self._reached() as collection:
            asked = [key.hex() for key in dict.fromkeys(keys)]
            found = collection.get(ids=asked, include=["embeddings"])
        import numpy as np

        cosines = np.asarray(found["embeddings"], dtype=np.float32) @ np.asarray(question, dtype=np.float32)
        return {bytes.fromhex(name): float(cosine) for name, cosine in zip(found["ids"], cosines, strict=True)}

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return about the `limit` nearest, best first."""
        if limit < 1 or not self._exists():
            return []
        with self._reached() as collection:
            count = min(limit, collection.count())
            if not count:
                return []
            found = collection.query(query_embeddings=[list(question)], n_results=count, include=["distances"])
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [Near(bytes.fromhex(name), 1 - float(distance)) for name, distance in pairs]

    def count(self) -> int:
        """Return how many vectors there are."""
        if not self._exists():
            return 0
        with self._reached() as collection:
            return int(collection.count())

    def close(self) -> None:
        """Let go of the database and of the lock."""
        with self._guard:
            if self._client is not None:
                self._client.close()
            self._client = self._collection = None
            self._opener.release()

    def _exists(self) -> bool:
        return self._collection is not None or self._folder.exists()

    @contextmanager
    def _reached(self) -> Iterator[Any]:
        """Yield the collection; whatever Chroma fails with means that it is out of reach."""
        with self._guard:
            try:
                yield self._opened()
            except (Unavailable, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # its native part panics with an exception of no common base
                message = f"{self._folder}: Chroma failed ({error}); delete the folder, or run `mabos rebuild`"
                raise Unavailable(message) from error

    def _opened(self) -> Any:
        if self._collection is None:
            if find_spec("chromadb") is None:
                message = "vectors in Chroma need chromadb; install mabos[chroma]"
                raise Unavailable(message)
            try:
                self._opener.acquire()
            except Unavailable:
                message = f"{self._folder} is open in another process, and Chroma allows one; close that one first"
                raise Unavailable(message) from None
            chromadb = import_module("chromadb")
            settings = chromadb.Settings(anonymized_telemetry=False)
            self._client = chromadb.PersistentClient(str(self._folder), settings=settings)
            self._collection = self._client.get_or_create_collection(
                self._fingerprint,
                embedding_function=None,
                metadata={"hnsw:space": "cosine", "model": self._fingerprint},
            )
        return self._collection
