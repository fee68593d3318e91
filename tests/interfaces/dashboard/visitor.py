"""A browser without pictures: it asks for pages in this process, keeps cookies, and sends the forms it is shown."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from lxml import html
from starlette.applications import Starlette
from starlette.routing import Mount

from mabos.interfaces.dashboard.app import dashboard
from mabos.interfaces.dashboard.live import LiveControl
from mabos.interfaces.surfaces.door import Door
from mabos.tools.runtime.services import Services
from tests.interfaces.surfaces.offices import HERE


class Visitor:
    """One browser in front of one dashboard."""

    def __init__(
        self,
        services: Services,
        token: str = "",
        *,
        client: str = "127.0.0.1",
        base: str = HERE,
        runs: Path = Path("nowhere"),
        below: str = "",
        live: LiveControl | None = None,
    ) -> None:
        door = Door(services, publishes=True)
        app: Any = dashboard(lambda: door, token, runs=runs, live=live)
        if below:
            app = Starlette(routes=[Mount(below, app=app)])
        self._app = app
        self._transport = httpx.ASGITransport(app, client=(client, 5000))
        self._base = base
        self.cookies = httpx.Cookies()

    def ask(self, path: str, *, method: str = "GET", **more: Any) -> httpx.Response:
        """Return the answer to one request, without following where it leads."""

        async def answered() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=self._transport, base_url=self._base, cookies=self.cookies
            ) as client:
                answer = await client.request(method, path, **more)
                self.cookies = client.cookies
                return answer

        return asyncio.run(answered())

    def prepare(self) -> None:
        """Start the dashboard as a server does, and return when it has prepared what it prepares."""

        async def started() -> None:
            told = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

            async def receive() -> Any:
                return told.pop(0)

            async def send(message: Any) -> None:
                assert message["type"].endswith(".complete"), message

            await self._app({"type": "lifespan", "state": {}}, receive, send)

        asyncio.run(started())

    def page(self, path: str) -> Any:
        """Return a page as a tree; it must be there."""
        answer = self.ask(path)
        assert answer.status_code == 200, answer.text
        return html.fromstring(answer.text)

    def send(self, path: str, resolution: str, given: Mapping[str, str]) -> httpx.Response:
        """Return the answer to a form of the page, filled in."""
        (found,) = [one for one in self.page(path).forms if one.fields.get("resolution") == resolution]
        return self.ask(found.action, method="POST", data={**dict(found.fields), **given})

    def fill(self, path: str, action: str, /, *, follows: bool = True, **given: str) -> Any:
        """Send the form of a page that has this action and these fields; return the page that it leads to."""
        filled = next(
            one
            for one in self.page(path).forms
            if one.action == action and set(given) - {"do"} <= set(one.fields.keys())
        )
        answer = self.ask(action, method="POST", data={**dict(filled.fields), **given})
        if follows and answer.status_code == 303:
            return self.page(answer.headers["location"].partition("#")[0])
        return answer


def words(page: Any) -> str:
    """Return what a page says."""
    return " ".join(page.text_content().split())
