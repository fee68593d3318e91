"""No page of a stranger reaches LangGraph's development server: its own page, Studio's and programs do."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from mabos.interfaces.surfaces.strangers_pages import OwnPages

HERE = "http://127.0.0.1:2024"


async def _answered(request: Request) -> Response:
    return PlainTextResponse(f"answered {len(await request.body())}")


@pytest.fixture(scope="module")
def server() -> TestClient:
    """Return a server that answers whatever it is asked, behind what stands before LangGraph's."""
    routes = [Route("/threads/T-1/runs/wait", _answered, methods=["GET", "POST", "OPTIONS"])]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(OwnPages)]), base_url=HERE)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://smith.langchain.com"},
        {"Origin": "https://smith.langchain.com.evil.example"},
        {"Origin": "https://evilsmith.langchain.com"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Host": "rebound.evil.example:2024"},
        {"Host": "rebound.evil.example:2024", "Origin": "http://rebound.evil.example:2024"},
        {"Host": "127.0.0.1@evil.example"},
        {"Host": ""},
    ],
)
@pytest.mark.parametrize("method", ["POST", "OPTIONS", "GET"])
def test_no_page_of_a_stranger_is_answered_also_without_a_preflight(
    method: str, headers: dict[str, str], server: TestClient
) -> None:
    told = {**headers, "Content-Type": "text/plain"}  # what a browser sends across sites without asking first
    answer = server.request(method, "/threads/T-1/runs/wait", headers=told, content="{}")
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert not answer.json()["ok"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://smith.langchain.com"},
        {"Origin": "https://eu.smith.langchain.com"},
        {"Origin": "http://localhost:3000"},
        {"Origin": HERE},
        {"Host": "localhost:2024"},
        {"Host": "[::1]:2024"},
    ],
)
def test_programs_of_this_machine_and_studio_are_answered(headers: dict[str, str], server: TestClient) -> None:
    assert server.post("/threads/T-1/runs/wait", headers=headers, content="{}").text == "answered 2"
