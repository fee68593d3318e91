"""A browser for tests, where this machine has one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, NoReturn

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
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
