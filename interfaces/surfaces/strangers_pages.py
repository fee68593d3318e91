"""Protection of LangGraph's development server, which has no authentication, against other sites' pages.

Its answers are readable for every page, and it accepts requests of any content type: a page opened by the owner could
answer decisions in the owner's name. Programs on this machine send no `Origin` and are served; so is Studio's page.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from mabos.configs.errors import Refused
from mabos.interfaces.surfaces.door import build_failure
from mabos.interfaces.surfaces.guard import build_response, is_loopback

STUDIO = "smith.langchain.com"


class OwnPages:
    """An ASGI application that passes on requests unless another site's page sent them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with 403 and the body that every error has."""
        foreign = _foreign(Headers(scope=scope)) if scope["type"] in {"http", "websocket"} else None
        if foreign is None:
            await self._app(scope, receive, send)
            return
        wrong = f"a page of {foreign!r} may ask nothing here; this server is for its machine and for Studio's page"
        await build_response(build_failure(Refused(wrong)).as_json(), 403)(scope, receive, send)


def _foreign(headers: Headers) -> str | None:
    """Return who asks that may not: a page of elsewhere, or one that took a name for this machine (DNS rebinding)."""
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    if not is_loopback(host):
        return host
    origin = headers.get("origin", "")
    page = urlsplit(origin)
    name = page.hostname or ""
    is_studio = page.scheme == "https" and (name == STUDIO or name.endswith(f".{STUDIO}"))
    return origin if origin and not is_studio and not is_loopback(name) else None
