import os
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest

from mabos.configs.errors import Damaged, InvalidArgument, Refused, UnknownId
from mabos.workspace.documents import json_document
from mabos.workspace.markdown import MarkdownCodec, fields, with_field
from mabos.workspace.operations import Collections, apply
from mabos.workspace.store import Arrange, Drop, Op, Put, Store
from mabos.workspace.sync import Sync

OFF = Sync("off")


def facts(folder: Path) -> Store:
    return json_document(folder / "facts.json", ["facts"], sync=OFF)


def mind(folder: Path) -> Store:
    return Store(
        folder, MarkdownCodec(["Beliefs.md", "Plans.md"]), journal="mind/journal.jsonl", sync=OFF, keep_history=True
    )


def fact(key: str, **values: Any) -> Put:
    return Put("facts", key, {"id": key, **values})


def belief(key: str, text: str = "prose") -> Put:
    return Put("Beliefs.md", key, f"## About {key}\n- **Id:** {key}\n\n{text}\n")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_reading_a_store_that_does_not_exist_creates_nothing(tmp_path: Path) -> None:
    with facts(tmp_path / "agent") as store:
        assert store.read() == {"facts": {}}
        assert store.seq == 0
    assert not (tmp_path / "agent").exists()


def test_a_commit_is_seen_by_another_store_before_any_snapshot(tmp_path: Path) -> None:
    first, second = facts(tmp_path), facts(tmp_path)
    assert second.read() == {"facts": {}}
    assert first.commit([fact("F-1", object="9")]) == 1
    assert second.read()["facts"]["F-1"]["object"] == "9"
    second.commit([fact("F-2")])
    assert list(first.read()["facts"]) == ["F-1", "F-2"]
    assert not (tmp_path / "facts.json").exists()


def test_where_one_look_is_enough_others_are_seen_at_the_first_and_at_every_commit(tmp_path: Path) -> None:
    sync = Sync("off")
    ours, theirs = json_document(tmp_path / "facts.json", ["facts"], sync=sync), facts(tmp_path)
    ours.commit([fact("F-1")])
    theirs.commit([fact("F-2")])
    with sync.looking_once():
        assert list(ours.read()["facts"]) == ["F-1", "F-2"]
        theirs.commit([fact("F-3")])
        assert list(ours.read()["facts"]) == ["F-1", "F-2"]
        with sync.looking_once():
            assert list(ours.read()["facts"]) == ["F-1", "F-2", "F-3"]
        theirs.commit([fact("F-4")])
        ours.commit([fact("F-5")])
        assert list(ours.read()["facts"]) == ["F-1", "F-2", "F-3", "F-4", "F-5"]
    theirs.commit([fact("F-6")])
    assert "F-6" in ours.read()["facts"]


def test_one_look_is_enough_for_the_thread_that_said_so_and_for_no_other(tmp_path: Path) -> None:
    sync = Sync("off")
    ours, theirs = json_document(tmp_path / "facts.json", ["facts"], sync=sync), facts(tmp_path)
    seen: list[list[str]] = []
    with sync.looking_once():
        ours.read()
        theirs.commit([fact("F-1")])
        other = Thread(target=lambda: seen.append(list(ours.read()["facts"])))
        other.start()
        other.join()
    assert seen == [["F-1"]]


def test_a_steady_block_begins_with_a_look_even_where_one_was_enough(tmp_path: Path) -> None:
    sync = Sync("off")
    ours, theirs = json_document(tmp_path / "facts.json", ["facts"], sync=sync), facts(tmp_path)
    with sync.looking_once():
        ours.read()
        theirs.commit([fact("F-1")])
        with ours.steady():
            assert list(ours.read()["facts"]) == ["F-1"]
            theirs.commit([fact("F-2")])
            assert list(ours.read()["facts"]) == ["F-1"]


def test_closing_leaves_a_readable_document_and_a_journal_of_one_line(tmp_path: Path) -> None:
    with facts(tmp_path) as store:
        store.commit([fact("F-1", object="größer"), fact("F-2")])
        store.commit([Drop("facts", "F-2")])
    text = (tmp_path / "facts.json").read_text("utf-8")
    assert (
        text == '{\n  "facts": [\n    {\n      "id": "F-1",\n      "object": "größer"\n    }\n  ],\n  "version": 2\n}\n'
    )
    assert (tmp_path / "facts.journal.jsonl").read_bytes().count(b"\n") == 1
    reopened = facts(tmp_path)
    assert reopened.read() == {"facts": {"F-1": {"id": "F-1", "object": "größer"}}}
    assert reopened.seq == 2


def test_the_same_commits_give_the_same_bytes(tmp_path: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        with mind(folder) as store:
            for number in range(5):
                store.commit([belief(f"B-{number}")], note={"cycle": "C-1"})
                store.checkpoint()
    assert files(tmp_path / "a") == files(tmp_path / "b")
    for name in files(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_what_changes_nothing_is_not_written(tmp_path: Path) -> None:
    store = facts(tmp_path)
    store.commit([fact("F-1", seen=1)])
    size = (tmp_path / "facts.journal.jsonl").stat().st_size
    assert store.commit([]) == 1
    assert store.commit([fact("F-1", seen=1), Drop("facts", "F-9")]) == 1
    assert (tmp_path / "facts.journal.jsonl").stat().st_size == size
    assert store.commit([fact("F-1", seen=True)]) == 2


def test_a_callable_decides_on_what_other_processes_wrote(tmp_path: Path) -> None:
    first, second = facts(tmp_path), facts(tmp_path)
    first.commit([fact("F-1", count=1)])

    def add(collections: Collections) -> list[Op]:
        return [fact("F-1", count=collections["facts"]["F-1"]["count"] + 1)]

    second.commit(add)
    first.commit(add)
    assert second.read()["facts"]["F-1"]["count"] == 3


def test_a_callable_that_raises_writes_nothing(tmp_path: Path) -> None:
    store = facts(tmp_path)
    store.commit([fact("F-1")])

    def refuse(collections: Collections) -> list[Op]:
        raise Refused("stale")

    with pytest.raises(Refused):
        store.commit(refuse)
    assert store.seq == 1
    assert store.commit([fact("F-2")]) == 2


def test_what_was_put_is_no_longer_the_callers(tmp_path: Path) -> None:
    store = facts(tmp_path)
    record = {"id": "F-1", "tags": ["a"], "score": float("nan")}
    store.commit([Put("facts", "F-1", record)])
    record["tags"] = []
    assert store.read()["facts"]["F-1"] == {"id": "F-1", "tags": ["a"], "score": None}


def test_what_is_not_json_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    store = facts(tmp_path)
    with pytest.raises(InvalidArgument, match="not JSON"):
        store.commit([fact("F-1", bad={1, 2})])
    with pytest.raises(InvalidArgument, match="make them agree"):
        store.commit([Put("facts", "F-1", {"id": "F-2"})])
    with pytest.raises(UnknownId, match="did you mean 'facts'"):
        store.commit([Put("fact", "F-1", {})])
    assert files(tmp_path) == [".facts.journal/lock"]


def test_threads_share_one_store(tmp_path: Path) -> None:
    store = facts(tmp_path)
    seen: list[int] = []

    def write(writer: int) -> None:
        for number in range(50):
            store.commit([fact(f"F-{writer}-{number}")])
            seen.append(sum(1 for _ in store.read()["facts"].values()))

    threads = [Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.read()["facts"]) == len(facts(tmp_path).read()["facts"]) == 200
    assert max(seen) == 200


def test_the_journal_is_rewritten_when_it_outgrows_the_snapshot(tmp_path: Path) -> None:
    store = facts(tmp_path)
    for number in range(40):
        store.commit([fact("F-1", text="x" * 20_000, number=number)])
    assert store.generation > 1
    assert (tmp_path / "facts.journal.jsonl").stat().st_size < 400_000
    assert facts(tmp_path).read()["facts"]["F-1"]["number"] == 39


def test_an_idle_checkpoint_writes_nothing(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1")])
    store.checkpoint()
    before = {name: (tmp_path / name).stat() for name in files(tmp_path)}
    store.checkpoint()
    assert {name: (tmp_path / name).stat() for name in files(tmp_path)} == before


def test_a_checkpoint_leaves_files_alone_whose_text_is_the_same(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1"), Put("Plans.md", "p", "## P\n")])
    store.checkpoint()
    before = (tmp_path / "Plans.md").stat().st_ino
    store.commit([belief("B-2"), Put("Plans.md", "q", "## Q\n")])
    store.commit([Drop("Plans.md", "q")])
    store.checkpoint()
    assert (tmp_path / "Plans.md").stat().st_ino == before


def test_an_idle_close_writes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        with facts(tmp_path) as store:
            store.commit([fact("F-1")])
            store.checkpoint()
        before = {name: (tmp_path / name).stat() for name in files(tmp_path)}
        store.close()
        with facts(tmp_path) as store:
            store.read()
        assert {name: (tmp_path / name).stat() for name in files(tmp_path)} == before


def test_history_is_kept_where_asked(tmp_path: Path) -> None:
    (tmp_path / "Beliefs.md").write_text("# Mine\n\n## Old\ntext\n")
    for number in range(3):
        with mind(tmp_path) as store:
            store.commit([belief("B-1", f"text {number}")], note={"cycle": f"C-{number}"})
            store.checkpoint()
            store.commit([belief("B-2", f"text {number}")], note={"cycle": f"C-{number}"})
    assert [path.name for path in sorted((tmp_path / "mind").glob("*.jsonl"))] == [
        "journal.000001.jsonl",
        "journal.000002.jsonl",
        "journal.000003.jsonl",
        "journal.jsonl",
    ]
    changes = list(store.history())
    assert [change.seq for change in changes] == [1, 2, 3, 4, 5, 6, 7]
    assert changes[0].note == {"by": "hand"}
    assert [change.note.get("cycle") for change in changes[1::2]] == ["C-0", "C-1", "C-2"]


def test_a_version_that_a_person_brings_back_is_an_edit(tmp_path: Path) -> None:
    store = mind(tmp_path)
    texts = []
    for number in range(4):
        store.commit([belief("B-1", f"text {number}")])
        store.checkpoint()
        texts.append((tmp_path / "Beliefs.md").read_text())
    (tmp_path / "Beliefs.md").write_text(texts[1])
    for opened in (mind(tmp_path), store):
        assert "text 1" in opened.read()["Beliefs.md"]["B-1"]
    assert (tmp_path / "Beliefs.md").read_text() == texts[1]
    (conflict,) = store.conflicts()
    assert "text 3" in conflict.read_text()


@pytest.mark.parametrize("torn", [b'{"crc":"00', b'{"crc":"00000000","seq":2}\n'])
def test_a_torn_last_line_is_cut_and_the_rest_kept(tmp_path: Path, torn: bytes) -> None:
    facts(tmp_path).commit([fact("F-1")])
    with (tmp_path / "facts.journal.jsonl").open("ab") as journal:
        journal.write(torn)
    store = facts(tmp_path)
    assert list(store.read()["facts"]) == ["F-1"]
    assert store.commit([fact("F-2")]) == 2
    assert list(facts(tmp_path).read()["facts"]) == ["F-1", "F-2"]


def test_an_acknowledged_end_that_is_gone_is_named_and_not_written_over(tmp_path: Path) -> None:
    facts(tmp_path).commit([fact("F-1")])
    journal = tmp_path / "facts.journal.jsonl"
    os.truncate(journal, journal.stat().st_size - 5)
    cut = journal.read_bytes()
    with pytest.raises(Damaged, match=r"facts\.journal\.jsonl:2: its last \d+ bytes are gone"):
        facts(tmp_path).commit([fact("F-2")])
    assert journal.read_bytes() == cut


def test_damage_in_the_middle_of_a_journal_is_named(tmp_path: Path) -> None:
    store = facts(tmp_path)
    store.commit([fact("F-1")])
    store.commit([fact("F-2")])
    edit(tmp_path / "facts.journal.jsonl", "F-1", "F-7")
    with pytest.raises(Damaged, match=r"facts\.journal\.jsonl:2: this line does not match"):
        facts(tmp_path).read()


def test_a_missing_transaction_is_named(tmp_path: Path) -> None:
    store = facts(tmp_path)
    for number in range(3):
        store.commit([fact(f"F-{number}")])
    lines = (tmp_path / "facts.journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "facts.journal.jsonl").write_bytes(b"".join([*lines[:2], *lines[3:]]))
    (tmp_path / ".facts.journal" / "end").unlink()
    with pytest.raises(Damaged, match="transaction 2 is missing"):
        facts(tmp_path).read()


def test_a_document_that_is_not_json_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text('{"facts": [\n  {"id": "F-1"},\n]}')
    with pytest.raises(Damaged, match=r"facts\.json:2: not JSON"):
        facts(tmp_path).read()
    (tmp_path / "facts.json").write_text('{\n"facts": {}}')
    with pytest.raises(Damaged, match=r"facts\.json:2: 'facts' must be a list"):
        facts(tmp_path).commit([fact("F-1")])
    assert (tmp_path / "facts.json").read_text() == '{\n"facts": {}}'


def test_markdown_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "Beliefs.md").write_bytes(b"## A\n\xff\n")
    with pytest.raises(Damaged, match=r"Beliefs\.md:2: not UTF-8"):
        mind(tmp_path).read()


def test_a_hand_written_document_opens_and_keeps_its_other_fields(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text('{"agent": "cfo", "version": 7, "facts": [{"id": "F-1"}, {"text": "no id"}]}')
    with facts(tmp_path) as store:
        assert store.seq == 7
        assert list(store.read()["facts"].values()) == [{"id": "F-1"}, {"text": "no id"}]
        assert store.commit([fact("F-2")]) == 8
    content = orjson.loads((tmp_path / "facts.json").read_bytes())
    assert content == {"facts": [{"id": "F-1"}, {"text": "no id"}, {"id": "F-2"}], "version": 8, "agent": "cfo"}


def test_an_array_is_a_document_too(tmp_path: Path) -> None:
    (tmp_path / "inbox.json").write_text('[{"id": "M-1"}]')
    with json_document(tmp_path / "inbox.json", ["messages"], root="array", sync=OFF) as store:
        store.commit([Put("messages", "M-2", {"id": "M-2"})])
    assert orjson.loads((tmp_path / "inbox.json").read_bytes()) == [{"id": "M-1"}, {"id": "M-2"}]


def test_a_document_edited_before_there_is_a_journal_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text('{"facts": []}')
    store = facts(tmp_path)
    assert store.read() == {"facts": {}}
    seq = store.seq
    (tmp_path / "facts.json").write_text('{"facts": [{"id": "F-1"}]}')
    assert store.refresh()
    assert list(store.read()["facts"]) == ["F-1"]
    assert store.seq > seq


def test_a_hand_edit_and_the_agents_own_change_are_both_kept(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one"), belief("B-2", "two")])
    store.checkpoint()
    store.commit([belief("B-3", "three")])
    edit(tmp_path / "Beliefs.md", "two", "two by hand")
    assert store.refresh()
    records = store.read()["Beliefs.md"]
    assert "two by hand" in records["B-2"]
    assert "three" in records["B-3"]
    text = (tmp_path / "Beliefs.md").read_text()
    assert "two by hand" in text
    assert "three" in text
    assert store.conflicts() == ()


def test_a_section_changed_on_both_sides_keeps_the_hand_and_sets_the_agents_beside_it(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one")])
    store.checkpoint()
    store.commit([belief("B-1", "one by the agent")])
    edit(tmp_path / "Beliefs.md", "one", "one by hand")
    assert "one by hand" in store.read()["Beliefs.md"]["B-1"]
    (conflict,) = store.conflicts()
    assert conflict == tmp_path / "Beliefs.md.conflict"
    assert "one by the agent" in conflict.read_text()
    assert "one by hand" in (tmp_path / "Beliefs.md").read_text()


def test_a_record_changed_on_both_sides_keeps_the_acknowledged_one(tmp_path: Path) -> None:
    store = facts(tmp_path)
    store.commit([fact("F-1", status="open"), fact("F-2", status="open")])
    store.checkpoint()
    store.commit([fact("F-1", status="done")])
    edit(tmp_path / "facts.json", '"open"', '"by hand"')
    records = facts(tmp_path).read()["facts"]
    assert [record["status"] for record in records.values()] == ["done", "by hand"]
    (conflict,) = store.conflicts()
    assert orjson.loads(conflict.read_bytes())["by_hand"]["status"] == "by hand"


def test_the_order_a_person_chose_is_kept(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1"), belief("B-2"), belief("B-3")])
    store.checkpoint()
    path = tmp_path / "Beliefs.md"
    parts = path.read_text().split("## ")[1:]
    path.write_text("".join(f"## {part.rstrip()}\n\n" for part in reversed(parts)))
    store.commit([belief("B-4")])
    assert list(store.read()["Beliefs.md"]) == ["B-3", "B-2", "B-1", "B-4"]
    assert list(mind(tmp_path).read()["Beliefs.md"]) == ["B-3", "B-2", "B-1", "B-4"]


@pytest.mark.parametrize("between", ["checkpoint", "close", "many"])
def test_an_editor_that_was_open_meanwhile_takes_nothing_back(tmp_path: Path, between: str) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one"), belief("B-2", "two"), belief("B-3", "three")])
    store.close()
    opened = (tmp_path / "Beliefs.md").read_text()
    for number in range(9 if between == "many" else 1):
        store.commit([belief("B-1", f"one, {number} agents later"), belief("B-4", "four"), Drop("Beliefs.md", "B-3")])
        store.checkpoint()
    if between == "close":
        store.close()
        store = mind(tmp_path)
    (tmp_path / "Beliefs.md").write_text(opened.replace("two", "two by hand"))
    records = store.read()["Beliefs.md"]
    assert "agents later" in records["B-1"]
    assert "two by hand" in records["B-2"]
    assert "B-3" not in records
    assert "B-4" in records
    assert store.conflicts() == ()


def test_what_the_agent_has_again_as_it_once_was_is_not_taken_for_what_a_person_changed(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one"), belief("B-2", "two")])
    store.checkpoint()
    store.commit(
        [belief("B-1", "changed"), Drop("Beliefs.md", "B-2"), *(belief(f"B-{number}") for number in (3, 4, 5))]
    )
    store.checkpoint()
    store.commit([belief("B-1", "one"), belief("B-2", "two")])
    (tmp_path / "Beliefs.md").write_text("## About B-1\n- **Id:** B-1\n\nchanged\n")
    records = store.read()["Beliefs.md"]
    assert "one" in records["B-1"]
    assert "two" in records["B-2"]
    assert store.conflicts() == ()


def test_an_editor_that_stays_open_goes_on(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one"), belief("B-2", "two")])
    store.checkpoint()
    text = (tmp_path / "Beliefs.md").read_text()
    for number in range(3):
        store.commit([belief("B-1", f"one, {number} agents later")])
        text = text.replace("two", "two by hand")
        (tmp_path / "Beliefs.md").write_text(text)
        records = store.read()["Beliefs.md"]
        assert f"one, {number} agents later" in records["B-1"]
        assert "two" + " by hand" * (number + 1) in records["B-2"]
    assert store.conflicts() == ()


def test_a_document_that_was_open_meanwhile_takes_nothing_back(tmp_path: Path) -> None:
    with facts(tmp_path) as store:
        store.commit([fact("F-1", status="open"), fact("F-2", status="open")])
    opened = (tmp_path / "facts.json").read_text()
    with facts(tmp_path) as store:
        store.commit([fact("F-1", status="done"), fact("F-3", status="open")])
    (tmp_path / "facts.json").write_text(opened.replace('"id": "F-2",', '"id": "F-2",\n      "note": "by hand",'))
    records = facts(tmp_path).read()["facts"]
    assert [record["status"] for record in records.values()] == ["done", "open", "open"]
    assert records["F-2"]["note"] == "by hand"


@pytest.mark.parametrize("then", ["both removed", "both taken back", "one taken back, another changed"])
@pytest.mark.parametrize("is_pending", [False, True])
def test_a_person_may_take_back_what_was_just_written_by_hand(tmp_path: Path, then: str, is_pending: bool) -> None:
    store = facts(tmp_path)
    store.commit([fact("F-1", status="open"), fact("F-2", status="open")])
    store.checkpoint()
    if is_pending:
        store.commit([fact("F-3", status="open")])
    path = tmp_path / "facts.json"
    changed = path.read_text().replace('"open"', '"by hand"', 1)
    path.write_text(changed.replace('"facts": [', '"facts": [\n    {"id": "F-9", "status": "by hand"},'))
    assert store.read()["facts"]["F-9"]["status"] == "by hand"
    content = orjson.loads(path.read_bytes())
    records = {record["id"]: record for record in content["facts"] if record["id"] != "F-9"}
    records["F-1"]["status"] = "open"
    if then == "both removed":
        del records["F-1"]
    elif then != "both taken back":
        records["F-2"]["status"] = "by hand"
    path.write_bytes(orjson.dumps({**content, "facts": list(records.values())}))
    assert dict(facts(tmp_path).read()["facts"]) == records
    assert store.conflicts() == ()


def test_a_person_may_take_back_an_edit_of_a_mind(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one"), belief("B-2", "two")])
    store.checkpoint()
    edit(tmp_path / "Beliefs.md", "one", "one by hand")
    store.read()
    edit(tmp_path / "Beliefs.md", "one by hand", "one")
    assert "by hand" not in store.read()["Beliefs.md"]["B-1"]
    assert store.conflicts() == ()


def test_the_newest_record_can_be_removed_by_hand(tmp_path: Path) -> None:
    with facts(tmp_path) as store:
        store.commit([fact("F-1")])
    before = (tmp_path / "facts.json").read_text()
    with facts(tmp_path) as store:
        store.commit([fact("F-2")])
    (tmp_path / "facts.json").write_text(before)
    assert list(facts(tmp_path).read()["facts"]) == ["F-1"]


def test_retired_journals_of_a_document_do_not_pile_up(tmp_path: Path) -> None:
    for number in range(9):
        with facts(tmp_path) as store:
            store.commit([fact("F-1", number=number)])
    assert len(files(tmp_path / ".facts.journal")) < 13
    assert sorted(path.name for path in tmp_path.iterdir()) == [".facts.journal", "facts.journal.jsonl", "facts.json"]


def test_a_file_that_is_removed_comes_back(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1")])
    store.checkpoint()
    (tmp_path / "Beliefs.md").unlink()
    assert "B-1" in mind(tmp_path).read()["Beliefs.md"]
    store.commit([belief("B-2")])
    store.checkpoint()
    assert list(mind(tmp_path).read()["Beliefs.md"]) == ["B-1", "B-2"]


def test_a_file_lost_with_its_copy_is_named(tmp_path: Path) -> None:
    with facts(tmp_path) as store:
        store.commit([fact("F-1")])
    (tmp_path / "facts.json").unlink()
    for copy in (tmp_path / ".facts.journal").glob("facts.json.*"):
        copy.unlink()
    with pytest.raises(Damaged, match=r"facts\.json:1: the file is gone"):
        facts(tmp_path).read()


def test_an_edit_is_merged_without_the_copies_too(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1", "one"), belief("B-2", "two")])
    store.checkpoint()
    store.commit([belief("B-3", "three")])
    for copy in (tmp_path / "mind" / ".journal").glob("*.md.*"):
        copy.unlink()
    edit(tmp_path / "Beliefs.md", "two", "two by hand")
    records = mind(tmp_path).read()["Beliefs.md"]
    assert list(records) == ["B-1", "B-2", "B-3"]
    assert "two by hand" in records["B-2"]


def test_a_touched_file_is_no_edit(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([belief("B-1")])
    store.checkpoint()
    os.utime(tmp_path / "Beliefs.md")
    assert not store.refresh()
    assert store.seq == 1


def test_removing_the_first_of_two_equal_headings_renumbers_the_other(tmp_path: Path) -> None:
    store = mind(tmp_path)
    store.commit([Put("Beliefs.md", "note", "## Note\n1\n"), Put("Beliefs.md", "note-2", "## Note\n2\n")])
    store.checkpoint()
    store.commit([Drop("Beliefs.md", "note")])
    store.checkpoint()
    assert list(store.read()["Beliefs.md"]) == ["note"]
    assert store.read() == mind(tmp_path).read()


def test_equal_headings_are_numbered_as_they_stand_whichever_of_them_went_came_back_or_changed_places(
    tmp_path: Path,
) -> None:
    first, second, third = (
        Put("Beliefs.md", f"note{end}", f"## Note\n{number}\n") for number, end in enumerate(["", "-2", "-3"], 1)
    )
    again: list[list[Op]] = [
        [Drop("Beliefs.md", "note-2")],
        [Drop("Beliefs.md", "note"), first],
        [Arrange("Beliefs.md", ("note-3",))],
    ]
    for number, changes in enumerate(again):
        store = mind(tmp_path / str(number))
        store.commit([first, second, third])
        store.checkpoint()
        for change in changes:
            store.commit([change])
        store.checkpoint()
        read = MarkdownCodec(["Beliefs.md"]).decode(
            "Beliefs.md", (tmp_path / str(number) / "Beliefs.md").read_text("utf-8")
        )
        assert list(read["Beliefs.md"].items()) == list(store.read()["Beliefs.md"].items())


def test_a_section_must_be_found_again_under_its_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="would be found as 'note', not 'B-1'"):
        mind(tmp_path).commit([Put("Beliefs.md", "B-1", "## Note\n")])


def test_followers_are_given_what_came_after(tmp_path: Path) -> None:
    store = facts(tmp_path)
    for number in range(3):
        store.commit([fact(f"F-{number}")])
    store.checkpoint()
    assert [change.seq for change in store.since(1) or ()] == [2, 3]
    assert store.since(3) == ()
    store.close()
    reopened = facts(tmp_path)
    reopened.read()
    assert reopened.since(1) is None


def test_fields_of_a_section_survive_a_commit(tmp_path: Path) -> None:
    with mind(tmp_path) as store:
        store.commit([belief("B-1")])
        section = store.read()["Beliefs.md"]["B-1"]
        store.commit([Put("Beliefs.md", "B-1", with_field(section, "Certainty", "0.8"))])
    assert fields(mind(tmp_path).read()["Beliefs.md"]["B-1"]) == {"id": "B-1", "certainty": "0.8"}
    assert (tmp_path / "Beliefs.md").read_text().endswith("prose\n")


def test_in_a_workspace_the_lock_and_the_copies_lie_in_its_internal_folder(tmp_path: Path) -> None:
    agent = tmp_path / "agents" / "cfo"
    (tmp_path / ".mabos").mkdir()
    with json_document(agent / "facts.json", ["facts"], sync=Sync("off")) as document:
        document.commit([Put("facts", "F-1", {"id": "F-1"})])
    assert sorted(path.name for path in agent.iterdir()) == ["facts.journal.jsonl", "facts.json"]
    assert (tmp_path / ".mabos" / "stores" / "agents" / "cfo" / "facts.journal" / "lock").exists()


def test_a_transaction_counts_once_it_is_applied_so_that_no_thread_takes_the_records_before_for_those_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = facts(tmp_path)
    assert store.seq == 0
    told: list[int] = []

    def applied(collections: Collections, ops: Iterable[Op]) -> None:
        told.append(store.seq)
        apply(collections, ops)

    monkeypatch.setattr("mabos.workspace.truth.apply", applied)
    store.commit([fact("F-1"), fact("F-2")])
    assert (told, store.seq) == ([0, 0], 1)
    facts(tmp_path).commit([fact("F-3")])
    assert store.read()["facts"].keys() == ["F-1", "F-2", "F-3"]
    assert (told[-1], store.seq) == (1, 2)
