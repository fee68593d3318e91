"""The copy of a business's graph on a Neo4j server, updated in the background while a workspace is open (S0 12).

Source files never wait for it: missing updates are queued in the embedded graph, across processes and restarts.
"""

from __future__ import annotations

from functools import lru_cache
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from mabos.backends.graph.bolt import Bolt
from mabos.backends.graph.drain import Drainer
from mabos.backends.graph.neo4j import Neo4jGraph, schema_hash
from mabos.configs.errors import MabosError
from mabos.knowledge.ontology.graph_schema import GraphSchema, SchemaStatement, graph_schema
from mabos.knowledge.ontology.vocabulary import Vocabulary, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mabos.backends.embed import Embedder
    from mabos.backends.graph.embedded import EmbeddedGraph
    from mabos.configs.settings import Environment

_ROUND_S = 1.0
_LAST_PUSH_S, _LAST_WAIT_S, _LOOK_S = 0.8, 0.2, 0.02
"""The times of closing: for a server that accepts the rest, for a busy one, and between two checks."""


class GraphCopy:
    """A server's copy of one graph, and its updates; no connection is made before `start` or a query."""

    def __init__(
        self,
        graph: EmbeddedGraph,
        business_id: str,
        environment: Environment,
        ontologies: Path,
        update: Callable[[], object],
        *,
        embedder: Embedder,
    ) -> None:
        bolt = Bolt(environment.neo4j_uri, environment.neo4j_user, environment.neo4j_password)
        self.tier = Neo4jGraph(business_id, bolt)
        self._graph = graph
        self._ontologies = ontologies
        self._embedder = embedder
        self._drainer = Drainer(graph, self.tier, self._statements, update=update)

    def start(self) -> None:
        """Start updating the server."""
        self._drainer.start()

    @property
    def error(self) -> str:
        """The current obstacle to delivery; empty while it works."""
        return self._drainer.error

    def schema(self) -> GraphSchema:
        """Return the server schema required by the current ontology files."""
        return schema_of(self._ontologies)

    def wanted_schema(self) -> str:
        """Return the hash of the schema that the server should have."""
        return schema_hash(self._statements())

    def push(self, seconds: float) -> str:
        """Deliver pending changes and compare both; return why that was incomplete, or "".

        Dead rows are retried. Then nodes get missing vectors, and those of another embedder are recomputed. The copy is
        complete even without them, and the next push continues.
        """
        until = monotonic() + seconds
        self._graph.sinks.revive(self.tier.name)
        self._drainer.doubt()
        while not self._drainer.flush(_ROUND_S):
            if self.error and self.tier.bolt.breaker.state != "closed":
                return self.error
            if monotonic() >= until:
                return self.error or f"Neo4j takes longer than {seconds:g} s; the rest is delivered later"
        try:
            self.tier.prepare_vectors(self._embedder)
            while self.tier.embed(self._embedder):
                if monotonic() >= until and (missing := self.tier.vectors().missing):
                    return f"{missing:,} nodes have no vector after {seconds:g} s; the next push goes on"
        except MabosError as error:
            return f"nodes have no vectors: {error.message}"
        return ""

    def vectors(self) -> dict[str, Any] | None:
        """Return whether the copy's vectors are of this workspace's embedder, and how many lack; None without one."""
        if not self._embedder.dimensions:
            return None
        found = self.tier.vectors()
        wanted = (self._embedder.fingerprint, self._embedder.dimensions)
        return {"is_current": (found.embedder, found.dimensions) == wanted, "missing": found.missing}

    def close(self) -> None:
        """Deliver the rest if that is immediate, and release the server; never waits long."""
        until = monotonic() + _LAST_PUSH_S
        while not self.error and monotonic() < until and self._is_behind():
            sleep(_LOOK_S)
        if self._drainer.close(0 if self.error else _LAST_WAIT_S):
            self.tier.close()
            return
        self.tier.close()  # which ends the call that is under way
        self._drainer.close(_LAST_WAIT_S)

    def _is_behind(self) -> bool:
        waiting, dead = self._graph.sinks.waiting(self.tier.name)
        return waiting > dead

    def _statements(self) -> Sequence[SchemaStatement]:
        return self.schema().statements


def schema_of(ontologies: Path) -> GraphSchema:
    """Return the graph schema that a folder's ontologies require."""
    return _schema(load(ontologies))


@lru_cache(maxsize=4)  # asked at every batch; a vocabulary is another one when its files change
def _schema(vocabulary: Vocabulary) -> GraphSchema:
    return graph_schema(vocabulary)
