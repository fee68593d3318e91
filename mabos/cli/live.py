"""`mabos live`: the company, running."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mabos.cli.heartbeat import seconds
from mabos.cli.request import Request, command, console

if TYPE_CHECKING:
    from rich.console import Console

    from graphs.live import LiveCompany
    from nodes.report import CycleReport


@command("live")
@click.option("--for", "length", metavar="TIME", help="How long, as 10m; without it, until Ctrl-C.")
@click.option("--every", metavar="TIME", help="How often the heartbeat comes; else as the workspace has set.")
def live(request: Request, *, length: str | None, every: str | None) -> None:
    """Run every agent whenever it has something to do: a message, an answer, a change, work in hand."""
    longest = seconds(length) if length else float("inf")
    heartbeat = seconds(every) if every else None
    with request.open() as services:
        from graphs.live import LiveCompany
        from mabos.views.phases import closing_line

        out = console(err=True)

        def tell(report: "CycleReport") -> None:
            if report.outcome != "idle":
                out.print(closing_line(report))

        company = LiveCompany(services, heartbeat=heartbeat, on_turn=tell)
        out.print(f"{len(company.actors)} agents are live; Ctrl-C ends each at its next phase")
        with _stopping(company):
            company.run(seconds=longest)
        answer = {"agents": {one.agent_id: one.turns for one in company.actors.values()}}
        request.answer(answer, partial(_show, answer["agents"]))


def _show(agents: dict[str, dict[str, int]], out: "Console") -> None:
    from mabos.views.words import table

    outcomes = sorted({outcome for turns in agents.values() for outcome in turns})
    rows = [[agent, *(turns.get(outcome, 0) for outcome in outcomes)] for agent, turns in agents.items()]
    out.print(table("Agent", *(f">{outcome.capitalize()}" for outcome in outcomes), rows=rows))


@contextmanager
def _stopping(company: "LiveCompany") -> Iterator[None]:
    """Have the signals that end a program end the company first."""

    def stop(*_: Any) -> None:
        company.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
