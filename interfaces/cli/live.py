"""`mabos live`: the company, running."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

import click

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.cli.heartbeat import seconds
from mabos.interfaces.cli.request import PLACE, CommandRequest, command, console

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from mabos.graphs.companies import Lived
    from mabos.graphs.live import Happening, LiveCompany

_SWITCH = 0.0005  # seconds a thread keeps the interpreter while another waits for it


@command("live")
@click.argument("workspaces", metavar="[DIR]...", nargs=-1, type=PLACE)
@click.option("--for", "length", metavar="TIME", help="Duration, as 10m; without it, until Ctrl-C.")
@click.option("--once", is_flag=True, help="End when no agent has work left.")
@click.option("--every", metavar="TIME", help="Interval of the heartbeat; default: the setting of the workspace.")
@click.option("-j", "jobs", type=click.IntRange(1), help="Number of workspaces that run at a time; default: all.")
@click.option(
    "--engine",
    type=click.Choice(("local", "ray")),
    default="local",
    help="Where several workspaces run: in local processes, or on a Ray cluster.",
)
@click.option("--for-dashboard", is_flag=True, hidden=True)
def live(
    request: CommandRequest,
    *,
    workspaces: tuple[Path, ...],
    length: str | None,
    every: str | None,
    once: bool,
    jobs: int | None,
    engine: Literal["local", "ray"],
    for_dashboard: bool,
) -> None:
    """Run each agent whenever it has work: a message, an answer, a change, a due time, a task in progress.

    Standard error shows each event as one line; with --json each line is a JSON object. Each of several workspaces runs
    in its own process and prints a summary when it ends.
    """
    terms: dict[str, Any] = {
        "seconds": seconds(length, "how long to run") if length is not None else float("inf"),
        "heartbeat": seconds(every, "a time between heartbeats") if every is not None else None,
        "once": once,
    }
    if workspaces:
        _many(request, workspaces, jobs=jobs, engine=engine, **terms)
    else:
        _one(request, for_dashboard=for_dashboard, **terms)


def _one(request: CommandRequest, *, heartbeat: float | None, for_dashboard: bool, **terms: Any) -> None:
    """Run one company; one that a dashboard started ends with it, since standard input closes then."""
    with request.open() as services:
        from mabos.graphs.companies import ended_by_signals
        from mabos.graphs.live import LiveCompany

        by = "the dashboard" if for_dashboard else "mabos live"
        company = LiveCompany(services, heartbeat=heartbeat, on_event=_teller(request), by=by)
        if for_dashboard:
            Thread(target=_stop_with_input, args=(company,), daemon=True).start()
        with ended_by_signals(company), _quick_turns():
            company.run(**terms)
        answer = {"agents": {one.agent_id: one.turns for one in company.actors.values()}}
        request.answer(answer, partial(_show, answer["agents"]))


def _stop_with_input(company: "LiveCompany") -> None:
    sys.stdin.buffer.read()
    company.stop()


@contextmanager
def _quick_turns() -> Iterator[None]:
    """Have threads take turns more often: an urgent letter crosses several of them until a cycle perceives it."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(_SWITCH, before))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _many(request: CommandRequest, workspaces: Sequence[Path], **terms: Any) -> None:
    from mabos.interfaces.places import existing

    roots = [existing(one.resolve()) for one in workspaces]
    if request.named is not None or len(set(roots)) < len(roots):
        message = "name each workspace once, without --workspace; one is worked in by one process at a time"
        raise InvalidArgument(message, argument="workspaces")
    from mabos.graphs.companies import live_companies

    ended: list[Lived] = []
    request.notice(f"{len(roots)} companies are live; Ctrl-C ends them")
    for one in live_companies(roots, **terms):
        request.notice(f"{one.workspace}: {one.problem or _turns(one)}")
        ended.append(one)
    ended.sort(key=lambda one: roots.index(Path(one.workspace)))
    request.answer(
        {"companies": [one.as_json() for one in ended]},
        partial(_show_many, ended),
        done=not any(one.problem for one in ended),
    )


def _turns(one: "Lived") -> str:
    return ", ".join(f"{outcome} {number}" for outcome, number in sorted(one.turns.items())) or "no turns"


def _show_many(ended: "list[Lived]", out: "Console") -> None:
    from mabos.interfaces.views.words import table

    rows = [[one.workspace, len(one.agents), "failed" if one.problem else _turns(one)] for one in ended]
    out.print(table("Workspace", ">Agents", "Turns", rows=rows))


def _teller(request: CommandRequest) -> "Callable[[Happening], None]":
    """Return a listener that writes a line for each event, and for each turn with a result."""
    import json

    from rich.markup import escape

    from mabos.interfaces.views.phases import closing_line

    out = console(err=True)

    def tell(happening: "Happening") -> None:
        if request.json:
            request.notice(json.dumps(happening.as_json(), ensure_ascii=False))
        elif happening.report is None:
            out.print(": ".join(filter(None, (escape(happening.agent_id), escape(happening.said)))))
        elif happening.report.outcome != "idle":
            out.print(closing_line(happening.report))

    return tell


def _show(agents: dict[str, dict[str, int]], out: "Console") -> None:
    from mabos.interfaces.views.words import table

    outcomes = sorted({outcome for turns in agents.values() for outcome in turns})
    rows = [[agent, *(turns.get(outcome, 0) for outcome in outcomes)] for agent, turns in agents.items()]
    out.print(table("Agent", *(f">{outcome.capitalize()}" for outcome in outcomes), rows=rows))
