"""`mabos serve`: all tools over HTTP."""

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command


@command("serve")
@click.option(
    "--http", type=NAMED, metavar="HOST:PORT", default="127.0.0.1:8700", show_default=True, help="Address to listen on."
)
@click.option("--agent", type=NAMED, help="Callers act as this agent, which may name only itself; default: a person.")
def serve(request: CommandRequest, http: str, agent: str | None) -> None:
    """Serve the catalogue over HTTP: GET /tools, POST /tools/NAME, described in /openapi.json.

    Other machines need a secret in MABOS_TOKEN, which callers send as a bearer token.
    """
    from mabos.interfaces.surfaces.door import Door, needs

    needs("fastapi", "http")
    needs("uvicorn", "http")
    with request.open() as services:
        from mabos.configs.settings import environment
        from mabos.interfaces.surfaces.guard import TOKEN_VARIABLE
        from mabos.interfaces.surfaces.http import http_app
        from mabos.interfaces.surfaces.listening import listen

        token = environment().secret(TOKEN_VARIABLE)
        door = Door.of(services, agent or "", publishes=True)
        app = http_app(lambda: door, has_token=bool(token))
        listen(app, http, token, lambda url: request.notice(f"tools at {url}/tools; stop with Ctrl-C"))
