"""The dashboard application: pages to read, and forms that act through the same calls as other surfaces."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anyio import create_task_group
from anyio.to_thread import run_sync
from fastapi import Depends, FastAPI, Request
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from mabos.configs.errors import MabosError, Refused
from mabos.interfaces.dashboard import changes
from mabos.interfaces.dashboard.actions import (
    BegunTurn,
    begin_turn,
    drop,
    event,
    resolve,
    resolve_every,
    run_once,
    set_limits,
    turn_events,
)
from mabos.interfaces.dashboard.editing import dismiss, save
from mabos.interfaces.dashboard.entrance import (
    ENTER,
    Entrance,
    admit_browser,
    asked_token,
    check_forgery,
    cookie,
    cookie_name,
    form_proof,
)
from mabos.interfaces.dashboard.forms import form, upload
from mabos.interfaces.dashboard.live import LiveControl, live_state, stop
from mabos.interfaces.dashboard.view import PageRequest, PageView, Query, Reasons, address, page
from mabos.interfaces.dashboard.views import EDIT, VIEWS, prepare
from mabos.interfaces.dashboard.visits import next_visit
from mabos.interfaces.surfaces.door import Door, build_failure
from mabos.interfaces.surfaces.status import status as status_of
from mabos.tools.people.stakeholder import all_decisions
from mabos.workspace.currencies import speaking_in

RUNS = Path("simulations")
"""The default folder of runs of `mabos simulate`."""

_EVENTS = "text/event-stream"
_YEAR = 365 * 24 * 3600
_NO_DRAFT: Mapping[str, str] = MappingProxyType({})
_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class _Site:
    """The parts of a dashboard."""

    door: Callable[[], Door]
    reasons: Reasons
    runs: Path
    live: LiveControl | None

    def asked(
        self, query: Query, base: str = "", visited: str = "", draft: Mapping[str, str] = _NO_DRAFT
    ) -> PageRequest:
        """Return a request of a page: the query of its address, and the path below which another server has it."""
        return PageRequest(self.door().services, self.reasons, self.runs, query, base, visited, draft)


def dashboard(
    door: Callable[[], Door],
    token: str = "",
    *,
    runs: Path = RUNS,
    stopped: Callable[[], bool] = lambda: False,
    live: LiveControl | None = None,
) -> Entrance:
    """Return the dashboard behind its entrance.

    `door` is called at every request, in a thread, and must be a person's. `runs` is the folder of simulated runs,
    `stopped` reports that the server is shutting down. At the server's start, all views are prepared in the background.
    `live` starts the company; without it a page can only stop it.
    """
    site = _Site(door, Reasons(), runs, live)

    @asynccontextmanager
    async def prepares(_: FastAPI) -> AsyncIterator[None]:
        async with create_task_group() as beside:
            beside.start_soon(run_sync, prepare, lambda: site.asked(QueryParams()), stopped)
            yield

    app = FastAPI(openapi_url=None, dependencies=[Depends(check_forgery)], lifespan=prepares)
    app.add_exception_handler(HTTPException, _render_refusal)
    app.add_exception_handler(Exception, _render_failure)

    @app.get("/")
    async def first(request: Request) -> Response:
        return RedirectResponse(f"{_base(request)}/{VIEWS[0].name}", 303)

    for view in (*VIEWS, EDIT):
        app.add_api_route(f"/{view.name}", _shows(site, view), methods=["GET"])

    @app.get("/changes")
    async def news(request: Request) -> Response:
        opened = await run_sync(door)
        known = request.headers.get("last-event-id") or request.query_params.get("since", "")
        return StreamingResponse(changes.stream_changes(opened.services.layout, known, stopped), media_type=_EVENTS)

    _add_actions(app, site)
    _add_entrance(app)
    return Entrance(app, token)


def _add_actions(app: FastAPI, site: _Site) -> None:
    @app.post("/chat")
    async def say(request: Request) -> Response:
        given = await form(request)
        return await _turn(request, site, given)

    for path, act in _ACTIONS.items():
        app.add_api_route(path, _takes(site, act), methods=["POST"])

    @app.post("/inbox")
    async def put(request: Request) -> Response:
        given, (name, content) = await form(request), await upload(request)
        return await run_sync(lambda: _drop_file(request, site, given, name, content))


def _add_entrance(app: FastAPI) -> None:
    @app.get(ENTER)
    async def enter(request: Request) -> Response:
        shown = asked_token(request.scope)
        return admit_browser(request, shown) or _enter_page(request, is_wrong=bool(shown))

    @app.post(ENTER)
    async def try_enter(request: Request) -> Response:
        shown = (await form(request)).get("token", "")
        return admit_browser(request, shown) or _enter_page(request, is_wrong=True)

    @app.get("/assets/{name}")
    async def asset(name: str) -> Response:
        kind = _KINDS.get(name.rpartition(".")[2])
        assets = (files("mabos.interfaces.dashboard") / "assets").iterdir()
        found = next((one for one in assets if one.name == name), None)  # no name that was sent becomes a path
        if kind is None or found is None:
            raise HTTPException(404, "no such asset")
        return Response(found.read_bytes(), media_type=kind, headers={"Cache-Control": "max-age=600"})


def _shows(site: _Site, view: PageView) -> Callable[[Request], Any]:
    async def show(request: Request) -> Response:
        return await run_sync(lambda: _page(request, site, view, request.query_params))

    return show


def _takes(site: _Site, action: "_FormAction") -> Callable[[Request], Any]:
    """Return the handler of a form; a refusal is shown on the page of the form, which keeps what was written."""

    def act(request: Request, given: Mapping[str, str]) -> Response:
        try:
            return action.act(request, site, given)
        except MabosError as error:
            query = QueryParams({name: given.get(name, "") for name in action.fields})
            return _page(request, site, _view(action.view), query, wrong=error.message, draft=given)

    async def take(request: Request) -> Response:
        given = await form(request)
        return await run_sync(act, request, given)

    return take


def _page(
    request: Request,
    site: _Site,
    view: PageView,
    query: Query,
    *,
    wrong: str = "",
    draft: Mapping[str, str] = _NO_DRAFT,
) -> Response:
    """Return the page of a view; an invalid request is reported on it."""
    cookies, name = request.cookies, f"{cookie_name(request.scope)}-visit"
    before, visit = next_visit(cookies.get(name, ""), site.door().services.clock())
    asked = site.asked(query, _base(request), before, draft)
    with speaking_in(_currency(asked)):
        answer = _render_view(request, site, view, asked, wrong)
    if view.name == "overview":
        answer.headers.append("Set-Cookie", cookie(request.scope, visit, name, max_age=_YEAR))
    return answer


def _currency(asked: PageRequest) -> str:
    """Return the currency of the business that a page shows; "" without one."""
    with suppress(MabosError):  # the page reports what is wrong
        return business.currency if (business := asked.business()) else ""
    return ""


def _render_view(request: Request, site: _Site, view: PageView, asked: PageRequest, wrong: str) -> Response:
    state = changes.stamp(asked.services.layout)  # before the page reads: what changes meanwhile is news to it
    try:
        shown, template, status = view.shown(asked), view.name, 400 if wrong else 200
    except MabosError as error:
        shown, template, wrong = {}, "wrong", error.message
        status = status_of(build_failure(error))
    frame = {
        "views": VIEWS,
        "here": view,
        "state": state,
        "form_proof": form_proof(request),
        "workspace": asked.services.layout.root.name,
        "company": live_state(asked.services.layout, site.live),
        "waiting_now": sum(one.open for one in all_decisions(asked.services)),
        "wrong": wrong,
    }
    return HTMLResponse(page(template, frame | dict(shown), base=asked.base), status)


def _resolve_decision(request: Request, site: _Site, given: Mapping[str, str]) -> Response:
    """Answer a question according to the form, and show the next one."""
    if given.get("every"):
        return _to(request, "/decisions", now=str(resolve_every(site.door(), given)))
    then = "overview" if given.get("then") == "overview" else "decisions"
    return _to(request, f"/{then}", done=resolve(site.door(), given))


async def _turn(request: Request, site: _Site, given: Mapping[str, str]) -> Response:
    """Hold one turn of a conversation: streamed where the page's script asks for it, else up to the next page."""
    is_streamed = _EVENTS in request.headers.get("accept", "")
    door = await run_sync(site.door)
    try:
        begun: BegunTurn = await run_sync(begin_turn, door, given)
    except MabosError as error:
        return await run_sync(partial(_chat_refused, request, site, given, error, is_streamed=is_streamed))
    events = turn_events(door, begun)
    if is_streamed:
        return StreamingResponse(events, media_type=_EVENTS)
    wrong = [event async for event in events if event.startswith("event: wrong")]
    if wrong:
        failure = MabosError(json.loads(wrong[0].partition("data: ")[2]))
        return await run_sync(partial(_chat_refused, request, site, given, failure, is_streamed=False))
    return _to(request, "/chat", agent=given.get("agent", ""), done=begun.answered, fragment="end")


def _chat_refused(
    request: Request, site: _Site, given: Mapping[str, str], error: MabosError, *, is_streamed: bool
) -> Response:
    """Report why a turn did not start; the page keeps the message."""
    if is_streamed:
        return Response(event("wrong", error.message), status_of(build_failure(error)), media_type=_EVENTS)
    query = QueryParams({"agent": given.get("agent", ""), "draft": given.get("message", "")})
    return _page(request, site, _view("chat"), query, wrong=error.message)


def _ran(request: Request, site: _Site, given: Mapping[str, str]) -> Response:
    """Run a cycle of an agent, and show its actions."""
    agent_id = given.get("agent", "")
    return _to(request, "/minds", agent=agent_id, ran=run_once(site.door(), agent_id))


def _apply_edit(request: Request, site: _Site, given: Mapping[str, str]) -> Response:
    """Save a file of a mind, or remove a version left by a conflict."""
    where = {name: given.get(name, "") for name in ("agent", "file")}
    if given.get("do") == "dismiss":
        dismiss(site.door(), **where, seen=given.get("seen", ""))
        return _to(request, "/edit", **where)
    saved = save(site.door(), **where, base=given.get("base", ""), text=given.get("text", ""))
    return _to(request, "/edit", **where, saved=str(saved))


def _switch_company(request: Request, site: _Site, given: Mapping[str, str]) -> Response:
    """Start or stop the live company."""
    layout = site.door().services.layout
    if given.get("do") == "stop":
        stop(layout)
    elif site.live is None:
        raise Refused("This dashboard cannot start the company. Start it with: mabos live")
    else:
        site.live.start(layout)
    return _to(request, "/overview")


def _set_limits(request: Request, site: _Site, given: Mapping[str, str]) -> Response:
    """Change what the owner is asked about, and say how many limits were changed."""
    changed = str(set_limits(site.door(), given))
    return _to(request, "/overview", business=given.get("business", ""), limits=changed, fragment="limits")


def _drop_file(request: Request, site: _Site, given: Mapping[str, str], name: str, content: bytes) -> Response:
    """Put a file into the inbox of a business, and say under which name."""
    business_id = given.get("business", "")
    try:
        stored = drop(site.door(), business_id, name, content)
    except MabosError as error:
        return _page(request, site, _view("overview"), QueryParams({"business": business_id}), wrong=error.message)
    return _to(request, "/overview", business=business_id, dropped=stored, fragment="files")


@dataclass(frozen=True, slots=True)
class _FormAction:
    """The action of a form, the page that shows a refusal, and the fields of the form that go into its address."""

    act: Callable[[Request, _Site, Mapping[str, str]], Response]
    view: str
    fields: tuple[str, ...] = ()


_ACTIONS = {
    "/decisions": _FormAction(_resolve_decision, "decisions", ("id",)),
    "/minds": _FormAction(_ran, "minds", ("agent",)),
    "/edit": _FormAction(_apply_edit, "edit", ("agent", "file")),
    "/live": _FormAction(_switch_company, "overview"),
    "/limits": _FormAction(_set_limits, "overview", ("business",)),
}


def _view(name: str) -> PageView:
    return next(one for one in (*VIEWS, EDIT) if one.name == name)


def _to(request: Request, path: str, *, fragment: str = "", **query: str) -> Response:
    way = address(_base(request), path, **query)
    return RedirectResponse(f"{way}#{fragment}" if fragment else way, 303)


def _enter_page(request: Request, *, is_wrong: bool) -> Response:
    wrong = "That is not the token. It is printed where the dashboard was started." if is_wrong else ""
    shown = {"wrong": wrong, "to": request.query_params.get("to", "/")}
    return HTMLResponse(page("enter", shown, base=_base(request)), 403 if is_wrong else 200)


async def _render_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    shown = page("refused", {"wrong": str(error.detail)}, base=_base(request))
    return HTMLResponse(shown, error.status_code, error.headers)


async def _render_failure(request: Request, error: Exception) -> Response:
    """Say that something is wrong with MABOS itself; the server logs the rest."""
    wrong = f"{request.url.path} failed: {type(error).__name__}: {error}"
    return HTMLResponse(page("refused", {"wrong": wrong}, base=_base(request)), 500)


def _base(request: Request) -> str:
    return str(request.scope.get("root_path", ""))
