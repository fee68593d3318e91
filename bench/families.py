"""Benchmark of policies in randomly drawn, unseen markets: the share of the possible gain that each achieves.

    python -m bench.families                      # 8 families x 20 draws, every policy, 95 % intervals
    python -m bench.families --draws 3 --family pricing --policy bdi -j 2
    python -m bench.families --policy bdi --policy bdi-without-learning --policy bdi-x0.5 --seeds 1
    python -m bench.families --search 5           # the constants that ship, searched on draws 0 to 4

`bdi-without-learning` and `bdi-without-coordination` take a part out of the agents, `bdi-x0.5` and `bdi-x2` multiply
what they believe before the first week (`effects` in the settings).

Headroom is what the best of some 100 constant policies comes to, searched with the market known on luck of its own,
less what doing nothing comes to; a policy's share of it may exceed 1, since constants cannot adapt. Searches are kept
in `build/families`, by the market's hash.
"""

import hashlib
import inspect
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median, quantiles
from tempfile import TemporaryDirectory

from bench.market import played
from mabos.configs.settings import load_settings
from mabos.graphs.simulate import simulate
from mabos.graphs.wiring import hold_services
from mabos.society.campaigns import CHANNELS
from mabos.society.simulation import baselines
from mabos.society.simulation.baselines import SCRIPTS, ConstantNumbers, constant
from mabos.society.simulation.comparison import estimate_interval
from mabos.society.simulation.contender import PolicyVariant
from mabos.society.simulation.families import family_names
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import drawn_scenario
from mabos.workspace.clock import parse_time

TRIES, KEPT = 100, 14
LEAST_ROOM = 10_000
"""Dollars of headroom below which a market says nothing."""
FIRST_DRAW = 1000
"""Draws from here on are for reports; those below are for whoever improves a policy."""
SEARCHED_ON = ("901", "902", "903")
PLAYED_ON = ("1", "2")
KEEP = Path(__file__).resolve().parents[1] / "build" / "families"

DEAD, NOTICED = 0.1, 4
"""A channel is dead that brings less than this share of before; within so many weeks agents should have noticed."""
AGENTS = "bdi"
VARIANTS = (AGENTS, "bdi-without-learning", "bdi-without-coordination", "bdi-x0.5", "bdi-x2")
PLAYED = ("nothing", "rules", "constant", "bandit", "price-learner")


@dataclass(frozen=True, slots=True)
class MarketResult:
    """Mean result of each policy in one market, in dollars, and the best constant policy."""

    family: str
    draw: int
    best: float
    scores: Mapping[str, float]
    wasted: tuple[float, float] | None = None
    """Dollars of advertising from four weeks after a channel died: for it, and in all; None where none died."""

    @property
    def nothing(self) -> float:
        """The result of doing nothing."""
        return self.scores["nothing"]

    def share(self, policy: str) -> float | None:
        """Return a policy's share of the headroom; None if there is no headroom."""
        room = self.best - self.nothing
        return (self.scores[policy] - self.nothing) / room if room > LEAST_ROOM else None


def candidates() -> list[ConstantNumbers]:
    """Return the constant policies to try."""
    luck, found = Random(11), [ConstantNumbers()]
    while len(found) < TRIES:
        some = luck.choice([CHANNELS, CHANNELS, *(tuple(luck.sample(CHANNELS, n)) for n in (1, 2, 3))])
        found.append(
            ConstantNumbers(
                price=luck.choice([0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5, 1.8, 2.3, 3.0]),
                weekly_usd=luck.choice([0.0, 60.0, 150.0, 300.0, 500.0, 800.0, 1300.0]),
                channels=some,
                segments=luck.choice([0, 0, 1, 2, -1, -2]),
                product_every=luck.choice([0, 5, 9, 13]),
                content_every=luck.choice([0, 1, 2]),
                hands_above=luck.choice([3.0, 4.0, 6.0]),
            )
        )
    return found


def best_constant(scenario: Scenario) -> ConstantNumbers:
    """Return the best constant policy for one market: all candidates are tried with one seed, the best with three."""
    kept = KEEP / f"{_stand(scenario)}.json"
    if kept.exists():
        content = json.loads(kept.read_text(encoding="utf-8"))
        return ConstantNumbers(**content | {"channels": tuple(content["channels"])})
    first = [(played(scenario, constant(one), seed=SEARCHED_ON[0]).score, n, one) for n, one in enumerate(candidates())]
    better = sorted(first, key=lambda each: (-each[0], each[1]))[:KEPT]
    scored = [
        (fmean([score, *(played(scenario, constant(one), seed=seed).score for seed in SEARCHED_ON[1:])]), -n, one)
        for score, n, one in better
    ]
    best = max(scored, key=lambda each: each[:2])[2]
    KEEP.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(asdict(best)), encoding="utf-8")
    return best


def _stand(scenario: Scenario) -> str:
    said = scenario.digest() + inspect.getsource(baselines) + inspect.getsource(candidates)
    return f"{scenario.scenario}-{hashlib.sha256(said.encode()).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class Place:
    """A market to play, with its policies and seeds."""

    family: str
    draw: int
    policies: tuple[str, ...]
    seeds: int


def measured(where: Place) -> MarketResult:
    """Play one market with every policy."""
    scenario, seeds = drawn_scenario(where.family, where.draw), PLAYED_ON[: where.seeds]
    numbers = best_constant(scenario)
    best = fmean(played(scenario, constant(numbers), seed=seed).score for seed in seeds)
    runs = {one: [_run(scenario, one, seed) for seed in seeds] for one in where.policies}
    scores = {one: fmean(score for score, _ in ran) for one, ran in runs.items()}
    wasted = [spent for _, spent in runs.get(AGENTS, ()) if spent is not None]
    both = (fmean(dead for dead, _ in wasted), fmean(whole for _, whole in wasted)) if wasted else None
    return MarketResult(where.family, where.draw, best, scores, both)


def _run(scenario: Scenario, policy: str, seed: str) -> tuple[float, tuple[float, float] | None]:
    """Return what a policy comes to, and what agents spent on dead channels: scripts play in memory, agents on disk."""
    if policy not in VARIANTS:
        return played(scenario, SCRIPTS[policy], seed=seed).score, None
    name, _, factor = policy.partition("-x")
    who = PolicyVariant.parsed(name)
    with TemporaryDirectory() as out:
        root = Path(out) / "workspace"
        root.mkdir()
        if factor:
            usual = load_settings().effects.model_dump()
            scaled = {key: min(1.0, value * float(factor)) if key == "budget_share" else value * float(factor)
                      for key, value in usual.items()}  # fmt: skip
            (root / "mabos.yaml").write_text(json.dumps({"effects": scaled}), encoding="utf-8")
        terms = {"seed": seed, "policy": who.policy, "without": who.without}
        score = simulate(scenario, out=Path(out), threads=1, **terms).score  # type: ignore[arg-type]  # of three kinds
        return score, spent_on_dead(scenario, root)


def spent_on_dead(scenario: Scenario, workspace: Path) -> tuple[float, float] | None:
    """Return the dollars spent on dead channels, and on all, from `NOTICED` weeks after the first channel died."""
    died: dict[str, int] = {}
    for event in scenario.events:
        if event.kind == "channel_change" and event.size < DEAD:
            died.setdefault(event.channel, event.week)
    if not died:
        return None
    with hold_services(workspace) as services:
        business = services.business()
        begun = parse_time(business.metrics.series("cash")[0].at)
        spent = [(one.channel, (parse_time(one.created_at) - begun).days // 7, one.spent_usd)
                 for one in business.campaigns.all()]  # fmt: skip
    late = min(died.values()) + NOTICED
    dead = sum(usd for channel, week, usd in spent if week >= died.get(channel, 9_999) + NOTICED)
    return dead, sum(usd for _, week, usd in spent if week >= late)


def searched(draws: int) -> ConstantNumbers:
    """Return the constants with the highest mean share of headroom over the first draws of all families."""
    found: dict[ConstantNumbers, list[float]] = {one: [] for one in candidates()}
    for name in family_names():
        for draw in range(draws):
            scenario = drawn_scenario(name, draw)
            scores = {one: played(scenario, constant(one), seed=SEARCHED_ON[0]).score for one in found}
            nothing = played(scenario, SCRIPTS["nothing"], seed=SEARCHED_ON[0]).score
            room = max(scores.values()) - nothing
            for one, score in scores.items() if room > LEAST_ROOM else ():
                found[one].append((score - nothing) / room)
    return max(found, key=lambda one: fmean(found[one]))


def table(results: Sequence[MarketResult], policies: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the tables: shares of headroom by policy, and medians by family."""
    heads = ("median", "95 %", "tenth pct", "worst", "families > 5 % below nothing")
    yield f"{'share of headroom':18} {heads[0]:>7} {heads[1]:>15} {heads[2]:>10} {heads[3]:>7} {heads[4]:>29}"
    for policy in policies:
        shares = [share for one in results if (share := one.share(policy)) is not None]
        middle = estimate_interval(shares, median)
        below = [
            name
            for name in family_names()
            if (mine := [one for one in results if one.family == name])
            and median(one.scores[policy] for one in mine) < 0.95 * median(one.nothing for one in mine)
        ]
        tenth = quantiles(shares, n=10)[0] if len(shares) > 1 else shares[0]
        said, least, names = f"[{middle.low:.0%}, {middle.high:.0%}]", min(shares), ", ".join(below) or "none"
        yield f"{policy:18} {middle.value:7.0%} {said:>15} {tenth:10.0%} {least:7.0%} {names:>29}"
    yield ""
    yield f"{'median, k$':12} {'best const.':>12} " + " ".join(f"{one:>13}" for one in policies)
    for name in dict.fromkeys(one.family for one in results):
        mine = [one for one in results if one.family == name]
        told = " ".join(f"{median(one.scores[policy] for one in mine) / 1000:13.0f}" for policy in policies)
        yield f"{name:12} {median(one.best for one in mine) / 1000:12.0f} {told}"


def changes(results: Sequence[MarketResult], policies: Sequence[str]) -> Iterator[str]:
    """Yield the cost of each variant of the agents, as a share of the full agents' result."""
    for policy in (one for one in policies if one in VARIANTS[1:] and AGENTS in policies):
        pairs = [(one.scores[AGENTS], one.scores[policy]) for one in results if one.scores[AGENTS] > 0]
        middle, mean = (estimate_interval([1 - other / whole for whole, other in pairs], by) for by in (median, fmean))
        said = f"costs {middle.value:.1%} [{middle.low:.1%}, {middle.high:.1%}] in the median"
        yield f"{policy}: {said}, {mean.value:.1%} [{mean.low:.1%}, {mean.high:.1%}] on average"


def waste(results: Sequence[MarketResult]) -> Iterator[str]:
    """Yield the share of advertising that agents still spend on channels four weeks after their end."""
    known = [one.wasted for one in results if one.wasted is not None and one.wasted[1]]
    if known:
        dead, whole = (sum(column) for column in zip(*known, strict=True))
        said = f"{dead / whole:.1%} of advertising went to channels dead for {NOTICED} weeks"
        yield f"{said}, at most {max(mine / all_ for mine, all_ in known):.1%} ({len(known)} markets)"


def chosen() -> Namespace:
    """Parse the command line."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--first", type=int, default=FIRST_DRAW, help="The number of the first draw.")
    parser.add_argument("--family", action="append", choices=family_names())
    parser.add_argument("--policy", action="append", choices=(*PLAYED, *VARIANTS), help="Agents play where named.")
    parser.add_argument("--seeds", type=int, default=len(PLAYED_ON), choices=range(1, len(PLAYED_ON) + 1))
    parser.add_argument("--search", type=int, metavar="DRAWS", help="Search the shipped constants on the first draws.")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    return parser.parse_args()


def main() -> int:
    """Play the markets and print the results."""
    terms = chosen()
    if terms.search:
        print(searched(terms.search))
        return 0
    policies = tuple(dict.fromkeys(["nothing", *(terms.policy or PLAYED)]))
    draws = range(terms.first, terms.first + terms.draws)
    places = [Place(name, draw, policies, terms.seeds) for name in terms.family or family_names() for draw in draws]
    with ProcessPoolExecutor(terms.jobs) as pool:
        results = list(pool.map(measured, places))
    print("\n".join([*table(results, policies), *changes(results, policies), *waste(results)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
