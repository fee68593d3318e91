"""The graph of a business: status of its backends, queries, and updates (S0 section 26, S3 15).

The embedded graph is always there and follows the source files. A Neo4j, if NEO4J_URI names one, is its copy. Features
that do not need it work the same without it; those that do report that.
"""

from typing import Annotated, Any

from pydantic import Field

from mabos.configs.errors import Refused
from mabos.knowledge.ontology.vocabulary import FOLDER as ONTOLOGIES
from mabos.society.business import read_manifest
from mabos.tools.catalogue.declaration import Arguments, Text, Tool
from mabos.tools.graph.goals import goals_of, seed_goals
from mabos.tools.graph.reading import answer_question, questions, run_cypher
from mabos.tools.graph.standing import WITHOUT, check_drift, describe_copy, standing
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.graph_copy import schema_of
from mabos.tools.runtime.graphs import BusinessGraph
from mabos.tools.runtime.services import Agent

Limit = Annotated[int, Field(ge=1, le=10_000)]
Offset = Annotated[int, Field(ge=0, le=1_000_000)]


def graph_status(agent: Agent, *, business_id: str = "") -> dict[str, Any]:
    """Return how the graph of a business stands: what is reachable, how much there is, and whether the copy is equal.

    Args:
        business_id: The business; the agent's own if left out.
    """
    graph = _graph(agent, business_id)
    here = graph.fresh()
    digest = here.digest()
    embedded = {
        "available": True,
        "path": str(graph.path.relative_to(agent.services.layout.root)),
        "nodes": digest.nodes,
        "edges": digest.edges,
        "kinds": here.kinds(),
        "digest": digest.content,
    }
    copy = standing(here, graph.copy)
    lines = [
        f"embedded: {digest.nodes:,} nodes and {digest.edges:,} edges in {embedded['path']}",
        f"neo4j: {describe_copy(copy)}",
    ]
    return {"business_id": graph.business_id, "embedded": embedded, "neo4j": copy, "text": "\n".join(lines)}


def graph_sync_schema(agent: Agent, *, business_id: str = "") -> dict[str, Any]:
    """Bring the schema of the copy to what MABOS and the ontologies ask for, and return what that is.

    Args:
        business_id: The business; the agent's own if left out.
    """
    graph = _graph(agent, business_id)
    schema = schema_of(agent.services.layout.root / ONTOLOGIES)
    told: dict[str, Any] = {
        "business_id": graph.business_id,
        "entities": sorted(schema.entities),
        "relations": sorted(schema.relations),
        "classes": len(schema.labels),
        "relationship_types": len(schema.relationships),
        "attributes": sum(map(len, schema.attributes.values())),
    }
    size = (
        f"{len(schema.entities)} base types, {told['classes']} classes, {told['relationship_types']} relationship types"
    )
    if graph.copy is None:
        kinds = graph.fresh().kinds()
        text = f"{size}. Nothing was pushed: {WITHOUT}. It holds {len(kinds)} types of nodes"
        return told | {"pushed": False, "changed": False, "detail": WITHOUT, "kinds": kinds, "text": text}
    is_drifted, fault = check_drift(graph.copy)
    fault = fault or graph.copy.push(agent.services.settings.graph.push_timeout_s)
    said = f"not everything was pushed: {fault}" if fault else "pushed" if is_drifted else "as it should be already"
    pushed = {"pushed": not fault, "changed": is_drifted and not fault, "detail": fault}
    return told | pushed | {"text": f"{size}: {said}"}


def graph_query(
    agent: Agent,
    *,
    query: Text,
    business_id: str = "",
    parameters: dict[str, Any] | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
    merged: bool | None = None,
) -> dict[str, Any]:
    """Ask the graph of a business a question by its name, or in Cypher where there is a Neo4j; page by page.

    Args:
        query: The name of a question, as goals_behind (`questions` lists them), or Cypher that reads.
        business_id: The business; the agent's own if left out.
        parameters: What the question is given, by name.
        limit: The most rows of one answer.
        offset: How many rows to leave out, as `next_offset` of the page before says.
        merged: For a question by name: also ask the Neo4j, and take the newer; left out, where one is set up.
    """
    graph, given = _graph(agent, business_id), parameters or {}
    is_merged = agent.services.copies_graphs if merged is None else merged
    if query == "questions":
        answer = questions()
    elif query.replace("_", "").isalnum():
        answer = answer_question(agent, graph, query, given, is_merged=is_merged)
    else:
        answer = run_cypher(agent, graph, query, given, offset + limit)
    return answer.page(limit, offset)


def graph_sync_agent_data(agent: Agent, *, business_id: str = "") -> dict[str, Any]:
    """Bring the graph of a business up to date with the files of its agents, push it to the copy, and return counts.

    Args:
        business_id: The business; the agent's own if left out.
    """
    graph = _graph(agent, business_id)
    changed = graph.update()
    kinds = graph.graph.kinds()
    digest = graph.graph.digest()
    copy = graph.copy
    fault = WITHOUT if copy is None else copy.push(agent.services.settings.graph.push_timeout_s)
    waiting, dead = (0, 0) if copy is None else graph.graph.sinks.waiting(copy.tier.name)
    synced = {
        "facts": kinds.get("spo_fact", 0),
        "rules": kinds.get("knowledge_rule", 0),
        "memory": kinds.get("memory_item", 0),
    }
    counts = f"{synced['facts']} facts, {synced['rules']} rules and {synced['memory']} memories"
    pushed = f"not everything was pushed: {fault}" if fault else "pushed to Neo4j"
    return {
        "business_id": graph.business_id,
        "changed": changed,
        **synced,
        "kinds": kinds,
        "nodes": digest.nodes,
        "edges": digest.edges,
        "pushed": not fault,
        "waiting": waiting - dead,
        "dead": dead,
        "detail": fault,
        "text": f"{counts} among {digest.nodes:,} nodes and {digest.edges:,} edges; {pushed}",
    }


def goal_seed_business(agent: Agent, *, business_id: str = "") -> dict[str, Any]:
    """Give the goals in `business.json` to the agents that own them, with desire and parent; return them all.

    Args:
        business_id: The business; the agent's own if left out.
    """
    manifest = read_manifest(agent.services.layout, business_of(agent, business_id).id)
    seeded = seed_goals(agent, manifest)
    goals = [
        {"goal_id": one.goal.id, "level": one.goal.level, "description": one.goal.description, "owner": one.owner,
         "desire_id": one.goal.desire_id, "parent": one.parent, "deadline": one.goal.deadline, "created": one.is_new}
        for one in seeded
    ]  # fmt: skip
    created = sum(one.is_new for one in seeded)
    lines = [f"{manifest.name}: {created} goals seeded, {len(goals) - created} were there"]
    lines += [
        f"- {one['level']}: {one['description']} ({one['owner']}), for {one['parent'] or one['desire_id']}"
        for one in goals
    ]
    around = agent.services.graph(manifest.id).fresh().expand([f"business:{manifest.id}"], "out")
    entities = [step.node for step in around if step.node.type != "agent"]
    return {
        "business_id": manifest.id,
        "created": created,
        "goals": goals,
        "entities": len(entities),
        "text": "\n".join(lines),
    }


def _graph(agent: Agent, business_id: str) -> BusinessGraph:
    if agent.caller.kind == "agent" and business_id not in ("", agent.business_id):
        message = f"{agent.id!r} works for {agent.business_id!r} and sees its graph alone; leave it out"
        raise Refused(message, argument="business_id")
    return agent.services.graph(business_id or agent.business_id)


def _seeding(agent: Agent, arguments: Arguments) -> str:
    """Return which goals would be set, and whose; raises where the business or its file is not there."""
    manifest = read_manifest(agent.services.layout, business_of(agent, arguments["business_id"]).id)
    goals = goals_of(manifest)
    owners = dict.fromkeys(manifest.agents.get(one.owner, one.owner) for one in goals)
    return f"Give the {len(goals)} goals of {manifest.name} to {', '.join(owners)}"


MODULE = "Graph"
TOOLS = [
    Tool.of(graph_status, module=MODULE, writes=False, aliases=("typedb_status",)),
    Tool.of(graph_sync_schema, module=MODULE, writes=True, category="knowledge", aliases=("typedb_sync_schema",)),
    Tool.of(graph_query, module=MODULE, writes=False, aliases=("typedb_query",)),
    Tool.of(
        graph_sync_agent_data, module=MODULE, writes=True, category="knowledge", aliases=("typedb_sync_agent_data",),
    ),
    Tool.of(
        goal_seed_business, module=MODULE, writes=True, category="goals",
        strategic=True, exempts_people=True, about=_seeding,
    ),
]  # fmt: skip
