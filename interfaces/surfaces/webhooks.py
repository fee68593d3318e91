"""The endpoints for other services' webhooks: `POST /webhooks/stripe`, `/webhooks/slack`, `/webhooks/hubspot`.

The report is passed on unread to the tool `webhook_process`, in the owner's name: its signature proves the sender, so
no other proof is required. The signature is checked first, because the ledger keeps each call with all its arguments,
and anyone can send data here. Each service gets the answer it expects. A repeated report is accepted again; after a
failure on our side the answer is 5xx, so that the service retries.
"""

from collections.abc import Callable, Mapping
from typing import Any

from anyio.to_thread import run_sync
from fastapi import FastAPI, Request
from starlette.responses import Response

from mabos.configs.errors import InvalidArgument, MabosError, Refused
from mabos.interfaces.surfaces.door import Door, build_failure
from mabos.interfaces.surfaces.guard import build_response
from mabos.interfaces.surfaces.status import status
from mabos.society.webhooks import SECRETS, Report
from mabos.tools.business.webhooks import must_be_signed
from mabos.tools.gate.call import Outcome

_SIGNATURE, _SEEN_BEFORE = "headers", "body"
_SIGNED = frozenset(
    {
        *("stripe-signature", "x-slack-signature", "x-slack-request-timestamp"),
        *("x-hubspot-signature-v3", "x-hubspot-request-timestamp"),
    }
)
"""The headers that are passed on: the call stands in the ledger, where no token and no cookie belongs."""


def add_webhooks(app: FastAPI, door: Callable[[], Door]) -> None:
    """Add the routes for reports to an application."""

    @app.post("/webhooks/{source}")
    async def webhook(source: str, request: Request, business_id: str = "") -> Response:
        body = await request.body()
        given = {
            "source": source,
            "headers": {name: value for name, value in request.headers.items() if name in _SIGNED},
            "method": request.method,
            "url": str(request.url) if source == "hubspot" else "",  # which alone signs it
            "business_id": business_id,
        }
        return await run_sync(lambda: _response(_taken_in(door, given, body)))


def _taken_in(door: Callable[[], Door], given: Mapping[str, Any], body: bytes) -> Outcome:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return build_failure(InvalidArgument("the body is not UTF-8", argument="arguments"))
    try:
        opened = door()
        if given["source"] in SECRETS:  # of another the call says which there are
            report = Report(body=text, **{name: given[name] for name in ("source", "headers", "url", "method")})
            must_be_signed(opened.services.environment, report, opened.services.clock())
    except MabosError as error:
        return build_failure(error)
    return Door(opened.services, publishes=opened.publishes).call("webhook_process", {**given, "body": text})


def _response(outcome: Outcome) -> Response:
    if outcome.ok:
        return build_response(outcome.result.get("response", {"received": True}), 200)
    if (outcome.code, outcome.argument) == (Refused.code, _SEEN_BEFORE):
        return build_response({"received": True, "duplicate": True}, 200)
    if (outcome.code, outcome.argument) == (Refused.code, _SIGNATURE):
        return build_response(outcome.as_json(), 401)
    # a person's leave is still to come: 202 would say that all is done, and the report be lost
    return build_response(outcome.as_json(), 400 if outcome.awaiting else status(outcome))
