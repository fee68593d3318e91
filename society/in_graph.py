"""A business as nodes of its graph: who works for it, what its owner decides, and what contractors do."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter, ValidationError

from backends.graph.model import Node, Part
from backends.graph.records import agent_uid, said, tie
from configs.errors import Damaged
from society.business import Manifest
from society.decisions import Decision
from society.packages import WorkPackage

_PACKAGE = TypeAdapter(WorkPackage)


def business_uid(business_id: str) -> str:
    """Return the uid of a business."""
    return f"business:{business_id}"


def business_part(manifest: Manifest) -> Part:
    """Return what `business.json` gives to the graph: the business, who runs it, and its entities.

    Those are whom it serves, what it offers, what it earns from, and what it measures.
    """
    told = said(legal_name=manifest.legal_name, domain=manifest.domain, vertical=manifest.vertical)
    node = Node(business_uid(manifest.id), "business", manifest.name, manifest.description, told)
    ties = [tie("business_has_agent", node.uid, agent_uid(one), role=role) for role, one in manifest.agents.items()]
    entities = list(_entities(manifest))
    ties += [tie(f"business_has_{one.type}", node.uid, one.uid) for one in entities]
    return Part([node, *entities], ties)


def _entities(manifest: Manifest) -> Iterator[Node]:
    named = {
        "customer_segment": manifest.customer_segments,
        "value_proposition": manifest.value_propositions,
        "revenue_stream": manifest.revenue_streams,
        "metric": manifest.metrics,
    }
    for kind, names in named.items():
        for name in dict.fromkeys(names):
            yield Node(f"{kind}:{manifest.id}/{name}", kind, name)


def decision_part(_collection: str, _key: str, record: Any) -> Part | None:
    """Return what a decision of the owner gives to the graph; one that cannot be read gives nothing."""
    with suppress(Damaged):
        decision = Decision.of(record)
        told = said(
            id=decision.id,
            status=decision.status,
            category=decision.category,
            cost=decision.cost,
            resolution=decision.resolution,
            created_at=decision.created_at,
        )
        node = Node(decision.id, "decision", decision.subject, decision.description, told)
        return Part([node], [tie("agent_owns", agent_uid(decision.from_agent), node.uid)])
    return None


def package_part(_collection: str, _key: str, record: Any) -> Part | None:
    """Return what a work package gives to the graph, as a task; one that cannot be read gives nothing."""
    with suppress(ValidationError):
        package = _PACKAGE.validate_python(record)
        told = said(
            id=package.id,
            status=package.status,
            budget_usd=package.budget_usd,
            deadline=package.deadline,
            assigned_to=package.assigned_to,
        )
        node = Node(package.id, "task", package.title, package.description, told)
        return Part([node], [tie("agent_owns", agent_uid(one), node.uid) for one in [package.created_by] if one])
    return None
