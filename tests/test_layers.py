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


def test_every_folder_that_is_shipped_has_its_layer() -> None:
    tool = configuration()
    layers = next(c["layers"] for c in tool["importlinter"]["contracts"] if c["type"] == "layers")
    assert tool["hatch"]["build"]["targets"]["wheel"]["packages"] == ["mabos"] == tool["importlinter"]["root_packages"]
    links = {path.name: path for path in (ROOT / "mabos").iterdir() if path.is_symlink()}
    assert set(links) == set(layers), "every folder is linked into mabos/, and every link is a layer"
    assert all(path.readlink() == Path("..") / name for name, path in links.items())
    assert {path.parent.name for path in ROOT.glob("*/py.typed")} == {"mabos", *layers}


def test_no_folder_can_be_imported_by_its_bare_name() -> None:
    tool = configuration()
    layers = next(c["layers"] for c in tool["importlinter"]["contracts"] if c["type"] == "layers")
    assert set(tool["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]) == set(layers)
    assert "TID251" in tool["ruff"]["lint"]["select"]


def test_everything_below_the_nodes_is_kept_from_langgraph() -> None:
    tool = configuration()
    forbidden = next(c for c in tool["importlinter"]["contracts"] if c["type"] == "forbidden")
    layers = next(c["layers"] for c in tool["importlinter"]["contracts"] if c["type"] == "layers")
    assert "langgraph" in forbidden["forbidden_modules"]
    assert forbidden["source_modules"] == [f"mabos.{layer}" for layer in layers[layers.index("nodes") + 1 :]]
