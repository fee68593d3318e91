"""A correction replaces what it corrects in recall; nothing is deleted."""

from pathlib import Path

import pytest

from mabos.configs.errors import UnknownId
from mabos.memory.shelf import rows
from mabos.workspace.indexer import TextIndex
from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def found(mind: Remembering, query: str = "") -> list[str]:
    return [hit.found.content for hit in mind.memory.recall(query)]


def test_what_is_corrected_is_kept_and_recalled_no_more(mind: Remembering) -> None:
    old = mind.memory.store("Churn is three percent", type="fact", store="long_term")
    assert found(mind, "churn") == ["Churn is three percent"]
    new = mind.memory.store("Churn is four percent", type="fact", store="long_term", supersedes=[old.id])
    assert found(mind, "churn three percent") == ["Churn is four percent"]
    assert found(mind) == ["Churn is four percent"]
    assert (mind.memory.item(old.id).superseded_by, new.supersedes) == (new.id, (old.id,))
    assert mind.memory.trace(old.id) == "Churn is three percent"
    again = mind.reopened()
    assert found(again, "churn three percent") == ["Churn is four percent"]
    assert again.memory.item(old.id).superseded_by == new.id


def test_a_correction_may_be_corrected_and_the_first_may_turn_out_true(mind: Remembering) -> None:
    first = mind.memory.store("The office is in Bonn", store="long_term")
    second = mind.memory.store("The office is in Köln", store="long_term", supersedes=[first.id])
    third = mind.memory.store("The office is in Bonn", store="long_term", supersedes=[second.id])
    assert third.id != first.id
    assert found(mind, "where is the office") == ["The office is in Bonn"]
    assert [mind.memory.item(one.id).superseded_by for one in (first, second, third)] == [second.id, third.id, ""]


def test_a_working_item_and_its_long_term_copy_are_corrected_together(mind: Remembering) -> None:
    working = mind.memory.store("Ana leads sales", importance=0.8, store="working")
    (copy,) = mind.memory.consolidate().promoted
    mind.memory.store("Ben leads sales", store="working", supersedes=[copy.id])
    assert found(mind, "who leads sales") == ["Ben leads sales"]
    assert mind.memory.item(working.id).superseded_by


def test_what_is_superseded_is_not_promoted(mind: Remembering) -> None:
    old = mind.memory.store("We hire two", importance=0.9)
    new = mind.memory.store("We hire one", importance=0.9, supersedes=[old.id])
    assert [one.id for one in mind.memory.consolidate().promoted] == [new.id]
    mind.wait(hours=3)
    assert found(mind, "hire") == ["We hire one"]
    assert mind.memory.trace(old.id) == "We hire two"


@pytest.mark.parametrize("wrong", ["M-0-none", "itself"])
def test_only_another_known_item_can_be_corrected_and_nothing_is_written(mind: Remembering, wrong: str) -> None:
    known = mind.memory.store("Known", store="long_term")
    with pytest.raises(UnknownId, match="memory item"):
        mind.memory.store("Known", store="long_term", supersedes=[known.id if wrong == "itself" else wrong])
    with pytest.raises(UnknownId):
        mind.memory.store_many([{"content": "New"}, {"content": "Newer", "supersedes": [wrong]}])
    assert mind.memory.status()["total"] == 1
    assert "New" not in mind.log()


def test_pages_show_what_holds_and_what_held(mind: Remembering) -> None:
    old = mind.memory.store("Old price", store="long_term")
    new = mind.memory.store("New price", store="long_term", supersedes=[old.id])
    mind.memory.materialise()
    assert "Old price" not in (mind.directory / "MEMORY.md").read_text()
    items = (mind.directory / "memory" / "mabos-memory-items.md").read_text()
    assert f"- **Superseded by:** {new.id}" in items
    assert f"- **Supersedes:** {old.id}" in items


def test_the_text_index_follows_every_change(mind: Remembering) -> None:
    index = TextIndex(mind.directory / "index.sqlite")
    index.follow("memory:cfo", mind.document, rows("cfo"))

    def known() -> set[str]:
        return {hit.id for hit in index.search("auditors")}

    old = mind.memory.store("The auditors come", importance=0.9, tags=["audit"])
    assert known() == {old.id}
    new = mind.memory.store("The auditors came", importance=0.9, tags=["audit"], supersedes=[old.id])
    assert known() == {new.id}
    other = mind.memory.store("Auditors want invoices", importance=0.7, tags=["audit"])
    (merged,) = mind.memory.consolidate().promoted
    assert known() == {merged.id}
    assert merged.derived_from == (new.id, other.id)
    passing = mind.memory.store("Auditors drink tea", importance=0.1)
    assert known() == {merged.id, passing.id}
    mind.wait(hours=3)
    mind.memory.expire()
    assert known() == {merged.id}
    index.close()
