"""The example of MCP servers runs as it stands, over two that are published."""

from pathlib import Path

import pytest

pytest.importorskip("mcp_server_time")
pytest.importorskip("mcp_server_git")


def test_two_public_servers_answer_and_the_owner_is_asked_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from examples.mcp_servers import main

    main(str(tmp_path / "company"))
    told = capsys.readouterr().out
    assert "timezone: Asia/Tokyo; datetime: 20" in told
    assert "Message: First draft of the price list" in told
    assert "awaiting_approval: " in told
    assert "Created branch 'prices' from 'main'" in told
