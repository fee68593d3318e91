"""The progress of a simulated quarter, and its result."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from mabos.interfaces.views.words import table

if TYPE_CHECKING:
    from mabos.graphs.batch import BatchOutcome
    from mabos.graphs.simulate import SimulationOutcome
    from mabos.graphs.underway import Name
    from mabos.society.simulation.comparison import RunResult

Event = Mapping[str, Any]
_QUARTER = 13  # weeks

_FIGURES = ("cash", "mrr", "revenue", "subscribers", "churn_rate", "runway_months")


@contextmanager
def weeks_shown(out: Console, weeks: int) -> Iterator[Callable[[Event], None]]:
    """Yield a listener that shows progress week by week: a bar on a terminal, else one line per week."""
    if not out.is_terminal:
        yield lambda event: out.print(_week(event)) if _is_over(event) else None
        return
    columns = (TextColumn("week"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, TimeElapsedColumn(), console=out) as progress:
        task = progress.add_task("the company opens", total=weeks)

        def on_event(event: Event) -> None:
            if _is_over(event):
                progress.update(task, completed=event["week"] + 1, description=_figures(event))
            elif event.get("status") == "begun":
                progress.update(task, description=f"{event.get('agent_id', '')} {event.get('phase', '')}".strip())

        yield on_event


def _is_over(event: Event) -> bool:
    return event.get("phase") == "settle" and event.get("status") == "done"


def _week(event: Event) -> str:
    return f"week {event['week'] + 1:>2}  {_figures(event)}"


def _figures(event: Event) -> str:
    noted = event["noted"]
    earned = f"MRR ${noted['mrr']:,}" if "mrr" in noted else f"took ${noted['revenue']:,}"
    return f"cash ${noted['cash']:,}  {earned}  {noted['customers']:,} customers"


@dataclass(frozen=True, slots=True)
class Listeners:
    """Callbacks of a batch: for each finished run with the number of runs, and for the weeks of a running one."""

    on_result: Callable[["RunResult", int], None]
    on_week: Callable[["Name", int, int], None]


@contextmanager
def runs_shown(out: Console) -> Iterator[Listeners]:
    """Yield listeners that show a batch: on a terminal a bar for all runs and one for each active run, else lines.

    Lines report each finished run, and each quarter of a running one.
    """
    if out.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=out) as progress:
            yield _bars(progress)
    else:
        yield _lines(out)


def _bars(progress: Progress) -> Listeners:
    whole = progress.add_task("runs that are over", total=None)
    played, ended = dict["Name", TaskID](), set["Name"]()

    def on_week(name: "Name", over: int, weeks: int) -> None:
        if name in ended:
            return
        if name not in played:
            played[name] = progress.add_task(f"  weeks of {_format_name(name)}", total=weeks)
        progress.update(played[name], completed=over)

    def on_result(result: "RunResult", runs: int) -> None:
        progress.update(whole, advance=1, total=runs)
        progress.console.print(_describe_result(result))
        name = (result.scenario, result.policy, result.seed)
        ended.add(name)
        if name in played:
            progress.remove_task(played.pop(name))

    return Listeners(on_result, on_week)


def _lines(out: Console) -> Listeners:
    quarters, ended = dict["Name", int](), set["Name"]()

    def on_week(name: "Name", over: int, weeks: int) -> None:
        quarter = over // _QUARTER
        if name not in ended and quarter > quarters.get(name, 0):
            quarters[name] = quarter
            out.print(f"{_format_name(name)}: {over} of {weeks} weeks are over")

    def on_result(result: "RunResult", _runs: int) -> None:
        ended.add((result.scenario, result.policy, result.seed))
        out.print(_describe_result(result))

    return Listeners(on_result, on_week)


def _format_name(name: "Name") -> str:
    scenario, policy, seed = name
    return f"{scenario}, policy {policy}, seed {seed}"


def _describe_result(result: "RunResult") -> str:
    end = "bankrupt" if result.bankrupt else f"${result.score:,.0f}"
    return f"{_format_name((result.scenario, result.policy, result.seed))}: {end}"


def batch_closing(outcome: "BatchOutcome") -> RenderableType:
    """Return the result of a batch by policy, and where to read more."""
    from mabos.society.simulation.comparison import summaries

    rows = [
        [one.scenario, one.policy, one.runs, *(f"${value:,.0f}" for value in (one.median, one.low, one.high)),
         f"{one.bankrupt:.0%}"]
        for one in summaries(outcome.results)
    ]  # fmt: skip
    made = table("Scenario", "Policy", ">Runs", ">Median", ">10 %", ">90 %", ">Bankrupt", rows=rows)
    files = "\n".join(escape(str(path)) for path in (outcome.table, outcome.runs))
    return Group(made, f"\n{files}")


def closing(outcome: "SimulationOutcome") -> RenderableType:
    """Return the result of a run, and where to read more."""
    from mabos.society.simulation.figures import figure, reading

    rows = [[figure(name).label, reading(name, outcome.kpis[name])] for name in _FIGURES if name in outcome.kpis]
    end = "the company went bankrupt" if outcome.is_bankrupt else f"after {outcome.weeks} weeks"
    heading = f"{outcome.scenario}, policy {outcome.policy}, seed {outcome.seed}: {end}"
    notices = "".join(f"\n{escape(one)}" for one in (*outcome.happened, *outcome.notices))
    files = "\n".join(escape(str(path)) for path in outcome.files)
    return Group(table(heading, ">", rows=rows), f"{notices}\n{files}")
