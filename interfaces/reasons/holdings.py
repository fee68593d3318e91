"""What a business has, as reasons: its figures, its questions to the owner, and what stands in its documents."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mabos.interfaces.reasons.record import Record, texts

if TYPE_CHECKING:
    from mabos.society.decisions import Decisions
    from mabos.society.metrics import Metrics
    from mabos.tools.runtime.company import Business


def point_records(metrics: "Metrics") -> Iterator[Record]:
    """Yield the points of all series."""
    for name in metrics.names():
        for point in metrics.series(name):
            words = f"{point.name} was {point.value:.10g} {point.unit}".rstrip()
            yield Record(point.id, "figure", "", words, point.at, tuple(texts([point.source])))


def holding_records(business: "Business") -> Iterator[Record]:
    """Yield what a business has in its documents: work, people, advertising, prices, content."""
    held: Mapping[str, Iterable[Any]] = {
        "work package": business.workforce.packages.all(),
        "contractor": business.workforce.contractors.all(),
        "campaign": business.campaigns.all(),
        "product": business.pricing.products.all(),
        "price": business.pricing.prices.all(),
        "article": business.content.all(),
    }
    for kind, ones in held.items():
        for one in ones:
            named = getattr(one, "title", "") or getattr(one, "name", "")
            words = named or f"${one.monthly_usd:,.2f} a month for {one.segment}"
            status = f": {one.status}" if hasattr(one, "status") else ""
            by = getattr(one, "created_by", "")
            delivered = [past.id for past in one.history] if kind == "contractor" else []
            rests = (getattr(one, "goal_id", ""), delivered)
            yield Record(one.id, kind, by, f"{words}{status}", getattr(one, "created_at", ""), tuple(texts(rests)))


def decision_records(decisions: "Decisions") -> Iterator[Record]:
    """Yield what the owner was asked, with the answers."""
    for one in decisions.all():
        answer = f": {one.status} {one.resolved_at[:16]}".rstrip()
        if one.status == "modified":
            answer += ", to " + ", ".join(f"{name} {value}" for name, value in one.modifications.items())
        rests = tuple(texts([one.reasons, one.description]))
        yield Record(one.id, "decision", one.from_agent, f"{one.subject}{answer}", one.created_at, rests)
