"""What a file of truth must be: a file, and nothing that is waited for, that has no end, or that leads elsewhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.workspace.regular import as_text, content, open_regular

Put = Callable[[Path], None]


def _link(path: Path) -> None:
    path.with_name("elsewhere").write_text("hunter2", "utf-8")
    path.symlink_to(path.with_name("elsewhere"))


NO_FILES: dict[str, Put] = {
    "link": _link,
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
}


@pytest.mark.parametrize("put", NO_FILES.values(), ids=NO_FILES)
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR | os.O_APPEND | os.O_CREAT])
def test_what_is_no_file_is_told_with_its_name_and_never_waited_for(put: Put, flags: int, tmp_path: Path) -> None:
    path = tmp_path / "Goals.md"
    put(path)
    with pytest.raises(Damaged, match=r"Goals\.md: a (link|pipe|folder)"):
        open_regular(path, flags)


def test_a_file_is_read_as_it_is_and_what_is_not_there_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "Goals.md"
    path.write_bytes(b"a\r\nb\xff")
    assert (content(path), as_text(path)) == (b"a\r\nb\xff", "a\nb\ufffd")
    with pytest.raises(FileNotFoundError):
        content(tmp_path / "absent")
