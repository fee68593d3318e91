"""One memory, several threads and processes: nothing acknowledged is lost."""

import subprocess
import sys
from pathlib import Path
from threading import Thread

from tests.memory.factory import Remembering

WRITER = """
import sys
from pathlib import Path
from tests.memory.factory import Remembering

mind = Remembering(Path(sys.argv[1]))
for number in range(25):
    item = mind.memory.store(f"{sys.argv[2]} thing {number}", store="long_term")
    print(item.id)
"""


def test_four_processes_lose_nothing(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name], cwd=root, stdout=subprocess.PIPE, text=True) for name in "abcd"]
    ids = [line for writer in writers for line in writer.communicate()[0].split()]
    mind = Remembering(tmp_path)
    assert len(ids) == len(set(ids)) == 100
    assert all(mind.memory.store_of(item_id) == "long_term" for item_id in ids)
    assert len(mind.log().splitlines()) == 102


def test_threads_share_one_memory(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(30):
                mind.memory.store(f"{name} thing {number}", store="long_term")
                mind.memory.recall("thing", limit=3, recursive_depth=1)
        except BaseException as error:  # noqa: BLE001  # reported by the test
            failures.append(error)

    threads = [Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert mind.memory.status()["long_term"] == 120
    mind.memory.settle()
    assert sum(item.access_count for item in mind.memory.recent(200)) >= 4 * 28 * 3
