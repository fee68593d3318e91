"""Several processes on the same files, and processes that are killed."""

import subprocess
import sys
from pathlib import Path

import orjson

from tests.chaos.store_kill import campaign
from workspace.documents import json_document
from workspace.sync import Sync

WRITER = """
import sys
from pathlib import Path
from workspace.documents import json_document
from workspace.store import Put
from workspace.sync import Sync
with json_document(Path(sys.argv[1]), ["messages"], root="array", sync=Sync("each")) as store:
    for number in range(100):
        key = f"{sys.argv[2]}-{number}"
        store.commit([Put("messages", key, {"id": key})])
        if number % 20 == 0:
            store.close()
"""
COUNTER = """
import sys
from pathlib import Path
from workspace.documents import json_document
from workspace.store import Put
from workspace.sync import Sync
store = json_document(Path(sys.argv[1]), ["counts"], sync=Sync("off"))
def add(collections):
    return [Put("counts", "n", {"id": "n", "value": collections["counts"].get("n", {"value": 0})["value"] + 1})]
for _ in range(200):
    store.commit(add)
    store.checkpoint()
"""


def run(program: str, path: Path, writers: int) -> None:
    running = [subprocess.Popen([sys.executable, "-c", program, path, str(number)]) for number in range(writers)]
    assert [each.wait() for each in running] == [0] * writers


def test_four_processes_writing_one_inbox_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "inbox.json"
    run(WRITER, path, 4)
    ids = {message["id"] for message in orjson.loads(path.read_bytes())}
    assert ids == {f"{writer}-{number}" for writer in range(4) for number in range(100)}
    assert (tmp_path / "inbox.journal.jsonl").read_bytes().count(b"\n") == 1


def test_processes_that_compare_and_set_never_overwrite_each_other(tmp_path: Path) -> None:
    run(COUNTER, tmp_path / "counts.json", 3)
    store = json_document(tmp_path / "counts.json", ["counts"], sync=Sync("off"))
    assert store.read()["counts"]["n"]["value"] == 600
    assert store.conflicts() == ()


def test_killed_writers_lose_nothing_they_acknowledged() -> None:
    result = campaign(3, seed=1)
    assert result.lost == []
    assert result.unreadable == []
    assert result.acknowledged > 0
