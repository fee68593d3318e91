"""The graph in one file: what sources give, what copies lack, several processes, and death at any moment."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.graph import changes
from mabos.backends.graph.content import digest_of, fingerprint
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Digest, Edge, Gone, GraphBatch, GraphPart, Node
from mabos.configs.errors import Unavailable
from mabos.workspace.clock import SteppedClock
from tests.backends.graph.random_graphs import edges, nodes

START = datetime(2026, 1, 5, tzinfo=UTC)
ANN, BOB = Node("ann", "Person", name="Ann"), Node("bob", "Person", name="Bob")
KNOWS = Edge("e", "KNOWS", "ann", "bob")

parts = st.builds(GraphPart, st.lists(nodes, max_size=4), st.lists(edges, max_size=4))
given_by_places = st.dictionaries(st.sampled_from("uvwxyz"), st.none() | parts, max_size=4)
writes = st.lists(st.tuples(st.sampled_from(["facts", "goals"]), given_by_places, st.booleans()), max_size=6)

Thing = Node | Edge
Owned = dict[tuple[str, str], tuple[tuple[str, str], Thing]]
"""By kind and uid: the place that gives it, and it."""


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[EmbeddedGraph]:
    opened = EmbeddedGraph(tmp_path / "graph.sqlite", clock=SteppedClock(START))
    yield opened
    opened.close()


def things(part: GraphPart) -> dict[tuple[str, str], Thing]:
    every: list[Thing] = [*part.nodes, *part.edges]
    return {(type(one).__name__, one.uid): one for one in every}


def replaced(owned: Owned, source: str, places: Mapping[str, GraphPart | None], *, whole: bool) -> Owned:
    """Return what is owned then, as the plainest reading of `replace` has it."""
    new = {what: ((source, place), one) for place, part in places.items() if part for what, one in things(part).items()}
    leaving = {place for place, _ in owned.values() if place[0] == source and (whole or place[1] in places)}
    return {what: kept for what, kept in owned.items() if kept[0] not in leaving or what in new} | new


def digest(every: list[Thing]) -> Digest:
    prints = [fingerprint(one) for one in every]
    count = sum(isinstance(one, Node) for one in every)
    return digest_of(count, len(every) - count, sum(high for high, _ in prints), sum(low for _, low in prints))


def holds(graph: EmbeddedGraph, every: list[Thing]) -> None:
    """Assert that every question is answered as these nodes and edges have it."""
    there = {one.uid: one for one in every if isinstance(one, Node)}
    walked = [one for one in every if isinstance(one, Edge) and {one.start, one.end} <= there.keys()]
    assert graph.digest() == digest([*there.values(), *walked])
    assert {node.uid: fingerprint(node) for node in graph.find()} == {
        uid: fingerprint(one) for uid, one in there.items()
    }
    assert sorted(fingerprint(step.edge) for step in graph.expand(list(there), "out")) == sorted(
        map(fingerprint, walked)
    )
    found = {scored.node.uid for scored in graph.search("runway alpha")}
    assert found == {uid for uid, one in there.items() if "runway" in one.text or one.name == "alpha"}
    types = {uid: one.type for uid, one in there.items()}
    kinds = sorted((types[e.start], e.type, types[e.end]) for e in walked)
    assert [kind for g in graph.aggregate() for kind in [(g.start_type, g.type, g.end_type)] * g.count] == kinds


@settings(max_examples=40, deadline=None)
@given(writes, st.sampled_from([1, changes._MANY]))
def test_the_graph_holds_what_its_places_give_whatever_is_replaced(
    written: list[tuple[str, Mapping[str, GraphPart | None], bool]], many: int
) -> None:
    owned: Owned = {}
    with TemporaryDirectory() as folder, patch.object(changes, "_MANY", many):
        graph = EmbeddedGraph(Path(folder) / "graph.sqlite")
        for number, (source, places, whole) in enumerate(written):
            seen = graph.cursor(source)
            changed = graph.replace(source, places, cursor=f"{number}", seen=seen, whole=whole)
            after = replaced(owned, source, places, whole=whole)
            both = owned.keys() | after.keys()
            assert changed == sum(print_of(owned, what) != print_of(after, what) for what in both)
            owned = after
            holds(graph, [one for _, one in owned.values()])
            assert graph.replace(source, places, cursor="again", seen=f"{number}", whole=whole) == 0
        graph.close()
        every = [one for _, one in owned.values()]
        again = EmbeddedGraph(Path(folder) / "graph.sqlite")
        holds(again, every)
        again.close()
        named = {one.uid for one in every if isinstance(one, Node)}
        named |= {uid for one in every if isinstance(one, Edge) for uid in (one.start, one.end)}
        assert rows_of_nodes(Path(folder) / "graph.sqlite") == len(named)


def rows_of_nodes(path: Path) -> int:
    """Return how many rows there are for nodes, those that only edges name too: nothing else may stay behind."""
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM nodes").fetchone()[0])
    finally:
        connection.close()


def print_of(owned: Owned, what: tuple[str, str]) -> tuple[int, int] | None:
    return fingerprint(owned[what][1]) if what in owned else None


@settings(max_examples=30, deadline=None)
@given(st.lists(nodes, unique_by=lambda one: one.uid), st.lists(edges, unique_by=lambda one: one.uid), st.randoms())
def test_the_digest_is_the_same_in_whatever_order_and_grouping_things_come(
    some: list[Node], others: list[Edge], random: st.DrawFn
) -> None:
    every: list[Thing] = [*some, *others]
    random.shuffle(every)  # type: ignore[attr-defined]  # an instance of Random
    with TemporaryDirectory() as folder:
        graph = EmbeddedGraph(Path(folder) / "graph.sqlite")
        for number, one in enumerate(every):
            part = GraphPart([one], []) if isinstance(one, Node) else GraphPart([], [one])
            graph.replace("facts", {f"{number}": part}, cursor=f"{number}", seen=graph.cursor("facts"))
        holds(graph, every)
        graph.close()


def test_what_did_not_change_is_not_written_and_keeps_its_revision(graph: EmbeddedGraph) -> None:
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN, BOB], [KNOWS])}, cursor="1", seen="")
    graph.sinks.done(graph.sinks.lease("copy"))
    [before] = graph.fetch(["ann"])
    other = Node("bob", "Person", name="Robert")
    assert graph.replace("facts", {"p": GraphPart([ANN, other], [KNOWS])}, cursor="2", seen="1") == 1
    assert graph.fetch(["ann"]) == [before]
    assert [row.body.uid for row in graph.sinks.lease("copy").rows] == ["bob"]


def test_a_cursor_that_moved_meanwhile_keeps_everything_as_it_is(graph: EmbeddedGraph) -> None:
    assert graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="") == 1
    assert graph.replace("facts", {"p": GraphPart([BOB])}, cursor="2", seen="") is None
    assert graph.cursor("facts") == "1"
    assert [node.uid for node in graph.find()] == ["ann"]


def test_an_error_in_the_middle_leaves_nothing_half_written(graph: EmbeddedGraph) -> None:
    bad = Node("bob", "Person", properties={"what": object()})
    with pytest.raises(TypeError):
        graph.replace("facts", {"p": GraphPart([ANN]), "q": GraphPart([bad])}, cursor="1", seen="")
    late = Edge("e", "KNOWS", "ann", "bob", valid_from=["2024"])  # type: ignore[arg-type]  # found when it is written
    with pytest.raises(Unavailable, match="type 'list' is not supported"):
        graph.replace("facts", {"p": GraphPart([ANN], [late])}, cursor="1", seen="")
    assert (graph.cursor("facts"), graph.digest().nodes, graph.find()) == ("", 0, [])


def test_revisions_rise_with_the_clock_and_never_stand_still(tmp_path: Path) -> None:
    clock = SteppedClock(START)
    graph = EmbeddedGraph(tmp_path / "one.sqlite", clock=clock)
    seen = []
    for number in range(3):
        graph.replace(
            "facts",
            {"p": GraphPart([Node("ann", "Person", name=f"{number}")])},
            cursor=f"{number}",
            seen=graph.cursor("facts"),
        )
        seen.append(graph.fetch(["ann"])[0].revision)
    assert seen == [int(START.timestamp() * 1e6) + number for number in range(3)]
    clock.advance(timedelta(seconds=1))
    rebuilt = EmbeddedGraph(tmp_path / "two.sqlite", clock=clock)
    rebuilt.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    assert rebuilt.fetch(["ann"])[0].revision > seen[-1]


def indexes(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    try:
        return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")}
    finally:
        connection.close()


def test_a_first_filling_keeps_every_index_and_one_that_fails_too(graph: EmbeddedGraph, tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    before = indexes(path)
    many = [Node(f"n{number}", "Person", "Ann") for number in range(changes._MANY)]
    knows = [Edge(f"e{number}", "KNOWS", one.uid, "bob") for number, one in enumerate(many)]
    late = Edge("late", "KNOWS", "ann", "bob", valid_from=["2024"])  # type: ignore[arg-type]  # found when it is written
    with pytest.raises(Unavailable):
        graph.replace("facts", {"p": GraphPart(many, [*knows, late])}, cursor="1", seen="")
    assert (indexes(path), graph.find()) == (before, [])
    assert graph.replace("facts", {"p": GraphPart(many, knows)}, cursor="1", seen="") == 2 * changes._MANY
    assert indexes(path) == before
    assert {step.edge.uid for step in graph.expand(["n7", "bob"], "out")} == set()
    assert graph.replace("facts", {"q": GraphPart([BOB])}, cursor="2", seen="1") == 1
    assert [step.node.uid for step in graph.expand(["n7"], "out")] == ["bob"]


def test_a_source_is_not_taken_for_another_whose_name_begins_alike(graph: EmbeddedGraph) -> None:
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    graph.replace("facts/cfo", {"p": GraphPart([BOB])}, cursor="1", seen="")
    assert graph.replace("facts", {}, cursor="2", seen="1", whole=True) == 1
    assert [node.uid for node in graph.find()] == ["bob"]


def test_a_file_of_an_older_version_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    older = sqlite3.connect(path)
    older.executescript("CREATE TABLE nodes (id INTEGER PRIMARY KEY); PRAGMA user_version = 3;")
    older.close()
    graph = EmbeddedGraph(path)
    assert graph.cursor("facts") == ""
    assert graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="") == 1
    graph.close()


def test_a_file_that_is_no_graph_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    path.write_bytes(b"this is no database" * 100)
    graph = EmbeddedGraph(path)
    assert graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="") == 1
    graph.close()


def test_what_cannot_be_read_says_so_and_its_status_never_raises(graph: EmbeddedGraph) -> None:
    assert graph.status().detail == "0 nodes, 0 edges"
    graph.close()
    with pytest.raises(Unavailable, match=r"graph\.sqlite does not answer"):
        graph.find()
    assert not graph.status().is_available


# Sinks.


def test_a_new_sink_lacks_everything_nodes_before_edges(graph: EmbeddedGraph) -> None:
    graph.replace("facts", {"p": GraphPart([ANN, BOB], [KNOWS])}, cursor="1", seen="")
    graph.sinks.add("copy")
    graph.sinks.add("copy")
    assert (graph.sinks.names(), graph.sinks.waiting("copy")) == (("copy",), (3, 0))
    first = graph.sinks.lease("copy", 2)
    assert graph.sinks.lease("copy").rows == (), "an edge waits until its ends are delivered"
    graph.sinks.done(first)
    second = graph.sinks.lease("copy", 2)
    assert [row.body.uid for row in (*first.rows, *second.rows)] == ["ann", "bob", "e"]
    graph.sinks.done(second)
    assert graph.sinks.waiting("copy") == (0, 0)
    graph.sinks.mark_all("copy")
    assert graph.sinks.waiting("copy") == (3, 0)
    graph.sinks.remove("copy")
    assert (graph.sinks.names(), graph.sinks.waiting("copy")) == ((), (0, 0))


def test_what_changes_while_it_is_delivered_waits_again_in_its_newest_version(graph: EmbeddedGraph) -> None:
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN, BOB])}, cursor="1", seen="")
    leased = graph.sinks.lease("copy")
    graph.replace("facts", {"p": GraphPart([Node("ann", "Person", name="Anna")])}, cursor="2", seen="1")
    graph.sinks.done(leased)
    batch = graph.sinks.lease("copy").batch
    assert [node.name for node in batch.nodes] == ["Anna"]
    assert [(gone.uid, gone.kind) for gone in batch.gone] == [("bob", "node")]


def test_a_version_that_another_worker_delivers_meanwhile_stays_with_it(graph: EmbeddedGraph) -> None:
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    first = graph.sinks.lease("copy")
    graph.replace("facts", {"p": GraphPart([Node("ann", "Person", name="Anna")])}, cursor="2", seen="1")
    second = graph.sinks.lease("copy")
    graph.sinks.done(first)
    assert (graph.sinks.lease("copy").rows, graph.sinks.waiting("copy")) == ((), (1, 0))
    graph.sinks.done(second)
    assert graph.sinks.waiting("copy") == (0, 0)


def test_what_a_slow_worker_wrote_over_a_newer_version_is_delivered_again(tmp_path: Path) -> None:
    clock = SteppedClock(START)
    graph = EmbeddedGraph(tmp_path / "graph.sqlite", clock=clock)
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    slow = graph.sinks.lease("copy", seconds=10)
    clock.advance(timedelta(seconds=11))
    graph.replace("facts", {"p": None}, cursor="2", seen="1")
    graph.sinks.done(graph.sinks.lease("copy"))
    assert graph.sinks.waiting("copy") == (0, 0)
    graph.sinks.done(slow)
    assert [gone.uid for gone in graph.sinks.lease("copy").batch.gone] == ["ann"]


def test_what_fails_comes_again_later_and_what_is_rejected_eight_times_is_dead(tmp_path: Path) -> None:
    clock = SteppedClock(START)
    graph = EmbeddedGraph(tmp_path / "graph.sqlite", clock=clock)
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    for _ in range(20):
        graph.sinks.failed(graph.sinks.lease("copy"), "out of reach", is_rejected=False)
        assert graph.sinks.lease("copy").rows == ()
        clock.advance(timedelta(seconds=300))
    assert graph.sinks.waiting("copy") == (1, 0)
    for _ in range(8):
        graph.sinks.failed(graph.sinks.lease("copy"), "a name too long", is_rejected=True)
        clock.advance(timedelta(seconds=300))
    [dead] = graph.sinks.dead("copy")
    assert (dead.body.uid, dead.error, dead.rejections) == ("ann", "a name too long", 8)
    assert graph.sinks.waiting("copy") == (1, 1)
    assert graph.sinks.lease("copy").rows == ()
    assert graph.sinks.revive("copy") == 1
    assert [row.tries for row in graph.sinks.lease("copy").rows] == [0]


def test_the_pause_grows_from_a_second_to_five_minutes(tmp_path: Path) -> None:
    clock = SteppedClock(START)
    graph = EmbeddedGraph(tmp_path / "graph.sqlite", clock=clock)
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    pauses = []
    for _ in range(12):
        graph.sinks.failed(graph.sinks.lease("copy"), "out of reach", is_rejected=False)
        waited = 0.0
        while not (leased := graph.sinks.lease("copy", seconds=0)).rows:
            clock.advance(timedelta(seconds=0.5))
            waited += 0.5
        assert leased.rows
        pauses.append(waited)
    assert 1 <= pauses[0] <= 2
    assert all(150 <= pause <= 300 for pause in pauses[-3:])


def test_a_copy_that_takes_nothing_for_days_is_tried_again_all_the_same(tmp_path: Path) -> None:
    clock = SteppedClock(START)
    graph = EmbeddedGraph(tmp_path / "graph.sqlite", clock=clock)
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    leased = graph.sinks.lease("copy")
    often = replace(leased, rows=tuple(replace(row, tries=5_000) for row in leased.rows))
    graph.sinks.failed(often, "out of reach", is_rejected=False)
    clock.advance(timedelta(seconds=300))
    assert [row.tries for row in graph.sinks.lease("copy").rows] == [5_001]


def test_a_new_version_of_what_is_dead_is_delivered(tmp_path: Path) -> None:
    clock = SteppedClock(START)
    graph = EmbeddedGraph(tmp_path / "graph.sqlite", clock=clock)
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN])}, cursor="1", seen="")
    for _ in range(8):
        graph.sinks.failed(graph.sinks.lease("copy"), "no", is_rejected=True)
        clock.advance(timedelta(seconds=300))
    graph.replace("facts", {"p": GraphPart([Node("ann", "Person", name="Anna")])}, cursor="2", seen="1")
    assert graph.sinks.waiting("copy") == (1, 0)
    assert [node.name for node in graph.sinks.lease("copy").batch.nodes] == ["Anna"]


acts = st.lists(
    st.tuples(
        st.sampled_from(["write", "lease", "deliver", "done", "fail", "wait"]), given_by_places, st.integers(1, 5)
    ),
    max_size=25,
)


class StrictCopy:
    """A copy as a server keeps it: an edge that comes before its ends is dropped, and leaves with either of them."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Edge] = {}
        self._gone: dict[tuple[str, str], int] = {}

    def apply(self, batch: GraphBatch) -> None:
        """Take in what is newer."""
        for one in batch.gone:
            held = self.nodes.get(one.uid) if one.kind == "node" else self.edges.get(one.uid)
            if one.revision > max(held.revision if held else -1, self._gone.get((one.kind, one.uid), -1)):
                self._gone[one.kind, one.uid] = one.revision
                (self.nodes if one.kind == "node" else self.edges).pop(one.uid, None)
        for node in batch.nodes:
            if node.revision > max(self._gone.get(("node", node.uid), -1), _revision(self.nodes.get(node.uid))):
                self.nodes[node.uid] = node
        for edge in batch.edges:
            if edge.revision > max(self._gone.get(("edge", edge.uid), -1), _revision(self.edges.get(edge.uid))):
                self.edges[edge.uid] = edge
                if not {edge.start, edge.end} <= self.nodes.keys():
                    self._gone["edge", edge.uid] = edge.revision - 1
        self.edges = {uid: edge for uid, edge in self.edges.items() if {edge.start, edge.end} <= self.nodes.keys()}

    def digest(self) -> Digest:
        """Return what the same graph without lost edges would say."""
        with TemporaryDirectory() as folder:
            graph = EmbeddedGraph(Path(folder) / "graph.sqlite")
            graph.apply(GraphBatch([*self.nodes.values()], [*self.edges.values()]))
            found = graph.digest()
            graph.close()
        return found


def _revision(part: Node | Edge | None) -> int:
    return part.revision if part else -1


def test_an_edge_waits_for_its_end_and_for_a_node_that_the_copy_refused(graph: EmbeddedGraph) -> None:
    copy = StrictCopy()
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN], [KNOWS])}, cursor="1", seen="")
    assert graph.sinks.waiting("copy") == (1, 0), "an edge without its end is no news"
    graph.replace("facts", {"q": GraphPart([BOB])}, cursor="2", seen="1")
    refused = graph.sinks.lease("copy")
    bob = next(row for row in refused.rows if row.body.uid == "bob")
    graph.sinks.failed(replace(refused, rows=(bob,)), "no", is_rejected=True)
    rest = replace(refused, rows=tuple(row for row in refused.rows if row is not bob))
    copy.apply(rest.batch)
    graph.sinks.done(rest)
    graph.sinks.revive("copy")
    while (leased := graph.sinks.lease("copy", 1)).rows:
        copy.apply(leased.batch)
        graph.sinks.done(leased)
    assert (copy.digest(), copy.digest().edges) == (graph.digest(), 1)


def test_an_edge_whose_end_arrives_while_it_is_delivered_is_delivered_again(graph: EmbeddedGraph) -> None:
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN], [KNOWS]), "q": GraphPart([BOB])}, cursor="1", seen="")
    leased = graph.sinks.lease("copy")
    graph.replace("facts", {"q": None}, cursor="2", seen="1")
    graph.replace("facts", {"q": GraphPart([BOB])}, cursor="3", seen="2")
    graph.sinks.done(leased)
    again = graph.sinks.lease("copy").batch
    assert ([node.uid for node in again.nodes], [edge.uid for edge in again.edges]) == (["bob"], ["e"])


@settings(max_examples=40, deadline=None)
@given(acts)
def test_however_deliveries_interleave_with_writes_the_copy_ends_equal(
    done: list[tuple[str, Mapping[str, GraphPart | None], int]],
) -> None:
    clock = SteppedClock(START)
    with TemporaryDirectory() as folder:
        graph = EmbeddedGraph(Path(folder) / "graph.sqlite", clock=clock)
        copy = StrictCopy()
        graph.sinks.add("copy")
        leased = [graph.sinks.lease("copy")]
        for number, (act, places, size) in enumerate(done):
            if act == "write":
                graph.replace("facts", places, cursor=f"{number}", seen=graph.cursor("facts"))
            elif act == "lease":
                leased.append(graph.sinks.lease("copy", size))
            elif act == "deliver":
                copy.apply(leased[size % len(leased)].batch)
            elif act == "done":
                one = leased[size % len(leased)]
                copy.apply(one.batch)
                graph.sinks.done(one)
            elif act == "fail":
                graph.sinks.failed(leased[size % len(leased)], "no", is_rejected=size == 1)
            else:
                clock.advance(timedelta(seconds=10 * size))
        clock.advance(timedelta(seconds=600))
        graph.sinks.revive("copy")
        while (rest := graph.sinks.lease("copy", 3)).rows:
            copy.apply(rest.batch)
            graph.sinks.done(rest)
        assert (graph.sinks.waiting("copy"), copy.digest()) == ((0, 0), graph.digest())
        graph.close()


def test_a_batch_of_removals_is_what_is_gone(graph: EmbeddedGraph) -> None:
    graph.sinks.add("copy")
    graph.replace("facts", {"p": GraphPart([ANN], [KNOWS])}, cursor="1", seen="")
    revision = graph.fetch(["ann"])[0].revision
    graph.replace("facts", {}, cursor="2", seen="1", whole=True)
    assert graph.sinks.lease("copy").batch == GraphBatch(
        [], [], [Gone("ann", "node", revision + 1), Gone("e", "edge", revision + 1)]
    )


# Several processes.

WRITER = """
import sys
from pathlib import Path
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, GraphPart, Node
path, source, times, together = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
graph = EmbeddedGraph(path)
print("ready", flush=True)
done = 0
while done < times:
    seen = graph.cursor(source)
    number = int(seen or 0)
    uids = [f"{source}:{number}:{one}" for one in range(together)]
    edges = [Edge(f"e{uid}", "HAS", uid, uids[0]) for uid in uids]
    part = GraphPart([Node(uid, "Thing", text="word") for uid in uids], edges)
    if graph.replace(source, {str(number): part}, cursor=str(number + 1), seen=seen) is not None:
        done += 1
graph.close()
"""


def writer(path: Path, source: str, times: int, together: int) -> "subprocess.Popen[bytes]":
    arguments = [sys.executable, "-c", WRITER, str(path), source, str(times), str(together)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE)


@pytest.mark.parametrize("sources", [("facts", "goals", "plans"), ("facts", "facts", "facts")])
def test_processes_that_write_at_once_lose_nothing_and_write_nothing_twice(
    tmp_path: Path, sources: tuple[str, ...]
) -> None:
    path = tmp_path / "graph.sqlite"
    running = [writer(path, source, 20, 3) for source in sources]
    assert [one.wait() for one in running] == [0, 0, 0]
    graph = EmbeddedGraph(path)
    numbers = {source: int(graph.cursor(source)) for source in set(sources)}
    assert sum(numbers.values()) == 60
    expected = {
        f"{source}:{number}:{one}" for source in numbers for number in range(numbers[source]) for one in range(3)
    }
    assert {node.uid for node in graph.find()} == expected
    assert (graph.digest().nodes, graph.digest().edges, len(graph.search("word", limit=999))) == (180, 180, 180)


def test_a_process_killed_at_any_moment_leaves_whole_transactions_only(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    EmbeddedGraph(path).sinks.add("copy")
    for attempt in range(6):
        running = writer(path, "facts", 10**6, 50)
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        sleep(0.03 + 0.031 * attempt)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        graph = EmbeddedGraph(path)
        every: list[Thing] = [*graph.find(limit=10**6)]
        every += [step.edge for step in graph.expand([node.uid for node in graph.find(limit=10**6)], "out")]
        assert len(every) == int(graph.cursor("facts") or 0) * 100
        assert graph.digest() == digest(every)
        assert graph.sinks.waiting("copy") == (len(every), 0)
        graph.close()
    assert every
