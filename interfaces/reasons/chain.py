"""Chains of reasons, from one record back to its origin."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mabos.interfaces.reasons.record import ReasonTime, Record, RecordGraph
from mabos.society.decoding import decode_text
from mabos.society.documents.reading import read_text

_PLAIN, _LONGEST = (".md", ".txt", ".csv", ".tsv"), 50_000
"""The endings of documents that are shown as they are, and how many characters of one are shown."""
DEPTH = 12
"""Steps back that are followed; a chain of a message, a belief, a goal, a plan and an action has five."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A link in a chain: a record and its own reasons. `seen` marks one that appears elsewhere in the chain."""

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


def explain_record(record: Record, records: RecordGraph, root: Path) -> Reason:
    """Return the chain of reasons behind a record, with the beliefs at the time of each event.

    A record that is reached twice is explained once; the second time it appears without reasons.
    """
    return _Telling(records, root, {record}).of(record, DEPTH, None)


@dataclass(frozen=True, slots=True)
class _Telling:
    """A chain under construction, with the records already in it."""

    records: RecordGraph
    root: Path
    told: set[Record]

    def of(self, record: Record, depth: int, moment: ReasonTime | None) -> Reason:
        moment = self.records.moment(record, moment)
        because = tuple(self._links(record, depth, moment)) if depth else ()
        return Reason(record.id, record.kind, record.words, record.agent_id, record.at, because)

    def _links(self, record: Record, depth: int, moment: ReasonTime | None) -> Iterator[Reason]:
        named = self.records.behind(record, moment)
        for one in named:
            if one in self.told:
                yield Reason(one.id, one.kind, one.words, one.agent_id, one.at, seen=True)
            else:
                self.told.add(one)
                yield self.of(one, depth - 1, moment)
        told_by_them = {passage for one in named for passage in one.passages()}
        for path, line in record.passages():
            if (path, line) not in told_by_them:
                yield Reason(f"{path}:{line}", "passage", _quote(self.root, path, line))
        if record.file and depth >= DEPTH - 1:
            yield Reason(record.file, "passage", _quote(self.root, record.file))


def _quote(root: Path, path: str, line: int = 0) -> str:
    """Return the line of a document that a record names, or without a line all of it, in its current form."""
    file = root / path
    try:
        if not file.resolve().is_relative_to(root.resolve()):
            return "(outside the workspace)"
        content = file.read_bytes()
    except OSError:
        return "(the document is not there any more)"
    if not line:
        text = decode_text(content).strip() if file.suffix in _PLAIN else read_text(path, content).whole
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    lines = decode_text(content).splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else "(the document has no such line any more)"
