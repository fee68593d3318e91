"""The data model of a graph: nodes, edges, and queries, independent of storage.

A graph belongs to one business. Times are ISO 8601 in UTC, "" is open-ended; validity excludes its end.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument

Direction = Literal["out", "in", "both"]
Strategy = Literal["bfs", "dfs"]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains"]
Scalar = str | int | float | bool | None

OPPOSITE: Mapping[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
DEEPEST = 6
"""The most hops that one question may take."""

_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


@lru_cache(maxsize=4096)  # there are few types, and every node and edge that is read has one
def type_name(text: str, *, argument: str = "type") -> str:
    """Return `text` if it is a valid node or edge type in every tier; raises `InvalidArgument`."""
    if _TYPE.fullmatch(text) is None:
        message = f"{text[:80]!r} cannot be a type; use up to 64 of A-Z, a-z, 0-9 and '_', beginning with a letter"
        raise InvalidArgument(message, argument=argument)
    return text


@dataclass(frozen=True, slots=True)
class Node:
    """A node. `uid` is unique in its graph; search reads `text` as well as the name.

    `properties` are JSON. `audience` lists its readers (`agent:cfo`, `user:kim`, `team:finance`), empty means everyone.
    `revision` is set by the embedded tier; copies accept a row only if it is newer.
    """

    uid: str
    type: str
    name: str = ""
    text: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    audience: tuple[str, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    revision: int = 0

    def __post_init__(self) -> None:
        type_name(self.type)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed connection between two nodes; it counts once both exist."""

    uid: str
    type: str
    start: str
    end: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    valid_from: str = ""
    valid_to: str = ""
    revision: int = 0

    def __post_init__(self) -> None:
        type_name(self.type)


@dataclass(frozen=True, slots=True)
class Gone:
    """A deleted node or edge."""

    uid: str
    kind: Literal["node", "edge"]
    revision: int = 0


@dataclass(frozen=True, slots=True)
class GraphPart:
    """The nodes and edges of one record of truth."""

    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Changes for a copy, only the newest version of each; applying them twice is harmless."""

    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    gone: Sequence[Gone] = ()


@dataclass(frozen=True, slots=True)
class GraphView:
    """A point of view: a reader (None sees everything) and a time ("" is every time)."""

    principals: frozenset[str] | None = None
    at: str = ""

    def shows(self, node: Node) -> bool:
        """Return whether the node is visible and valid."""
        allowed = self.principals is None or not node.audience or not self.principals.isdisjoint(node.audience)
        return allowed and self.holds(node)

    def holds(self, part: Node | Edge) -> bool:
        """Return whether the node or edge is valid at the view's time."""
        return not self.at or (part.valid_from <= self.at and (not part.valid_to or self.at < part.valid_to))


EVERYTHING = GraphView()


@dataclass(frozen=True, slots=True)
class GraphStep:
    """An edge walked from `origin`, and the node it leads to."""

    origin: str
    edge: Edge
    node: Node


@dataclass(frozen=True, slots=True)
class NodeCondition:
    """A condition on a property, or on `uid`, `type` or `name`. Numbers compare with numbers only."""

    property: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A search result; a higher score is better, and scores of two tiers are not comparable."""

    node: Node
    score: float


@dataclass(frozen=True, slots=True)
class EdgeGroup:
    """The number of edges of one kind, and their mean weight."""

    start_type: str
    type: str
    end_type: str
    count: int
    mean_weight: float


@dataclass(frozen=True, slots=True)
class Digest:
    """The number of nodes and edges, and a checksum that is equal for equal content, in any order."""

    nodes: int
    edges: int
    content: str
