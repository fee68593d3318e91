"""Records as nodes and edges: each record class declares its own mapping to the graph.

    @graph_node(
        "decision",
        name=("subject",),
        text=("description",),
        properties=("id", "status"),
        place="shared",
        links=(Link("agent_owns", "from_agent", to=agent, incoming=True),),
    )
    @record("decision-queue.json", "decisions", noun="decision")
    @dataclass(frozen=True, slots=True)
    class Decision: ...

    follow("decisions", store, graph_parts(Decision))

`backends.graph.follow` keeps the graph in step with the store.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.backends.graph.records import agent_uid, drop_empty, metric_uid, record_uid, tie
from mabos.configs.errors import Damaged
from mabos.workspace.records import declaration

Kind = TypeVar("Kind")
_OWN_KINDS = frozenset({"B", "C", "CASE", "COM", "D", "EP", "F", "G", "I", "M", "P", "R"})
Place = Literal["agent", "business", "shared"]
"""Whose records they are: an agent's, a business's, or anyone's, whose id is the uid."""


def own_record(owner: str, name: str) -> str:
    """Return the uid of a record of the same agent."""
    return record_uid(owner, name)


def agent(_owner: str, name: str) -> str:
    """Return the uid of an agent."""
    return agent_uid(name)


def itself(_owner: str, name: str) -> str:
    """Return a field that is already a uid."""
    return name


def ground(owner: str, name: str) -> str:
    """Return the uid of a record's ground, like the metric of a figure; "" if it is not a node.

    Messages, campaigns, pieces and lines of files are not nodes; their ids are only in the property `evidence`.
    """
    if "@" in name:
        return metric_uid(name.partition("@")[0])
    kind = name.partition("-")[0]
    if kind in ("DEC", "WP", "DEAL", "CON"):
        return name
    return own_record(owner, name) if kind in _OWN_KINDS else ""


@dataclass(frozen=True, slots=True)
class Link:
    """Edges between a node and the ids in one field of its record; `incoming` ones end at the node."""

    type: str
    field: str
    to: Callable[[str, str], str] = own_record
    incoming: bool = False


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """The mapping of a kind of record to a node; `prefix` and the field `key` form its uid. See also `graph_node`."""

    type: str
    name: tuple[str, ...] = ("id",)
    name_length: int | None = None
    text: tuple[str, ...] = ()
    properties: tuple[str, ...] = ("id",)
    links: tuple[Link, ...] = ()
    place: Place = "agent"
    key: str = "id"
    prefix: str = ""
    collections: tuple[str, ...] = ()
    collection_as: str = ""
    valid_from: str = ""
    valid_to: str = ""

    def part(self, item: Any, owner: str = "", collection: str = "") -> GraphPart:
        """Return the node and edges of a record."""
        uid = self.prefix + getattr(item, self.key)
        uid = record_uid(owner, uid) if self.place == "agent" else uid
        node = Node(
            uid,
            self.type,
            next((name[: self.name_length] for name in _texts(item, self.name) if name), ""),
            " ".join(dict.fromkeys(filter(None, _texts(item, self.text)))),
            drop_empty(**dict(self._list_properties(item, collection))),
            valid_from=getattr(item, self.valid_from) if self.valid_from else "",
            valid_to=getattr(item, self.valid_to) if self.valid_to else "",
        )
        return GraphPart([node], [*self._owner(uid, owner), *self._edges(item, uid, owner)])

    def _list_properties(self, item: Any, collection: str) -> Iterator[tuple[str, Any]]:
        for one in self.properties:
            name, _, field = one.partition("=")
            value = getattr(item, field or name)
            yield name, list(value) if isinstance(value, tuple) else value
        if self.collection_as:
            yield self.collection_as, collection

    def _owner(self, uid: str, owner: str) -> Iterable[Edge]:
        if self.place == "agent":
            return [tie("agent_owns", agent_uid(owner), uid)]
        return [tie(f"business_has_{self.type}", f"business:{owner}", uid)] if self.place == "business" else []

    def _edges(self, item: Any, uid: str, owner: str) -> Iterator[Edge]:
        for link in self.links:
            value = getattr(item, link.field)
            for name in filter(None, [value] if isinstance(value, str) else value):
                if other := link.to(owner, name):
                    yield tie(link.type, other, uid) if link.incoming else tie(link.type, uid, other)


_MAPPINGS: dict[type, NodeMapping] = {}


def graph_node(
    node_type: str,
    *,
    name: tuple[str, ...] = ("id",),
    text: tuple[str, ...] = (),
    properties: tuple[str, ...] = ("id",),
    links: tuple[Link, ...] = (),
    place: Place = "agent",
    collections: tuple[str, ...] = (),
    collection_as: str = "",
    valid_from: str = "",
    valid_to: str = "",
    name_length: int | None = None,
) -> Callable[[type[Kind]], type[Kind]]:
    """Declare how records of a class become nodes and edges.

    The first non-empty field of `name` names the node, cut to `name_length`; search reads the fields `text` too. A
    property is a field, or `property=field`; empty ones are left out. `collections` limits which collections of the
    document are followed, and `collection_as` is the property that names a record's collection.
    """

    def declare(kind: type[Kind]) -> type[Kind]:
        _MAPPINGS[kind] = NodeMapping(
            type=node_type,
            name=name,
            name_length=name_length,
            text=text,
            properties=properties,
            links=links,
            place=place,
            collections=collections,
            collection_as=collection_as,
            valid_from=valid_from,
            valid_to=valid_to,
        )
        return kind

    return declare


def graph_parts(kind: type[Any], owner: str = "") -> Callable[[str, str, Any], GraphPart | None]:
    """Return a function that turns stored records into graph parts; `owner` is their agent or business."""
    return partial(_stored_part, kind, owner)


def _stored_part(kind: type[Any], owner: str, collection: str, key: str, record: Any) -> GraphPart | None:
    """Return the node and edges of a stored record, or None if it cannot be read."""
    declared = declaration(kind)
    if collection not in (_MAPPINGS[kind].collections or declared.collections):
        return None
    with suppress(Damaged):
        item = declared.read(key, record)
        return _MAPPINGS[type(item)].part(item, owner, collection)
    return None


def _texts(item: Any, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = getattr(item, name)
        yield value if isinstance(value, str) else " ".join(map(str, value))
