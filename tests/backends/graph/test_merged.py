"""Two keepers read as one: the newer revision stands, whichever of them has it."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.merged import MergedGraph
from mabos.backends.graph.model import Edge, Gone, GraphBatch, GraphView, Node, NodeCondition
from mabos.backends.graph.patterns import GraphPattern, Hop, PatternSpot, match


@pytest.fixture
def both(tmp_path: Path) -> tuple[EmbeddedGraph, EmbeddedGraph]:
    return EmbeddedGraph(tmp_path / "one.sqlite"), EmbeddedGraph(tmp_path / "other.sqlite")


def goal(uid: str, revision: int, **told: object) -> Node:
    return Node(uid, "goal", uid, properties=told, revision=revision)


def test_what_only_one_of_them_has_is_there(both: tuple[EmbeddedGraph, EmbeddedGraph]) -> None:
    here, there = both
    here.apply(GraphBatch([goal("a", 1)]))
    there.apply(GraphBatch([goal("b", 1)], [Edge("e", "serves", "b", "a", revision=1)]))
    there.apply(GraphBatch([goal("a", 1)]))
    merged = MergedGraph(here, there)
    assert [node.uid for node in merged.find()] == ["a", "b"]
    assert [(step.origin, step.node.uid) for step in merged.expand(["a", "b"])] == [("a", "b"), ("b", "a")]


def test_the_newer_of_two_stands_and_is_what_conditions_and_views_ask(
    both: tuple[EmbeddedGraph, EmbeddedGraph],
) -> None:
    here, there = both
    here.apply(
        GraphBatch([goal("a", 2, progress=90), goal("b", 1)], [Edge("e", "serves", "a", "b", weight=0.9, revision=2)])
    )
    secret = Node("b", "goal", "b", audience=("agent:cfo",), revision=3)
    there.apply(
        GraphBatch([goal("a", 1, progress=10), secret], [Edge("e", "serves", "a", "b", weight=0.1, revision=1)])
    )
    merged = MergedGraph(here, there)
    assert merged.find(["goal"], [NodeCondition("progress", "<", 50)]) == []
    assert [node.properties["progress"] for node in merged.fetch(["a"])] == [90]
    assert [step.edge.weight for step in merged.expand(["a"])] == [0.9]
    assert merged.expand(["a"], view=GraphView(frozenset({"agent:cto"}))) == []
    asked = GraphPattern((PatternSpot("low"), PatternSpot("high")), (Hop(("serves",)),), ("low.progress", "high.uid"))
    assert match(merged, asked) == [{"low.progress": 90, "high.uid": "b"}]


def test_a_node_that_goes_while_its_edges_are_looked_for_is_not_among_them(
    both: tuple[EmbeddedGraph, EmbeddedGraph],
) -> None:
    here, there = both
    here.apply(GraphBatch([goal("a", 1), goal("b", 1), goal("c", 1)], [Edge("e", "serves", "a", "b", revision=1)]))
    here.apply(GraphBatch(edges=[Edge("f", "serves", "a", "c", revision=1)]))

    class Written(MergedGraph):
        def _nodes(self, uids: Sequence[str]) -> dict[str, Node]:
            here.apply(GraphBatch(gone=[Gone("b", "node", 2)]))  # by another process, at just this moment
            return super()._nodes(uids)

    assert [step.node.uid for step in Written(here, there).expand(["a"])] == ["c"]


CONTENT = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), max_size=4).map(lambda one: {"a": 0} | one)


@settings(max_examples=20, deadline=None)
@given(CONTENT, CONTENT)
def test_merged_is_what_one_keeper_holds_that_took_in_both(
    tmp_path_factory: pytest.TempPathFactory, mine: dict[str, int], yours: dict[str, int]
) -> None:
    folder = tmp_path_factory.mktemp("merged")
    here, there, whole = (EmbeddedGraph(folder / f"{name}.sqlite") for name in ("here", "there", "whole"))
    for keeper, content in ((here, mine), (there, yours)):
        nodes = [goal(uid, revision, of=revision) for uid, revision in content.items()]
        edges = [
            Edge(f"{uid}>a", "serves", uid, "a", weight=revision, revision=revision)
            for uid, revision in content.items()
        ]
        keeper.apply(GraphBatch(nodes, edges))
        whole.apply(GraphBatch(nodes, edges))
    merged = MergedGraph(here, there)
    assert merged.find() == whole.find()
    assert merged.find(where=[NodeCondition("of", ">", 2)]) == whole.find(where=[NodeCondition("of", ">", 2)])
    assert merged.expand(list("abcd")) == whole.expand(list("abcd"))
