"""Traversal, paths and patterns against every walk there is, on random graphs."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.graph.conditions import meets
from mabos.backends.graph.model import Direction, Edge, GraphBatch, GraphView, Node, NodeCondition
from mabos.backends.graph.patterns import GraphPattern, Hop, PatternSpot, match
from mabos.backends.graph.search import shortest_path, traverse
from mabos.configs.errors import InvalidArgument
from tests.backends.graph.random_graphs import (
    NODE_TYPES,
    UIDS,
    batches,
    edge_types,
    graph_of,
    node_types,
    shortest,
    steps,
    views,
    walks,
)

directions = st.sampled_from(["out", "in", "both"])
LINE = GraphBatch(
    [Node(uid, "Goal") for uid in "abcdef"], [Edge(f"{a}{b}", "HAS", a, b) for a, b in ("ab", "bc", "cd", "bd", "de")]
)


@settings(max_examples=40, deadline=None)
@given(
    batch=batches,
    direction=directions,
    types=edge_types,
    kept=node_types,
    view=views,
    depth=st.integers(1, 4),
    starts=st.sets(st.sampled_from(UIDS), max_size=2),
)
def test_a_traversal_finds_what_every_walk_finds_with_the_best_path(
    *,
    batch: GraphBatch,
    direction: Direction,
    types: list[str],
    kept: list[str],
    view: GraphView,
    depth: int,
    starts: set[str],
) -> None:
    walkable = steps(batch, direction, types, view)
    there = {node.uid: node for node in batch.nodes if view.shows(node)}
    best = shortest(walks(starts & there.keys(), walkable, depth))
    expected = sorted(
        (len(edges), nodes[-1], edges, nodes)
        for nodes, edges in best.values()
        if edges and (not kept or there[nodes[-1]].type in kept)
    )
    on_the_way = {uid for *_, nodes in expected for uid in nodes} | (starts & there.keys())
    with graph_of(batch) as graph:
        for strategy in ("bfs", "dfs"):
            found = traverse(
                graph,
                sorted(starts),
                strategy=strategy,
                direction=direction,
                edge_types=types,
                node_types=kept,
                depth=depth,
                view=view,
            )
            order = expected if strategy == "bfs" else sorted(expected, key=lambda one: one[3])
            hits = [(hit.depth, hit.node.uid, tuple(edge.uid for edge in hit.path)) for hit in found.hits]
            assert hits == [one[:3] for one in order]
            reached = {uid: len(edges) for uid, (_, edges) in best.items()}
            assert [edge.uid for edge in found.edges] == sorted(
                {edge for start, edge, end in walkable if {start, end} <= on_the_way and reached[start] < depth}
            )
            assert not found.is_cut


@settings(max_examples=40, deadline=None)
@given(
    batch=batches,
    direction=directions,
    types=edge_types,
    view=views,
    depth=st.integers(1, 6),
    ends=st.tuples(st.sampled_from(UIDS), st.sampled_from(UIDS)),
)
def test_a_shortest_path_is_as_long_as_the_shortest_walk(
    *, batch: GraphBatch, direction: Direction, types: list[str], view: GraphView, depth: int, ends: tuple[str, str]
) -> None:
    (start, end), walkable = ends, steps(batch, direction, types, view)
    there = {node.uid for node in batch.nodes if view.shows(node)}
    expected = shortest(walks({start} & there, walkable, depth)).get(end)
    with graph_of(batch) as graph:
        path = shortest_path(graph, start, end, direction=direction, edge_types=types, depth=depth, view=view)
        assert (path is None) == (expected is None)
        if path is not None and expected is not None:
            uids = [node.uid for node in path.nodes]
            assert (uids[0], uids[-1], len(path.edges)) == (start, end, len(expected[1]))
            walked = zip(uids, [edge.uid for edge in path.edges], uids[1:], strict=False)
            assert set(walked) <= walkable


@settings(max_examples=40, deadline=None)
@given(batches, views, st.lists(st.tuples(directions, edge_types), max_size=3), st.data())
def test_a_pattern_fits_exactly_where_its_nodes_and_edges_do(
    batch: GraphBatch, view: GraphView, hops: list[tuple[Direction, list[str]]], data: st.DataObject
) -> None:
    conditions = st.builds(
        NodeCondition, st.sampled_from("xy"), st.sampled_from(["=", "!=", "<", ">="]), st.none() | st.integers(0, 2)
    )
    spots = tuple(
        PatternSpot(f"s{number}", tuple(data.draw(node_types)), tuple(data.draw(st.lists(conditions, max_size=1))))
        for number in range(len(hops) + 1)
    )
    returns = tuple(f"{spot.name}.uid" for spot in spots)
    shown = [node for node in batch.nodes if view.shows(node)]
    ways: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((node.uid,), ()) for node in shown if spots[0].suits(node)]
    for (direction, types), spot in zip(hops, spots[1:], strict=True):
        fits = {node.uid for node in shown if spot.suits(node)}
        ways = [
            ((*nodes, end), (*edges, edge))
            for (nodes, edges), (start, edge, end) in product(ways, steps(batch, direction, types, view))
            if start == nodes[-1] and end in fits and edge not in edges
        ]
    pattern = GraphPattern(spots, tuple(Hop(tuple(types), way) for way, types in hops), returns, limit=10**6)
    counted = GraphPattern(
        spots, pattern.hops, returns[-1:], is_counted=True, order=("-count", *returns[-1:]), limit=10**6
    )
    with graph_of(batch) as graph:
        assert [tuple(row.values()) for row in match(graph, pattern, view)] == sorted(nodes for nodes, _ in ways)
        ends = Counter(nodes[-1] for nodes, _ in ways)
        assert [tuple(row.values()) for row in match(graph, counted, view)] == sorted(
            ends.items(), key=lambda one: (-one[1], one[0])
        )


def test_a_limit_keeps_the_nearest_and_says_so() -> None:
    with graph_of(LINE) as graph:
        cut = traverse(graph, ["a"], depth=4, limit=2)
        assert ([hit.node.uid for hit in cut.hits], cut.is_cut) == (["b", "c"], True)
        assert [edge.uid for edge in cut.edges] == ["ab", "bc"]
        assert [hit.node.uid for hit in traverse(graph, ["a"], depth=4, limit=2, strategy="dfs").hits] == ["b", "c"]
        whole = traverse(graph, ["a"], depth=4, limit=4)
        assert ([hit.node.uid for hit in whole.hits], whole.is_cut) == (["b", "c", "d", "e"], False)


def test_of_edges_side_by_side_the_path_takes_the_smallest_whatever_its_type() -> None:
    both = GraphBatch(
        LINE.nodes, [Edge("e5", "HAS", "a", "b"), Edge("e3", "NEEDS", "a", "b"), Edge("e4", "HAS", "a", "b")]
    )
    with graph_of(both) as graph:
        [hit] = traverse(graph, ["a"]).hits
        assert [edge.uid for edge in hit.path] == ["e3"]
        path = shortest_path(graph, "a", "b")
        assert path is not None
        assert [edge.uid for edge in path.edges] == ["e3"]


def test_a_path_from_a_node_to_itself_has_no_edges() -> None:
    with graph_of(LINE) as graph:
        path = shortest_path(graph, "a", "a")
        assert path is not None
        assert ([node.uid for node in path.nodes], path.edges) == (["a"], ())
        assert shortest_path(graph, "x", "x") is None
        assert shortest_path(graph, "a", "e", depth=2) is None
        assert shortest_path(graph, "a", "e", depth=3) is not None


def test_rows_are_ordered_by_any_kind_of_value_with_nothing_last() -> None:
    values: list[object] = ["b", 2, None, True, ["x"], "a", 1.5]
    nodes = [Node(str(number), "Goal", properties={"v": value}) for number, value in enumerate(values)]
    with graph_of(GraphBatch(nodes)) as graph:
        rows = match(graph, GraphPattern((PatternSpot("g"),), (), ("g.v",), order=("g.v",)))
        assert [row["g.v"] for row in rows] == [True, 1.5, 2, "a", "b", ["x"], None]


@pytest.mark.parametrize(
    "pattern",
    [
        GraphPattern((), (), ()),
        GraphPattern((PatternSpot("a"), PatternSpot("b")), (), ("a.name",)),
        GraphPattern((PatternSpot("a"), PatternSpot("a")), (Hop(),), ("a.name",)),
        GraphPattern((PatternSpot("a"),), (), ("b.name",)),
        GraphPattern((PatternSpot("a"),), (), ("a",)),
        GraphPattern((PatternSpot("a"),), (), ("a.name",), order=("count",)),
    ],
)
def test_a_pattern_that_does_not_hold_together_is_refused(pattern: GraphPattern) -> None:
    with graph_of(LINE) as graph, pytest.raises(InvalidArgument):
        match(graph, pattern)


def test_a_pattern_that_fits_everywhere_is_refused_before_it_fills_the_memory() -> None:
    hub = GraphBatch(
        [Node(f"n{number}", "Goal") for number in range(60)],
        [Edge(f"e{number}", "HAS", f"n{number % 60}", "n0") for number in range(240)],
    )
    spots, hops = tuple(PatternSpot(f"s{number}") for number in range(7)), (Hop((), "both"),) * 6
    with graph_of(hub) as graph, pytest.raises(InvalidArgument, match="100,000 matches"):
        match(graph, GraphPattern(spots, hops, ("s0.uid",)))


def test_a_condition_is_met_by_numbers_as_numbers_and_never_by_truth_values() -> None:
    node = Node("a", NODE_TYPES[0], properties={"n": 1, "t": True, "s": "1"})
    assert meets(node, [NodeCondition("n", "=", 1.0), NodeCondition("t", "=", True), NodeCondition("s", "=", "1")])
    for name, value in (("n", True), ("t", 1), ("s", 1), ("n", "1")):
        assert not meets(node, [NodeCondition(name, "=", value)])
        assert not meets(node, [NodeCondition(name, "<=", value)])
