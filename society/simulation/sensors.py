"""The company's view of its market: weekly metrics with their noise, and mail. The truth stays hidden."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.society import metrics as formulas
from mabos.society.messages import Message
from mabos.society.metrics import LONGEST_RUNWAY_MONTHS, WEEKS_A_MONTH, MetricPoint, Metrics
from mabos.society.simulation.delivery import capacity, staff
from mabos.society.simulation.funding import headcount, owed
from mabos.society.simulation.moment import present
from mabos.society.simulation.state import MarketEvent, MarketState
from mabos.society.simulation.truth import MarketTruth
from mabos.workspace.clock import iso
from mabos.workspace.ids import random_stream
from mabos.workspace.numbers import clamp

SOURCE = "market"
GROSS_MARGIN = 0.8
"""The share of revenue that remains after hosting and support in the lifetime value: an accountant's convention."""


@dataclass(frozen=True, slots=True)
class MarketLetter:
    """A piece of news for one role: a sentence, and the triple for a belief."""

    role: str
    subject: str
    predicate: str
    value: str
    content: str
    priority: str = "normal"


@dataclass(frozen=True, slots=True)
class MarketReadings:
    """The readings of a week: points for the metrics and letters for the inboxes."""

    points: tuple[MetricPoint, ...]
    mail: tuple[MarketLetter, ...]


def readings(
    after: MarketState, events: Sequence[MarketEvent], truth: MarketTruth, *, seed: str, at: str
) -> MarketReadings:
    """Return the company's view of the week that led to `after` and ended at `at`."""
    return MarketReadings(
        points=_points(after, truth, seed, at), mail=tuple(letter for event in events for letter in _letters(event))
    )


def publish(
    found: MarketReadings,
    metrics: Metrics,
    deliver: Callable[[Message], object],
    *,
    roles: Mapping[str, str],
    at: datetime,
) -> None:
    """Write the readings for the agents: the metrics document and the inboxes of the agents in `roles`.

    Ids depend on the content alone, so that publishing a week again after a crash changes nothing.
    """
    metrics.record_all(found.points)
    for number, letter in enumerate(found.mail):
        if letter.role in roles:
            deliver(_message(letter, roles[letter.role], at, number))


def _message(letter: MarketLetter, to: str, at: datetime, number: int) -> Message:
    stamp = int(at.timestamp() * 1000)
    mark = blake2b(f"{stamp}|{number}|{to}|{letter.content}".encode(), digest_size=4).hexdigest()
    return Message(
        id=f"MSG-{stamp}-{mark}",
        sender=SOURCE,
        to=to,
        performative="INFORM",
        content=letter.content,
        timestamp=iso(at),
        priority=letter.priority,
        metadata={"subject": letter.subject, "predicate": letter.predicate, "value": letter.value},
    )


def _points(after: MarketState, truth: MarketTruth, seed: str, at: str) -> tuple[MetricPoint, ...]:
    truth = present(after, truth)
    values = {**_money(after), **_customers(after), **_service(after, truth, seed), **_read_serving(after, truth)}
    if after.serving is not None:
        values = {name: value for name, value in values.items() if name not in _OF_SUBSCRIPTIONS}
    return tuple(
        MetricPoint(name, round(value, 4), at, unit=_LETTERS["units"].get(name, ""), source=SOURCE)
        for name, value in values.items()
    )


def _money(after: MarketState) -> dict[str, float]:
    ledger = after.ledger
    weekly = formulas.burn(ledger.costs, ledger.revenue)
    mrr = after.mrr
    return {
        "cash": after.cash,
        "mrr": mrr,
        "arr": formulas.arr(mrr),
        "price": mrr / after.subscribers if after.subscribers else 0.0,
        "ad_spend": ledger.advertising,
        "payroll": ledger.payroll,
        "contractor_spend": ledger.contractors,
        "burn": weekly,
        "runway_months": formulas.runway_months(after.cash, weekly * WEEKS_A_MONTH),
        **({"debt": owed(after)} if after.debts or ledger.debt_service else {}),
        **({"hired_staff": float(headcount(after))} if after.employees else {}),
    }


def _customers(after: MarketState) -> dict[str, float]:
    """Return counts of the week, and rates over the last four; values that cannot be computed are left out."""
    new = sum(trade.new for trade in after.recent)
    lost = sum(trade.lost for trade in after.recent)
    churn = formulas.monthly_churn(formulas.churn_rate(lost, sum(trade.base for trade in after.recent)))
    per_account = after.mrr / after.subscribers if after.subscribers else 0.0
    spent = sum(trade.marketing_usd for trade in after.recent)
    cost = formulas.cac(spent, new) if spent else None
    lifetime = formulas.ltv(per_account, GROSS_MARGIN, churn)
    return {
        "subscribers": float(after.subscribers),
        **{f"subscribers_{segment.name}": float(segment.subscribers) for segment in after.segments},
        **{f"price_{segment.name}": segment.list_price for segment in after.segments},
        "churn_rate": churn,
        "new_subscribers": float(sum(flow.new for flow in after.flows)),
        "leads": float(sum(flow.leads for flow in after.flows)),
        "conversion_rate": formulas.conversion_rate(new, sum(trade.decided for trade in after.recent)),
        **({} if cost is None else {"cac": cost}),
        "ltv": per_account * GROSS_MARGIN * LONGEST_RUNWAY_MONTHS if lifetime is None else lifetime,
    }


def _read_serving(after: MarketState, truth: MarketTruth) -> dict[str, float]:
    """Return the figures of a shop or a practice; a company of subscribers has none of these."""
    week = after.serving
    if week is None:
        return {}
    found = {"revenue": week.takings}
    if week.sales:
        found["gross_margin"] = 100 * (week.sales - (week.cost or after.ledger.payroll)) / week.sales
    if truth.goods is not None:
        found |= {
            "orders": float(week.volume),
            "demand": float(week.wanted),
            "stock": float(math.floor(after.stock)),
            "stock_weeks": after.stock / week.wanted if week.wanted else 0.0,
            "stockouts": 100 * week.unserved,
            "unit_cost": truth.goods.unit_cost,
        }
        if week.volume:
            found["average_order_value"] = week.sales / week.volume
    if truth.practice is not None:
        queue = sum(segment.work for segment in after.segments)
        found |= {
            "projects": float(after.subscribers),
            "utilisation": 100 * week.used,
            "work_weeks": queue / max(0.1, staff(after, truth)),
            "receivables": sum(one.usd for one in after.receivables),
        }
    return found


_OF_SUBSCRIPTIONS = {"mrr", "arr", "ltv", "price"}


def _service(after: MarketState, truth: MarketTruth, seed: str) -> dict[str, float]:
    """Return the reports of surveys and the desk: quality and promoters come from samples, with their errors."""
    survey = random_stream(seed, "survey", after.week, "quality").gauss(0, 0.02)
    asked = random_stream(seed, "survey", after.week, "nps").gauss(0, 4)
    gap = after.quality - after.expectation
    pressure = min(2.0, after.backlog / max(1.0, capacity(after, truth)))
    nps = 20 + 180 * gap + 60 * (after.reputation - 0.5) - 12 * pressure + asked
    return {
        "quality": clamp(after.quality + survey),
        "support_backlog": float(round(after.backlog)),
        "nps": float(round(min(100.0, max(-100.0, nps)))),
    }


_LETTERS: Mapping[str, Mapping[str, Any]] = packaged_yaml("event_letters.yaml")
PRICE_COMPLAINT = "price"
"""The reason that a complaint about the price names."""
COMPLAINT_READERS: Mapping[str, Sequence[str]] = _LETTERS["complaint_readers"]
"""The roles to whom customers complain, by reason."""


def _letters(event: MarketEvent) -> list[MarketLetter]:
    kind, which = ("complaint_readers", event.value) if event.kind == "complaint" else ("readers", event.kind)
    priority = _LETTERS["urgency"].get(event.kind, "normal")
    predicate = _LETTERS["predicates"].get(event.kind, "event")
    return [
        MarketLetter(role, event.subject, predicate, event.value, event.text, priority)
        for role in _LETTERS[kind][which]
    ]
