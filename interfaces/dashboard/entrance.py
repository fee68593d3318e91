"""Access control for the dashboard, and security headers for every answer.

With a token, a browser that has presented it gets a cookie signed with it. Without a token only this machine is served,
as `guard` ensures; the cookie then only ties forms to the browser that received them.
"""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import HTTPException, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import Message, Receive, Scope, Send

from mabos.interfaces.dashboard.forms import form
from mabos.interfaces.surfaces.guard import Guard, path_of

ENTER = "/enter"
FORM_FIELD = "form"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_OPEN = ("/assets/", ENTER)


class Entrance(Guard):
    """An access guard for pages: a cookie replaces the token, and pages load only the dashboard's own content."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or send the browser to where a token is asked for."""
        if scope["type"] == "http":
            known = _session(scope, self._token)
            session = known or _new_session(self._token)
            scope["state"] = {
                **scope.get("state", {}),
                "session": session,
                "token": self._token,
                "is_known": bool(known),
            }
            send = _HeaderSender(scope, send, cookie="" if known or self._token else session)
        await super().__call__(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        path = path_of(scope)
        if self._token and (scope["state"]["is_known"] or path.startswith(_OPEN)):
            return None
        refusal = super()._refusal(scope)
        if refusal is not None and self._token and scope["method"] == "GET":
            asked = f"{path}?{scope['query_string'].decode('latin-1')}".rstrip("?")
            return RedirectResponse(f"{scope.get('root_path', '')}{ENTER}?to={quote(asked)}", 303)
        return refusal


class _HeaderSender:
    """Sends an answer with the headers that every answer has."""

    def __init__(self, scope: Scope, send: Send, *, cookie: str) -> None:
        self._scope, self._send, self._cookie = scope, send, cookie

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
            if self._cookie:
                headers.append("Set-Cookie", cookie(self._scope, self._cookie))
        await self._send(message)


def admit_browser(request: Request, token: str) -> Response | None:
    """Return the response that admits a browser presenting `token`, or None if it is wrong."""
    known = str(request.state.token)
    if not known or not hmac.compare_digest(token.encode(), known.encode()):
        return None
    asked = request.query_params.get("to", "/")
    # Only a path of this dashboard: what starts with two slashes, or a slash and a backslash, names another host.
    inside = asked if asked.startswith("/") and not asked.startswith(("//", "/\\")) else "/"
    answer = RedirectResponse(request.scope.get("root_path", "") + inside, 303)
    answer.headers["Set-Cookie"] = cookie(request.scope, _new_session(known))
    return answer


async def check_forgery(request: Request) -> None:
    """Raise 403 for a changing request unless a page of this dashboard, in this browser, sent it."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    origin = request.headers.get("origin", "")
    if origin and urlsplit(origin).netloc != request.headers.get("host", ""):
        raise HTTPException(403, f"a page of {origin} may not change anything here")
    if path_of(request.scope) == ENTER:
        return  # the token itself is the proof
    given = (await form(request)).get(FORM_FIELD, "")
    if not hmac.compare_digest(given.encode(), form_proof(request).encode()):
        raise HTTPException(403, "The form expired or came from another site. Reload the page and try again.")


def form_proof(request: Request) -> str:
    """Return the anti-forgery token for a form, derived from the browser's cookie, which no other site can read."""
    return _sign_text(f"form {request.state.session}", str(request.state.token))


def asked_token(scope: Scope) -> str:
    """Return the token in a request's address, as in the link printed at the start."""
    return parse_qs(str(scope["query_string"], "latin-1")).get("token", [""])[0]


def cookie(scope: Scope, value: str, name: str = "", *, max_age: int = 0) -> str:
    """Return the header that sets a browser's session cookie, or another cookie by name.

    Scripts cannot read it and other sites cannot send it. Without `max_age` seconds it ends with the browser.
    """
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    path = scope.get("root_path", "") or "/"
    age = f"; Max-Age={max_age}" if max_age else ""
    return f"{name or cookie_name(scope)}={value}; Path={path}; HttpOnly; SameSite=Strict{age}{secure}"


def cookie_name(scope: Scope) -> str:
    """Return the cookie's name, which includes the port because browsers share cookies among a host's ports."""
    port = urlsplit(f"//{Headers(scope=scope).get('host', '')}").netloc.rpartition(":")[2]
    return f"mabos-{port}" if port.isdecimal() else "mabos"


def _session(scope: Scope, token: str) -> str:
    """Return the session that a request bears, or "" where it bears none that was given here."""
    found: SimpleCookie = SimpleCookie()
    try:
        found.load(Headers(scope=scope).get("cookie", ""))
    except CookieError:
        return ""
    morsel: Any = found.get(cookie_name(scope))
    session = morsel.value if morsel else ""
    name, _, proof = session.partition(".")
    return str(session) if name and hmac.compare_digest(proof.encode(), _sign_text(name, token).encode()) else ""


def _new_session(token: str) -> str:
    name = secrets.token_urlsafe(18)
    return f"{name}.{_sign_text(name, token)}"


def _sign_text(text: str, token: str) -> str:
    return hmac.new(f"dashboard {token}".encode(), text.encode(), "sha256").hexdigest()
