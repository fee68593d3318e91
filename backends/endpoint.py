"""What chat and embeddings share of an OpenAI-compatible endpoint: client, deadline, and why it does not answer."""

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mabos.backends.chat import NotAsked
from mabos.backends.one_address import is_sendable, public
from mabos.configs.errors import Unavailable
from mabos.configs.models import Endpoint

if TYPE_CHECKING:
    import openai

NO_KEY = "not-needed"
"""Endpoints on one's own machine want a key to be sent, but any will do."""
STRUCK_OUT = "***"
_CONNECT_S = 5.0
_PAUSE_S = 30.0
"""Seconds for which an endpoint that could not be reached is not asked again: nine agents would wait in turn."""
_DEADLINE = "mabos.deadline"
_SHOWN = 200  # characters of what an endpoint said


class TooLong(TimeoutError):
    """An answer had begun and was not finished in time."""


def http_client(endpoint: Endpoint) -> "openai.DefaultHttpxClient":
    """Return a client whose answers end at the endpoint's `timeout_s`, also where they come byte by byte."""
    import openai

    def begin(request: Any) -> None:
        request.extensions[_DEADLINE] = time.monotonic() + endpoint.timeout_s

    def bound(response: Any) -> None:
        response.stream = _bounded(response.stream, response.request.extensions[_DEADLINE])

    return openai.DefaultHttpxClient(event_hooks={"request": [begin], "response": [bound]}, timeout=timeout(endpoint))


def _bounded(stream: Any, deadline: float) -> Any:
    """Return a body that is read until a moment."""
    # Which HTTP library the client is made of differs between its versions; it wants a stream of its own kind.
    kind: Any = next(one for one in type(stream).__mro__ if one.__name__ == "SyncByteStream")

    class Bounded(kind):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            for chunk in stream:
                if time.monotonic() > deadline:
                    raise TooLong
                yield chunk

        def close(self) -> None:
            stream.close()

    return Bounded()


def timeout(endpoint: Endpoint) -> "openai.Timeout":
    """Return how long to wait: for a connection a few seconds, so that an absent endpoint is known soon."""
    import openai

    return openai.Timeout(endpoint.timeout_s, connect=min(_CONNECT_S, endpoint.timeout_s))


def errors() -> tuple[type[Exception], ...]:
    """Return what the client raises where an endpoint does not answer, or answers with something else.

    A body that breaks off comes as the HTTP library's own error in some versions; what has another shape than it should
    fails wherever the client first looks into it.
    """
    import openai

    libraries = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    of_http = [kind for library in libraries for kind in (library.HTTPError, library.InvalidURL)]
    of_shape = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
    return (openai.OpenAIError, TooLong, *of_http, *of_shape)


class Reach:
    """Whether an endpoint is asked: not for a while after it could not be reached, and then what it failed with."""

    def __init__(self, endpoint: Endpoint, api_key: str) -> None:
        self._endpoint, self._api_key = endpoint, api_key
        self._ask_again, self._why = 0.0, ""

    def check(self) -> None:
        """Raise `NotAsked` where the endpoint was out of reach a moment ago, or its key cannot be sent."""
        if not is_sendable(self._api_key):
            which = self._endpoint.api_key_env or "the key"
            raise NotAsked(f"{which} holds what no key has, as a line end or a foreign letter; set it anew")
        if time.monotonic() < self._ask_again:
            raise NotAsked(f"{self._why} (asked again after {_PAUSE_S:g} s)")

    def failed(self, error: Exception) -> Unavailable:
        """Return the error of a call that came to nothing: which endpoint, why, and what to do."""
        one = self._endpoint
        said = str(error).partition("\n")[0]
        if self._api_key:
            said = said.replace(self._api_key, STRUCK_OUT)
        advice, is_away = _advice(error, one)
        why = f"model {one.model!r} at {public(one.base_url)} did not answer: {advice}"
        why = f"{why} ({said[:_SHOWN]})" if said else why
        if is_away:
            self._ask_again, self._why = time.monotonic() + _PAUSE_S, why
        return Unavailable(why)


def _advice(error: Exception, one: Endpoint) -> tuple[str, bool]:
    """Return what is wrong and what to do about it, and whether the endpoint could not be reached."""
    import openai

    key = f"set {one.api_key_env} to one that is valid there" if one.api_key_env else "name its variable in api_key_env"
    if isinstance(error, openai.APITimeoutError) or any(isinstance(cause, TooLong) for cause in _chain(error)):
        return f"it took longer than {one.timeout_s:g} s; raise timeout_s, or ask a faster model", True
    if isinstance(error, openai.APIConnectionError):
        return "nothing answers there, or it broke off; start the server, or correct base_url", True
    known: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
        ((openai.AuthenticationError, openai.PermissionDeniedError), f"it wants another key; {key}"),
        (openai.NotFoundError, "it has no such model or address; base_url mostly ends in /v1"),
        (openai.RateLimitError, "too many calls, or no credit is left; wait, or set a budget"),
        (openai.BadRequestError, "it refuses what it was asked"),
        (openai.APIStatusError, "it failed; try again later"),
    )
    fits = (advice for kind, advice in known if isinstance(error, kind))
    return next(fits, "what it sends is no such answer; base_url mostly ends in /v1"), False


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
