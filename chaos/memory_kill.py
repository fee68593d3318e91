"""Kill writers of one memory at random moments and count losses: `python -m chaos.memory_kill`.

Each trial starts processes that store, correct, consolidate, recall and let expire in one agent's memory. A writer
reports what is acknowledged; all are killed at a random moment, the memory is reopened, and everything reported must be
found: long-term items in their store, others in a store or the daily log, corrections on the items they correct.
"""

import argparse
import os
import random
import signal
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from time import sleep

import orjson

from chaos.tally import Row
from mabos.configs.errors import UnknownId
from mabos.memory import daily
from mabos.workspace import store as store_module
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from tests.memory.factory import TUESDAY, Remembering

LONGEST = 0.25
"""Seconds for which writers work, at most, after each has said something."""


@dataclass(slots=True)
class Result:
    """The findings of a campaign; the last two must stay empty."""

    trials: int = 0
    acknowledged: dict[str, int] = field(default_factory=dict)
    torn_ends: int = 0
    lost: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def opened(root: Path, seed: str) -> Remembering:
    """Return the memory shared by all writers, with this writer's own ids."""
    mind = Remembering(root, SteppedClock(TUESDAY))
    mind.ids = Ids(mind.clock, seed)
    return mind


def write(root: Path, seed: str, said: int) -> None:
    """Write until killed, reporting acknowledgements on the descriptor `said`."""
    store_module._SMALL_JOURNAL = 4000  # so that snapshots are rewritten all the time
    mind, chance, last = opened(root, seed), random.Random(seed), ""

    def acknowledge(kind: str, *words: str) -> None:
        os.write(said, f"{kind} {' '.join(words)}\n".encode())

    for number in range(1_000_000):
        mind.clock.advance(timedelta(minutes=1))  # what is two hours old expires
        memory, text, deed = mind.memory, f"{seed} thing {number}", chance.random()
        importance, tags = chance.choice([0.2, 0.9]), [f"tag{chance.randrange(6)}"]
        if deed < 0.35:
            store = chance.choice(["working", "short_term"])
            acknowledge("kept", memory.store(text, importance=importance, tags=tags, store=store).id)
        elif deed < 0.6:
            last = memory.store(text, importance=importance, tags=tags, store="long_term").id
            acknowledge("long", last)
        elif deed < 0.75:
            many = [{"content": f"{text} {part}", "tags": tags, "store": "long_term"} for part in range(5)]
            acknowledge("long", *(item.id for item in memory.store_many(many)))
        elif deed < 0.85 and last:
            corrected, last = last, memory.store(f"{text} is true", store="long_term", supersedes=[last]).id
            acknowledge("corrected", corrected, last)
        elif deed < 0.92:
            acknowledge("long", *(item.id for item in memory.consolidate().promoted))
        else:
            memory.recall(tags[0])
            memory.settle()
            if deed > 0.98:
                mind.document.checkpoint()


def trial(root: Path, writers: int, seed: int, seconds: float) -> list[list[str]]:
    """Return the acknowledgements, line by line, before all writers were killed."""
    running = []
    for number in range(writers):
        said = os.open(root / f"w{number}.out", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        child = os.fork()  # a process with everything imported: a thousand trials take minutes
        if child == 0:
            try:
                write(root, f"{seed}-{number}", said)
            except BaseException:  # noqa: BLE001  # whatever ends a writer is told, and ends the campaign
                traceback.print_exc()
            os._exit(1)
        os.close(said)
        running.append(child)
    outs = [root / f"w{number}.out" for number in range(writers)]
    while not all(out.stat().st_size for out in outs):
        if any(os.waitpid(child, os.WNOHANG)[0] for child in running):
            raise RuntimeError("a writer ended by itself; its error is above")
        sleep(0.001)
    sleep(seconds)
    for child in running:
        os.kill(child, signal.SIGKILL)
    for child in running:
        _, status = os.waitpid(child, 0)
        if os.WTERMSIG(status) != signal.SIGKILL:
            raise RuntimeError("a writer ended by itself; its error is above")
    return [line.split() for out in outs for line in out.read_text().splitlines()]


def lost(root: Path, said: list[list[str]]) -> Iterator[str]:
    """Yield acknowledged items that are missing; raises if the memory is unreadable."""
    mind = opened(root, "after")
    with mind.document as document:
        stores = document.read()
        logged = {entry.id for day in daily.days(root / "memory") for entry in daily.entries(root / "memory", day)}
        kept = logged.union(*stores.values())
        for kind, *ids in said:
            if kind == "kept":
                yield from (f"{kind} {one}" for one in ids if one not in kept)
            elif kind == "long":
                yield from (f"{kind} {one}" for one in ids if one not in stores["long_term"])
            elif stores["long_term"].get(ids[0], {}).get("superseded_by") != ids[1]:
                yield f"{kind} {' '.join(ids)}"
        for _, *ids in random.Random(len(said)).sample(said, min(3, len(said))):
            yield from (f"trace {one}" for one in ids if not traced(mind, one))
        mind.memory.recall("thing")
        if document.conflicts():
            yield "a conflict although nobody edited"
    if any(ids for _, *ids in said):
        orjson.loads((root / "memory-store.json").read_bytes())


def traced(mind: Remembering, item_id: str) -> bool:
    """Return whether a memory and all its sources can still be traced."""
    try:
        return bool(mind.memory.trace(item_id))
    except UnknownId:
        return False


def campaign(trials: int, *, writers: int = 2, seed: int = 0) -> Result:
    """Return the findings of `trials` rounds of kills."""
    chance, result = random.Random(seed), Result()
    for number in range(trials):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            said = trial(root, writers, seed + number, chance.uniform(0.0, LONGEST))
            result.trials += 1
            for kind, *ids in said:
                result.acknowledged[kind] = result.acknowledged.get(kind, 0) + len(ids)
            journal = root / "memory-store.journal.jsonl"
            result.torn_ends += journal.exists() and not journal.read_bytes().endswith(b"\n")
            try:
                result.lost += [f"trial {number}: {one}" for one in lost(root, said)]
            except Exception as error:  # noqa: BLE001  # whatever cannot be read is what this looks for
                result.unreadable.append(f"trial {number}: {error!r}")
    return result


def main() -> None:
    """Run a campaign and print its table; exit code 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    result = campaign(given.trials, writers=given.writers, seed=given.seed)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(result.acknowledged.items()))
    print(f"trials {result.trials}, acknowledged {told}; torn ends cut {result.torn_ends}")
    kept = sum(result.acknowledged.values())
    wrong = [*result.lost, *result.unreadable]
    raise SystemExit(Row(f"writers of one memory killed ({kept:,} items)", result.trials, result.trials, wrong).told())


if __name__ == "__main__":
    main()
