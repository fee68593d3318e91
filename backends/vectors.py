"""Vectors by the digest of their text, and exact search in them.

Vectors are derived: a store is named by the fingerprint of the model that made it, so vectors of two models never mix,
and deleting it costs only the time to embed again. `FlatVectors` is the default; `backends.chroma` gives the same
guarantees with Chroma, and `backends.cached` adds Chroma to the files. All pass one conformance suite,
`tests/contracts/test_vectors.py`.

    vectors = FlatVectors(folder, embedder.fingerprint, embedder.dimensions)
    vectors.add({key_of("Runway is nine months"): embedded})
    vectors.nearest(question, 10)    # [Near(key, similarity), ...]
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mabos.configs.errors import Unavailable
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KEY_BYTES = 16
_STAMP = "stamp.json"
_FIRST_ROWS = 256
_NOT_OF_LENGTH_ONE = 0.02


def key_of(text: str) -> bytes:
    """Return the key of the vector of `text`."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


class Near(NamedTuple):
    """A key and the cosine of its vector with the question's, from -1 to 1."""

    key: bytes
    similarity: float


class VectorText(NamedTuple):
    """The text and metadata of a vector, for other programs to read."""

    text: str
    metadata: Mapping[str, str | float]


class ReadableTexts(NamedTuple):
    """The texts behind vectors: all current keys, those with changed metadata, and a reader of some."""

    keys: Set[bytes]
    changed: Set[bytes]
    read: Callable[[Iterable[bytes]], Mapping[bytes, VectorText]]


class Vectors(Protocol):
    """A store that keeps vectors by key and finds the nearest; all vectors have length 1, keys `KEY_BYTES` bytes.

    Raises `Unavailable` when it is out of reach; threads share one object.
    """

    @property
    def name(self) -> str:
        """The display name: "files" or "chroma"."""

    @property
    def notice(self) -> str:
        """A note if part of the store was unreachable at the last query; else ""."""

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Store each vector under its key; existing keys are left unchanged."""

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, in order, without duplicates."""

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return the `limit` nearest, best first; equals in the order they were added."""

    def count(self) -> int:
        """Return how many vectors there are."""

    def describe(self, texts: ReadableTexts) -> None:
        """Let other programs read the texts behind vectors, and remove texts that are no longer among `texts`."""

    def clear(self) -> None:
        """Delete every vector; raises `Unavailable` if another process prevents it."""

    def close(self) -> None:
        """Release files and locks."""


class FlatVectors:
    """Vectors in one file of floats and their keys in another, searched exactly; processes may share the folder.

    Rows are only appended, the vector before its key, so a crash leaves at most one row without a key, which the next
    writer removes.
    """

    name = "files"
    notice = ""

    def __init__(self, directory: Path, fingerprint: str, dimensions: int) -> None:
        self._folder = directory / fingerprint
        self._stamped, self._named = self._folder / _STAMP, self._folder / "keys.bin"
        self._dimensions = dimensions
        self._fingerprint = fingerprint
        self._guard = RLock()
        self._rows: dict[bytes, int] = {}
        self._keys: list[bytes] = []
        self._matrix: Floats | None = None
        self._asked: tuple[tuple[tuple[float, ...], int], Floats] | None = None
        self._beginning = (0, 0)

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Store each vector under its key; existing keys are left unchanged."""
        np = _numpy()
        with self._hold_vectors():
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
                end = len(self._keys) + len(new)
                self._room(end)[len(self._keys) : end] = matrix
                self._name(list(new))

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, in order, without duplicates."""
        with self._hold_vectors():
            self._catch_up()
            return [key for key in dict.fromkeys(keys) if key not in self._rows]

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""
        with self._hold_vectors():
            cosines = self._cosines(question)
            known = list(filter(self._rows.__contains__, keys))
            return dict(zip(known, cosines[[self._rows[key] for key in known]].tolist(), strict=True))

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return the `limit` nearest, best first; equals in the order they were added."""
        np = _numpy()
        with self._hold_vectors():
            cosines = self._cosines(question)
            count = min(max(0, limit), len(self._keys))
            if count == 0:
                return []
            least = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
            rows = np.flatnonzero(cosines >= least)
            best = rows[np.argsort(-cosines[rows], kind="stable")][:count]
            return list(map(Near, map(self._keys.__getitem__, best.tolist()), cosines[best].tolist()))

    def count(self) -> int:
        """Return how many vectors there are."""
        with self._hold_vectors():
            self._catch_up()
            return len(self._keys)

    def describe(self, texts: ReadableTexts) -> None:
        """Do nothing: no other program reads these files."""

    def keys(self, start: int = 0) -> list[bytes]:
        """Return the keys from row `start` on, in the order they were added."""
        with self._hold_vectors():
            self._catch_up()
            return self._keys[start:]

    def among(self, keys: Sequence[bytes]) -> dict[bytes, Sequence[float]]:
        """Return the vectors of those of `keys` that have one."""
        with self._hold_vectors():
            self._catch_up()
            matrix = self._matrix
            rows = {key: row for key in keys if (row := self._rows.get(key)) is not None}
            return {} if matrix is None else {key: matrix[row].tolist() for key, row in rows.items()}

    def clear(self) -> None:
        """Delete every vector, on disk too, and those of earlier models."""
        with self._hold_vectors():
            others = [stamp.parent for stamp in self._folder.parent.glob(f"*/{_STAMP}")]
            for folder in {self._folder, *others}:
                if folder.is_dir():
                    with file_lock(folder / "lock"):
                        rmtree(folder)
            self.close()

    def close(self) -> None:
        """Release the vectors in memory; the next call reads them again."""
        with self._hold_vectors():
            self._rows, self._keys, self._matrix, self._asked = {}, [], None, None

    @contextmanager
    def _hold_vectors(self) -> Iterator[None]:
        """Hold the vectors; a disk that refuses means that they are out of reach."""
        with self._guard:
            try:
                yield
            except OSError as error:
                raise Unavailable(f"vectors in {self._folder} are unreachable: {error}") from error

    def _cosines(self, question: Sequence[float]) -> "Floats":
        """Return the cosines of all rows; a recall asks twice for one question, and is answered once."""
        np = _numpy()
        self._catch_up()
        asked = (tuple(question), len(self._keys))
        if self._asked is None or self._asked[0] != asked:
            wanted = np.asarray(question, dtype=np.float32)
            matrix = self._matrix
            rows = np.empty((0, self._dimensions), np.float32) if matrix is None else matrix[: len(self._keys)]
            # By one thread: memory is the limit here, and the threads of BLAS wait for each other on a busy machine.
            self._asked = (asked, np.einsum("ij,j->i", rows, wanted))
        return self._asked[1]

    def _catch_up(self) -> None:
        """Take in rows that another process appended, and all of them at first."""
        try:
            stamp, size = self._stamped.stat(), self._named.stat().st_size
            beginning = (stamp.st_ino, stamp.st_mtime_ns)
        except FileNotFoundError:
            beginning, size = (0, 0), 0
        if size < len(self._keys) * KEY_BYTES or beginning != self._beginning:
            self.close()  # somebody deleted what is derived, and may have begun anew
        self._beginning = beginning
        if size <= len(self._keys) * KEY_BYTES or not self._is_ours():
            return
        np = _numpy()
        start, length = len(self._keys), self._dimensions * 4
        with self._named.open("rb") as opened:
            opened.seek(start * KEY_BYTES)
            names = opened.read()
        count = len(names) // KEY_BYTES
        rows = self._room(start + count)[start : start + count]
        with (self._folder / "vectors.f32").open("rb") as opened:
            opened.seek(start * length)
            count = opened.readinto(rows.view(np.uint8).reshape(-1)) // length
        rows = rows[:count]
        if not np.all(np.abs(np.einsum("ij,ij->i", rows, rows) - 1) < _NOT_OF_LENGTH_ONE):
            self._give_up()
            return
        self._name([names[at * KEY_BYTES : (at + 1) * KEY_BYTES] for at in range(count)])

    def _room(self, end: int) -> "Floats":
        """Return the matrix with room for `end` rows."""
        if self._matrix is None or end > len(self._matrix):
            grown = _numpy().empty((max(_FIRST_ROWS, end + end // 2), self._dimensions), dtype="<f4")
            if self._matrix is not None:
                grown[: len(self._keys)] = self._matrix[: len(self._keys)]
            self._matrix = grown
        return self._matrix

    def _name(self, keys: list[bytes]) -> None:
        """Take up the next rows of the matrix under their keys."""
        for row, key in enumerate(keys, start=len(self._keys)):
            self._rows.setdefault(key, row)
        self._keys += keys

    def _append(self, name: str, size: int, content: bytes) -> None:
        """Write `content` after the first `size` bytes; remains of a crash after them are cut off."""
        descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.ftruncate(descriptor, size)
            os.pwrite(descriptor, content, size)
        finally:
            os.close(descriptor)

    def _is_ours(self) -> bool:
        try:
            stamp = json.loads(self._stamped.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(stamp == {"model": self._fingerprint, "dimensions": self._dimensions})

    def _stamp(self) -> None:
        """Write down whose vectors these are; rows without a stamp, or with another, are given up."""
        if not self._is_ours():
            self._give_up()
            stamp = {"model": self._fingerprint, "dimensions": self._dimensions}
            write_atomic(self._stamped, json.dumps(stamp) + "\n", durable=False)

    def _give_up(self) -> None:
        """Forget rows that cannot be trusted: they are damaged, or their model is unknown."""
        for name in (_STAMP, "keys.bin", "vectors.f32"):
            (self._folder / name).unlink(missing_ok=True)
        self.close()


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise Unavailable("vectors need numpy; install mabos[local]") from None
    return numpy
