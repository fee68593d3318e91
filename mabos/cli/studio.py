"""`mabos studio`: LangGraph's development server on this workspace."""

import click

from configs.errors import Unavailable
from mabos.cli.request import Request, command


@command("studio")
@click.option("--port", type=click.IntRange(1, 65535), default=2024, show_default=True, help="The port on 127.0.0.1.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def studio(request: Request, port: int, no_browser: bool) -> None:
    """Serve the machines (an agent, a company, the heartbeat, reasoning) to LangGraph Studio."""
    from importlib.util import find_spec

    root = request.root(create=True)
    if find_spec("langgraph_api") is None:
        message = "LangGraph's development server is not installed; pip install 'mabos[studio]', or make studio"
        raise Unavailable(message)
    from mabos.studio import serve

    request.notice(f"serving {root} on http://127.0.0.1:{port}; stop with Ctrl-C")
    serve(root, port=port, browser=not no_browser)
