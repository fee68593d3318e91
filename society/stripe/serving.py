"""The local API over HTTP on this machine, for any client of the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from threading import Thread
from typing import Protocol
from urllib.parse import unquote, urlsplit

import orjson

from mabos.backends.stripe import VERSION, StripeAnswer
from mabos.society.stripe.request import ApiFault, ApiRequest, parse_form

_LARGEST = 1_000_000


class Answering(Protocol):
    """An object that answers requests: the fake, or a wrapper around it."""

    def answer(self, request: ApiRequest) -> StripeAnswer:
        """Return the answer to a request."""


@contextmanager
def serve_locally(fake: Answering, *, port: int = 0) -> Iterator[str]:
    """Serve while the block runs; yields the address, as http://127.0.0.1:41234.

    Any test key is accepted; live keys are refused.
    """
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Desk(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            answer = _answer_request(fake, self.command, self.path, dict(self.headers), self._body())
            content = orjson.dumps(answer.body)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _body(self) -> bytes:
            told = self.headers.get("Content-Length", "0")
            is_number = told.isascii() and told.isdigit() and len(told) < 20
            return self.rfile.read(min(int(told), _LARGEST)) if is_number else b""

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815  # the names the library calls

        def log_message(self, *_: object) -> None:
            """Log nothing: the client gets the answer."""

    with ThreadingHTTPServer(("127.0.0.1", port), Desk) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _answer_request(fake: Answering, method: str, address: str, headers: dict[str, str], body: bytes) -> StripeAnswer:
    told = {name.lower(): value for name, value in headers.items()}
    parts = urlsplit(address)
    key, version = told.get("idempotency-key", ""), told.get("stripe-version", VERSION)
    try:
        _check_key(told.get("authorization", ""))
        params = {**parse_form(parts.query), **parse_form(body.decode("utf-8", "replace"))}
        answer = fake.answer(ApiRequest(method, unquote(parts.path), params, key, version))
    except ApiFault as fault:
        answer = fault.answer
    sent = {"Request-Id": f"req_{token_hex(7)}", "Stripe-Version": version.split("\n")[0], **answer.headers}
    return StripeAnswer(answer.status, answer.body, sent | ({"Idempotency-Key": key} if key else {}))


def _check_key(authorization: str) -> None:
    import base64
    import binascii

    scheme, _, key = authorization.partition(" ")
    if scheme == "Basic":
        try:
            key = base64.b64decode(key, validate=True).decode("ascii", "replace").partition(":")[0]
        except binascii.Error:
            key = ""
    if not key:
        message = "You did not provide an API key. You need to provide your API key in the Authorization header."
        raise ApiFault(message, status=401)
    if not key.startswith(("sk_test_", "rk_test_")):
        raise ApiFault("Invalid API Key provided: this is a fake, and takes keys that begin with sk_test_.", status=401)
