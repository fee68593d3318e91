"""What `mabos studio` refuses before any server is started."""

import socket
from pathlib import Path

import pytest

from tests.interfaces.command_line import company, mabos


def test_studio_does_not_move_to_another_port_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What answers at the port that was asked for would be given the agents of this workspace."""
    monkeypatch.setattr("mabos.interfaces.studio.serve", lambda *_, **__: pytest.fail("it was served all the same"))
    workspace = company(tmp_path / "workspace")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = mabos("studio", "--no-browser", "--port", str(port), workspace=workspace, code=1)
    assert f"cannot listen at 127.0.0.1:{port}: Address already in use; choose another with --port" in refused.stderr
