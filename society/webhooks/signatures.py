"""Signatures of reports in each service's format: HMAC-SHA256 over the raw body and a time.

verify(Report("stripe", body, headers), secret="whsec_...", now=clock())     # raises Refused, or returns nothing
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from mabos.configs.errors import Refused
from mabos.society.webhooks.events import Source

TOLERANCE = timedelta(minutes=5)
"""The maximum age of a report on arrival: Stripe, Slack and HubSpot name the same figure."""

SECRETS: Mapping[Source, str] = {
    "stripe": "STRIPE_WEBHOOK_SECRET",
    "slack": "SLACK_SIGNING_SECRET",
    "hubspot": "HUBSPOT_CLIENT_SECRET",
}
"""The variable of the environment that holds what each service signs with."""

# HubSpot signs an address in which these are written as themselves.
_PLAIN = {
    "%3A": ":", "%2F": "/", "%3F": "?", "%40": "@", "%21": "!", "%24": "$", "%27": "'", "%28": "(", "%29": ")",
    "%2A": "*", "%2C": ",", "%3B": ";",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """A report as received: its stated sender, the raw body, the headers, and the target."""

    source: Source
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    method: str = "POST"

    def header(self, name: str) -> str:
        """Return a header, ignoring case; "" if it is missing."""
        return next((value for key, value in self.headers.items() if key.lower() == name.lower()), "")


def verify(report: Report, secret: str, now: datetime) -> None:
    """Raise `Refused` unless the report is signed with the secret and not older than `TOLERANCE`."""
    {"stripe": _stripe, "slack": _slack, "hubspot": _hubspot}[report.source](report, secret, now)


def _stripe(report: Report, secret: str, now: datetime) -> None:
    """`Stripe-Signature: t=1614556800,v1=...`: hex over `{t}.{body}`; while a secret is rolled there are several."""
    parts = [part.partition("=") for part in report.header("Stripe-Signature").split(",")]
    stamps = [value for name, _, value in parts if name.strip() == "t"]
    given = [value.strip() for name, _, value in parts if name.strip() == "v1"]
    if not stamps or not given:
        raise _refuse_report("has no Stripe-Signature with t and v1")
    at = _moment(stamps[0], 1)
    wanted = [_digest(one, f"{stamps[0]}.{report.body}").hexdigest() for one in secret.split(",")]
    if not any(_same(one, other) for one in given for other in wanted):
        raise _refuse_report("is not signed with STRIPE_WEBHOOK_SECRET")
    _is_fresh(at, now)


def _slack(report: Report, secret: str, now: datetime) -> None:
    """`X-Slack-Signature: v0=...`: hex over `v0:{timestamp}:{body}`."""
    stamp = report.header("X-Slack-Request-Timestamp")
    at = _moment(stamp, 1)
    wanted = f"v0={_digest(secret, f'v0:{stamp}:{report.body}').hexdigest()}"
    if not _same(report.header("X-Slack-Signature"), wanted):
        raise _refuse_report("is not signed with SLACK_SIGNING_SECRET")
    _is_fresh(at, now, is_two_sided=True)


def _hubspot(report: Report, secret: str, now: datetime) -> None:
    """`X-HubSpot-Signature-v3`: base64 over method, address, body and timestamp, which counts milliseconds."""
    stamp = report.header("X-HubSpot-Request-Timestamp")
    at = _moment(stamp, 1000)
    address = report.url
    for written, plain in _PLAIN.items():
        address = address.replace(written, plain).replace(written.lower(), plain)
    signed = _digest(secret, f"{report.method.upper()}{address}{report.body}{stamp}").digest()
    if not _same(report.header("X-HubSpot-Signature-v3"), base64.b64encode(signed).decode()):
        raise _refuse_report(f"is not signed with HUBSPOT_CLIENT_SECRET for {address or 'an address: give url'}")
    _is_fresh(at, now, is_two_sided=True)


def _digest(secret: str, text: str) -> "hmac.HMAC":
    return hmac.new(secret.strip().encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha256)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode())


def _moment(stamp: str, units: int) -> datetime:
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 15):
        raise _refuse_report("has no time of signature")
    try:
        return datetime.fromtimestamp(int(stamp) / units, UTC)
    except (ValueError, OverflowError, OSError):
        raise _refuse_report(f"was signed at {stamp}, which is not a time") from None


def _is_fresh(at: datetime, now: datetime, *, is_two_sided: bool = False) -> None:
    age = now - at
    if age > TOLERANCE or (is_two_sided and -age > TOLERANCE):
        minutes = TOLERANCE.seconds // 60
        raise _refuse_report(
            f"was signed at {at:%Y-%m-%d %H:%M:%S} UTC, more than {minutes} minutes from now; send it again"
        )


def _refuse_report(why: str) -> Refused:
    return Refused(f"the report {why}", argument="headers")
