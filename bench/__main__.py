"""All benchmarks in one table: `python -m bench`.

    python -m bench                        # about half an hour
    python -m bench --only memory --only cycle
    python -m bench --write                # and docs/benchmarks.md after it

Each runs in its own process and is saved in build/bench as soon as it ends, so that `--only` completes an interrupted
run; the page is written from the saved results. The exit code is 1 if a limit is missed, unless that is known or due to
the machine alone (`bench.pace`), and 2 if a benchmark fails.
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
    """Run the requested benchmarks; the exit code reports their results."""
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
    """Run one benchmark, print its output as it arrives, and save it; a small one is only printed."""
    print(f"\n== {name}", flush=True)
    begun = time.monotonic()
    found = run(name, scale)
    print(f"   {time.monotonic() - begun:.0f} s{', FAILED: ' + found.failure if found.failure else ''}", flush=True)
    if scale == 1:
        keep(found)
    return found


def summed_up(runs: Sequence[Run]) -> None:
    """Print the number of limits, those missed, and what could not be measured."""
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
