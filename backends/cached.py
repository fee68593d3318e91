"""Vectors in files and in Chroma: Chroma is queried first; if it cannot answer, the files are searched exactly.

The files hold everything, so nothing is embedded twice and nothing is lost with Chroma's folder. Chroma receives its
missing vectors in batches: those added here, by another process, or before it was deleted.
"""

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TypeVar

from mabos.backends.chroma import ChromaVectors
from mabos.backends.vectors import FlatVectors, Near, ReadableTexts
from mabos.configs.errors import Unavailable

Answer = TypeVar("Answer")
_AT_ONCE = 64
"""Vectors that Chroma takes over before it answers; some tens of milliseconds."""
_PAUSE_S = 30.0
"""Seconds for which Chroma is not asked again after it failed."""


class CachedVectors:
    """The vectors of `files`, searched by `chroma` where that has all of them."""

    name = "chroma"

    def __init__(self, files: FlatVectors, chroma: ChromaVectors) -> None:
        self._files = files
        self._chroma = chroma
        self._handing = Lock()
        self._handed = 0
        self._ask_again = 0.0
        self.notice = ""

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Store each vector under its key; existing keys are left unchanged."""
        self._files.add(vectors)
        self._try_chroma(lambda: self._hand_over(max(len(vectors), _AT_ONCE)))

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, in order, without duplicates."""
        return self._files.missing(keys)

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""
        return self._files.similarities(question, keys)

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return about the `limit` nearest, best first; exactly those if the files are searched."""
        found = self._try_chroma(lambda: self._by_chroma(question, limit))
        return self._files.nearest(question, limit) if found is None else found

    def count(self) -> int:
        """Return how many vectors there are."""
        return self._files.count()

    def describe(self, texts: ReadableTexts) -> None:
        """Let other Chroma clients read the texts behind its vectors, if it answers."""
        self._try_chroma(lambda: self._chroma.describe(texts))

    def clear(self) -> None:
        """Delete every vector; raises `Unavailable` if another process holds Chroma or it does not answer."""
        self._chroma.clear()
        self._files.clear()
        self._handed, self._ask_again = 0, 0.0

    def close(self) -> None:
        """Release files and locks."""
        self._chroma.close()
        self._files.close()

    def _by_chroma(self, question: Sequence[float], limit: int) -> list[Near] | None:
        behind = self._hand_over(_AT_ONCE)
        if behind:
            self.notice = f"Chroma lacks {behind} vectors, which it takes over by and by; files were searched exactly"
            return None
        return self._chroma.nearest(question, limit)

    def _hand_over(self, limit: int) -> int:
        """Give Chroma at most `limit` of its missing vectors; return how many it still lacks."""
        with self._handing:  # two threads that hand over the same would both count it, and one would search too little
            there, held = self._files.count(), self._chroma.count()
            if held < self._handed or self._handed > there:
                self._handed = 0  # somebody deleted it, or the files
            if held >= there:
                self._handed = there
            keys = self._files.keys(self._handed)[:limit]
            if keys:
                self._chroma.add(self._files.among(keys))
                self._handed += len(keys)
            return there - self._handed

    def _try_chroma(self, ask: Callable[[], Answer]) -> Answer | None:
        """Return Chroma's answer, or None if it fails: then it is not asked again for a while."""
        if monotonic() < self._ask_again:
            return None
        try:
            self.notice = ""
            return ask()
        except Unavailable as error:
            self.notice = f"{error.message}; until then the vectors in files are searched exactly"
            self._ask_again = monotonic() + _PAUSE_S
            return None
