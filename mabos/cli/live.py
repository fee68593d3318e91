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
    from collections.abc import Callable

    from rich.console import Console

    from graphs.live import Happening, LiveCompany


@command("live")
@click.option("--for", "length", metavar="TIME", help="How long, as 10m; without it, until Ctrl-C.")
@click.option("--once", is_flag=True, help="Until nobody has anything to do.")
@click.option("--every", metavar="TIME", help="How often the heartbeat comes; else as the workspace has set.")
def live(request: Request, *, length: str | None, once: bool, every: str | None) -> None:
    """Run every agent whenever it has something to do: a message, an answer, a change, a moment, work in hand.

    What happens is told on standard error as it happens, one line each; with --json each line is a JSON object.
    """
    longest = seconds(length) if length else float("inf")
    heartbeat = seconds(every) if every else None
    with request.open() as services:
        from graphs.live import LiveCompany

        company = LiveCompany(services, heartbeat=heartbeat, on_event=_teller(request))
        with _stopping(company):
            company.run(seconds=longest, once=once)
        answer = {"agents": {one.agent_id: one.turns for one in company.actors.values()}}
        request.answer(answer, partial(_show, answer["agents"]))


def _teller(request: Request) -> "Callable[[Happening], None]":
    """Return what writes a line of each happening, of turns those that came to something."""
    import json

    from rich.markup import escape

    from mabos.views.phases import closing_line

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
