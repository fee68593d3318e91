"""Whatever a person writes while the workspace is open is found by the next recall; nobody watches the files for it."""

import json
from pathlib import Path

import pytest

from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    found = Remembering(tmp_path)
    found.memory.store("The lease ends in June", type="fact", store="long_term")
    found.memory.materialise()
    found.document.checkpoint()
    assert [hit.content for hit in found.memory.recall("lease")] == ["The lease ends in June"]
    return found


def found(mind: Remembering, query: str) -> list[str]:
    return [hit.path or hit.store for hit in mind.memory.recall(query)]


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md",
        "Learnings.md",
        "Knowledge.md",
        "Playbooks.md",
        "memory/weekly/2026-W08.md",
        "memory/monthly/2026-01.md",
        "memory/quarterly/2025-Q4.md",
        "memory/checkpoints/2026-02-23-0900.md",
        "memory/bdi-conflicts/2026-02-23.md",
    ],
)
def test_a_line_added_changed_and_removed_in_a_file_is_seen_at_once(mind: Remembering, path: str) -> None:
    page = mind.directory / path
    page.parent.mkdir(parents=True, exist_ok=True)
    before = page.read_text() if page.exists() else ""
    page.write_text(before + "\n- Ask the landlord about parking\n")
    assert found(mind, "landlord parking") == [path]
    page.write_text(before + "\n- Ask the landlord about the cellar\n")
    assert found(mind, "cellar") == [path]
    assert found(mind, "parking") == []
    page.write_text(before)
    assert found(mind, "cellar") == []


def test_an_item_changed_or_added_in_the_store_itself_is_seen_at_once(mind: Remembering) -> None:
    page = mind.directory / "memory-store.json"
    document = json.loads(page.read_text())
    (item,) = document["long_term"]
    document["long_term"] = [
        {**item, "content": "The lease ends in July"},
        {"id": "M-1700000000000-hand", "content": "Parking is paid for", "type": "fact", "importance": 0.7},
    ]
    page.write_text(json.dumps(document))
    assert [hit.content for hit in mind.memory.recall("lease")] == ["The lease ends in July"]
    assert found(mind, "parking") == ["long_term"]


def test_an_item_removed_from_the_store_itself_is_gone_at_once(mind: Remembering) -> None:
    page = mind.directory / "memory-store.json"
    page.write_text(json.dumps({**json.loads(page.read_text()), "long_term": []}))
    assert found(mind, "lease") == []
