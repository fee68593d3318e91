"""What memory holds: items, and hits of a recall."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite, nan
from typing import Any, Literal, get_args

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.workspace.clock import iso, parse_time

MemoryType = Literal["event", "decision", "outcome", "lesson", "fact", "observation"]
StoreName = Literal["working", "short_term", "long_term"]
MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)
_ISO_LENGTH = len("2026-02-24T14:30:00.000Z")
STORES: tuple[StoreName, ...] = get_args(StoreName)


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One experience (S0 section 4).

    `derived_from` names every item a consolidated one was made of, the indirect ones too; `evidence` names what shows
    it (facts, decisions, lines of documents); `consolidated_into` is the long-term item that a working item, which
    stays where it is, has already become part of. What a newer item has corrected is `superseded_by` it: it is kept and
    can be looked up, but is not recalled any more; the newer one names it in `supersedes`.
    """

    id: str
    content: str
    type: str = "observation"
    importance: float = 0.5
    source: str = "manual"
    tags: tuple[str, ...] = ()
    created_at: str = ""
    accessed_at: str = ""
    access_count: int = 0
    derived_from: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    consolidated_into: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer of a recall: an item with its store, or a passage of a file with its path and line.

    `depth` is the pass that found it: 0 by the query itself, 1 to 3 through what earlier passes found. `why` is
    what the score is made of, signal by signal.
    """

    content: str
    score: float
    item: MemoryItem | None = None
    store: str = ""
    depth: int = 0
    path: str = ""
    line: int = 0
    why: Mapping[str, float] = field(default_factory=dict)

    @property
    def found(self) -> MemoryItem:
        """The item; raises where the hit is a passage of a file."""
        if self.item is None:
            raise InvalidArgument(f"the hit at {self.path}:{self.line} is a passage of a file, not an item")
        return self.item


RecallMode = Literal["full", "text", "scan"]
"""By words and meaning; by words alone; or by looking for the letters in every text, where no word was found or words
are out of reach."""


_HOW: Mapping[str, str] = {
    "full": "by words and meaning",
    "text": "by words",
    "scan": "by letters inside words, as no word was found",
}


class Recollection(list[Hit]):
    """The hits of a recall, best first, with how they were found; `notice` says what was out of reach, or ""."""

    def __init__(self, hits: Iterable[Hit] = (), *, mode: RecallMode = "text", notice: str = "") -> None:
        super().__init__(hits)
        self.mode = mode
        self.notice = notice

    @property
    def how(self) -> str:
        """How they were found and what was out of reach, in words for people."""
        return "; ".join(filter(None, [_HOW[self.mode], self.notice]))


def as_record(item: MemoryItem) -> dict[str, Any]:
    """Return `item` as the JSON record of S0 section 4; fields that say nothing are left out."""
    record: dict[str, Any] = {
        "id": item.id,
        "content": item.content,
        "type": item.type,
        "importance": item.importance,
        "source": item.source,
        "tags": list(item.tags),
        "created_at": item.created_at,
        "accessed_at": item.accessed_at,
        "access_count": item.access_count,
    }
    for name in ("derived_from", "evidence", "supersedes"):
        if values := getattr(item, name):
            record[name] = list(values)
    for name in ("consolidated_into", "superseded_by"):
        if value := getattr(item, name):
            record[name] = value
    return record


def from_record(key: str, record: Mapping[str, Any]) -> MemoryItem:
    """Return the item in `record`; the names of S1 (`timestamp`, no `type`) are read too.

    Raises `Damaged` where a person wrote a value that cannot be meant.
    """
    created = _moment(str(record.get("created_at") or record.get("timestamp") or ""))
    return MemoryItem(
        id=key,
        content=str(record.get("content", "")),
        type=str(record.get("type") or "observation"),
        importance=_number(key, record, "importance", 0.5),
        source=str(record.get("source") or "manual"),
        tags=_texts(key, record, "tags"),
        created_at=created,
        accessed_at=_moment(str(record.get("accessed_at") or "")) or created,
        access_count=int(_number(key, record, "access_count", 0)),
        derived_from=_texts(key, record, "derived_from"),
        evidence=_texts(key, record, "evidence"),
        consolidated_into=str(record.get("consolidated_into") or ""),
        supersedes=_texts(key, record, "supersedes"),
        superseded_by=str(record.get("superseded_by") or ""),
    )


def _number(key: str, record: Mapping[str, Any], field: str, default: float) -> float:
    value = record.get(field, default)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        raise Damaged(f"memory-store.json: memory item {key!r} has {field} {value!r}; write a number there")
    return number


def _texts(key: str, record: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return a list of texts; one that stands alone is the only one, and a number in it, as a year, is a text too."""
    value = record.get(field)
    if not value:
        return ()
    if isinstance(value, list) and {*map(type, value)} == {str}:  # as nearly always, and of items by the thousand
        return tuple(value)
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str | int | float) for one in found):
        raise Damaged(f"memory-store.json: memory item {key!r} has {field} {value!r}; write a list of texts there")
    return tuple(map(str, found))


def moment(text: str) -> datetime | None:
    """Return when something was, or None where its time is none: by hand, anything may be written there."""
    try:
        return parse_time(text)
    except InvalidArgument:
        return None


def _moment(text: str) -> str:
    """Return a time in the one form that sorts as text; what is no time stays as it is."""
    if not text or (len(text) == _ISO_LENGTH and text.endswith("Z")):
        return text
    try:
        return iso(parse_time(text))
    except InvalidArgument:
        return text
