"""A typed view of one section of a JSON document: records in, frozen dataclasses out."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from mabos.configs.errors import Damaged, unknown
from mabos.workspace.store import Collections, Put, Store


class Identified(Protocol):
    """Anything kept under its `id`."""

    @property
    def id(self) -> str:
        """The key under which the record is kept."""


R = TypeVar("R", bound=Identified)
V = TypeVar("V")


class Records(Generic[R]):
    """The records of one section of a document, as frozen dataclasses of one kind.

    Fields that the dataclass does not know stay in the document, so that a person may add their own. `spelled` gives
    the document's name of a field where Python cannot use it, as `from`.
    """

    def __init__(
        self,
        store: Store,
        section: str,
        kind: type[R],
        *,
        noun: str,
        argument: str,
        spelled: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._store = store
        self._section = section
        self._kind: TypeAdapter[R] = TypeAdapter(kind)
        self._noun = noun
        self._argument = argument
        self._spelled = spelled
        self._seen: tuple[int, dict[str, R]] | None = None
        self._parsed: dict[str, tuple[object, R]] = {}

    @property
    def store(self) -> Store:
        """The document the records live in."""
        return self._store

    def all(self) -> tuple[R, ...]:
        """Return every record, oldest first."""
        return tuple(self._read().values())

    def find(self, record_id: str) -> R | None:
        """Return the record with this id, or `None`; costs the same however many there are."""
        documents = self._store.read()
        if self._seen is not None and self._seen[0] == self._store.seq:
            return self._seen[1].get(record_id)
        record = documents.get(self._section, {}).get(record_id)
        return None if record is None else self._parse(record_id, record)

    def one(self, record_id: str) -> R:
        """Return the record with this id; raises `UnknownId` naming the nearest."""
        return self._known(self._read(), record_id)

    def save(self, *records: R) -> None:
        """Write the records in one transaction; what is already written so costs nothing."""
        self._store.commit(lambda now: self.puts(now, records))

    def change(self, record_id: str, change: Callable[[R], R]) -> R:
        """Return the record after `change`, read and written under one lock; raises `UnknownId`."""
        changed: list[R] = []

        def decide(now: Collections) -> list[Put]:
            record = self._known(now.get(self._section, {}), record_id)
            changed[:] = [change(self._parse(record_id, record))]
            return self.puts(now, changed)

        self._store.commit(decide)
        return changed[0]

    def _read(self) -> dict[str, R]:
        seq, documents = self._store.moment()
        if self._seen is None or self._seen[0] != seq:
            self._seen = (seq, self.parsed(documents))
        return self._seen[1]

    def parsed(self, documents: Collections) -> dict[str, R]:
        """Return every record of what a transaction sees, by id."""
        return {key: self._parse(key, record) for key, record in documents.get(self._section, {}).items()}

    def matching(self, documents: Collections, field: str, value: str) -> dict[str, R]:
        """Return the records of what a transaction sees with a text, in any case, in a field; only they are parsed."""
        section = documents.get(self._section, {})
        found = (key for key, record in section.items() if _is(record, field, value.casefold()))
        return {key: self._parse(key, section[key]) for key in found}

    def _parse(self, key: str, record: Mapping[str, Any]) -> R:
        # A write replaces the record that it changes and no other, so that one which is still the same was read before.
        known = self._parsed.get(key)
        if known is not None and known[0] is record:
            return known[1]
        made = self._validated(key, record)
        self._parsed[key] = (record, made)
        return made

    def _validated(self, key: str, record: Mapping[str, Any]) -> R:
        if not isinstance(record, Mapping):
            raise Damaged(f"{self._noun} {key!r} is no record but {record!r:.40}; correct it by hand")
        try:
            named = {field: record[key] for field, key in self._spelled.items() if key in record}
            return self._kind.validate_python({"id": key, **record, **named})
        except ValidationError as wrong:
            first = wrong.errors()[0]
            field = ".".join(map(str, first["loc"]))
            message = f"{self._noun} {key!r}: {field}: {first['msg']}; correct the field by hand"
            raise Damaged(message) from None

    def _known(self, records: Mapping[str, V], record_id: str) -> V:
        if record_id not in records:
            raise unknown(self._noun, record_id, records, argument=self._argument)
        return records[record_id]

    def puts(self, now: Collections, records: tuple[R, ...] | list[R]) -> list[Put]:
        """Return what writes records in a transaction that sees `now`; what is already written so costs nothing."""
        section = now.get(self._section, {})
        puts = []
        for record in records:
            written = section.get(record.id, {})
            fields = {self._spelled.get(name, name): value for name, value in plain(record).items()}
            wanted = {**written, **fields}
            if wanted != written:
                puts.append(Put(self._section, record.id, wanted))
        return puts


def _is(record: Any, field: str, folded: str) -> bool:
    return isinstance(record, Mapping) and str(record.get(field, "")).strip().casefold() == folded


def plain(record: Any) -> dict[str, Any]:
    """Return a frozen dataclass as the JSON object it is written as: tuples are lists."""
    return {name: _json(value) for name, value in asdict(record).items()}


def _json(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    return value
