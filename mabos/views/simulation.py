"""A simulated quarter while it passes, and what it came to."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mabos.views.words import table

if TYPE_CHECKING:
    from graphs.batch import BatchOutcome
    from graphs.simulate import SimulationOutcome
    from society.simulation.comparison import Result

Event = Mapping[str, Any]

_FIGURES = {
    "cash": "Cash, $",
    "mrr": "Monthly recurring revenue, $",
    "revenue": "Money taken in the last week, $",
    "subscribers": "Customers",
    "churn_rate": "Churn, % a month",
    "runway_months": "Runway, months",
}


@contextmanager
def weeks_shown(out: Console, weeks: int) -> Iterator[Callable[[Event], None]]:
    """Yield a listener that shows week after week: a moving bar on a terminal, else a line a week."""
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


@contextmanager
def runs_shown(out: Console) -> Iterator[Callable[["Result", int], None]]:
    """Yield a listener that shows run after run of a batch: a moving bar on a terminal, else a line a run."""
    if not out.is_terminal:
        yield lambda result, _all: out.print(_told(result))
        return
    columns = (MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=out) as progress:
        task = progress.add_task("the first companies open", total=None)
        yield lambda result, runs: progress.update(task, advance=1, total=runs, description=_told(result))


def _told(result: "Result") -> str:
    end = "bankrupt" if result.bankrupt else f"${result.score:,.0f}"
    return f"{result.scenario}, policy {result.policy}, seed {result.seed}: {end}"


def batch_closing(outcome: "BatchOutcome") -> RenderableType:
    """Return what a batch came to, policy by policy, and where to read more."""
    from society.simulation.comparison import summaries

    rows = [
        [one.scenario, one.policy, one.runs, *(f"${value:,.0f}" for value in (one.median, one.low, one.high)),
         f"{one.bankrupt:.0%}"]
        for one in summaries(outcome.results)
    ]  # fmt: skip
    made = table("Scenario", "Policy", ">Runs", ">Median", ">10 %", ">90 %", ">Bankrupt", rows=rows)
    files = "\n".join(escape(str(path)) for path in (outcome.table, outcome.runs))
    return Group(made, f"\n{files}")


def closing(outcome: "SimulationOutcome") -> RenderableType:
    """Return what a run came to, and where to read more."""
    rows = [[words, _rounded(outcome.kpis[name])] for name, words in _FIGURES.items() if name in outcome.kpis]
    end = "the company went bankrupt" if outcome.is_bankrupt else f"after {outcome.weeks} weeks"
    heading = f"{outcome.scenario}, policy {outcome.policy}, seed {outcome.seed}: {end}"
    files = "\n".join(escape(str(path)) for path in outcome.files)
    return Group(table(heading, ">", rows=rows), f"\n{files}")


def _rounded(value: float) -> str:
    """Return a figure as a report says it: whole from a hundred up, else with one decimal."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"
