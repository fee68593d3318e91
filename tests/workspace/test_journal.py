import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import Damaged, Unavailable
from mabos.workspace.journal import (
    Entry,
    Header,
    Journal,
    JournalChange,
    JournalMark,
    decode_entry,
    encode_entry,
    parse_entries,
)
from mabos.workspace.operations import Drop, Put
from mabos.workspace.sync import Sync

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), lambda inner: st.lists(inner, max_size=3)
)
CHANGES = st.builds(
    JournalChange,
    st.integers(1, 99),
    st.lists(st.builds(Put, st.text(), st.text(), JSON) | st.builds(Drop, st.text(), st.text())).map(tuple),
    st.dictionaries(st.text(), JSON, max_size=2),
    st.dictionaries(st.text(), st.text(), max_size=2),
)
ENTRIES: list[Entry] = [
    Header(1, 0, {}),
    JournalChange(1, (Put("c", "k", 1),)),
    JournalMark(1, {"f": "x"}),
    JournalChange(2, ()),
]


def started(path: Path) -> Journal:
    journal = Journal(path, Sync("off"))
    journal.start(Header(1, 0, {}))
    return journal


@given(CHANGES)
def test_an_entry_is_read_as_it_was_written(change: JournalChange) -> None:
    line = encode_entry(change)
    assert line.count(b"\n") == 1
    assert decode_entry(line[:-1]) == change


@given(st.integers(0, 400), st.integers(0, 255))
def test_no_changed_byte_goes_unnoticed(position: int, byte: int) -> None:
    line = bytearray(encode_entry(ENTRIES[1])[:-1])
    position %= len(line)
    changed = line[position] != byte
    line[position] = byte
    assert (decode_entry(bytes(line)) is None) == changed


@given(st.integers(0, 400))
def test_a_journal_cut_anywhere_gives_a_beginning_of_it(cut: int) -> None:
    raw = b"".join(map(encode_entry, ENTRIES))
    found = [entry for entry, _ in parse_entries(Path("j"), raw[: cut % (len(raw) + 1)])]
    assert found == ENTRIES[: len(found)]


def test_a_second_header_is_damage() -> None:
    raw = encode_entry(ENTRIES[0]) + encode_entry(ENTRIES[0]) + encode_entry(ENTRIES[1])
    with pytest.raises(Damaged, match="j:2"):
        list(parse_entries(Path("j"), raw))


def test_news_are_what_came_since(tmp_path: Path) -> None:
    writer = started(tmp_path / "j")
    reader = Journal(tmp_path / "j", Sync("off"))
    assert reader.load() == ENTRIES[:1]
    assert reader.is_unchanged()
    writer.append(encode_entry(ENTRIES[1]))
    assert not reader.is_unchanged()
    assert reader.news() == ENTRIES[1:2]
    assert reader.news() == []


def test_the_next_journal_is_no_news_of_the_last(tmp_path: Path) -> None:
    writer = started(tmp_path / "j")
    reader = Journal(tmp_path / "j", Sync("off"))
    reader.load()
    writer.start(Header(2, 0, {}), keep=tmp_path / "kept" / "old")
    assert reader.news() is None
    assert (tmp_path / "kept" / "old").read_bytes() == encode_entry(Header(1, 0, {}))


def test_a_write_that_fails_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = started(tmp_path / "j")
    before = (tmp_path / "j").read_bytes()
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:10]))
        with pytest.raises(Unavailable, match="free disk space"):
            journal.append(encode_entry(ENTRIES[1]))
    assert (tmp_path / "j").read_bytes() == before
    journal.append(encode_entry(ENTRIES[1]))
    assert Journal(tmp_path / "j", Sync("off")).load() == ENTRIES[:2]


def test_a_torn_end_is_overwritten_by_the_next_line(tmp_path: Path) -> None:
    started(tmp_path / "j")
    with (tmp_path / "j").open("ab") as file:
        file.write(b'{"crc":"')
    journal = Journal(tmp_path / "j", Sync("off"))
    assert journal.load() == ENTRIES[:1]
    journal.append(encode_entry(ENTRIES[1]))
    assert Journal(tmp_path / "j", Sync("off")).load() == ENTRIES[:2]


@pytest.mark.parametrize("lost", [1, 10, 40])
def test_an_acknowledged_end_that_is_gone_is_damage_with_its_place(tmp_path: Path, lost: int) -> None:
    journal = Journal(tmp_path / "j", Sync(), tmp_path / "end")
    journal.start(Header(1, 0, {}))
    journal.append(encode_entry(ENTRIES[1]))
    os.truncate(tmp_path / "j", journal.size - lost)
    before = (tmp_path / "j").read_bytes()
    with pytest.raises(Damaged, match=rf"j:2: its last \d+ bytes are gone; .* removing {tmp_path / 'end'}"):
        Journal(tmp_path / "j", Sync(), tmp_path / "end").load()
    assert (tmp_path / "j").read_bytes() == before
    (tmp_path / "end").unlink()
    assert Journal(tmp_path / "j", Sync(), tmp_path / "end").load() == ENTRIES[:1]


def test_an_end_that_nobody_acknowledged_may_be_gone(tmp_path: Path) -> None:
    sync = Sync("phase")
    journal = Journal(tmp_path / "j", sync, tmp_path / "end")
    journal.start(Header(1, 0, {}))
    with sync.group():
        journal.append(encode_entry(ENTRIES[1]))
        os.truncate(tmp_path / "j", journal.size - 10)
        assert Journal(tmp_path / "j", Sync(), tmp_path / "end").load() == ENTRIES[:1]


def test_an_end_that_is_known_of_another_journal_says_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", Sync(), tmp_path / "end")
    journal.start(Header(1, 0, {}))
    journal.append(encode_entry(ENTRIES[1]))
    journal.start(Header(2, 1, {}))
    assert Journal(tmp_path / "j", Sync(), tmp_path / "end").load() == [Header(2, 1, {})]
