"""How many weeks of the simulated market a second holds, as a ratio to plain work of the same run.

    python -m tests.bench.world [--weeks 520] [--rounds 5]

The yardstick is the canonical JSON of the same state, written and read back: what keeping a week on disk costs before
any disk is touched. A ratio holds on any machine; milliseconds do not. That a second holds at least 2,000 weeks of the
market alone is asked of the processor's time in its best round, in each kind of business.
"""

import argparse
import json
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

from society.simulation.scenario import Scenario
from society.simulation.scenario_files import load_scenario
from society.simulation.state import World
from society.simulation.world import step
from tests.society.simulation.policies import nothing, sensible

LEAST = 2_000
"""Weeks of the market alone that a second of the processor must hold, in each kind of business."""
KINDS = ("saas", "ecommerce", "consulting")
LIMIT = 15
"""A week of the market may cost at most this many JSON round trips of its state."""


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes once."""
    began = perf_counter()
    work()
    return perf_counter() - began


def weeks_of(scenario: Scenario, weeks: int, *, acting: bool) -> World:
    """Return the world after some weeks of a sensible policy, or of none."""
    truth, world = scenario.truth("1"), scenario.opening("1")
    for _ in range(weeks):
        world, _ = step(world, truth, sensible(world) if acting else nothing(world), "1")
    return world


def measure(weeks: int, rounds: int) -> dict[str, float]:
    """Return weeks a second and their cost in round trips, the medians of interleaved rounds."""
    scenario = load_scenario("saas")
    state = weeks_of(scenario, 13, acting=True).as_json()
    found: dict[str, list[float]] = {"acting": [], "idle": [], "json": []}
    for _ in range(rounds):
        found["acting"].append(seconds(lambda: weeks_of(scenario, 26, acting=True)) / 26)
        found["idle"].append(seconds(lambda: weeks_of(scenario, weeks, acting=False)) / weeks)
        found["json"].append(seconds(lambda: [json.loads(json.dumps(state, sort_keys=True)) for _ in range(200)]) / 200)
    cost = {name: median(values) for name, values in found.items()}
    return {
        "weeks_per_second_acting": 1 / cost["acting"],
        "weeks_per_second_idle": 1 / cost["idle"],
        "round_trips_per_acting_week": cost["acting"] / cost["json"],
        "round_trips_per_idle_week": cost["idle"] / cost["json"],
    }


def alone(rounds: int) -> dict[str, float]:
    """Return how many weeks of each market, left to itself, a second of the processor holds in the best round."""
    found = {}
    for kind in KINDS:
        scenario = load_scenario(kind)
        spent = []
        for _ in range(rounds):
            began = process_time()
            weeks_of(scenario, 52, acting=False)
            spent.append(process_time() - began)
        found[kind] = 52 / min(spent)
    return found


def main() -> int:
    """Print the table; exit code 1 where a week costs more than its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weeks", type=int, default=52)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    found = measure(chosen.weeks, chosen.rounds)
    for name, value in found.items():
        print(f"{name:32} {value:10.1f}")
    weeks = alone(chosen.rounds)
    for kind, each in weeks.items():
        held = "yes" if each >= LEAST else "no"
        print(f"{f'weeks a second, {kind}':32} {each:10.0f}  (at least {LEAST:,}: {held})")
    return int(found["round_trips_per_acting_week"] > LIMIT or min(weeks.values()) < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
