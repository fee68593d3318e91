"""What a store does about damage and half done work that it meets while it is open."""

import os
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.workspace.documents import json_document
from mabos.workspace.markdown import MarkdownCodec
from mabos.workspace.operations import Collections
from mabos.workspace.snapshots import Snapshots, sha_of
from mabos.workspace.store import Op, Put, Store
from mabos.workspace.sync import Sync

OFF = Sync("off")


def facts(folder: Path) -> Store:
    return json_document(folder / "facts.json", ["facts"], sync=OFF)


def mind(folder: Path) -> Store:
    return Store(folder, MarkdownCodec(["Beliefs.md"]), journal="mind/journal.jsonl", sync=OFF, keep_history=True)


def fact(key: str, **values: Any) -> Put:
    return Put("facts", key, {"id": key, **values})


def belief(text: str) -> Put:
    return Put("Beliefs.md", "runway", f"## Runway\n\n{text}\n")


def test_damage_in_what_another_wrote_is_named_by_who_has_the_store_open_and_not_written_over(tmp_path: Path) -> None:
    ours, theirs = facts(tmp_path), facts(tmp_path)
    theirs.commit([fact("F-1")])
    ours.read()
    for number in range(2, 6):
        theirs.commit([fact(f"F-{number}")])
    journal = tmp_path / "facts.journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(b"F-4", b"F-X"))
    broken = journal.read_bytes()
    for _ in range(2):
        with pytest.raises(Damaged, match=r"facts\.journal\.jsonl:5: this line does not match"):
            ours.read()
    with pytest.raises(Damaged, match="this line does not match"):
        ours.commit([fact("F-6")])
    assert journal.read_bytes() == broken
    journal.write_bytes(whole)
    assert list(ours.read()["facts"]) == ["F-1", "F-2", "F-3", "F-4", "F-5"]


def test_a_transaction_that_is_missing_is_named_by_who_has_the_store_open(tmp_path: Path) -> None:
    ours, theirs = facts(tmp_path), facts(tmp_path)
    theirs.commit([fact("F-1")])
    ours.read()
    for number in range(2, 6):
        theirs.commit([fact(f"F-{number}")])
    lines = (tmp_path / "facts.journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "facts.journal.jsonl").write_bytes(b"".join([*lines[:3], *lines[4:]]))
    (tmp_path / ".facts.journal" / "end").unlink()
    for _ in range(2):
        with pytest.raises(Damaged, match="transaction 3 is missing"):
            ours.read()


def test_whoever_follows_sees_that_a_store_began_anew_after_its_damaged_journal_was_removed(tmp_path: Path) -> None:
    ours, theirs = facts(tmp_path), facts(tmp_path)
    theirs.commit([fact("F-1")])
    seq = ours.seq
    theirs.commit([fact("F-2")])
    theirs.commit([fact("F-3")])
    journal = tmp_path / "facts.journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"F-2", b"F-X"))
    with pytest.raises(Damaged, match="this line does not match"):
        ours.read()
    journal.unlink()
    assert ours.read() == {"facts": {}}
    assert ours.seq > seq


def test_a_commit_that_is_on_record_is_not_refused_for_damage_that_the_rewrite_after_it_meets(tmp_path: Path) -> None:
    store = facts(tmp_path)
    store.commit([fact("F-1", text="x" * 300_000)])
    store.checkpoint()

    def change(_collections: Collections) -> list[Op]:
        (tmp_path / "facts.json").write_bytes(b"\xff")
        return [fact("F-2", text="x" * 700_000)]

    assert store.commit(change) == 2
    with pytest.raises(Damaged, match=r"facts\.json:1: not UTF-8"):
        store.read()


def test_an_edit_is_merged_though_a_retired_journal_is_damaged(tmp_path: Path) -> None:
    store = facts(tmp_path)
    for key in ("F-1", "F-2"):
        store.commit([fact(key)])
        store.close()
    retired = tmp_path / ".facts.journal" / "facts.journal.000002.jsonl"
    retired.write_bytes(b"what is not an entry\n" + retired.read_bytes())
    text = (tmp_path / "facts.json").read_text()
    (tmp_path / "facts.json").write_text(text.replace('"F-2"', '"F-2", "note": "by hand"'))
    assert store.read()["facts"] == {"F-1": {"id": "F-1"}, "F-2": {"id": "F-2", "note": "by hand"}}


def changed_on_both_sides(folder: Path) -> Store:
    """Return a store whose next look finds a version for which there is no place."""
    store = mind(folder)
    store.commit([belief("nine months")])
    store.checkpoint()
    store.commit([belief("eight months")])
    (folder / "Beliefs.md").write_text("## Runway\n\nseven months\n")
    return store


def test_what_stands_in_a_conflict_file_stays_whatever_it_is(tmp_path: Path) -> None:
    store = changed_on_both_sides(tmp_path)
    (tmp_path / "Beliefs.md.conflict").write_bytes(before := "größer\r\n".encode("latin-1"))
    assert "seven" in store.read()["Beliefs.md"]["runway"]
    kept = (tmp_path / "Beliefs.md.conflict").read_bytes()
    assert kept.startswith(before)
    assert b"eight months" in kept


def test_a_pipe_in_place_of_a_conflict_file_is_not_waited_for(tmp_path: Path) -> None:
    store = changed_on_both_sides(tmp_path)
    os.mkfifo(tmp_path / "Beliefs.md.conflict")
    with pytest.raises(Damaged, match=r"Beliefs\.md\.conflict: a pipe"):
        store.read()


def test_nothing_is_left_of_a_snapshot_that_could_not_be_put_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _target: Path) -> None:
        raise PermissionError("refused")

    snapshots = Snapshots(tmp_path, tmp_path / "base")
    snapshots.accept("Beliefs.md", snapshots.read("Beliefs.md"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        with pytest.raises(PermissionError):
            snapshots.replace("Beliefs.md", "## Runway\n", durable=False)
    assert list(tmp_path.iterdir()) == []


def test_a_copy_that_a_power_cut_emptied_is_made_again(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, tmp_path / "base")
    (tmp_path / "Beliefs.md").write_text("## Runway\n")
    snapshot = snapshots.read("Beliefs.md")
    snapshots.keep_base("Beliefs.md", snapshot)
    next((tmp_path / "base").iterdir()).write_bytes(b"")
    assert snapshots.base("Beliefs.md", snapshot.sha) is None
    snapshots.keep_base("Beliefs.md", snapshot)
    assert snapshots.base("Beliefs.md", sha_of("## Runway\n")) == "## Runway\n"


def test_a_file_that_is_rewritten_often_is_remembered_once(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, tmp_path / "base")
    sizes = []
    for number in range(5):
        snapshots.accept("Beliefs.md", snapshots.read("Beliefs.md"))
        assert snapshots.replace("Beliefs.md", f"## Runway {number}\n", durable=False).is_done
        sizes.append(sum(len(kept) for kept in vars(snapshots).values() if isinstance(kept, dict)))
    assert sizes == [sizes[0]] * 5


def test_a_history_that_is_being_read_lacks_nothing_when_a_journal_is_retired_meanwhile(tmp_path: Path) -> None:
    store = mind(tmp_path)
    for text in ("nine", "eight", "seven"):
        store.commit([belief(text)])
        if text != "seven":
            store.close()
    reading = store.history()
    first = next(reading)
    store.close()
    store.commit([belief("six")])
    store.close()
    assert [change.seq for change in (first, *reading)] == [1, 2, 3]
    assert [change.seq for change in store.history()] == [1, 2, 3, 4]


def test_a_key_that_is_no_text_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="not a text"):
        facts(tmp_path).commit([Put("", 5, "x")])  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("key", ["F-10", "F-1x", "F-1#", "F-1#x", "#2"])
def test_a_record_is_kept_under_the_key_that_it_states(tmp_path: Path, key: str) -> None:
    with pytest.raises(InvalidArgument, match="make them agree"):
        facts(tmp_path).commit([Put("facts", key, {"id": "F-1"})])


def test_two_records_with_one_key_are_both_kept_and_can_be_changed(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text('{"facts": [{"id": "A#1"}, {"id": "A#1", "n": 1}, {"id": "B"}, {"id": "B"}]}')
    store = facts(tmp_path)
    assert list(store.read()["facts"]) == ["A#1", "A#1#2", "B", "B#2"]
    store.commit([Put("facts", "A#1#2", {"id": "A#1", "n": 2}), Put("facts", "B#2", {"id": "B", "n": 2})])
    store.close()
    assert [record.get("n") for record in facts(tmp_path).read()["facts"].values()] == [None, 2, None, 2]
