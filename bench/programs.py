"""The list of benchmarks, and running one in its own process."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

from bench.kept import Run
from bench.measured import Line
from bench.pace import pace
from bench.printed import ENDED, LINE

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = (
    "cycle", "idle", "calls", "model_calls", "deliberation", "procedures", "messages", "memory", "retrieval",
    "records", "store", "growth", "agents", "inference", "cases", "reasoning", "questions",
    "calibrated", "graph", "graph_copy",
    "entity_memory", "archive", "entities", "htn", "workflows", "world", "policies", "year", "live", "days",
    "dashboard", "startup", "first_report", "langgraph_suites",
)  # fmt: skip
"""In the order of the table."""
PATIENCE = 3600.0
"""Seconds after which a benchmark is given up."""


def run(name: str, scale: int = 1) -> Run:
    """Return a benchmark's measurements, printing its lines as they arrive; a failure is reported, never raised."""
    load, at, before = os.getloadavg()[0], datetime.now(UTC), pace()
    begun = time.monotonic()
    lines: list[Line] = []
    ended = False
    command = [sys.executable, "-m", f"bench.{name}", "--json", *(["--scale", str(scale)] if scale > 1 else [])]
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        clock = Timer(PATIENCE, lambda: os.killpg(child.pid, signal.SIGKILL))
        clock.daemon = True
        clock.start()
        assert child.stdout is not None
        try:
            for text in child.stdout:
                told = _object(text)
                ended = ended or ENDED in told
                if LINE in told:
                    lines.append(replace(Line.of(told[LINE]), pace=before))
                    print(lines[-1].told(), flush=True)
            code = child.wait()
        finally:
            clock.cancel()
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        errors.seek(0)
        said = errors.read().strip()
    failure = "" if ended else (said.splitlines() or [f"ended with {code}, and without a word"])[-1]
    spent, around = time.monotonic() - begun, (before + pace()) / 2
    at_pace = tuple(replace(line, pace=around) for line in lines)
    return Run(name, at.isoformat(timespec="minutes"), spent, load, at_pace, failure)


def _object(text: str) -> dict[str, dict[str, object]]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    print(text, end="", flush=True)
    return {}
