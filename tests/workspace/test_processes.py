"""Several processes on the same files, and processes that are killed."""

import subprocess
import sys
from pathlib import Path

import orjson

from chaos.store_kill import campaign
from mabos.workspace.documents import json_document
from mabos.workspace.index_file import open_index
from mabos.workspace.sync import Sync

WRITER = """
import sys
from pathlib import Path
from mabos.workspace.documents import json_document
from mabos.workspace.store import Put
from mabos.workspace.sync import Sync
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
from mabos.workspace.documents import json_document
from mabos.workspace.store import Put
from mabos.workspace.sync import Sync
store = json_document(Path(sys.argv[1]), ["counts"], sync=Sync("off"))
def add(collections):
    return [Put("counts", "n", {"id": "n", "value": collections["counts"].get("n", {"value": 0})["value"] + 1})]
for _ in range(200):
    store.commit(add)
    store.checkpoint()
"""
OPENER = """
import sys
from pathlib import Path
from time import monotonic
from mabos.graphs.checkpoints import Checkpoints
from mabos.workspace.index_file import open_index
root, rounds = Path(sys.argv[1]), 40
for number in range(rounds):
    (root / f"{number}.{sys.argv[2]}").touch()
    until = monotonic() + 30
    while len(list(root.glob(f"{number}.*"))) < 4:
        assert monotonic() < until, "another has ended early"
    if number % 4 == 3:
        Checkpoints(root / f"{number // 4}" / "checkpoints.sqlite").close()
        continue
    path = root / f"index-{number}.sqlite"
    connection = open_index(path)
    with connection:
        connection.execute("INSERT INTO cursors VALUES (?, 0, 0)", (sys.argv[2],))
    connection.close()
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


def test_processes_that_open_a_new_file_at_the_same_moment_all_get_it(tmp_path: Path) -> None:
    for number in range(0, 40, 2):
        (tmp_path / f"index-{number}.sqlite").write_bytes(b"nonsense " * 1000)
    run(OPENER, tmp_path, 4)
    for number in (one for one in range(40) if one % 4 != 3):
        connection = open_index(tmp_path / f"index-{number}.sqlite")
        assert connection.execute("SELECT count(*) FROM cursors").fetchone() == (4,)
        connection.close()


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
