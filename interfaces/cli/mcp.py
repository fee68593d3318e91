"""`mabos mcp`: all tools and the agents' minds for clients of the Model Context Protocol."""

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command


@command("mcp")
@click.option(
    "--http", type=NAMED, metavar="HOST:PORT", help="Serve streamable HTTP at /mcp, instead of standard input."
)
@click.option("--agent", type=NAMED, help="Clients act as this agent, which may name only itself; default: a person.")
@click.option(
    "--tools", "groups", type=NAMED, metavar="GROUPS",
    help="Offer only these: groups of `mabos tools` (memory), names (knowledge), patterns (fact_*), ask_agent.",
)  # fmt: skip
@click.option("--details", is_flag=True, help="Do not shorten answers.")
def mcp(request: CommandRequest, http: str | None, agent: str | None, groups: str | None, details: bool) -> None:
    """Serve the catalogue over MCP, on standard input and output or over HTTP.

    All tools take about 30,000 tokens of a client's context; `--tools memory,knowledge,ask_agent` takes 4,000.

    HTTP for other machines needs a secret in MABOS_TOKEN, which clients send as a bearer token.
    """
    from mabos.interfaces.surfaces.door import Door, needs

    needs("mcp", "mcp")
    with request.open() as services:
        from mabos.interfaces.surfaces.brief import Brief
        from mabos.interfaces.surfaces.mcp import mcp_server, over_stdio

        chosen = [word.strip() for word in groups.split(",")] if groups else []
        door = Door.of(services, agent or "", publishes=True, groups=chosen)
        server = mcp_server(door, Brief(details=details))
        if http is None:
            import anyio

            anyio.run(over_stdio, server)
            return
        from mabos.configs.settings import environment
        from mabos.interfaces.surfaces.guard import TOKEN_VARIABLE
        from mabos.interfaces.surfaces.listening import listen
        from mabos.interfaces.surfaces.mcp import over_http

        token = environment().secret(TOKEN_VARIABLE)
        listen(over_http(server), http, token, lambda url: request.notice(f"MCP at {url}/mcp; stop with Ctrl-C"))
