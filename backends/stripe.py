"""Stripe's API from the caller's side: form-encoded requests, JSON answers, errors with type, code and param.

    api = HttpStripe("https://api.stripe.com", key, timeout_s=20)
    api.ask("POST", "/v1/products", {"name": "Pro"}, key="an-idempotency-key")["id"]

The key is sent in a header and appears nowhere else: neither in errors nor in records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from mabos.backends.one_address import body, is_here, is_private, is_sendable, opener, public
from mabos.configs.errors import InvalidArgument, MabosError, Refused, Unavailable, UnknownId

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

VERSION = "2024-06-20"
"""The version of the API whose shapes are read here, sent with every request."""

_TRIES, _FIRST_PAUSE_S = 3, 0.25
_BUSY = (409, 429)
_SHORTEST_KEY = 8  # characters; a shorter text may stand in an answer that gives nothing away


@dataclass(frozen=True, slots=True)
class StripeAnswer:
    """A server's answer: status, body and the headers that matter."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]


class StripeApi(Protocol):
    """An API that behaves like Stripe's: its servers, or a business's own files."""

    @property
    def name(self) -> str:
        """The display name: an address, or `local`."""

    def ask(self, method: str, path: str, params: Mapping[str, Any] | None = None, *, key: str = "") -> dict[str, Any]:
        """Return the body of the answer; with `key`, repeating the call has no second effect.

        Raises `InvalidArgument`, `UnknownId`, `Refused` or `Unavailable` with the other side's message.
        """


class HttpStripe:
    """A server that speaks the API."""

    def __init__(self, base: str, key: str, *, timeout_s: float, pause: Callable[[float], None] = sleep) -> None:
        self._base, self._key, self._timeout_s, self._pause = base.rstrip("/"), key, timeout_s, pause

    @property
    def name(self) -> str:
        """The server's address without secrets."""
        return public(self._base)

    def ask(self, method: str, path: str, params: Mapping[str, Any] | None = None, *, key: str = "") -> dict[str, Any]:
        """Return the answer's body; calls a busy or silent server up to three times, a POST without `key` once."""
        for attempt in range(1, _TRIES + 1):
            try:
                return check_answer(self._send_request(method, path, params or {}, key))
            except Unavailable:
                if attempt == _TRIES or (method == "POST" and not key):
                    raise
                self._pause(_FIRST_PAUSE_S * attempt)
        raise AssertionError("the last attempt returns or raises")

    def _send_request(self, method: str, path: str, params: Mapping[str, Any], key: str) -> StripeAnswer:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import Request

        form = encode_params(params)
        address = f"{self._base}{path}" + (f"?{form}" if form and method == "GET" else "")
        way = _opener(self._base)
        headers = {"Authorization": f"Bearer {self._sendable_key()}", "Stripe-Version": VERSION}
        if key:
            headers["Idempotency-Key"] = key
        if method != "GET":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        content = None if method == "GET" else form.encode()
        request = Request(address, content, headers, method=method)  # noqa: S310  # `_opener` has seen the scheme
        try:
            try:
                answer: Any = way.open(request, timeout=self._timeout_s)
            except HTTPError as refused:
                answer = refused
            with answer:
                found = body(answer, seconds=self._timeout_s)
                return StripeAnswer(answer.status, parse_body(self._without_key(found)), dict(answer.headers))
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", "") or error
            message = f"{public(self._base)} did not answer {method} {path}: {reason}; see stripe.api_base"
            raise Unavailable(message) from None

    def _sendable_key(self) -> str:
        if not is_sendable(self._key):
            raise Refused("STRIPE_API_KEY contains a line break or a character that no key has; set it again")
        return self._key

    def _without_key(self, said: bytes) -> bytes:
        return said.replace(self._key.encode(), b"***") if len(self._key) >= _SHORTEST_KEY else said


def _opener(base: str) -> OpenerDirector:
    """Return an opener for this server and no other: the key goes nowhere else, even after a redirect.

    Raises `InvalidArgument` for an address that is neither encrypted nor on this machine.
    """
    from urllib.request import ProxyHandler

    if not is_private(base):
        shown = public(base)[:80]
        message = f"{shown!r} is not a Stripe address; stripe.api_base needs https://, or a server of this machine"
        raise InvalidArgument(message, argument="stripe.api_base")
    return opener(ProxyHandler({})) if is_here(base) else opener()


def check_answer(answer: StripeAnswer) -> dict[str, Any]:
    """Return the body of a successful answer; raises the matching exception for an error."""
    if answer.status >= 300:
        raise interpret_error(answer)
    if "id" not in answer.body and "object" not in answer.body:
        raise Unavailable(f"HTTP {answer.status} without a Stripe object; is stripe.api_base a Stripe server?")
    return dict(answer.body)


def interpret_error(answer: StripeAnswer) -> MabosError:
    """Return the exception for an error of the API: who must act, and its message."""
    told = answer.body.get("error")
    error: Mapping[str, Any] = told if isinstance(told, dict) else {}
    kind, code, param = (str(error.get(name) or "") for name in ("type", "code", "param"))
    said = str(error.get("message") or f"HTTP {answer.status}")
    message = f"Stripe: {said} ({', '.join(filter(None, (kind, code, param)))})" if kind else f"Stripe: {said}"
    if answer.status >= 500 or answer.status in _BUSY:
        return Unavailable(message)
    if answer.status in (401, 403):
        return Refused(f"{message}; check STRIPE_API_KEY in the environment")
    if code == "resource_missing":
        return UnknownId(message, argument=param or None)
    return InvalidArgument(message, argument=param or None)


def encode_params(params: Mapping[str, Any]) -> str:
    """Return parameters in the API's encoding: nested ones in brackets, lists by number, None left out.

    >>> encode_params({"recurring": {"interval": "month"}, "expand": ["product"], "active": True, "none": None})
    'recurring%5Binterval%5D=month&expand%5B0%5D=product&active=true'
    """
    from urllib.parse import urlencode

    return urlencode([pair for name, value in params.items() for pair in _pairs(name, value)])


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(f"{name}[{key}]", inner)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _pairs(f"{name}[{number}]", inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


def parse_body(content: bytes) -> dict[str, Any]:
    """Return the JSON object in the answer; empty for anything else, like a proxy's page."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
