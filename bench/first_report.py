"""A newcomer's waiting time: clone, install, the report of a first quarter, and an answer, in wall seconds.

    python -m bench.first_report

It clones the last commit here and uses this machine's package cache: run it twice to warm it up.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measured import Line, exactly
from bench.printed import printed

LIMIT = 120.0
ANSWER = "answer"
ROOT = Path(__file__).resolve().parents[1]
STEPS = {
    "clone": "git clone --quiet {root} mabos",
    "install": "make --directory mabos --no-print-directory .venv/.installed",
    "first report": "make --directory mabos --no-print-directory demo",
}
QUESTION = ("mabos/.venv/bin/mabos", "--workspace", "mabos/demo/workspace", "chat", "cfo", "--json", "--say")
ASKED = "What is our runway?"
ANSWER_LIMIT = 60.0
REPORT = Path("mabos", "demo", "report.md")


def seconds(folder: Path) -> dict[str, float]:
    """Return the duration of each step, in its own folder; raises if one fails."""
    own = ("MABOS_", "OPENAI_", "PYTHON", "VIRTUAL_ENV", "MAKE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    taken = {}
    for step, command in STEPS.items():
        start = time.perf_counter()
        line = command.format(root=ROOT).split()
        subprocess.run(line, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        taken[step] = time.perf_counter() - start
    if not (folder / REPORT).is_file():
        raise FileNotFoundError(f"make demo wrote no {REPORT}")
    start = time.perf_counter()
    said = subprocess.run([*QUESTION, ASKED], cwd=folder, env=environment, check=True, capture_output=True)
    taken[ANSWER] = time.perf_counter() - start
    if not json.loads(said.stdout)["claims"]:
        raise ValueError(f"the first answer cites no record: {said.stdout.decode()[:300]}")
    return taken


def lines(_: int) -> Iterator[Line]:
    """Yield the duration of each step, and the total."""
    with tempfile.TemporaryDirectory(prefix="mabos-first-") as folder:
        taken = seconds(Path(folder))
    yield Line("the first answer after the demo", exactly(taken.pop(ANSWER)), most=ANSWER_LIMIT, unit="s")
    yield Line("from nothing to the first quarter's report", exactly(sum(taken.values())), most=LIMIT, unit="s")
    for step, took in taken.items():
        yield Line(f"of it: {step}", exactly(took), unit="s")


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
