"""Single effects: the start and the end of each keyed call of an agent are recorded (`effects.json`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument
from mabos.workspace.copies import replace
from mabos.workspace.field_types import Flag
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Collections, Drop, Op, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import StoreFollower

KEPT = 1_000
"""Ended effects that are remembered; older ones are dropped a tenth of that at a time."""

_SECTION = "effects"


@record(
    "effects.json",
    _SECTION,
    noun="effect",
    argument="key",
    optional=("cost", "category", "counterparty", "broke_off"),
    unwritten=("is_again",),
)
@dataclass(frozen=True, slots=True)
class Effect:
    """A keyed call: begun before it ran, then done with its result or failed with its error.

    `digest` is the hash of the call, so that a key cannot be used for another one. `begun_at` is the time of the first
    attempt, from which ids and time of later attempts derive. `cost` (dollars), `category` and `counterparty` are its
    possible spending until the outcome is known. `broke_off` means that a disk or service failed in the middle, so it
    may be partly done. `is_again`, which is never written, means that an earlier attempt was interrupted or broke off.
    """

    id: str
    tool: str
    digest: str
    begun_at: str
    status: Literal["begun", "done", "failed"] = "begun"
    ended_at: str = ""
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 0.0
    category: str = ""
    counterparty: str = ""
    broke_off: Flag = False
    is_again: bool = False

    def must_be_of(self, digest: str) -> None:
        """Raise `InvalidArgument` if the key belongs to a call with another hash."""
        if self.digest != digest:
            message = f"effect key {self.id!r} was used for another call of {self.tool}; every call needs its own key"
            raise InvalidArgument(message, argument="key")


EFFECTS = declaration(Effect)


class Effects:
    """The effects of one agent, by key."""

    def __init__(self, store: Store, sync: Sync) -> None:
        self.store = store
        self._sync = sync
        self._unsettled = _Unsettled(store)

    def find(self, key: str) -> Effect | None:
        """Return the record of `key`, or None if no call ever used it."""
        record = self.store.read().get(_SECTION, {}).get(key)
        return None if record is None else EFFECTS.read(key, record)

    def begin(self, effect: Effect) -> Effect:
        """Record the start of a call, and return it once it is on disk; a repeated call keeps its first time.

        Raises `InvalidArgument` if the key belongs to another call.
        """
        begun = effect

        def put(collections: Collections) -> Sequence[Op]:
            nonlocal begun
            record = collections.get(_SECTION, {}).get(effect.id)
            if record is not None:
                found = EFFECTS.read(effect.id, record)
                found.must_be_of(effect.digest)
                begun = replace(effect, begun_at=found.begun_at, is_again=found.status == "begun" or found.broke_off)
            return [Put(_SECTION, effect.id, EFFECTS.write(begun))]

        self.store.commit(put)
        # Whatever the group this thread is in: the record must not be lost to the effect it announces.
        self._sync.flush()
        return begun

    def done(self, effect: Effect, result: Mapping[str, Any], at: str) -> None:
        """Record the result; the call will not run again."""
        self._end(replace(effect, status="done", ended_at=at, result=dict(result)))

    def failed(self, effect: Effect, error: str, at: str, *, broke_off: bool) -> None:
        """Record that the call ended without its effect, or in the middle of it; it may be retried."""
        self._end(replace(effect, status="failed", ended_at=at, error=error, broke_off=broke_off))

    def all(self) -> tuple[Effect, ...]:
        """Return all recorded effects, oldest first; raises `Damaged` for an invalid record."""
        return tuple(starmap(EFFECTS.read, self.store.read().get(_SECTION, {}).items()))

    def list_unsettled(self) -> tuple[Effect, ...]:
        """Return the effects without a known outcome, oldest first."""
        return tuple(starmap(EFFECTS.read, self._unsettled.records()))

    @property
    def is_full(self) -> bool:
        """Return whether old effects may have been dropped, so that a missing one may still have happened."""
        return len(self.store.read().get(_SECTION, {})) >= KEPT

    def _end(self, effect: Effect) -> None:
        def put(collections: Collections) -> Sequence[Op]:
            return [Put(_SECTION, effect.id, EFFECTS.write(effect)), *_select_outdated(collections.get(_SECTION, {}))]

        self._sync.ahead()  # what came of it is on the disk before the word that it is over
        self.store.commit(put)


class _Unsettled(StoreFollower):
    """The records without a known end, followed from change to change: a lookup does not scan all of them."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, [_SECTION])
        self._begun: dict[str, Mapping[str, Any]] = {}

    def apply_change(self, collection: str, key: str, old: Any, new: Any) -> None:  # noqa: ARG002  # what it was is over
        """Keep a record that has begun, and no other."""
        if new is not None and _is_begun(new):
            self._begun[key] = new
        else:
            self._begun.pop(key, None)

    def records(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the current records with their keys, oldest first."""
        with self.lock:
            self.follow()
            return list(self._begun.items())


def _is_begun(record: Mapping[str, Any]) -> bool:
    return bool(record.get("status", "begun") == "begun")


def _select_outdated(records: Mapping[str, Mapping[str, Any]]) -> list[Drop]:
    if len(records) <= KEPT + KEPT // 10:
        return []
    # By when they ended: one begun long ago may have been done just now, and must be known the longest.
    ended = [key for key, one in records.items() if not _is_begun(one)]
    ended.sort(key=lambda key: str(records[key].get("ended_at", "")))
    return [Drop(_SECTION, key) for key in ended[: max(0, len(ended) - KEPT)]]


def open_effects(directory: Path, sync: Sync) -> Effects:
    """Return the effects of the agent in `directory`; nothing is created until the first keyed call."""
    return Effects(EFFECTS.open(directory, sync), sync)
