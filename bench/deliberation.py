"""The cost of choosing what to work on in a large mind: `python -m bench.deliberation`.

It compares idle agents with few and with thousands of desires, goals, plans and beliefs, where only the clock changes
between cycles, and a cycle that re-evaluates the mind, as once an hour and after every change. All numbers are medians
of one run. Target: with thirty times the records an idle cycle costs at most five times as much.
"""

import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from bench.measured import Line, exactly
from bench.printed import printed
from mabos.graphs import wiring
from mabos.mind.model import Belief, Desire, Goal, Plan, Step
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso

FEW, MANY = 100, 3000
ROUNDS = 15
TARGET = 5.0
AGENT = "hr"


def grown(root: Path, clock: SteppedClock, number: int) -> Services:
    """Return a workspace whose agent has that many goals, plans and beliefs, fewer desires, and no work."""
    services = wiring.hold(root, clock=clock)
    made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
    assert made.ok, made.message
    now, wishes = iso(clock()), number // 3
    services.agent(AGENT).mind.save(
        *(Desire(f"D-x{at}", f"wish {at}", target=f"metric_{at} >= {at}") for at in range(wishes)),
        *(Goal(f"G-x{at}", f"goal {at}", desire_id=f"D-x{at % wishes}", status="achieved", created=now, updated=now)
          for at in range(number)),
        *(Plan(f"P-x{at}", f"G-x{at}", f"plan {at}", status="completed", steps=(Step("a", status="done"),), updated=now)
          for at in range(number)),
        *(Belief(f"B-x{at}", f"metric {at} is {at}", 0.9, subject=f"metric_{at}", value=str(at), updated=now)
          for at in range(number)),
    )  # fmt: skip
    clock.advance(timedelta(hours=1))
    for _ in range(30):
        if wiring.run_cycle(services, AGENT).outcome == "idle":
            return services
    raise AssertionError(f"{AGENT} did not become idle")


def cycle(services: Services) -> float:
    """Return the milliseconds of one idle cycle."""
    started = time.perf_counter()
    report = wiring.run_cycle(services, AGENT)
    assert report.outcome == "idle", report
    return 1000 * (time.perf_counter() - started)


def measure(root: Path, number: int) -> tuple[float, float]:
    """Return the medians of an idle cycle, and of one in which the hour has changed."""
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    services = grown(root, clock, number)
    idle, hourly = [], []
    for _ in range(ROUNDS):
        clock.advance(timedelta(hours=1))
        hourly.append(cycle(services))
        cycle(services)  # what the hour changed is written, and looked at once more
        idle.append(cycle(services))
    wiring.release(services)
    return median(idle), median(hourly)


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of a cycle in a small mind and in a large one."""
    few, many = FEW // min(scale, 10), MANY // scale
    with tempfile.TemporaryDirectory() as folder:
        found = {number: measure(Path(folder) / f"of-{number}", number) for number in (few, many)}
    yield Line(
        f"idle cycle in a mind of {many:,} goals, plans and beliefs",
        exactly(found[many][0] / found[few][0]),
        most=TARGET,
        unit="x",
        beside=f"one in a mind of {few}",
        note=f"{found[many][0]:.1f} and {found[few][0]:.1f} ms",
    )
    yield Line("the cycle once an hour in which everything is weighed anew", exactly(found[many][1]))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
