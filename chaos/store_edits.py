"""Manual edits of a mind while an agent writes it: `python -m chaos.store_edits --seconds 60`.

An editor (in place, or by renaming) changes its own sections again and again; the agent commits and checkpoints all the
time. In the end the editor's last saved text must be there, and every section of the agent's.
"""

import argparse
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

from chaos.tally import Row
from mabos.workspace.atomic import write_atomic
from mabos.workspace.markdown import MarkdownCodec, fields, join, split, with_field
from mabos.workspace.store import Put, Store
from mabos.workspace.sync import Sync

FILE = "Beliefs.md"
HAND, AGENT = ["h-1", "h-2", "h-3"], ["a-1", "a-2", "a-3"]


@dataclass(slots=True)
class Result:
    """The findings of a run; the editor and the agent touch separate sections, so the last three must stay empty."""

    edits: int = 0
    commits: int = 0
    lost_edits: list[str] = field(default_factory=list)
    lost_commits: list[str] = field(default_factory=list)
    conflicts: int = 0


def section(key: str, number: int) -> str:
    """Return a section with a number."""
    return f"## About {key}\n\n- **Id:** {key}\n- **N:** {number}\n\nprose\n"


def opened(folder: Path) -> Store:
    """Return the mind."""
    return Store(folder, MarkdownCodec([FILE]), journal="mind/journal.jsonl", sync=Sync("off"), keep_history=True)


def in_place(path: Path, text: str) -> None:
    """Save in place, as simple editors do."""
    path.write_text(text, "utf-8")


def by_rename(path: Path, text: str) -> None:
    """Save by renaming, as careful editors do."""
    write_atomic(path, text, durable=False)


def edit(path: Path, key: str, number: int, save: Callable[[Path, str], None], think: float) -> None:
    """Load the file, pause, change the number of one section, and save, as a person would."""
    before, sections = split(path.read_text("utf-8"))
    sleep(think)
    changed = [with_field(each.text, "N", str(number)) if each.key == key else each.text for each in sections]
    save(path, before + "".join(changed) if sections else join(before, sections))


def run(seconds: float, *, pause: float = 0.05, seed: int = 0) -> Result:
    """Return the losses in `seconds` of an agent and an editor at work, one save every `pause` seconds."""
    chance, result, end = random.Random(seed), Result(), Event()
    with tempfile.TemporaryDirectory() as name:
        path, store = Path(name) / FILE, opened(Path(name))
        store.commit([Put(FILE, key, section(key, 0)) for key in [*HAND, *AGENT]])
        store.checkpoint()
        own = dict.fromkeys(AGENT, 0)

        def work() -> None:
            while not end.is_set():
                key = AGENT[result.commits % len(AGENT)]
                result.commits += 1
                store.commit([Put(FILE, key, section(key, result.commits))])
                own[key] = result.commits
                if result.commits % 3 == 0:
                    store.checkpoint()
                sleep(0.001)

        agent = Thread(target=work)
        agent.start()
        hand = dict.fromkeys(HAND, 0)
        until = monotonic() + seconds
        while monotonic() < until:
            key = chance.choice(HAND)
            result.edits += 1
            edit(path, key, result.edits, chance.choice([in_place, by_rename]), chance.choice([0, pause]))
            hand[key] = result.edits
            sleep(pause)
            shown = int(fields(store.read()[FILE][key])["n"])
            if shown != result.edits:
                result.lost_edits.append(f"edit {result.edits} of {key}: the store says {shown}")
        end.set()
        agent.join()
        store.close()
        records = opened(Path(name)).read()[FILE]
        for key, number in hand.items():
            if int(fields(records[key])["n"]) != number:
                result.lost_edits.append(f"{key} is {fields(records[key])['n']}, saved was {number}")
        result.conflicts = sum(path.read_text("utf-8").count("<!--") for path in store.conflicts())
        for key, number in own.items():
            if int(fields(records[key])["n"]) != number:
                result.lost_commits.append(f"{key} is {fields(records[key])['n']}, committed was {number}")
    return result


def main() -> None:
    """Print the findings of a run; the exit code is 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    result = run(options.seconds, pause=options.pause, seed=options.seed)
    wrong = [
        *result.lost_edits,
        *result.lost_commits,
        *["a conflict although nobody touched another's"] * result.conflicts,
    ]
    told = f"a mind edited by hand while it is written ({result.commits:,} commits)"
    raise SystemExit(Row(told, result.edits, result.edits, wrong).told())


if __name__ == "__main__":
    main()
