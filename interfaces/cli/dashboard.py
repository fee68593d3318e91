"""`mabos dashboard`: the company in a browser."""

from pathlib import Path

import click

from mabos.interfaces.cli.request import NAMED, PLACE, CommandRequest, command


@command("dashboard")
@click.option(
    "--http", type=NAMED, metavar="HOST:PORT", default="127.0.0.1:8702", show_default=True, help="Address to listen on."
)
@click.option(
    "--runs",
    type=PLACE,
    default=Path("simulations"),
    show_default=True,
    help="The folder with simulated runs to compare.",
)
def dashboard(request: CommandRequest, http: str, runs: Path) -> None:
    """Show the company in a browser: pending decisions, minds, goals, messages, figures, and reasons.

    From other machines it needs a token: MABOS_TOKEN, or one that it prints at the start.
    """
    from mabos.interfaces.surfaces.door import Door, needs

    needs("fastapi", "dashboard")
    needs("uvicorn", "dashboard")
    with request.open() as services:
        from contextlib import closing
        from secrets import token_urlsafe
        from threading import Event

        from mabos.configs.settings import environment
        from mabos.interfaces.dashboard.app import dashboard as made
        from mabos.interfaces.dashboard.entrance import ENTER
        from mabos.interfaces.dashboard.live import LiveControl
        from mabos.interfaces.surfaces.guard import TOKEN_VARIABLE, is_loopback
        from mabos.interfaces.surfaces.listening import address, serve

        token = environment().secret(TOKEN_VARIABLE)
        if not token and not is_loopback(address(http)[0]):
            token = token_urlsafe(24)
        door, stop = Door(services, publishes=True), Event()
        way = f"{ENTER}?token={token}" if token else ""
        with closing(LiveControl(services.layout.root)) as live:
            app = made(lambda: door, token, runs=runs.resolve(), stopped=stop.is_set, live=live)
            serve(
                app, http, lambda url: request.notice(f"dashboard at {url}{way}; stop with Ctrl-C"), stopping=stop.set
            )


def _say(request: CommandRequest, way: str, url: str) -> None:
    request.notice(f"dashboard at {url}{way}; stop with Ctrl-C")
