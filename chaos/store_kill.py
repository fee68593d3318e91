"""Kill writers at random moments and count losses: `python -m chaos.store_kill --trials 100`.

Each trial starts writers on one inbox, one mind and one ledger. A writer prints a line for each write once it is
acknowledged; the parent kills them all at a random moment, opens the files, and checks for every line.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep

import orjson

from chaos.tally import Row
from mabos.workspace import store as store_module
from mabos.workspace.documents import json_document
from mabos.workspace.ledger import Ledger
from mabos.workspace.markdown import MarkdownCodec
from mabos.workspace.names import Layout
from mabos.workspace.store import Put, Store
from mabos.workspace.sync import Sync

ROOT = Path(__file__).resolve().parents[1]
AT = "2026-01-05T00:00:00.000Z"


@dataclass(slots=True)
class Result:
    """The findings of a campaign; the last two must stay empty and zero."""

    trials: int = 0
    acknowledged: int = 0
    torn_ends: int = 0
    lost: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def inbox(root: Path) -> Store:
    """Return the inbox shared by all writers."""
    return json_document(root / "inbox.json", ["messages"], root="array", sync=Sync("off"))


def mind(root: Path) -> Store:
    """Return the mind shared by all writers."""
    codec = MarkdownCodec(["Beliefs.md", "Plans.md"])
    return Store(root / "mind", codec, journal="mind/journal.jsonl", sync=Sync("off"), keep_history=True)


def write(root: Path, writer: str) -> None:
    """Write to all three until killed, printing what was acknowledged."""
    store_module._SMALL_JOURNAL = 2000  # so that snapshots are rewritten all the time
    messages, beliefs, ledger = inbox(root), mind(root), Ledger(Layout(root), Sync("off"))
    for number in range(1_000_000):
        key = f"{writer}-{number}"
        messages.commit([Put("messages", key, {"id": key, "text": "x" * 50})])
        acknowledge("inbox", key)
        file = "Beliefs.md" if number % 2 else "Plans.md"
        beliefs.commit([Put(file, key, f"## {key}\n- **Id:** {key}\n")])
        acknowledge("mind", key)
        if number % 5 == 0:
            beliefs.checkpoint()
        acknowledge("ledger", ledger.append("cfo", "act", {"key": key}, at=AT).body["key"])


def acknowledge(where: str, key: str) -> None:
    """Report to the parent, in one write, that a key is safe."""
    os.write(1, f"{where} {key}\n".encode())


def trial(root: Path, writers: int, seconds: float) -> dict[str, set[str]]:
    """Return the acknowledgements before all writers were killed, by place."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "chaos.store_kill", "--write", root, f"w{number}"],
            stdout=(root / f"w{number}.out").open("wb"),
            cwd=ROOT,
        )
        for number in range(writers)
    ]
    while not all((root / f"w{number}.out").stat().st_size for number in range(writers)):
        if any(process.poll() is not None for process in running):
            raise RuntimeError("a writer ended by itself; its error is above")
        sleep(0.01)
    sleep(seconds)
    for process in running:
        process.kill()
    for process in running:
        process.wait()
    said: dict[str, set[str]] = {"inbox": set(), "mind": set(), "ledger": set()}
    for number in range(writers):
        for line in (root / f"w{number}.out").read_text().splitlines():
            where, key = line.split(" ")
            said[where].add(key)
    return said


def found(root: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield the current content of each place; raises `Damaged` if one is unreadable."""
    with inbox(root) as messages:
        yield "inbox", set(messages.read()["messages"])
    with mind(root) as beliefs:
        yield "mind", {key for records in beliefs.read().values() for key in records}
    ledger = Ledger(Layout(root), Sync("off"))
    broken = ledger.verify()
    if broken:
        raise ValueError(f"the ledger is broken: {broken}")
    yield "ledger", {entry.body["key"] for entry in ledger.entries("cfo")}


def is_torn(path: Path) -> bool:
    """Return whether a journal ends in the middle of a line."""
    return path.exists() and not path.read_bytes().endswith(b"\n")


def campaign(trials: int, *, writers: int = 3, seed: int = 0) -> Result:
    """Return the findings of `trials` rounds of kills."""
    chance, result = random.Random(seed), Result()
    for number in range(trials):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            said = trial(root, writers, chance.uniform(0.0, 0.4))
            result.trials += 1
            result.acknowledged += sum(map(len, said.values()))
            result.torn_ends += sum(map(is_torn, [root / "inbox.journal.jsonl", root / "mind/mind/journal.jsonl"]))
            try:
                for where, keys in found(root):
                    result.lost += [f"trial {number}: {where} {key}" for key in sorted(said[where] - keys)]
                orjson.loads((root / "inbox.json").read_bytes())
                if inbox(root).conflicts() or mind(root).conflicts():
                    result.unreadable.append(f"trial {number}: a conflict although nobody edited")
            except Exception as error:  # noqa: BLE001  # whatever cannot be read is what this looks for
                result.unreadable.append(f"trial {number}: {error!r}")
    return result


def main() -> None:
    """Run as a writer, or run a campaign and print its table; exit code 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", nargs=2)
    options = parser.parse_args()
    if options.write:
        write(Path(options.write[0]), options.write[1])
        return
    result = campaign(options.trials, writers=options.writers, seed=options.seed)
    print(f"trials {result.trials}, acknowledged {result.acknowledged}, torn ends cut {result.torn_ends}")
    told = f"writers of inbox, mind and ledger killed ({result.acknowledged:,} writes)"
    raise SystemExit(Row(told, result.trials, result.trials, [*result.lost, *result.unreadable]).told())


if __name__ == "__main__":
    main()
