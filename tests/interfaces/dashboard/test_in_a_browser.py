"""A person with a browser and a keyboard: every answer changes the agent's next cycle."""

import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.company import Company
from tests.interfaces.command_line import NOW
from tests.interfaces.surfaces.servers import serving

pytestmark = pytest.mark.slow
LATER = "2026-03-02"
SERVER_ENDED = ("ERR_CONNECTION", "ERR_INCOMPLETE", "htmx:sendError", "htmx:afterRequest, ")
"""What a page says whose server ended while it asked: the browser, and htmx about a request that was never answered."""


@pytest.fixture
def acme(asking: Path, tmp_path: Path) -> Company:
    return Company(Path(shutil.copytree(asking, tmp_path / "workspace")))


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(color_scheme="dark")
    context.set_default_timeout(15_000)
    opened, said = context.new_page(), []
    opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened
    context.close()
    lost = [one for one in said if not any(sign in one for sign in SERVER_ENDED)]
    assert lost == []


def served(acme: Company, port: int) -> Any:
    return serving(acme.root, "dashboard", "--http", f"127.0.0.1:{port}", MABOS_NOW=NOW)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def approved(page: Any) -> None:
    page.keyboard.press("a")
    page.keyboard.type("go ahead")
    page.click("#approve")


def rejected(page: Any) -> None:
    page.keyboard.press("x")
    page.keyboard.type("not before the audit")
    page.click("#reject")


def deferred(page: Any) -> None:
    page.keyboard.press("d")
    page.fill("input[name=until]", LATER)
    page.click("#defer")


def modified(page: Any) -> None:
    page.keyboard.press("m")
    page.fill("input[name='argument:weekly_budget_usd']", "1000")
    page.click("#modify")


def campaigns(acme: Company) -> list[float]:
    path = "businesses/acme/campaigns.json"
    booked = acme.read(path)["campaigns"] if acme.file(path).exists() else []
    return [one["weekly_budget_usd"] for one in booked if one["name"] == "Big"]


def waits(acme: Company) -> bool:
    found = {one["id"]: one["status"] for one in acme.data("mind", "cmo")["intentions"]}
    return found.get("I-x") == "awaiting_approval"


@pytest.mark.parametrize(
    ("answers", "word", "spent", "still", "restarts"),
    [
        (approved, "approved", [2500], False, False),
        (rejected, "rejected", [], False, False),
        (deferred, "deferred", [], True, False),
        (modified, "modified", [1000], False, True),
    ],
    ids=["approve", "reject", "defer", "modify after a restart"],
)
def test_an_answer_in_the_browser_changes_the_next_cycle(
    *,
    answers: Callable[[Any], None],
    word: str,
    spent: list[float],
    still: bool,
    restarts: bool,
    acme: Company,
    page: Any,
) -> None:
    port = free_port()
    with served(acme, port) as url:
        page.goto(f"{url}/decisions")
        assert "campaign" in page.inner_text("#subject").lower()
        if not restarts:
            answers(page)
            page.wait_for_selector(".notice.is-done")
    if restarts:
        with served(acme, port):
            answers(page)
            page.wait_for_selector(".notice.is-done")
    assert word in page.inner_text(".notice.is-done")
    assert campaigns(acme) == []
    acme.run("cmo")
    acme.run("cmo")
    assert campaigns(acme) == spent
    assert waits(acme) is still
    if word == "rejected":
        assert "not before the audit" in acme.text("agents/cmo/Learnings.md")


def test_a_page_shows_what_another_process_wrote_without_being_asked(acme: Company, page: Any) -> None:
    with served(acme, free_port()) as url:
        page.goto(f"{url}/decisions")
        assert page.locator(".list a").count() == 1
        acme.command("decisions", "reject", acme.read("businesses/acme/decision-queue.json")[0]["id"])
        page.wait_for_selector(".empty")
