"""A browser for tests, where this machine has one, and axe to look at its pages."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
AXE = "axe-core@4"
SERIOUS = ("serious", "critical")
REQUIRED = bool(os.environ.get("MABOS_REQUIRE_BROWSER"))
"""Whether a test without a browser or axe fails; set where the whole suite must have run."""


def give_up(reason: str) -> NoReturn:
    """Skip the test that lacks a tool, or fail it where `REQUIRED`."""
    if REQUIRED:
        pytest.fail(f"{reason}, and MABOS_REQUIRE_BROWSER demands it")
    pytest.skip(reason)


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a Chromium without a window; gives up the test that asks where there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        give_up(f"no browser: none of {', '.join(PROGRAMS)} is installed")
    if find_spec("playwright") is None:
        give_up("no browser: pip install playwright")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


def axe_script(folder: Path) -> str:
    """Return axe as npm has it, by way of a folder; it is no part of this repository."""
    npm = shutil.which("npm")
    if npm is None:
        give_up("no axe: npm is not installed")
    try:
        done = subprocess.run([npm, "pack", AXE], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        give_up("no axe: npm's registry does not answer")
    if done.returncode:
        give_up(f"no axe: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        packed.extract("package/axe.min.js", folder, filter="data")
    return (folder / "package" / "axe.min.js").read_text("utf-8")


def serious_findings(page: Any, axe: str) -> list[str]:
    """Return what axe finds serious or critical on an open page with everything on it unfolded."""
    for one in page.query_selector_all("details"):
        one.evaluate("one => one.open = true")
    page.evaluate(axe)
    told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    rules = [rule for rule in told["violations"] if rule["impact"] in SERIOUS]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in rules]
