"""Vectors in Chroma with the guarantees of `FlatVectors`: one collection per agent and model, our own vectors.

Chroma's files must not be opened by two processes at once, so an operating-system lock is held from the first use to
`close`; if another process holds it, every call raises `Unavailable`. A Chroma server needs no lock, but must answer
within seconds. Its search is approximate. Texts and metadata are for other clients (`describe`) and always come with
our vectors, since Chroma would embed bare texts with its own model.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from threading import RLock, Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit

from mabos.backends.one_address import public
from mabos.backends.vectors import KEY_BYTES, Near, ReadableTexts, VectorText
from mabos.configs.errors import Unavailable
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import AgentLock

Answer = TypeVar("Answer")
PORT = 8000
"""The port of a server whose address names none."""

_BATCH = 1000
_FORGOTTEN = VectorText("", {"kind": "forgotten"})
_SERVER_S = 5.0
"""Seconds that a server has for an answer."""


class ChromaVectors:
    """The vectors of one agent and model in a Chroma collection.

    Without an `endpoint` they are stored in `directory`. On a server, which may be shared, that directory is also part
    of the collection's name.
    """

    name = "chroma"
    notice = ""

    def __init__(self, directory: Path, fingerprint: str, dimensions: int, *, endpoint: str = "") -> None:
        self._folder = directory / "chroma"
        self._endpoint = endpoint
        place = blake2b(str(directory.resolve()).encode(), digest_size=6).hexdigest()
        self._collection_name = f"mabos-{directory.name}-{place}-{fingerprint}" if endpoint else fingerprint
        self._fingerprint = fingerprint
        self._dimensions = dimensions
        self._guard = RLock()
        self._opener = AgentLock(directory / "chroma.lock", "chroma")
        self._described = directory / f"chroma-{fingerprint}.keys"  # the vectors whose text Chroma has
        self._client: Any = None
        self._collection: Any = None

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Store each vector under its key; existing keys are left unchanged."""
        new = self.missing(list(vectors))

        def write(collection: Any) -> None:
            for start in range(0, len(new), _BATCH):
                keys = new[start : start + _BATCH]
                given = [list(vectors[key]) for key in keys]
                collection.add(ids=[key.hex() for key in keys], embeddings=given)

        if new:
            self._call_collection(write)
            described = self._read_described()
            if not described.isdisjoint(new):  # the collection was deleted, and its texts with it
                self._write_described(described.difference(new))

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return those of `keys` that have no vector, in order, without duplicates."""
        wanted = list(dict.fromkeys(keys))
        if not wanted or not self._exists():
            return wanted

        def look(collection: Any) -> set[str]:
            there: set[str] = set()
            for start in range(0, len(wanted), _BATCH):
                asked = [key.hex() for key in wanted[start : start + _BATCH]]
                there.update(collection.get(ids=asked, include=[])["ids"])
            return there

        there = self._call_collection(look)
        return [key for key in wanted if key.hex() not in there]

    def similarities(self, question: Sequence[float], keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the cosine of each of `keys` that has a vector."""
        if not keys or not self._exists():
            return {}
        asked = [key.hex() for key in dict.fromkeys(keys)]
        found = self._call_collection(lambda collection: collection.get(ids=asked, include=["embeddings"]))
        if not found["ids"]:  # of none it gives no dimensions either
            return {}
        import numpy as np

        cosines = np.asarray(found["embeddings"], dtype=np.float32) @ np.asarray(question, dtype=np.float32)
        return {bytes.fromhex(name): float(cosine) for name, cosine in zip(found["ids"], cosines, strict=True)}

    def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
        """Return about the `limit` nearest, best first."""
        count = min(limit, self.count())
        if count < 1:
            return []
        asked = {"query_embeddings": [list(question)], "n_results": count, "include": ["distances"]}
        found = self._call_collection(lambda collection: collection.query(**asked))
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [Near(bytes.fromhex(name), 1 - float(distance)) for name, distance in pairs]

    def count(self) -> int:
        """Return how many vectors there are."""
        return self._call_collection(lambda collection: int(collection.count())) if self._exists() else 0

    def describe(self, texts: ReadableTexts) -> None:
        """Let other clients read the texts behind vectors; obsolete texts are removed. Without changes, do nothing."""
        described = self._read_described()
        stale = (texts.keys - described) | (texts.changed & texts.keys)
        gone = described - texts.keys
        if not (stale or gone) or not self._exists():
            return
        known = {key.hex(): text for key, text in texts.read(stale).items()}
        names = [*known, *(key.hex() for key in gone)]
        for start in range(0, len(names), _BATCH):
            part = names[start : start + _BATCH]
            there = self._call_collection(partial(_describe, known=known, names=part))
            described.update(map(bytes.fromhex, there))
        self._write_described(described - gone)

    def clear(self) -> None:
        """Delete every vector, whatever state the folder is in; raises `Unavailable` while another process holds it."""
        with self._guard:
            if self._endpoint:
                self._call_collection(lambda _: self._client.delete_collection(self._collection_name))
            elif self._folder.exists():
                self._hold()
                self._close_client()
                rmtree(self._folder)
            self._described.unlink(missing_ok=True)
            self._let_go()

    def close(self) -> None:
        """Release the database and the lock."""
        with self._guard:
            self._let_go()

    def _let_go(self) -> None:
        self._close_client()
        self._opener.release()

    def _close_client(self) -> None:
        client, self._client, self._collection = self._client, None, None
        if client is not None:
            with suppress(Exception):  # one that failed may fail once more; it is not asked again
                client.close()

    def _read_described(self) -> set[bytes]:
        held = self._described.read_bytes() if self._described.is_file() else b""
        return {held[at : at + KEY_BYTES] for at in range(0, len(held), KEY_BYTES)}

    def _write_described(self, keys: Set[bytes]) -> None:
        write_atomic(self._described, b"".join(sorted(keys)), durable=False)

    def _exists(self) -> bool:
        return bool(self._endpoint) or self._collection is not None or self._folder.exists()

    def _call_collection(self, ask: Callable[[Any], Answer]) -> Answer:
        """Return the collection's answer; any failure of Chroma counts as out of reach."""
        with self._guard:
            try:
                if not self._endpoint:
                    return ask(self._open_collection())
                import_module("chromadb")  # takes seconds, which are not the server's
                return _within(_SERVER_S, lambda: ask(self._open_collection()))
            except (Unavailable, KeyboardInterrupt, SystemExit):
                raise
            except TimeoutError:
                fault = f"did not answer within {_SERVER_S:g} seconds"
            except ModuleNotFoundError as error:
                fault = f"needs {error.name}; install mabos[chroma]"
            except BaseException as error:  # noqa: BLE001  # its native part panics with an exception of no common base
                fault = f"failed ({str(error).strip() or type(error).__name__})"
            self._let_go()
            where = public(self._endpoint) or str(self._folder)
            advice = "" if self._endpoint else "; `mabos rebuild` rebuilds it"
            raise Unavailable(f"Chroma in {where} {fault}{advice}")

    def _open_collection(self) -> Any:
        if self._collection is None:
            self._client = self._connect_client()
            self._collection = self._client.get_or_create_collection(
                self._collection_name,
                embedding_function=None,
                metadata={"hnsw:space": "cosine", "model": self._fingerprint},
            )
        return self._collection

    def _connect_client(self) -> Any:
        if not self._endpoint:
            self._hold()
        chromadb = import_module("chromadb")
        settings = chromadb.Settings(anonymized_telemetry=False)
        if not self._endpoint:
            return chromadb.PersistentClient(str(self._folder), settings=settings)
        url = urlsplit(self._endpoint if "//" in self._endpoint else f"//{self._endpoint}")
        is_secure = url.scheme == "https"
        port = url.port or (443 if is_secure else PORT)
        return chromadb.HttpClient(host=url.hostname or "localhost", port=port, ssl=is_secure, settings=settings)

    def _hold(self) -> None:
        try:
            self._opener.acquire()
        except Unavailable:
            message = f"Chroma in {self._folder} is open in another process, and it allows one; close that one first"
            raise Unavailable(message) from None


def _describe(collection: Any, known: Mapping[str, VectorText], names: Sequence[str]) -> list[str]:
    """Write text and metadata of the entries with these names; return those that are there."""
    kept = collection.get(ids=list(names), include=["embeddings", "metadatas"])
    there: list[str] = kept["ids"]
    if there:
        texts = [known.get(name, _FORGOTTEN) for name in there]
        before = [dict.fromkeys(old or {}) for old in kept["metadatas"]]  # None takes a key away
        metadatas = [{**old, **one.metadata} for old, one in zip(before, texts, strict=True)]
        collection.update(there, kept["embeddings"], metadatas, [one.text for one in texts])
    return there


def _within(seconds: float, ask: Callable[[], Answer]) -> Answer:
    """Return the result of `ask`; raises `TimeoutError` if it takes longer, and leaves it running."""
    answer: Future[Answer] = Future()

    def work() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
            answer.set_exception(error)

    Thread(target=work, daemon=True).start()
    return answer.result(seconds)
