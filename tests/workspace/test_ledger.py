import subprocess
import sys
from pathlib import Path

import pytest

from configs.errors import Damaged, InvalidArgument, UnknownId
from workspace.ledger import Entry, Ledger
from workspace.names import Layout
from workspace.sync import Sync

AT = "2026-02-24T14:30:00.000Z"
WRITER = """
import sys
from pathlib import Path
from workspace.ledger import Ledger
from workspace.names import Layout
from workspace.sync import Sync
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


def test_what_is_not_json_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="not JSON"):
        ledger(tmp_path).append("cfo", "act", {"bad": {1}}, at=AT)
    assert not path(tmp_path).exists()


@pytest.mark.parametrize("wanted", ["L-cfo-9", "L-cto-1", "nonsense"])
def test_an_unknown_id_is_said_to_be_unknown(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(UnknownId, match=f"no ledger entry '{wanted}'"):
        filled(tmp_path).find(wanted)


def test_a_long_entry_is_found_from_the_end(tmp_path: Path) -> None:
    ledger(tmp_path).append("cfo", "act", {"text": "x" * 200_000}, at=AT)
    appended: Entry = ledger(tmp_path).append("cfo", "act", {}, at=AT)
    assert appended.seq == 2
    assert ledger(tmp_path).verify() == []


def test_a_group_may_append_to_one_chain_again_and_again(tmp_path: Path) -> None:
    sync = Sync("phase")
    entries = Ledger(Layout(tmp_path), sync)
    with sync.group():
        made = [entries.append("cfo", "call", {"n": n}, at="2026-01-05T00:00:00.000Z") for n in range(3)]
    assert [entry.seq for entry in made] == [1, 2, 3]
