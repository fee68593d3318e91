"""Changes in a store since a follower's last look: the one mechanism behind all derived data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.workspace.store import Drop, JournalChange, Put, Store

Place = tuple[str, str]
"""Collection and key."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The journal and the transaction up to which a store was followed."""

    generation: int = 0
    seq: int = -1


@dataclass(frozen=True, slots=True)
class StoreNews:
    """The current records, None for a removed one; `is_whole` means that they are all records."""

    records: Mapping[Place, Any]
    is_whole: bool
    cursor: Cursor


def news(store: Store, seen: Cursor) -> StoreNews | None:
    """Return the changes in `store` since `seen`, or None without any.

    Returns all records if the transactions in between are no longer available.
    """
    store.refresh()
    generation, seq = store.generation, store.seq
    if seq == seen.seq:
        return None
    changes = store.since(seen.seq) if generation >= seen.generation and seq > seen.seq else None
    if changes is None:
        return StoreNews(_everything(store), is_whole=True, cursor=Cursor(generation, seq))
    return StoreNews(_collapse_changes(changes), is_whole=False, cursor=Cursor(generation, changes[-1].seq))


def _everything(store: Store) -> dict[Place, Any]:
    return {
        (collection, key): record for collection, records in store.read().items() for key, record in records.items()
    }


def _collapse_changes(changes: Sequence[JournalChange]) -> dict[Place, Any]:
    last = {(op.collection, op.key): op for change in changes for op in change.ops if isinstance(op, Put | Drop)}
    return {place: op.value if isinstance(op, Put) else None for place, op in last.items()}
