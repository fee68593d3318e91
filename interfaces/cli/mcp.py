"""`mabos mcp`: every tool and the agents' minds for clients of the Model Context Protocol."""

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command


@command("mcp")
@click.option(
    "--http", type=NAMED, metavar="HOST:PORT", help="Serve streamable HTTP at /mcp there, instead of standard input."
)
@click.option("--agent", type=NAMED, help="Whoever connects is this agent and may name only itself; else a person.")
def mcp(request: CommandRequest, http: str | None, agent: str | None) -> None:
    """Serve the catalogue over MCP, on standard input and output or over HTTP.

    Beyond this machine HTTP is served only with a secret in MABOS_TOKEN, which clients send as a bearer token.
    """
    from mabos.interfaces.surfaces.door import Door, needs

    needs("mcp", "mcp")
    with request.open() as services:
        from mabos.interfaces.surfaces.mcp import mcp_server, over_stdio

        server = mcp_server(Door.of(services, agent or "", publishes=True))
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
