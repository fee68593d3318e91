"""`mabos why`: the chain of reasons behind something."""

from typing import TYPE_CHECKING

import click

from mabos.cli.request import Request, command

if TYPE_CHECKING:
    from rich.console import Console


@command("why")
@click.argument("record_id", metavar="ID")
def why(request: Request, record_id: str) -> None:
    """Show the chain of reasons behind a decision, an action, a fact, a belief or any other ID."""
    with request.open() as services:
        from mabos.reasons.chain import explained
        from mabos.reasons.gathering import gathered

        reason = explained(record_id, gathered(services), services.layout.root)

        def show(out: "Console") -> None:
            from mabos.views.chain import chain

            out.print(chain(reason))

        request.answer(reason.as_json(), show)
