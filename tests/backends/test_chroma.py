"""Chroma out of reach: held by another process, corrupted, deleted, or not installed."""

import subprocess
import sys
from pathlib import Path
from shutil import rmtree

import pytest

from mabos.backends.chroma import ChromaVectors
from mabos.backends.vectors import ReadableTexts, VectorText, key_of
from mabos.configs.errors import Unavailable

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
A, B = key_of("a"), key_of("b")
HOLDER = """
import sys
from pathlib import Path
from mabos.backends.chroma import ChromaVectors
from mabos.backends.vectors import key_of
vectors = ChromaVectors(Path(sys.argv[1]), "model-2", 2)
vectors.add({key_of("a"): [1.0, 0.0]})
print("held", flush=True)
sys.stdin.readline()
"""


def opened(folder: Path) -> ChromaVectors:
    pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    return ChromaVectors(folder, "model-2", 2)


def test_without_the_package_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)  # as if it were not installed
    with pytest.raises(Unavailable, match=r"mabos\[chroma\]"):
        ChromaVectors(tmp_path, "model-2", 2).add({A: EAST})


def test_while_another_process_holds_it_every_call_says_so(tmp_path: Path, root: Path) -> None:
    vectors = opened(tmp_path)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    holder = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == "held"
    with pytest.raises(Unavailable, match="another process"):
        vectors.nearest(EAST, 1)
    holder.communicate("\n")
    assert vectors.nearest(EAST, 1)[0].key == A
    vectors.close()


def test_a_corrupted_folder_is_unavailable_and_a_deleted_one_is_begun_anew(tmp_path: Path) -> None:
    vectors = opened(tmp_path)
    vectors.add({A: EAST, B: NORTH})
    vectors.close()
    for file in (tmp_path / "chroma").rglob("*"):
        if file.is_file():
            file.write_bytes(b"this is no database" * 50)
    broken = opened(tmp_path)
    with pytest.raises(Unavailable, match="rebuild"):
        broken.nearest(EAST, 1)
    broken.close()
    rmtree(tmp_path / "chroma")
    again = opened(tmp_path)
    assert again.missing([A]) == [A]
    again.close()


def test_a_server_is_told_of_without_the_password_in_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.raises(Unavailable, match=r"Chroma in http://127\.0\.0\.1:9 needs chromadb"):
        ChromaVectors(tmp_path, "model-2", 2, endpoint="http://owner:hunter2@127.0.0.1:9").count()


def test_texts_are_told_again_after_the_folder_was_deleted(tmp_path: Path) -> None:
    chromadb = pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    texts = ReadableTexts({A}, set(), lambda keys: {key: VectorText("a text", {"kind": "note"}) for key in keys})
    for _ in range(2):
        vectors = opened(tmp_path)
        vectors.add({A: EAST})
        vectors.describe(texts)
        vectors.close()
        client = chromadb.PersistentClient(str(tmp_path / "chroma"))
        assert client.get_collection("model-2", embedding_function=None).get()["documents"] == ["a text"]
        client.close()
        rmtree(tmp_path / "chroma")
