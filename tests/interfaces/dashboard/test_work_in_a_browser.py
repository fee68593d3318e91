"""A founder at work in a browser: each action, and the record that it leaves."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.company import Company
from tests.interfaces.command_line import NOW
from tests.interfaces.surfaces.servers import serving

pytestmark = pytest.mark.slow
ORDER = "Start a search campaign named '{}' for everybody: 90 dollars a week for 3 weeks."
SEES = """() => {
  window.seen = [];
  const tell = (changes) => window.seen.push(...changes.flatMap((one) => [...one.addedNodes]).filter((one) =>
    one.parentElement?.id === "live" && !one.className).map((one) => one.textContent));
  new MutationObserver(tell).observe(document.getElementById("live"), { childList: true });
}"""
"""Keeps the lines that appear while an agent works: they are gone when the reply is there."""
SCRIPTS = {"with scripts": True, "without scripts": False}


@pytest.fixture(scope="module")
def acme(asking: Path, tmp_path_factory: pytest.TempPathFactory) -> Company:
    """Return a company whose CMO waits for money, and whose CFO and CEO ask something."""
    found = Company(Path(shutil.copytree(asking, tmp_path_factory.mktemp("work") / "workspace")))
    for agent, subject in (("cfo", "Renew the credit line"), ("ceo", "Move the office"), ("ceo", "Buy the shop")):
        asked = {"subject": subject, "description": "It ends in June.", "options": ["Yes", "No"]}
        found.data("call", "decision_request", json.dumps(asked), "--agent", agent)
    return found


@pytest.fixture(scope="module")
def url(acme: Company) -> Iterator[str]:
    with serving(acme.root, "dashboard", "--http", "127.0.0.1:0", MABOS_NOW=NOW) as found:
        yield found


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Return what opens a page; what its console says is wrong fails the test."""
    contexts, wrong = [], []

    def opened(address: str, *, scripts: bool = True) -> Any:
        context = chromium.new_context(java_script_enabled=scripts)
        contexts.append(context)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [one for one in wrong if "status of 400" not in one] == []  # a refusal is no fault of the page


def campaigns(acme: Company, name: str) -> list[Any]:
    path = acme.file("businesses/acme/campaigns.json")
    booked = acme.read("businesses/acme/campaigns.json")["campaigns"] if path.exists() else []
    return [one for one in booked if one["name"] == name]


def decision(acme: Company, subject: str) -> Any:
    every = acme.read("businesses/acme/decision-queue.json")
    return next(one for one in every if subject in one["subject"])


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_an_order_is_given_in_the_chat(scripts: bool, acme: Company, url: str, visit: Callable[..., Any]) -> None:
    name = "Spring" if scripts else "Autumn"
    page = visit(f"{url}/chat?agent=cmo", scripts=scripts)
    page.fill("#say", ORDER.format(name))
    if scripts:
        page.evaluate(SEES)
        page.press("#say", "Enter")
        page.wait_for_function("name => window.seen.some((line) => line.includes(name))", arg=name)
    else:
        page.click("text=Send")
    reply = page.wait_for_selector(f".said.is-mine:has-text('{name}') ~ .is-theirs")
    (made,) = campaigns(acme, name)
    assert made["id"] in reply.inner_text()
    assert page.url.startswith(f"{url}/chat?agent=cmo")
    assert page.input_value("#say") == ""


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_the_overview_takes_an_answer(scripts: bool, acme: Company, url: str, visit: Callable[..., Any]) -> None:
    subject = "Move the office" if scripts else "Buy the shop"
    page = visit(f"{url}/overview", scripts=scripts)
    page.click(f"article:has-text('{subject}') button:has-text('No')")
    page.wait_for_selector(".notice.is-done")
    answered = decision(acme, subject)
    assert (answered["status"], answered["chosen_option"]) == ("approved", "B")


def test_an_approval_is_given_in_the_chat_and_the_agent_goes_on(
    acme: Company, url: str, visit: Callable[..., Any]
) -> None:
    page = visit(f"{url}/chat")
    question = page.locator("article", has_text="2,500").first
    assert "search" in question.inner_text()
    question.locator("button:has-text('Approve')").click()
    page.wait_for_selector(".notice.is-done:has-text('2,500')")
    (made,) = campaigns(acme, "Big")
    assert made["weekly_budget_usd"] == 2500


def test_a_rejection_is_given_in_the_chat_with_its_reason(acme: Company, url: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{url}/chat?agent=cfo")
    page.click("article:has-text('Renew the credit line') summary:has-text('Reject')")
    page.fill("article input[name=feedback]", "not this year")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice.is-done:has-text('Renew the credit line')")
    assert page.query_selector("article:has-text('Renew the credit line')") is None
    answered = decision(acme, "Renew the credit line")
    assert (answered["status"], answered["feedback"]) == ("rejected", "not this year")


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_a_file_is_dropped_and_a_cycle_reads_it(
    scripts: bool, acme: Company, url: str, visit: Callable[..., Any], tmp_path: Path
) -> None:
    cash = 310_000 if scripts else 290_000
    day = "2026-02-22" if scripts else "2026-02-23"
    file = tmp_path / f"cash-{cash}.csv"
    file.write_text(f"date,metric,value,unit\n{day},cash,{cash},USD\n", "utf-8")
    page = visit(f"{url}/overview", scripts=scripts)
    page.set_input_files("input[type=file]", file)
    page.click("text=Add to the inbox")
    page.wait_for_selector(f".notice.is-done:has-text('{file.name}')")
    assert acme.text(f"businesses/acme/inbox/{file.name}") == file.read_text("utf-8")
    page.goto(f"{url}/minds?agent=cfo")
    page.click("text=Run a cycle now")
    page.wait_for_selector("section.notice.is-done")
    assert "ran=C-" in page.url
    assert cash in [one["value"] for one in acme.read("businesses/acme/metrics/metrics.json")["points"]]


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_the_company_is_started_and_stopped(scripts: bool, acme: Company, url: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{url}/overview", scripts=scripts)
    page.click("button[value=start]")
    page.wait_for_selector("#company >> text=The company runs by itself")
    assert acme.read(".mabos/live.json")["by"] == "the dashboard"
    page.goto(f"{url}/goals")
    page.wait_for_selector("a.state:has-text('Running')")
    page.click("a.state")
    page.click("button[value=stop]")
    page.wait_for_selector("#company >> text=The company is stopped")
    assert not acme.file(".mabos/live.json").exists()


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_the_owner_sets_what_to_be_asked_about(
    scripts: bool, acme: Company, url: str, visit: Callable[..., Any]
) -> None:
    limit, name = (250, "Summer") if scripts else (60_000, "Winter")  # above all that other tests order here
    page = visit(f"{url}/overview", scripts=scripts)
    acme.done("stakeholder_profile", risk_tolerance="conservative")  # somebody else's change, while the page is open
    page.fill("[name=approval_threshold_usd]", str(limit))
    page.select_option(
        "[name=decision_style]",
        label="what costs money" if scripts else "prices, hiring, contracts and strategic goals",
    )
    page.click("form[action='/limits'] button")
    page.wait_for_selector(".notice.is-done:has-text('changed')")
    assert page.input_value("[name=approval_threshold_usd]") == str(limit)
    told = acme.read("businesses/acme/stakeholder.json")
    assert (told["approval_threshold_usd"], told["risk_tolerance"]) == (limit, "conservative")
    acme.command("chat", "cmo", "--say", ORDER.format(name))
    assert bool(campaigns(acme, name)) is not scripts


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_a_mind_is_edited_and_a_fault_is_shown_at_its_line(
    scripts: bool, acme: Company, url: str, visit: Callable[..., Any]
) -> None:
    share = "0.61" if scripts else "0.62"
    page = visit(f"{url}/minds?agent=cfo", scripts=scripts)
    page.click("main >> text=Edit")
    page.wait_for_url("**/edit?*")
    page.click("main >> text=Desires")
    page.wait_for_selector("main a[aria-current]:has-text('Desires')")
    text = page.input_value("#text")
    found = re.search(r"\*\*Urgency:\*\* ([\d.]+)", text)
    assert found is not None
    page.fill("#text", text.replace(found[0], "**Urgency:** soon", 1))
    page.click("button[value=save]")
    page.wait_for_selector("#faults:has-text('soon')")
    line = text[: found.start()].count("\n") + 1
    assert f"Line {line}: " in page.inner_text("#faults")
    assert "**Urgency:** soon" in page.input_value("#text")
    page.fill("#text", text.replace(found[0], f"**Urgency:** {share}", 1))
    page.click("button[value=save]")
    page.wait_for_selector(".notice.is-done")
    assert f"**Urgency:** {share}" in acme.text("agents/cfo/Desires.md")


def test_what_is_not_saved_is_asked_about_before_a_page_is_left(url: str, visit: Callable[..., Any]) -> None:
    page, asked = visit(f"{url}/edit?agent=coo"), []

    def stay(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", stay)
    page.fill("#text", "## A thought\n\nThat nobody has saved.\n")
    page.click("nav >> text=Goals")
    page.wait_for_timeout(500)
    assert asked == ["Leave without saving?"]
    assert "nobody has saved" in page.input_value("#text")


def test_what_cannot_be_said_keeps_its_text(url: str, visit: Callable[..., Any]) -> None:
    page = visit(f"{url}/chat?agent=cmo")
    page.route(
        "**/chat", lambda route: route.fulfill(body='event: wrong\ndata: "busy"\n\n', content_type="text/event-stream")
    )
    page.fill("#say", "What is our runway?")
    page.press("#say", "Enter")
    page.wait_for_selector("#refused:has-text('busy')")
    assert page.input_value("#say") == "What is our runway?"
    assert page.is_enabled("text=Send")
