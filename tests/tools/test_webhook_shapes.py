"""Whatever a signed report holds, it is taken in or refused in words: nothing raises, nothing is left half-written."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.test_webhooks import company, send
from tests.world import World

scalars = st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False) | st.text(max_size=12)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
kinds = st.sampled_from(
    ["invoice.paid", "invoice.payment_failed", "customer.created", "customer.updated", "customer.subscription.created",
     "customer.subscription.updated", "customer.subscription.deleted", "account.updated"]
)  # fmt: skip
price = st.fixed_dictionaries(
    {},
    optional={
        "unit_amount": anything, "currency": anything, "interval": anything,
        "recurring": anything | st.fixed_dictionaries({"interval": st.sampled_from(["month", "year", "decade"])}),
    },
)  # fmt: skip
item = anything | st.fixed_dictionaries({"price": anything | price}, optional={"quantity": anything})
content = st.fixed_dictionaries(
    {},
    optional={
        "id": anything, "customer": anything, "status": anything, "amount_paid": anything, "currency": anything,
        "customer_email": anything, "email": st.sampled_from(["a@b.example", "no address", "a@b.example\r\nBcc: x"]),
        "items": anything | st.fixed_dictionaries({"data": anything | st.lists(item, max_size=3)}),
    },
)  # fmt: skip
data = st.fixed_dictionaries({"object": content | anything})
stripe_reports = st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=6), "type": kinds | st.text(max_size=9), "data": data},
    optional={"created": anything},
)  # fmt: skip
slack_reports = st.fixed_dictionaries(
    {"event_id": st.text(min_size=1, max_size=6)},
    optional={
        "type": st.sampled_from(["event_callback", "url_verification"]), "challenge": anything, "event_time": anything,
        "event": anything | st.fixed_dictionaries(
            {"type": st.sampled_from(["message", "app_mention", "reaction_added"])},
            optional={"text": anything, "user": anything, "channel": anything, "bot_id": anything},
        ),
    },
)  # fmt: skip
hubspot_kinds = st.sampled_from(["contact.propertyChange", "deal.propertyChange", "deal.creation", "x"])
hubspot_reports = st.lists(
    st.fixed_dictionaries(
        {"objectId": anything, "subscriptionType": hubspot_kinds},
        optional={
            "eventId": anything, "occurredAt": anything, "propertyValue": anything,
            "propertyName": anything | st.sampled_from(["email", "firstname", "dealstage", "amount", "dealname"]),
        },
    ),
    max_size=3,
)  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    opened = company(tmp_path_factory.mktemp("company"))
    yield opened
    opened.close()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.tuples(st.just("stripe"), stripe_reports)
    | st.tuples(st.just("slack"), slack_reports)
    | st.tuples(st.just("hubspot"), hubspot_reports)
    | st.tuples(st.sampled_from(["stripe", "slack", "hubspot"]), anything)
)
def test_whatever_is_reported_is_taken_in_or_refused(world: World, told: tuple[Any, Any]) -> None:
    source, body = told
    outcome = send(world, source, json.dumps(body))
    assert outcome.code in ("", "refused", "invalid_argument"), outcome.message
    statuses = {one.status for one in world.business.webhooks.events.all()}
    assert statuses <= {"done", "kept"}
    if outcome.ok:
        json.dumps(outcome.result)


def test_what_is_kept_after_all_of_that_is_still_read(world: World) -> None:
    business = world.business
    assert all(point.at for name in business.metrics.names() for point in business.metrics.series(name))
    assert all("\n" not in one.email and "\r" not in one.email for one in business.customers.contacts.all())
