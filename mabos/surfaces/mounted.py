"""The HTTP surface below `/mabos` of LangGraph's server: `http.app` of langgraph.json names `app`.

The workspace is the one that graphs without a named workspace use. Without a token in `MABOS_TOKEN` the tools answer
this machine alone, whatever else the server lets in.
"""

from functools import cache

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from configs.errors import Unavailable
from configs.settings import environment
from graphs import wiring
from mabos.surfaces.door import Door, failed, needs
from mabos.surfaces.guard import TOKEN_VARIABLE, Guard, answered


@cache
def surface() -> ASGIApp:
    """Return the surface behind its guard; where FastAPI is missing, one that says so."""
    try:
        needs("fastapi", "http")
    except Unavailable as missing:
        return answered(failed(missing).as_json(), 503)
    from mabos.surfaces.http import http_app

    token = environment().secret(TOKEN_VARIABLE)
    return Guard(http_app(_door, has_token=bool(token)), token)


@cache
def _door() -> Door:
    """Return the door into the workspace, which stays open as long as the server runs."""
    return Door(wiring.hold(environment().workspace.resolve()), publishes=True)


async def _served(scope: Scope, receive: Receive, send: Send) -> None:
    await surface()(scope, receive, send)


app = Starlette(routes=[Mount("/mabos", app=_served)])
