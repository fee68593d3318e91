"""A run of a suite of office tasks on this checkout, with limits for the shares done, honest and answered.

    .venv/bin/python -m scripts.office_tasks ../shared/deskwork          # exit code 1 below the limits

The suite is a folder with `run.py` and `cases/`: it gives each task to one agent in plain words, without a chat model,
and checks the records afterwards. Without a suite it prints a note and succeeds.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.warm import served

LIMITS = {"done": 1.0, "honest": 1.0, "answered": 1.0}
"""The least share of each dimension; without a model, `done` and `answered` count the cases that need none."""


def are_held(scores: Mapping[str, Sequence[int]], limits: Mapping[str, float]) -> bool:
    """Print each share (yes, scored) with its limit, and return whether all reach theirs."""
    for name, least in limits.items():
        print(f"{name}: {scores[name][0]} of {scores[name][1]}, at least {least:.0%}")
    return all(scores[name][0] >= least * scores[name][1] for name, least in limits.items())


def main(folder: Path) -> int:
    """Run the suite and return 0 if every share reaches its limit."""
    if not (folder / "run.py").exists():
        print(f"no suite of office tasks in {folder}: nothing was played")
        return 0
    with tempfile.TemporaryDirectory() as place, served(Path(place)) as mabos:
        out = Path(place) / "result.json"
        command = [sys.executable, str(folder / "run.py"), "--mabos", str(mabos)]
        played = subprocess.run([*command, "--jobs", "2", "--out", str(out)], check=False)
        found: dict[str, list[int]] = json.loads(out.read_text("utf-8"))["scores"]["all"]
    return 0 if are_held(found, LIMITS) and played.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/deskwork")))
