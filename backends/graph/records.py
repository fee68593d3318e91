"""The uids of agents' records in the graph of their business, and their edges: one implementation for all."""

from collections.abc import Iterable
from typing import Any

from mabos.backends.graph.model import Edge, GraphPart, Node


def agent_uid(agent_id: str) -> str:
    """Return the uid of an agent."""
    return f"agent:{agent_id}"


def record_uid(agent_id: str, record_id: str) -> str:
    """Return the uid of an agent's record; two agents may use the same id."""
    return f"{agent_id}/{record_id}"


def metric_uid(name: str) -> str:
    """Return the uid of a metric of the business."""
    return f"metric:{name}"


def tie(kind: str, start: str, end: str, **told: Any) -> Edge:
    """Return an edge with a uid derived from its ends; two nodes have one edge of each kind."""
    return Edge(f"{kind}:{start}>{end}", kind, start, end, drop_empty(**told))


def drop_empty(**told: Any) -> dict[str, Any]:
    """Return properties without empty ones."""
    return {name: value for name, value in told.items() if value not in ("", None, (), [], {})}


def build_owned_part(agent_id: str, node: Node, edges: Iterable[Edge] = ()) -> GraphPart:
    """Return a node that an agent owns, with its edges."""
    return GraphPart([node], [tie("agent_owns", agent_uid(agent_id), node.uid), *edges])
