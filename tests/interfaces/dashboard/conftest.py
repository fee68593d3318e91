"""A company in which a question waits, and a browser to answer it in."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.runtime.services import Services
from tests.acceptance.company import Company
from tests.interfaces.dashboard.browser import browser
from tests.interfaces.surfaces.offices import opened

CAMPAIGN = {"name": "Big", "channel": "search", "segment": "smb", "weekly_budget_usd": 2500, "weeks": 4}


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed workspace whose CMO waits for leave to spend 10,000 dollars; not to be written to."""
    acme = Company(tmp_path_factory.mktemp("asking") / "workspace")
    acme.command("business", "create", "acme", "--name", "Acme", "--template", "saas")
    acme.commit({"tool": "ad_campaign_create", "arguments": CAMPAIGN}, agent="cmo")
    assert acme.run("cmo")["outcome"] == "waiting"
    return acme.root


@pytest.fixture(scope="module")  # what drives it has an event loop of its own, which other tests must not find running
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture
def services(asking: Path, tmp_path: Path) -> Iterator[Services]:
    """Open a copy of the company that asks its owner."""
    with opened(Path(shutil.copytree(asking, tmp_path / "workspace"))) as found:
        yield found
