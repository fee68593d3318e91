"""`mabos heartbeat`: maintenance of every agent's mind."""

import re
import signal
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command, tell

if TYPE_CHECKING:
    from rich.console import Console

_UNITS = {"s": 1, "m": 60, "h": 3600}


@command("heartbeat")
@click.option("--once", is_flag=True, help="Run one round; this is the default.")
@click.option("--every", metavar="TIME", help="Repeat at this interval, as 30m, until Ctrl-C.")
@click.option("--agent", type=NAMED, help="One agent; default: all.")
def heartbeat(request: CommandRequest, once: bool, every: str | None, agent: str | None) -> None:
    """Prune stalled intentions, re-rank desires, report conflicting beliefs, clean up, and send due notices."""
    if once and every is not None:
        raise click.UsageError("--once and --every cannot be combined")
    if every is None:
        _round(request, agent)
        return
    pause = seconds(every, "a time between rounds")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):  # whoever ends it did nothing wrong
        while True:
            _round(request, agent)
            tell()
            time.sleep(pause)


def _round(request: CommandRequest, agent: str | None) -> None:
    with request.open() as services:
        if agent:
            services.agent(agent)
        from mabos.graphs.wiring import run_maintenance

        rows = run_maintenance(services, agent or "")
    request.answer({"agents": rows}, partial(_show, rows))


def seconds(text: str, meant: str) -> float:
    """Return a time like `90s`, `30m` or `2h` in seconds; raises `UsageError` that names its purpose, `meant`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", text.strip())
    if match is None or float(match[1]) <= 0:
        raise click.UsageError(f"{text!r} is not {meant}; expected 90s, 30m or 2h")
    return float(match[1]) * _UNITS[match[2]]


def _show(rows: list[dict[str, Any]], out: "Console") -> None:
    from mabos.interfaces.views.words import table

    names = ("agentId", "staleIntentionsPruned", "desiresPrioritized", "conflictsDetected", "chunksProcessed")
    columns = ("Agent", ">Intentions pruned", ">Desires ranked", ">Conflicts", ">Chunks cleaned")
    out.print(table(*columns, rows=[[row.get(name, "") for name in names] for row in rows]))
    for wrong in (one for row in rows for one in row.get("unreadable", ())):
        out.print(f"Cannot be read, and is ignored: {wrong}", markup=False, highlight=False)
