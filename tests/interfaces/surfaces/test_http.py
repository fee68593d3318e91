"""The catalogue over HTTP: what is answered, with which status, and to whom."""

import asyncio
import hmac
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import httpx
import pytest

from mabos.configs.errors import Damaged, Refused, Unavailable
from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.guard import LARGEST_BODY, Guard
from mabos.interfaces.surfaces.http import http_app
from mabos.tools.business.webhooks import webhook_process
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Services
from tests.interfaces.command_line import answer, mabos
from tests.interfaces.surfaces.offices import HERE, NOW, copied, posted, requested
from tests.interfaces.surfaces.servers import serving

TOKEN = "open sesame"  # noqa: S105 - known to these tests alone
COSTLY = {
    "title": "Compliance gaps closed",
    "description": "Close what the audit found",
    "required_skills": ["compliance"],
    "budget_usd": 20_000,
}


@pytest.fixture
def services(company: Path, tmp_path: Path) -> Iterator[Services]:
    with copied(company, tmp_path / "workspace") as opened:
        yield opened


def app(services: Services, token: str = "") -> Guard:
    door = Door(services)
    return Guard(http_app(lambda: door, has_token=bool(token)), token)


@pytest.mark.parametrize(
    ("tool", "given", "status", "code"),
    [
        ("belief_get", {"agent_id": "cfo"}, 200, ""),
        ("memory_recall", {"limit": "many", "agent_id": "cfo"}, 400, "invalid_argument"),
        ("belief_get", ["cfo"], 400, "invalid_argument"),
        ("belief_get", {"agent_id": "nobody"}, 404, "unknown_id"),
        ("belief_gte", {}, 404, "unknown_id"),
        ("work_package_create", COSTLY | {"agent_id": "coo"}, 202, "awaiting_approval"),
        ("model:embed", {"text": "runway"}, 503, "unavailable"),
    ],
)
def test_the_status_says_whose_turn_it_is(tool: str, given: Any, status: int, code: str, services: Services) -> None:
    response = posted(services, tool, given)
    assert response.status_code == status, response.text
    assert response.json()["ok"] is (not code)
    assert response.json().get("error", {}).get("code", "") == code


def test_an_agent_may_name_only_itself_and_is_named_in_header_or_query_by_a_person(services: Services) -> None:
    assert posted(services, "belief_get", {"agent_id": "ceo"}, "cfo").status_code == 403
    assert posted(services, "belief_get", {}, "cfo", params={"agent": "ceo"}).status_code == 403
    assert posted(services, "belief_get", {}, "cfo", headers={"X-Mabos-Agent": "ceo"}).status_code == 403
    named = posted(services, "belief_get", {}, params={"agent": "cfo"})
    assert named.json() == posted(services, "belief_get", {}, headers={"X-Mabos-Agent": "cfo"}).json()
    assert named.json() == posted(services, "belief_get", {"agent_id": "cfo"}).json()
    both = posted(services, "belief_get", {}, params={"agent": "cfo"}, headers={"X-Mabos-Agent": "ceo"})
    assert (both.status_code, both.json()["error"]["argument"]) == (400, "agent")


def test_tools_are_listed_and_described(services: Services) -> None:
    rows = requested(app(services), "GET", "/tools").json()["result"]["tools"]
    assert rows == json.loads(json.dumps(services.tools.rows()))
    one = requested(app(services), "GET", "/tools/ldg:task:get").json()["result"]
    assert one == requested(app(services), "GET", "/tools/ldg_task_get").json()["result"]
    assert one["schema"] == services.tools.tool("ldg:task:get").schema
    assert requested(app(services), "GET", "/tools/nothing").status_code == 404
    assert requested(app(services), "GET", "/health").json() == {"ok": True, "result": {"agents": 9}}


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 200),
        (b"{}", "application/json; charset=utf-8", 200),
        (b"{}", "text/plain", 415),
        (b"{}", "", 415),
        (b"{", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"limit": 1, "limit": 2}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"subject": "' + b"x" * LARGEST_BODY + b'"}', "application/json", 413),
    ],
)
def test_a_body_that_is_no_object_of_json_is_refused_in_the_same_form(
    body: bytes, kind: str, status: int, services: Services
) -> None:
    response = requested(
        app(services), "POST", "/tools/ldg:task:list", content=body, headers={"content-type": kind} if kind else {}
    )
    assert response.status_code == status, response.text
    assert response.json()["ok"] is (status == 200)


def test_a_body_that_does_not_say_how_long_it_is_is_stopped_at_the_limit(services: Services) -> None:
    async def endless() -> Any:
        for _ in range(LARGEST_BODY // 65_536 + 1):
            yield b" " * 65_536

    response = requested(
        app(services), "POST", "/tools/belief_get", content=endless(), headers={"content-type": "application/json"}
    )
    assert response.status_code == 413


@pytest.mark.parametrize(("method", "path", "status"), [("PUT", "/tools", 405), ("GET", "/nowhere", 404)])
def test_a_way_that_does_not_exist_is_answered_in_the_same_form(
    method: str, path: str, status: int, services: Services
) -> None:
    response = requested(app(services), method, path)
    assert response.status_code == status
    assert path in response.json()["error"]["message"]


def test_with_a_token_only_who_bears_it_is_served_and_health_is_told_to_all(services: Services) -> None:
    guarded = app(services, TOKEN)

    def status(**headers: str) -> int:
        return requested(guarded, "GET", "/tools", headers=headers).status_code

    assert status(authorization=f"Bearer {TOKEN}") == 200
    assert status(authorization=f"Bearer {TOKEN}", host="mabos.example.com") == 200
    assert status() == 401
    assert status(authorization="Bearer guessed") == 401
    assert status(authorization=TOKEN) == 401
    assert requested(guarded, "GET", "/tools").headers["www-authenticate"] == "Bearer"
    assert requested(guarded, "GET", "/health").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "mabos.example.com"},
        {"origin": "https://example.com"},
        {"origin": "null"},
        {"host": "localhost.evil.com"},
    ],
)
def test_without_a_token_no_page_of_a_browser_gets_through(headers: dict[str, str], services: Services) -> None:
    response = requested(app(services), "POST", "/tools/belief_get", json={}, headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (403, "refused")


def test_each_tool_is_an_operation_with_its_own_schema(services: Services) -> None:
    described = requested(app(services, TOKEN), "GET", "/openapi.json", headers={"authorization": f"Bearer {TOKEN}"})
    document = described.json()
    assert document["openapi"].startswith("3.1")
    for tool in services.tools.all():
        operation = document["paths"][f"/tools/{tool.name}"]["post"]
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        assert set(schema["properties"]) == set(tool.schema["properties"])
        assert schema["required"] == tool.schema["required"]
    assert "#/$defs" not in described.text
    assert document["security"] == [{"token": []}]


def test_a_server_is_reached_by_its_token_and_closes_the_workspace_when_it_ends(company: Path, tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(company, root)
    given = {"content": "The bank called", "importance": 0.7}
    everywhere = "0.0.0.0:0"
    with serving(root, "serve", "--http", everywhere, MABOS_TOKEN=TOKEN) as told:
        url = f"http://127.0.0.1:{told.rpartition(':')[2]}/memory_store_item?agent=cfo"
        assert httpx.post(url, json=given).status_code == 401
        stored = httpx.post(url, json=given, headers={"authorization": f"Bearer {TOKEN}"})
        assert stored.status_code == 200, stored.text
        assert "server" not in stored.headers
        found = answer("call", "memory_recall", json.dumps({"query": "bank", "agent_id": "cfo"}), workspace=root)
        assert found["result"]["items"][0]["content"] == "The bank called"


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_nobody_is_served_beyond_this_machine_without_a_token(command: str, company: Path, tmp_path: Path) -> None:
    shutil.copytree(company, tmp_path / "workspace")
    result = mabos(command, "--http", "0.0.0.0:0", workspace=tmp_path / "workspace", code=1)
    assert "set MABOS_TOKEN to a secret" in result.stderr


@pytest.mark.parametrize("address", ["here", "127.0.0.1:99999", "127.0.0.1:"])
def test_an_address_that_is_none_is_said(address: str, company: Path, tmp_path: Path) -> None:
    shutil.copytree(company, tmp_path / "workspace")
    result = mabos("serve", "--http", address, workspace=tmp_path / "workspace", code=1)
    assert "give HOST:PORT" in result.stderr


def test_a_fault_of_our_own_is_answered_in_the_same_form() -> None:
    def nowhere() -> Door:
        raise RuntimeError("out of paper")

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(Guard(http_app(nowhere)), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            return await client.get("/tools")

    response = asyncio.run(ask())
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal"
    assert "RuntimeError: out of paper" in response.json()["error"]["message"]


SECRET = "whsec_test"  # noqa: S105 - of these tests


def signed(body: bytes) -> dict[str, str]:
    """Return the headers of a report of Stripe that is signed now."""
    stamp = int(NOW.timestamp())
    digest = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, "sha256").hexdigest()
    return {"host": "mabos.example.com", "stripe-signature": f"t={stamp},v1={digest}"}


def test_a_signed_report_is_taken_in_from_outside_and_another_is_refused(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(services.environment.variables, "STRIPE_WEBHOOK_SECRET", SECRET)
    event = {
        "id": "evt_1",
        "object": "event",
        "type": "invoice.paid",
        "created": int(NOW.timestamp()),
        "data": {"object": {}},
    }
    body = json.dumps(event).encode()

    def reported(headers: dict[str, str], content: bytes = body, source: str = "stripe") -> httpx.Response:
        return requested(app(services, TOKEN), "POST", f"/webhooks/{source}", content=content, headers=headers)

    def written() -> int:
        return sum(services.ledger.last(agent) for agent in services.ledger.agents())

    first = reported(signed(body))
    assert (first.status_code, first.json()) == (200, {"received": True})
    assert reported(signed(body)).status_code == 200
    before = written()
    assert reported(signed(b"of another")).status_code == 401
    assert reported(signed(body), b"\xff").status_code == 400
    assert reported(signed(body), source="telegram").status_code == 400
    assert reported(signed(body), source="slack").status_code == 503
    assert written() == before, "whoever may reach the address could fill the ledger"


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        (RuntimeError("out of paper"), 500, "internal"),
        (Damaged("events.json, line 3: no JSON"), 500, "damaged"),
        (OSError(28, "No space left on device"), 503, "unavailable"),
        (Unavailable("the lock is held"), 503, "unavailable"),
        (Refused("webhook_process: not for you"), 403, "refused"),
    ],
)
def test_a_report_that_a_failure_here_kept_out_is_asked_for_again(
    wrong: Exception, status: int, code: str, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(services.environment.variables, "STRIPE_WEBHOOK_SECRET", SECRET)

    @wraps(webhook_process)
    def broken(*_: object, **__: object) -> dict[str, Any]:
        raise wrong

    tool = Tool.of(broken, module="Integration", writes=True)
    door = Door(replace(services, tools=Registry((), [tool])))
    headers = signed(b"{}")
    reported = requested(Guard(http_app(lambda: door)), "POST", "/webhooks/stripe", content=b"{}", headers=headers)
    assert (reported.status_code, reported.json()["error"]["code"]) == (status, code), reported.text


def test_a_report_is_asked_for_again_while_the_workspace_cannot_be_opened() -> None:
    def closed() -> Door:
        raise Unavailable("the workspace is held by another process")

    reported = requested(Guard(http_app(closed)), "POST", "/webhooks/stripe", content=b"{}")
    assert (reported.status_code, reported.json()["error"]["code"]) == (503, "unavailable")
