"""Data types of memory: items, and hits of a recall."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from mabos.backends.graph.mapping import Link, graph_node, ground
from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import parse_time
from mabos.workspace.field_types import Count, Filled, LooseTime, Texts, stored_as
from mabos.workspace.records import declaration, record

MemoryType = Literal["event", "decision", "outcome", "lesson", "fact", "observation"]
StoreName = Literal["working", "short_term", "long_term"]
MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)
STORES: tuple[StoreName, ...] = get_args(StoreName)


def _default_access(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record with its access time set to its creation time if missing."""
    if record.get("accessed_at"):
        return record
    return {**record, "accessed_at": record.get("created_at") or record.get("timestamp")}


@graph_node(
    "memory_item",
    name=("content",),
    name_length=80,
    text=("content",),
    properties=("id", "kind=type", "importance", "source", "tags", "created_at", "evidence", "derived_from"),
    collection_as="store",
    links=(
        Link("derived_from", "derived_from"),
        Link("derived_from", "evidence", to=ground),
        Link("superseded_by", "superseded_by"),
    ),
)
@record(
    "memory-store.json",
    *STORES,
    noun="memory item",
    optional=("derived_from", "evidence", "supersedes", "consolidated_into", "superseded_by"),
    unpack=_default_access,
)
@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One experience (S0 section 4).

    `derived_from` names the direct and indirect sources of a consolidated item; `evidence` names supporting facts,
    decisions or document lines; `consolidated_into` is the long-term item that includes a working item, which itself
    stays in place. A corrected item is `superseded_by` a newer one: it is kept and can be looked up, but is no longer
    recalled; the newer one names it in `supersedes`.
    """

    id: str
    content: str = ""
    type: Filled = "observation"
    importance: float = 0.5
    source: Filled = "manual"
    tags: Texts = ()
    created_at: Annotated[LooseTime, stored_as("created_at", "timestamp")] = ""
    accessed_at: LooseTime = ""
    access_count: Count = 0
    derived_from: Texts = ()
    evidence: Texts = ()
    consolidated_into: str = ""
    supersedes: Texts = ()
    superseded_by: str = ""


ITEMS = declaration(MemoryItem)


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A result of a recall: an item with its store, or a passage of a file with its path and line.

    `depth` is the pass that found it: 0 by the query itself, 1 to 3 through links from earlier passes. `why` holds the
    score's parts, signal by signal. `relevance` is absolute: a recall whose best hit has less than 1 finds nothing. It
    is None for hits by letters or links only.
    """

    content: str
    score: float
    item: MemoryItem | None = None
    store: str = ""
    depth: int = 0
    path: str = ""
    line: int = 0
    why: Mapping[str, float] = field(default_factory=dict)
    relevance: float | None = None

    @property
    def found(self) -> MemoryItem:
        """The item; raises if the hit is a passage of a file."""
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


class Recollection(list[MemoryHit]):
    """The hits of a recall, best first, and how they were found; `notice` names anything unreachable, or is ""."""

    def __init__(self, hits: Iterable[MemoryHit] = (), *, mode: RecallMode = "text", notice: str = "") -> None:
        super().__init__(hits)
        self.mode = mode
        self.notice = notice

    @property
    def how(self) -> str:
        """The search mode and anything unreachable, in words for people."""
        return "; ".join(filter(None, [_HOW[self.mode], self.notice]))


def as_record(item: MemoryItem) -> dict[str, Any]:
    """Return `item` as the JSON record of S0 section 4; empty fields are left out."""
    return ITEMS.write(item)


def moment(text: str) -> datetime | None:
    """Parse a time, or return None if it is invalid, since a person may have written anything."""
    try:
        return parse_time(text)
    except InvalidArgument:
        return None
