"""Comparison of texts by meaning: vectors of memories, computed when there is time, next to full-text search.

Storing never waits for a model. A recall embeds new texts before it answers: those that share words with the question
first, then the newest. The rest is embedded when the workspace closes. Until then these texts are found by words only.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, repeat
from math import nan

from mabos.backends.embed import Embedder
from mabos.backends.vectors import ReadableTexts, Vectors, VectorText, key_of
from mabos.configs.errors import Unavailable
from mabos.memory.findable import Findable
from mabos.memory.texts import Texts
from mabos.memory.words import Words

EMBEDDED_AT_ONCE = 128
"""Texts that a recall embeds before it answers: a second or two of the local model."""
EMBEDDED_BEFORE_NOTHING = 512
"""Texts that it embeds more before it answers that nothing is relevant."""
_LEFT_AT_CLOSE = 32
_REMEMBERED_QUESTIONS = 64
_WIDER = 4


class MeaningIndex:
    """The vectors of one agent's texts: one object per open memory, guarded by its lock."""

    def __init__(self, embedder: Embedder, vectors: Vectors) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._keys: dict[str, bytes] = {}
        self._ids: dict[bytes, list[str]] = {}
        self._pending: dict[bytes, None] = {}
        self._altered: set[bytes] = set()
        self._texts: Texts | None = None
        self._expected = 0
        self._questions: dict[str, list[float]] = {}

    @property
    def pending(self) -> int:
        """The number of texts without a vector."""
        return len(self._pending)

    @property
    def is_calibrated(self) -> bool:
        """Return whether the scale of the embedder's similarities is known."""
        return "minilm" in self._embedder.fingerprint

    @property
    def is_behind(self) -> bool:
        """Return whether more texts lack a vector than the next recall can embed without a noticeable delay."""
        return self._expected + self.pending > _LEFT_AT_CLOSE

    @property
    def notice(self) -> str:
        """A note for the caller on gaps in the answers or the method of search; "" if there is none."""
        late = f"{self.pending} texts are not embedded yet and found by words alone" if self._pending else ""
        return "; ".join(filter(None, [late, self._vectors.notice]))

    def expect(self, written: int) -> None:
        """Note that this many items were written, to be processed when there is time."""
        self._expected += written

    def take(self, words: Words) -> None:
        """Register the texts added and removed since the last call."""
        self._texts = words.texts
        changed, keys = words.texts.news()
        missing = self._vectors.missing(list(keys.values())) if keys else []
        words.texts.told()
        self._expected = 0
        if changed is None:
            self._keys, self._ids, self._pending = {}, {}, {}
        for item_id in changed or ():
            self._forget(item_id)
        self._keys |= keys
        for item_id, key in keys.items():
            self._ids.setdefault(key, []).append(item_id)
        self._pending |= dict.fromkeys(missing)
        if changed is not None:
            self._altered.update(keys.values())

    def learn(self, limit: int, first: Iterable[str] = ()) -> None:
        """Embed at most `limit` texts without a vector: first the ids in `first`, then the newest."""
        chosen = self.due(limit, first)
        if chosen:
            self.keep(self.embedded(chosen))

    def due(self, limit: int | None = None, first: Iterable[str] = ()) -> list[str]:
        """Return at most `limit` texts without a vector: first the ids in `first`, then the newest."""
        wanted = (self._keys.get(item_id) for item_id in first)
        keys = dict.fromkeys(key for key in (*wanted, *reversed(self._pending)) if key in self._pending)
        chosen = [self._ids[key][-1] for key in islice(keys, limit)]
        return [entry.one.embedding_text for entry in self._texts.named(chosen)] if self._texts is not None else []

    def embedded(self, texts: Sequence[str]) -> dict[bytes, list[float]]:
        """Return the vectors of `texts`; needs no lock. Raises `Unavailable` without an embedder."""
        vectors = self._embedder.embed(texts)
        if vectors is None:
            raise Unavailable("there is no embedder")
        return {key_of(text): vector for text, vector in zip(texts, vectors, strict=True)}

    def keep(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Store vectors of texts that were due; raises `Unavailable` if they cannot be written."""
        self._vectors.add(vectors)
        for key in vectors:
            self._pending.pop(key, None)

    def near(self, question: str, limit: int) -> dict[str, float]:
        """Return at least the `limit` texts nearest to `question` with their similarities, best first."""
        asked, wide = self._embed_question(question), limit
        while True:
            found = self._vectors.nearest(asked, wide)
            near = {item_id: one.similarity for one in found for item_id in self._ids.get(one.key, ())}
            if len(near) >= min(limit, len(self._keys)) or len(found) < wide:
                return near
            wide *= _WIDER  # vectors of what has been forgotten took places

    def similar(self, question: str, keys: Sequence[bytes]) -> list[float]:
        """Return the similarity of each of these texts, by vector key; `nan` without a vector."""
        found = self._vectors.similarities(self._embed_question(question), keys)
        return list(map(found.get, keys, repeat(nan)))

    def describe(self) -> None:
        """Let other programs read the texts of the vectors, if the vector store can show them."""
        texts, ids = self._texts, self._ids
        if texts is None:
            return

        def read(keys: Iterable[bytes]) -> dict[bytes, VectorText]:
            found = texts.some(ids[key][-1] for key in keys)
            return {key_of(one.embedding_text): VectorText(one.embedding_text, _metadata(one)) for one in found}

        altered, self._altered = self._altered, set()
        self._vectors.describe(ReadableTexts(ids.keys(), altered, read))

    def clear(self, words: Words) -> None:
        """Delete every vector; all texts are embedded again over time.

        Raises `Unavailable`, and deletes nothing, without an embedder, or if another process holds the vectors.
        """
        self.embedded(list(islice((one.embedding_text for one in words.texts.values()), 1)))
        self._vectors.clear()
        words.texts.told(all_again=True)

    def close(self) -> None:
        """Release files and locks."""
        self._vectors.close()

    def _embed_question(self, question: str) -> list[float]:
        known = self._questions.pop(question, None)
        if known is None:
            known = next(iter(self.embedded([question]).values()))
            if len(self._questions) >= _REMEMBERED_QUESTIONS:
                del self._questions[next(iter(self._questions))]
        self._questions[question] = known
        return known

    def _forget(self, item_id: str) -> None:
        key = self._keys.pop(item_id, None)
        if key is None:
            return
        self._ids[key].remove(item_id)
        if not self._ids[key]:
            del self._ids[key]
            self._pending.pop(key, None)


def _metadata(one: Findable) -> dict[str, str | float]:
    told = {"id": one.id, "source": one.source, "created_at": one.at, "tags": ", ".join(one.tags)}
    return {"kind": "passage" if one.is_passage else "memory", "importance": one.importance} | told
