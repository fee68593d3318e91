"""The generator of docs/pictures/dashboard-*.webp with a browser: `python -m scripts.dashboard_pictures`.

The company is that of `make demo`, and its owner has just talked with it. Needs a Chromium, and a minute or two.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from PIL import Image

from scripts.pictures import FOLDER
from tests.interfaces.dashboard.browser import browser
from tests.interfaces.surfaces.servers import serving

WIDE, HIGH, FIRST = 1280, 880, 1340
"""Pixels of a picture; the first page is shown whole."""
LARGEST: Final = 120_000
"""Bytes that a picture may take."""
NOW = "2026-04-06T09:00:00Z"
"""The time at which the owner looks: the morning after the last simulated week."""
SAID = (
    ("cfo", "What is our runway?"),
    ("cmo", "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."),
    ("cmo", 'Write to everybody tagged partner: "We are closed on Good Friday." I\'d like to read it first.'),
)
CONTACTS = {"Ada Okoro": "ada@example.com", "Ben Weiss": "ben@example.com"}
WORKFLOW = (
    ("workflow_create", {"name": "Onboarding", "workflow_id": "onboarding"}),
    ("bpmn_add_node", {"type": "startEvent", "node_id": "signed", "name": "Signed"}),
    ("bpmn_add_node", {"type": "userTask", "node_id": "call", "name": "Welcome call"}),
    ("bpmn_add_node", {"type": "endEvent", "node_id": "live", "name": "Live"}),
    ("bpmn_connect", {"from": "signed", "to": "call"}),
    ("bpmn_connect", {"from": "call", "to": "live"}),
)
PAGES: Mapping[str, str] = {
    "overview": "/overview?span=month",
    "chat": "/chat?agent=cmo",
    "decisions": "/decisions",
    "minds": "/minds?agent=cfo",
    "edit": "/edit?agent=cfo",
    "goals": "/goals",
    "messages": "/messages",
    "figures": "/figures",
    "workflows": "/workflows",
    "network": "/network",
    "runs": "/runs",
    "ledger": "/ledger",
    "why": "/decisions",
}
"""Each page that has a picture, and where it is."""


def main() -> None:
    """Run the company, let its owner talk with it, and write a picture of every page."""
    with TemporaryDirectory(prefix="mabos-pictures-") as folder:
        runs = Path(folder)
        company(runs)
        workspace = runs / "demo" / "workspace"
        words = ("dashboard", "--http", "127.0.0.1:0", "--runs", str(runs))
        with serving(workspace, *words, MABOS_NOW=NOW) as url, browser() as opened:
            for scheme, names in {"light": list(PAGES), "dark": ["overview"]}.items():
                context = opened.new_context(
                    base_url=url, color_scheme=scheme, viewport={"width": WIDE, "height": HIGH}
                )
                for name in names:
                    file = f"dashboard-{name}{'-dark' if scheme == 'dark' else ''}.webp"
                    (FOLDER / file).write_bytes(picture(context, name, url + PAGES[name]))
                context.close()


def company(runs: Path) -> None:
    """Create the demo's company in a folder, after a talk with its owner, and a run without agents next to it."""
    root = str(runs / "demo" / "workspace")
    mabos(runs, "simulate", "saas", "--weeks", "13", "--seed", "7", "--out", "demo")
    mabos(runs, "simulate", "saas", "--weeks", "13", "--seed", "7", "--policy", "nothing", "--out", "without-agents")
    for name, email in CONTACTS.items():
        call(runs, root, "crm_create_contact", "cmo", {"name": name, "email": email, "tags": ["partner"]})
    for tool, arguments in WORKFLOW:
        call(runs, root, tool, "ceo", {"workflow_id": "onboarding", **arguments})
    for agent, text in SAID:
        mabos(runs, "--workspace", root, "chat", agent, "--say", text)


def call(runs: Path, root: str, tool: str, agent: str, arguments: Mapping[str, Any]) -> None:
    """Call a tool for an agent."""
    import json

    mabos(runs, "--workspace", root, "call", tool, json.dumps(arguments), "--agent", agent)


def mabos(folder: Path, *words: str) -> None:
    """Run a command in a folder at the time of the pictures; it must succeed."""
    surroundings = {**os.environ, **({} if "simulate" in words else {"MABOS_NOW": NOW})}
    subprocess.run([sys.executable, "-m", "mabos", *words], cwd=folder, env=surroundings, check=True)


def picture(context: Any, name: str, address: str) -> bytes:
    """Return a browser's picture of a page, as WebP of at most `LARGEST` bytes."""
    page = context.new_page()
    if name == "overview":
        page.set_viewport_size({"width": WIDE, "height": FIRST})
    page.goto(address)
    if name == "why":  # that of the first question
        page.goto(page.locator("a[data-key=w]").get_attribute("href"))
    page.wait_for_load_state("load")
    page.wait_for_timeout(500)  # what a page asks for by itself
    if name == "chat":
        page.evaluate("document.querySelector('.said.is-mine').scrollIntoView()")
    shot = Image.open(BytesIO(page.screenshot()))
    page.close()
    for quality in (85, 70, 50):
        written = BytesIO()
        shot.save(written, "WEBP", quality=quality, method=6)
        if written.tell() <= LARGEST:
            return written.getvalue()
    raise SystemExit(f"{address}: its picture is too large")


if __name__ == "__main__":
    main()
