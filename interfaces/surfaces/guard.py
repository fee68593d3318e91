"""Protection of a server: the allowed callers, and the maximum size of a request.

With a token, its bearer may call from anywhere. Without one, only this machine may: the connection, the `Host` and the
`Origin` must all be loopback. So no page in a browser can reach a private server (DNS rebinding, cross-site requests).
"""

import hmac
import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mabos.configs.errors import InvalidArgument, Refused, Unavailable
from mabos.interfaces.surfaces.door import build_failure

TOKEN_VARIABLE = "MABOS_TOKEN"  # noqa: S105 - the name of a variable, no secret
LARGEST_BODY = 4 * 1024 * 1024
"""Bytes; the same as MCP's own limit."""


class Guard:
    """An ASGI application that passes allowed requests on to another.

    `/health` is public, and a request to `/webhooks/` is authenticated by its signature.
    """

    def __init__(self, app: ASGIApp, token: str = "", *, largest: int = LARGEST_BODY) -> None:
        self._app, self._token, self._largest = app, token, largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with 401, 403 or 413 and the body that every error has."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":  # nothing here speaks websocket
            return
        if not _is_open(scope) and (refusal := self._refusal(scope)):
            await refusal(scope, receive, send)
            return
        body = await _read(receive, Headers(scope=scope), self._largest)
        if body is None:
            wrong = InvalidArgument(f"a request may have at most {self._largest:,} bytes", argument="arguments")
            await build_response(build_failure(wrong).as_json(), 413)(scope, receive, send)
            return
        await self._app(scope, _Replay(body, receive), send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if self._token:
            if hmac.compare_digest(headers.get("authorization", "").encode(), f"Bearer {self._token}".encode()):
                return None
            wrong = f"the request bears no valid token; send it as 'Authorization: Bearer $'{TOKEN_VARIABLE}"
            return build_response(build_failure(Refused(wrong)).as_json(), 401, {"WWW-Authenticate": "Bearer"})
        origin = headers.get("origin", "")
        asked = [(scope.get("client") or ("",))[0], urlsplit(f"//{headers.get('host', '')}").hostname or ""]
        asked += [urlsplit(origin).hostname or ""] if origin else []
        foreign = next((host for host in asked if not is_loopback(host)), None)
        if foreign is None:
            return None
        wrong = f"without a token only this machine is served, not {foreign!r}; set {TOKEN_VARIABLE} where it is served"
        return build_response(build_failure(Refused(wrong)).as_json(), 403)


def build_response(body: Mapping[str, Any], status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer as JSON."""
    text = json.dumps(body, ensure_ascii=False).encode(errors="replace")  # half a surrogate may have been asked for
    return Response(text, status, dict(headers or {}), media_type="application/json")


def is_loopback(host: str) -> bool:
    """Return whether a name or address is a loopback one.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "localhost.example.com")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def may_listen(host: str, token: str) -> None:
    """Raise `Unavailable` if other machines could call without a token."""
    if not token and not is_loopback(host):
        message = f"{host} can be reached from other machines; set {TOKEN_VARIABLE} to a secret that callers must send"
        raise Unavailable(message, argument="http")


def path_of(scope: Scope) -> str:
    """Return the requested path, relative to the path at which another server mounts this one."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


def _is_open(scope: Scope) -> bool:
    path = path_of(scope)
    return path == "/health" or path.startswith("/webhooks/")


async def _read(receive: Receive, headers: Headers, largest: int) -> bytes | None:
    """Return the body of a request, or None if it is too large; whatever it claims, no more than that is kept."""
    claimed = headers.get("content-length", "")
    if claimed.isdecimal() and int(claimed) > largest:
        return None
    body = bytearray()
    while True:
        message = await receive()
        body.extend(message.get("body", b""))
        if len(body) > largest:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body)


@dataclass(slots=True)
class _Replay:
    """Replays a body that was read already, and then the messages after it."""

    body: bytes
    receive: Receive
    is_brought: bool = False

    async def __call__(self) -> Message:
        if self.is_brought:
            return await self.receive()
        self.is_brought = True
        return {"type": "http.request", "body": self.body, "more_body": False}
