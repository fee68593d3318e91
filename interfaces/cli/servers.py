"""`mabos servers`: the MCP servers whose tools the agents may use, and changes to them."""

from typing import TYPE_CHECKING

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

_MARKS = {"ready": "✓", "changed": "!", "misnamed": "✗", "away": "✗"}


@command("servers")
@click.option("--accept", type=NAMED, metavar="NAME", help="Accept the current tools of this server.")
def servers(request: CommandRequest, accept: str | None) -> None:
    """List the tools of each MCP server in mabos.yaml, with their class for governance.

    The first list of a server is accepted. Later additions and changes need `--accept`.
    """
    from dataclasses import asdict

    from mabos.configs.errors import unknown
    from mabos.tools.runtime.tool_servers import ServerReport, ToolServers

    reports: list[ServerReport]

    with request.open() as services:
        source = services.tools.source
        if not isinstance(source, ToolServers):
            if accept:
                raise unknown("MCP server", accept, (), argument="accept")
            reports = []
        else:
            reports = [source.accept(accept)] if accept else source.reports()

    def show(out: "Console") -> None:
        if not reports:
            out.print("mabos.yaml names no MCP server; docs/extending.md shows how to add one")
        for one in reports:
            out.print(f"{_MARKS[one.stands]}  {one.name}: {one.says}", markup=False, soft_wrap=True)
            for name, chosen in one.tools.items():
                out.print(f"   {name:<40}  {chosen}", markup=False, soft_wrap=True)
            if one.waiting:
                out.print(f"   → mabos servers --accept {one.name}", markup=False)

    rows = [asdict(one) for one in reports]
    request.answer(rows, show, done=all(one.stands in ("ready", "changed") for one in reports))
