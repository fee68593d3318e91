"""Where the benches of whole companies keep their runs: one that is on disk is not played again while the code stands.

The folder is named after everything that can change a result: the sources of the packages, plans, roles and scenarios.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from bench.printed import options
from mabos.society.simulation.comparison import RunResult
from mabos.society.simulation.scenario_files import scenario_names

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("graphs", "nodes", "tools", "society", "mind", "knowledge", "memory", "backends", "workspace", "configs")
KINDS = {".py", ".yaml", ".json", ".md", ".j2"}
FIRST_SEED = 1000
"""Report seeds begin here; the rules were tuned on 0 to 9."""


def stand() -> str:
    """Return a name for the code and configuration as they are now."""
    seen = blake2b(digest_size=6)
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.suffix in KINDS)
    for path in sorted(files):
        seen.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return seen.hexdigest()


def parser(told: str | None, *, seeds: int, scenarios: tuple[str, ...] = ()) -> ArgumentParser:
    """Return the options that the benches of runs share; `seeds` is how many are played where nothing else is said."""
    found = options(told)
    found.add_argument("--seeds", type=int, default=seeds, help="how many report seeds, from 1000 on")
    found.add_argument("--scenario", action="append", choices=scenario_names(), help="only these")
    found.add_argument("-j", dest="jobs", type=int, default=2, help="runs at a time")
    found.add_argument("--out", type=Path, default=ROOT / "build" / "runs", help="where runs are kept")
    found.set_defaults(scenarios=scenarios or scenario_names())
    return found


def seeds(number: int) -> list[str]:
    """Return the first report seeds."""
    return [str(FIRST_SEED + one) for one in range(number)]


def telling() -> Callable[[RunResult, int], None]:
    """Return a listener that prints how many runs are over, a line for each."""
    over = 0

    def told(result: RunResult, runs: int) -> None:
        nonlocal over
        over += 1
        end = "bankrupt" if result.bankrupt else f"${result.score:,.0f}"
        print(f"{over:>4} of {runs}  {result.scenario} {result.policy} {result.seed}: {end}", flush=True)

    return told
