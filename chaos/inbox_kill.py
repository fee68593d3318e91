"""Kill agents that write to shared inboxes, and count lost and duplicate messages: `python -m chaos.inbox_kill`.

Eight processes write into three inboxes and read one each, marking what they have read. A writer prints a line once a
message is acknowledged; the parent kills all at a random moment, some before the others, and restarts them on the same
inboxes. In the end every acknowledged message must exist once, unchanged, under a unique id, and messages acknowledged
as read must be read.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import orjson

from chaos.tally import Row
from mabos.society.inbox import Inbox, open_inbox
from mabos.society.messages import message
from mabos.workspace import store as store_module
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

ROOT = Path(__file__).resolve().parents[1]
READERS = ("ceo", "cfo", "cto")
# A clock that stands still and seeds that are shared make processes choose the same ids all the time.
CLOCK = frozen_clock(datetime(2026, 2, 24, tzinfo=UTC))


@dataclass(slots=True)
class Result:
    """The findings of a campaign; the lists must stay empty."""

    rounds: int = 0
    acknowledged: int = 0
    renamed: int = 0
    read: int = 0
    wrong: list[str] = field(default_factory=list)


def inbox(root: Path, reader: str) -> Inbox:
    """Return an inbox shared by all writers."""
    return open_inbox(root / reader, Sync("off"))


def write(root: Path, writer: str, life: str) -> None:
    """Write to all inboxes until killed, and read one; print what was acknowledged."""
    store_module._SMALL_JOURNAL = 4000  # so that snapshots are rewritten all the time
    inboxes = {reader: inbox(root, reader) for reader in READERS}
    ids, own = Ids(CLOCK, seed=life), READERS[int(writer[1:]) % len(READERS)]
    for number in range(1_000_000):
        reader = READERS[number % len(READERS)]
        text = f"{writer}-{life}-{number}"
        placed = inboxes[reader].deliver(message(writer, reader, "INFORM", text, ids=ids, clock=CLOCK))
        os.write(1, f"sent {reader} {placed.id if placed else '-'} {text}\n".encode())
        if number % 7 == 0 and (unread := inboxes[own].unread()):
            inboxes[own].mark_read(one.id for one in unread)
            os.write(1, "".join(f"read {own} {one.id} -\n" for one in unread).encode())


def spell(root: Path, life: int, writers: int, chance: random.Random, least: int = 1) -> None:
    """Run writers until each has printed a number of bytes, and a moment longer; then kill them one by one."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "chaos.inbox_kill", "--write", root, f"w{number}", str(life)],
            stdout=(root / f"w{number}-{life}.out").open("wb"),
            cwd=ROOT,
        )
        for number in range(writers)
    ]
    while any((root / f"w{number}-{life}.out").stat().st_size < least for number in range(writers)):
        if any(process.poll() is not None for process in running):
            raise RuntimeError("a writer ended by itself; its error is above")
        sleep(0.01)
    for process in chance.sample(running, len(running)):
        sleep(chance.uniform(0.0, 0.1))
        process.kill()
    for process in running:
        process.wait()


def said(root: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield the writers' acknowledgements: kind, inbox, id and text."""
    for path in sorted(root.glob("*.out")):
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                what, reader, message_id, text = line.split()
                yield what, reader, message_id, text


def faults(root: Path, result: Result) -> Iterator[str]:
    """Yield the faults of the inboxes, given the acknowledgements."""
    boxes = {reader: inbox(root, reader) for reader in READERS}
    texts = {reader: Counter(one.content for one in box.messages()) for reader, box in boxes.items()}
    for reader, box in boxes.items():
        yield from (f"{reader}: {text} is there {number} times" for text, number in texts[reader].items() if number > 1)
        box.store.close()
        shown = orjson.loads((root / reader / "inbox.json").read_bytes())
        if len({one["id"] for one in shown}) != len(shown) or len(shown) != len(box.messages()):
            yield f"{reader}: inbox.json shows {len(shown)} messages of {len(box.messages())}, or an id twice"
        if box.store.conflicts():
            yield f"{reader}: a conflict although nobody edited"
    for what, reader, message_id, text in said(root):
        found = boxes[reader].find(message_id)
        if found is None or (what == "sent" and found.content != text):
            yield f"{reader}: {what} {message_id} {text} is lost"
        elif what == "read" and not found.read:
            yield f"{reader}: {message_id} is unread again"
        result.acknowledged += what == "sent"
        result.read += what == "read"
        result.renamed += what == "sent" and message_id.count("-") > 2


def campaign(trials: int, *, writers: int = 8, lives: int = 3, seed: int = 0, least: int = 1) -> Result:
    """Return the findings of `trials` rounds, in each of which all writers are killed `lives` times."""
    chance, result = random.Random(seed), Result()
    for number in range(trials):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for life in range(lives):
                spell(root, life, writers, chance, least)
                result.rounds += 1
            try:
                result.wrong += [f"trial {number}: {fault}" for fault in faults(root, result)]
            except Exception as error:  # noqa: BLE001  # whatever cannot be read is what this looks for
                result.wrong.append(f"trial {number}: {error!r}")
    return result


def main() -> None:
    """Run as a writer, or run a campaign and print its table; exit code 1 if anything was lost or duplicated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=25)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", nargs=3)
    options = parser.parse_args()
    if options.write:
        write(Path(options.write[0]), *options.write[1:])
        return
    result = campaign(options.trials, writers=options.writers, seed=options.seed)
    print(f"kills {result.rounds * options.writers}, acknowledged {result.acknowledged}, read {result.read}")
    print(f"ids taken by another process and given anew {result.renamed}")
    told = f"eight processes that write to each other killed ({result.acknowledged:,} letters)"
    kills = result.rounds * options.writers
    raise SystemExit(Row(told, kills, kills, result.wrong).told())


if __name__ == "__main__":
    main()
