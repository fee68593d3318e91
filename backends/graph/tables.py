"""The tables of an embedded graph, and the conversion of their rows to nodes and edges.

A node that only edges refer to is a row without a type: it has an id, but no query finds it. An edge's row holds the
types of both ends, so that counting edges by kind reads one index and joins nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from mabos.backends.graph.content import properties_of
from mabos.backends.graph.model import Edge, GraphView, Node

Kind = Literal["node", "edge"]
KINDS: tuple[Kind, Kind] = ("node", "edge")

VERSION = 6
SCHEMA = Path(__file__).with_suffix(".sql").read_text("utf-8")

_NODE = ("uid", "type", "name", "text", "properties", "audience", "valid_from", "valid_to", "revision")
NODE_WIDTH = EDGE_WIDTH = len(_NODE)


def node_columns(table: str) -> str:
    """Return the columns that `node_of` reads."""
    return ", ".join(f"{table}.{column}" for column in _NODE)


def edge_columns(edges: str, start: str, end: str) -> str:
    """Return the columns that `edge_of` reads; the uids of its ends come from two joined node tables."""
    return (
        f"{edges}.uid, {edges}.type, {start}.uid, {end}.uid, {edges}.properties, {edges}.weight, "
        f"{edges}.valid_from, {edges}.valid_to, {edges}.revision"
    )


def node_of(row: Sequence[Any]) -> Node:
    """Return the node in a row."""
    uid, type_, name, text, properties, audience, valid_from, valid_to, revision = row
    seen_by = () if audience == "[]" else tuple(orjson.loads(audience))
    return Node(uid, type_, name, text, properties_of(properties), seen_by, valid_from, valid_to, revision)


def edge_of(row: Sequence[Any]) -> Edge:
    """Return the edge in a row."""
    uid, type_, start, end, properties, weight, valid_from, valid_to, revision = row
    return Edge(uid, type_, start, end, properties_of(properties), weight, valid_from, valid_to, revision)


class Where:
    """Query conditions joined by AND, with their values in order."""

    def __init__(self) -> None:
        self._clauses: list[str] = []
        self.values: list[Any] = []

    def __str__(self) -> str:
        return " AND ".join(self._clauses) or "1"

    def add(self, clause: str, *values: Any) -> None:
        """Add a condition with a placeholder for each value."""
        self._clauses.append(clause)
        self.values += values

    def among(self, column: str, values: Sequence[Any]) -> None:
        """Require a column to be one of `values`; an empty list allows any."""
        if values:
            self.add(f"{column} IN ({','.join('?' * len(values))})", *values)

    def holds(self, table: str, view: GraphView) -> None:
        """Require a row to be valid at the view's time."""
        if view.at:
            self.add(f"{table}.valid_from <= ? AND ({table}.valid_to = '' OR ? < {table}.valid_to)", view.at, view.at)

    def shows(self, table: str, view: GraphView) -> None:
        """Require a node to exist, and to be visible and valid."""
        self.add(f"{table}.type != ''")
        self.holds(table, view)
        if view.principals is not None:
            shared = f"SELECT value FROM json_each({table}.audience) INTERSECT SELECT value FROM json_each(?)"  # noqa: S608  # a constant
            self.add(f"({table}.audience = '[]' OR EXISTS ({shared}))", encode_list(view.principals))


def encode_list(values: Any) -> str:
    """Return values as a JSON list for `json_each`."""
    return orjson.dumps(sorted(values)).decode()
