"""What is read back from a workspace is data: no checkpoint, index or server file of a stranger runs code."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from mabos.graphs.checkpoints import Checkpoints
from mabos.interfaces.studio import server_folder
from tests.studio.server import ROOT, studio

PICKLES = (
    ".langgraph_ops.pckl",
    ".langgraph_retry_counter.pckl",
    "store.pckl",
    "store.vectors.pckl",
    ".langgraph_checkpoint.1.pckl",
    ".langgraph_checkpoint.2.pckl",
    ".langgraph_checkpoint.3.pckl",
)
"""What LangGraph's development server reads where it is started."""


class Trap:
    """Makes a directory when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._place),)


def stored(place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what somebody might have put into a row of checkpoints, each in a form that once ran code."""
    yield "pickle", pickle.dumps(Trap(place))
    for called in (["os", "mkdir"], ["pathlib", "Path", "mkdir"], ["subprocess", "run"]):
        made = {"lc": 2, "type": "constructor", "id": called, "args": [str(place)]}
        yield "json", json.dumps(made).encode()
        yield "json", json.dumps({**made, "id": ["pathlib", "Path"], "method": ["mkdir"]}).encode()
    for code in range(8):
        for inside in (
            ("os", "mkdir", str(place)),
            ("os", "mkdir", [str(place)]),
            ("pathlib", "Path", [str(place)], "mkdir"),
            ("os", "mkdir", {"path": str(place)}),
        ):
            yield "msgpack", ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(inside)))


def test_no_row_of_checkpoints_runs_anything(tmp_path: Path) -> None:
    saver, place = Checkpoints(tmp_path / "checkpoints.sqlite"), tmp_path / "ran"
    for kind, content in stored(place):
        try:
            saver.serde.loads_typed((kind, content))
        except Exception:  # noqa: BLE001, S112 - however it is refused
            continue
    saver.close()
    assert not place.exists()


def test_a_trap_springs_where_pickles_are_read(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Trap(tmp_path / "ran")))  # noqa: S301 - that it would spring is what is shown
    assert (tmp_path / "ran").is_dir()


def test_the_files_of_studios_server_lie_outside_the_workspace_and_are_this_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    workspace, other = tmp_path / "workspace", tmp_path / "other"
    folder = server_folder(workspace)
    assert not folder.is_relative_to(workspace)
    assert folder == server_folder(workspace)
    assert folder != server_folder(other)
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.studio
def test_studio_on_a_workspace_of_a_stranger_reads_none_of_his_pickles(tmp_path: Path) -> None:
    workspace, ran = tmp_path / "workspace", tmp_path / "ran"
    command = [sys.executable, "-m", "mabos"]
    settled = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    subprocess.run([*command, "init", str(workspace)], env=settled, check=True, capture_output=True)
    for folder in (workspace / ".mabos" / ".langgraph_api", workspace / ".langgraph_api"):
        folder.mkdir(parents=True)
        for name in PICKLES:
            (folder / name).write_bytes(pickle.dumps(Trap(ran)))
    with studio(workspace):
        pass
    assert not ran.exists()
