"""What choosing what to work on costs in a mind that has grown: `python -m tests.bench.deliberation`.

An idle agent with few and with thousands of desires, goals, plans and beliefs; nothing changes between its cycles, but
for the clock. Beside it the cycle in which the mind is weighed anew, as it is once an hour and after every change. All
numbers are medians of one run. Target: thirty times the records cost an idle cycle at most five times as much.
"""

import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from graphs import wiring
from mind.model import Belief, Desire, Goal, Plan, Step
from tools.call import call
from tools.services import Services
from workspace.clock import SteppedClock, iso

FEW, MANY = 100, 3000
ROUNDS = 15
TARGET = 5.0
AGENT = "hr"


def grown(root: Path, clock: SteppedClock, number: int) -> Services:
    """Return a workspace whose agent has so many goals, plans and beliefs, fewer desires, and nothing to do."""
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
    raise AssertionError(f"{AGENT} never came to rest")


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


def main() -> int:
    """Measure, print the table, and return 1 where the target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        found = {number: measure(Path(folder) / f"of-{number}", number) for number in (FEW, MANY)}
    for number, (idle, hourly) in found.items():
        print(f"{number:>5} goals, plans and beliefs: idle cycle {idle:6.1f} ms, once an hour {hourly:6.1f} ms")
    ratio = found[MANY][0] / found[FEW][0]
    print(f"{MANY // FEW} times the records: {ratio:.1f} times an idle cycle (at most {TARGET:g})")
    return int(ratio > TARGET)


if __name__ == "__main__":
    sys.exit(main())
