"""Three-way merge of records: the common base, a person's version, and the program's version."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mabos.workspace.operations import MISSING, Arrange, Collections, Drop, Op, Put, apply, same


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A record that both sides changed: the version that was replaced; None if that side removed it."""

    collection: str
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Merge:
    """The operations that apply a manual edit to the program's version, and the conflicts."""

    ops: tuple[Op, ...]
    conflicts: tuple[MergeConflict, ...]


def merge(
    base: Collections | None,
    disk: Collections,
    ours: Collections,
    *,
    touched: Mapping[str, set[str]],
    hand_stands: bool,
) -> Merge:
    """Return how to turn `ours` into the union of both sides' changes since `base`.

    A record only one side changed is taken from that side. If both did, `hand_stands` decides whose is kept and the
    other is a conflict. Without a base, `touched` holds the keys changed by the program. The file's order is kept;
    records that only the program has follow.
    """
    ops: list[Op] = []
    conflicts: list[MergeConflict] = []
    for collection in dict.fromkeys([*disk, *ours]):
        theirs, mine = disk.get(collection, {}), ours.get(collection, {})
        known = None if base is None else base.get(collection, {})
        for key in dict.fromkeys([*theirs, *mine]):
            hand, own = theirs.get(key, MISSING), mine.get(key, MISSING)
            if _exactly(hand, own):
                continue
            by_hand, by_us = _who(known, key, hand, own, touched.get(collection, set()))
            if by_hand and by_us:
                lost = own if hand_stands else hand
                conflicts.append(MergeConflict(collection, key, None if lost is MISSING else lost))
            if by_hand and (hand_stands or not by_us):
                ops.append(Drop(collection, key) if hand is MISSING else Put(collection, key, hand))
        ops.extend(_order(collection, theirs, mine, ops))
    return Merge(tuple(ops), tuple(conflicts))


def alike(one: Any, other: Any) -> bool:
    """Return whether two records, or `MISSING`, are equal; blank lines at the end of a text do not count.

    Adding a section also adds a blank line to the one before it; that alone is not a conflict.
    """
    if isinstance(one, str) and isinstance(other, str):
        return one.rstrip() == other.rstrip()
    return _exactly(one, other)


def _who(known: dict[str, Any] | None, key: str, hand: Any, own: Any, touched: set[str]) -> tuple[bool, bool]:
    if known is None:  # what only the program has was probably never in the file
        return hand is not MISSING or key not in touched, key in touched
    before = known.get(key, MISSING)
    by_us = not alike(own, before)
    return not (alike(hand, before) if by_us else _exactly(hand, before)), by_us


def _order(collection: str, theirs: dict[str, Any], mine: dict[str, Any], ops: list[Op]) -> list[Op]:
    merged: Collections = {collection: dict(mine)}
    apply(merged, (op for op in ops if op.collection == collection))
    result = list(merged[collection])
    wanted = [key for key in theirs if key in merged[collection]]
    wanted += [key for key in result if key not in theirs]
    return [] if result == wanted else [Arrange(collection, tuple(wanted))]


def _exactly(one: Any, other: Any) -> bool:
    return one is other if one is MISSING or other is MISSING else same(one, other)
