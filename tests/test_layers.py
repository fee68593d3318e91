"""Imports point downwards, and the domain does not know LangGraph: checked by import-linter on the real modules."""

import tomllib
from pathlib import Path
from typing import Any

from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent


def configuration() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        tool: dict[str, Any] = tomllib.load(file)["tool"]
    return tool


def test_every_import_respects_the_layers() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True) == 0


def test_every_package_that_is_shipped_has_its_layer() -> None:
    tool = configuration()
    layers = next(c["layers"] for c in tool["importlinter"]["contracts"] if c["type"] == "layers")
    shipped = tool["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(layers) == sorted(shipped) == sorted(tool["importlinter"]["root_packages"])
    folders = {path.parent.name for path in ROOT.glob("*/py.typed")}
    assert folders == set(shipped), "every package is typed, and every typed folder is a package"


def test_everything_below_the_nodes_is_kept_from_langgraph() -> None:
    tool = configuration()
    forbidden = next(c for c in tool["importlinter"]["contracts"] if c["type"] == "forbidden")
    layers = next(c["layers"] for c in tool["importlinter"]["contracts"] if c["type"] == "layers")
    assert "langgraph" in forbidden["forbidden_modules"]
    assert set(forbidden["source_modules"]) == set(layers[layers.index("nodes") + 1 :])
