"""Serving an application at an address of this machine until it is stopped."""

import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from starlette.types import ASGIApp

from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.interfaces.surfaces.guard import Guard, may_listen

LARGEST_PORT = 65_535


def address(text: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`, `:PORT` or `PORT`, by default on loopback; raises `InvalidArgument`.

    >>> address("8700"), address("0.0.0.0:80"), address("[::1]:8700")
    (('127.0.0.1', 8700), ('0.0.0.0', 80), ('::1', 8700))
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > LARGEST_PORT:
        raise InvalidArgument(f"{text!r} is not an address to listen on; give HOST:PORT", argument="http")
    return host.strip("[]") or "127.0.0.1", int(port)


def listen(app: ASGIApp, where: str, token: str, serving: Callable[[str], None]) -> None:
    """Serve `app` behind its guard; raises as `serve`, and if others could reach it without a token."""
    may_listen(address(where)[0], token)
    serve(Guard(app, token), where, serving)


def serve(
    app: Guard, where: str, serving: Callable[[str], None], *, stopping: Callable[[], None] = lambda: None
) -> None:
    """Serve an application with its own guard; `serving` receives the URL once it answers. Port 0 means any free one.

    `stopping` is called when the server is asked to stop, before it waits for pending answers. Raises `Unavailable` if
    the address is not available.
    """
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            serving(url)  # not sooner: who reads it and stops the server at once must find it listening to that too

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            stopping()
            super().handle_exit(sig, frame)

    host, port = address(where)
    taken = bind_socket(host, port, argument="http")
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{taken.getsockname()[1]}"
    # Being told to end is how a server ends well: what is open is closed after it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with taken, suppress(KeyboardInterrupt):
        config = uvicorn.Config(app, log_level="warning", lifespan="on", server_header=False)
        Server(config).run(sockets=[taken])


def bind_socket(host: str, port: int, *, argument: str, advice: str = "") -> socket.socket:
    """Return a socket listening at an address; otherwise raise `Unavailable` with `argument` and `advice`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
        taken.listen(socket.SOMAXCONN)
    except OSError as error:
        taken.close()
        wrong = f"cannot listen at {host}:{port}: {error.strerror or error}{advice}"
        raise Unavailable(wrong, argument=argument) from None
    return taken
