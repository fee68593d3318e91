"""The results of scripted policies in every scenario, in memory, and the parameter search for the rules.

    python -m bench.policies                     # the table, over the report seeds
    python -m bench.policies --search 200        # sets of numbers tried on the tuning seeds, the best printed

Tuning seeds are 0 to 9, report seeds 1000 to 1019: parameters found on the former are reported on the latter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from statistics import fmean, median

from bench.market import Played, played
from bench.measured import Line, exactly
from bench.printed import options, shown
from mabos.society.simulation.policies import POLICIES, Policy, RuleNumbers, by_rules
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import load_scenario, scenario_names

TUNING = tuple(str(seed) for seed in range(10))
REPORT = tuple(str(seed) for seed in range(1000, 1020))


def runs(scenario: Scenario, policy: Policy, seeds: Sequence[str]) -> list[Played]:
    """Return the results of a policy with each seed."""
    return [played(scenario, policy, seed=seed) for seed in seeds]


def worth(found: Sequence[Played], yardstick: float) -> float:
    """Return the value of some runs of one scenario: the median as a share of a fixed sum, less for each bankruptcy."""
    return median(one.score for one in found) / yardstick - 2 * fmean(one.world.bankrupt for one in found)


def drawn(luck: Random) -> RuleNumbers:
    """Return a random set of parameters near those in use."""
    now = RuleNumbers()
    return replace(
        now,
        least_runway=luck.choice([3.0, 4.0, 5.0, 6.0, 7.5, 9.0]),
        advertising_share=luck.choice([0.003, 0.006, 0.008, 0.01, 0.014]),
        mark_up=luck.choice([1.04, 1.06, 1.08, 1.1, 1.13]),
        price_every=luck.choice([4, 6, 8, 10]),
        lost_share=luck.choice([0.0, 0.02, 0.03, 0.05, 0.08]),
        quality_goal=luck.choice([0.6, 0.64, 0.68, 0.72]),
        order_usd=luck.choice([2500.0, 3500.0, 4800.0]),
        backlog_limit=luck.choice([30.0, 45.0, 60.0, 80.0]),
        stock_weeks=luck.choice([6.0, 7.0, 8.0, 10.0, 12.0]),
        order_weeks=luck.choice([1.0, 2.0, 3.0]),
        supply_usd=luck.choice([8_000.0, 14_000.0, 19_000.0, 40_000.0]),
        work_weeks=luck.choice([4.0, 5.0, 7.0]),
    )


def search(tries: int) -> RuleNumbers:
    """Return the best of some parameter sets over all scenarios, on the tuning seeds."""
    scenarios = [load_scenario(name) for name in scenario_names()]
    luck, best, most = Random(7), RuleNumbers(), float("-inf")
    for number in range(tries):
        terms = RuleNumbers() if number == 0 else drawn(luck)
        policy = partial(by_rules, terms=terms)
        value = fmean(worth(runs(one, policy, TUNING), one.start.cash) for one in scenarios)
        if value > most:
            best, most = terms, value
            print(f"try {number}: {value:.3f} {terms}", flush=True)
    return best


def lines(scale: int) -> Iterator[Line]:
    """Yield each policy's results in every scenario; good rules must be solvent everywhere."""
    report = REPORT[: max(1, len(REPORT) // scale)]
    for name in scenario_names() if scale == 1 else scenario_names()[:1]:
        scenario = load_scenario(name)
        for policy, act in POLICIES.items():
            found = runs(scenario, act, report)
            ended = sum(one.world.bankrupt for one in found)
            said = f"{ended} of {len(found)} bankrupt"
            yield Line(f"{name}: {policy}", exactly(median(one.score for one in found)), unit="USD", note=said)
            if policy == "rules":
                yield Line(
                    f"{name}: bankruptcies of the rules", exactly(ended), most=1, unit="", note=f"{len(found)} runs"
                )


def main() -> int:
    """Print the table, or search; exit code 1 if good rules are not solvent everywhere."""
    parser = options(__doc__)
    parser.add_argument("--search", type=int, default=0, metavar="TRIES")
    chosen = parser.parse_args()
    if chosen.search:
        print(f"best: {search(chosen.search)}")
        return 0
    return shown(lines(chosen.scale), as_json=chosen.json)


if __name__ == "__main__":
    raise SystemExit(main())
