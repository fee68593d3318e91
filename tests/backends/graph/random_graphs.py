"""Small random graphs, and the plainest possible answers to what is asked of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, GraphBatch, GraphView, Node

UIDS = "abcde"
NODE_TYPES, EDGE_TYPES = ["Goal", "Plan"], ["HAS", "NEEDS"]
PRINCIPALS = ["user:kim", "user:lee"]
TIMES = ["", "", "", "", "2024", "2025", "2026"]

audiences = st.sampled_from([(), (), (), *[(one,) for one in PRINCIPALS]])
times = st.sampled_from(TIMES)
views = st.builds(GraphView, st.none() | st.frozensets(st.sampled_from(PRINCIPALS)), times)
nodes = st.builds(
    Node,
    st.sampled_from(UIDS),
    st.sampled_from(NODE_TYPES),
    name=st.sampled_from(["", "alpha", "beta"]),
    text=st.sampled_from(["", "runway", "runways of cash"]),
    properties=st.dictionaries(st.sampled_from("xy"), st.integers(0, 2), max_size=2),
    audience=audiences,
    valid_from=times,
    valid_to=times,
)
edges = st.builds(
    Edge,
    st.sampled_from([f"e{number}" for number in range(16)]),
    st.sampled_from(EDGE_TYPES),
    st.sampled_from(UIDS),
    st.sampled_from(UIDS),
    weight=st.sampled_from([0.5, 1.0, 2.0]),
    valid_from=times,
    valid_to=times,
)
batches = st.builds(
    GraphBatch,
    st.lists(nodes, min_size=3, max_size=len(UIDS), unique_by=lambda one: one.uid),
    st.lists(edges, min_size=6, max_size=16, unique_by=lambda one: one.uid),
)
edge_types = st.lists(st.sampled_from(EDGE_TYPES), max_size=1)
node_types = st.lists(st.sampled_from(NODE_TYPES), max_size=1)

Walk = tuple[tuple[str, ...], tuple[str, ...]]
"""The nodes and the edges of a walk, by uid."""


@contextmanager
def graph_of(batch: GraphBatch) -> Iterator[EmbeddedGraph]:
    """Give a graph that holds a batch."""
    with TemporaryDirectory() as folder:
        graph = EmbeddedGraph(Path(folder) / "graph.sqlite")
        graph.apply(batch)
        yield graph
        graph.close()


def steps(batch: GraphBatch, direction: str, types: list[str], view: GraphView) -> set[tuple[str, str, str]]:
    """Return (from, edge, to) of everything that may be walked."""
    shown = {node.uid for node in batch.nodes if view.shows(node)}
    valid = [edge for edge in batch.edges if view.holds(edge) and {edge.start, edge.end} <= shown]
    valid = [edge for edge in valid if not types or edge.type in types]
    out = {(edge.start, edge.uid, edge.end) for edge in valid} if direction != "in" else set()
    return out | ({(edge.end, edge.uid, edge.start) for edge in valid} if direction != "out" else set())


def walks(starts: set[str], walkable: set[tuple[str, str, str]], depth: int) -> list[Walk]:
    """Return every walk of at most `depth` steps that comes to no node twice."""
    found: list[Walk] = [((start,), ()) for start in sorted(starts)]
    last = found
    for _ in range(depth):
        last = [
            ((*nodes, end), (*edges, edge))
            for (nodes, edges), (start, edge, end) in product(last, walkable)
            if start == nodes[-1] and end not in nodes
        ]
        found = [*found, *last]
    return found


def shortest(found: list[Walk]) -> dict[str, Walk]:
    """Return the walk that counts for each node: the shortest, then the one least seen from its end."""

    def rank(walk: Walk) -> tuple[int, list[tuple[str, str]]]:
        nodes, edges = walk
        return len(edges), list(zip(nodes[-2::-1], edges[::-1], strict=True))

    best = dict[str, Walk]()
    for walk in sorted(found, key=rank):
        best.setdefault(walk[0][-1], walk)
    return best
