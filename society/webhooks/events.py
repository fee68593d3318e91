"""The events in a report, in the services' published formats."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal

import orjson

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import iso
from mabos.workspace.documents import can_be_kept

Source = Literal["stripe", "slack", "hubspot"]
CHALLENGE = "url_verification"
"""Slack's question whether somebody is there, which has no event id and changes nothing."""


_LONGEST = 200  # characters of an id or a kind


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """An event elsewhere; `id` is stable across repeated reports, `at` is when it happened."""

    id: str
    source: Source
    kind: str
    at: str
    content: Mapping[str, Any]


def events_in(source: Source, body: str, now: datetime) -> list[WebhookEvent]:
    """Return the events of a report, oldest first; raises `InvalidArgument` for an invalid `body`."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument(f"the body is not JSON ({error.msg}); pass it unchanged", argument="body") from None
    if not can_be_kept(told):  # as what is not understood is
        message = f"the body is nested deeper than any report of {source}; it is not taken in"
        raise InvalidArgument(message, argument="body")
    if source == "hubspot":
        return _of_hubspot(told, now)
    if not isinstance(told, dict):
        raise InvalidArgument(f"the body is not an event of {source}; expected an object", argument="body")
    return [_of_stripe(told, now) if source == "stripe" else _of_slack(told, now)]


def _of_stripe(told: Mapping[str, Any], now: datetime) -> WebhookEvent:
    """`{"id": "evt_...", "object": "event", "type": ..., "created": ..., "data": {"object": ...}}`."""
    data = told.get("data")
    if not (
        _text(told, "id") and _text(told, "type") and isinstance(data, dict) and isinstance(data.get("object"), dict)
    ):
        raise InvalidArgument("the body is not a Stripe event: it needs id, type and data.object", argument="body")
    return WebhookEvent(
        _text(told, "id"), "stripe", _text(told, "type"), _at(told.get("created"), 1, now), data["object"]
    )


def _of_slack(told: Mapping[str, Any], now: datetime) -> WebhookEvent:
    """`{"type": "event_callback", "event_id": ..., "event_time": ..., "event": {"type": ...}}`, or a challenge."""
    if told.get("type") == CHALLENGE:
        return WebhookEvent("", "slack", CHALLENGE, iso(now), {"challenge": str(told.get("challenge", ""))})
    inner = told.get("event")
    if not (_text(told, "event_id") and isinstance(inner, dict)):
        message = "the body is not a Slack event: it needs event_id and event, or the type url_verification"
        raise InvalidArgument(message, argument="body")
    kind = _text(inner, "type") or _text(told, "type") or "unknown"
    return WebhookEvent(_text(told, "event_id"), "slack", kind, _at(told.get("event_time"), 1, now), inner)


def _of_hubspot(told: object, now: datetime) -> list[WebhookEvent]:
    """`[{"eventId": ..., "subscriptionType": "contact.propertyChange", "objectId": ..., "occurredAt": ...}, ...]`."""
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        raise InvalidArgument("the body is not a HubSpot report; expected a list of events", argument="body")
    found = []
    for one in told:
        kind, object_id = _text(one, "subscriptionType"), one.get("objectId")
        if not kind or object_id is None:
            message = "an event of HubSpot needs subscriptionType and objectId"
            raise InvalidArgument(message, argument="body")
        # HubSpot says of its event ids that they need not be unique.
        what = [one.get(name) for name in ("eventId", "subscriptionType", "objectId", "propertyName", "occurredAt")]
        digest = sha256(orjson.dumps([*what, one.get("propertyValue")])).hexdigest()[:16]
        found.append(
            WebhookEvent(
                f"{str(one.get('eventId', ''))[:40]}-{digest}",
                "hubspot",
                kind,
                _at(one.get("occurredAt"), 1000, now),
                one,
            )
        )
    return sorted(found, key=lambda event: event.at)


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    return value[:_LONGEST] if isinstance(value, str) else ""


def _at(stamp: object, units: int, now: datetime) -> str:
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        try:
            return iso(datetime.fromtimestamp(stamp / units, UTC))
        except (ValueError, OverflowError, OSError):
            return iso(now)
    return iso(now)
