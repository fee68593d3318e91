"""What coordination, learning, reconsideration and governance are worth to the agents: each taken out, same luck.

    python -m bench.ablations                        # three report seeds of every scenario
    python -m bench.ablations --seeds 5 --scenario saas-price-war

A run without a part is paired with the whole one of the same scenario and seed. What a part is worth is the median of
what taking it out costs, as a share of the whole run's score, with the 95 % interval of a percentile bootstrap over the
pairs; an interval that holds 0 says that nothing was shown. Runs are kept by the state of the code, with those of
`bench.company`.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from bench.company import audits
from bench.measured import Line, exactly
from bench.printed import shown
from bench.runs import parser, seeds, stand, telling
from mabos.graphs.batch import batch
from mabos.society.simulation.comparison import RunResult, estimated
from mabos.society.simulation.contender import PARTS, PolicyVariant

WHOLE, SEEDS = "bdi", 3


def shares(results: Sequence[RunResult], part: str) -> dict[str, list[float]]:
    """Return by scenario what each pair loses without a part, as a share of the whole run's score."""
    whole = {(one.scenario, one.seed): one for one in results if one.policy == WHOLE}
    label, found = PolicyVariant.of(WHOLE, [part]).label, dict[str, list[float]]()
    for one in results:
        if one.policy == label:
            full = whole[one.scenario, one.seed].score
            found.setdefault(one.scenario, []).append((full - one.score) / max(abs(full), abs(one.score), 1.0))
    return found


def line(part: str, pairs: Sequence[float]) -> Line:
    """Return what a part is worth over some pairs."""
    worth = estimated(pairs, median)
    better = fmean(1.0 if one > 0 else 0.5 if one == 0 else 0.0 for one in pairs)
    shown_ = "shown" if worth.low > 0 or worth.high < 0 else "nothing shown"
    note = f"95 %: {worth.low:+.1%} to {worth.high:+.1%}, {shown_}; better in {better:.0%} of {len(pairs)} pairs"
    note += f", the same in {sum(one == 0 for one in pairs)}"
    return Line(f"worth of {part}, of the whole run's score", exactly(100 * worth.value), unit="%", note=note)


def by_name(results: Sequence[RunResult], part: str, bankrupt: int, breaches: int) -> Iterator[Line]:
    """Yield what a part is worth in each scenario, and how the runs without it ended."""
    yield Line(f"bankruptcies without {part}", exactly(bankrupt), unit="", note=f"{breaches} breaches")
    for scenario, pairs in shares(results, part).items():
        note = ", ".join(f"{one:+.1%}" for one in pairs)
        yield Line(f"worth of {part} in {scenario}", exactly(100 * median(pairs)), unit="%", note=note)


def lines(scale: int, chosen: Namespace | None = None) -> Iterator[Line]:
    """Yield what every part is worth, over all scenarios and in each; what is not on disk yet is played."""
    chosen = chosen or parser(__doc__, seeds=SEEDS).parse_args([])
    out = chosen.out / f"company-{stand()}"
    print(f"runs are kept in {out}")
    labels = {part: PolicyVariant.of(WHOLE, [part]).label for part in PARTS}
    outcome = batch(
        chosen.scenario or chosen.scenarios,
        policies=[WHOLE, *labels.values()],
        seeds=seeds(max(1, chosen.seeds // scale)),
        out=out,
        jobs=chosen.jobs,
        on_result=telling(),
    )
    results = outcome.results
    for part in PARTS:
        yield line(part, [one for pairs in shares(results, part).values() for one in pairs])
    for part, label in labels.items():
        runs = [one for one in results if one.policy == label]
        breaches = sum(len(one["breaches"]) for one in audits(runs, out))
        yield from by_name(results, part, sum(one.bankrupt for one in runs), breaches)


def main() -> int:
    """Play what is not on disk yet, and print the table."""
    chosen = parser(__doc__, seeds=SEEDS).parse_args()
    return shown(lines(chosen.scale, chosen), as_json=chosen.json)


if __name__ == "__main__":
    raise SystemExit(main())
