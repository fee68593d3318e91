"""The HTTP surface below `/mabos` of LangGraph's server, and the dashboard below `/mabos/dashboard`.

`http.app` of langgraph.json names `app`. The workspace is the one that graphs without a named workspace use. Without a
token in `MABOS_TOKEN` both answer this machine only, whatever else the server admits. Other sites' pages cannot call
the development server at all (`strangers_pages`).
"""

from functools import cache

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mabos.configs.errors import Unavailable
from mabos.configs.settings import environment
from mabos.graphs import wiring
from mabos.interfaces.surfaces.door import Door, build_failure, needs
from mabos.interfaces.surfaces.guard import TOKEN_VARIABLE, Guard, build_response
from mabos.interfaces.surfaces.strangers_pages import OwnPages

_SERVER = "LANGSMITH_LANGGRAPH_API_VARIANT"
"""The variable in which a server of LangGraph says which one it is; nobody has to set it."""


@cache
def surface() -> ASGIApp:
    """Return the guarded surface; without FastAPI, one that reports it missing."""
    try:
        needs("fastapi", "http")
    except Unavailable as missing:
        return build_response(build_failure(missing).as_json(), 503)
    from mabos.interfaces.surfaces.http import http_app

    token = environment().secret(TOKEN_VARIABLE)
    return Guard(http_app(_door, has_token=bool(token)), token)


@cache
def pages() -> ASGIApp:
    """Return the guarded dashboard; without FastAPI, one that reports it missing."""
    try:
        needs("fastapi", "dashboard")
    except Unavailable as missing:
        return build_response(build_failure(missing).as_json(), 503)
    from mabos.interfaces.dashboard.app import dashboard

    return dashboard(_door, environment().secret(TOKEN_VARIABLE))


@cache
def _door() -> Door:
    """Return the door into the workspace, which stays open as long as the server runs."""
    return Door(wiring.hold(environment().workspace.resolve()), publishes=True)


async def _serve_surface(scope: Scope, receive: Receive, send: Send) -> None:
    await surface()(scope, receive, send)


async def _serve_pages(scope: Scope, receive: Receive, send: Send) -> None:
    await pages()(scope, receive, send)


def _inside(request: Request) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/mabos/dashboard/", 303)


def _mount_routes(routes: list[BaseRoute]) -> Starlette:
    """Return the routes as FastAPI where that is installed: some servers of LangGraph's protocol take nothing else."""
    is_development = environment().variables.get(_SERVER) == "local_dev"
    before = [Middleware(OwnPages)] if is_development else []  # LangGraph puts them before all of its own routes
    try:
        from fastapi import FastAPI
    except ModuleNotFoundError:
        return Starlette(routes=routes, middleware=before)
    return FastAPI(routes=routes, middleware=before, openapi_url=None)


app = _mount_routes(
    [
        Route("/mabos/dashboard", _inside),
        Mount("/mabos/dashboard", app=_serve_pages),
        Mount("/mabos", app=_serve_surface),
    ]
)
