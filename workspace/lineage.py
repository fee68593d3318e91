"""From which version a person's edit started: an editor may have been open while the program went on writing.

Saving then brings back what the file held long ago. Compared with the newest text that looks like a change of
everything the program wrote since; compared with the text the person had opened, only the edit remains.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workspace.journal import Change, Entry, Header, Mark
from workspace.merge import alike
from workspace.operations import MISSING, Collections, Drop, Put
from workspace.snapshots import ABSENT

_UNKNOWN: Final = object()  # what a record was before the first journal at hand

Key = tuple[str, str]
Step = Mapping[Key, Any]
"""What the records that a new text changed had been before it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The version an edit started from; `is_return` if the edit is an older version and nothing else."""

    base: Collections
    is_return: bool = False


def steps(
    name: str, entries: Sequence[Entry], held_by: Callable[[str], Collections | None], home: Callable[[str], str]
) -> list[Step]:
    """Return how the text of a file went from version to version, oldest first.

    `held_by` gives what a text held, by its checksum, or None if it is lost; `home` the file of a collection.
    """
    first = entries[0]
    start = held_by(first.files.get(name, ABSENT)) if isinstance(first, Header) else None
    held: dict[Key, Any] = {} if start is None else _flat(start)
    otherwise = _UNKNOWN if start is None else MISSING
    waiting: dict[Key, Any] = {}
    found: list[Step] = []

    def written(values: Mapping[Key, Any]) -> None:
        found.append({key: held.get(key, otherwise) for key in values})
        held.update(values)

    for entry in entries:
        if isinstance(entry, Change):
            changed = {
                (op.collection, op.key): op.value if isinstance(op, Put) else MISSING
                for op in entry.ops
                if isinstance(op, Put | Drop) and home(op.collection) == name
            }
            waiting.update(changed)
            if name in entry.seen:  # the text by hand itself, which the person's editor still shows
                by_hand = held_by(entry.seen[name])
                theirs = changed if by_hand is None else _difference(held, _flat(by_hand))
                for key in theirs:
                    waiting.setdefault(key, held.get(key, otherwise))
                written(theirs)
        elif isinstance(entry, Mark) and name in entry.files:
            written(waiting)
            waiting = {}
    return found


def origin(newest: Collections, disk: Collections, history: Sequence[Step]) -> Origin:
    """Return the version from which `disk` differs in the fewest records, the newest of equals.

    Whoever removes a record that was just added, and changes another in the same save, is taken to have never seen it:
    it stays. Better a removal that has to be said again than a record that is lost.
    """
    version, hand = _flat(newest), _flat(disk)
    differing = {key for key in {*version, *hand} if not alike(version.get(key, MISSING), hand.get(key, MISSING))}
    fewest, steps_back = len(differing), 0
    for number, step in enumerate(reversed(history), 1):
        _undo(version, step)
        for key in step:
            if alike(version.get(key, MISSING), hand.get(key, MISSING)):
                differing.discard(key)
            else:
                differing.add(key)
        if len(differing) < fewest and version:  # nobody has an empty file open
            fewest, steps_back = len(differing), number
    if not steps_back or not fewest:
        return Origin(newest, is_return=steps_back > 0)
    version = _flat(newest)
    for step in list(reversed(history))[:steps_back]:
        _undo(version, step)
    base: Collections = {collection: {} for collection in newest}
    for (collection, record), value in version.items():
        base.setdefault(collection, {})[record] = value
    return Origin(base)


def _undo(version: dict[Key, Any], step: Step) -> None:
    for key, value in step.items():
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
