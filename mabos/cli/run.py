"""`mabos run`: one cycle of one agent, its phases shown as they happen."""

import click

from mabos.cli.request import Request, command, console


@command("run")
@click.argument("agent_id", metavar="AGENT")
@click.option("--message", help="Something to tell the agent; it arrives as a request from its stakeholder.")
def run(request: Request, agent_id: str, message: str | None) -> None:
    """Run one cycle of an agent: perceive, deliberate, plan, act, learn."""
    with request.open() as services:
        services.agent(agent_id)  # an unknown agent is answered before LangGraph is imported
        from graphs.wiring import run_cycle

        from mabos.views.phases import closing_line, phase_printer

        report = run_cycle(services, agent_id, message=message or "", on_event=phase_printer(console(err=request.json)))
        request.answer(
            dict(report), lambda out: out.print(closing_line(report)), done=report.get("outcome") != "failed"
        )
