"""Lets folders and files only be read, under every writing tool and the commands: `python -m tests.chaos.read_only`.

What is locked is mounted so that nobody may write there: the whole workspace, one agent's folder, the business's, the
ledger's. A call must be done, or refused in one sentence; nothing may be half written, and what could be read can be.
When the lock is gone the same call under the same key must come to what it comes to without. While one agent's folder
is locked, cycles of the others must go through; while everything is, the commands that only read must answer.
"""

import argparse
import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.children import child, import_what_it_imports
from tests.chaos.damage import worked
from tests.chaos.disk_full import refusals
from tests.chaos.furnished import CASES, differences, fresh, furnished, prepared, state, unsound
from tests.chaos.mounts import INSIDE, again_inside, can_mount, read_only
from tests.chaos.tally import Row
from tests.chaos.tools_kill import GOES_ON, UNFINISHED, Undisturbed, performed, undisturbed
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import Effect

LOCKED = ("", "agents", "businesses", "ledger", ".mabos", "agents/cfo", "businesses/acme", "ledger/cfo.jsonl")
"""What may only be read: the workspace, a folder of it, a file."""

READING = (("doctor",), ("business", "status", "acme"), ("decisions",), ("mind", "cfo"), ("verify",),
           ("memory", "recall", "churn", "--agent", "cfo"))  # fmt: skip


@dataclass(slots=True)
class Result:
    """What a campaign found; `wrong` must stay empty."""

    trials: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def row(self) -> Row:
        """The line of the table."""
        return Row("folders and files that may only be read", self.trials, self.refused, self.wrong)


def tool_faults(
    company: Furnished, effect: Effect, place: Path, locked: str, expected: Undisturbed
) -> tuple[bool, list[str]]:
    """Return whether a call was refused while something may only be read, and what went wrong then and after."""
    root = prepared(company, effect, fresh(place))
    with read_only(root / locked):
        answer = child(lambda: performed(root, company, effect)).said["answer"]
        found = [] if answer["ok"] else list(refusals(answer))
        told = child(lambda: unsound(root)).said
    found += [f"damaged while locked: {one}" for one in told if not one.endswith(UNFINISHED)]
    again = child(lambda: performed(root, company, effect)).said["answer"]
    if not again["ok"]:
        found.append(f"cannot be done without the lock: {again['error']['message']}")
    elif effect.tool not in GOES_ON:
        found += [
            f"{name} is not as without the lock"
            for name in differences(child(lambda: state(root)).said, expected.state)
        ]
    return not answer["ok"], found + [f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said]


def command_faults(company: Furnished, place: Path, locked: str) -> tuple[bool, list[str]]:
    """Return whether a cycle was refused while something may only be read, and what the commands did wrong."""
    root = company.copy(fresh(place))
    found = []
    with read_only(root / locked):
        for words, code, said, raised in child(lambda: worked(root, [*READING, ("run", "cfo"), ("run", "ceo")])).said:
            if raised or "Traceback" in said:
                found.append(f"`{words}` falls over it: {raised or said[-300:]}")
            elif code and not words.startswith(("run", "doctor")):  # a doctor that finds something is no failure
                found.append(f"`{words}` cannot be answered: {said[-300:]}")
            elif words == "run ceo" and code and "cfo" in locked:
                found.append(f"another agent cannot go on: {said[-300:]}")
            was_refused = bool(code)
    ((_, code, said, raised),) = child(lambda: worked(root, [("run", "cfo")])).said
    if code or raised:
        found.append(f"no cycle without the lock: {raised or said[-300:]}")
    return was_refused, found + [f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said]


def campaign(points: int, *, seed: int = 0, tools: tuple[str, ...] = (), say: bool = False) -> Result:
    """Return what locks in so many different places did to each tool, and each to the commands."""
    luck, result = random.Random(seed), Result()

    def count(what: str, was_refused: bool, found: list[str]) -> None:
        result.trials += 1
        result.refused += was_refused
        result.wrong += [f"{what}: {one}" for one in found]
        if say and found:
            print("\n".join(f"{what}: {one}" for one in found), flush=True)

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = furnished(place)
        import_what_it_imports(lambda: worked(company.copy(place / "warm")))
        for locked in LOCKED:
            count(f"commands, {locked or 'all'} locked", *command_faults(company, place / "trial", locked))
        for name in tools or CASES:
            expected = undisturbed(company, CASES[name], place / "undisturbed")
            for locked in luck.sample(LOCKED, points):
                told = tool_faults(company, CASES[name], place / "trial", locked, expected)
                count(f"{name}, {locked or 'all'} locked", *told)
    return result


def main() -> int:
    """Run the campaign and print what it found; exit code 1 if anything, 0 with a word where nothing may be mounted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tools", nargs="*")
    given = parser.parse_args()
    if given.inside:
        return campaign(given.points, seed=given.seed, tools=tuple(given.tools), say=True).row.told()
    with tempfile.TemporaryDirectory() as folder:
        if not can_mount(Path(folder)):
            print("skipped: this machine lets nobody mount a folder that may only be read")
            return 0
    return again_inside("tests.chaos.read_only", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
