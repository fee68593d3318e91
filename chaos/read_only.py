"""Read-only folders and files under every writing tool and the commands: `python -m chaos.read_only`.

Read-only mounts lock the whole workspace, one agent's folder, the business's, or the ledger's. A call must succeed, or
be refused in one sentence; nothing may be half written, and everything must stay readable. After unlocking, the same
call with the same key must give the usual result. While one agent's folder is locked, cycles of the others must
succeed; while everything is, read-only commands must answer.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from chaos.children import child, import_what_it_imports
from chaos.damage import worked
from chaos.disk_full import attempted, made_good
from chaos.furnished import CASES, fresh, furnished, prepared, unsound, warmed
from chaos.mounts import INSIDE, again_inside, read_only
from chaos.tally import Row, Tally
from chaos.tools_kill import Undisturbed, undisturbed
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import Effect

LOCKED = ("", "agents", "businesses", "ledger", ".mabos", "agents/cfo", "businesses/acme", "ledger/cfo.jsonl")
"""The read-only part: the workspace, a folder of it, a file."""

READING = (("doctor",), ("business", "status", "acme"), ("decisions",), ("mind", "cfo"), ("verify",),
           ("memory", "recall", "churn", "--agent", "cfo"))  # fmt: skip


def tool_faults(
    company: Furnished, effect: Effect, place: Path, locked: str, expected: Undisturbed
) -> tuple[bool, list[str]]:
    """Return whether a call was refused while something is read-only, and the faults then and afterwards."""
    root = prepared(company, effect, fresh(place))
    with read_only(root / locked):
        was_refused, found = attempted(company, effect, root)
    return was_refused, [*found, *made_good(company, effect, root, expected)]


def command_faults(company: Furnished, place: Path, locked: str) -> tuple[bool, list[str]]:
    """Return whether a cycle was refused while something is read-only, and the faults of the commands."""
    root = company.copy(fresh(place))
    found, was_refused = [], False
    with read_only(root / locked):
        for words, code, said, raised in child(lambda: worked(root, [*READING, ("run", "cfo"), ("run", "ceo")])).said:
            if raised or "Traceback" in said:
                found.append(f"`{words}` falls over it: {raised or said[-300:]}")
            elif code and not words.startswith(("run", "doctor")):  # a doctor that finds something is no failure
                found.append(f"`{words}` cannot be answered: {said[-300:]}")
            elif words == "run ceo" and code and "cfo" in locked:
                found.append(f"another agent cannot go on: {said[-300:]}")
            was_refused |= code != 0 and words.startswith("run")
    ((_, code, said, raised),) = child(lambda: worked(root, [("run", "cfo")])).said
    if code or raised:
        found.append(f"no cycle without the lock: {raised or said[-300:]}")
    return was_refused, found + [f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said]


def campaign(
    points: int, *, seed: int = 0, tools: tuple[str, ...] = (), places: tuple[str, ...] = LOCKED, say: bool = False
) -> Row:
    """Return the effects of locking various places on each tool and on the commands."""
    luck, tally = random.Random(seed), Tally(say)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = furnished(place)
        warmed(company, place / "warm")
        import_what_it_imports(lambda: worked(company.copy(place / "warm")))
        for locked in places:
            tally.add(f"commands, {locked or 'all'} locked", *command_faults(company, place / "trial", locked))
        for name in tools or CASES:
            expected = undisturbed(company, CASES[name], place / "undisturbed")
            for locked in luck.sample(LOCKED, points):
                told = tool_faults(company, CASES[name], place / "trial", locked, expected)
                tally.add(f"{name}, {locked or 'all'} locked", *told)
    return tally.row("folders and files that may only be read")


def main() -> int:
    """Run the campaign and print its findings; exit code 1 if there are any, 0 with a note without mounts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--places", nargs="*", choices=LOCKED, default=LOCKED)
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tools", nargs="*")
    given = parser.parse_args()
    if given.inside:
        chosen = {"tools": tuple(given.tools), "places": tuple(given.places)}
        return campaign(given.points, seed=given.seed, say=True, **chosen).told()
    return again_inside("chaos.read_only", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
