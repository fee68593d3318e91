"""Where other services report: `POST /webhooks/stripe`, `/webhooks/slack`, `/webhooks/hubspot`.

What came is passed on unread to the tool `webhook_process`, as its owner would: the signature says who reports, so no
other proof is asked for. The answer is what each service waits for; a report that came before is received again.
"""

from collections.abc import Callable, Mapping
from typing import Any

from anyio.to_thread import run_sync
from fastapi import FastAPI, Request
from starlette.responses import Response

from configs.errors import InvalidArgument, Refused, Unavailable, UnknownId
from mabos.surfaces.door import Door, failed
from mabos.surfaces.guard import answered
from tools.call import Outcome

_SIGNATURE, _SEEN_BEFORE = "headers", "body"
_SIGNED = frozenset(
    {
        *("stripe-signature", "x-slack-signature", "x-slack-request-timestamp"),
        *("x-hubspot-signature-v3", "x-hubspot-request-timestamp"),
    }
)
"""The headers that are passed on: the call stands in the ledger, where no token and no cookie belongs."""


def add_webhooks(app: FastAPI, door: Callable[[], Door]) -> None:
    """Have an application take in what is reported."""

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
        return await run_sync(lambda: _response(_taken_in(door(), given, body)))


def _taken_in(door: Door, given: Mapping[str, Any], body: bytes) -> Outcome:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return failed(InvalidArgument("the body is not UTF-8", argument="arguments"))
    return Door(door.services, publishes=door.publishes).call("webhook_process", {**given, "body": text})


def _response(outcome: Outcome) -> Response:
    if outcome.ok:
        return answered(outcome.result.get("response", {"received": True}), 200)
    if (outcome.code, outcome.argument) == (Refused.code, _SEEN_BEFORE):
        return answered({"received": True, "duplicate": True}, 200)
    if (outcome.code, outcome.argument) == (Refused.code, _SIGNATURE):
        return answered(outcome.as_json(), 401)
    status = {Unavailable.code: 503, UnknownId.code: 404}.get(outcome.code, 400)
    return answered(outcome.as_json(), status)
