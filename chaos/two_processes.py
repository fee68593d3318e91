"""Two processes on one workspace: `python -m chaos.two_processes --trials 5`.

Two that run cycles of one agent, a cycle beside a person who edits the agent's files, two live companies, and a live
company beside a person who answers its questions. The second process must wait or be refused in one sentence; nothing
that either acknowledged is lost, no effect is duplicated, edits are kept, every file and the ledger are intact.
"""

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

from chaos.children import ChildFailed, child, import_what_it_imports
from chaos.damage import worked
from chaos.furnished import fresh, furnished, unsound
from chaos.tally import Row, Tally
from mabos.configs.errors import Unavailable
from mabos.graphs import wiring
from mabos.graphs.live import LiveCompany
from mabos.tools.gate.call import call
from mabos.workspace.atomic import write_atomic
from tests.tools.catalogue.house import settings

SECONDS = 2.0
"""The time for which two processes run together."""


@dataclass(slots=True)
class Done:
    """The activity of a process: how often it was refused, and what it acknowledged."""

    refused: int = 0
    acknowledged: list[str] = field(default_factory=list)


def cycles(root: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Run cycles of one agent and write in parallel, for a time."""
    done, ends = Done(), monotonic() + seconds
    with wiring.hold_services(root, settings=settings()) as services:
        while monotonic() < ends or not done.acknowledged:
            text = f"by {seed}, {len(done.acknowledged)}"
            letter = {"to": "cfo", "performative": "INFORM", "content": text}
            outcome = call(services, "agent_message", letter, agent_id="ceo", key=f"{seed}/{len(done.acknowledged)}")
            assert outcome.ok, outcome.message
            done.acknowledged.append(text)
            try:
                assert wiring.run_cycle(services, "cfo").ok
            except Unavailable as error:
                done.refused += _is_about(error, "another process")
    return asdict(done)


def _is_about(error: Unavailable, words: str) -> bool:
    """Return whether a refusal says these words; raises it where it is another one."""
    if words not in error.message:
        raise error
    return True


def edits(root: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Add a belief to the agent's file repeatedly, as an editor does, for a time."""
    done, ends, path = Done(), monotonic() + seconds, root / "agents" / "cfo" / "Beliefs.md"
    luck = random.Random(seed)
    while monotonic() < ends or not done.acknowledged:
        text = path.read_text("utf-8").rstrip("\n")
        name = f"Edit {seed}-{len(done.acknowledged)}"
        write_atomic(path, f"{text}\n\n## {name}\n\n- **Certainty:** 0.7\n- **Source:** me\n", durable=False)
        done.acknowledged.append(name)
        sleep(luck.uniform(0.05, 0.3))
    return asdict(done)


def lives(root: Path, _seed: int, seconds: float, *, refused: Path | None = None) -> dict[str, Any]:
    """Run the company live for a time, unless another process does, or until a file reports a refusal."""
    done = Done()
    with wiring.hold_services(root, settings=settings()) as services:
        company = LiveCompany(services, pace=0.05)
        if refused:
            Thread(target=_stopped, args=(company, refused), daemon=True).start()
        try:
            company.run(seconds=seconds)
        except Unavailable as error:
            done.refused += _is_about(error, "live")
            if refused:
                refused.touch()
    return asdict(done)


def _stopped(company: LiveCompany, refused: Path) -> None:
    while not refused.exists():
        sleep(0.01)
    company.stop()


def answers(root: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Ask questions in an agent's name and answer pending ones, as from the dashboard, for a time."""
    done, ends = Done(), monotonic() + seconds
    with wiring.hold_services(root, settings=settings()) as services:
        while monotonic() < ends or not done.acknowledged:
            asked = {
                "subject": f"Question {seed}-{len(done.acknowledged)}",
                "description": "x",
                "options": ["yes", "no"],
            }
            made = call(services, "decision_request", asked, agent_id="cfo", key=f"q{seed}/{len(done.acknowledged)}")
            assert made.ok, made.message
            answer = {"decision_id": made.result["decision_id"], "resolution": "approve"}
            outcome = call(services, "decision_resolve", answer)
            assert outcome.ok or "answered before" in outcome.message, outcome.message
            done.acknowledged.append(str(made.result["decision_id"]))
    return asdict(done)


Work = Callable[[Path, int, float], dict[str, Any]]
PAIRS: Mapping[str, tuple[Work, Work]] = {
    "two run one agent": (cycles, cycles),
    "a cycle and an editor": (cycles, edits),
    "two live companies": (lives, lives),
    "a live company and who answers": (lives, answers),
    "a live company and cycles by hand": (lives, cycles),
}


def together(root: Path, pair: tuple[Work, Work], seed: int, seconds: float) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the activity of two processes on one workspace at the same time, and any failure."""
    said: dict[int, dict[str, Any]] = {}
    failed: list[str] = []

    def run(number: int) -> None:
        try:
            said[number] = child(lambda: pair[number](root, 2 * seed + number, seconds)).said
        except ChildFailed as error:
            failed.append(str(error).strip()[-800:])

    threads = [Thread(target=run, args=(number,)) for number in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return list(said.values()), failed


def faults(root: Path, acknowledged: list[str]) -> Iterator[str]:
    """Yield what is lost, duplicated or damaged."""
    yield from (f"damaged: {one}" for one in child(lambda: unsound(root)).said)
    with wiring.hold_services(root, settings=settings()) as services:
        agent = services.agent("cfo")
        told = Counter(one.content for one in agent.inbox.messages())
        held = Counter(one.statement for one in agent.mind.beliefs)
        asked = Counter(one.id for one in services.business("acme").decisions.all())
        open_still = {one.id for one in services.business("acme").decisions.all() if one.open}
    for one in acknowledged:
        count = told[one] or held[one] or asked[one]  # what a letter says may be believed too
        if count != 1:
            yield f"{one!r} is there {count} times"
        if one in open_still:
            yield f"{one!r} waits though it was answered"


def campaign(trials: int, *, seed: int = 0, only: str = "", seconds: float = SECONDS, say: bool = False) -> Row:
    """Return the results of every pair over a number of trials."""
    tally, acknowledged = Tally(say), 0
    os.environ["MABOS_FORBID_MODEL"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = furnished(place)
        import_what_it_imports(lambda: worked(company.copy(place / "warm"), [("run", "cfo"), ("live", "--once")]))
        for name in [only] if only else PAIRS:
            for number in range(trials):
                root = company.copy(fresh(place / "trial"))
                refused, written, found = trial(root, name, seed + number, seconds)
                tally.add(name, refused, found)
                acknowledged += written
    return tally.row(f"two processes on one workspace ({acknowledged:,} writes)")


def trial(root: Path, name: str, seed: int, seconds: float) -> tuple[int, int, list[str]]:
    """Return how often one of a pair was refused, how much both acknowledged, and the faults."""
    said, failed = together(root, PAIRS[name], seed, seconds)
    acknowledged = [text for one in said for text in one["acknowledged"]]
    refused = sum(one["refused"] for one in said)
    found = [f"one fell over the other: {one}" for one in failed]
    if name == "two live companies" and not failed and refused != 1:
        found.append("not one of two live companies was refused")
    return refused, len(acknowledged), found or list(faults(root, acknowledged))


def main() -> int:
    """Run the campaign and print its findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", choices=PAIRS, default="")
    given = parser.parse_args()
    return campaign(given.trials, seed=given.seed, only=given.only, say=True).told()


if __name__ == "__main__":
    sys.exit(main())
