"""The interface of a graph tier, with few operations; `search` builds traversal and paths on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mabos.backends.graph.model import (
    EVERYTHING,
    Digest,
    Direction,
    EdgeGroup,
    GraphBatch,
    GraphStep,
    GraphView,
    Node,
    NodeCondition,
    Scored,
)


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a tier, in words for a person; `mend` says how to repair it."""

    name: str
    is_available: bool
    detail: str
    mend: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


class Readable(Protocol):
    """The read operations that traversal and patterns need."""

    def fetch(self, uids: Sequence[str], view: GraphView = EVERYTHING) -> list[Node]:
        """Return the visible nodes with these ids, without duplicates, in the order given."""

    def find(
        self,
        types: Sequence[str] = (),
        where: Sequence[NodeCondition] = (),
        view: GraphView = EVERYTHING,
        *,
        limit: int = 1000,
    ) -> list[Node]:
        """Return the nodes of any of `types` that meet every condition, by uid."""

    def expand(
        self,
        uids: Sequence[str],
        direction: Direction = "both",
        types: Sequence[str] = (),
        view: GraphView = EVERYTHING,
    ) -> list[GraphStep]:
        """Return every valid edge between these nodes and others if both are visible.

        By origin, edge type, uid of the other end and uid of the edge. An edge from a node to itself is one step.
        """


class GraphTier(Readable, Protocol):
    """A store of one business's graph. An unreachable one raises `Unavailable`, at once if that is known."""

    @property
    def name(self) -> str:
        """The display name: `embedded`, `neo4j`."""

    def status(self) -> Status:
        """Return whether it answers; never raises."""

    def apply(self, batch: GraphBatch) -> int:
        """Apply the newer changes and return their number; all or nothing."""

    def search(
        self, text: str, types: Sequence[str] = (), view: GraphView = EVERYTHING, *, limit: int = 20
    ) -> list[Scored]:
        """Return the nodes whose name or text contains a word of `text`, best first."""

    def aggregate(self, types: Sequence[str] = ()) -> list[EdgeGroup]:
        """Return the number of edges of each kind, by type of start, edge and end."""

    def digest(self) -> Digest:
        """Return a digest to compare two tiers."""

    def close(self) -> None:
        """Let go of files and connections; closing twice is allowed."""
