"""`mabos studio`: LangGraph's development server on this workspace, or the same content in the terminal."""

from typing import TYPE_CHECKING

import click

from mabos.configs.errors import Unavailable
from mabos.interfaces.cli.request import CommandRequest, command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


@command("studio")
@click.option("--port", type=click.IntRange(1, 65535), default=2024, show_default=True, help="The port on 127.0.0.1.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--offline", is_flag=True, help="Do not serve; print graph, states and questions of a THREAD.")
@click.argument("thread", required=False)
def studio(request: CommandRequest, port: int, no_browser: bool, offline: bool, thread: str | None) -> None:
    """Serve the state machines (agent, company, heartbeat, reasoning) to LangGraph Studio.

    Studio's page comes from the web; --offline works without it. A THREAD is then an agent, a business, `heartbeat`,
    or a pending decision; without THREAD, it lists them all.
    """
    if offline:
        _show_threads(request, thread)
    elif thread:
        raise click.UsageError("THREAD needs --offline; in Studio, choose the thread on its page")
    else:
        _serve(request, port, browser=not no_browser)


def _serve(request: CommandRequest, port: int, *, browser: bool) -> None:
    from importlib.util import find_spec

    root = request.root()
    if find_spec("langgraph_api") is None:
        message = "LangGraph's development server is not installed; pip install 'mabos[studio]', or make studio"
        raise Unavailable(message)
    from mabos.interfaces.studio import serve
    from mabos.interfaces.surfaces.listening import bind_socket

    # Where something listens LangGraph's server would go to the next port by itself.
    bind_socket("127.0.0.1", port, argument="port", advice="; choose another with --port").close()
    request.notice(f"serving {root} on http://127.0.0.1:{port}; stop with Ctrl-C")
    serve(root, port=port, browser=browser)


def _show_threads(request: CommandRequest, thread: str | None) -> None:
    """Answer with a thread, or with the names of all."""
    from mabos.interfaces import threads

    with request.open() as services:
        if thread is None:
            known = threads.names(services)
            request.answer({"threads": [*known]}, lambda out: _list(out, known))
            return
        from mabos.interfaces.studio import MACHINES
        from mabos.interfaces.views.threads import view

        found = threads.thread(services, thread)
        shown = view(found, MACHINES[found.machine])
        request.answer(found.as_json(), lambda out: out.print(shown))


def _list(out: "Console", known: "Mapping[str, str]") -> None:
    from mabos.interfaces.views.words import table

    out.print(table("thread", "what it shows", rows=list(known.items())))
    out.print("look into one with: mabos studio --offline THREAD")
