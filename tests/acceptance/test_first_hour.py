"""A founder's first hour, in a terminal, in a browser and through LangGraph's API: the same steps, the same records."""

from pathlib import Path

import pytest

from tests.acceptance.company import Company
from tests.acceptance.first_hour import HOUR, Browser, Founder, Studio, Terminal
from tests.interfaces.dashboard.browser import browser


def _go_through(founder: Founder) -> None:
    with founder.open:
        for step in HOUR:
            step(founder)


def test_the_first_hour_in_a_terminal(tmp_path: Path) -> None:
    _go_through(Terminal(Company(tmp_path / "my-company")))


@pytest.mark.slow
def test_the_first_hour_in_a_browser(tmp_path: Path) -> None:
    founder = Browser(Company(tmp_path / "my-company"))
    with browser() as founder.chromium:
        _go_through(founder)


@pytest.mark.studio
def test_the_first_hour_through_the_api_of_langgraph(tmp_path: Path) -> None:
    _go_through(Studio(Company(tmp_path / "my-company")))
