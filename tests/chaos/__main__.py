"""Runs every fault campaign, two at a time, and prints one table: `python -m tests.chaos [--write] [NAME ...]`.

Each campaign is a program of its own, with a seed and a number of trials; here they are as large as twenty minutes of
two idle cores allow. With `--write` the table goes into docs/faults.md.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

from tests.chaos.tally import HEAD

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "faults.md"
CAMPAIGNS: Mapping[str, Sequence[str]] = {
    "tools_kill": ("--points", "6"),
    "damage": ("--sample", "250"),
    "disk_full": ("--points", "2", "--runs", "5"),
    "read_only": ("--points", "1"),
    "clock_back": ("--trials", "12"),
    "services_down": (),
    "two_processes": ("--trials", "4"),
    "company_kill": ("--trials", "25"),
    "live_kill": ("--trials", "25"),
    "memory_kill": ("--trials", "200"),
    "inbox_kill": ("--trials", "6"),
    "store_kill": ("--trials", "40"),
    "store_edits": ("--seconds", "30"),
    "graph_kill": ("--kills", "20"),
}
"""Each campaign with the words that make it as large as it is here."""

_TABLE = re.compile(r"(?<=<!-- the table -->\n)(?:\|.*\n)*")


def ran(name: str) -> tuple[str, int, str, float]:
    """Run a campaign to its end; return its name, exit code, what it printed, and its seconds."""
    begun = monotonic()
    command = [sys.executable, "-m", f"tests.chaos.{name}", *CAMPAIGNS[name]]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return name, made.returncode, made.stdout + (made.stderr if made.returncode else ""), monotonic() - begun


def rows(printed: str) -> list[str]:
    """Return the lines of a table in what a campaign printed."""
    return [line for line in printed.splitlines() if line.startswith("| ")]


def table(found: Sequence[str]) -> str:
    """Return the table of these lines."""
    return "\n".join([HEAD, *found]) + "\n"


def written(page: str, found: Sequence[str]) -> str:
    """Return a page with another table in its place."""
    return _TABLE.sub(lambda _: table(found), page, count=1)


def main() -> int:
    """Run the campaigns and print the table; exit code 1 if anything promised did not hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/faults.md")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CAMPAIGNS))
    given = parser.parse_args()
    failed, found = [], []
    with ThreadPoolExecutor(given.jobs) as pool:
        for name, code, printed, seconds in pool.map(ran, given.names or CAMPAIGNS):
            print(f"== {name}: {seconds:.0f} s{'' if code == 0 else ', exit code ' + str(code)}", flush=True)
            print(printed, flush=True)
            found += rows(printed)
            failed += [name] * (code != 0)
    print(table(found))
    if given.write:
        PAGE.write_text(written(PAGE.read_text("utf-8"), found), "utf-8")
    if failed:
        print(f"promises were broken in: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
