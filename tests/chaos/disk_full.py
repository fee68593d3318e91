"""Lets the disk be full under every writing tool, cycles and a simulation: `python -m tests.chaos.disk_full`.

The disk is a real one, of a few megabytes, seen by this program alone; some bytes of it are left free. Each writing
call must then either be done or be refused in one sentence that says what to do. While there is no room, every file
must be readable and the ledger whole; once there is, the same call under the same key must come to what it comes to
on a disk with room. A cycle must end with an error or do its work, and the next one go on; a simulation must be
refused, and go on to its report when it is started again.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.children import child
from tests.chaos.damage import worked
from tests.chaos.furnished import CASES, differences, fresh, furnished, prepared, state, unsound
from tests.chaos.mounts import INSIDE, again_inside, can_mount, fill, small_disk
from tests.chaos.tally import Row
from tests.chaos.tools_kill import GOES_ON, UNFINISHED, Undisturbed, performed, undisturbed
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import Effect

DISK = 24 << 20
"""Bytes of the disk."""
FREE = (0, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10)
"""How many bytes are left when the work begins; a page of tmpfs is four thousand."""
SAID = ("free the disk", "no space", "No space")
WEEKS = 2


@dataclass(slots=True)
class Result:
    """What a campaign found; `wrong` must stay empty."""

    trials: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def row(self) -> Row:
        """The line of the table."""
        return Row("disk full under every writing tool, cycles and a simulation", self.trials, self.refused, self.wrong)


def refusals(answer: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an error that a full disk caused."""
    error = answer["error"]
    if error["code"] != "unavailable":
        yield f"refused as {error['code']}: {error['message']}"
    elif not any(words in error["message"] for words in SAID):
        yield f"does not say what to do: {error['message']}"
    if "\n" in error["message"]:
        yield f"says it in several lines: {error['message']}"


def tool_faults(
    company: Furnished, effect: Effect, disk: Path, free: int, expected: Undisturbed
) -> tuple[bool, list[str]]:
    """Return whether a call was refused for want of room, and what went wrong then and after."""
    root = prepared(company, effect, fresh(disk / "trial"))
    ballast = fill(disk, free=free)
    answer = child(lambda: performed(root, company, effect)).said["answer"]
    found = [] if answer["ok"] else list(refusals(answer))
    told = child(lambda: unsound(root)).said
    found += [f"damaged while full: {one}" for one in told if not one.endswith(UNFINISHED)]
    ballast.unlink()
    again = child(lambda: performed(root, company, effect)).said["answer"]
    if not again["ok"]:
        found.append(f"cannot be done when there is room: {again['error']['message']}")
    elif effect.tool not in GOES_ON:
        after = child(lambda: state(root)).said
        found += [f"{name} is not as with room" for name in differences(after, expected.state)]
    found += [f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said]
    return not answer["ok"], found


def cycle_faults(company: Furnished, disk: Path, free: int) -> tuple[bool, list[str]]:
    """Return whether a cycle was refused for want of room, and what went wrong then and after."""
    root = company.copy(fresh(disk / "trial"))
    ballast = fill(disk, free=free)
    ((_, code, said, raised),) = child(lambda: worked(root, [("run", "cfo")])).said
    found = []
    if raised or "Traceback" in said:
        found.append(f"a cycle falls over it: {raised or said[-400:]}")
    if code and not any(words in said for words in SAID):
        found.append(f"a cycle does not say what to do: {said[-300:]}")
    found += [f"damaged while full: {one}" for one in child(lambda: unsound(root)).said]
    ballast.unlink()
    ((_, again, said, raised),) = child(lambda: worked(root, [("run", "cfo")])).said
    if again or raised:
        found.append(f"no cycle when there is room: {raised or said[-300:]}")
    return bool(code), found + [f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said]


def simulated(out: Path) -> list[Any]:
    """Play a few weeks as the command does; return its exit code, what it said, and what it raised."""
    words = ["simulate", "saas", "--weeks", str(WEEKS), "--seed", "3", "--threads", "1", "--out", str(out)]
    told: list[Any] = worked(out, [words])[0]
    return told[1:]


def simulation_faults(disk: Path, free: int) -> tuple[bool, list[str]]:
    """Return whether a simulation was refused for want of room, and what went wrong then and after."""
    out = fresh(disk / "trial")
    ballast = fill(disk, free=free)
    code, said, raised = child(lambda: simulated(out)).said
    found = [f"falls over it: {raised or said[-400:]}"] if raised or "Traceback" in said else []
    if code and not any(words in said for words in SAID):
        found.append(f"does not say what to do: {said[-300:]}")
    ballast.unlink()
    again, said, raised = child(lambda: simulated(out)).said
    if again or raised or not (out / "report.md").is_file():
        found.append(f"does not go through when there is room: {raised or said[-300:]}")
    return bool(code), found + [f"damaged in the end: {one}" for one in child(lambda: unsound(out / "workspace")).said]


def campaign(points: int, *, seed: int = 0, tools: tuple[str, ...] = (), runs: int = 3, say: bool = False) -> Result:
    """Return what a full disk did to each tool with so many different rests of room, and to cycles and simulations."""
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
        with small_disk(place / "disk", DISK) as disk:
            for name in tools or CASES:
                expected = undisturbed(company, CASES[name], place / "undisturbed")
                for free in luck.sample(FREE, points):
                    count(f"{name}, {free} free", *tool_faults(company, CASES[name], disk, free, expected))
            for free in luck.choices(range(0, 200 << 10, 4 << 10), k=runs):
                count(f"cycle, {free} free", *cycle_faults(company, disk, free))
            for free in luck.choices(range(64 << 10, 4 << 20, 4 << 10), k=runs):
                count(f"simulation, {free} free", *simulation_faults(disk, free))
    return result


def main() -> int:
    """Run the campaign and print what it found; exit code 1 if anything, 0 with a word where nothing may be mounted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=2)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tools", nargs="*")
    given = parser.parse_args()
    if given.inside:
        return campaign(given.points, seed=given.seed, tools=tuple(given.tools), runs=given.runs, say=True).row.told()
    with tempfile.TemporaryDirectory() as folder:
        if not can_mount(Path(folder)):
            print("skipped: this machine lets nobody mount a small disk")
            return 0
    return again_inside("tests.chaos.disk_full", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
