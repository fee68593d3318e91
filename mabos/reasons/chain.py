"""From one record back to where it came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs.errors import unknown
from mabos.reasons.record import Record

DEPTH = 9
"""Steps back that are followed; a chain of a message, a belief, a goal, a plan and an action has five."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One link: what it is, and what it rests on in turn. `seen` marks one that stands elsewhere in the chain."""

    id: str
    kind: str
    words: str
    agent_id: str = ""
    at: str = ""
    because: tuple["Reason", ...] = ()
    seen: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the chain as nested objects; empty fields are left out."""
        plain = {"id": self.id, "kind": self.kind, "agent_id": self.agent_id, "at": self.at, "text": self.words}
        found: dict[str, Any] = {name: value for name, value in plain.items() if value}
        if self.seen:
            found["seen"] = True
        if self.because:
            found["because"] = [reason.as_json() for reason in self.because]
        return found


def explained(record_id: str, records: Mapping[str, Record], root: Path) -> Reason:
    """Return the chain of reasons behind a record; raises `UnknownId` that names the nearest.

    A record that is reached twice is told once: the second time it stands without what it rests on.
    """
    if record_id not in records:
        raise unknown("decision, action, fact, belief or other record", record_id, records, argument="id")
    return _explained(record_id, records, root, set(), DEPTH)


def _explained(record_id: str, records: Mapping[str, Record], root: Path, told: set[str], depth: int) -> Reason:
    record = records[record_id]
    told.add(record_id)
    because = tuple(_links(record, records, root, told, depth)) if depth else ()
    return Reason(record.id, record.kind, record.words, record.agent_id, record.at, because)


def _links(record: Record, records: Mapping[str, Record], root: Path, told: set[str], depth: int) -> Iterator[Reason]:
    named = record.ids(records)
    fresh = [one for one in named if one not in told]
    told.update(fresh)  # a reason belongs to whoever names it most directly
    for one in named:
        if one in fresh:
            yield _explained(one, records, root, told, depth - 1)
        else:
            again = records[one]
            yield Reason(again.id, again.kind, again.words, again.agent_id, again.at, seen=True)
    for path, line in record.passages():
        yield Reason(f"{path}:{line}", "passage", _quoted(root, path, line))


def _quoted(root: Path, path: str, line: int) -> str:
    """Return the line of a document that a record names, as the document stands now."""
    file = root / path
    try:
        if not file.resolve().is_relative_to(root.resolve()):
            return "(outside the workspace)"
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "(the document is not there any more)"
    return lines[line - 1].strip() if 0 < line <= len(lines) else "(the document has no such line any more)"
