"""A business as nodes of its graph: who works for it, whom it sells to, what its owner decides, what contractors do."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mabos.backends.graph.model import Node, Part
from mabos.backends.graph.records import agent_uid, said, tie
from mabos.configs.errors import Damaged
from mabos.society.business import Manifest
from mabos.society.contacts import Contact
from mabos.society.deals import Deal
from mabos.society.decisions import Decision
from mabos.society.packages import WorkPackage

_PACKAGE = TypeAdapter(WorkPackage)
_CONTACT = TypeAdapter(Contact)
_DEAL = TypeAdapter(Deal)


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


def contact_part(business_id: str, _collection: str, _key: str, record: Any) -> Part | None:
    """Return what a contact of a business gives to the graph; one that cannot be read gives nothing."""
    with suppress(ValidationError):
        contact = _CONTACT.validate_python(record)
        told = said(
            id=contact.id,
            email=contact.email,
            company=contact.company,
            title=contact.title,
            segment=contact.segment,
            tags=list(contact.tags),
            created_at=contact.created_at,
        )
        node = Node(contact.id, "contact", contact.name or contact.email, "", told)
        return Part([node], [tie("business_has_contact", business_uid(business_id), node.uid)])
    return None


def deal_part(business_id: str, _collection: str, _key: str, record: Any) -> Part | None:
    """Return what a deal gives to the graph, and with whom it is; one that cannot be read gives nothing."""
    with suppress(ValidationError):
        deal = _DEAL.validate_python(record)
        told = said(
            id=deal.id,
            stage=deal.stage,
            value_usd=deal.value_usd,
            expected_close=deal.expected_close,
            created_at=deal.created_at,
        )
        node = Node(deal.id, "deal", deal.title, "", told)
        ties = [tie("business_has_deal", business_uid(business_id), node.uid)]
        ties += [tie("deal_with_contact", node.uid, one) for one in [deal.contact_id] if one]
        ties += [tie("agent_owns", agent_uid(one), node.uid) for one in [deal.created_by] if one]
        return Part([node], ties)
    return None
