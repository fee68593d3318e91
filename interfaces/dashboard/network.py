"""The graph of a business around one node: its edges, or the kinds of nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, Node
from mabos.backends.graph.search import traverse
from mabos.configs.errors import UnknownId
from mabos.interfaces.dashboard.springs import laid_out
from mabos.interfaces.dashboard.svg import mark, picture
from mabos.interfaces.dashboard.view import PageRequest
from mabos.interfaces.views.words import cut

NODES = 45
"""Nodes that a picture shows."""
FOUND = 30
_WIDTH, _HEIGHT, _EDGE = 860, 560, 70
_TONES: Mapping[str, int] = {
    kind: tone
    for tone, kinds in enumerate(
        (
            ("agent", "persona", "skill", "business"),
            ("belief", "spo_fact", "memory_item", "metric"),
            ("goal", "task", "commitment"),
            ("desire", "Pattern", "thing"),
            ("plan", "plan_step", "playbook", "action_execution"),
            ("decision", "cbr_case", "reasoning_result"),
        )
    )
    for kind in kinds
}
"""The colour of a node by its kind; what is not listed has that of agents."""


def network(asked: PageRequest) -> Mapping[str, Any]:
    """Return the results of a search, and a picture of the selected node's neighbourhood."""
    services, known = asked.services, asked.services.businesses()
    business = asked.text("business", known[0] if known else "")
    graph = services.graph(business).fresh()
    words, kind, depth = asked.text("q"), asked.text("kind"), min(3, max(1, asked.number("depth", 1)))
    hits = _search_nodes(graph, words, kind)
    center = _center(graph, asked.text("node"), hits)
    return {
        "businesses": known,
        "business": business,
        "kinds": dict(sorted(graph.kinds().items(), key=lambda pair: -pair[1])),
        "kind": kind,
        "q": words,
        "hits": hits,
        "depth": depth,
        "center": center,
        **(_around(asked, graph, center, business, depth) if center else {}),
    }


def _around(asked: PageRequest, graph: EmbeddedGraph, center: Node, business: str, depth: int) -> Mapping[str, Any]:
    """Return the surroundings of a node: as a picture, and its edges in words."""
    around = traverse(graph, [center.uid], direction="both", depth=depth, limit=NODES - 1)
    nodes = [center, *(one.node for one in around.hits)]
    addresses = {one.uid: asked.address("/network", node=one.uid, business=business, depth=depth) for one in nodes}
    return {
        "record": _record(asked, center),
        "owner": center.uid.partition("/")[0] if "/" in center.uid else "",
        "ties": _tied(nodes, around.edges),
        "legend": sorted({(_tone(one), one.type) for one in nodes}),
        "is_cut": around.is_cut,
        "picture": _draw_network(nodes, around.edges, addresses),
    }


def _search_nodes(graph: EmbeddedGraph, words: str, kind: str) -> Sequence[Node]:
    types = [kind] if kind else []
    if words:
        return [one.node for one in graph.search(words, types, limit=FOUND)]
    return graph.find(types, limit=FOUND) if kind else ()


def _center(graph: EmbeddedGraph, wanted: str, hits: Sequence[Node]) -> Node | None:
    """Return the node that is asked for, else the first that was found, else an agent, else any."""
    if not wanted:
        return next(iter(hits or graph.find(["agent"], limit=1) or graph.find(limit=1)), None)
    found = graph.fetch([wanted])
    if not found:
        raise UnknownId(f"there is no node {wanted!r}")
    return found[0]


def _tied(nodes: Sequence[Node], edges: Sequence[Edge]) -> Mapping[str, list[tuple[Node | None, Node | None]]]:
    """Return the edges by kind, as pairs of nodes; None is the first node, which is selected."""
    known: dict[str, Node | None] = {one.uid: one for one in nodes} | {nodes[0].uid: None}
    found: dict[str, list[tuple[Node | None, Node | None]]] = {}
    for one in edges:
        if one.start in known and one.end in known:
            found.setdefault(one.type, []).append((known[one.start], known[one.end]))
    return found


def _record(asked: PageRequest, node: Node) -> str:
    """Return the id by which a node's reasons are asked for; "" where nothing tells any, as of a step of a plan."""
    found = str(node.properties.get("id", ""))
    with asked.reasons.records(asked.services) as records:
        return found if records.owners(found) else ""


def _draw_network(nodes: Sequence[Node], edges: Sequence[Edge], addresses: Mapping[str, str]) -> Markup:
    """Return the picture: nodes by kind, edges with their names; each node leads to its own surroundings."""
    ends = [(one.start, one.end) for one in edges]
    within = laid_out([one.uid for one in nodes], ends, width=_WIDTH - 2 * _EDGE, height=_HEIGHT - 2 * _EDGE)
    places = {uid: (x + _EDGE, y + _EDGE) for uid, (x, y) in within.items()}
    lines = [_line(one, places) for one in edges if one.start in places and one.end in places]
    dots = [_dot(one, places[one.uid], addresses[one.uid], is_center=one is nodes[0]) for one in nodes]
    says = f"{len(nodes)} nodes around {nodes[0].name}"
    return picture(_WIDTH, _HEIGHT, says, [*lines, *dots], class_="network")


def _tone(node: Node) -> int:
    return _TONES.get(node.type, 0)


def _line(edge: Edge, places: Mapping[str, tuple[float, float]]) -> Markup:
    (x1, y1), (x2, y2) = places[edge.start], places[edge.end]
    told = mark("title", f"{edge.start} {edge.type} {edge.end}")
    return mark("line", told, x1=x1, y1=y1, x2=x2, y2=y2, class_="edge")


def _dot(node: Node, place: tuple[float, float], address: str, *, is_center: bool) -> Markup:
    x, y = place
    tone = f"tone-{_tone(node)}"
    name = node.name or node.uid
    inside = Markup("").join(
        (
            mark("title", f"{node.type}: {name}"),
            mark("circle", cx=x, cy=y, r=11 if is_center else 7, class_="dot"),
            mark(
                "text", cut(name, 44 if is_center else 18), x=x, y=y + (26 if is_center else 20), text_anchor="middle"
            ),
        )
    )
    return mark("a", mark("g", inside, class_=f"node {tone}" + (" center" if is_center else "")), href=address)
