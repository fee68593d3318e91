"""A copy of a graph comes to hold what the graph holds, whatever happens to either on the way."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.graph import drain
from mabos.backends.graph.cypher import CypherStatement, Kept
from mabos.backends.graph.drain import Drainer
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, GraphBatch, GraphPart, Node
from mabos.configs.errors import Damaged, InvalidArgument, Unavailable
from mabos.workspace.clock import SteppedClock
from tests.memory.factory import TUESDAY


class Copied(EmbeddedGraph):
    """A copy that can be out of reach, refuse some rows, lose its schema, and be changed by others."""

    name = "copied"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.is_down = False
        self.dies = 0
        self.refused: set[str] = set()
        self.known: list[CypherStatement] | None = None
        self.batches: list[GraphBatch] = []

    def ensure_schema(self, statements: Sequence[CypherStatement] = ()) -> bool:
        self._reached()
        was, self.known = self.known, list(statements)
        return was != self.known

    def apply(self, batch: GraphBatch) -> int:
        self._reached()
        if self.dies:
            self.dies -= 1
            raise Unavailable("died")
        if self.refused & {*(node.uid for node in batch.nodes), *(edge.uid for edge in batch.edges)}:
            raise InvalidArgument("a row cannot be stored")
        self.batches.append(batch)
        return super().apply(batch)

    def kept(self, kind: Literal["node", "edge"]) -> Iterator[list[Kept]]:
        nodes = self.find(limit=10_000)
        edges = [step.edge for step in self.expand([node.uid for node in nodes], "out")]
        yield [Kept(one.uid, one.revision) for one in (nodes if kind == "node" else edges)]

    def _reached(self) -> None:
        if self.is_down:
            raise Unavailable("the copy does not answer; start it")


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(TUESDAY)


@pytest.fixture
def graph(tmp_path: Path, clock: SteppedClock) -> EmbeddedGraph:
    opened = EmbeddedGraph(tmp_path / "graph.sqlite", clock=clock)
    opened.replace("hub", {"hub": GraphPart([Node("hub", "goal")])}, cursor="1", seen="")
    return opened


@pytest.fixture
def copy(tmp_path: Path) -> Copied:
    return Copied(tmp_path / "copy.sqlite")


def write(graph: EmbeddedGraph, **names: str | None) -> None:
    """Let nodes have these names, or be no more; each has an edge to `hub`."""
    parts = {
        uid: None
        if name is None
        else GraphPart([Node(uid, "goal", name)], [Edge(f"{uid}-hub", "supports", uid, "hub")])
        for uid, name in names.items()
    }
    seen = graph.cursor("test")
    assert graph.replace("test", parts, cursor=f"{int(seen or 0) + 1}", seen=seen) is not None


def test_what_was_written_before_and_after_it_came_reaches_the_copy(graph: EmbeddedGraph, copy: Copied) -> None:
    write(graph, a="one", b="two")
    drainer = Drainer(graph, copy)
    assert drainer.flush(5)
    assert copy.digest() == graph.digest()
    write(graph, a="another", b=None, c="three")
    assert drainer.drain_once() == 5
    assert copy.find() == graph.find()
    assert copy.digest() == graph.digest()


def test_nodes_go_before_edges_and_no_batch_is_larger_than_asked(graph: EmbeddedGraph, copy: Copied) -> None:
    write(graph, **{f"n{number}": "x" for number in range(10)})
    assert Drainer(graph, copy, rows=4).flush(5)
    sizes = [(len(batch.nodes), len(batch.edges)) for batch in copy.batches if batch.nodes or batch.edges]
    assert sizes == [(4, 0), (4, 0), (3, 1), (0, 4), (0, 4), (0, 1)]


def test_nothing_is_taken_from_what_waits_while_the_copy_is_out_of_reach(graph: EmbeddedGraph, copy: Copied) -> None:
    copy.is_down = True
    drainer = Drainer(graph, copy)
    write(graph, a="one")
    assert [drainer.drain_once(), drainer.drain_once(), drainer.flush(0)] == [0, 0, False]
    assert "start it" in drainer.error
    assert [row.tries for row in graph.sinks.lease("copied", seconds=0).rows] == [0, 0, 0]
    copy.is_down = False
    assert drainer.flush(5)
    assert (copy.digest(), drainer.error) == (graph.digest(), "")


def test_a_batch_that_dies_comes_again_later_and_is_never_given_up(
    graph: EmbeddedGraph, copy: Copied, clock: SteppedClock
) -> None:
    drainer = Drainer(graph, copy)
    assert drainer.flush(5)
    write(graph, a="one")
    copy.dies = 12
    for _ in range(12):
        assert drainer.drain_once() == 0
        assert drainer.error == "died"
        clock.advance(timedelta(minutes=5))
    assert drainer.drain_once() == 2
    assert graph.sinks.waiting("copied") == (0, 0)


def test_a_row_that_the_copy_refuses_holds_nobody_up_and_is_given_up_with_its_reason(
    graph: EmbeddedGraph, copy: Copied, clock: SteppedClock
) -> None:
    copy.refused = {"n3"}
    write(graph, **{f"n{number}": "x" for number in range(8)})
    drainer = Drainer(graph, copy)
    assert drainer.drain_once() == 16
    for _ in range(8):
        clock.advance(timedelta(minutes=5))
        drainer.drain_once()
    assert graph.sinks.waiting("copied") == (1, 1)
    assert [(row.body.uid, row.error) for row in graph.sinks.dead("copied")] == [("n3", "a row cannot be stored")]
    copy.refused = set()
    graph.sinks.revive("copied")
    assert drainer.flush(5)
    assert copy.digest() == graph.digest()


def test_a_copy_that_holds_something_else_at_the_start_is_brought_back(graph: EmbeddedGraph, copy: Copied) -> None:
    write(graph, a="one", b="two")
    assert Drainer(graph, copy).flush(5)
    stray = GraphBatch([Node("stray", "goal", revision=2**60)], [Edge("odd", "supports", "a", "stray", revision=2**60)])
    EmbeddedGraph.apply(copy, stray)
    copy.batches.clear()
    assert Drainer(graph, copy).flush(5)
    assert copy.digest() == graph.digest()
    assert [node.uid for node in copy.find()] == ["a", "b", "hub"]


def test_what_others_wrote_over_it_with_a_newer_revision_is_brought_back_too(
    graph: EmbeddedGraph, copy: Copied
) -> None:
    write(graph, a="one", b="two")
    assert Drainer(graph, copy).flush(5)
    EmbeddedGraph.apply(copy, GraphBatch([Node("a", "goal", "another's", revision=2**60)]))
    assert copy.digest() != graph.digest()
    assert Drainer(graph, copy).flush(5)
    assert copy.digest() == graph.digest()
    write(graph, a="three")
    assert Drainer(graph, copy).flush(5)
    assert [node.name for node in copy.fetch(["a"])] == ["three"]


def test_a_copy_that_is_doubted_is_compared_once_more(graph: EmbeddedGraph, copy: Copied) -> None:
    drainer = Drainer(graph, copy)
    write(graph, a="one")
    assert drainer.flush(5)
    EmbeddedGraph.apply(copy, GraphBatch([Node("stray", "goal", revision=2**60)]))
    assert drainer.flush(5)
    assert copy.digest() != graph.digest()
    drainer.doubt()
    assert drainer.flush(5)
    assert copy.digest() == graph.digest()


def test_a_copy_that_is_as_it_should_be_gets_nothing_at_the_start(graph: EmbeddedGraph, copy: Copied) -> None:
    write(graph, a="one")
    assert Drainer(graph, copy).flush(5)
    copy.batches.clear()
    assert Drainer(graph, copy).flush(5)
    assert copy.batches == []


def test_a_copy_that_was_emptied_is_filled_again_without_a_restart(graph: EmbeddedGraph, copy: Copied) -> None:
    drainer = Drainer(graph, copy)
    write(graph, a="one", b="two")
    assert drainer.flush(5)
    EmbeddedGraph.replace(copy, "", {"": None}, cursor="", seen="", whole=True)  # all that was applied is owned by ""
    copy.known = None
    assert copy.digest().nodes == 0
    write(graph, c="three")
    assert drainer.flush(5)
    assert copy.digest() == graph.digest()


def test_another_schema_is_told_and_everything_is_delivered_again(graph: EmbeddedGraph, copy: Copied) -> None:
    class Index:
        text, parameters = "CREATE INDEX one IF NOT EXISTS FOR (n:goal) ON (n.progress)", dict[str, Any]()

    write(graph, a="one")
    assert Drainer(graph, copy).flush(5)
    copy.batches.clear()
    asked = [Index()]
    assert Drainer(graph, copy, lambda: asked).flush(5)
    assert sum(len(batch.nodes) for batch in copy.batches) == 2


def test_on_its_thread_it_follows_and_stops_when_closed(graph: EmbeddedGraph, copy: Copied) -> None:
    arrived = Event()
    applied = copy.apply

    def apply(batch: GraphBatch) -> int:
        taken = applied(batch)
        if batch.edges:
            arrived.set()
        return taken

    copy.apply = apply  # type: ignore[method-assign]
    drainer = Drainer(graph, copy)
    write(graph, a="one")
    drainer.start()
    assert arrived.wait(10)
    drainer.close()
    write(graph, a="two")
    assert graph.sinks.waiting("copied")[0] > 0


def test_on_its_thread_it_has_the_graph_brought_up_to_date_whatever_cannot_be_read(
    graph: EmbeddedGraph, copy: Copied
) -> None:
    looked = list[str]()
    arrived = Event()

    def update() -> None:
        looked.append("again")
        if len(looked) == 1:
            raise Damaged("a file is damaged")
        write(graph, a=f"look {len(looked)}")
        arrived.set()

    drainer = Drainer(graph, copy, update=update)
    drainer.start()
    assert arrived.wait(10)
    assert drainer.close()


def test_on_its_thread_it_survives_whatever_goes_wrong_and_says_so_once(
    graph: EmbeddedGraph, copy: Copied, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(drain, "_IDLE_S", 0.01)
    looked, asked, arrived = list[str](), list[str](), Event()
    schema, applied = copy.ensure_schema, copy.apply

    def update() -> None:
        looked.append("again")
        raise KeyError("a record of a shape that nobody expects")

    def ensure_schema(statements: Sequence[CypherStatement] = ()) -> bool:
        asked.append("again")
        if len(asked) < 3:
            raise TypeError("a driver of another version")
        return schema(statements)

    def apply(batch: GraphBatch) -> int:
        taken = applied(batch)
        if batch.nodes and len(looked) > 5:
            arrived.set()
        return taken

    copy.ensure_schema, copy.apply = ensure_schema, apply  # type: ignore[method-assign]
    drainer = Drainer(graph, copy, update=update)
    drainer.start()
    for number in range(500):
        write(graph, a=f"version {number}")
        if arrived.wait(0.02):
            break
    assert arrived.is_set()
    assert drainer.close()
    assert [one.message for one in caplog.records] == ["a copy of a graph is not fed"] * 2
    assert len(looked) > 5


NAMES = st.dictionaries(st.sampled_from("abcde"), st.none() | st.sampled_from("xyz"), min_size=1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(NAMES, st.integers(0, 3), st.booleans()), min_size=1, max_size=8))
def test_however_writing_delivering_and_dying_alternate_both_are_equal_in_the_end(
    tmp_path_factory: pytest.TempPathFactory, happenings: list[tuple[dict[str, str | None], int, bool]]
) -> None:
    folder, clock = tmp_path_factory.mktemp("graph"), SteppedClock(TUESDAY)
    graph, copy = EmbeddedGraph(folder / "graph.sqlite", clock=clock), Copied(folder / "copy.sqlite")
    drainer = Drainer(graph, copy, rows=3)
    for names, rounds, dies in happenings:
        write(graph, **names)
        copy.dies = int(dies)
        for _ in range(rounds):
            drainer.drain_once()
        clock.advance(timedelta(seconds=1))
        if dies:
            drainer = Drainer(graph, copy, rows=3)
    copy.dies = 0
    clock.advance(timedelta(minutes=6))
    assert drainer.flush(5)
    assert copy.digest() == graph.digest()
