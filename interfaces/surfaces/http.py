"""The catalogue over HTTP: a FastAPI application with answers in the format of `mabos call`.

GET  /tools            the available tools
GET  /tools/NAME       one tool with its JSON schema
POST /tools/NAME       call it with the arguments as body; ?agent=ID or the header X-Mabos-Agent names an agent
POST /chat             say {"message": ...} to the company; POST /chat/AGENT to an agent (`chat.py`)
GET  /chat/AGENT       the messages so far
GET  /health           whether the workspace is open
GET  /openapi.json     each tool as an operation with its own schema
"""

from collections.abc import Callable
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from mabos.configs.errors import InvalidArgument, MabosError, UnknownId
from mabos.interfaces.surfaces.chat import add_chat
from mabos.interfaces.surfaces.door import Door, build_failure
from mabos.interfaces.surfaces.given import NO_JSON, is_json, parse_arguments
from mabos.interfaces.surfaces.guard import build_response
from mabos.interfaces.surfaces.openapi import describe_api
from mabos.interfaces.surfaces.status import status
from mabos.interfaces.surfaces.webhooks import add_webhooks
from mabos.tools.gate.call import Outcome

Agent = Annotated[str, Query()]
AgentHeader = Annotated[str, Header()]


def http_app(door: Callable[[], Door], *, has_token: bool = False) -> FastAPI:
    """Return the application; `door` is called at every request, in a thread, as opening a workspace may take time.

    It trusts every caller: put `guard.Guard` before it.
    """
    app = FastAPI(openapi_url=None)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _unfound)
    app.add_exception_handler(Exception, _answer_failure)

    @app.get("/health")
    async def health() -> Response:
        return await _answer(lambda: Outcome({"agents": len(door().services.agents())}))

    @app.get("/tools")
    async def tools() -> Response:
        return await _answer(lambda: Outcome({"tools": rows(door())}))

    @app.api_route("/tools/{name}", methods=["GET", "POST"])
    async def tool(name: str, request: Request, agent: Agent = "", x_mabos_agent: AgentHeader = "") -> Response:
        if request.method == "GET":
            return await _answer(lambda: Outcome(_row(door(), name)))
        if not is_json(request.headers.get("content-type", "")):
            return build_response(build_failure(NO_JSON).as_json(), 415)
        body = await request.body()
        return await _answer(lambda: _call_tool(door(), name, body, agent, x_mabos_agent))

    @app.get("/openapi.json")
    async def openapi(request: Request) -> Response:
        below = request.scope.get("root_path", "")  # where another server has mounted this one
        return build_response(await run_sync(lambda: describe_api(door(), has_token=has_token, below=below)), 200)

    add_chat(app, door)
    add_webhooks(app, door)
    return app


def rows(door: Door) -> list[dict[str, Any]]:
    """Return the description of each offered tool, as in `mabos tools --json`."""
    offered = {tool.name for tool in door.tools}
    return [row for row in door.services.tools.rows() if row["name"] in offered]


def _row(door: Door, name: str) -> dict[str, Any]:
    known = door.tool(name).name
    return next(row for row in door.services.tools.rows() if row["name"] == known)


def _call_tool(door: Door, name: str, body: bytes, agent: str, other: str) -> Outcome:
    if agent and other and agent != other:
        wrong = f"the query names {agent!r} and the header {other!r}; leave one of them out"
        raise InvalidArgument(wrong, argument="agent")
    return door.call(name, parse_arguments(body or b"{}"), agent or other)


async def _answer(work: Callable[[], Outcome]) -> Response:
    """Return the answer of `work`, done in a thread so that no other request waits for it."""

    def run_guarded() -> Outcome:
        try:
            return work()
        except MabosError as error:
            return build_failure(error)

    outcome = await run_sync(run_guarded)
    return build_response(outcome.as_json(), status(outcome))


async def _unreadable(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    first = error.errors()[0]
    where = str(first["loc"][-1])
    return build_response(build_failure(InvalidArgument(f"{where}: {first['msg']}", argument=where)).as_json(), 400)


async def _unfound(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    wrong = f"{request.method} {request.url.path}: {str(error.detail).lower()}; see /openapi.json"
    outcome = build_failure(UnknownId(wrong) if error.status_code == 404 else InvalidArgument(wrong))
    return build_response(outcome.as_json(), error.status_code, error.headers)


async def _answer_failure(request: Request, error: Exception) -> Response:
    """Answer in the usual form where something is wrong with MABOS itself; the server logs the rest."""
    wrong = f"{request.method} {request.url.path} failed: {type(error).__name__}: {error}"
    return build_response(Outcome(code="internal", message=wrong).as_json(), 500)
