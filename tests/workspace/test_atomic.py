import os
from pathlib import Path

import pytest

from mabos.workspace.atomic import write_atomic


def test_folders_are_made_and_line_ends_kept(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.md"
    write_atomic(path, "one\r\ntwo\n")
    assert path.read_bytes() == b"one\r\ntwo\n"


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a.json", b"1", durable=False)
    write_atomic(tmp_path / "a.json", b"2")
    assert [found.name for found in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"2"


def test_permissions_set_by_a_person_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, "1")
    path.chmod(0o600)
    write_atomic(path, "2")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_new_file_has_the_rights_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_atomic(tmp_path / "private.json", "1")
        os.umask(0o022)
        write_atomic(tmp_path / "a.json", "1")
        write_atomic(tmp_path / "private.json", "2")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("private.json", "a.json")] == [0o600, 0o644]


def test_a_failed_write_leaves_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "\ud800")
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.json"]
