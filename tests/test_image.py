"""The image of the Dockerfile: its context has what the wheel is built from, its commands and extras exist."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from click import Context

from mabos.interfaces.cli import front
from tests.conftest import ROOT


def test_the_context_has_every_folder_of_the_package_and_what_its_metadata_names() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    folders = {path.name for path in (ROOT / "mabos").iterdir() if path.is_symlink()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert kept == {"mabos", *folders, "pyproject.toml", project["readme"], *project["license-files"]}


def test_commands_and_extras_of_image_and_composition_exist() -> None:
    image = (ROOT / "Dockerfile").read_text()
    (extras,) = re.findall(r"^ARG EXTRAS=(.+)$", image, re.MULTILINE)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras.split(",")) <= set(known)
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    (default,) = re.findall(r"^CMD (.+)$", image, re.MULTILINE)
    commands = [services[name].get("command", json.loads(default)) for name in ("live", "dashboard")]
    assert [command[0] for command in commands] == ["live", "dashboard"]
    context = Context(front)
    for name, *words in commands:
        command = front.get_command(context, name)
        assert command is not None
        command.make_context(name, list(words))


def test_the_image_of_langgraph_build_finds_every_graph(tmp_path: Path) -> None:
    pytest.importorskip("langgraph_cli", reason="needs the extra: pip install 'mabos[studio]'")
    made = tmp_path / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", str(made), "--config", str(ROOT / "langgraph.json")]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "LANGGRAPH_CLI_NO_ANALYTICS": "1"})
    text = made.read_text("utf-8")
    assert "ENV MABOS_WORKSPACE=/workspace" in text
    (graphs,) = re.findall(r"^ENV LANGSERVE_GRAPHS='(.+)'$", text, re.MULTILINE)
    places = [graph["path"].partition(":")[::2] for graph in json.loads(graphs).values()]
    assert len(places) == 7
    assert [place for place in places if not hasattr(import_module(place[0]), place[1])] == []
