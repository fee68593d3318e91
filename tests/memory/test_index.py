"""Memory beside the text index of the workspace."""

from pathlib import Path

import pytest

from memory import recall as handle
from memory.memory import Memory
from memory.shelf import rows
from tests.memory.factory import Remembering
from workspace.indexer import Index


def test_a_large_memory_is_recalled_through_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle, "LARGE", 3)
    mind = Remembering(tmp_path)
    index = Index(tmp_path / "index.sqlite")
    index.follow("cfo/memory", mind.document, rows("cfo"))
    plain = mind.memory
    memory = Memory("cfo", mind.document, tmp_path, mind.clock, mind.ids, index=index, settings=plain._settings)
    stored = memory.store("The auditors are visiting", importance=0.9)
    memory.store_many([{"content": f"other {n}"} for n in range(4)])
    hits = memory.recall("an auditor visits")
    assert [hit.found.id for hit in hits] == [stored.id]
    assert hits[0].score > 0.9
    assert plain.recall("an auditor visits")[0].found.id == stored.id
    index.close()


def test_with_the_index_out_of_reach_a_large_memory_is_recalled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handle, "LARGE", 1)
    mind = Remembering(tmp_path)
    index = Index(tmp_path / "index.sqlite")
    settings = mind.memory._settings
    memory = Memory("cfo", mind.document, tmp_path, mind.clock, mind.ids, index=index, settings=settings)
    memory.store_many([{"content": "The auditors are visiting"}, {"content": "other"}])
    index.close()
    recalled = memory.recall("an auditor visits")
    assert ([hit.content for hit in recalled], recalled.mode) == (["The auditors are visiting"], "text")


def test_rows_carry_what_a_sink_may_want(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    item = mind.memory.store("Runway is nine months", tags=["runway"], store="long_term")
    row = rows("cfo")("long_term", item.id, mind.document.read()["long_term"][item.id])
    assert row is not None
    assert (row.kind, row.id, row.agent, row.text, row.tags) == ("memory", item.id, "cfo", item.content, ("runway",))
    assert row.fields["store"] == "long_term"
