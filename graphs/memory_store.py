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
from datetime import datetime
from threading import RLock
from typing import Any

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

from configs.errors import InvalidArgument, UnknownId
from memory.model import Hit, as_record
from tools.services import Services
from workspace.clock import iso, parse_time
from workspace.documents import json_document
from workspace.operations import Drop, Put
from workspace.store import Store

Namespace = tuple[str, ...]
Value = dict[str, Any]
_SECTION = "entries"
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
            return Item(**_fields(record))
        if len(namespace) > 1:
            return None
        try:
            item = self._services.agent(namespace[0]).memory.item(key)
        except UnknownId:
            return None
        times = {"created_at": parse_time(item.created_at), "updated_at": parse_time(item.created_at)}
        return Item(value=as_record(item), key=key, namespace=namespace, **times)

    def _put(self, op: PutOp) -> None:
        agent_id = _agent(op.namespace)
        place = _place(op.namespace, op.key)
        document = self._document(agent_id)
        if op.value is None:
            document.commit([Drop(_SECTION, place)])
            return
        memory_id = "" if op.index is False else self._remembered(agent_id, op.value, op.index)
        now = iso(self._services.clock())
        before = self._entries(agent_id).get(place)
        record = {
            "id": place,
            "namespace": list(op.namespace),
            "key": op.key,
            "value": op.value,
            "memory_id": memory_id,
            "created_at": before["created_at"] if before else now,
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
        yield from found[op.offset : op.offset + op.limit]

    def _found(self, agent_id: str, prefix: Namespace, op: SearchOp) -> Iterator[SearchItem]:
        entries = [one for one in self._entries(agent_id).values() if tuple(one["namespace"][: len(prefix)]) == prefix]
        if not op.query:
            yield from (SearchItem(**_fields(record)) for record in entries)
            return
        by_memory: dict[str, list[Value]] = {}
        for record in entries:
            by_memory.setdefault(record["memory_id"], []).append(record)
        # What is not in this namespace, or does not pass the filter, takes places in the recall.
        hits = self._services.agent(agent_id).memory.recall(op.query, limit=4 * (op.limit + op.offset) + 20)
        for hit in hits:
            for record in by_memory.get(hit.item.id, ()) if hit.item else ():
                yield SearchItem(**_fields(record), score=hit.score)
            if len(prefix) <= 1 and (hit.item is None or hit.item.source != "store"):
                yield self._own(agent_id, hit)

    def _own(self, agent_id: str, hit: Hit) -> SearchItem:
        """Return something the agent remembers by itself as an item of this store."""
        if hit.item is None:
            now = self._services.clock()
            value = {"content": hit.content, "path": hit.path, "line": hit.line}
            return SearchItem((agent_id,), f"{hit.path}:{hit.line}", value, now, now, hit.score)
        at = parse_time(hit.item.created_at)
        return SearchItem((agent_id,), hit.item.id, as_record(hit.item), at, at, hit.score)

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        known = {tuple(one["namespace"]) for agent in self._services.agents() for one in self._entries(agent).values()}
        wanted = [one for one in known if all(_fits(one, condition) for condition in op.match_conditions or ())]
        cut = sorted({one[: op.max_depth] if op.max_depth else one for one in wanted})
        return cut[op.offset : op.offset + op.limit]

    def _entries(self, agent_id: str) -> Mapping[str, Value]:
        return self._document(agent_id).read().get(_SECTION, {})

    def _document(self, agent_id: str) -> Store:
        with self._guard:
            if agent_id not in self._documents:
                directory = self._services.agent(agent_id).memory.directory
                path = directory / "memory-entries.json"
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
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


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


def _fields(record: Value) -> dict[str, Any]:
    times: dict[str, datetime] = {name: parse_time(record[name]) for name in ("created_at", "updated_at")}
    return {"value": record["value"], "key": record["key"], "namespace": tuple(record["namespace"]), **times}
