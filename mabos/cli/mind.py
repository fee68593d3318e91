"""`mabos mind`: one agent's cognition on one screen."""

from contextlib import nullcontext

import click

from mabos.cli.request import Request, command


@command("mind")
@click.argument("agent_id", metavar="AGENT")
@click.option("--at", "cycle", metavar="CYCLE", help="As it stood after this cycle, by its id.")
def mind(request: Request, agent_id: str, cycle: str | None) -> None:
    """Show what an agent wants, intends and holds true."""
    with request.open() as services:
        from mabos.past import mind_after
        from mabos.views.mind import as_json, view

        today = services.agent(agent_id).mind
        with mind_after(today, services.ledger, cycle) if cycle else nullcontext(today) as found:
            shown, told = view(found), {"agent_id": agent_id, **as_json(found)}
        request.answer(told | ({"cycle": cycle} if cycle else {}), lambda out: out.print(shown))
