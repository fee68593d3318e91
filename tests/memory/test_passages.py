"""Passages of files: found with path and line, never as a second copy of an item."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.memory import hierarchy
from mabos.memory.checkpoints import Checkpoint
from mabos.memory.passages import CHUNK_CHARACTERS, OVERLAP_CHARACTERS, chunks
from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def places(mind: Remembering, query: str) -> list[str]:
    return [f"{hit.path}:{hit.line}" for hit in mind.memory.recall(query) if hit.item is None]


@pytest.mark.parametrize(
    "path",
    [
        "Learnings.md",
        "Knowledge.md",
        "Playbooks.md",
        "MEMORY.md",
        "memory/weekly/2026-W08.md",
        "memory/monthly/2026-02.md",
        "memory/quarterly/2026-Q1.md",
        "memory/checkpoints/2026-02-24-1430.md",
        "memory/bdi-conflicts/2026-02-24.md",
    ],
)
def test_a_passage_is_found_with_its_path_and_line(mind: Remembering, path: str) -> None:
    file = mind.directory / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Title\n\nSomething else.\n- The zebra contract ends in June\n")
    hits = mind.memory.recall("when does the zebra contract end?")
    assert [(hit.path, hit.line, hit.item) for hit in hits] == [(path, 4, None)]
    assert "zebra contract ends in June" in hits[0].content


def test_files_that_are_no_memory_are_not_searched(mind: Remembering) -> None:
    (mind.directory / "Beliefs.md").write_text("# Beliefs\n\nzebra\n")
    (mind.directory / "memory").mkdir()
    (mind.directory / "memory" / "mabos-memory-items.md").write_text("zebra\n")
    assert mind.memory.recall("zebra") == []


def test_a_materialised_copy_is_never_a_second_hit(mind: Remembering) -> None:
    item = mind.memory.store("The zebra contract ends in June", type="decision", importance=0.9, store="long_term")
    mind.memory.materialise()
    hierarchy.build(mind.directory)
    for level in ("weekly", "monthly", "quarterly"):
        assert any("zebra" in file.read_text() for file in (mind.directory / "memory" / level).glob("*.md"))
    assert "zebra" in (mind.directory / "MEMORY.md").read_text()
    assert [hit.item and hit.item.id for hit in mind.memory.recall("zebra contract")] == [item.id]


def test_what_the_stores_forgot_is_still_found_in_the_hierarchy(mind: Remembering) -> None:
    mind.memory.store("The zebra contract ends in June", importance=0.1)
    hierarchy.build(mind.directory)
    mind.wait(hours=3)
    found = places(mind, "zebra contract")
    assert any(place.startswith("memory/weekly/2026-W09.md:") for place in found)


def test_a_changed_file_is_found_as_it_is_now_and_a_deleted_one_not_at_all(mind: Remembering) -> None:
    file = mind.directory / "Learnings.md"
    file.write_text("## One\nzebra\n")
    assert places(mind, "zebra") == ["Learnings.md:2"]
    file.write_text("## One\n\n\ngiraffe and zebra\n")
    assert places(mind, "giraffe") == ["Learnings.md:4"]
    file.unlink()
    assert places(mind, "zebra") == []


def test_a_checkpoint_is_found_a_moment_after_it_was_written(mind: Remembering) -> None:
    mind.memory.checkpoint(Checkpoint("Negotiating the zebra contract", next_steps=["Call the lawyer"]))
    assert places(mind, "zebra") == ["memory/checkpoints/2026-02-24-1430.md:5"]


@pytest.mark.parametrize("narrow", [{"type": "fact"}, {"store": "long_term"}, {"min_importance": 0.1}])
def test_whoever_narrows_to_items_gets_no_passages(mind: Remembering, narrow: dict[str, str]) -> None:
    (mind.directory / "Learnings.md").write_text("zebra\n")
    assert mind.memory.recall("zebra", **narrow) == []  # type: ignore[arg-type]  # each is one of recall's filters


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=400), max_size=40))
def test_chunks_hold_every_line_and_overlap_by_whole_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = list(chunks(text))
    whole = text.splitlines()
    for chunk in found:
        assert list(chunk.lines) == whole[chunk.line - 1 : chunk.line - 1 + len(chunk.lines)]
        assert len(chunk.text) <= CHUNK_CHARACTERS + 400 or len(chunk.lines) == 1
    held = {chunk.line + offset for chunk in found for offset in range(len(chunk.lines))}
    assert {number for number, line in enumerate(whole, start=1) if line.strip()} <= held
    assert (CHUNK_CHARACTERS, OVERLAP_CHARACTERS) == (4 * 400, 4 * 80)
    for one, other in pairwise(found):
        assert one.line < other.line
        assert other.line < one.line + len(one.lines) or len(one.lines[-1]) >= OVERLAP_CHARACTERS
