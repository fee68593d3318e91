"""The graph follows the files of truth: what is committed is found, what goes is gone, whoever looks first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.follow import Feed, Fresh
from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.workspace.documents import json_document
from mabos.workspace.store import Drop, Op, Put, Store
from mabos.workspace.sync import Sync

OFF = Sync("off")


def store_at(path: Path) -> Store:
    return json_document(path, ["goals", "plans"], sync=OFF)


def part_of(collection: str, key: str, record: Any) -> GraphPart | None:
    """A record is a node, with an edge to its goal; what is secret gives nothing."""
    if record.get("secret"):
        return None
    edges = [Edge(f"{key}-serves", "SERVES", key, record["goal"])] if "goal" in record else []
    return GraphPart([Node(key, collection.capitalize(), name=record.get("name", ""))], edges)


def put(collection: str, key: str, **fields: object) -> Put:
    return Put(collection, key, {"id": key, **fields})


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[EmbeddedGraph]:
    opened = EmbeddedGraph(tmp_path / "graph.sqlite")
    yield opened
    opened.close()


def uids(graph: EmbeddedGraph) -> list[str]:
    return [node.uid for node in graph.find()]


def test_what_a_store_commits_is_in_the_graph_at_the_next_update(graph: EmbeddedGraph, tmp_path: Path) -> None:
    store, feed = store_at(tmp_path / "mind.json"), Feed(graph)
    feed.follow("mind/cfo", store, part_of)
    assert feed.update() == 0
    store.commit([put("goals", "G-1", name="Runway"), put("plans", "P-1", goal="G-1")])
    assert feed.update() == 3
    assert [step.node.name for step in graph.expand(["P-1"])] == ["Runway"]
    store.commit([put("goals", "G-1", name="Nine months"), Drop("plans", "P-1")])
    assert feed.update() == 3
    assert ([node.name for node in graph.find()], graph.digest().edges) == (["Nine months"], 0)
    assert feed.update() == 0


def test_a_record_that_gives_nothing_any_more_leaves(graph: EmbeddedGraph, tmp_path: Path) -> None:
    store, feed = store_at(tmp_path / "mind.json"), Feed(graph)
    feed.follow("mind/cfo", store, part_of)
    store.commit([put("goals", "G-1")])
    feed.update()
    store.commit([put("goals", "G-1", secret=True)])
    assert (feed.update(), uids(graph)) == (1, [])


def test_what_happened_while_nobody_looked_is_caught_up_with_though_the_journal_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "mind.json"
    with store_at(path) as store:
        store.commit([put("goals", "G-1"), put("goals", "G-2")])
    graph = EmbeddedGraph(tmp_path / "graph.sqlite")
    feed = Feed(graph)
    feed.follow("mind/cfo", store_at(path), part_of)
    feed.update()
    graph.close()
    with store_at(path) as store:
        store.commit([Drop("goals", "G-1"), put("goals", "G-3")])
    with store_at(path) as store:
        store.commit([put("goals", "G-4")])
    graph = EmbeddedGraph(tmp_path / "graph.sqlite")
    feed = Feed(graph)
    feed.follow("mind/cfo", store_at(path), part_of)
    assert (feed.update(), uids(graph)) == (3, ["G-2", "G-3", "G-4"])
    graph.close()


def test_two_that_follow_into_one_file_take_each_change_in_once(tmp_path: Path) -> None:
    graphs = [EmbeddedGraph(tmp_path / "graph.sqlite") for _ in range(2)]
    stores = [store_at(tmp_path / "mind.json") for _ in range(2)]
    feeds = [Feed(graph) for graph in graphs]
    for feed, store in zip(feeds, stores, strict=True):
        feed.follow("mind/cfo", store, part_of)
    stores[0].commit([put("goals", "G-1")])
    assert [feed.update() for feed in feeds] == [1, 0]
    stores[1].commit([put("goals", "G-2")])
    assert [feed.update() for feed in feeds] == [1, 0]
    assert uids(graphs[0]) == uids(graphs[1]) == ["G-1", "G-2"]


def test_a_truth_that_is_no_store_is_read_on_from_its_own_cursor(graph: EmbeddedGraph) -> None:
    log, feed, asked = list[str](), Feed(graph), list[str]()

    def since(cursor: str) -> Fresh | None:
        asked.append(cursor)
        read = int(cursor or 0)
        parts = {uid: GraphPart([Node(uid, "Entry")]) for uid in log[read:]}
        return Fresh(parts, str(len(log))) if parts else None

    feed.follow_log("ledger/cfo", since)
    assert feed.update() == 0
    log += ["a", "b"]
    assert feed.update() == 2
    log.append("c")
    assert (feed.update(), feed.update()) == (1, 0)
    assert asked == ["", "", "2", "3"]
    assert uids(graph) == ["a", "b", "c"]


def test_news_that_another_process_took_in_meanwhile_are_asked_for_again(graph: EmbeddedGraph, tmp_path: Path) -> None:
    feed, other, asked = Feed(graph), EmbeddedGraph(tmp_path / "graph.sqlite"), list[str]()

    def since(cursor: str) -> Fresh | None:
        asked.append(cursor)
        if not cursor:
            other.replace("log", {"a": GraphPart([Node("a", "Entry")])}, cursor="1", seen="")
        return Fresh({"a": GraphPart([Node("a", "Entry")])}, "1") if not cursor else None

    feed.follow_log("log", since)
    assert (feed.update(), asked, uids(graph)) == (0, ["", "1"], ["a"])
    other.close()


ops = st.one_of(
    st.builds(put, st.sampled_from(["goals", "plans"]), st.sampled_from("abc"), name=st.sampled_from(["x", "y"])),
    st.builds(put, st.just("plans"), st.sampled_from("abc"), goal=st.sampled_from("abc")),
    st.builds(Drop, st.sampled_from(["goals", "plans"]), st.sampled_from("abc")),
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(st.lists(ops, min_size=1, max_size=4), st.sampled_from(["update", "close", "reopen"])), max_size=12
    )
)
def test_followed_step_by_step_or_read_at_once_the_graph_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[Op] | str]
) -> None:
    folder = tmp_path_factory.mktemp("follow")
    store, graph = store_at(folder / "mind.json"), EmbeddedGraph(folder / "graph.sqlite")

    def distinct(collection: str, key: str, record: Any) -> GraphPart | None:
        return part_of(collection, f"{collection}-{key}", record)

    def feed(into: EmbeddedGraph) -> Feed:
        made = Feed(into)
        made.follow("mind", store, distinct)
        return made

    followed = feed(graph)
    for step in steps:
        if isinstance(step, list):
            store.commit(step)
        elif step == "update":
            followed.update()
        elif step == "close":
            store.close()
        else:
            store = store_at(folder / "mind.json")
            followed = feed(graph)
    followed.update()
    anew = EmbeddedGraph(folder / "anew.sqlite")
    feed(anew).update()
    assert graph.digest() == anew.digest()
    graph.close()
    anew.close()
