"""`mabos run`: one cycle of one agent, with its phases shown as they happen."""

from typing import TYPE_CHECKING

import click

from mabos.interfaces.cli.request import CommandRequest, command, console

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.society.messages import Message


@command("run")
@click.argument("agent_id", metavar="AGENT")
@click.option("--message", default="", help="A message to the agent, as a question or request of its stakeholder.")
def run(request: CommandRequest, agent_id: str, message: str) -> None:
    """Run one cycle of an agent: perceive, deliberate, plan, act, learn."""
    with request.open() as services:
        mind = services.agent(agent_id).mind  # an unknown agent is answered before LangGraph is imported
        from mabos.graphs.wiring import run_cycle
        from mabos.interfaces.views.phases import closing_line, phase_printer
        from mabos.society.roles import STAKEHOLDER

        shown = phase_printer(console(err=request.json), mind)
        before = {one.id for one in services.inbox(STAKEHOLDER).messages()}
        report = run_cycle(services, agent_id, message=message, on_event=shown)
        told = [one for one in services.inbox(STAKEHOLDER).messages() if one.id not in before]
        request.answer(report.as_json(), lambda out: _show(out, told, closing_line(report)), done=report.ok)


def _show(out: "Console", told: "list[Message]", closing: str) -> None:
    """Print the agent's messages to the owner in this cycle, and the cycle's outcome."""
    from rich.markup import escape

    for one in told:
        out.print(f"[bold]{escape(one.sender)}[/bold] says to you ({one.performative}): {escape(one.content)}")
    out.print(closing)
