"""Running a benchmark, alone or from the program that runs them all.

A benchmark is a module with a function `lines(scale)` that yields its measurements, with sizes divided by `scale`. It
ends with `raise SystemExit(printed(lines, __doc__))`.
"""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable

from bench.measured import Line

Lines = Callable[[int], Iterable[Line]]
LINE, ENDED = "line", "ended"
"""The standard output of a child process, an object a line: a line of the table, and a mark at its end."""


def printed(lines: Lines, about: str | None) -> int:
    """Run a benchmark as the command line requests; the exit code is 1 if a limit is unexpectedly missed."""
    chosen = options(about).parse_args()
    return shown(lines(chosen.scale), as_json=chosen.json)


def options(about: str | None) -> ArgumentParser:
    """Return the options common to all benchmarks."""
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=1, help="divide the sizes by this: to try it out, not to measure")
    parser.add_argument("--json", action="store_true", help="an object a line, for a program")
    return parser


def shown(lines: Iterable[Line], *, as_json: bool) -> int:
    """Print lines as they arrive; the exit code is 1 if a limit is unexpectedly missed."""
    missed = 0
    for line in lines:
        print(json.dumps({LINE: line.as_json()}) if as_json else line.told(), flush=True)
        missed += line.is_news
    if as_json:
        print(json.dumps({ENDED: True}), flush=True)
    elif missed:
        print(f"{missed} of them missed, and not as known", file=sys.stderr)
    return int(missed > 0)
