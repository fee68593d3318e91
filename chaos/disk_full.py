"""A full disk under every writing tool, cycles and a simulation: `python -m chaos.disk_full`.

The disk is a real one of a few megabytes, mounted for this program only, with a few bytes free. Each writing call must
either succeed or be refused in one sentence with the remedy. While the disk is full, every file must be readable and
the ledger intact; afterwards the same call with the same key must give the same result as on an empty disk. A cycle
must end with an error or do its work, and the next one continue; a simulation must be refused, and finish when it is
restarted.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chaos.children import child
from chaos.damage import worked
from chaos.furnished import CASES, fresh, furnished, prepared, unsound, warmed
from chaos.mounts import INSIDE, again_inside, fill, small_disk
from chaos.tally import Row, Tally
from chaos.tools_kill import Undisturbed, damaged, left, performed, undisturbed
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import Effect

DISK = 24 << 20
"""Bytes of the disk."""
FREE = (0, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10)
"""The bytes left when the work begins; a page of tmpfs is four thousand."""
SAID = ("free disk space", "no space", "No space")
WEEKS = 2


def refusals(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the faults of an error caused by a full or locked disk."""
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
    """Return whether a call was refused for lack of space, and the faults then and afterwards."""
    root = prepared(company, effect, fresh(disk / "trial"))
    ballast = fill(disk, free=free)
    was_refused, found = attempted(company, effect, root)
    ballast.unlink()
    return was_refused, [*found, *made_good(company, effect, root, expected)]


def attempted(company: Furnished, effect: Effect, root: Path) -> tuple[bool, list[str]]:
    """Return whether a call was refused while not everything can be written, and the faults meanwhile."""
    answer = child(lambda: performed(root, company, effect)).said["answer"]
    found = [] if answer["ok"] else list(refusals(answer))
    return not answer["ok"], found + [f"damaged meanwhile: {one}" for one in damaged(root)]


def made_good(company: Furnished, effect: Effect, root: Path, expected: Undisturbed) -> Iterator[str]:
    """Yield the faults when everything can be written again and the same call is repeated."""
    again = child(lambda: performed(root, company, effect)).said["answer"]
    if not again["ok"]:
        yield f"cannot be done afterwards: {again['error']['message']}"
    yield from left(effect, root, expected)


def cycle_faults(company: Furnished, disk: Path, free: int) -> tuple[bool, list[str]]:
    """Return whether a cycle was refused for lack of space, and the faults then and afterwards."""
    root = company.copy(fresh(disk / "trial"))
    ballast = fill(disk, free=free)
    ((_, code, said, raised),) = child(lambda: worked(root, [("run", "cfo")])).said
    found = list(misspoken(code, said, raised))
    found += [f"damaged while full: {one}" for one in child(lambda: unsound(root)).said]
    ballast.unlink()
    ((_, again, said, raised),) = child(lambda: worked(root, [("run", "cfo")])).said
    if again or raised:
        found.append(f"no cycle when there is room: {raised or said[-300:]}")
    return bool(code), found + [f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said]


def misspoken(code: int, said: str, raised: str) -> Iterator[str]:
    """Yield the faults in the output of a command that found the disk full."""
    if raised or "Traceback" in said:
        yield f"falls over it: {raised or said[-400:]}"
    if code and not any(words in said for words in SAID):
        yield f"does not say what to do: {said[-300:]}"


def simulated(out: Path) -> list[Any]:
    """Play a few weeks as the command does; return its exit code, its output, and its exception."""
    words = ["simulate", "saas", "--weeks", str(WEEKS), "--seed", "3", "--threads", "1", "--out", str(out)]
    told: list[Any] = worked(out, [words])[0]
    return told[1:]


def simulation_faults(disk: Path, free: int) -> tuple[bool, list[str]]:
    """Return whether a simulation was refused for lack of space, and the faults then and afterwards."""
    out = fresh(disk / "trial")
    ballast = fill(disk, free=free)
    code, said, raised = child(lambda: simulated(out)).said
    found = list(misspoken(code, said, raised))
    ballast.unlink()
    again, said, raised = child(lambda: simulated(out)).said
    if again or raised or not (out / "report.md").is_file():
        found.append(f"does not go through when there is room: {raised or said[-300:]}")
    return bool(code), found + [f"damaged in the end: {one}" for one in child(lambda: unsound(out / "workspace")).said]


def campaign(points: int, *, seed: int = 0, tools: tuple[str, ...] = (), runs: int = 3, say: bool = False) -> Row:
    """Return the effects of a full disk, with various amounts of free space, on tools, cycles and simulations."""
    luck, tally = random.Random(seed), Tally(say)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = furnished(place)
        warmed(company, place / "warm")
        with small_disk(place / "disk", DISK) as disk:
            for name in tools or CASES:
                expected = undisturbed(company, CASES[name], place / "undisturbed")
                for free in luck.sample(FREE, points):
                    tally.add(f"{name}, {free} free", *tool_faults(company, CASES[name], disk, free, expected))
            for free in luck.choices(range(0, 200 << 10, 4 << 10), k=runs):
                tally.add(f"cycle, {free} free", *cycle_faults(company, disk, free))
            for free in luck.choices(range(64 << 10, 4 << 20, 4 << 10), k=runs):
                tally.add(f"simulation, {free} free", *simulation_faults(disk, free))
    return tally.row("disk full under every writing tool, cycles and a simulation")


def main() -> int:
    """Run the campaign and print its findings; exit code 1 if there are any, 0 with a note without mounts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=2)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tools", nargs="*")
    given = parser.parse_args()
    if given.inside:
        return campaign(given.points, seed=given.seed, tools=tuple(given.tools), runs=given.runs, say=True).told()
    return again_inside("chaos.disk_full", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
