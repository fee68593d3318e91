"""What SECURITY.md promises is shown by tests that exist."""

import re

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
PROMISED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)


@pytest.mark.parametrize(("path", "name"), PROMISED)
def test_a_promise_names_a_test_that_is_there(path: str, name: str) -> None:
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE), f"{path} has no {name}"


def test_every_row_of_promises_names_one() -> None:
    rows = TEXT.partition("| Promise |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) >= 15
    assert [row for row in rows if "`tests/" not in row] == []
