"""The archive operations on the agent bus: search in the knowledge of finished tasks (S4)."""

from typing import Any, Literal

from mabos.backends.graph.model import DEEPEST, Edge
from mabos.backends.graph.search import traverse
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.archive.model import EDGE_TYPES, NODE_TYPES, EdgeType, KnowledgeNode, NodeType
from mabos.knowledge.archive.retrieval import contexts, rank_related_tasks, retrieve
from mabos.tools.catalogue.declaration import Count, Fraction, Text, Tool
from mabos.tools.history.archiving import archive_task, nearness_of
from mabos.tools.history.tasks import kept_here, milliseconds, task_of
from mabos.tools.runtime.services import Agent


def archive(agent: Agent, *, taskId: Text) -> dict[str, Any]:  # noqa: N803  # as S4 prints it
    """Archive a task: what it teaches becomes knowledge of the business. Doing it again adds nothing.

    Args:
        taskId: The id of the task.
    """
    task = task_of(agent, taskId)
    kept_here(agent, "task", task.id, task.agent, argument="taskId")
    taken = archive_task(agent.services, task, agent.business_id)
    return {
        "success": True,
        "nodesCreated": taken.nodes,
        "edgesCreated": taken.edges,
        "edgesDropped": taken.dropped,
        "extractedBy": taken.by,
    }


def retrieve_knowledge(
    agent: Agent,
    *,
    query: Text,
    limit: Count = 5,
    minRelevance: Fraction = 0.7,  # noqa: N803
    nodeTypes: list[NodeType] | None = None,  # noqa: N803
) -> dict[str, Any]:
    """Find the archived knowledge nearest to a question, with its context; an empty answer says why it is empty.

    Args:
        query: What is asked, in words.
        limit: The most nodes.
        minRelevance: How near a node must be, from 0 to 1.
        nodeTypes: Only nodes of these types.
    """
    business = agent.business
    nodes = [one for one in business.archive.nodes() if not nodeTypes or one.type in nodeTypes]
    near, how = nearness_of(agent.services, business.id, nodes)
    found = retrieve(query, nodes, near, how, limit=limit, least=minRelevance)
    around = contexts((node for node, _ in found.nodes), business.archive.nodes())
    told = [_node(node) | {"relevance": round(share, 4), "context": around[node.id]} for node, share in found.nodes]
    return {"nodes": told, "by": found.how} | ({"why": found.why} if found.why else {})


def traverse_knowledge(
    agent: Agent,
    *,
    startNodeIds: list[str],  # noqa: N803
    strategy: Literal["bfs", "dfs"] = "bfs",
    maxDepth: Count = 3,  # noqa: N803
    edgeTypes: list[EdgeType] | None = None,  # noqa: N803
) -> dict[str, Any]:
    """Walk the archived knowledge from some nodes, along edges in both directions.

    Args:
        startNodeIds: The nodes to begin at, as `mem:retrieve` tells their ids.
        strategy: Breadth first, or depth first.
        maxDepth: The most hops, up to 6.
        edgeTypes: Only edges of these types.
    """
    if maxDepth > DEEPEST:
        raise InvalidArgument(f"maxDepth is {maxDepth}; use 1 to {DEEPEST}", argument="maxDepth")
    graph = agent.services.graph(agent.business_id).fresh()
    starts = [one for one in graph.fetch(startNodeIds) if one.type in NODE_TYPES]
    found = traverse(
        graph,
        [one.uid for one in starts],
        strategy=strategy,
        direction="both",
        edge_types=edgeTypes or EDGE_TYPES,
        node_types=NODE_TYPES,
        depth=maxDepth,
    )
    unknown = sorted(set(startNodeIds) - {one.uid for one in starts})
    depths = {one.uid: 0 for one in starts} | {hit.node.uid: hit.depth for hit in found.hits}
    known = {one.id: one for one in agent.business.archive.nodes() if one.id in depths}
    return {
        "nodes": [_node(known[one]) | {"depth": depth} for one, depth in depths.items() if one in known],
        "edges": [_tie(edge) for edge in found.edges if edge.type in EDGE_TYPES],
    } | ({"unknown": unknown} if unknown else {})


def related_tasks(agent: Agent, *, taskId: Text, limit: Count = 5) -> dict[str, Any]:  # noqa: N803
    """Find the archived tasks most like one: by how near their knowledge is, and how much of it both taught.

    Args:
        taskId: The task, archived or not.
        limit: The most tasks.
    """
    task = task_of(agent, taskId)
    business = agent.business
    if task.id not in business.archive.tasks():
        return {"tasks": [], "why": f"{task.id} has not been archived; call mem:archive first"}
    nodes = {one.id: one for one in business.archive.nodes()}
    near, how = nearness_of(agent.services, business.id, list(nodes.values()))
    tasks = {one: record["nodes"] for one, record in business.archive.tasks().items()}
    found = rank_related_tasks(task.id, tasks, nodes, near, limit)
    told = [{"taskId": one.task, "similarity": round(one.similarity, 4), "sharedNodes": one.shared} for one in found]
    return {"tasks": told, "by": how}


def _node(node: KnowledgeNode) -> dict[str, Any]:
    last = node.sources[-1]
    return {
        "id": node.id,
        "type": node.type,
        "content": node.content,
        "source": {"taskId": last.task, "timestamp": milliseconds(last.at)},
        "sources": [one.task for one in node.sources],
        "metadata": {"extractedBy": node.by, "confidence": node.confidence},
    }


def _tie(edge: Edge) -> dict[str, Any]:
    told = edge.properties
    return {
        "id": edge.uid,
        "type": edge.type,
        "from": edge.start,
        "to": edge.end,
        "weight": edge.weight,
        "metadata": {"createdBy": told["created_by"], "reason": told["reason"]},
    }


TOOLS = [
    Tool.of(archive, module="Agent bus", writes=True, called="mem:archive", category="knowledge"),
    Tool.of(retrieve_knowledge, module="Agent bus", writes=False, called="mem:retrieve"),
    Tool.of(traverse_knowledge, module="Agent bus", writes=False, called="mem:graph"),
    Tool.of(related_tasks, module="Agent bus", writes=False, called="mem:related"),
]
