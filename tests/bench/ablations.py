"""What coordination, learning, reconsideration and governance are worth to the agents: each taken out, same luck.

    python -m tests.bench.ablations                        # three report seeds of every scenario
    python -m tests.bench.ablations --seeds 5 --scenario saas-price-war

A run without a part is paired with the whole one of the same scenario and seed. What a part is worth is the median of
what taking it out costs, as a share of the whole run's score, with the 95 % interval of a percentile bootstrap over the
pairs; an interval that holds 0 says that nothing was shown. Runs are kept by the state of the code, with those of
`tests.bench.company`.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from graphs.batch import batch
from society.simulation.comparison import Result, estimated
from society.simulation.contender import PARTS, Contender
from tests.bench.company import audits
from tests.bench.runs import parser, seeds, stand, telling

WHOLE = "bdi"


def shares(results: Sequence[Result], part: str) -> dict[str, list[float]]:
    """Return by scenario what each pair loses without a part, as a share of the whole run's score."""
    whole = {(one.scenario, one.seed): one for one in results if one.policy == WHOLE}
    label, found = Contender.of(WHOLE, [part]).label, dict[str, list[float]]()
    for one in results:
        if one.policy == label:
            full = whole[one.scenario, one.seed].score
            found.setdefault(one.scenario, []).append((full - one.score) / max(abs(full), abs(one.score), 1.0))
    return found


def line(part: str, pairs: Sequence[float]) -> str:
    """Return what a part is worth over some pairs."""
    worth = estimated(pairs, median)
    better = fmean(1.0 if one > 0 else 0.5 if one == 0 else 0.0 for one in pairs)
    shown = "shown" if worth.low > 0 or worth.high < 0 else "not shown"
    bounds = f"{worth.low:>+8.1%} to {worth.high:>+7.1%}"
    same = sum(one == 0 for one in pairs)
    return f"{part:16}{len(pairs):>6}{worth.value:>+9.1%}{bounds:>22}{better:>10.0%}{same:>9}  {shown}"


def told(results: Sequence[Result], counted: Mapping[str, tuple[int, int]]) -> None:
    """Print a table over all scenarios, then one for each part by scenario."""
    print(f"\n{'part':16}{'pairs':>6}{'worth':>9}{'95 %':>22}{'better':>10}{'same':>9}")
    for part in PARTS:
        found = shares(results, part)
        print(line(part, [one for pairs in found.values() for one in pairs]))
    for part in PARTS:
        bankrupt, breaches = counted[part]
        print(f"\nwithout {part}: {bankrupt} bankruptcies, {breaches} things done that needed a person's leave")
        for scenario, pairs in shares(results, part).items():
            print(f"  {scenario:26}{median(pairs):>+8.1%}  ({', '.join(f'{one:+.1%}' for one in pairs)})")


def main() -> int:
    """Play what is not on disk yet, and print the tables."""
    chosen = parser(__doc__, seeds=3).parse_args()
    out = chosen.out / f"company-{stand()}"
    print(f"runs are kept in {out}")
    labels = {part: Contender.of(WHOLE, [part]).label for part in PARTS}
    outcome = batch(
        chosen.scenario or chosen.scenarios,
        policies=[WHOLE, *labels.values()],
        seeds=seeds(chosen.seeds),
        out=out,
        jobs=chosen.jobs,
        on_result=telling(),
    )
    without = {part: [one for one in outcome.results if one.policy == label] for part, label in labels.items()}
    counted = {
        part: (sum(one.bankrupt for one in runs), sum(len(one["breaches"]) for one in audits(runs, out)))
        for part, runs in without.items()
    }
    told(outcome.results, counted)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
