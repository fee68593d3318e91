"""Chroma beside the files: whatever happens to Chroma, the nearest are found, and it is said how."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from socket import socket
from threading import Barrier, BrokenBarrierError, Thread
from typing import ClassVar

import pytest

from mabos.backends import cached, chroma
from mabos.backends.cached import CachedVectors
from mabos.backends.chroma import ChromaVectors
from mabos.backends.vectors import FlatVectors, Near, key_of
from mabos.configs.errors import Unavailable
from scripts.postgres import free_port
from tests.contracts.chroma_server import served

pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
A, B, C = key_of("a"), key_of("b"), key_of("c")
HOLDER = """
import sys
from pathlib import Path
from tests.backends.test_cached import A, EAST, opened
vectors = opened(Path(sys.argv[1]))
vectors.add({A: EAST})
assert vectors.notice == "", vectors.notice
print("held", flush=True)
sys.stdin.readline()
"""


def opened(folder: Path, endpoint: str = "") -> CachedVectors:
    return CachedVectors(FlatVectors(folder, "model-2", 2), ChromaVectors(folder, "model-2", 2, endpoint=endpoint))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cfo"


@pytest.fixture(autouse=True)
def _ask_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "_PAUSE_S", 0.0)


@pytest.fixture
def holder(folder: Path, root: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that has Chroma open."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    yield process
    process.kill()
    process.communicate()


def test_while_another_process_holds_chroma_the_files_answer_and_take_what_is_new(
    folder: Path, holder: "subprocess.Popen[str]"
) -> None:
    vectors = opened(folder)
    vectors.add({B: NORTH})
    assert [near.key for near in vectors.nearest(NORTH, 2)] == [B, A]
    assert "open in another process" in vectors.notice
    assert "searched exactly" in vectors.notice
    with pytest.raises(Unavailable, match="another process"):
        vectors.clear()
    holder.communicate("\n")
    assert vectors.nearest(NORTH, 1)[0].key == B
    assert vectors.notice == ""
    vectors.close()


def test_a_holder_that_is_killed_holds_no_longer(folder: Path, holder: "subprocess.Popen[str]") -> None:
    holder.kill()
    holder.wait()
    vectors = opened(folder)
    assert (vectors.nearest(EAST, 1)[0].key, vectors.notice) == (A, "")
    vectors.close()


def test_what_another_process_added_to_the_files_reaches_chroma(folder: Path) -> None:
    ours, files = opened(folder), FlatVectors(folder, "model-2", 2)
    ours.add({A: EAST})
    files.add({B: NORTH})
    assert ours.nearest(NORTH, 1)[0].key == B
    ours.close()
    alone = ChromaVectors(folder, "model-2", 2)
    assert alone.count() == 2
    alone.close()


def test_a_deleted_folder_is_filled_again_from_the_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "_AT_ONCE", 1)
    vectors = opened(folder)
    vectors.add({A: EAST, B: NORTH, C: EAST})
    vectors.close()
    rmtree(folder / "chroma")
    again = opened(folder)
    assert again.nearest(NORTH, 1)[0].key == B
    assert "Chroma lacks 2 vectors" in again.notice
    for _ in range(2):
        assert again.nearest(NORTH, 1)[0].key == B
    assert again.notice == ""
    again.close()


def test_a_corrupted_folder_is_said_and_clearing_makes_it_sound(folder: Path) -> None:
    vectors = opened(folder)
    vectors.add({A: EAST, B: NORTH})
    vectors.close()
    for file in (folder / "chroma").rglob("*"):
        if file.is_file():
            file.write_bytes(b"this is no database" * 50)
    again = opened(folder)
    assert again.nearest(NORTH, 1)[0].key == B
    assert "rebuild" in again.notice
    again.clear()
    again.add({A: EAST})
    assert (again.nearest(NORTH, 5)[0].key, again.notice) == (A, "")
    again.close()


def test_without_the_package_the_files_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)  # as if it were not installed
    vectors = opened(folder)
    vectors.add({A: EAST})
    assert vectors.nearest(EAST, 1)[0].key == A
    assert "mabos[chroma]" in vectors.notice


def test_after_a_failure_chroma_is_left_alone_for_a_while(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "_PAUSE_S", 1000.0)
    asked: list[str] = []

    def refuse(self: ChromaVectors) -> int:
        asked.append("count")
        raise Unavailable("it is down")

    monkeypatch.setattr(ChromaVectors, "count", refuse)
    vectors = opened(folder)
    vectors.add({A: EAST})
    assert [vectors.nearest(EAST, 1)[0].key for _ in range(3)] == [A] * 3
    assert asked == ["count"]


def test_two_threads_that_ask_at_once_never_search_what_chroma_has_not_got(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "_AT_ONCE", 2)
    keys = [key_of(str(number)) for number in range(4)]
    files, together, searched = FlatVectors(folder, "model-2", 2), Barrier(2), list[int]()
    files.add(dict.fromkeys(keys, EAST))

    class Slow(ChromaVectors):
        """Chroma that takes vectors over only when somebody else comes to do the same, or nobody does."""

        taken: ClassVar[set[bytes]] = set()

        def count(self) -> int:
            return len(self.taken)

        def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
            with suppress(BrokenBarrierError):
                together.wait(0.3)
            self.taken.update(vectors)

        def nearest(self, question: Sequence[float], limit: int) -> list[Near]:
            searched.append(len(self.taken))
            return [Near(keys[0], 1.0)]

    vectors = CachedVectors(files, Slow(folder, "model-2", 2))
    threads = [Thread(target=vectors.nearest, args=(EAST, 1)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    vectors.nearest(EAST, 1)
    assert set(searched) == {4}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A real Chroma server."""
    with served(tmp_path) as address:
        yield address


def test_a_server_is_shared_by_agents_and_processes_and_may_go(tmp_path: Path, server: str) -> None:
    cfo, same, coo = (opened(tmp_path / "w" / name, server) for name in ("cfo", "cfo", "coo"))
    cfo.add({A: EAST, B: NORTH})
    coo.add({C: NORTH})
    assert [near.key for near in same.nearest(NORTH, 5)] == [B, A]
    assert [near.key for near in coo.nearest(NORTH, 5)] == [C]
    assert cfo.notice == same.notice == coo.notice == ""
    cfo.clear()
    cfo.add({C: EAST})
    assert [near.key for near in cfo.nearest(EAST, 5)] == [C]
    gone = opened(tmp_path / "w" / "coo", f"http://127.0.0.1:{free_port()}")
    assert gone.nearest(NORTH, 1)[0].key == C
    assert "searched exactly" in gone.notice


def test_a_server_that_hangs_costs_its_seconds_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chroma, "_SERVER_S", 0.2)
    monkeypatch.setattr(cached, "_PAUSE_S", 1000.0)
    with socket() as hanging:
        hanging.bind(("127.0.0.1", 0))
        hanging.listen()
        vectors = opened(tmp_path, f"127.0.0.1:{hanging.getsockname()[1]}")
        vectors.add({A: EAST})
        assert vectors.nearest(EAST, 1)[0].key == A
        assert "did not answer within 0.2 seconds" in vectors.notice
