"""The memories of a workspace as a LangGraph `BaseStore`, for any graph or agent that wants a long-term memory.

    graph = builder.compile(store=MemoryStore(services))
    store.put(("cfo", "preferences"), "reports", {"content": "Prefers one page with a chart"})
    store.search(("cfo",), query="how should reports look?")    # found like everything that cfo remembers

The first part of a namespace is an agent's id. A value is remembered by its text, `content` or `text` or else its JSON,
and found by `Memory.recall` together with what the agent remembers anyway, which stands under (agent,) by its own id.
Keys and values lie in the agent's `memory-entries.json`. Deleting or overwriting an entry takes it out of the store;
the experience stays in memory, as every experience does.
"""

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from threading import RLock
from typing import Any, TypeVar

import orjson
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.memory.model import MemoryHit, as_record, moment
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso
from mabos.workspace.documents import json_document
from mabos.workspace.operations import Drop, Put
from mabos.workspace.store import Store

Namespace = tuple[str, ...]
Value = dict[str, Any]
Found = TypeVar("Found", bound=Item)
_SECTION = "entries"
_FILE = "memory-entries.json"
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
    """Every agent's memory in one store; threads may share it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._documents: dict[str, Store] = {}
        self._guard = RLock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Return what each operation gives, in order."""
        return [self._one(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return what each operation gives, without blocking the loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def close(self) -> None:
        """Bring the files of entries up to date."""
        with self._guard:
            for document in self._documents.values():
                document.close()

    def _one(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._item(op.namespace, op.key)
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return list(self._searched(op))
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise InvalidArgument(f"unknown operation {type(op).__name__}", argument="ops")

    def _item(self, namespace: Namespace, key: str) -> Item | None:
        record = self._entries(_agent(namespace)).get(_place(namespace, key))
        if record is not None:
            return _alone(Item(**_fields(_entry(record))))
        if len(namespace) > 1:
            return None
        try:
            item = self._services.agent(namespace[0]).memory.item(key)
        except UnknownId:
            return None
        at = moment(item.created_at) or _LONG_AGO
        return Item(value=as_record(item), key=key, namespace=namespace, created_at=at, updated_at=at)

    def _put(self, op: PutOp) -> None:
        agent_id = _agent(op.namespace)
        place = _place(op.namespace, op.key)
        document = self._document(agent_id)
        if op.value is None:
            document.commit([Drop(_SECTION, place)])
            return
        _admit(op)
        memory_id = "" if op.index is False else self._remembered(agent_id, op.value, op.index)
        now = iso(self._services.clock())
        before = self._entries(agent_id).get(place)
        record = {
            "id": place,
            "namespace": list(op.namespace),
            "key": op.key,
            "value": op.value,
            "memory_id": memory_id,
            "created_at": before.get("created_at", now) if before else now,
            "updated_at": now,
        }
        document.commit([Put(_SECTION, place, record)])

    def _remembered(self, agent_id: str, value: Mapping[str, Any], paths: list[str] | None) -> str:
        memory = self._services.agent(agent_id).memory
        return memory.store(text_of(value, paths), source="store", store="long_term").id

    def _searched(self, op: SearchOp) -> Iterator[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        agents = [prefix[0]] if prefix else self._services.agents()
        found = [one for agent_id in agents for one in self._found(agent_id, prefix, op)]
        found = [one for one in found if matches(one.value, op.filter or {})]
        if op.query:
            found.sort(key=lambda one: -(one.score or 0.0))
        else:
            found.sort(key=lambda one: one.updated_at, reverse=True)
        yield from map(_alone, found[op.offset : op.offset + op.limit])

    def _found(self, agent_id: str, prefix: Namespace, op: SearchOp) -> Iterator[SearchItem]:
        known = map(_entry, list(self._entries(agent_id).values()))
        entries = [one for one in known if tuple(one["namespace"][: len(prefix)]) == prefix]
        if not op.query:
            yield from (SearchItem(**_fields(record)) for record in entries)
            return
        by_memory: dict[str, list[Value]] = {}
        for record in entries:
            by_memory.setdefault(record.get("memory_id") or "", []).append(record)
        # What is not in this namespace, or does not pass the filter, takes places in the recall.
        hits = self._services.agent(agent_id).memory.recall(op.query, limit=4 * (op.limit + op.offset) + 20)
        for hit in hits:
            for record in by_memory.get(hit.item.id, ()) if hit.item else ():
                yield SearchItem(**_fields(record), score=hit.score)
            if len(prefix) <= 1 and (hit.item is None or hit.item.source != "store"):
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
        entries = [one for agent in self._services.agents() for one in list(self._entries(agent).values())]
        known = {tuple(_entry(one)["namespace"]) for one in entries}
        wanted = [one for one in known if all(_fits(one, condition) for condition in op.match_conditions or ())]
        cut = sorted({one[: op.max_depth] if op.max_depth else one for one in wanted})
        return cut[op.offset : op.offset + op.limit]

    def _entries(self, agent_id: str) -> Mapping[str, Value]:
        return self._document(agent_id).read().get(_SECTION, {})

    def _document(self, agent_id: str) -> Store:
        with self._guard:
            if agent_id not in self._documents:
                directory = self._services.agent(agent_id).memory.directory
                path = directory / _FILE
                self._documents[agent_id] = json_document(path, [_SECTION], sync=self._services.sync)
            return self._documents[agent_id]


def text_of(value: Mapping[str, Any], paths: list[str] | None = None) -> str:
    """Return what is remembered of a value: the fields that `paths` name, its `content` or `text`, or all of it."""
    named = [text for path in paths or () for text in get_text_at_path(value, path)]
    if named:
        return "\n".join(named)
    for name in ("content", "text"):
        if isinstance(value.get(name), str) and value[name].strip():
            return str(value[name])
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether every field has the wanted value, or stands to it as an operator such as `$gte` says.

    >>> matches({"score": 5}, {"score": {"$gt": 4}})
    True
    """
    return all(_matches(value.get(name), condition) for name, condition in wanted.items())


def _matches(value: Any, condition: Any) -> bool:
    if not (isinstance(condition, Mapping) and condition and all(str(sign).startswith("$") for sign in condition)):
        return bool(value == condition)
    for sign, other in condition.items():
        if sign not in _COMPARE:
            raise InvalidArgument(f"unknown operator {sign!r}; use one of {', '.join(_COMPARE)}", argument="filter")
        try:
            if not _COMPARE[sign](value, other):
                return False
        except TypeError:
            return False
    return True


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", there) for wanted, there in zip(path, part, strict=True))


def _agent(namespace: Namespace) -> str:
    if not namespace:
        raise InvalidArgument("the namespace is empty; its first part is an agent's id", argument="namespace")
    return namespace[0]


def _place(namespace: Namespace, key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False, separators=(",", ":"))


def _admit(op: PutOp) -> None:
    """Raise `InvalidArgument` for what no file could hold, before any of it is remembered."""
    try:
        orjson.dumps([op.namespace, op.key, op.value])
    except TypeError as error:
        raise InvalidArgument(f"the value is not JSON: {error}; use text, numbers, lists", argument="value") from None


def _entry(record: Value) -> Value:
    """Return an entry of the file, into which a person may have written anything; raises `Damaged`."""
    namespace, is_text = record.get("namespace"), isinstance(record.get("memory_id") or "", str)
    is_path = isinstance(namespace, list) and namespace and all(isinstance(part, str) for part in namespace)
    if is_path and is_text and isinstance(record.get("key"), str) and isinstance(record.get("value"), dict):
        return record
    said = "needs a namespace (a list of texts), a key (a text) and a value (an object)"
    raise Damaged(f"{_FILE}: entry {record.get('id')!r} {said}; correct it by hand, or remove it")


def _alone(item: Found) -> Found:
    """Return an item whose value is the caller's own: what becomes of it there changes nothing here."""
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
