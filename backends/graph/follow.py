"""Updates of the graph from the files of truth: each source is asked for news since its cursor.

The next `update`, in any process, catches up with commits made in the meantime.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import GraphPart
from mabos.workspace.follower import Cursor, news
from mabos.workspace.store import Store

PartOf = Callable[[str, str, Any], GraphPart | None]
"""(collection, key, record) -> what it gives to the graph, or None."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """The current contents of a source's places, up to `cursor`; `is_whole` means that all other places are empty."""

    parts: Mapping[str, GraphPart | None]
    cursor: str
    is_whole: bool = False


Since = Callable[[str], Fresh | None]
"""cursor -> what is new since then, or None; "" is the beginning."""


class Feed:
    """The sources of one graph."""

    def __init__(self, graph: EmbeddedGraph) -> None:
        self._graph = graph
        self._sources: dict[str, Since] = {}

    def follow(self, source: str, store: Store, part_of: PartOf) -> None:
        """Mirror the records of `store` in the graph from now on, under the permanent name `source`."""
        self.follow_log(source, lambda cursor: _fresh(store, part_of, cursor))

    def follow_log(self, source: str, since: Since) -> None:
        """Mirror a source other than a store: `since` continues from a cursor of its own."""
        self._sources[source] = since

    def update(self) -> int:
        """Apply new commits of the sources; return how many nodes and edges changed. Cheap if nothing did."""
        return sum(self._caught_up(source, since) for source, since in list(self._sources.items()))

    def _caught_up(self, source: str, since: Since) -> int:
        while True:
            seen = self._graph.cursor(source)
            fresh = since(seen)
            if fresh is None:
                return 0
            changed = self._graph.replace(source, fresh.parts, cursor=fresh.cursor, seen=seen, whole=fresh.is_whole)
            if changed is not None:
                return changed


def _fresh(store: Store, part_of: PartOf, cursor: str) -> Fresh | None:
    generation, _, seq = cursor.partition(":")
    found = news(store, Cursor(int(generation), int(seq)) if cursor else Cursor())
    if found is None:
        return None
    parts = {
        f"{collection}/{key}": None if record is None else part_of(collection, key, record)
        for (collection, key), record in found.records.items()
    }
    return Fresh(parts, f"{found.cursor.generation}:{found.cursor.seq}", found.is_whole)
