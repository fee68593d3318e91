"""Conversations over HTTP: one message and its reply, or the turn as server-sent events.

    POST /chat/AGENT   {"message": "What is our runway?"}    the reply as JSON; /chat alone asks the company
                       Accept: text/event-stream             each event at once: phase, tool, text, approval, reply
    GET  /chat/AGENT   ?limit=20&search=WORDS                the messages so far

A client that disconnects ends the turn at its next phase; its message waits in the agent's inbox.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import FastAPI, Query, Request
from starlette.responses import Response, StreamingResponse

from mabos.configs.errors import MabosError, Refused
from mabos.interfaces.chat.events import ChatEvent
from mabos.interfaces.chat.record import history
from mabos.interfaces.surfaces.conversation import addressee, turn
from mabos.interfaces.surfaces.door import Door, build_failure
from mabos.interfaces.surfaces.given import NO_JSON, is_json, parse_arguments
from mabos.interfaces.surfaces.guard import build_response
from mabos.interfaces.surfaces.status import status
from mabos.tools.gate.call import Outcome

Limit = Annotated[int, Query(ge=1)]
EVENTS = "text/event-stream"


def add_chat(app: FastAPI, door: Callable[[], Door]) -> None:
    """Add the conversation routes to an application."""

    @app.post("/chat")
    @app.post("/chat/{agent_id}")
    async def chat(request: Request, agent_id: str = "") -> Response:
        if not is_json(request.headers.get("content-type", "")):
            return build_response(build_failure(NO_JSON).as_json(), 415)
        try:
            arguments = parse_arguments(await request.body() or b"{}")
            opened = await run_sync(door)
            to = await run_sync(lambda: addressee(opened, arguments, agent_id))
            if EVENTS in request.headers.get("accept", ""):
                return StreamingResponse(
                    _encode_events(turn(opened, to)), media_type=EVENTS, headers={"Cache-Control": "no-store"}
                )
            reply = [event async for event in turn(opened, to)][-1]
        except MabosError as error:
            return build_response(build_failure(error).as_json(), status(build_failure(error)))
        return build_response({"ok": True, "result": reply.as_json()}, 200)

    @app.get("/chat/{agent_id}")
    async def show_history(agent_id: str, limit: Limit = 20, search: str = "") -> Response:
        def read_history() -> Outcome:
            opened = door()
            if opened.caller.kind != "person":
                raise Refused("only a person may read conversations here", argument="agent_id")
            lines = history(opened.services, agent_id, limit=limit, search=search)
            return Outcome({"messages": [one.as_json() for one in lines]})

        try:
            outcome = await run_sync(read_history)
        except MabosError as error:
            outcome = build_failure(error)
        return build_response(outcome.as_json(), status(outcome))


async def _encode_events(events: AsyncIterator[ChatEvent]) -> AsyncIterator[str]:
    """Yield events as a client of server-sent events reads them; one that fails is the last, named `error`."""
    try:
        async with aclosing(events):  # type: ignore[type-var]  # a generator
            async for event in events:
                yield _event(event.kind, event.as_json())
    except MabosError as error:
        yield _event("error", build_failure(error).as_json()["error"])


def _event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
