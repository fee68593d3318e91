"""Shared endpoint code for chat and embedding models: client, deadline, retries, and reasons for failures."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

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
_FIRST_WAIT_S = 0.5
"""Seconds before the first further try, where the endpoint does not say; each further one waits twice as long."""

Fault = Literal["slow", "away", "key", "missing", "busy", "refused", "failed", "unreadable"]
"""Why a call came to nothing: no answer in time, no connection, the key, an unknown model or address, too many calls,
a request that is not accepted, a failing server, or an answer of another form."""
_PASSING: frozenset[Fault] = frozenset({"slow", "away", "busy", "failed"})
_OF_STATUS: dict[int, Fault] = {401: "key", 403: "key", 404: "missing", 408: "slow", 409: "failed", 429: "busy"}
_AWAY = ("ConnectionError", "ConnectError", "NetworkError", "RemoteProtocolError", "ReadError", "InvalidURL")


class TooLong(TimeoutError):
    """A timeout after the answer had begun."""


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model and its endpoint, for messages and retries; `where` contains no key."""

    model: str
    where: str
    key: str = field(default="", repr=False)
    key_env: str = ""
    timeout_s: float = 60.0
    max_retries: int = 0
    needs_key: bool = False

    @classmethod
    def of(cls, endpoint: Endpoint, key: str, *, where: str = "", needs_key: bool = False) -> "ModelPlace":
        """Return the place of an endpoint's settings."""
        at = where or f"at {public(endpoint.base_url)}"
        return cls(endpoint.model, at, key, endpoint.api_key_env, endpoint.timeout_s, endpoint.max_retries, needs_key)


def http_client(endpoint: Endpoint) -> "openai.DefaultHttpxClient":
    """Return a client that enforces the endpoint's `timeout_s`, even if an answer arrives byte by byte."""
    import openai

    def begin(request: Any) -> None:
        request.extensions[_DEADLINE] = time.monotonic() + endpoint.timeout_s

    def limit_response(response: Any) -> None:
        response.stream = _limit_stream(response.stream, response.request.extensions[_DEADLINE])

    return openai.DefaultHttpxClient(
        event_hooks={"request": [begin], "response": [limit_response]}, timeout=timeout(endpoint)
    )


def _limit_stream(stream: Any, deadline: float) -> Any:
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
    """Return the timeouts; a connection gets only a few seconds, so that an absent endpoint is noticed soon."""
    import openai

    return openai.Timeout(endpoint.timeout_s, connect=min(_CONNECT_S, endpoint.timeout_s))


def errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that the client raises if an endpoint does not answer, or answers in another format.

    In some versions a body that breaks off raises the HTTP library's own error. An answer of the wrong shape fails at
    the first access in the client.
    """
    import openai

    libraries = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    of_http = [kind for library in libraries for kind in (library.HTTPError, library.InvalidURL)]
    of_shape = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
    return (openai.OpenAIError, TooLong, *of_http, *of_shape)


class Reach:
    """Reachability of an endpoint: after a failed connection it is skipped for a while, with the same error."""

    def __init__(self, place: ModelPlace) -> None:
        self._place = place
        self._ask_again, self._why = 0.0, ""

    def check(self) -> None:
        """Raise `NotAsked` if the endpoint was unreachable a moment ago, or its key cannot be sent."""
        one = self._place
        if not is_sendable(one.key):
            which = one.key_env or "the key"
            raise NotAsked(f"{which} contains a line break or a character that no key has; set it again")
        if one.needs_key and not one.key:
            raise NotAsked(f"model {one.model!r} {one.where} needs a key; set {one.key_env}")
        if time.monotonic() < self._ask_again:
            raise NotAsked(f"{self._why} (next try in {_PAUSE_S:g} s)")

    def failed(self, error: Exception) -> Unavailable:
        """Return the error of a failed call: the endpoint, the reason, and the remedy."""
        one = self._place
        said = str(error).partition("\n")[0]
        if one.key:
            said = said.replace(one.key, STRUCK_OUT)
        fault = fault_of(error)
        why = f"model {one.model!r} {one.where} did not answer: {_advice(fault, one)}"
        why = f"{why} ({said[:_SHOWN]})" if said else why
        if fault in ("slow", "away"):
            self._ask_again, self._why = time.monotonic() + _PAUSE_S, why
        return Unavailable(why)


def fault_of(error: BaseException) -> Fault:
    """Return why a call failed, whichever provider's package raised the error."""
    if _is_timeout(error):
        return "slow"
    status = status_of(error)
    if status is not None:
        return _OF_STATUS.get(status, "refused" if status < 500 else "failed")
    kinds = [kind.__name__ for cause in _chain(error) for kind in type(cause).__mro__]
    return "away" if any(name.endswith(_AWAY) for name in kinds) else "unreadable"


def _is_timeout(error: BaseException) -> bool:
    causes = list(_chain(error))
    return any(isinstance(cause, TimeoutError) or "Timeout" in type(cause).__name__ for cause in causes)


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of an error or of its cause, or None."""
    for cause in _chain(error):
        for name in ("status_code", "code"):
            status = getattr(cause, name, None)
            if isinstance(status, int) and 400 <= status < 600:
                return status
    return None


def pause_before_retry(error: BaseException, place: ModelPlace, tries: int) -> float | None:
    """Return the seconds until another attempt, after `tries` of them; None if it would not help or take too long."""
    if tries > place.max_retries or fault_of(error) not in _PASSING:
        return None
    headers = next((found for cause in _chain(error) if (found := _headers(cause)) is not None), None)
    asked = None if headers is None else headers.get("retry-after")
    try:
        seconds = _FIRST_WAIT_S * 2 ** (tries - 1) if asked is None else float(asked)
    except ValueError:  # a date; rare, and not worth a parser
        seconds = _FIRST_WAIT_S
    return seconds if seconds <= place.timeout_s else None


def _headers(error: BaseException) -> Any:
    answer = getattr(error, "response", None) or getattr(error, "raw_response", None)
    return getattr(answer, "headers", None)


def _advice(fault: Fault, one: ModelPlace) -> str:
    """Return the problem and its remedy."""
    key = f"set {one.key_env} to one that is valid there" if one.key_env else "name its variable in api_key_env"
    advice: dict[Fault, str] = {
        "slow": f"it took longer than {one.timeout_s:g} s; raise timeout_s, or ask a faster model",
        "away": "nothing answers there, or it broke off; start the server, or correct base_url",
        "key": f"it needs another key; {key}",
        "missing": "it has no such model or address; base_url mostly ends in /v1",
        "busy": "too many calls, or no credit is left; wait, or set a budget",
        "refused": "it refuses the request",
        "failed": "it failed; try again later",
        "unreadable": "its answer is not a chat completion; base_url usually ends in /v1",
    }
    return advice[fault]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
