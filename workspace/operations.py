"""The content of a store and its changes: keyed records in collections, and the operations on them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import orjson

Collections = dict[str, dict[str, Any]]
"""Collection -> key -> record: a JSON value, or the text of a Markdown section. Order is the order in the file."""


MISSING: Final = object()
"""Stands for a record that is not there, where None could be one."""


@dataclass(frozen=True, slots=True)
class Put:
    """Set a record; a new key goes to the end of its collection."""

    collection: str
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Drop:
    """Remove a record, if it is there."""

    collection: str
    key: str


@dataclass(frozen=True, slots=True)
class Arrange:
    """Reorder the records of a collection by `keys`; others follow in their order."""

    collection: str
    keys: tuple[str, ...]


Op = Put | Drop | Arrange


class Codec(Protocol):
    """The format of a store's collections in its snapshot files."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the snapshot files inside the store's directory."""

    @property
    def hand_stands(self) -> bool:
        """Return whether a person's version stays in the file if both sides changed a record."""

    def home(self, collection: str, /) -> str:
        """Return the file of a collection; raises `UnknownId` if there is none."""

    def empty(self, name: str, /) -> Collections:
        """Return the collections of a missing file."""

    def decode(self, name: str, text: str, /) -> Collections:
        """Return a file's collections; raises `Damaged` with file and line."""

    def encode(self, name: str, collections: Collections, version: int, /) -> str:
        """Return the text of one file."""

    def version(self, name: str, text: str, /) -> int:
        """Return the version that a file states, 0 if it states none."""

    def admit(self, collection: str, key: str, value: Any, /) -> Any:
        """Return `value` in its stored form; raises `InvalidArgument` if it has none."""

    def settle(self, collections: Collections, touched: Mapping[str, set[str]], /) -> Sequence[Op]:
        """Return the changes that make the files give the same keys when read again; usually none."""

    def conflict(self, name: str, collection: str, key: str, value: Any, /) -> str:
        """Return a replaced version of a record as text for `<file>.conflict`; `value` is None if it was removed."""


class LiveCollection(dict[str, Any]):
    """A collection that one thread may iterate over while another changes it: each iteration sees one snapshot."""

    def __iter__(self) -> Iterator[str]:
        return iter(list(super().keys()))

    def keys(self) -> list[str]:  # type: ignore[override]  # a view would fail under a change; a list is one moment
        """Return a snapshot of the keys."""
        return list(super().keys())

    def values(self) -> list[Any]:  # type: ignore[override]  # as keys
        """Return a snapshot of the records."""
        return list(super().values())

    def items(self) -> list[tuple[str, Any]]:  # type: ignore[override]  # as keys
        """Return a snapshot of keys and records."""
        return list(super().items())


def apply(collections: Collections, ops: Iterable[Op]) -> None:
    """Apply operations to `collections` in place; applying one again does no harm."""
    for op in ops:
        records = collections.get(op.collection)
        if records is None:
            records = collections[op.collection] = LiveCollection()
        if isinstance(op, Put):
            records[op.key] = op.value
        elif isinstance(op, Drop):
            records.pop(op.key, None)
        else:
            first = {key: records[key] for key in op.keys if key in records}
            rest = {key: value for key, value in records.items() if key not in first}
            collections[op.collection] = LiveCollection(
                first | rest
            )  # in one step: others may be going through the records


def changes_anything(collections: Collections, ops: Iterable[Op]) -> bool:
    """Return whether applying `ops` would change a record."""
    for op in ops:
        records = collections.get(op.collection, {})
        if isinstance(op, Put):
            if op.key not in records or not same(records[op.key], op.value):
                return True
        elif isinstance(op, Arrange) or op.key in records:
            return True
    return False


def same(one: Any, other: Any) -> bool:
    """Return whether two values are written alike in JSON; 1, 1.0 and true are not."""
    return bool(one == other) and (isinstance(one, str) or orjson.dumps(one) == orjson.dumps(other))


def as_json(op: Op) -> list[Any]:
    """Return an operation in the form stored in a journal."""
    if isinstance(op, Put):
        return ["put", op.collection, op.key, op.value]
    if isinstance(op, Drop):
        return ["drop", op.collection, op.key]
    return ["arrange", op.collection, op.keys]


def from_json(parts: list[Any]) -> Op:
    """Return the operation stored in a journal."""
    # Asked for every change of a journal: patterns of the same meaning take three times as long.
    length, kind = len(parts), parts[0] if parts else None
    if kind == "put" and length == 4 and isinstance(parts[1], str) and isinstance(parts[2], str):
        return Put(parts[1], parts[2], parts[3])
    if kind == "drop" and length == 3 and isinstance(parts[1], str) and isinstance(parts[2], str):
        return Drop(parts[1], parts[2])
    if kind == "arrange" and length == 3 and isinstance(parts[1], str) and isinstance(parts[2], list):
        return Arrange(parts[1], tuple(parts[2]))
    raise ValueError(f"not an operation: {parts!r:.80}")
