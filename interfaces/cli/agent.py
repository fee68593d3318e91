"""`mabos agent`: agents outside any business."""

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command, group


@group("agent")
def agent() -> None:
    """Create agents that belong to no business."""


@command("create", parent=agent)
@click.argument("agent_id", metavar="ID", type=NAMED)
@click.option(
    "--role", type=NAMED, required=True, help="A role in the workspace's folder roles, or one of the nine roles."
)
def create(request: CommandRequest, agent_id: str, role: str) -> None:
    """Create an agent without a business from a role: a researcher, a secretary, a librarian."""
    from dataclasses import asdict

    with request.open(create=True) as services:
        made = services.found_agent(agent_id, role)
        request.answer(
            asdict(made), lambda out: out.print(f"made {agent_id}, {made.title}\nnext: mabos chat {agent_id}")
        )
