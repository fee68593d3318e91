"""The interface of any graph keeper, with few operations; `search` builds traversal, paths and patterns on them."""

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
    """Read operations on a graph that walks and patterns need."""

    def fetch(self, uids: Sequence[str], view: GraphView = EVERYTHING) -> list[Node]:
        """Return the nodes with these ids that may be seen, each once, in the order asked."""

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
        """Return every edge between these nodes and others where the edge is valid and both nodes may be seen.

        By origin, edge type, uid of the other end and uid of the edge. An edge from a node to itself is one step.
        """


class GraphTier(Readable, Protocol):
    """A keeper of one business's graph. What is out of reach raises `Unavailable`, at once where that is known."""

    @property
    def name(self) -> str:
        """The display name: `embedded`, `neo4j`."""

    def status(self) -> Status:
        """Return whether it answers; never raises."""

    def apply(self, batch: GraphBatch) -> int:
        """Apply the newer changes and return how many there were; all or nothing."""

    def search(
        self, text: str, types: Sequence[str] = (), view: GraphView = EVERYTHING, *, limit: int = 20
    ) -> list[Scored]:
        """Return the nodes whose name or text holds any word of `text`, best first."""

    def aggregate(self, types: Sequence[str] = ()) -> list[EdgeGroup]:
        """Return how many edges there are of every kind, by type of start, edge and end."""

    def digest(self) -> Digest:
        """Return a digest to compare two tiers."""

    def close(self) -> None:
        """Let go of files and connections; closing twice is allowed."""
