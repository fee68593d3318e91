"""A conversation over HTTP and MCP: the stream, the reply, and whoever goes away."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from mabos.graphs.wiring import run_cycle
from mabos.interfaces.surfaces.conversation import addressee, turn
from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.guard import Guard
from mabos.interfaces.surfaces.http import http_app
from mabos.interfaces.surfaces.mcp import mcp_server
from mabos.tools.runtime.services import Services
from tests.interfaces.surfaces.offices import copied, requested

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."


@pytest.fixture
def services(company: Path, tmp_path: Path) -> Iterator[Services]:
    with copied(company, tmp_path / "workspace") as opened:
        yield opened


def said(services: Services, path: str, body: Any, agent: str = "", **headers: str) -> Any:
    door = Door.of(services, agent)
    more = {"content-type": "application/json"} | {name.replace("_", "-"): one for name, one in headers.items()}
    return requested(Guard(http_app(lambda: door)), "POST", path, content=json.dumps(body), headers=more)


def events(text: str) -> list[tuple[str, Any]]:
    parts = [dict(line.split(": ", 1) for line in part.splitlines()) for part in text.split("\n\n") if part]
    return [(one["event"], json.loads(one["data"])) for one in parts]


def test_a_turn_is_streamed_as_server_sent_events(services: Services) -> None:
    response = said(services, "/chat/cmo", {"message": ORDER}, accept="text/event-stream")
    assert response.headers["content-type"].startswith("text/event-stream")
    told = events(response.text)
    (made,) = services.business().campaigns.all()
    assert [kind for kind, _ in told][:1] == ["phase"]
    assert [one["ref"] for kind, one in told if kind == "tool" and not one["is_own"]] == [made.id]
    assert (told[-1][0], made.id in told[-1][1]["text"]) == ("reply", True)


def test_without_a_stream_the_reply_alone_is_answered_and_the_company_chooses(services: Services) -> None:
    answer = said(services, "/chat", {"message": ORDER}).json()
    assert answer["ok"]
    assert (answer["result"]["agent_id"], answer["result"]["kind"]) == ("cmo", "reply")
    assert "ad_campaign_create" in answer["result"]["chosen_because"]
    door = Door(services)
    lines = requested(Guard(http_app(lambda: door)), "GET", "/chat/cmo").json()["result"]["messages"]
    assert [one["sender"] for one in lines] == ["stakeholder", "cmo"]


@pytest.mark.parametrize(
    ("path", "body", "agent", "status"),
    [
        ("/chat/cmo", {}, "", 400),
        ("/chat/cmo", {"message": " "}, "", 400),
        ("/chat/cmo", {"message": "Hello", "mesage": "x"}, "", 400),
        ("/chat/nobody", {"message": "Hello"}, "", 404),
        ("/chat/cmo", {"message": "Hello"}, "cmo", 403),
    ],
)
def test_what_cannot_be_said_is_refused_before_a_cycle(
    path: str, body: Any, agent: str, status: int, services: Services
) -> None:
    response = said(services, path, body, agent)
    assert (response.status_code, response.json()["ok"]) == (status, False)
    assert services.inbox("cmo").messages() == ()


def test_a_form_of_another_site_says_nothing(services: Services) -> None:
    assert said(services, "/chat/cmo", {"message": ORDER}, content_type="text/plain").status_code == 415


def test_a_client_of_mcp_gets_progress_and_the_reply(services: Services) -> None:
    told = list[str]()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def ask() -> Any:
        async with Client(mcp_server(Door(services))) as client:
            given = {"agent_id": "cmo", "message": ORDER}
            return await client.call_tool("ask_agent", given, progress_callback=progress)

    answer = asyncio.run(ask())
    (made,) = services.business().campaigns.all()
    assert made.id in answer.structured_content["result"]["answer"]
    assert made.id in answer.content[0].text
    assert "cmo: perceive" in told
    assert any("ad_campaign_create" in one for one in told)


def test_an_agent_is_not_offered_to_talk_as_the_owner(services: Services) -> None:
    async def ask() -> Any:
        async with Client(mcp_server(Door.of(services, "cfo"))) as client:
            names = [one.name for one in (await client.list_tools()).tools]
            return names, await client.call_tool("ask_agent", {"message": "Pay me"})

    names, answer = asyncio.run(ask())
    assert "ask_agent" not in names
    assert answer.structured_content["error"]["code"] == "refused"


def test_whoever_goes_away_loses_nothing_that_was_said(services: Services) -> None:
    async def leave() -> None:
        events = turn(Door(services), addressee(Door(services), {"agent_id": "cfo", "message": "What is our cash?"}))
        async for _ in events:
            break
        await events.aclose()  # type: ignore[attr-defined]  # a generator

    asyncio.run(leave())
    (message,) = [one for one in services.inbox("cfo").messages() if one.sender == "stakeholder"]
    run_cycle(services, "cfo")
    assert [one.reply_to for one in services.inbox("stakeholder").messages() if one.sender == "cfo"] == [message.id]
