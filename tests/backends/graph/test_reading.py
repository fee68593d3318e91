"""Links say what an expansion says, and words find what nodes say now and not what they said before."""

import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.graph import file
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import GraphBatch, GraphPart, GraphView, Node
from mabos.configs.errors import Unavailable
from mabos.workspace.index_file import open_index
from tests.backends.graph.random_graphs import UIDS, batches, edge_types, graph_of, views


@given(batches, st.sampled_from(["out", "in"]), edge_types, views)
def test_links_are_the_steps_of_an_expansion_without_their_bodies(
    batch: GraphBatch, direction: Literal["out", "in"], types: list[str], view: GraphView
) -> None:
    with graph_of(batch) as graph:
        steps = graph.expand(UIDS, direction, types, view)
        expanded = [(step.origin, step.edge.type, step.node.uid) for step in steps]
        assert sorted(graph.links(UIDS, direction, types, view)) == sorted(expanded)


def test_a_file_that_somebody_holds_for_too_long_is_out_of_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "open_index", partial(open_index, patience_s=0.05))
    EmbeddedGraph(tmp_path / "graph.sqlite").close()
    with sqlite3.connect(tmp_path / "graph.sqlite", isolation_level=None) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unavailable, match=r"graph\.sqlite does not answer \(database is locked\)"):
            EmbeddedGraph(tmp_path / "graph.sqlite")
        holder.execute("ROLLBACK")
    EmbeddedGraph(tmp_path / "graph.sqlite").close()


def test_words_find_what_nodes_say_now(tmp_path: Path) -> None:
    ann, bob = Node("ann", "Person", name="Ann"), Node("bob", "Person", name="Bob")
    graph = EmbeddedGraph(tmp_path / "graph.sqlite")

    def found() -> dict[str, list[str]]:
        return {word: [one.node.uid for one in graph.search(word)] for word in ("ann", "zoe", "bob")}

    graph.replace("people", {"a": GraphPart([ann, bob])}, cursor="1", seen="")
    assert found() == {"ann": ["ann"], "zoe": [], "bob": ["bob"]}
    renamed, later = replace(ann, name="Zoe"), replace(bob, valid_from="2025")
    graph.replace("people", {"a": GraphPart([renamed, later])}, cursor="2", seen="1")
    assert found() == {"ann": [], "zoe": ["ann"], "bob": ["bob"]}
    graph.replace("people", {"a": None}, cursor="3", seen="2")
    assert found() == {"ann": [], "zoe": [], "bob": []}
    graph.close()
