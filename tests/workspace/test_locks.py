import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from shutil import rmtree
from threading import Thread
from typing import Any

import pytest

from mabos.configs.errors import Unavailable
from mabos.workspace.locks import AgentLock, file_lock, try_lock

HOLDER = """
import sys
from pathlib import Path
from mabos.workspace.locks import file_lock
with file_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    counter = [0]

    def add() -> None:
        for _ in range(200):
            with file_lock(tmp_path / "lock"):
                seen = counter[0]
                counter[0] = seen + 1

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter == [800]


def test_a_lock_held_by_another_process_is_seen_and_freed_when_it_dies(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with try_lock(path) as free:
        assert not free
    holder.kill()
    holder.wait()
    with try_lock(path) as free:
        assert free


@pytest.mark.parametrize("lock", [file_lock, lambda path: AgentLock(path, "cfo")])
def test_a_lock_is_free_though_a_process_that_was_forked_meanwhile_goes_on(
    tmp_path: Path, lock: Callable[[Path], AbstractContextManager[Any]]
) -> None:
    with lock(tmp_path / "lock"):
        child = os.fork()
        if not child:
            signal.pause()
            os._exit(0)
    try:
        with try_lock(tmp_path / "lock") as free:
            assert free
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_removed_lock_file_is_made_again(tmp_path: Path) -> None:
    with file_lock(tmp_path / "locks" / "one"):
        pass
    rmtree(tmp_path / "locks")
    with file_lock(tmp_path / "locks" / "one"), try_lock(tmp_path / "locks" / "one") as free:
        assert not free


def test_an_agent_is_run_by_one_holder_at_a_time(tmp_path: Path) -> None:
    first, second = AgentLock(tmp_path / "cfo.lock", "cfo"), AgentLock(tmp_path / "cfo.lock", "cfo")
    with first:
        first.acquire()
        with pytest.raises(Unavailable, match="'cfo' is being run by another process"):
            second.acquire()
    with second, pytest.raises(Unavailable, match="'cfo' is being run by another process"):
        first.acquire()
