"""Kill every writing tool in the middle of its work and call it again: `python -m chaos.tools_kill --points 8`.

Each writing call of the catalogue is made in its own company, by a process that dies at one of its steps: before a
write, in the middle of one (leaving half a line), or at a random moment. Then the same call is repeated with the same
key, twice. In the end the files must be as after an undisturbed call: nothing missing, duplicated or damaged, and the
ledger intact; the third call must do nothing.
"""

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from chaos.children import Ended, child
from chaos.furnished import CASES, asked, differences, fresh, furnished, prepared, state, unsound, warmed
from chaos.steps import How, Steps
from chaos.tally import Row, Tally
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import Effect
from tests.tools.catalogue.house import house

GOES_ON = {"bdi_cycle"}
"""Calls that resume after an interruption but may end differently: a restarted cycle sees more."""

_UNFINISHED = re.compile(r"create the business again under this id to finish it$|/graph\.jsonl:\d+: it has no end: ")
"""What may be said while a call is cut short: of a business whose founding was, and of a line that the next write cuts,
since nobody was told that it is there."""


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """An undisturbed call: its steps, its seconds, and the files after it."""

    steps: int
    seconds: float
    state: dict[str, str]


def performed(root: Path, company: Furnished, effect: Effect, how: How = "counted", at: int = 0) -> dict[str, Any]:
    """Make the call, one step of which may be fatal; return the answer, its steps and seconds."""
    with house(root, found=False) as home:
        begun = monotonic()
        with Steps(how, at) as steps:
            answer = asked(home, company, effect)
        return {"answer": answer, "steps": steps.taken, "seconds": monotonic() - begun}


def undisturbed(company: Furnished, effect: Effect, place: Path) -> Undisturbed:
    """Make the call in an undisturbed copy."""
    root = prepared(company, effect, fresh(place))
    said = child(lambda: performed(root, company, effect)).said
    return Undisturbed(said["steps"], said["seconds"], child(lambda: state(root)).said)


def killed(company: Furnished, effect: Effect, root: Path, how: How | float, at: int) -> Ended:
    """Make the call and kill its process: at a step, or (`how` is a number) after that many seconds."""
    if isinstance(how, float):
        return child(lambda: performed(root, company, effect), kill_after=how)
    return child(lambda: performed(root, company, effect, how, at))


def faults(company: Furnished, effect: Effect, root: Path, expected: Undisturbed) -> Iterator[str]:
    """Yield the faults after an interrupted call was repeated."""
    if broken := damaged(root):
        yield from (f"damaged: {one}" for one in broken)
        return
    again = child(lambda: performed(root, company, effect)).said["answer"]
    if not again["ok"]:
        yield f"cannot be done again: {again['error']['message']}"
        return
    third = child(lambda: performed(root, company, effect)).said["answer"]
    if not third["repeated"] or third["result"] != again["result"]:
        yield "the third call is not answered from the record"
    yield from left(effect, root, expected)


def damaged(root: Path) -> list[str]:
    """Return the damage while a call is interrupted, except its own unfinished work."""
    return [one for one in child(lambda: unsound(root)).said if not _UNFINISHED.search(one)]


def left(effect: Effect, root: Path, expected: Undisturbed) -> Iterator[str]:
    """Yield the damage, and the differences between a disturbed and repeated call and an undisturbed one."""
    if effect.tool not in GOES_ON:
        found = child(lambda: state(root)).said
        yield from (f"{name} is not as undisturbed" for name in differences(found, expected.state))
    yield from (f"damaged in the end: {one}" for one in child(lambda: unsound(root)).said)


def moments(steps: int, seconds: float, points: int, luck: random.Random) -> list[tuple[How | float, int]]:
    """Return where to interrupt a call: at some of its steps, in the middle of some, and at a random moment."""
    chosen = range(1, steps + 1) if points <= 0 else sorted(luck.sample(range(1, steps + 1), min(points, steps)))
    found: list[tuple[How | float, int]] = [("torn" if luck.random() < 0.4 else "killed", at) for at in chosen]
    return [*found, (luck.uniform(0.0, 2 * seconds), 0)]


def campaign(points: int, *, seed: int = 0, tools: Sequence[str] = (), say: bool = False) -> Row:
    """Return the findings from killing each tool at that many points; 0 means all of them."""
    luck, tally = random.Random(seed), Tally(say)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = furnished(place)
        warmed(company, place / "warm")
        for name in tools or CASES:
            effect = CASES[name]
            expected = undisturbed(company, effect, place / "undisturbed")
            start = prepared(company, effect, fresh(place / "start"))
            for how, at in moments(expected.steps, expected.seconds, points, luck):
                root = Furnished(start, {}).copy(fresh(place / "trial"))
                ended = killed(company, effect, root, how, at)
                tally.add(f"{name}, {how} {at}", ended.was_killed, faults(company, effect, root, expected))
            if say:
                print(f"{name:28} {expected.steps:5} steps", flush=True)
    return tally.row("every writing tool killed in the middle")


def main() -> int:
    """Run the campaign and print its findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=6)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("tools", nargs="*")
    given = parser.parse_args()
    return campaign(given.points, seed=given.seed, tools=given.tools, say=True).told()


if __name__ == "__main__":
    sys.exit(main())
