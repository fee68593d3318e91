from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.workspace.ledger import Ledger, entry_of
from mabos.workspace.ledger_reader import LedgerReader
from mabos.workspace.names import Layout
from mabos.workspace.sync import Sync


def ledger(root: Path) -> Ledger:
    return Ledger(Layout(root), Sync("off"))


def path(root: Path) -> Path:
    return Layout(root).ledger("cfo")


def at(minute: int) -> str:
    return f"2026-02-{1 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00.000Z"


def filled(root: Path, entries: int, *, size: int = 0) -> None:
    book = ledger(root)
    for minute in range(entries):
        book.append("cfo", "act", {"number": minute, "much": "x" * size}, at=at(minute))


def news(reader: LedgerReader) -> list[int]:
    return [one.seq for one in reader.news()]


def spoilt(root: Path, line: int) -> None:
    """Make a line unreadable that is as long as it was."""
    lines = path(root).read_bytes().splitlines(keepends=True)
    lines[line] = b"x" * (len(lines[line]) - 1) + b"\n"
    path(root).write_bytes(b"".join(lines))


def test_each_entry_is_read_once_and_never_again(tmp_path: Path) -> None:
    reader = LedgerReader(path(tmp_path))
    assert news(reader) == []
    filled(tmp_path, 3)
    assert news(reader) == [1, 2, 3]
    spoilt(tmp_path, 0)
    ledger(tmp_path).append("cfo", "act", {}, at=at(9))
    assert news(reader) == [4]
    assert news(reader) == []
    with pytest.raises(Damaged, match=r"cfo\.jsonl: the line 0 bytes from its start is not a ledger entry"):
        news(LedgerReader(path(tmp_path)))


def test_readers_of_one_chain_do_not_disturb_each_other(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    one, other = LedgerReader(path(tmp_path)), LedgerReader(path(tmp_path))
    first = one.news()
    assert next(first).seq == 1
    assert news(other) == [1, 2, 3]
    assert [entry.seq for entry in first] == [2, 3]
    assert news(one) == []


def test_a_chain_that_is_another_than_the_one_read_is_read_from_its_beginning(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    reader = LedgerReader(path(tmp_path))
    assert news(reader) == [1, 2, 3]
    path(tmp_path).unlink()
    filled(tmp_path / "other", 5, size=100)
    path(tmp_path).write_bytes(path(tmp_path / "other").read_bytes())
    assert news(reader) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("size", [0, 5_000, 200_000], ids=["short lines", "long lines", "lines above a block"])
@pytest.mark.parametrize("after", [0, 1, 20, 38, 39, 40])
def test_every_entry_later_than_a_time_is_read_however_long_the_lines_are(
    tmp_path: Path, size: int, after: int
) -> None:
    filled(tmp_path, 40, size=size)
    wanted = [1 + minute for minute in range(40) if at(minute) > at(after)]
    found = news(LedgerReader(path(tmp_path), after=at(after)))
    assert found[len(found) - len(wanted) :] == wanted


def test_what_is_long_past_is_not_read(tmp_path: Path) -> None:
    filled(tmp_path, 2_000, size=200)
    spoilt(tmp_path, 3)
    found = news(LedgerReader(path(tmp_path), after=at(1_990)))
    assert found[-9:] == list(range(1_992, 2_001))
    assert len(found) < 400


def test_a_line_that_was_never_acknowledged_is_not_read_before_it_is_whole(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    whole = path(tmp_path).read_bytes()
    path(tmp_path).write_bytes(whole[:-10])
    reader = LedgerReader(path(tmp_path), after=at(0))
    assert news(reader) == [1]
    path(tmp_path).write_bytes(whole)
    assert news(reader) == [2]


def test_a_reader_goes_on_where_another_has_been(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    first = LedgerReader(path(tmp_path))
    assert news(first) == [1, 2, 3]
    filled(tmp_path, 2)
    assert news(LedgerReader(path(tmp_path), first.position)) == [4, 5]


def test_each_line_says_where_its_entry_stands_and_a_chain_that_is_another_is_told(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    reader, restarts = LedgerReader(path(tmp_path)), list[str]()
    whole = path(tmp_path).read_bytes()
    for line in reader.lines(restarted=lambda: restarts.append("first")):
        written = entry_of(whole[line.start : line.start + line.size])
        assert written == line.entry
    path(tmp_path).write_bytes(b"")
    assert list(reader.lines(restarted=lambda: restarts.append("emptied"))) == []
    filled(tmp_path, 1)
    assert [line.entry.seq for line in reader.lines(restarted=lambda: restarts.append("again"))] == [1]
    assert restarts == ["emptied"]


def test_a_damaged_entry_is_told_at_each_look_or_left_out(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    spoilt(tmp_path, 1)
    strict, lenient = LedgerReader(path(tmp_path)), LedgerReader(path(tmp_path))
    for _ in range(2):
        with pytest.raises(Damaged, match="is not a ledger entry; restore the file from a backup"):
            news(strict)
    assert [line.entry.seq for line in lenient.lines(skips=True)] == [1, 3]
    assert list(lenient.lines(skips=True)) == []
