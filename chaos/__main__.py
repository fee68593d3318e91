"""Run all fault campaigns, two at a time, and print one table: `python -m chaos [--write] [NAME ...]`.

Each campaign is a separate program with a seed and a number of trials; these sizes take about twenty minutes on two
idle cores. `--write` puts the table into docs/faults.md.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from time import monotonic

from chaos.tally import HEAD

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "faults.md"
CAMPAIGNS: Mapping[str, Sequence[str]] = {
    "damage": ("--sample", "140"),
    "tools_kill": ("--points", "4"),
    "disk_full": ("--points", "2", "--runs", "4"),
    "services_down": (),
    "company_kill": ("--trials", "25"),
    "read_only": ("--points", "1"),
    "clock_back": ("--trials", "6"),
    "live_kill": ("--trials", "20"),
    "memory_kill": ("--trials", "120"),
    "two_processes": ("--trials", "4"),
    "graph_kill": ("--kills", "20"),
    "store_kill": ("--trials", "30"),
    "inbox_kill": ("--trials", "5"),
    "store_edits": ("--seconds", "30"),
}
"""Each campaign with the words that make it as large as it is here, the longest first."""

_TABLE = re.compile(r"(?<=<!-- the table -->\n)(?:\|.*\n)*")


def ran(name: str) -> tuple[int, str, str]:
    """Run a campaign to its end; return its exit code, its output, and its duration."""
    begun = monotonic()
    print(f"-- {name} {' '.join(CAMPAIGNS[name])}: begun", flush=True)
    command = [sys.executable, "-u", "-m", f"chaos.{name}", *CAMPAIGNS[name]]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    took = f"{monotonic() - begun:.0f} s"
    return made.returncode, made.stdout + (made.stderr if made.returncode else ""), took


def rows(printed: str) -> list[str]:
    """Return the table lines in a campaign's output."""
    return [line for line in printed.splitlines() if line.startswith("| ")]


def table(found: Sequence[str]) -> str:
    """Return the table of these lines."""
    return "\n".join([HEAD, *found]) + "\n"


def written(page: str, found: Sequence[str]) -> str:
    """Return a page with its table replaced."""
    return _TABLE.sub(lambda _: table(found), page, count=1)


def main() -> int:
    """Run the campaigns and print the table; the exit code is 1 if any promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/faults.md")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CAMPAIGNS))
    given = parser.parse_args()
    names, failed, found, begun = given.names or list(CAMPAIGNS), [], dict[str, list[str]](), monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        running = {pool.submit(ran, name): name for name in names}
        for number, done in enumerate(as_completed(running), 1):
            name, (code, printed, took) = running[done], done.result()
            said = "" if code == 0 else f", exit code {code}"
            print(f"== {name}: {took}{said}; {number} of {len(names)} after {monotonic() - begun:.0f} s", flush=True)
            print(printed, flush=True)
            found[name] = rows(printed)
            failed += [name] * (code != 0)
    lines = [line for name in names for line in found[name]]
    print(table(lines))
    if given.write:
        PAGE.write_text(written(PAGE.read_text("utf-8"), lines), "utf-8")
    if failed:
        print(f"promises were broken in: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
