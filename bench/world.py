"""The simulated market's weeks per second, relative to plain work in the same run.

    python -m bench.world

The yardstick is writing and reading the same state as canonical JSON, which is the CPU cost of saving a week. A ratio
holds on any machine; milliseconds do not. The market alone must reach 2,000 weeks per CPU second in its best round, in
each kind of business.
"""

import json
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter, process_time

from bench.measured import Line, exactly
from bench.printed import printed
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.state import MarketState
from mabos.society.simulation.world import step
from tests.society.simulation.policies import nothing, sensible

WEEKS, ROUNDS = 52, 7
LEAST = 2_000
"""Weeks of the market alone that a second of the processor must hold, in each kind of business."""
KINDS = ("saas", "ecommerce", "consulting")
LIMIT = 15
"""A week of the market may cost at most this many JSON round trips of its state."""


def seconds(work: Callable[[], object]) -> float:
    """Return the duration of `work`."""
    began = perf_counter()
    work()
    return perf_counter() - began


def weeks_of(scenario: Scenario, weeks: int, *, acting: bool) -> MarketState:
    """Return the world after some weeks of a sensible policy, or of none."""
    truth, world = scenario.truth("1"), scenario.opening("1")
    for _ in range(weeks):
        world, _ = step(world, truth, sensible(world) if acting else nothing(world), "1")
    return world


def measure(weeks: int, rounds: int) -> dict[str, float]:
    """Return the weeks per second and their cost in round trips, the medians of interleaved rounds."""
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
    """Return the weeks of each market, left to itself, per CPU second in the best round."""
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


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of a market week compared with writing it down, and the weeks per second."""
    found = measure(max(1, WEEKS // scale), ROUNDS if scale == 1 else 1)
    yield Line(
        "a week of the market with a policy that acts",
        exactly(found["round_trips_per_acting_week"]),
        most=LIMIT,
        unit="x",
        beside="a JSON round trip of its state",
        note=f"{found['weeks_per_second_acting']:,.0f} weeks a second",
    )
    idle = exactly(found["round_trips_per_idle_week"])
    yield Line("a week of the market left to itself", idle, unit="x", beside="a JSON round trip of its state")
    for kind, each in alone(ROUNDS if scale == 1 else 1).items():
        yield Line(f"weeks of the market alone a second, {kind}", exactly(each), least=LEAST, unit="")


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
