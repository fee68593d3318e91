"""Every keeper of a graph that the contract suite knows, and how to get an empty one."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from mabos.backends.graph.bolt import Bolt
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.neo4j import Neo4jGraph
from mabos.backends.graph.tier import GraphTier
from tests.contracts.neo4j_server import Server, business

Factory = Callable[[pytest.FixtureRequest], GraphTier]


def served(request: pytest.FixtureRequest) -> Server:
    """Return the Neo4j of this run, with the schema that every graph needs."""
    server: Server = request.getfixturevalue("neo4j_server")
    _prepare(server)
    return server


def _embedded(request: pytest.FixtureRequest) -> GraphTier:
    folder: Path = request.getfixturevalue("tmp_path")
    return EmbeddedGraph(folder / "graph.sqlite")


def _proxied(request: pytest.FixtureRequest) -> GraphTier:
    server = served(request)
    proxy = server.proxy()
    request.addfinalizer(proxy.close)
    return server.graph(business(), port=proxy.port)


@cache
def _prepare(server: Server) -> None:
    graph = server.graph(business())
    graph.ensure_schema()
    graph.close()


@cache
def _bolt(server: Server) -> Bolt:
    """Return the one connection of this worker: connecting costs as much as a test."""
    bolt = server.bolt()
    bolt.close = lambda: None  # type: ignore[method-assign]  # others go on with it
    return bolt


TIERS: dict[str, Factory] = {
    "embedded": _embedded,
    "neo4j": lambda request: Neo4jGraph(business(), _bolt(served(request))),
    "neo4j through a proxy": _proxied,
}
