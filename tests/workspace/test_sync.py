import os
from pathlib import Path

import pytest

from workspace import sync as module
from workspace.sync import Sync


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
