"""Pages whose commands hold only at a date stop the clock there, so that they hold for whoever reads them later."""

import re

import pytest

from tests.test_readme import NOW, TEXTS, blocks

_DATED = re.compile(r"reply_by|\bt=\d{10}\b|reports/\S*20\d\d-\d\d-\d\d")
PAGES = [page for page in TEXTS if _DATED.search("".join(blocks("console", TEXTS[page])))]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_holds_only_at_a_date_stops_the_clock_there(page: str) -> None:
    assert f"MABOS_NOW={NOW}" in _DATED.split("".join(blocks("console", TEXTS[page])))[0]


def test_some_pages_do() -> None:
    assert {"commerce", "messages", "workforce"} <= set(PAGES)
