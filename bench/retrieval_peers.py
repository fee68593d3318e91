"""mem0 as a system of the retrieval benchmark: its own ranking, without a model that extracts (`infer=False`).

mem0 would download its word model and its language model. Instead it gets our vectors, and a BM25 encoder with our
stems and stop words; entities, which need the language model, are not used.
"""

import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.retrieval_sets import Text
from bench.retrieval_systems import CachedEmbedder, named
from mabos.memory.stem import stem
from mabos.workspace.text import query_terms

_WHO = {"user_id": "bench"}
_USUAL_LENGTH = 256  # what Qdrant's own encoder takes for the average
_SATURATION, _LENGTH = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Sparse:
    """The words of a text, in Qdrant's format."""

    indices: Any
    values: Any


class WordEncoder:
    """A stand-in for the encoder `Qdrant/bm25`; Qdrant itself adds the rarity of words."""

    def embed(self, texts: str | Iterable[str]) -> Iterator[Sparse]:
        """Yield the weighted words of each text."""
        for text in [texts] if isinstance(texts, str) else texts:
            words = [stem(word) for word in query_terms(text)]
            width = _SATURATION * (1 - _LENGTH + _LENGTH * len(words) / _USUAL_LENGTH)
            counts = Counter(words)
            yield _sparse({word: count * (_SATURATION + 1) / (count + width) for word, count in counts.items()})


class OurVectors:
    """A stand-in for mem0's embedder."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        """Return the vector of a text."""
        return self._embedder.embed([text])[0]

    def embed_batch(self, texts: Sequence[str], _action: str | None = None) -> list[list[float]]:
        """Return the vectors of texts."""
        return self._embedder.embed(texts)


class Mem0:
    """mem0 with its local Qdrant."""

    def __init__(self, embedder: CachedEmbedder, folder: Path) -> None:
        os.environ.setdefault("MEM0_TELEMETRY", "False")
        os.environ.setdefault("MEM0_DIR", str(folder / "mem0"))
        mem0 = import_module("mem0")

        store = {
            "path": str(folder / "qdrant"),
            "embedding_model_dims": embedder.dimensions,
            "collection_name": "bench",
        }
        never_called = {"provider": "openai", "config": {"api_key": "none"}}
        self._memory = mem0.Memory.from_config(
            {
                "llm": never_called,
                "embedder": never_called,
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = OurVectors(embedder)
        self._memory.vector_store._bm25_encoder = WordEncoder()

    def remember(self, texts: Sequence[Text]) -> None:
        """Add texts unchanged."""
        for text in texts:
            self._memory.add(named(text), infer=False, metadata={"bench": text.id}, **_WHO)

    def search(self, query: str, limit: int) -> list[str]:
        """Search as mem0's users do."""
        found = self._memory.search(query, filters=_WHO, top_k=limit)
        return [one["metadata"]["bench"] for one in found["results"]]


def _sparse(words: dict[str, float]) -> Sparse:
    import numpy as np

    numbers: dict[int, float] = {}
    for word, weight in words.items():
        number = zlib.crc32(word.encode()) & 0x7FFFFFFF
        numbers[number] = numbers.get(number, 0.0) + weight
    return Sparse(np.array(list(numbers), dtype=np.int64), np.array(list(numbers.values()), dtype=np.float32))
