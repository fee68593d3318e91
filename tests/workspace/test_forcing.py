import os
from pathlib import Path
from threading import Event

import pytest

from mabos.workspace.forcing import THREADS, ForcedFiles, begin_batch


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT)


def test_a_batch_is_forced_in_order_and_behind_the_one_before(tmp_path: Path) -> None:
    seen: list[int] = []
    fds = [opened(tmp_path / name) for name in "abc"]
    first = begin_batch(ForcedFiles(fds[:2], seen.append))
    ForcedFiles(fds[2:], seen.append, after=first).settle()
    assert seen == fds


def test_a_batch_is_forced_once_and_its_descriptors_are_closed(tmp_path: Path) -> None:
    seen: list[int] = []
    fd = opened(tmp_path / "a")
    batch = ForcedFiles([fd], seen.append)
    batch.settle()
    batch.settle()
    assert seen == [fd]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_who_must_be_sure_does_not_wait_for_a_free_thread(tmp_path: Path) -> None:
    go_on, seen = Event(), list[int]()
    held = [
        begin_batch(ForcedFiles([opened(tmp_path / str(number))], lambda _: assert_waited(go_on)))
        for number in range(THREADS)
    ]
    fd = opened(tmp_path / "mine")
    begin_batch(ForcedFiles([fd], seen.append)).settle()
    assert seen == [fd]
    go_on.set()
    for batch in held:
        batch.settle()


def assert_waited(event: Event) -> None:
    assert event.wait(60)


def test_what_could_not_be_forced_is_told_to_whoever_waits_and_nothing_behind_it_is_forced(tmp_path: Path) -> None:
    def full(_: int) -> None:
        raise OSError("no space left")

    seen: list[int] = []
    first = begin_batch(ForcedFiles([opened(tmp_path / "a")], full))
    with pytest.raises(OSError, match="no space"):
        ForcedFiles([opened(tmp_path / "b")], seen.append, after=first).settle()
    with pytest.raises(OSError, match="no space"):
        first.settle()
    assert not seen


def test_a_process_that_was_forked_has_threads_of_its_own(tmp_path: Path) -> None:
    begin_batch(ForcedFiles([opened(tmp_path / "a")], lambda _: None)).settle()
    child = os.fork()
    if not child:
        there = Event()
        begin_batch(ForcedFiles([opened(tmp_path / "b")], lambda _: there.set()))
        os._exit(0 if there.wait(60) else 1)
    assert os.waitpid(child, 0)[1] == 0
