"""A report counts only if it is signed as its service signs, and not long ago; Stripe's own client agrees."""

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
import stripe
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import Refused
from mabos.society.webhooks import Report, Source, verify
from mabos.society.webhooks.signatures import TOLERANCE

SECRET = "whsec_test"  # noqa: S105  # of these tests
NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
URL = "https://acme.example/webhooks/hubspot?a=b%3Ac"


def hexed(text: str, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def headers(source: Source, body: str, at: datetime, secret: str = SECRET) -> dict[str, str]:
    stamp = str(int(at.timestamp()))
    if source == "stripe":
        return {"Stripe-Signature": f"t={stamp},v1={hexed(f'{stamp}.{body}', secret)},v0=old"}
    if source == "slack":
        signed = f"v0={hexed(f'v0:{stamp}:{body}', secret)}"
        return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signed}
    stamp += "000"
    text = f"POST{URL.replace('%3A', ':')}{body}{stamp}"
    signed = base64.b64encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()).decode()
    return {"X-HubSpot-Request-Timestamp": stamp, "X-HubSpot-Signature-v3": signed}


def report(source: Source, body: str, given: Mapping[str, str]) -> Report:
    return Report(source, body, given, URL)


SOURCES: tuple[Source, ...] = ("stripe", "slack", "hubspot")


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_signed_now_counts_whatever_the_capitals_of_its_headers(source: Source) -> None:
    signed = {name.lower(): value for name, value in headers(source, "{}", NOW).items()}
    verify(report(source, "{}", signed), SECRET, NOW)
    verify(report(source, "{}", signed), SECRET, NOW + TOLERANCE)


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_changed_unsigned_old_or_signed_by_another_is_refused(source: Source) -> None:
    good = headers(source, "{}", NOW)
    cases = [
        (report(source, "{ }", good), NOW),
        (report(source, "{}", {}), NOW),
        (report(source, "{}", dict.fromkeys(good, "")), NOW),
        (report(source, "{}", dict.fromkeys(good, "é²")), NOW),
        (report(source, "{}", headers(source, "{}", NOW, "whsec_other")), NOW),
        (report(source, "{}", good), NOW + TOLERANCE + timedelta(seconds=1)),
    ]
    for case, now in cases:
        with pytest.raises(Refused) as refused:
            verify(case, SECRET, now)
        assert refused.value.argument == "headers"
        assert SECRET not in refused.value.message


@pytest.mark.parametrize("source", ["slack", "hubspot"])
def test_what_is_signed_far_ahead_is_refused_where_the_service_says_so(source: Source) -> None:
    with pytest.raises(Refused, match="minutes"):
        verify(report(source, "{}", headers(source, "{}", NOW + timedelta(minutes=6))), SECRET, NOW)


def test_another_address_or_method_is_another_report_for_hubspot() -> None:
    given = headers("hubspot", "[]", NOW)
    for other in (Report("hubspot", "[]", given, f"{URL}&c=d"), Report("hubspot", "[]", given, URL, "PUT")):
        with pytest.raises(Refused):
            verify(other, SECRET, NOW)


def test_while_a_secret_is_rolled_both_count() -> None:
    given = headers("stripe", "{}", NOW)
    verify(report("stripe", "{}", given), f"whsec_new,{SECRET}", NOW)
    more = {"Stripe-Signature": f"{given['Stripe-Signature']},v1={'0' * 64}"}
    verify(report("stripe", "{}", more), SECRET, NOW)


@given(
    body=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    age=st.integers(-400, 400).filter(lambda age: abs(age - 300) > 3),
    change=st.sampled_from(["none", "body", "secret", "no t", "no v1", "t alone", "two v1", "spaces", "garbage"]),
)
def test_stripes_own_client_takes_exactly_the_reports_that_we_take(body: str, age: int, change: str) -> None:
    stamp = str(int(time.time()) - age)
    signature = hexed(f"{stamp}.{body}", "whsec_x" if change == "secret" else SECRET)
    header = {
        "no t": f"v1={signature}",
        "no v1": f"t={stamp},v0={signature}",
        "t alone": f"t={stamp}",
        "two v1": f"t={stamp},v1={'0' * 64},v1={signature}",
        "spaces": f"t={stamp}, v1={signature}",
        "garbage": "=,=,",
    }.get(change, f"t={stamp},v1={signature}")
    sent = f"{body} " if change == "body" else body
    try:
        stripe.WebhookSignature.verify_header(sent, header, SECRET, int(TOLERANCE.total_seconds()))
        theirs = True
    except stripe.SignatureVerificationError:
        theirs = False
    try:
        verify(Report("stripe", sent, {"Stripe-Signature": header}), SECRET, datetime.now(UTC))
        ours = True
    except Refused:
        ours = False
    assert ours == theirs or (change == "spaces" and ours)


def test_construct_event_reads_what_we_verify() -> None:
    body = '{"id": "evt_1", "object": "event", "type": "invoice.paid", "data": {"object": {"object": "invoice"}}}'
    now = datetime.now(UTC)
    given = headers("stripe", body, now)
    verify(report("stripe", body, given), SECRET, now)
    event = stripe.Webhook.construct_event(body, given["Stripe-Signature"], SECRET)
    assert (event.id, event.type) == ("evt_1", "invoice.paid")
