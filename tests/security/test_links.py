"""A workspace that somebody has sent may hold links: what is written through MABOS stays within it."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.configs.settings import load_settings
from mabos.society.business import read_agent
from tests.tools.catalogue.house import house

LINKED = ("agents/cfo/MEMORY.md", "agents/cfo/Beliefs.md", "businesses/acme/stakeholder.json", "agents/cfo/Goals.md")


@pytest.mark.parametrize("name", LINKED)
def test_a_file_that_is_a_link_is_replaced_and_what_it_led_to_stays(name: str, tmp_path: Path) -> None:
    root, outside = tmp_path / "workspace", tmp_path / "outside"
    with house(root):
        pass
    path = root / name
    outside.write_bytes(path.read_bytes() if path.exists() else b"")
    before = outside.read_bytes()
    path.unlink(missing_ok=True)
    path.symlink_to(outside)
    # What is truth and a link is told as damage, wherever it is met first; what is derived is written in its place.
    with suppress(Damaged), house(root, found=False) as home:
        home.call("belief_update", {"description": "x", "certainty": 0.9, "source": "x"}, "cfo")
        home.call("memory_store_item", {"content": "x", "importance": 0.9}, "cfo")
        home.call("stakeholder_profile", {"approval_threshold_usd": 7.0})
        home.call("agent_message", {"to": "cfo", "performative": "INFORM", "content": "x"})
        home.call("bdi_cycle", {}, "cfo")
        home.services.checkpoint()
    assert outside.read_bytes() == before


@pytest.mark.parametrize("name", ["ledger/cfo.jsonl", "agents/cfo/memory/2026-01-05.md"])
def test_no_log_that_is_a_link_is_written_on_where_it_leads(name: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("untouched", "utf-8")
    with house(tmp_path / "workspace") as home:
        path = home.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(outside)
        answered = home.call("memory_store_item", {"content": "hunter2", "importance": 0.9}, "cfo")
        assert answered.code == "damaged"
    assert outside.read_text("utf-8") == "untouched"


def test_no_text_from_elsewhere_comes_into_a_mind_by_a_link(tmp_path: Path) -> None:
    root, outside = tmp_path / "workspace", tmp_path / "secret.md"
    outside.write_text("# Goals\n\n## hunter2\n", "utf-8")
    with house(root):
        pass
    path = root / "agents" / "cfo" / "Goals.md"
    path.unlink()
    path.symlink_to(outside)
    with suppress(Damaged), house(root, found=False) as home:
        home.call("bdi_cycle", {}, "cfo")
        home.services.checkpoint()
    held = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path for path in held if b"hunter2" in path.read_bytes()] == []


def test_no_document_that_is_a_link_or_no_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Goals\n- The password is hunter2\n", "utf-8")
    with house(tmp_path / "workspace") as home:
        inbox = home.root / "businesses" / "acme" / "inbox"
        inbox.mkdir(exist_ok=True)
        (inbox / "link.md").symlink_to(tmp_path / "secret.md")
        (inbox / "device.md").symlink_to("/dev/zero")
        os.mkfifo(inbox / "pipe.md")
        home.do("bdi_cycle", "ceo")
        home.services.checkpoint()
        held = [path for path in home.root.rglob("*") if path.is_file() and not path.is_symlink()]
        assert [path for path in held if b"hunter2" in path.read_bytes()] == []


def test_nobody_waits_for_a_pipe_in_the_place_of_a_file(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    with house(root):
        pass
    manifest = root / "agents" / "cfo" / "agent.json"
    manifest.unlink()
    os.mkfifo(manifest)
    os.mkfifo(root / "mabos.yaml")
    with pytest.raises(Damaged, match=r"mabos\.yaml"):
        load_settings(root)
    with house(root, found=False) as home, pytest.raises(Damaged, match=r"agent\.json"):
        read_agent(home.services.layout, "cfo")
