"""Run scenarios × policies × seeds in parallel processes and collect the results in one table.

    outcome = batch(["saas"], policies=["bdi", "rules"], seeds=["1000", "1001"], out=Path("batch"), jobs=2)
    outcome.table                        # batch/batch.md; every run is in batch/<scenario>/<policy>/<seed>

A policy name may disable capabilities, as in `bdi-without-learning`. The output depends neither on the number of
processes nor on the engine. An interrupted batch resumes: finished runs are read. An unfinished run starts again,
because repeating half a week would change its result. A run with a model resumes where it stopped: recorded answers are
not requested and paid for again.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from shutil import rmtree
from typing import Any

from mabos.configs.errors import Damaged, UnknownId
from mabos.configs.models import ModelSettings
from mabos.graphs.engines import Engine, alone, perform_orders
from mabos.graphs.simulate import simulate
from mabos.graphs.underway import Name, follow_runs
from mabos.nodes.company.run import find_run
from mabos.society.simulation.comparison import RunResult, comparison_markdown, runs_csv, summaries
from mabos.society.simulation.contender import WITH_MODEL, PolicyVariant
from mabos.society.simulation.difference import find_finished_run, read_run
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import load_scenario
from mabos.workspace.atomic import write_atomic
from mabos.workspace.names import INTERNAL, Layout


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The results of a batch, by scenario, policy and seed, and the location of its files."""

    results: tuple[RunResult, ...]
    directory: Path

    @property
    def table(self) -> Path:
        """The path of the comparison in Markdown."""
        return self.directory / "batch.md"

    @property
    def runs(self) -> Path:
        """The path of the CSV file, one line per run."""
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
class _RunOrder:
    scenario: Scenario
    contender: PolicyVariant
    seed: str
    weeks: int
    out: Path
    models: ModelSettings | None

    @property
    def name(self) -> Name:
        return self.scenario.scenario, self.contender.label, self.seed


def batch(
    scenarios: Sequence[str | Path],
    *,
    policies: Sequence[str],
    seeds: Sequence[str],
    out: Path,
    weeks: int | None = None,
    models: ModelSettings | None = None,
    jobs: int = 1,
    engine: Engine = "local",
    on_result: Callable[[RunResult, int], None] | None = None,
    on_week: Callable[[Name, int, int], None] | None = None,
) -> BatchOutcome:
    """Run everything and return the results; `on_result` gets each finished run and the total number of runs.

    `on_week` gets a running run, its finished weeks and its total weeks; it is called on another thread. Raises
    `InvalidArgument` before anything runs if a scenario or a policy is unknown, and `Unavailable` if the engine is
    missing.
    """
    chosen = [load_scenario(one) for one in scenarios]
    contenders = [PolicyVariant.parsed(policy) for policy in policies]
    orders = [
        _RunOrder(
            scenario, contender, seed, weeks or scenario.weeks, out / scenario.scenario / contender.label / seed, models
        )
        for scenario, contender, seed in product(chosen, contenders, seeds)
    ]
    found = dict[int, RunResult]()
    with _report_weeks(orders, on_week):
        for place, result in perform_orders(_run, orders, jobs=jobs, engine=engine):
            found[place] = result
            if on_result:
                on_result(result, len(orders))
    results = tuple(found[place] for place in range(len(orders)))
    outcome = BatchOutcome(results, out)
    out.mkdir(parents=True, exist_ok=True)
    write_atomic(outcome.runs, runs_csv(results))
    write_atomic(outcome.table, comparison_markdown(results))
    return outcome


def _report_weeks(
    orders: Sequence[_RunOrder], heard: Callable[[Name, int, int], None] | None
) -> AbstractContextManager[None]:
    """Return a context that reports the weeks of running runs; it does nothing without a listener."""
    if heard is None:
        return nullcontext()
    by_name = {order.name: order for order in orders}
    folders = {name: order.out for name, order in by_name.items()}
    return follow_runs(folders, lambda name, over: heard(name, over, by_name[name].weeks))


def _run(order: _RunOrder) -> RunResult:
    with alone(order.out / "workspace"):
        return _play_run(order)


def _play_run(order: _RunOrder) -> RunResult:
    who = order.contender
    wanted = {"scenario_hash": order.scenario.digest(), "seed": order.seed, "policy": who.policy,
              "without": list(who.without), "weeks": order.weeks}  # fmt: skip
    run = None
    # One with a model is opened though it is over: it does not go on with another model, or other answers.
    if who.policy != WITH_MODEL:
        run = find_finished_run(order.out, wanted)
        if run is None and _is_cut_short(order.out):
            _clear_workspace(order.out / "workspace")
    if run is None:
        terms: dict[str, Any] = {"weeks": order.weeks, "seed": order.seed, "models": order.models, "threads": 1}
        simulate(order.scenario, out=order.out, policy=who.policy, without=who.without, **terms)
        run = read_run(order.out)
    # What a run comes to is read from its files either way: a batch that went on writes what a whole one writes.
    told = (order.scenario.scenario, who.label, order.seed, order.weeks)
    return RunResult(*told, run.score, bool(run.terms["bankrupt"]), run.at_the_end())


def _is_cut_short(out: Path) -> bool:
    """Return whether `out` holds a run that began but did not reach the end of the weeks it last reported."""
    try:
        run = find_run(out / "workspace")
        if run is None:
            return any((out / "workspace" / "businesses").glob("*"))  # it did not even come to be founded
        return bool(run.begun + 1 != read_run(out).terms["weeks"])
    except (UnknownId, Damaged):
        return True


def _clear_workspace(workspace: Path) -> None:
    """Empty the workspace of a run but for its settings, and the lock that is held meanwhile."""
    for one in (*workspace.iterdir(), *Layout(workspace).internal.iterdir()):
        if one.name in ("mabos.yaml", INTERNAL, "locks"):
            continue
        if one.is_dir():
            rmtree(one)
        else:
            one.unlink()
