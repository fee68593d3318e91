"""A batch whose process is killed in the middle of a run is played again to the bytes of one that was not."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs.batch import batch
from mabos.nodes.company.run import find_run

TERMS: dict[str, Any] = {"policies": ["bdi"], "seeds": ["1"], "weeks": 3}
CHILD = """
import sys
from pathlib import Path
from mabos.graphs.batch import batch
batch(["saas"], policies=["bdi"], seeds=["1"], weeks=3, out=Path(sys.argv[1]))
"""
WHOLE = ("batch.csv", "batch.md", *(f"saas/bdi/1/{name}" for name in ("journal.jsonl", "kpis.csv", "report.md")))


def weeks(out: Path) -> int:
    """Return how many weeks of a run are over, none where it is not there yet."""
    run = find_run(out / "workspace") if (out / "workspace").exists() else None
    return run.begun if run else 0


@pytest.mark.slow
def test_a_run_that_was_cut_short_in_the_middle_begins_anew_and_keeps_its_settings(tmp_path: Path, root: Path) -> None:
    killed, run = tmp_path / "killed", tmp_path / "killed" / "saas" / "bdi" / "1"
    (run / "workspace").mkdir(parents=True)
    (run / "workspace" / "mabos.yaml").write_text("checkpoints: {keep: 3}\n", "utf-8")
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(killed)], cwd=root, stderr=subprocess.PIPE)
    while weeks(run) < 1:
        assert child.poll() is None, child.communicate()[1]
        time.sleep(0.01)
    time.sleep(0.1)  # some of what the agents do in that week
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert not (run / "report.md").exists(), "the run was not over"
    batch(["saas"], out=killed, **TERMS)
    batch(["saas"], out=tmp_path / "whole", **TERMS)
    assert [one for one in WHOLE if (killed / one).read_bytes() != (tmp_path / "whole" / one).read_bytes()] == []
    assert (run / "workspace" / "mabos.yaml").read_text("utf-8") == "checkpoints: {keep: 3}\n"
