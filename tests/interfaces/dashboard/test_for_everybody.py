"""Every page can be used by everybody: no serious finding of axe, nothing that leaves the screen, in light and dark."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.interfaces.dashboard.views import VIEWS
from tests.acceptance.company import Company
from tests.interfaces.dashboard.browser import axe_script, serious_findings
from tests.interfaces.surfaces.servers import serving

pytestmark = pytest.mark.slow
MORE = (
    "/why?id=D-cfo-001",
    "/minds?agent=cfo&at=0",
    "/chat?agent=cmo",
    "/edit?agent=cfo&file=Beliefs.md",
    "/edit?agent=cfo&file=facts.json",
)
SCREENS = {"dark": (1360, 850), "light": (390, 844)}
"""A laptop in dark colours and a phone in light ones: colours do not depend on the width, nor it on them."""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return axe as npm has it."""
    return axe_script(tmp_path_factory.mktemp("axe"))


@pytest.fixture(scope="module")
def url(asking: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a company in which something stands on every page."""
    acme = Company(Path(shutil.copytree(asking, tmp_path_factory.mktemp("everybody") / "workspace")))
    acme.done("agent_message", agent="ceo", to="cfo", performative="REQUEST", content="Review it", protocol="request")
    acme.done("workflow_create", agent="ceo", name="Sales", workflow_id="sales")
    acme.done("bpmn_add_node", agent="ceo", workflow_id="sales", type="startEvent", node_id="lead", name="Lead")
    acme.write("agents/cfo/Beliefs.md.conflict", "## Cash is low\n\n- **Id:** B-1\n- **Certainty:** 0.5\n")
    acme.write("businesses/acme/inbox/metrics.csv", "date,metric,value,unit\n2026-02-23,cash,310000,USD\n")
    acme.run("cfo")
    acme.done("crm_create_contact", agent="cmo", email="ada@example.com", name="Ada", tags=["wholesale"])
    order = 'Write to everybody tagged wholesale: "We deliver on Tuesdays, before noon." I\'d like to read it first.'
    acme.command("chat", "cmo", "--say", order)
    assert len(acme.read("businesses/acme/decision-queue.json")) == 2
    runs = tmp_path_factory.mktemp("everybody-runs")
    acme.command("simulate", "saas", "--weeks", "1", "--policy", "nothing", "--out", str(runs / "idle"))
    with serving(acme.root, "dashboard", "--http", "127.0.0.1:0", "--runs", str(runs)) as found:
        yield found


@pytest.mark.parametrize("scheme", SCREENS)
def test_no_page_has_a_serious_finding_and_none_is_wider_than_its_screen(
    scheme: str, axe: str, url: str, chromium: Any
) -> None:
    wide, high = SCREENS[scheme]
    context = chromium.new_context(color_scheme=scheme, viewport={"width": wide, "height": high})
    page = context.new_page()
    found = []
    for path in [*(f"/{view.name}" for view in VIEWS), *MORE]:
        page.goto(url + path)
        found += [f"{path}: {one}" for one in serious_findings(page, axe)]
        over = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        found += [f"{path} is {over} px wider than the screen"] if over > 0 else []
    context.close()
    assert found == []


def test_every_view_is_reached_by_its_keys_and_the_list_of_keys_opens(url: str, chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(url)
    for view in VIEWS[::-1]:
        page.keyboard.press("g")
        page.keyboard.press(view.letter)
        page.wait_for_url(f"{url}/{view.name}")
        page.wait_for_selector(f"nav a[aria-current=page]:has-text('{view.title}')")
    page.keyboard.press("?")
    assert page.is_visible("dialog[open]")
    page.keyboard.press("Escape")
    assert not page.is_visible("dialog[open]")
    context.close()
