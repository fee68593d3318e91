"""Reports in shapes that no service should send: refused in a sentence, and nothing is taken in twice."""

from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from mabos.configs.errors import InvalidArgument
from mabos.society.webhooks import Source, WebhookEvent, billing, events_in, open_register
from mabos.workspace.sync import Sync

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
DEEP = "[" * 600 + "]" * 600


@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("hubspot", '[{"eventId": 1, "subscriptionType": "contact.creation", "objectId": 1, "propertyValue": %s}]'),
        ("slack", '{"event_id": "E1", "event": {"type": "message", "blocks": %s}}'),
        ("stripe", '{"id": "evt_1", "type": "x", "data": {"object": {"metadata": %s}}}'),
    ],
)
def test_a_report_nested_too_deep_to_be_kept_is_refused(source: Source, body: str) -> None:
    with pytest.raises(InvalidArgument, match="nested deeper"):
        events_in(source, body % DEEP, NOW)


def test_an_event_that_stands_in_a_report_twice_is_taken_in_once(tmp_path: Path) -> None:
    one = {"eventId": 1, "subscriptionType": "deal.creation", "objectId": 7, "occurredAt": 1}
    events = events_in("hubspot", orjson.dumps([one, one]).decode(), NOW)
    assert len(open_register(tmp_path, Sync("off")).fresh(events)) == 1


@pytest.mark.parametrize(("currency", "amount"), [("kwd", "5.00 KWD"), ("xpf", "5,000.00 XPF"), ("usd", "50.00 USD")])
def test_an_amount_is_told_in_the_units_of_its_currency(tmp_path: Path, currency: str, amount: str) -> None:
    invoice = {"id": "in_1", "customer": "cus_1", "amount_paid": 5_000, "currency": currency}
    event = WebhookEvent("evt_1", "stripe", "invoice.paid", "2026-01-05T09:00:00.000Z", invoice)
    assert billing.interpret_event(event, open_register(tmp_path, Sync("off"))).facts[0].object == amount
