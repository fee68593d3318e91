"""`mabos mind`: one agent's cognition on one screen."""

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command


@command("mind")
@click.argument("agent_id", metavar="AGENT")
@click.option("--at", "cycle", type=NAMED, metavar="CYCLE", help="Show the mind after this cycle, by its id.")
@click.option("--all", "whole", is_flag=True, help="Show all entries, not only the first dozen.")
def mind(request: CommandRequest, agent_id: str, cycle: str | None, *, whole: bool) -> None:
    """Show an agent's desires, intentions and beliefs, and how long its commitments hold."""
    with request.open() as services:
        from mabos.interfaces.past import mind_at
        from mabos.interfaces.standing import standing
        from mabos.interfaces.views.mind import SHOWN, view
        from mabos.mind.maintenance import Thresholds

        today = services.agent(agent_id).mind
        with mind_at(today, services.ledger, cycle or "", services.clock()) as (then, at):
            found = standing(then, at, Thresholds.of(services.settings).limits)
            shown, told = view(found, most=None if whole else SHOWN), {"agent_id": agent_id, **found.as_json()}
        request.answer(told | ({"cycle": cycle} if cycle else {}), lambda out: out.print(shown))
