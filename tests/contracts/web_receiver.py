"""A web server of a few lines for tests: keeps what it was sent, and answers as it is told."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Receiver:
    """Where it listens, what came, and what it answers."""

    port: int
    status: int
    answer: bytes
    headers: Mapping[str, str]
    requests: list[Received] = field(default_factory=list)

    def url(self, path: str) -> str:
        """Return an address of it."""
        return f"http://127.0.0.1:{self.port}/{path}"


@contextmanager
def receiver(status: int = 200, answer: bytes = b"ok", headers: Mapping[str, str] | None = None) -> Iterator[Receiver]:
    """Run a web server while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            web.requests.append(Received(self.path, dict(self.headers.items()), body))
            self.send_response(web.status)
            for name, value in web.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(web.answer)))
            self.end_headers()
            self.wfile.write(web.answer)

        def log_message(self, *_given: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web = Receiver(server.server_address[1], status, answer, headers or {})
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
