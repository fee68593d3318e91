"""Interpretation of Stripe events: recurring revenue, a day's payments, customers, and notices.

MRR is the sum of the paid subscriptions at their monthly prices; an event changes it by new, expansion, contraction or
churned MRR at that time.
"""

from collections.abc import Mapping
from typing import Any

from mabos.society.metrics import MetricPoint
from mabos.society.pricing import Price
from mabos.society.webhooks.events import WebhookEvent
from mabos.society.webhooks.meaning import AgentNotice, EventMeaning, Person, ReportedFact
from mabos.society.webhooks.register import Register
from mabos.workspace.currencies import home
from mabos.workspace.numbers import number_or

_PAYING = frozenset({"active", "past_due"})
_SOURCE = "stripe"
_SMALLEST: Mapping[str, int] = {
    **dict.fromkeys(("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga"), 1),
    **dict.fromkeys(("pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf"), 1),
    **dict.fromkeys(("bhd", "jod", "kwd", "omr", "tnd"), 1_000),
}
"""The number of Stripe's smallest units in currencies without a hundred cents."""


def interpret_event(event: WebhookEvent, register: Register) -> EventMeaning:
    """Return the meaning of a Stripe event for the company."""
    if event.kind in ("invoice.paid", "invoice.payment_failed"):
        return _invoice(event, register)
    if event.kind in _SUBSCRIPTIONS:
        return _subscription(event, register)
    if event.kind in ("customer.created", "customer.updated"):
        return _customer(event)
    return EventMeaning(why_kept=f"nothing here follows from {event.kind}")


def _invoice(event: WebhookEvent, register: Register) -> EventMeaning:
    told, paid = event.content, event.kind == "invoice.paid"
    cents, currency = _whole(told.get("amount_paid" if paid else "amount_due")), _word(told, "currency", "usd").lower()
    amount = f"{cents / _SMALLEST.get(currency, 100):,.2f} {currency.upper()}"
    invoice, customer = _word(told, "id", event.id), _word(told, "customer", "a customer")
    person = _person(told, "customer_email", "customer_name", customer, tags=("customer",) if paid else ())
    if not paid:
        text = f"The invoice {invoice} of {customer} over {amount} could not be collected."
        belief = {"subject": customer, "predicate": "payment", "value": "failed"}
        return EventMeaning(
            (ReportedFact("cfo", invoice, "payment", "failed"),),
            people=person,
            told=(AgentNotice("cfo", text, "high", (belief,)),),
        )
    day = event.at[:10]
    payment = {"id": invoice, "day": day, "cents": cents, "currency": currency, "customer": customer}
    payments = {**register.section("payments"), invoice: payment}
    sums = sum(
        _whole(one.get("cents"))
        for one in payments.values()
        if (one.get("day"), one.get("currency")) == (day, home().lower())
    )
    point = MetricPoint("payments", sums / 100, f"{day}T00:00:00.000Z", f"{home()}/day", _SOURCE)
    return EventMeaning(
        facts=(ReportedFact("cfo", invoice, "paid", amount), ReportedFact("cfo", invoice, "customer", customer)),
        points=(point,) if currency == "usd" else (),
        people=person,
        told=(AgentNotice("cfo", f"{customer} paid {amount} for invoice {invoice}.", "low"),),
        records=(("payments", payment),),
    )


def _subscription(event: WebhookEvent, register: Register) -> EventMeaning:
    """Return the meaning of a subscription event; one older than the known state changes nothing."""
    told = event.content
    subscription, customer = _word(told, "id", event.id), _word(told, "customer", "a customer")
    known = register.section("subscriptions").get(subscription, {})
    before = number_or(known.get("monthly_usd"), 0.0)
    moved = register.section("movements").get(event.id)
    if moved is None and str(known.get("at", "")) > event.at:
        return EventMeaning(why_kept=f"{subscription} is known as of {known['at']}, which is later")
    status = "canceled" if event.kind.endswith("deleted") else _word(told, "status", "active")
    after = round(_monthly(told), 4) if status in _PAYING else 0.0
    if moved is not None:  # taken in before and cut short: what it changed then is what it changed
        before = number_or(moved.get("before"), 0.0)
    record = {"id": subscription, "customer": customer, "status": status, "monthly_usd": after, "at": event.at}
    movement = {
        "id": event.id,
        "at": event.at,
        "kind": _kind(before, after),
        "usd": round(abs(after - before), 4),
        "before": before,
    }
    return EventMeaning(
        facts=(
            ReportedFact("cfo", subscription, "status", status),
            ReportedFact("cfo", subscription, "customer", customer),
        ),
        points=tuple(_points(event, register, record, movement)),
        told=(_news(event, customer, status, before, after),),
        records=(("subscriptions", record), ("movements", movement)),
    )


def _points(
    event: WebhookEvent, register: Register, record: Mapping[str, Any], movement: Mapping[str, Any]
) -> list[MetricPoint]:
    every = {**register.section("subscriptions"), str(record["id"]): record}
    paying = [one for one in every.values() if number_or(one.get("monthly_usd"), 0.0) > 0]
    at = max(str(one.get("at", "")) for one in every.values())
    found = [
        MetricPoint(
            "mrr", round(sum(number_or(one.get("monthly_usd"), 0.0) for one in paying), 2), at, "USD/month", _SOURCE
        ),
        MetricPoint("subscribers", float(len({one.get("customer") for one in paying})), at, "", _SOURCE),
    ]
    moves = {**register.section("movements"), str(movement["id"]): movement}
    same = [one for one in moves.values() if (one.get("at"), one.get("kind")) == (event.at, movement["kind"])]
    if movement["kind"]:
        total = round(sum(number_or(one.get("usd"), 0.0) for one in same), 2)
        found.append(MetricPoint(f"{movement['kind']}_mrr", total, event.at, "USD", _SOURCE))
    if movement["kind"] in _COUNTED:
        found.append(MetricPoint(_COUNTED[movement["kind"]], float(len(same)), event.at, "", _SOURCE))
    return found


def _kind(before: float, after: float) -> str:
    if after == before:
        return ""
    if before == 0:
        return "new"
    if after == 0:
        return "churned"
    return "expansion" if after > before else "contraction"


def _news(event: WebhookEvent, customer: str, status: str, before: float, after: float) -> AgentNotice:
    belief = {"subject": customer, "predicate": "subscription", "value": status}
    was = f"{before:,.2f} to {after:,.2f} dollars a month"
    if event.kind.endswith("deleted") or (before > 0 and after == 0):
        return AgentNotice(
            "coo", f"{customer} has left: its subscription went from {was} ({status}).", "high", (belief,)
        )
    if before == 0 and after > 0:
        return AgentNotice(
            "cmo", f"{customer} is a new subscriber at {after:,.2f} dollars a month.", "normal", (belief,)
        )
    return AgentNotice("cfo", f"The subscription of {customer} went from {was} ({status}).", "normal", (belief,))


def _customer(event: WebhookEvent) -> EventMeaning:
    customer = _word(event.content, "id", event.id)
    people = _person(event.content, "email", "name", customer, phone=_word(event.content, "phone"))
    if not people:
        return EventMeaning(why_kept=f"{customer} has no e-mail address by which a contact is known")
    return EventMeaning(people=people)


def _person(told: Mapping[str, Any], email: str, name: str, customer: str, **more: Any) -> tuple[Person, ...]:
    address = _word(told, email)
    return (Person(address, _word(told, name), source=f"stripe:{customer}", **more),) if address else ()


def _monthly(told: Mapping[str, Any]) -> float:
    """Return the monthly value of a subscription: each item's price times its quantity."""
    items = told.get("items")
    rows = items.get("data") if isinstance(items, dict) else None
    total = 0.0
    for item in rows if isinstance(rows, list) else [told]:
        price = item.get("price") or item.get("plan") if isinstance(item, dict) else None
        if not isinstance(price, dict):
            continue
        recurring = price.get("recurring")
        pace: Mapping[str, Any] = recurring if isinstance(recurring, dict) else price
        interval = pace.get("interval")
        if interval not in ("day", "week", "month", "year"):
            continue
        unit = Price(
            id="",
            product="",
            unit_amount=_whole(price.get("unit_amount", price.get("amount"))),
            interval=interval,
            currency=_word(price, "currency", "usd").lower(),
            interval_count=max(1, _whole(pace.get("interval_count", 1))),
        )
        total += unit.monthly_usd * _whole(item.get("quantity", 1))
    return total


def _word(told: Mapping[str, Any], name: str, otherwise: str = "") -> str:
    value = told.get(name)
    return value.strip()[:200] or otherwise if isinstance(value, str) else otherwise


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else 0


_SUBSCRIPTIONS = frozenset(
    f"customer.subscription.{what}" for what in ("created", "updated", "deleted", "paused", "resumed")
)
_COUNTED = {"new": "new_subscribers", "churned": "churned_subscribers"}
