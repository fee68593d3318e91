"""`mabos run`: one cycle of one agent, its phases shown as they happen."""

import click

from mabos.cli.request import Request, command, console


@command("run")
@click.argument("agent_id", metavar="AGENT")
@click.option("--message", default="", help="Something to tell the agent; it arrives as its stakeholder's request.")
def run(request: Request, agent_id: str, message: str) -> None:
    """Run one cycle of an agent: perceive, deliberate, plan, act, learn."""
    with request.open() as services:
        mind = services.agent(agent_id).mind  # an unknown agent is answered before LangGraph is imported
        from graphs.wiring import run_cycle
        from mabos.views.phases import closing_line, phase_printer

        shown = phase_printer(console(err=request.json), mind)
        report = run_cycle(services, agent_id, message=message, on_event=shown)
        request.answer(report.as_json(), lambda out: out.print(closing_line(report)), done=report.ok)
