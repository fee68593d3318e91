"""Tests keep their files in memory only where nothing can become short by it."""

from pathlib import Path

import pytest

from tests.room import available, roomy

MEMINFO = "MemTotal:       24684096 kB\nMemAvailable:       2048 kB\n"


def machine(root: Path, *, limit: str | None = None, used: int = 0) -> Path:
    """Make the files that tell of a machine's memory, in a container with a limit where one is given."""
    (root / "proc").mkdir()
    (root / "proc" / "meminfo").write_text(MEMINFO)
    if limit is not None:
        group = root / "sys" / "fs" / "cgroup"
        group.mkdir(parents=True)
        (group / "memory.max").write_text(f"{limit}\n")
        (group / "memory.current").write_text(f"{used}\n")
    return root


@pytest.mark.parametrize(("limit", "expected"), [(None, 2 << 20), ("max", 2 << 20), ("1000000", 999_900)])
def test_what_is_available_is_the_less_of_the_machine_and_its_container(
    tmp_path: Path, limit: str | None, expected: int
) -> None:
    assert available(machine(tmp_path, limit=limit, used=100)) == expected


def test_a_machine_that_tells_nothing_has_nothing(tmp_path: Path) -> None:
    assert available(tmp_path) == 0


def test_a_folder_that_is_not_there_or_too_small_has_no_room(tmp_path: Path) -> None:
    assert not roomy(tmp_path / "absent", enough=0)
    assert not roomy(tmp_path, enough=1 << 60)
    assert roomy(tmp_path, enough=0)
