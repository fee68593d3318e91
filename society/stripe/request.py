"""A request to the API, and its possible errors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal
from urllib.parse import parse_qsl

import orjson

from mabos.backends.stripe import VERSION, StripeAnswer

ErrorType = Literal["invalid_request_error", "idempotency_error", "api_error", "card_error"]
_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_DEEPEST = 5
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}(\.\w+)?(;.*)?")


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request: method, path, combined query and body parameters, idempotency key and version."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    version: str = VERSION

    @property
    def digest(self) -> str:
        """The hash of the request, which must be equal for equal keys."""
        asked = [self.method, self.path, self.params]
        return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


class ApiFault(Exception):
    """An error in the API's own format."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        param: str = "",
        status: int = 400,
        kind: ErrorType = "invalid_request_error",
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.param, self.status, self.kind = message, code, param, status, kind

    @property
    def answer(self) -> StripeAnswer:
        """The error object, without empty fields."""
        error = {"type": self.kind, "code": self.code, "param": self.param, "message": self.message}
        if self.code:
            error["doc_url"] = f"https://stripe.com/docs/error-codes/{self.code.replace('_', '-')}"
        return StripeAnswer(self.status, {"error": {name: told for name, told in error.items() if told}}, {})


def checked_version(version: str) -> str:
    """Return the requested version of the API; raises `ApiFault` for an invalid one."""
    if _VERSION.fullmatch(version) is None:
        raise ApiFault(f"Invalid Stripe API version: {version[:40]}")
    return version


def parse_form(form: str) -> dict[str, Any]:
    """Return form-encoded parameters as nested ones; raises `ApiFault` for unreadable names.

    >>> parse_form("recurring[interval]=month&expand[0]=product&metadata[a]=1&ids[]=x")
    {'recurring': {'interval': 'month'}, 'expand': ['product'], 'metadata': {'a': '1'}, 'ids': ['x']}
    """
    try:
        pairs = parse_qsl(form, keep_blank_values=True, max_num_fields=1_000, errors="strict")
    except (ValueError, UnicodeDecodeError):
        raise ApiFault("Invalid request: the parameters are not form-encoded UTF-8.") from None
    found: dict[str, Any] = {}
    for name, value in pairs:
        told = _NAME.fullmatch(name)
        keys = [told[1], *re.findall(r"\[([^\[\]]*)\]", told[2])] if told else []
        if not keys or len(keys) > _DEEPEST:
            raise ApiFault(f"Invalid parameter name: {name[:80]}", param=name[:80])
        _put(found, keys, value)
    return {name: _convert_lists(value) for name, value in found.items()}


def _put(into: dict[str, Any], keys: list[str], value: str) -> None:
    *path, last = keys
    for key in path:
        inner = into.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ApiFault(f"Invalid parameter: {keys[0]} is both a value and a list", param=keys[0])
        into = inner
    if last == "":  # ids[]=a&ids[]=b
        last = str(len(into))
    if isinstance(into.get(last), dict):
        raise ApiFault(f"Invalid parameter: {keys[0]} is both a value and a list", param=keys[0])
    into[last] = value


def _convert_lists(value: Any) -> Any:
    """Return nested parameters with those that are numbered from 0 on as lists."""
    if not isinstance(value, dict):
        return value
    inner = {key: _convert_lists(one) for key, one in value.items()}
    return list(inner.values()) if list(inner) == [str(number) for number in range(len(inner))] else inner
