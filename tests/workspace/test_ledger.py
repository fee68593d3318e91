import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.workspace.ledger import Ledger, LedgerEntry
from mabos.workspace.ledger_index import LedgerIndex
from mabos.workspace.names import Layout
from mabos.workspace.sync import Sync

AT = "2026-02-24T14:30:00.000Z"
WRITER = """
import sys
from pathlib import Path
from mabos.workspace.ledger import Ledger
from mabos.workspace.names import Layout
from mabos.workspace.sync import Sync
ledger = Ledger(Layout(Path(sys.argv[1])), Sync("off"))
for number in range(100):
    ledger.append("cfo", "act", {"writer": sys.argv[2], "number": number}, at="2026-02-24T14:30:00.000Z")
"""


def ledger(root: Path) -> Ledger:
    return Ledger(Layout(root), Sync("off"))


def filled(root: Path, entries: int = 3) -> Ledger:
    book = ledger(root)
    for number in range(entries):
        book.append("cfo", "act", {"number": number}, at=AT, cycle="C-1")
    return book


def path(root: Path) -> Path:
    return Layout(root).ledger("cfo")


def test_an_entry_comes_back_as_it_was_appended(tmp_path: Path) -> None:
    appended = ledger(tmp_path).append("cfo", "decide", {"why": ["a", 1]}, at=AT, cycle="C-1")
    assert appended.id == "L-cfo-1"
    assert appended.prev == ""
    assert list(ledger(tmp_path).entries("cfo")) == [appended]
    assert ledger(tmp_path).find("L-cfo-1") == appended


def test_each_entry_holds_the_hash_of_the_one_before(tmp_path: Path) -> None:
    book = filled(tmp_path)
    first, second, third = book.entries("cfo")
    assert (second.prev, third.prev) == (first.hash, second.hash)
    assert [entry.seq for entry in book.entries("cfo", since=1)] == [2, 3]
    assert book.verify() == []
    assert book.last("cfo") == 3


def test_chains_do_not_depend_on_each_other(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    book.append("cfo", "act", {}, at=AT)
    assert book.append("ceo", "act", {}, at=AT).seq == 1
    assert book.agents() == ["ceo", "cfo"]


def test_the_same_work_gives_the_same_bytes(tmp_path: Path) -> None:
    filled(tmp_path / "a")
    book = ledger(tmp_path / "b")
    for number in range(3):
        book.append("cfo", "act", {"number": number}, at=AT, cycle="C-1")
    assert path(tmp_path / "a").read_bytes() == path(tmp_path / "b").read_bytes()


def test_two_objects_on_one_chain_continue_it(tmp_path: Path) -> None:
    first, second = ledger(tmp_path), ledger(tmp_path)
    for number in range(4):
        (first if number % 2 else second).append("cfo", "act", {"number": number}, at=AT)
    assert first.verify("cfo") == []
    assert [entry.body["number"] for entry in first.entries("cfo")] == [0, 1, 2, 3]


def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, str(number)]) for number in range(4)]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert ledger(tmp_path).verify() == []
    assert len({(entry.body["writer"], entry.body["number"]) for entry in ledger(tmp_path).entries("cfo")}) == 400


def test_a_torn_last_line_is_cut_by_the_next_append(tmp_path: Path) -> None:
    book = filled(tmp_path)
    whole = path(tmp_path).read_bytes()
    path(tmp_path).write_bytes(whole + b'{"id":"L-cfo-4","se')
    assert len(list(book.entries("cfo"))) == 3
    assert book.last("cfo") == 3
    assert book.append("cfo", "act", {}, at=AT).seq == 4
    assert ledger(tmp_path).verify() == []


def test_a_changed_entry_is_found(tmp_path: Path) -> None:
    book = filled(tmp_path)
    path(tmp_path).write_bytes(path(tmp_path).read_bytes().replace(b'"number":1', b'"number":7'))
    (problem,) = book.verify()
    assert (problem.line, problem.path) == (2, path(tmp_path))
    assert "L-cfo-2 was changed" in problem.message


def test_a_removed_entry_is_found(tmp_path: Path) -> None:
    book = filled(tmp_path)
    lines = path(tmp_path).read_bytes().splitlines(keepends=True)
    path(tmp_path).write_bytes(lines[0] + lines[2])
    (problem,) = book.verify("cfo")
    assert "L-cfo-3 does not follow" in problem.message


def test_an_unreadable_line_is_named(tmp_path: Path) -> None:
    book = filled(tmp_path)
    path(tmp_path).write_bytes(b"nonsense\n" + path(tmp_path).read_bytes())
    with pytest.raises(Damaged, match=r"cfo\.jsonl:1: not a ledger entry"):
        list(book.entries("cfo"))
    assert [problem.line for problem in book.verify()] == [1]


@pytest.mark.parametrize("change", [{"seq": "one"}, {"seq": True}, {"body": "nothing"}, {"at": 2}, {"prev": None}])
def test_an_entry_whose_fields_are_of_another_kind_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    book = filled(tmp_path)
    first, *rest = path(tmp_path).read_bytes().splitlines(keepends=True)
    path(tmp_path).write_bytes(orjson.dumps(orjson.loads(first) | change) + b"\n" + b"".join(rest))
    assert [(problem.line, problem.message) for problem in book.verify()] == [(1, "not a ledger entry")]
    index = LedgerIndex(Layout(tmp_path))
    assert [entry.seq for entry in index.entries()] == [2, 3]
    index.close()


def test_what_is_not_json_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="not JSON"):
        ledger(tmp_path).append("cfo", "act", {"bad": {1}}, at=AT)
    assert not path(tmp_path).exists()


@pytest.mark.parametrize("wanted", ["L-cfo-9", "L-cto-1", "nonsense"])
def test_an_unknown_id_is_said_to_be_unknown(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(UnknownId, match=f"no ledger entry '{wanted}'"):
        filled(tmp_path).find(wanted)


def test_an_id_with_more_digits_than_a_number_may_have_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownId, match="no ledger entry 'L-cfo-999"):
        filled(tmp_path).find("L-cfo-" + "9" * 5000)


def test_a_long_entry_is_found_from_the_end(tmp_path: Path) -> None:
    ledger(tmp_path).append("cfo", "act", {"text": "x" * 200_000}, at=AT)
    appended: LedgerEntry = ledger(tmp_path).append("cfo", "act", {}, at=AT)
    assert appended.seq == 2
    assert ledger(tmp_path).verify() == []


def test_a_group_may_append_to_one_chain_again_and_again(tmp_path: Path) -> None:
    sync = Sync("phase")
    entries = Ledger(Layout(tmp_path), sync)
    with sync.group():
        made = [entries.append("cfo", "call", {"n": n}, at="2026-01-05T00:00:00.000Z") for n in range(3)]
    assert [entry.seq for entry in made] == [1, 2, 3]


# --- the end of a chain


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    Layout(tmp_path).internal.mkdir()
    return tmp_path


def cut(root: Path, *, to: int) -> None:
    lines = path(root).read_bytes().splitlines(keepends=True)
    path(root).write_bytes(b"".join(lines[:to]))


@pytest.mark.parametrize(("left", "said"), [(2, "entries 3 to 3 are missing"), (0, "all 3 entries are missing")])
def test_a_chain_that_was_shortened_is_found(workspace: Path, left: int, said: str) -> None:
    filled(workspace)
    cut(workspace, to=left)
    (problem,) = ledger(workspace).verify()
    assert (problem.path, problem.line) == (path(workspace), left)
    assert said in problem.message


def test_a_chain_that_was_deleted_is_found_even_when_the_agent_is_not_named(workspace: Path) -> None:
    filled(workspace)
    path(workspace).unlink()
    assert ["all 3 entries are missing" in one.message for one in ledger(workspace).verify()] == [True]
    path(workspace).parent.rmdir()
    assert len(ledger(workspace).verify("cfo")) == 1


@pytest.mark.parametrize("left", [0, 1, 2])
@pytest.mark.parametrize("is_same_process", [True, False])
def test_what_is_missing_stays_on_record_though_the_chain_goes_on(
    workspace: Path, left: int, is_same_process: bool
) -> None:
    book = filled(workspace)
    cut(workspace, to=left)
    if left == 0:
        path(workspace).unlink()
    book = book if is_same_process else ledger(workspace)
    assert book.append("cfo", "act", {"number": 9}, at=AT).seq == left + 2
    for number in range(5):
        book.append("cfo", "act", {"number": number}, at=AT)
    (problem,) = ledger(workspace).verify()
    assert problem.line == left + 1
    assert f"the chain had reached 3 and ended at {left}" in problem.message


def test_what_is_left_of_an_acknowledged_entry_is_quoted_where_it_is_missing(workspace: Path) -> None:
    filled(workspace)
    whole, last = path(workspace).read_bytes().splitlines(keepends=True)[:2], b'{"agent":"cfo","at"'
    path(workspace).write_bytes(b"".join(whole) + last)
    ledger(workspace).append("cfo", "act", {}, at=AT)
    lost = list(ledger(workspace).entries("cfo"))[2]
    assert (lost.kind, lost.body["torn"]) == ("lost", last.decode())
    assert path(workspace).read_bytes().startswith(b"".join(whole))


def test_another_last_entry_under_the_same_number_is_found(workspace: Path) -> None:
    filled(workspace, 2)
    other = ledger(workspace / "elsewhere")
    for number in (0, 7):
        other.append("cfo", "act", {"number": number}, at=AT, cycle="C-1")
    path(workspace).write_bytes(path(workspace / "elsewhere").read_bytes())
    (problem,) = ledger(workspace).verify()
    assert "is not the entry that was written under this number" in problem.message
    ledger(workspace).append("cfo", "act", {}, at=AT)
    assert len(ledger(workspace).verify()) == 1


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_head_that_lags_behind_its_chain_is_no_fault(workspace: Path, kept: int) -> None:
    filled(workspace, kept)
    head = Layout(workspace).internal / "heads" / "cfo"
    lagging = head.read_bytes() if kept else None
    filled(workspace)
    if lagging is None:
        head.unlink()
    else:
        head.write_bytes(lagging)
    assert ledger(workspace).verify() == []
    ledger(workspace).append("cfo", "act", {}, at=AT)
    assert ledger(workspace).verify() == []


@pytest.mark.parametrize("text", [b"", b"nonsense", b"\xff" * 90])
def test_an_unreadable_head_says_nothing(workspace: Path, text: bytes) -> None:
    filled(workspace)
    (Layout(workspace).internal / "heads" / "cfo").write_bytes(text)
    assert ledger(workspace).verify() == []


def test_a_head_is_kept_when_its_entries_are_durable(workspace: Path) -> None:
    sync = Sync("phase")
    book = Ledger(Layout(workspace), sync)
    with sync.group():
        book.append("cfo", "act", {}, at=AT)
        book.append("cfo", "act", {}, at=AT)
        assert not (Layout(workspace).internal / "heads").exists()
    cut(workspace, to=1)
    assert len(book.verify()) == 1


def test_the_heads_can_be_kept_elsewhere(workspace: Path) -> None:
    book = filled(workspace)
    assert {agent: (head.seq, head.hash) for agent, head in book.heads().items()} == {
        "cfo": (3, list(book.entries("cfo"))[-1].hash)
    }


def test_a_pipe_in_the_place_of_a_head_holds_nothing_up(tmp_path: Path) -> None:
    heads = Layout(tmp_path).internal / "heads"
    heads.mkdir(parents=True)
    os.mkfifo(heads / "cfo")
    book = filled(tmp_path)
    assert (book.last("cfo"), book.verify()) == (3, [])
