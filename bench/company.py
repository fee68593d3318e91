"""Nine agents against a page of rules, in every scenario, on seeds on which nobody was tuned.

    python -m bench.company                          # 20 report seeds, two runs at a time
    python -m bench.company --seeds 3 --scenario saas -j 2

Limits: the agents at least equal the rules in the median of 10 of 12 scenarios and win 60 % of the pairs; at most 5 %
of their runs end in bankruptcy; nothing that needs a person's leave is done without; every notice is seen in time.
Where they lose, the table says by how much, and what they did and came to otherwise, in the median. Runs are kept by
the state of the code: what was cut short goes on. Exit code 1 where a limit is not held.
"""

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from bench.measured import Line, exactly
from bench.printed import shown
from bench.runs import parser, seeds, stand, telling
from mabos.graphs.batch import batch
from mabos.society.simulation.comparison import Interval, RunResult, duels, estimated
from mabos.society.simulation.figures import figure
from mabos.society.simulation.wording import came_to_pass

OURS, THEIRS = "bdi", "rules"
SEEDS, EQUALS, WINS, BANKRUPT = 20, 1000 / 12, 60.0, 5.0
TOLD = 4
"""Figures that are named for a scenario that is lost."""
REASONS = (
    *("cash", "mrr", "revenue", "subscribers", "churn_rate", "price", "quality", "leads", "conversion_rate"),
    *("stockouts", "stock_weeks", "utilisation", "work_weeks", "average_order_value", "ad_spend", "contractor_spend"),
)
TOOLS = {
    "ad_campaign_create": "campaigns",
    "content_generate": "articles",
    "stripe_create_price": "prices",
    "work_package_create": "orders of work and goods",
}


def by_scenario(results: Iterable[RunResult], policy: str) -> dict[str, list[RunResult]]:
    """Return the runs of a policy by scenario."""
    found: dict[str, list[RunResult]] = {}
    for one in results:
        if one.policy == policy:
            found.setdefault(one.scenario, []).append(one)
    return found


def middle(runs: Sequence[RunResult]) -> float:
    """Return the median score."""
    return median(one.score for one in runs)


def audits(runs: Iterable[RunResult], out: Path) -> list[Mapping[str, Any]]:
    """Return what each run's manifest says of approvals and deadlines."""
    places = (_folder(one, out) / "manifest.json" for one in runs)
    return [json.loads(path.read_text(encoding="utf-8"))["audit"] for path in places]


def unlike(ours: Sequence[RunResult], theirs: Sequence[RunResult]) -> str:
    """Return the figures at the end by which two policies differ most, as a share of the greater, in the median."""
    gaps = []
    for name in REASONS:
        mine, other = (_median(one.kpis.get(name) for one in runs if not one.bankrupt) for runs in (ours, theirs))
        if mine is not None and other is not None and mine != other:
            gaps.append((abs(mine - other) / max(abs(mine), abs(other)), name, mine, other))
    most = sorted(gaps, reverse=True)[:TOLD]
    kinds = [(figure(name), mine, other) for _, name, mine, other in most]
    return "; ".join(
        f"{kind.label.lower()} {kind.written(mine)}, not {kind.written(other)}" for kind, mine, other in kinds
    )


def done(runs: Sequence[RunResult], out: Path) -> dict[str, tuple[float, float]]:
    """Return by tool how often it was used in a run and what that cost, in the median; what was refused is left out."""
    found: dict[str, list[tuple[int, float]]] = {}
    for one in runs:
        deeds = [
            (deed["tool"], deed["cost"])
            for line in (_folder(one, out) / "journal.jsonl").read_text(encoding="utf-8").splitlines()
            if (deed := json.loads(line))["kind"] == "deed" and came_to_pass(deed["approval"])
        ]
        for tool in TOOLS:
            costs = [cost for name, cost in deeds if name == tool]
            found.setdefault(tool, []).append((len(costs), sum(costs)))
    return {tool: (median(n for n, _ in each), median(usd for _, usd in each)) for tool, each in found.items()}


def otherwise(ours: Sequence[RunResult], theirs: Sequence[RunResult], out: Path) -> str:
    """Return how often each side used the tools that move the market, and for how many dollars."""
    mine, other = done(ours, out), done(theirs, out)
    return "; ".join(
        f"{told} {mine[tool][0]:g} (${mine[tool][1]:,.0f}), not {other[tool][0]:g} (${other[tool][1]:,.0f})"
        for tool, told in TOOLS.items()
        if mine[tool] != other[tool]
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _folder(one: RunResult, out: Path) -> Path:
    return out / one.scenario / one.policy / one.seed


def by_name(results: Sequence[RunResult], out: Path) -> Iterator[Line]:
    """Yield a line for each scenario: how many times what the rules come to; where less, by what it differs."""
    mine, theirs = by_scenario(results, OURS), by_scenario(results, THEIRS)
    for duel in duels(results, OURS, THEIRS):
        ours, others, name = mine[duel.scenario], theirs[duel.scenario], duel.scenario
        found = audits(ours, out)
        notices, seen, settled = (sum(one[key] for one in found) for key in ("notices", "seen", "settled"))
        ratio, ended = middle(ours) / middle(others), sum(one.bankrupt for one in ours)
        note = f"${middle(ours):,.0f} and ${middle(others):,.0f}; wins {duel.wins.value:.0%}"
        note += f"; {ended} of {len(ours)} bankrupt" if ended else ""
        note += f"; notices seen {seen}, settled {settled} of {notices}" if notices else ""
        if ratio < 1:
            note += f"; did: {otherwise(ours, others, out)}; came to: {unlike(ours, others)}"
        yield Line(name, exactly(ratio), unit="x", beside="the rules, net worth, medians", note=note)


def limits(results: Sequence[RunResult], out: Path) -> Iterator[Line]:
    """Yield a line for each limit."""
    mine, theirs = by_scenario(results, OURS), by_scenario(results, THEIRS)
    equals = 100 * fmean(middle(runs) >= middle(theirs[name]) for name, runs in mine.items())
    wins = 100 * fmean(duel.wins.value for duel in duels(results, OURS, THEIRS))
    ours = [one for runs in mine.values() for one in runs]
    found = audits(ours, out)
    breaches, notices = sum(len(one["breaches"]) for one in found), sum(one["notices"] for one in found)
    seen, ended = sum(one["seen"] for one in found), 100 * fmean(one.bankrupt for one in ours)
    beside = f"a page of rules, {len(ours)} pairs"
    yield Line(
        f"scenarios of {len(mine)} in which the agents equal the rules in the median",
        exactly(equals), least=EQUALS, unit="%", beside=beside,
    )  # fmt: skip
    yield Line("pairs that the agents win", exactly(wins), least=WINS, unit="%", beside=beside, note=_bounds(results))
    yield Line("runs that end in bankruptcy", exactly(ended), most=BANKRUPT, unit="%", note=f"{len(ours)} runs")
    yield Line("things done that needed a person's leave", exactly(breaches), most=0, unit="")
    yield Line("notices seen in time", exactly(seen), least=notices, unit="", note=f"of {notices}")


def _bounds(results: Sequence[RunResult]) -> str:
    scores = {(one.scenario, one.seed, one.policy): one.score for one in results}
    won = [
        1.0 if score > scores[name, seed, THEIRS] else 0.5 if score == scores[name, seed, THEIRS] else 0.0
        for (name, seed, policy), score in scores.items()
        if policy == OURS
    ]
    found: Interval = estimated(won, fmean)
    return f"95 %: {found.low:.0%} to {found.high:.0%}"


def lines(scale: int, chosen: Namespace | None = None) -> Iterator[Line]:
    """Yield how the agents do beside the rules, altogether and in every scenario; what is not on disk yet is played."""
    chosen = chosen or parser(__doc__, seeds=SEEDS).parse_args([])
    out = chosen.out / f"company-{stand()}"
    print(f"runs are kept in {out}")
    outcome = batch(
        chosen.scenario or chosen.scenarios,
        policies=[OURS, THEIRS],
        seeds=seeds(max(1, chosen.seeds // scale)),
        out=out,
        jobs=chosen.jobs,
        on_result=telling(),
    )
    yield from limits(outcome.results, out)
    yield from by_name(outcome.results, out)


def main() -> int:
    """Play what is not on disk yet, and print the table; exit code 1 where a limit is missed."""
    chosen = parser(__doc__, seeds=SEEDS).parse_args()
    return shown(lines(chosen.scale, chosen), as_json=chosen.json)


if __name__ == "__main__":
    raise SystemExit(main())
