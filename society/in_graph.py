"""A business as nodes of its graph: its staff, its customers, its offers and its metrics."""

from collections.abc import Iterator

from mabos.backends.graph.model import GraphPart, Node
from mabos.backends.graph.records import agent_uid, drop_empty, tie
from mabos.society.business import Manifest


def business_uid(business_id: str) -> str:
    """Return the uid of a business."""
    return f"business:{business_id}"


def business_part(manifest: Manifest) -> GraphPart:
    """Return the graph part from `business.json`: the business, its agents, and its entities.

    Those are its customers, its offers, its revenue sources, and its metrics.
    """
    told = drop_empty(legal_name=manifest.legal_name, domain=manifest.domain, vertical=manifest.vertical)
    node = Node(business_uid(manifest.id), "business", manifest.name, manifest.description, told)
    ties = [tie("business_has_agent", node.uid, agent_uid(one), role=role) for role, one in manifest.agents.items()]
    entities = list(_entities(manifest))
    ties += [tie(f"business_has_{one.type}", node.uid, one.uid) for one in entities]
    return GraphPart([node, *entities], ties)


def _entities(manifest: Manifest) -> Iterator[Node]:
    named = {
        "customer_segment": manifest.customer_segments,
        "value_proposition": manifest.value_propositions,
        "revenue_stream": manifest.revenue_streams,
        "metric": manifest.metrics,
    }
    for kind, names in named.items():
        for name in dict.fromkeys(names):
            yield Node(f"{kind}:{name}", kind, name)
