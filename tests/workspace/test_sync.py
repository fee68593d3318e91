import os
import tempfile
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.workspace import sync as module
from mabos.workspace.sync import Sync


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The inodes forced to disk, in order."""
    inodes: list[int] = []
    monkeypatch.setattr(module, "_force", lambda fd: inodes.append(os.fstat(fd).st_ino))
    return inodes


def written(sync: Sync, path: Path) -> int:
    with path.open("wb") as file:
        file.write(b"x")
        file.flush()
        sync.wrote(file.fileno())
    return path.stat().st_ino


def test_each_forces_every_write_even_in_a_group(tmp_path: Path, forced: list[int]) -> None:
    sync = Sync("each")
    with sync.group():
        inode = written(sync, tmp_path / "a")
        assert forced == [inode]


def test_phase_forces_at_once_outside_a_group(tmp_path: Path, forced: list[int]) -> None:
    assert [written(Sync("phase"), tmp_path / "a")] == forced


def test_phase_forces_each_file_once_when_the_outermost_group_ends(tmp_path: Path, forced: list[int]) -> None:
    sync = Sync("phase")
    with sync.group():
        with sync.group():
            inode = written(sync, tmp_path / "a")
            written(sync, tmp_path / "a")
        assert not forced
    assert forced == [inode]


def test_a_group_that_fails_still_forces_what_was_written(tmp_path: Path, forced: list[int]) -> None:
    sync = Sync("phase")

    def fails() -> None:
        with sync.group():
            written(sync, tmp_path / "a")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fails()
    assert len(forced) == 1


def test_flush_forces_inside_a_group(tmp_path: Path, forced: list[int]) -> None:
    sync = Sync("phase")
    with sync.group():
        written(sync, tmp_path / "a")
        sync.flush()
        assert len(forced) == 1
    assert len(forced) == 1


def test_off_never_forces(tmp_path: Path, forced: list[int]) -> None:
    sync = Sync("off")
    written(sync, tmp_path / "a")
    with sync.group():
        written(sync, tmp_path / "b")
    assert not forced


def test_what_comes_afterwards_waits_for_the_end_of_the_group_and_is_done_once(
    tmp_path: Path, forced: list[int]
) -> None:
    sync, done = Sync("phase"), list[str]()
    sync.afterwards("a", lambda: done.append("at once"))
    with sync.group():
        inode = written(sync, tmp_path / "a")
        sync.afterwards("a", lambda: done.append("replaced"))
        sync.afterwards("a", lambda: done.append(f"forced {forced}"))
        assert done == ["at once"]
    assert done == ["at once", f"forced [{inode}]"]
    sync.flush()
    assert len(done) == 2


def test_what_is_begun_ahead_is_forced_in_the_background_and_waited_for_by_flush(
    tmp_path: Path, forced: list[int]
) -> None:
    sync = Sync("phase")
    with sync.group():
        first = written(sync, tmp_path / "a")
        sync.ahead()
        second = written(sync, tmp_path / "b")
        sync.flush()
        assert forced == [first, second]


def test_what_is_written_again_behind_an_ahead_is_forced_again(tmp_path: Path, forced: list[int]) -> None:
    sync = Sync("phase")
    with sync.group():
        inode = written(sync, tmp_path / "a")
        sync.ahead()
        written(sync, tmp_path / "a")
    assert forced == [inode, inode]


def test_a_failure_in_the_background_is_raised_where_the_group_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(module, "_force", full)
    sync, done = Sync("phase"), list[str]()

    def writes() -> None:
        with sync.group():
            written(sync, tmp_path / "a")
            sync.afterwards("a", lambda: done.append("told"))
            sync.ahead()

    with pytest.raises(OSError, match="no space"):
        writes()
    assert not done


FILES = 4
DEEDS = st.lists(st.one_of(st.integers(0, FILES - 1), st.sampled_from(["ahead", "flush"])), max_size=30)


@settings(deadline=None)
@given(DEEDS)
def test_what_a_power_cut_takes_is_never_acknowledged_and_leaves_no_word_without_its_thing(
    deeds: list[int | str],
) -> None:
    """The disk has of each file what was there when it was last forced; at no moment may that break the promise."""
    with tempfile.TemporaryDirectory() as folder:
        fds = [os.open(Path(folder) / str(number), os.O_RDWR | os.O_CREAT | os.O_APPEND) for number in range(FILES)]
        number_of = {os.fstat(fd).st_ino: number for number, fd in enumerate(fds)}
        disk, behind, fresh = Counter[int](), dict[int, Counter[int]](), set[int]()
        sync = Sync("phase")

        def force(fd: int) -> None:
            found = os.fstat(fd)
            number = number_of[found.st_ino]
            disk[number] = found.st_size
            assert behind.get(number, Counter()) <= disk

        with patch.object(module, "_force", force), sync.group():
            sizes, in_front = Counter[int](), Counter[int]()
            for deed in deeds:
                if deed == "ahead":
                    sync.ahead()
                    in_front = Counter(sizes)
                elif deed == "flush":
                    sync.flush()
                    assert disk == sizes
                    behind.clear()
                    fresh.clear()
                else:
                    number = int(deed)
                    if number not in fresh:  # first written since the last flush: behind what stands in front
                        fresh.add(number)
                        behind[number] = Counter(in_front)
                    os.write(fds[number], b"x")
                    sizes[number] += 1
                    sync.wrote(fds[number])
        assert disk == sizes
        for fd in fds:
            os.close(fd)
