"""The version that a person's edit started from: the program may have written while the editor was open.

Saving then restores old content. Compared with the newest text, that looks like a change of everything the program has
written since; compared with the text the person opened, only the edit remains.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mabos.workspace.journal import Entry, Header, JournalChange, JournalMark
from mabos.workspace.merge import alike
from mabos.workspace.operations import MISSING, Collections, Drop, Put
from mabos.workspace.snapshots import ABSENT

_UNKNOWN: Final = object()  # what a record was before the first journal at hand

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LineageStep:
    """A new text of a file: the previous values of the records it changed, and whether a person wrote it."""

    before: Mapping[Key, Any]
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class EditOrigin:
    """The version an edit started from; `is_return` if it only reverts writes of the program."""

    base: Collections
    is_return: bool = False


def steps(
    name: str, entries: Sequence[Entry], held_by: Callable[[str], Collections | None], home: Callable[[str], str]
) -> list[LineageStep]:
    """Return the versions of a file's text as steps, oldest first.

    `held_by` gives a text's content by its checksum, or None if it is lost; `home` gives the file of a collection.
    Changes in missing journals are one step.
    """
    first = entries[0]
    start = held_by(first.files.get(name, ABSENT)) if isinstance(first, Header) else None
    held: dict[Key, Any] = {} if start is None else _flat(start)
    otherwise = _UNKNOWN if start is None else MISSING
    waiting: dict[Key, Any] = {}
    generation = first.generation if isinstance(first, Header) else 0
    found: list[LineageStep] = []

    def record_step(values: Mapping[Key, Any], *, by_hand: bool = False) -> None:
        found.append(LineageStep({key: held.get(key, otherwise) for key in values}, by_hand))
        held.update(values)

    for entry in entries:
        if isinstance(entry, JournalChange):
            changed = {
                (op.collection, op.key): op.value if isinstance(op, Put) else MISSING
                for op in entry.ops
                if isinstance(op, Put | Drop) and home(op.collection) == name
            }
            waiting.update(changed)
            if name in entry.seen:  # the text by hand itself, which the person's editor still shows
                shown = held_by(entry.seen[name])
                theirs = changed if shown is None else _difference(held, _flat(shown))
                for key in theirs:
                    waiting.setdefault(key, held.get(key, otherwise))
                record_step(theirs, by_hand=True)
        elif isinstance(entry, JournalMark) and name in entry.files:
            record_step(waiting)
            waiting = {}
        elif isinstance(entry, Header):
            is_gap, generation = entry.generation > generation + 1, entry.generation
            if is_gap and (start := held_by(entry.files.get(name, ABSENT))) is not None:
                record_step(_difference(held, _flat(start)))
    return found


def origin(newest: Collections, disk: Collections, history: Sequence[LineageStep]) -> EditOrigin:
    """Return the version from which `disk` differs in the fewest records, the newest of equals.

    A person may remove a record that the program just added, and change another in the same save. We assume they never
    saw it, so it stays: better to ask for a removal twice than to lose a record. A person whose text shows a record has
    seen it. So have they seen anything people saved, unless nothing of it or of the program's earlier writes is left.
    """
    version, hand = _flat(newest), _flat(disk)
    shown = {key for key, value in hand.items() if alike(version.get(key, MISSING), value)}
    differing = {*version, *hand} - shown
    unseen: set[Key] = set()  # shown as they are in the newest text, and in no version as old as this
    fewest, steps_back = len(differing), 0
    is_ours = is_theirs = is_return = False
    for number, step in enumerate(reversed(history), 1):
        if step.by_hand and not all(alike(value, hand.get(key, MISSING)) for key, value in step.before.items()):
            break
        is_ours |= not step.by_hand and _changes(version, step)
        is_theirs |= step.by_hand
        _undo(version, step)
        for key in step.before:
            is_same = alike(version.get(key, MISSING), hand.get(key, MISSING))
            (differing.discard if is_same else differing.add)(key)
            (unseen.add if key in shown and key not in version else unseen.discard)(key)
        is_possible = bool(version) and not unseen and (is_ours or not is_theirs)  # nobody has an empty file open
        if is_possible and len(differing) < fewest:
            fewest, steps_back, is_return = len(differing), number, is_ours
    if not steps_back or not fewest:
        return EditOrigin(newest, is_return=is_return)
    latest = _flat(newest)
    version = dict(latest)
    for step in list(reversed(history))[:steps_back]:
        _undo(version, step)
    # What the person's text has as the newest has it, they left alone, whatever was there in the version they opened.
    left_alone = {*version, *latest} - _difference(latest, hand).keys()
    _undo(version, LineageStep({key: latest.get(key, MISSING) for key in left_alone}))
    base: Collections = {collection: {} for collection in newest}
    for (collection, record), value in version.items():
        base.setdefault(collection, {})[record] = value
    return EditOrigin(base)


def _changes(version: Mapping[Key, Any], step: LineageStep) -> bool:
    return any(not alike(version.get(key, MISSING), value) for key, value in step.before.items())


def _undo(version: dict[Key, Any], step: LineageStep) -> None:
    for key, value in step.before.items():
        if value is MISSING:
            version.pop(key, None)
        else:
            version[key] = value


def _difference(before: Mapping[Key, Any], after: Mapping[Key, Any]) -> dict[Key, Any]:
    keys = {*before, *after}
    return {
        key: after.get(key, MISSING) for key in keys if not alike(before.get(key, MISSING), after.get(key, MISSING))
    }


def _flat(collections: Collections) -> dict[Key, Any]:
    return {(collection, key): value for collection, records in collections.items() for key, value in records.items()}
