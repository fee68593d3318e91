"""A LangGraph `BaseStore` in the workspace's files, for any graph or agent that needs long-term memory.

    graph = builder.compile(store=MemoryStore(services))
    store.put(("users", "ana"), "reports", {"content": "Prefers one page with a chart"})
    store.search(("users",), query="how should reports look?", filter={"team": "finance"})

Any namespace is allowed. A search filters first and ranks the rest: by meaning with an embedder (the workspace's or the
one in `index`), else by words. Deleted or overwritten entries are gone; entries with a `ttl` (in minutes) expire.
Entries are in `store-entries.json`, and agents do not recall them: put knowledge for an agent in its memory. A
namespace that is an agent's id also shows that agent's memories.
"""

import asyncio
import json
import logging
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from math import log
from threading import Event, RLock, Thread
from typing import Any, TypeVar

import orjson
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    validate_op_namespace,
)

from mabos.configs.errors import Damaged, InvalidArgument, MabosError, UnknownId
from mabos.memory.model import MemoryHit, as_record, moment
from mabos.memory.stem import stem
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso
from mabos.workspace.documents import json_document
from mabos.workspace.operations import Drop, Put
from mabos.workspace.operations import Op as FileOp

LOG = logging.getLogger(__name__)
Namespace = tuple[str, ...]
Value = dict[str, Any]
Found = TypeVar("Found", bound=Item)
_SECTION = "entries"
_FILE = "store-entries.json"
_KEPT_VECTORS = 50_000
_SWEEP_MINUTES = 5.0
_WORD = re.compile(r"[^\W_]+")
_LONG_AGO = datetime.fromtimestamp(0, UTC)
"""The time of what has none, as an item that a person wrote: everything else is newer."""
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class MemoryStore(BaseStore):
    """One store for programs' entries and agents' memories; threads may share it.

    `index` is LangGraph's: `embed` (embeddings, a function, or a name for `init_embeddings`) and the `fields` that are
    searched; `ttl` is the default lifetime of entries in minutes, and whether reading extends it.
    """

    supports_ttl = True

    def __init__(self, services: Services, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None) -> None:
        self._services = services
        # Where it is left open, LangGraph's base class prolongs on reading, and its stores do not; ours is like these.
        self.ttl_config = {"refresh_on_read": False, **(ttl or {})}
        self._stop_sweeping = Event()
        self._sweeper: Thread | None = None
        self.index_config = index
        self._fields = list((index or {}).get("fields") or ())
        self._embeddings = ensure_embeddings(index["embed"]) if index else None
        self._vectors: dict[bytes, Sequence[float]] = {}
        self._document = json_document(services.layout.root / _FILE, [_SECTION], sync=services.sync)
        self._guard = RLock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the result of each operation, in order; raises `InvalidNamespaceError` before doing any of them."""
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        return [self._one(op) for op in asked]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the result of each operation, without blocking the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def close(self) -> None:
        """Bring the file of entries up to date."""
        self.stop_ttl_sweeper()
        with self._guard:
            self._document.close()

    def sweep_ttl(self) -> int:
        """Remove the expired entries, and return their number."""
        over = [Drop(_SECTION, place) for place, one in list(self._records().items()) if self._is_over(one)]
        if over:
            self._document.commit(over)
        return len(over)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Start a thread that removes expired entries, by default every 5 minutes.

        Without it they are removed at the next `put`; either way they are never found. A second start has no effect.
        """
        if self._sweeper is None:
            minutes = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or _SWEEP_MINUTES
            self._stop_sweeping.clear()
            self._sweeper = Thread(target=self._sweep, args=(float(minutes) * 60,), name="store sweeper", daemon=True)
            self._sweeper.start()

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop that thread, and return whether it ended within `timeout` seconds."""
        self._stop_sweeping.set()
        if self._sweeper is not None:
            self._sweeper.join(timeout)
            self._sweeper = self._sweeper if self._sweeper.is_alive() else None
        return self._sweeper is None

    def _sweep(self, seconds: float) -> None:
        while not self._stop_sweeping.wait(seconds):
            try:
                self.sweep_ttl()
            except MabosError:  # its next reader reports a file that a person must mend; later rounds may succeed
                LOG.warning("expired entries of %s could not be removed", _FILE, exc_info=True)

    def _one(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._item(op)
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return self._search_records(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise InvalidArgument(f"unknown operation {type(op).__name__}", argument="ops")

    def _item(self, op: GetOp) -> Item | None:
        namespace = tuple(op.namespace)
        record = self._records().get(_place(namespace, op.key))
        if record is not None and not self._is_over(record):
            if op.refresh_ttl:
                self._prolong([record])
            return _alone(Item(**_fields(_entry(record))))
        if len(namespace) != 1 or namespace[0] not in self._services.agents():
            return None
        try:
            item = self._services.agent(namespace[0]).memory.item(op.key)
        except UnknownId:
            return None
        at = moment(item.created_at) or _LONG_AGO
        return Item(value=as_record(item), key=op.key, namespace=namespace, created_at=at, updated_at=at)

    def _put(self, op: PutOp) -> None:
        namespace, key = tuple(op.namespace), str(op.key)
        place = _place(namespace, key)
        if op.value is None:
            self._document.commit([Drop(_SECTION, place)])
            return
        _admit(op)
        now = self._services.clock()
        before = self._records().get(place)
        is_known = before is not None and not self._is_over(before)
        record: Value = {
            "id": place,
            "namespace": list(namespace),
            "key": key,
            "value": op.value,
            "created_at": str(before.get("created_at", iso(now))) if before and is_known else iso(now),
            "updated_at": iso(now),
        }
        if op.index is not None:
            record["index"] = op.index
        if op.ttl is not None:
            record |= {"ttl": op.ttl, "expires_at": iso(now + timedelta(minutes=op.ttl))}
        over = [Drop(_SECTION, one) for one, known in self._records().items() if one != place and self._is_over(known)]
        changes: list[FileOp] = [*over, Put(_SECTION, place, record)]
        self._document.commit(changes)

    def _search_records(self, op: SearchOp) -> list[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        records = [one for one in map(_entry, self._live()) if tuple(one["namespace"][: len(prefix)]) == prefix]
        records = [one for one in records if matches(one["value"], op.filter or {})]
        if op.query:
            found = list(self._rank_records(op.query, records))
            if len(prefix) <= 1:
                found += [one for one in self._recall_memories(op, prefix) if matches(one.value, op.filter or {})]
            found.sort(key=lambda one: -(one.score if one.score is not None else -1.0))
        else:
            found = [SearchItem(**_fields(one)) for one in records]
            found.sort(key=lambda one: one.updated_at, reverse=True)
        page = found[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            known = {(tuple(one["namespace"]), one["key"]): one for one in records if "ttl" in one}
            self._prolong([known[one.namespace, one.key] for one in page if (one.namespace, one.key) in known])
        return [_alone(one) for one in page]

    def _rank_records(self, query: str, records: Sequence[Value]) -> Iterator[SearchItem]:
        """Yield the searched records with their score, by meaning or by words; unindexed ones have no score."""
        texts = [(one, texts) for one in records if (texts := self._texts(one))]
        vectors = self._embed_texts([query, *(text for _, each in texts for text in each)])
        if vectors is None:
            scores = word_scores(query, ["\n".join(each) for _, each in texts])
            scored = zip(texts, scores, strict=True)
            yield from (SearchItem(**_fields(one), score=score) for (one, _), score in scored if score > 0)
            return
        asked, at = vectors[0], 1
        for one, each in texts:
            near = max(_cosine(asked, vector) for vector in vectors[at : at + len(each)])
            at += len(each)
            yield SearchItem(**_fields(one), score=near)
        if self._embeddings:  # as in LangGraph's own stores: what is not indexed fills the rest of the page
            indexed = {one["id"] for one, _ in texts}
            yield from (SearchItem(**_fields(one)) for one in records if one["id"] not in indexed)

    def _texts(self, record: Value) -> list[str]:
        """Return the texts by which an entry is found; none where it is not to be searched."""
        index = record.get("index")
        if index is False:
            return []
        paths = index if isinstance(index, list) else self._fields
        if not paths:
            return [text_of(record["value"])]
        return [text for path in paths for text in get_text_at_path(record["value"], path)]

    def _embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]] | None:
        """Return a vector for each text, those that are known from before; None without an embedder."""
        keys = [blake2b(text.encode(errors="replace"), digest_size=16).digest() for text in texts]
        with self._guard:
            unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        if unknown:
            asked = list(unknown.values())
            made: Sequence[Sequence[float]] | None
            made = self._embeddings.embed_documents(asked) if self._embeddings else self._services.embedder.embed(asked)
            if made is None:
                return None
            with self._guard:
                if len(self._vectors) + len(unknown) > _KEPT_VECTORS:
                    self._vectors.clear()
                    return self._embed_texts(texts) if len(texts) <= _KEPT_VECTORS else None
                self._vectors.update(zip(unknown, made, strict=True))
        with self._guard:
            return [self._vectors[key] for key in keys]

    def _recall_memories(self, op: SearchOp, prefix: Namespace) -> Iterator[SearchItem]:
        """Yield the agents' own memories that fit a search of an agent, or of everything."""
        known = self._services.agents()
        for agent_id in known if not prefix else [one for one in known if one == prefix[0]]:
            for hit in self._services.agent(agent_id).memory.recall(op.query or "", limit=op.limit + op.offset):
                yield self._own(agent_id, hit)

    def _own(self, agent_id: str, hit: MemoryHit) -> SearchItem:
        """Return something the agent remembers by itself as an item of this store."""
        if hit.item is None:
            now = self._services.clock()
            value = {"content": hit.content, "path": hit.path, "line": hit.line}
            return SearchItem((agent_id,), f"{hit.path}:{hit.line}", value, now, now, hit.score)
        at = moment(hit.item.created_at) or _LONG_AGO
        return SearchItem((agent_id,), hit.item.id, as_record(hit.item), at, at, hit.score)

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        known = {tuple(one["namespace"]) for one in map(_entry, self._live())}
        wanted = [one for one in known if all(_fits(one, condition) for condition in op.match_conditions or ())]
        cut = sorted({one[: op.max_depth] if op.max_depth else one for one in wanted})
        return cut[op.offset : op.offset + op.limit]

    def _records(self) -> Mapping[str, Value]:
        return self._document.read().get(_SECTION, {})

    def _live(self) -> list[Value]:
        return [one for one in list(self._records().values()) if not self._is_over(one)]

    def _is_over(self, record: Value) -> bool:
        over = moment(str(record["expires_at"])) if record.get("expires_at") else None
        return over is not None and over <= self._services.clock()

    def _prolong(self, records: Sequence[Value]) -> None:
        """Restart the lifetime of entries that have one."""
        now = self._services.clock()
        again = [
            Put(_SECTION, one["id"], {**one, "expires_at": iso(now + timedelta(minutes=float(one["ttl"])))})
            for one in records
            if one.get("ttl") is not None
        ]
        if again:
            self._document.commit(again)


def word_scores(query: str, texts: Sequence[str]) -> list[float]:
    """Return the share of a query's words in each text, 0 to 1; rare words count more.

    >>> word_scores("salary of Anna", ["the salary of Anna", "a desk"])[0] > 0.5
    True
    """
    wanted = _stems(query)
    held = [_stems(text) for text in texts]
    number = len(texts) + 1
    weights = {word: log(1 + number / (0.5 + sum(word in one for one in held))) for word in wanted}
    most = sum(weights.values()) or 1.0
    return [sum(weights[word] for word in wanted & one) / most for one in held]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = (sum(x * x for x in one) * sum(y * y for y in other)) ** 0.5
    return sum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0


def text_of(value: Mapping[str, Any], paths: list[str] | None = None) -> str:
    """Return the text of a value: the fields in `paths`, its `content` or `text`, or all of it."""
    named = [text for path in paths or () for text in get_text_at_path(value, path)]
    if named:
        return "\n".join(named)
    for name in ("content", "text"):
        if isinstance(value.get(name), str) and value[name].strip():
            return str(value[name])
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether every field equals the wanted value or satisfies an operator like `$gte`; `by.team` is a path.

    >>> matches({"score": 5, "by": {"team": "finance", "seat": 2}}, {"score": {"$gt": 4}, "by": {"team": "finance"}})
    True
    """
    return all(_matches(_field(value, name), condition) for name, condition in wanted.items())


def _field(value: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name, or by the path that the name's dots spell."""
    first, dot, rest = name.partition(".")
    inner = value.get(first) if dot and name not in value else None
    return _field(inner, rest) if isinstance(inner, Mapping) else value.get(name)


def _matches(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping) and any(str(sign).startswith("$") for sign in condition):
        return all(_compare_value(value, sign, other) for sign, other in condition.items())
    if isinstance(condition, Mapping):
        return isinstance(value, Mapping) and matches(value, condition)
    if isinstance(condition, list | tuple):
        is_alike = isinstance(value, list | tuple) and len(value) == len(condition)
        return is_alike and all(map(_matches, value, condition))
    return bool(value == condition)


def _compare_value(value: Any, sign: str, other: Any) -> bool:
    if sign not in _COMPARE:
        raise InvalidArgument(f"unknown operator {sign!r}; use one of {', '.join(_COMPARE)}", argument="filter")
    try:
        return _COMPARE[sign](value, other)
    except TypeError:
        return False


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", there) for wanted, there in zip(path, part, strict=True))


def _place(namespace: Namespace, key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False, separators=(",", ":"))


def _admit(op: PutOp) -> None:
    """Raise `InvalidArgument` for a value that no file can hold, before any of it is stored."""
    try:
        orjson.dumps([op.namespace, op.key, op.value])
    except TypeError as error:
        raise InvalidArgument(f"the value is not JSON: {error}; use text, numbers, lists", argument="value") from None


def _entry(record: Value) -> Value:
    """Return an entry of the file, into which a person may have written anything; raises `Damaged`."""
    namespace, is_text = record.get("namespace"), isinstance(record.get("expires_at") or "", str)
    is_path = isinstance(namespace, list) and namespace and all(isinstance(part, str) for part in namespace)
    if is_path and is_text and isinstance(record.get("key"), str) and isinstance(record.get("value"), dict):
        return record
    said = "needs a namespace (a list of texts), a key (a text) and a value (an object)"
    raise Damaged(f"{_FILE}: entry {record.get('id')!r} {said}; correct it by hand, or remove it")


def _alone(item: Found) -> Found:
    """Return an item whose value is the caller's own: changes to it affect nothing here."""
    item.value = deepcopy(item.value)
    return item


def _fields(record: Value) -> dict[str, Any]:
    times: dict[str, datetime] = {}
    for name in ("created_at", "updated_at"):
        at = moment(str(record.get(name)))
        if at is None:
            said = f"has {name} {record.get(name)!r}; write a time there"
            raise Damaged(f"{_FILE}: entry {record['id']!r} {said}, as 2026-02-24T14:30:00Z")
        times[name] = at
    return {"value": record["value"], "key": record["key"], "namespace": tuple(record["namespace"]), **times}
