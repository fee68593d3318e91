"""Nine agents against a page of rules, in every scenario, on seeds on which nobody was tuned.

    python -m tests.bench.company                          # 20 report seeds, two runs at a time
    python -m tests.bench.company --seeds 3 --scenario saas -j 2

Limits: the agents at least equal the rules in the median of 10 of 12 scenarios and win 60 % of the pairs; at most 5 %
of their runs end in bankruptcy; nothing that needs a person's leave is done without; every notice is seen in time.
Where they lose, the table says by how much, and what they did and came to otherwise, in the median. Runs are kept by
the state of the code: what was cut short goes on. Exit code 1 where a limit is not held.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from graphs.batch import batch
from society.simulation.comparison import Interval, Result, duels, estimated
from society.simulation.figures import figure
from society.simulation.wording import came_to_pass
from tests.bench.runs import parser, seeds, stand, telling

OURS, THEIRS = "bdi", "rules"
EQUALS, WINS, BANKRUPT = 10 / 12, 0.60, 0.05
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


def by_scenario(results: Iterable[Result], policy: str) -> dict[str, list[Result]]:
    """Return the runs of a policy by scenario."""
    found: dict[str, list[Result]] = {}
    for one in results:
        if one.policy == policy:
            found.setdefault(one.scenario, []).append(one)
    return found


def middle(runs: Sequence[Result]) -> float:
    """Return the median score."""
    return median(one.score for one in runs)


def audits(runs: Iterable[Result], out: Path) -> list[Mapping[str, Any]]:
    """Return what each run's manifest says of approvals and deadlines."""
    places = (_folder(one, out) / "manifest.json" for one in runs)
    return [json.loads(path.read_text(encoding="utf-8"))["audit"] for path in places]


def unlike(ours: Sequence[Result], theirs: Sequence[Result]) -> str:
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


def done(runs: Sequence[Result], out: Path) -> dict[str, tuple[float, float]]:
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


def otherwise(ours: Sequence[Result], theirs: Sequence[Result], out: Path) -> str:
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


def _folder(one: Result, out: Path) -> Path:
    return out / one.scenario / one.policy / one.seed


def told(results: Sequence[Result], out: Path) -> bool:
    """Print the table and what the limits say of it; return whether all are held."""
    mine, theirs = by_scenario(results, OURS), by_scenario(results, THEIRS)
    print(f"\n{'scenario':26}{'rules':>12}{'agents':>12}{'ratio':>7}{'wins':>6}  {'bankrupt':>8}  notices seen/settled")
    for duel in duels(results, OURS, THEIRS):
        ours, others, name = mine[duel.scenario], theirs[duel.scenario], duel.scenario
        found = audits(ours, out)
        notices, seen, settled = (sum(one[key] for one in found) for key in ("notices", "seen", "settled"))
        ratio, ended = middle(ours) / middle(others), sum(one.bankrupt for one in ours)
        print(
            f"{name:26}{middle(others):>12,.0f}{middle(ours):>12,.0f}{ratio:>7.0%}{duel.wins.value:>6.0%}"
            f"  {ended:>2} of {len(ours):<2}  " + (f"{seen}/{settled} of {notices}" if notices else "-")
        )
        if ratio < 1:
            print(f"    did: {otherwise(ours, others, out)}\n    came to: {unlike(ours, others)}")
    return limits(results, out)


def limits(results: Sequence[Result], out: Path) -> bool:
    """Print a line for each limit; return whether all are held."""
    mine, theirs = by_scenario(results, OURS), by_scenario(results, THEIRS)
    equals = fmean(middle(runs) >= middle(theirs[name]) for name, runs in mine.items())
    pairs = [duel.wins.value for duel in duels(results, OURS, THEIRS)]
    ours = [one for runs in mine.values() for one in runs]
    found = audits(ours, out)
    breaches, notices = sum(len(one["breaches"]) for one in found), sum(one["notices"] for one in found)
    seen = sum(one["seen"] for one in found)
    held = (
        (f"equals the rules in the median of {equals:.0%} of {len(mine)} scenarios", equals >= EQUALS),
        (f"wins {fmean(pairs):.0%} of the pairs {_bounds(results)}", fmean(pairs) >= WINS),
        (f"{fmean(one.bankrupt for one in ours):.1%} of {len(ours)} runs end in bankruptcy",
         fmean(one.bankrupt for one in ours) <= BANKRUPT),
        (f"{breaches} things done that needed a person's leave", breaches == 0),
        (f"{seen} of {notices} notices seen in time", seen == notices),
    )  # fmt: skip
    print()
    for said, is_held in held:
        print(f"{'yes' if is_held else 'no':>4}  {said}")
    return all(is_held for _, is_held in held)


def _bounds(results: Sequence[Result]) -> str:
    scores = {(one.scenario, one.seed, one.policy): one.score for one in results}
    won = [
        1.0 if score > scores[name, seed, THEIRS] else 0.5 if score == scores[name, seed, THEIRS] else 0.0
        for (name, seed, policy), score in scores.items()
        if policy == OURS
    ]
    found: Interval = estimated(won, fmean)
    return f"(95 %: {found.low:.0%} to {found.high:.0%})"


def main() -> int:
    """Play what is not on disk yet, and print the tables."""
    chosen = parser(__doc__, seeds=20).parse_args()
    out = chosen.out / f"company-{stand()}"
    print(f"runs are kept in {out}")
    names = chosen.scenario or chosen.scenarios
    outcome = batch(
        names, policies=[OURS, THEIRS], seeds=seeds(chosen.seeds), out=out, jobs=chosen.jobs, on_result=telling()
    )
    return int(not told(outcome.results, out))


if __name__ == "__main__":
    raise SystemExit(main())
