"""Many runs at a time: scenarios x policies x seeds, on as many processes as there are, into one table.

    outcome = batch(["saas"], policies=["bdi", "rules"], seeds=["1000", "1001"], out=Path("batch"), jobs=2)
    outcome.table                        # batch/batch.md; every run lies in batch/<scenario>/<policy>/<seed>

What is written does not depend on the number of processes. A batch that was cut short goes on where each run stood.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from graphs.simulate import checked, simulate
from society.simulation.comparison import Result, comparison_markdown, runs_csv, summaries
from society.simulation.scenario import Scenario
from society.simulation.scenario_files import load_scenario
from workspace.atomic import write_atomic


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What a batch came to, run by run in the order of scenario, policy and seed, and where its files are."""

    results: tuple[Result, ...]
    directory: Path

    @property
    def table(self) -> Path:
        """The comparison in Markdown."""
        return self.directory / "batch.md"

    @property
    def runs(self) -> Path:
        """One line a run, as CSV."""
        return self.directory / "batch.csv"

    def as_json(self) -> dict[str, Any]:
        """Return the runs, the summary of each scenario and policy, and the files, as JSON."""
        return {
            "runs": [asdict(one) for one in self.results],
            "summary": [asdict(one) for one in summaries(self.results)],
            "directory": str(self.directory),
            "files": [str(self.table), str(self.runs)],
        }


@dataclass(frozen=True, slots=True)
class _Order:
    scenario: Scenario
    policy: str
    seed: str
    weeks: int | None
    out: Path


def batch(
    scenarios: Sequence[str | Path],
    *,
    policies: Sequence[str],
    seeds: Sequence[str],
    out: Path,
    weeks: int | None = None,
    jobs: int = 1,
    on_result: Callable[[Result, int], None] | None = None,
) -> BatchOutcome:
    """Run everything and return what it came to; `on_result` hears of each run that is over, and how many there are.

    Raises `InvalidArgument` before anything runs where a scenario or a policy is not known.
    """
    chosen = [load_scenario(one) for one in scenarios]
    named = [checked(policy) for policy in policies]
    orders = [
        _Order(scenario, policy, seed, weeks, out / scenario.scenario / policy / seed)
        for scenario, policy, seed in product(chosen, named, seeds)
    ]
    found = dict[int, Result]()
    for place, result in _performed(orders, jobs):
        found[place] = result
        if on_result:
            on_result(result, len(orders))
    results = tuple(found[place] for place in range(len(orders)))
    outcome = BatchOutcome(results, out)
    out.mkdir(parents=True, exist_ok=True)
    write_atomic(outcome.runs, runs_csv(results))
    write_atomic(outcome.table, comparison_markdown(results))
    return outcome


def _performed(orders: Sequence[_Order], jobs: int) -> Iterator[tuple[int, Result]]:
    if jobs == 1:
        yield from ((place, _run(order)) for place, order in enumerate(orders))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        going = {pool.submit(_run, order): place for place, order in enumerate(orders)}
        for one in as_completed(going):
            yield going[one], one.result()


def _run(order: _Order) -> Result:
    outcome = simulate(
        order.scenario, out=order.out, weeks=order.weeks, seed=order.seed, policy=order.policy, threads=1
    )
    terms = (outcome.scenario, outcome.policy, outcome.seed, outcome.weeks)
    return Result(*terms, outcome.score, outcome.is_bankrupt, outcome.kpis)
