"""The examples in docstrings are run as they stand."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from tests.test_shape import ROOT, product

SHOWN = [path for path in product() if ">>> " in path.read_text("utf-8")]


def module(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return name if name.partition(".")[0] == "mabos" else f"mabos.{name}"


@pytest.mark.parametrize("name", map(module, SHOWN))
def test_what_a_docstring_shows_is_true(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted
    assert not result.failed
