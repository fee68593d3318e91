"""Whatever people and their editors leave in an agent's folder: nothing is lost, and what cannot be meant is named."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.memory import hierarchy, materialise
from mabos.memory.checkpoints import Checkpoint
from mabos.memory.lineage import LineSource, SummaryLine, mark, read
from mabos.memory.trace import Hierarchy
from tests.memory.factory import Remembering

ITEM: dict[str, Any] = {
    "id": "M-1700000000000-hand",
    "content": "The lease ends in June",
    "type": "fact",
    "importance": 0.7,
    "created_at": "2026-02-24T14:30:00.000Z",
}


def written(folder: Path, *items: Mapping[str, Any]) -> Remembering:
    """Return the memory of an agent whose long-term items a person wrote."""
    (folder / "memory-store.json").write_text(json.dumps({"working": [], "short_term": [], "long_term": items}))
    return Remembering(folder)


def page(folder: Path, path: str, text: str) -> Path:
    """Return a file of the agent's folder that a person wrote."""
    found = folder / path
    found.parent.mkdir(parents=True, exist_ok=True)
    found.write_text(text)
    return found


@pytest.mark.parametrize(("field", "value"), [("importance", "nan"), ("tags", 5)])
def test_a_field_of_another_kind_is_damage_with_its_file_its_item_and_its_name(
    tmp_path: Path, field: str, value: Any
) -> None:
    memory = written(tmp_path, {**ITEM, field: value}).memory
    before = (tmp_path / "memory-store.json").read_text()
    for use in (lambda: memory.recall("lease"), memory.recall, memory.materialise):
        with pytest.raises(Damaged, match=f"memory-store.json: memory item 'M-1700000000000-hand': {field}"):
            use()
    assert (tmp_path / "memory-store.json").read_text() == before


@pytest.mark.parametrize(("value", "tags"), [("lease", ("lease",)), (["lease", 2026], ("lease", "2026"))])
def test_a_tag_that_stands_alone_or_is_a_year_is_a_tag(tmp_path: Path, value: Any, tags: tuple[str, ...]) -> None:
    mind = written(tmp_path, {**ITEM, "tags": value})
    assert [hit.found.tags for hit in mind.memory.recall("lease")] == [tags]
    mind.memory.materialise()


@pytest.mark.parametrize("at", ["yesterday", "xxxxxxxxxxxxxxxxxxxxxxxZ", "0000-13-45T14:30:00.000Z", 5, ""])
def test_an_item_whose_time_is_none_is_recalled_all_the_same(tmp_path: Path, at: Any) -> None:
    mind = written(tmp_path, {**ITEM, "created_at": at})
    for query in ("", "lease", "the lease on 24 February 2026"):
        assert [hit.content for hit in mind.memory.recall(query)] == ["The lease ends in June"]


@pytest.mark.parametrize(
    "fields", [{"tags": 5}, {"evidence": 5}, {"content": "a \ud800 b"}, {"tags": ["\ud800"]}, {"source": "\ud800"}]
)
def test_what_no_file_could_hold_is_refused_before_anything_is_written(tmp_path: Path, fields: Any) -> None:
    mind = Remembering(tmp_path)
    with pytest.raises(InvalidArgument) as refused:
        mind.memory.store_many([{"content": "The lease", **fields}])
    assert refused.value.argument == next(iter(fields))
    with pytest.raises(InvalidArgument, match="expected a mapping of content"):
        mind.memory.store_many(["The lease"])  # type: ignore[list-item]  # as a caller without types may
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize("odd", [{"id": "lease"}, {"created_at": ""}, {"type": "to-do"}, {"type": "to [do]"}])
def test_however_a_person_named_an_item_its_line_is_told_once(tmp_path: Path, odd: Mapping[str, str]) -> None:
    mind = written(tmp_path, {**ITEM, **odd})
    mind.memory.materialise()
    once = (tmp_path / "MEMORY.md").read_text()
    assert once.count("The lease ends in June") == 1
    for number in range(3):
        mind.memory.store(f"Short {number}")
        mind.memory.materialise()
        assert (tmp_path / "MEMORY.md").read_text() == once


def test_a_line_of_a_persons_own_stays_though_it_ends_in_brackets_like_ours(tmp_path: Path) -> None:
    mind = written(tmp_path, ITEM)
    mind.memory.materialise()
    with (tmp_path / "MEMORY.md").open("a") as file:
        file.write("\n- **2026-02-20** [fact] Parking is paid for (M-drawer)\n")
    mind.memory.store("Rent rose", store="long_term")
    mind.memory.materialise()
    assert "\n- **2026-02-20** [fact] Parking is paid for (M-drawer)\n" in (tmp_path / "MEMORY.md").read_text()
    assert "Parking" in materialise.written_by_hand((tmp_path / "MEMORY.md").read_text())


def test_what_a_person_changed_in_a_line_stays_when_the_item_is_corrected_meanwhile(tmp_path: Path) -> None:
    mind = written(tmp_path, ITEM)
    mind.memory.materialise()
    path = tmp_path / "MEMORY.md"
    path.write_text(path.read_text().replace("ends in June", "ends in June (see the drawer)"))
    mind.memory.store("The lease ends in July", store="long_term", supersedes=[ITEM["id"]])
    mind.memory.materialise()
    assert path.read_text().endswith("## Notes\n\n- **2026-02-24** [fact] The lease ends in June (see the drawer)\n")


def test_no_checkpoint_takes_the_place_of_another_where_one_between_was_removed(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    first, second, third = (mind.memory.checkpoint(Checkpoint(f"Task {number}")) for number in range(3))
    second.unlink()
    fourth = mind.memory.checkpoint(Checkpoint("Task 3"))
    assert fourth not in (first, second, third)
    assert "Task 2" in third.read_text()
    page(tmp_path, f"memory/checkpoints/{first.stem}-mine.md", "What I thought of it")
    fifth = mind.memory.checkpoint(Checkpoint("Task 4"))
    assert (fifth.name, mind.memory.latest_checkpoint()) == ("2026-02-24-1430_005.md", fifth)


def test_a_checkpoint_is_written_whatever_became_of_the_one_before(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    first = mind.memory.checkpoint(Checkpoint("Task"))
    first.unlink()
    first.symlink_to("nowhere")
    assert "Task" in mind.memory.checkpoint(Checkpoint("Task")).read_text()


def test_an_editors_lock_hides_no_page_of_its_folder(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    week = page(tmp_path, "memory/weekly/2026-W08.md", "- Ask the landlord about parking\n")
    assert [hit.path for hit in mind.memory.recall("landlord")] == ["memory/weekly/2026-W08.md"]
    (week.parent / ".#2026-W08.md").symlink_to("me@here.4711:1700000000")
    (week.parent / "gone.md").symlink_to("nowhere")
    assert [hit.path for hit in mind.memory.recall("landlord")] == ["memory/weekly/2026-W08.md"]
    (week.parent / "gone.md").unlink()
    assert [hit.path for hit in hierarchy.search(tmp_path, "landlord", "weekly")] == [week]


@pytest.mark.parametrize("name", [b"\xff.md", b"0001-00.md", b"9999-W53.md", b"0000-Q9.md"])
def test_whatever_a_page_is_called_the_others_are_found(tmp_path: Path, name: bytes) -> None:
    mind = Remembering(tmp_path)
    week = page(tmp_path, "memory/weekly/2026-W08.md", "- Ask the landlord about parking\n")
    Path(os.fsdecode(bytes(week.parent) + b"/" + name)).write_text("- Call the bank\n")
    assert [hit.path for hit in mind.memory.recall("landlord")] == ["memory/weekly/2026-W08.md"]


@pytest.mark.parametrize("place", ["weekly/\0.md:1", "weekly/\ud800.md:1"])
def test_a_place_that_no_file_could_have_is_no_place(tmp_path: Path, place: str) -> None:
    with pytest.raises(InvalidArgument, match="is not a line of a file"):
        Hierarchy(tmp_path).spot(place)


def test_a_ring_of_lines_ends_and_a_number_without_end_is_none(tmp_path: Path) -> None:
    lines = ["- first"]
    for number in range(1, 3000):
        lines.append(SummaryLine(f"- {number}", (LineSource("weekly/2026-W08.md", number, mark(lines[-1])),)).render())
    page(tmp_path, "memory/weekly/2026-W08.md", "\n".join(lines))
    found = Hierarchy(tmp_path)
    assert found.below(found.spot("weekly/2026-W08.md:3000"))
    assert read(f'- a ([W08](../weekly/2026-W08.md#L1 "{"9" * 5000}:abcdef =51be07"))').sources == ()


def test_what_two_items_say_is_known_again_when_one_of_them_has_left(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store("The lease ends in June", store="working", importance=0.9)
    (copy,) = mind.memory.consolidate().promoted
    for number in range(7):  # makes room for itself: the first goes to short-term, where it expires
        mind.wait(seconds=1)
        mind.memory.store(f"Working {number}", store="working", importance=0.1)
    mind.wait(hours=3)
    mind.memory.expire()
    assert mind.memory.store("The lease ends in June").id == copy.id
