"""The cost of a graph's copy in Neo4j, in wall milliseconds: `python -m bench.graph_copy`.

It compares batches with single rows, and measures calls to a server that refuses or is silent, before the breaker opens
and after. The server is that of NEO4J_URI, or one started for this.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from bench.measured import Line, timed
from bench.printed import printed
from mabos.backends.graph.breaker import FAILURES
from mabos.backends.graph.model import Edge, GraphBatch, Node
from mabos.backends.graph.neo4j import Neo4jGraph
from mabos.configs.errors import Unavailable
from tests.contracts.neo4j_server import Server, business, lent
from tests.contracts.proxy import Mode, Proxy

ROWS, ROUNDS, SINGLE = 1000, 5, 50
MODES: tuple[Mode, ...] = ("refuse", "silent")
_MERGE = "MERGE (n:Mabos {business_id: $business, uid: $uid}) SET n.name = $name, n.progress = 1, n._revision = 1"


def batch(first: int, rows: int) -> GraphBatch:
    """Return that many rows, numbered from `first`: as many nodes as edges between them."""
    numbers = range(first, first + rows // 2)
    nodes = [Node(f"n{one}", "goal", "a goal", "some words", {"progress": one}, revision=1) for one in numbers]
    edges = [Edge(f"e{one}", "supports", f"n{one}", f"n{first}", revision=1) for one in numbers]
    return GraphBatch(nodes, edges)


def singles(first: int, rows: int) -> list[GraphBatch]:
    """Return the same rows, each as a separate batch."""
    whole = batch(first, rows)
    return [*(GraphBatch([node]) for node in whole.nodes), *(GraphBatch(edges=[edge]) for edge in whole.edges)]


def written(server: Server, rows: int) -> Iterator[Line]:
    """Yield the cost of a row in batches, alone, and alone in the simplest statement."""
    graph = server.graph(business())
    graph.ensure_schema()
    for number in range(3):
        graph.apply(batch(10_000_000 + number * rows, rows))  # so that the server has seen the statements
    many = timed(lambda number: graph.apply(batch(number * rows, rows)), ROUNDS).per(rows)
    again = timed(lambda number: graph.apply(batch(number * rows, rows)), ROUNDS).per(rows)
    alone = [one for number in range(ROUNDS) for one in singles(20_000_000 + number * SINGLE, SINGLE)]
    one = timed(lambda number: graph.apply(alone[number]), len(alone))

    def merge(number: int) -> None:
        values = {"business": graph.business_id, "uid": f"m{number}", "name": "a goal"}
        graph.bolt.run(_MERGE, values, database=graph.database)

    merged = timed(merge, len(alone))
    graph.close()
    yield Line(f"a row in batches of {rows:,}", many)
    yield Line("the same again, which changes nothing", again)
    yield Line("a row in a batch of its own", one)
    yield Line(
        "a row in a batch of its own, times as much", one.over(many), least=20, unit="x", beside=f"batches of {rows:,}"
    )
    yield Line("a node in one MERGE of its own", merged)
    yield Line("one MERGE a node, times as much", merged.over(many), least=20, unit="x", beside=f"batches of {rows:,}")


def refused(server: Server, mode: Mode) -> Iterator[Line]:
    """Yield the cost of a call whose server refuses or is silent."""
    with Proxy("127.0.0.1", 9) as proxy:
        proxy.turn(mode)
        graph = Neo4jGraph(business(), server.bolt(port=proxy.port))

        def ask(_: int) -> None:
            with suppress(Unavailable):
                graph.fetch(["a"])

        before = timed(ask, FAILURES)
        yield Line(f"a call, server {mode}, breaker closed", before, most=5 if mode == "refuse" else None)
        yield Line(f"a call, server {mode}, breaker open", timed(ask, 2000), most=1)


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of batches and of an unresponsive server."""
    try:
        with lent() as server:
            yield from written(server, ROWS // scale)
            for mode in MODES:
                yield from refused(server, mode)
    except pytest.skip.Exception as lack:
        yield Line("a copy in Neo4j", None, note=str(lack))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
