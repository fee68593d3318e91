"""Several processes write one memory at once, and some are killed in the middle: nothing that was told is lost."""

import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import decode_line
from tests.knowledge.entities.memories import Business, Words

WRITERS, EACH = 4, 25


def write(root: Path, number: int) -> None:
    """Write entities of this writer, and observations of one that all share."""
    cto = Business(root).as_(f"writer-{number}")
    for count in range(EACH):
        cto.create_entity("Concept", f"c-{number}-{count}", observations=[f"told by {number}, {count}"])
        cto.create_entity("Insight", "shared", observations=[f"{number} saw {count}"], source_session=f"s{number}")
        cto.create_relation(f"concept:c-{number}-{count}", "insight:shared", "RELATES_TO")


def write_until_killed(root: Path, told: Connection) -> None:
    """Write, and say what is acknowledged, until somebody kills us."""
    cto = Business(root).as_("doomed")
    for count in range(100_000):
        cto.create_entity("Concept", f"d-{count}", observations=[f"fact {count}"])
        told.send(count)


def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write, args=(tmp_path, number)) for number in range(WRITERS)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert [one.exitcode for one in writers] == [0] * WRITERS
    acme = Business(tmp_path)
    stats = acme.as_("cto").stats()
    assert stats.entity_counts == {"Insight": 1, "Concept": WRITERS * EACH, "Pattern": 0, "Decision": 0, "Agent": 0}
    assert stats.relation_counts["RELATES_TO"] == WRITERS * EACH
    assert stats.total_observations == 2 * WRITERS * EACH
    shared = acme.as_("cto").entity("insight:shared")
    assert (len(shared.observations), len(shared.source_sessions)) == (WRITERS * EACH, WRITERS)
    assert acme.store.problems == ()
    assert len({decode_line(line.encode()).op for line in acme.lines()}) == len(acme.lines())
    truth = Business(tmp_path / "anew", acme.clock)
    truth.path.parent.mkdir(parents=True)
    truth.path.write_bytes(acme.path.read_bytes())
    truth.store.update()
    assert truth.graph.digest() == acme.graph.digest()


def test_threads_that_share_one_store_write_and_ask_at_once(tmp_path: Path) -> None:
    acme = Business(tmp_path, embedder=Words({"fruit": ["apple"]}))

    def work(number: int) -> int:
        memory = acme.as_(f"agent-{number}")
        for count in range(10):
            memory.create_entity("Concept", f"c-{number}-{count}", "an apple", observations=[f"{number} {count}"])
            assert memory.query_semantic("apple", limit=3).used == "embeddings"
            assert memory.traverse(f"c-{number}-{count}").hits == ()
        return number

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [0, 1, 2, 3]
    stats = acme.as_("cto").stats()
    assert (stats.entity_counts["Concept"], stats.total_observations) == (40, 40)


def test_a_writer_that_is_killed_loses_nothing_that_it_told(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    acme = Business(tmp_path)
    acknowledged = -1
    for after in (1, 7, 19):
        mine, theirs = context.Pipe(duplex=False)
        doomed = context.Process(target=write_until_killed, args=(tmp_path, theirs))
        doomed.start()
        theirs.close()
        for _ in range(after):
            acknowledged = max(acknowledged, mine.recv())
        assert doomed.pid is not None
        os.kill(doomed.pid, signal.SIGKILL)
        doomed.join()
        while mine.poll():
            try:
                acknowledged = max(acknowledged, mine.recv())
            except EOFError:
                break
        acme.as_("cto").create_entity("Concept", f"survivor-{after}")
    held = {
        entity.name for entity in MemoryState.of(decode_line(line.encode()) for line in acme.lines()).entities.values()
    }
    assert held >= {f"d-{count}" for count in range(acknowledged + 1)} | {"survivor-1", "survivor-7", "survivor-19"}
    shown = acme.as_("cto").figures()
    assert {entity.name for entity in shown.entities} == held
    assert len(shown.observations) >= acknowledged + 1
