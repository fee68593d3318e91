"""Comparison of runs: a policy's results over many seeds, and how often one policy beats another on equal seeds.

    table = summaries(results)                        # a line for each scenario and policy
    duels(results, "bdi", "rules")                    # a line for each scenario: paired by seed

What is uncertain says so: a win rate and a difference come with the 95 % interval of a percentile bootstrap over
seeds (Efron and Tibshirani, An Introduction to the Bootstrap, 1993), whose draws are the same every time.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, quantiles

from mabos.society.simulation.figures import figure
from mabos.workspace.ids import random_stream

_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run."""

    scenario: str
    policy: str
    seed: str
    weeks: int
    score: float
    bankrupt: bool
    kpis: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """A policy in a scenario over its seeds; scores in the scenario's unit, `bankrupt` a share of 1."""

    scenario: str
    policy: str
    runs: int
    median: float
    low: float
    """The tenth percentile."""
    high: float
    """The ninetieth."""
    bankrupt: float


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Duel:
    """A policy against another on the same seeds: its win rate (a tie is half), and its median gain."""

    scenario: str
    pairs: int
    wins: Interval
    difference: Interval


def summaries(results: Iterable[RunResult]) -> list[PolicySummary]:
    """Return a line for each scenario and policy, in order of first occurrence."""
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for one in results:
        groups.setdefault((one.scenario, one.policy), []).append(one)
    return [_summary(scenario, policy, runs) for (scenario, policy), runs in groups.items()]


def _summary(scenario: str, policy: str, runs: Sequence[RunResult]) -> PolicySummary:
    scores = [one.score for one in runs]
    tenths = quantiles(scores, n=10, method="inclusive") if len(scores) > 1 else scores * 9
    ended = fmean(one.bankrupt for one in runs)
    return PolicySummary(scenario, policy, len(runs), median(scores), tenths[0], tenths[-1], ended)


def duels(results: Iterable[RunResult], challenger: str, champion: str) -> list[Duel]:
    """Return the results of `challenger` against `champion`, by scenario; only seeds that both have played count."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for one in results:
        scores.setdefault(one.scenario, {}).setdefault(one.policy, {})[one.seed] = one.score
    found = []
    for scenario, by_policy in scores.items():
        ours, theirs = by_policy.get(challenger, {}), by_policy.get(champion, {})
        gains = [score - theirs[seed] for seed, score in ours.items() if seed in theirs]
        if gains:
            found.append(_duel(scenario, gains))
    return found


def _duel(scenario: str, gains: Sequence[float]) -> Duel:
    def compute_win_rate(sample: Sequence[float]) -> float:
        return fmean(1.0 if gain > 0 else 0.5 if gain == 0 else 0.0 for gain in sample)

    return Duel(scenario, len(gains), estimate_interval(gains, compute_win_rate), estimate_interval(gains, median))


def estimate_interval(sample: Sequence[float], statistic: Callable[[Sequence[float]], float]) -> Interval:
    """Return a statistic of a sample with its 95 % interval."""
    luck = random_stream("bootstrap", len(sample))
    drawn = sorted(statistic(luck.choices(sample, k=len(sample))) for _ in range(_DRAWS))
    return Interval(statistic(sample), drawn[round(0.025 * _DRAWS)], drawn[round(0.975 * _DRAWS) - 1])


def runs_csv(results: Sequence[RunResult]) -> str:
    """Return a line for each run, with its last figures; empty if nothing was measured."""
    names = sorted({name for one in results for name in one.kpis})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["scenario", "policy", "seed", "weeks", "score", "bankrupt", *names])
    for one in results:
        figures = ("" if name not in one.kpis else f"{one.kpis[name]:.10g}" for name in names)
        terms = (one.scenario, one.policy, one.seed, one.weeks, f"{one.score:.2f}", int(one.bankrupt))
        writer.writerow([*terms, *figures])
    return out.getvalue()


def comparison_markdown(results: Sequence[RunResult], champion: str = "rules") -> str:
    """Return the tables for people: every policy by scenario, then each against `champion` on the same seeds."""
    money = figure("cash").written
    lines = ["# Policies compared", "", "| Scenario | Policy | Runs | Median | 10 % | 90 % | Bankrupt |"]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for one in summaries(results):
        scores = " | ".join(money(value) for value in (one.median, one.low, one.high))
        lines.append(f"| {one.scenario} | {one.policy} | {one.runs} | {scores} | {one.bankrupt:.0%} |")
    for challenger in dict.fromkeys(one.policy for one in results if one.policy != champion):
        found = duels(results, challenger, champion)
        if not found:
            continue
        lines += ["", f"## {challenger} against {champion}, on the same seeds", ""]
        lines += ["| Scenario | Pairs | Wins (95 %) | Median difference (95 %) |", "| --- | ---: | ---: | ---: |"]
        lines += [_row(duel, money) for duel in found]
    return "\n".join(lines) + "\n"


def _row(duel: Duel, money: Callable[[float], str]) -> str:
    wins, gain = duel.wins, duel.difference
    told = f"{wins.value:.0%} ({wins.low:.0%} to {wins.high:.0%})"
    return (
        f"| {duel.scenario} | {duel.pairs} | {told} | {money(gain.value)} ({money(gain.low)} to {money(gain.high)}) |"
    )
