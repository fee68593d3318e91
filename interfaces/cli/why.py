"""`mabos why`: the chain of reasons behind something."""

from typing import TYPE_CHECKING

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console


@command("why")
@click.argument("record_id", metavar="ID")
@click.option("--agent", type=NAMED, help="The agent, if several agents use the id.")
def why(request: CommandRequest, record_id: str, agent: str | None) -> None:
    """Show the chain of reasons behind a decision, an action, a fact, a belief or any other ID.

    A belief may also be named by its subject, as runway_months.
    """
    with request.open() as services:
        from mabos.interfaces.reasons.chain import explain_record
        from mabos.interfaces.reasons.gathering import gather_records

        records = gather_records(services)
        record = records.find(record_id, agent or "")
        owners = records.owners(record_id)
        if len(owners) > 1 and not agent:
            others = ", ".join(one for one in owners if one != record.agent_id)
            request.notice(f"this is {record_id} of {record.agent_id}; {others} have one too, see --agent")
        reason = explain_record(record, records, services.layout.root)

        def show(out: "Console") -> None:
            from mabos.interfaces.views.chain import chain

            out.print(chain(reason))

        request.answer(reason.as_json(), show)
