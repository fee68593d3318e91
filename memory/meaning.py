"""Texts compared by meaning: vectors of what is remembered, made when there is time, and searched beside the words.

Storing never waits for a model. What came since is embedded when something is recalled, the newest first and only so
much that the answer does not wait; the rest when a cycle or a command ends. Until then it is found by its words.
"""

from collections.abc import Iterable
from itertools import islice

from backends.embed import Embedder
from backends.vectors import Vectors, key_of
from configs.errors import Unavailable
from memory.words import Words

_REMEMBERED_QUESTIONS = 64


class Meaning:
    """The vectors of one agent's texts; one object beside each open memory."""

    def __init__(self, embedder: Embedder, vectors: Vectors) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._keys: dict[str, bytes] = {}
        self._ids: dict[bytes, list[str]] = {}
        self._pending: dict[str, str] = {}
        self._questions: dict[str, list[float]] = {}

    @property
    def pending(self) -> int:
        """How many texts have no vector yet."""
        return len(self._pending)

    def take(self, words: Words) -> None:
        """Take note of what came and went since the last time."""
        came: dict[str, tuple[bytes, str]] = {}
        for item_id in words.changed:
            self._forget(item_id)
            one = words.texts.get(item_id)
            if one is not None:
                came[item_id] = (key_of(one.spoken), one.spoken)
        words.changed.clear()
        missing = set(self._vectors.missing([key for key, _ in came.values()])) if came else set()
        for item_id, (key, text) in came.items():
            self._keys[item_id] = key
            self._ids.setdefault(key, []).append(item_id)
            if key in missing:
                self._pending[item_id] = text

    def learn(self, limit: int | None = None) -> int:
        """Embed what has no vector yet, at most `limit` of it and the newest first; return how many it was."""
        chosen = dict(islice(reversed(self._pending.items()), limit))
        if not chosen:
            return 0
        texts = list(dict.fromkeys(chosen.values()))
        vectors = self._embedder.embed(texts)
        if vectors is None:
            raise Unavailable("there is no embedder; recall ranks by words alone")
        self._vectors.add({key_of(text): vector for text, vector in zip(texts, vectors, strict=True)})
        for item_id in chosen:
            del self._pending[item_id]
        return len(chosen)

    def near(self, question: str, limit: int) -> dict[str, float]:
        """Return the texts nearest to `question`, best first, with their similarity."""
        found = self._vectors.nearest(self._asked(question), limit)
        return {item_id: near.similarity for near in found for item_id in self._ids.get(near.key, ())}

    def similar(self, question: str, item_ids: Iterable[str]) -> dict[str, float]:
        """Return the similarity of each of these texts that has a vector."""
        keys = {item_id: key for item_id in item_ids if (key := self._keys.get(item_id)) is not None}
        found = self._vectors.similarities(self._asked(question), list(keys.values()))
        return {item_id: found[key] for item_id, key in keys.items() if key in found}

    def _asked(self, question: str) -> list[float]:
        known = self._questions.pop(question, None)
        if known is None:
            vectors = self._embedder.embed([question])
            if vectors is None:
                raise Unavailable("there is no embedder; recall ranks by words alone")
            known = vectors[0]
            if len(self._questions) >= _REMEMBERED_QUESTIONS:
                del self._questions[next(iter(self._questions))]
        self._questions[question] = known
        return known

    def _forget(self, item_id: str) -> None:
        self._pending.pop(item_id, None)
        key = self._keys.pop(item_id, None)
        if key is not None:
            self._ids[key].remove(item_id)
            if not self._ids[key]:
                del self._ids[key]
