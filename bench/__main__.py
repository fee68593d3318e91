"""Every benchmark, one table: `python -m bench`.

    python -m bench                        # about half an hour
    python -m bench --only memory --only cycle
    python -m bench --write                # and docs/benchmarks.md after it

Each runs in a process of its own and is kept in build/bench as soon as it is over, so that what was cut short goes on
with `--only`; the page is written from what is kept. Exit code 1 where a limit is missed, neither as known nor for the
machine alone (`bench.pace`), 2 where a benchmark fails.
"""

import signal
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence

from bench.kept import Run, keep, kept
from bench.page import write
from bench.programs import PROGRAMS, run

MISSED, FAILED = 1, 2


def main() -> int:
    """Run the benchmarks that are asked for; the exit code says what came of them."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PROGRAMS, help="this one (again for more)")
    parser.add_argument("--scale", type=int, default=1, help="divide the sizes by this: to try it out, not to measure")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md from what is kept")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("asked to stop"))  # so that no child is left behind
    runs = [played(name, chosen.scale) for name in chosen.only or PROGRAMS]
    summed_up(runs)
    if chosen.write:
        write(kept())
    return max((FAILED if run.failure else MISSED if run.missed else 0 for run in runs), default=0)


def played(name: str, scale: int) -> Run:
    """Run one benchmark, print what it says as it comes, and keep it; a small one is only printed."""
    print(f"\n== {name}", flush=True)
    begun = time.monotonic()
    found = run(name, scale)
    print(f"   {time.monotonic() - begun:.0f} s{', FAILED: ' + found.failure if found.failure else ''}", flush=True)
    if scale == 1:
        keep(found)
    return found


def summed_up(runs: Sequence[Run]) -> None:
    """Print how many limits there are, which were missed, and what could not be measured."""
    lines = [(run.name, line) for run in runs for line in run.lines]
    limits = [(name, line) for name, line in lines if line.limit and line.spent]
    missed = [(name, line) for name, line in limits if line.is_missed]
    seconds = sum(run.seconds for run in runs)
    print(f"\n{len(runs)} benchmarks in {seconds / 60:.0f} min: {len(limits)} limits, {len(missed)} missed")
    for name, line in missed:
        print(f"{'missed' if line.is_news else 'no news':<14}{name}: {line.told()}")
    for name, line in lines:
        if line.spent is None:
            print(f"not measured  {name}: {line.name} ({line.note})")
    for one in runs:
        if one.failure:
            print(f"failed        {one.name}: {one.failure}")


if __name__ == "__main__":
    sys.exit(main())
