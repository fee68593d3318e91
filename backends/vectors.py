"""Vectors by the digest of the text they stand for, and the exact search in them.

Vectors are derived: a store is named by the fingerprint of the model that made it, so vectors of two models never meet,
and deleting it costs only the time to embed again. `FlatVectors` is the default; `backends.chroma` keeps the same
promises with Chroma. Both follow one conformance suite, `tests/contracts/test_vectors.py`.

    vectors = FlatVectors(folder, embedder.fingerprint, embedder.dimensions)
    vectors.add({key_of("Runway is nine months"): embedded})
    vectors.nearest(question, 10)    # [Near(key, similarity), ...]
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from workspace.atomic import write_atomic
from workspace.locks import file_lock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KEY_BYTES = 16
_FIRST_ROWS = 256


def key_of(text: str) -> bytes:
    """Return the key under which the vector of `text` is kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Near:
    """A key and the cosine of its vector with the question's, from -1 to 1."""

    key: bytes
    similarity: float


class Vectors(Protocol):
    """Anything that keeps vectors by key and finds the nearest; all vectors have length 1."""

    @property
    def name(self) -> str:
        """What it is, for people: "flat" or "chroma"."""

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Keep each vector under its key; a key that is there already is left as it is."""

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, each once, in order."""

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return the `limit` nearest, best first; equals in the order they were added."""

    def count(self) -> int:
        """Return how many vectors there are."""

    def close(self) -> None:
        """Let go of files and locks."""


class FlatVectors:
    """Vectors in one file of floats and their keys in another, searched exactly; processes may share the folder.

    Rows are only ever appended, the vector before its key, so a crash leaves at most a row without a key, which the
    next writer cuts off.
    """

    name = "flat"

    def __init__(self, directory: Path, fingerprint: str, dimensions: int) -> None:
        self._folder = directory / fingerprint
        self._dimensions = dimensions
        self._fingerprint = fingerprint
        self._guard = RLock()
        self._rows: dict[bytes, int] = {}
        self._keys: list[bytes] = []
        self._matrix: Floats | None = None
        self._asked: tuple[bytes, Floats] | None = None

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Keep each vector under its key; a key that is there already is left as it is."""
        import numpy as np

        with self._guard:
            self._folder.mkdir(parents=True, exist_ok=True)
            with file_lock(self._folder / "lock"):
                self._stamp()
                self._catch_up()
                new = {key: vector for key, vector in vectors.items() if key not in self._rows}
                if not new:
                    return
                matrix = np.asarray(list(new.values()), dtype="<f4")
                self._append("vectors.f32", len(self._keys) * self._dimensions * 4, matrix.tobytes())
                self._append("keys.bin", len(self._keys) * KEY_BYTES, b"".join(new))
                self._take(list(new), matrix)

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, each once, in order."""
        with self._guard:
            self._catch_up()
            return [key for key in dict.fromkeys(keys) if key not in self._rows]

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""
        with self._guard:
            cosines = self._cosines(question)
            return {key: float(cosines[row]) for key in keys if (row := self._rows.get(key)) is not None}

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return the `limit` nearest, best first; equals in the order they were added."""
        import numpy as np

        with self._guard:
            cosines = self._cosines(question)
            count = min(max(0, limit), len(self._keys))
            if count == 0:
                return []
            least = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
            rows = np.flatnonzero(cosines >= least)
            best = rows[np.argsort(-cosines[rows], kind="stable")][:count]
            return [Near(self._keys[row], float(cosines[row])) for row in best.tolist()]

    def count(self) -> int:
        """Return how many vectors there are."""
        with self._guard:
            self._catch_up()
            return len(self._keys)

    def close(self) -> None:
        """Let go of the vectors in memory; the next call reads them again."""
        with self._guard:
            self._rows, self._keys, self._matrix, self._asked = {}, [], None, None

    def _cosines(self, question: Sequence[float]) -> "Floats":
        """Return the cosines of all rows; a recall asks twice for one question, and is answered once."""
        import numpy as np

        self._catch_up()
        wanted = np.asarray(question, dtype=np.float32)
        asked = wanted.tobytes() + len(self._keys).to_bytes(8)
        if self._asked is None or self._asked[0] != asked:
            matrix = self._matrix
            rows = np.empty((0, self._dimensions), np.float32) if matrix is None else matrix[: len(self._keys)]
            self._asked = (asked, rows @ wanted)
        return self._asked[1]

    def _catch_up(self) -> None:
        """Take in rows that another process appended, and all of them at first."""
        keys, vectors = self._folder / "keys.bin", self._folder / "vectors.f32"
        try:
            size = keys.stat().st_size
        except FileNotFoundError:
            size = 0
        if size < len(self._keys) * KEY_BYTES:
            self.close()  # somebody deleted what is derived
        if size <= len(self._keys) * KEY_BYTES or not self._is_ours():
            return
        import numpy as np

        start, length = len(self._keys), self._dimensions * 4
        with keys.open("rb") as file:
            file.seek(start * KEY_BYTES)
            found = file.read()
        added = np.fromfile(vectors, dtype="<f4", offset=start * length)
        count = min(len(found) // KEY_BYTES, len(added) // self._dimensions)
        whole = [found[at * KEY_BYTES : (at + 1) * KEY_BYTES] for at in range(count)]
        self._take(whole, added[: count * self._dimensions].reshape(count, self._dimensions))

    def _take(self, keys: list[bytes], matrix: "Floats") -> None:
        import numpy as np

        start, end = len(self._keys), len(self._keys) + len(keys)
        if self._matrix is None or end > len(self._matrix):
            grown = np.empty((max(_FIRST_ROWS, end + end // 2), self._dimensions), dtype=np.float32)
            if self._matrix is not None:
                grown[:start] = self._matrix[:start]
            self._matrix = grown
        self._matrix[start:end] = matrix
        for row, key in enumerate(keys, start=start):
            self._rows.setdefault(key, row)
        self._keys += keys

    def _append(self, name: str, size: int, content: bytes) -> None:
        """Write `content` behind the first `size` bytes; what a crash left behind them is cut off."""
        descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.ftruncate(descriptor, size)
            os.pwrite(descriptor, content, size)
        finally:
            os.close(descriptor)

    def _is_ours(self) -> bool:
        try:
            stamp = json.loads((self._folder / "stamp.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(stamp == {"model": self._fingerprint, "dimensions": self._dimensions})

    def _stamp(self) -> None:
        """Write down whose vectors these are; rows without a stamp, or with another, are given up."""
        if not self._is_ours():
            for name in ("keys.bin", "vectors.f32"):
                (self._folder / name).unlink(missing_ok=True)
            self.close()
            stamp = {"model": self._fingerprint, "dimensions": self._dimensions}
            write_atomic(self._folder / "stamp.json", json.dumps(stamp) + "\n", durable=False)
