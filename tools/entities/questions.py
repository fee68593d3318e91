"""Queries on the entity memory of a business: each is an action of `knowledge` (S2).

On every path the asking agent decides the visible entities; a person in no agent's name sees all.
"""

from functools import partial
from typing import Any

from pydantic import Field

from mabos.backends.graph.model import DEEPEST, Direction, Strategy
from mabos.configs.errors import InvalidArgument
from mabos.configs.section import FrozenData
from mabos.knowledge.entities.agreement import MemoryRules
from mabos.knowledge.entities.export import Format, export_memory
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import EntityType, RelationType
from mabos.knowledge.entities.repeated import call_name, resume_store
from mabos.tools.catalogue.declaration import Count, Fraction, Text
from mabos.tools.history.sessions import session_quality
from mabos.tools.runtime.services import Agent

_CENTURY = 36_525  # days


class Filters(FrozenData):
    """The filters of a query."""

    types: tuple[EntityType, ...] = ()
    min_confidence: Fraction = 0.0
    max_age_days: float | None = Field(default=None, ge=0, le=_CENTURY)


def memory_of(agent: Agent) -> EntityMemory:
    """Return the entity memory as an agent has it, or a person, who sees everything."""
    graph = agent.services.graph(agent.business_id)
    viewer = "" if agent.is_person else agent.id
    chosen = agent.services.settings.entities
    rules = MemoryRules(
        sensitive=chosen.sensitive, functional=frozenset(chosen.functional), merge_alike=chosen.merge_alike
    )
    quality = partial(session_quality, agent.services)
    store, call = graph.entities(), call_name(agent.key)
    return EntityMemory(
        resume_store(store, call) if agent.is_again else store, viewer, directory=graph.directory(), rules=rules,
        session_quality=quality, clock=agent.clock, call=call,
    )  # fmt: skip


def query_semantic(
    agent: Agent, *, query: Text, limit: Count = 10, filters: Filters | None = None, at: str = ""
) -> dict[str, Any]:
    """Find what fits a question, by meaning, else by words, else by what matters most, and say by which.

    Args:
        query: A question in words.
        limit: The most results.
        filters: types, min_confidence and max_age_days.
        at: A date as of which to look.
    """
    narrow = filters or Filters()
    found = memory_of(agent).query_semantic(
        query,
        limit=limit,
        types=narrow.types,
        min_confidence=narrow.min_confidence,
        max_age_days=narrow.max_age_days,
        at=at,
    )
    return found.as_json()


def query_graph(
    agent: Agent,
    *,
    start_entity: Text,
    relation_types: list[RelationType] | None = None,
    return_types: list[EntityType] | None = None,
    direction: Direction = "both",
    max_depth: Count = 1,
    limit: Count = 10,
    at: str = "",
) -> dict[str, Any]:
    """Find what is related to an entity, as the patterns and insights that an agent has learned.

    Args:
        start_entity: Where the walk begins.
        relation_types: Only relations of these types.
        return_types: Only entities of these types are returned, whatever is walked through.
        direction: out, in or both.
        max_depth: The most hops, up to 6.
    """
    went = memory_of(agent).query_graph(
        start_entity,
        relation_types=relation_types or (),
        return_types=return_types or (),
        direction=direction,
        depth=_hops(max_depth),
        at=at,
        limit=limit,
    )
    return went.as_json()


def traverse(
    agent: Agent,
    *,
    start_entity: Text,
    relation_types: list[RelationType] | None = None,
    filter_: Filters | None = None,
    direction: Direction = "both",
    strategy: Strategy = "bfs",
    max_depth: Count = 3,
    limit: Count = 10,
    at: str = "",
) -> dict[str, Any]:
    """Walk from an entity, breadth or depth first, with the way that leads to each hit.

    Args:
        filter: The types of the entities that are returned.
        strategy: bfs or dfs.
    """
    went = memory_of(agent).traverse(
        start_entity,
        relation_types=relation_types or (),
        types=_types(filter_, "filter"),
        direction=direction,
        strategy=strategy,
        max_depth=_hops(max_depth),
        at=at,
        limit=limit,
    )
    return went.as_json()


def query_temporal(
    agent: Agent,
    *,
    entity: str = "",
    at: str = "",
    since: str = "",
    until: str = "",
    filters: Filters | None = None,
    limit: Count = 10,
) -> dict[str, Any]:
    """Find what held at a time or within one, oldest first; with an entity, also what it replaced and what replaced it.

    Args:
        since: Only what held from then on.
        until: Only what held before then.
    """
    types = _types(filters, "filters")
    held = memory_of(agent).query_temporal(at=at, since=since, until=until, entity=entity, types=types, limit=limit)
    return {"results": [one.as_json() for one in held], "count": len(held)}


def export(agent: Agent, *, format_: Format = "graphviz", filters: Filters | None = None) -> dict[str, Any]:
    """Return what may be seen for other programs to draw or load.

    Args:
        format: graphviz, d3, cytoscape, graphml, jsonld or cypher.
    """
    figures = memory_of(agent).figures(types=_types(filters, "filters"))
    return {"format": format_, "text": export_memory(figures, format_), "entities": len(figures.entities)}


def stats(agent: Agent) -> dict[str, Any]:
    """Return S2's figures: counts, density, components, clustering, growth and quality."""
    return memory_of(agent).stats().as_json()


def get_entity(agent: Agent, *, entity: Text, at: str = "") -> dict[str, Any]:
    """Look at one entity, with its observations and neighbours."""
    return memory_of(agent).entity(entity, at=at).as_json()


def recent(agent: Agent, *, limit: Count = 10) -> dict[str, Any]:
    """List the entities viewed last."""
    return {"results": [one.as_json() for one in memory_of(agent).recent(limit)]}


def conflicts(agent: Agent) -> dict[str, Any]:
    """List contradictions that are undecided."""
    return {"conflicts": [one.as_json() for one in memory_of(agent).conflicts()]}


def duplicates(agent: Agent, *, entity_types: list[EntityType] | None = None) -> dict[str, Any]:
    """List pairs of entities that may be one, the most alike first, with the verdict: merge or suggest."""
    types: list[str] = [*entity_types] if entity_types else [""]
    found = [one for type_ in types for one in memory_of(agent).duplicates(type_)]
    return {"duplicates": [one.as_json() for one in found]}


def _types(filters: Filters | None, argument: str) -> tuple[EntityType, ...]:
    """Return the types a question is narrowed to; filters that only `query_semantic` supports are refused."""
    if filters is None:
        return ()
    if filters.min_confidence or filters.max_age_days is not None:
        message = "only query_semantic narrows by min_confidence and max_age_days; give types alone"
        raise InvalidArgument(message, argument=argument)
    return filters.types


def _hops(depth: int) -> int:
    if depth > DEEPEST:
        raise InvalidArgument(f"max_depth is {depth}; use 1 to {DEEPEST}", argument="max_depth")
    return depth


READING = (
    query_semantic, query_graph, query_temporal, traverse, export, stats, get_entity, recent, conflicts, duplicates,
)  # fmt: skip
