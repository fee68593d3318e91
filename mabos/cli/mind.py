"""`mabos mind`: one agent's cognition on one screen."""

import click

from mabos.cli.request import Request, command


@command("mind")
@click.argument("agent_id", metavar="AGENT")
def mind(request: Request, agent_id: str) -> None:
    """Show what an agent wants, intends and holds true."""
    with request.open() as services:
        from mabos.views.mind import as_json, view

        found = services.agent(agent_id).mind
        request.answer({"agent_id": agent_id, **as_json(found)}, lambda out: out.print(view(found)))
