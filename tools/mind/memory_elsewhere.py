"""What the copy of a business's graph holds of an agent's memories and its own files do not (read-merge, S0 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mabos.backends.graph.model import NodeCondition
from mabos.backends.graph.records import record_uid
from mabos.configs.errors import Unavailable
from mabos.tools.graph.standing import WITHOUT

if TYPE_CHECKING:
    from mabos.backends.graph.model import Node
    from mabos.tools.runtime.services import Agent


def elsewhere(
    agent: Agent, query: str, limit: int, *, type_: str, store: str, min_importance: float
) -> tuple[list[dict[str, Any]], str]:
    """Return what another machine wrote of this agent's memories, best first, and why nothing could be asked, or "".

    The copy is asked, never believed: what the agent's own files hold is told from them alone.
    """
    copy = agent.services.graph(agent.business_id).copy
    if copy is None:
        return [], f"not merged: {WITHOUT}"
    own = record_uid(agent.id, "")
    try:
        if query:
            found = [one.node for one in copy.tier.search(query, ["memory_item"], limit=8 * limit)]
        else:
            found = copy.tier.find(["memory_item"], [NodeCondition("store", "=", "long_term")], limit=8 * limit)
    except Unavailable as error:
        return [], f"not merged: {error.message}"
    wanted = (
        node
        for node in found
        if node.uid.startswith(own)
        and type_ in ("", node.properties.get("kind"))
        and store in ("all", node.properties.get("store"))
        and float(node.properties.get("importance", 0.0)) >= min_importance
        and str(node.properties.get("id", "")) not in agent.memory
    )
    return [_told(node) for node, _ in zip(wanted, range(limit), strict=False)], ""


def _told(node: Node) -> dict[str, Any]:
    known = dict(node.properties)
    return {**known, "type": known.pop("kind", "observation"), "content": node.text, "by": "neo4j"}
