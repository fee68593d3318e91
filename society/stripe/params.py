"""Request parameters validated as in Stripe: each error has a code and names the parameter."""

from collections.abc import Iterable, Mapping
from typing import Any

from mabos.society.stripe.request import ApiFault

LARGEST = 99_999_999
"""The most cents a price may ask."""

_CURRENCIES = frozenset(
    {"aed", "aud", "brl", "cad", "chf", "clp", "cny", "cop", "czk", "dkk", "egp", "eur", "gbp", "hkd", "huf", "idr"}
    | {"ils", "inr", "jpy", "krw", "mxn", "myr", "ngn", "nok", "nzd", "php", "pln", "ron", "sar", "sek", "sgd", "thb"}
    | {"try", "twd", "uah", "usd", "vnd", "zar"}
)
_ACROSS = ("expand",)  # what every request may carry; nothing here is expanded


class Params:
    """The parameters of one request; `done` rejects unknown ones."""

    def __init__(self, given: Mapping[str, Any], path: str = "") -> None:
        self._given = dict(given)
        self._path = path
        self._known: set[str] = set()

    def has(self, name: str) -> bool:
        """Return whether a parameter was given."""
        self._known.add(name)
        return name in self._given

    def named(self, name: str) -> str:
        """Return the full name of a parameter, like recurring[interval]."""
        return f"{self._path}[{name}]" if self._path else name

    def text(self, name: str, otherwise: str = "", *, needed: bool = False, most: int = 5_000) -> str:
        """Return a text; it may be empty only by default."""
        if not self.has(name):
            if needed:
                message = f"Missing required param: {self.named(name)}."
                raise ApiFault(message, code="parameter_missing", param=self.named(name))
            return otherwise
        value = self._given[name]
        if not isinstance(value, str):
            raise ApiFault("Invalid string: a hash was given", param=self.named(name))
        if needed and not value.strip():
            message = f"You passed an empty string for '{self.named(name)}', which cannot be unset."
            raise ApiFault(message, code="parameter_invalid_empty", param=self.named(name))
        if len(value) > most:
            message = f"Invalid string: {value[:20]}...; must be at most {most} characters"
            raise ApiFault(message, code="parameter_invalid_string", param=self.named(name))
        return value

    def choice(self, name: str, allowed: Iterable[str], otherwise: str = "", *, needed: bool = False) -> str:
        """Return one of a closed set."""
        value, known = self.text(name, otherwise, needed=needed), list(allowed)
        if value not in known and value != otherwise:
            raise ApiFault(f"Invalid {self.named(name)}: must be one of {', '.join(known)}", param=self.named(name))
        return value

    def whole(self, name: str, otherwise: int = 0, *, least: int = 0, most: int = LARGEST) -> int:
        """Return a whole number within bounds."""
        text = self.text(name, str(otherwise))
        if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 15:
            message, code = f"Invalid integer: {text[:40]}", "parameter_invalid_integer"
            raise ApiFault(message, code=code, param=self.named(name))
        value = int(text)
        if value < least:
            message = f"This value must be greater than or equal to {least}."
            raise ApiFault(message, code="parameter_invalid_integer", param=self.named(name))
        if value > most:
            message = f"This value must be less than or equal to {most}."
            raise ApiFault(message, code="parameter_invalid_integer", param=self.named(name))
        return value

    def yes(self, name: str, *, otherwise: bool = True) -> bool:
        """Return a yes or no."""
        value = self.text(name, "true" if otherwise else "false")
        if value not in ("true", "false"):
            raise ApiFault(f"Invalid boolean: {value[:40]}", param=self.named(name))
        return value == "true"

    def within(self, name: str) -> "Params | None":
        """Return the parameters inside another one, or None if it was not given."""
        if not self.has(name):
            return None
        value = self._given[name]
        if not isinstance(value, dict):
            raise ApiFault("Invalid hash", param=self.named(name))
        return Params(value, self.named(name))

    def currency(self, name: str = "currency") -> str:
        """Return a required currency."""
        value = self.text(name, needed=True).lower()
        if value not in _CURRENCIES:
            raise ApiFault(f"Invalid currency: {value[:20]}.", param=self.named(name))
        return value

    def metadata(self, before: Mapping[str, str]) -> dict[str, str]:
        """Return the metadata after a request: new keys are added to the old ones, an empty value removes a key."""
        if not self.has("metadata"):
            return dict(before)
        value = self._given["metadata"]
        if value == "":
            return {}
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise ApiFault("Invalid hash: metadata are names with texts", param="metadata")
        after = {name: text for name, text in {**before, **value}.items() if text}
        if len(after) > 50 or any(len(name) > 40 or len(text) > 500 for name, text in after.items()):
            message = "Metadata can have at most 50 keys of 40 characters with values of 500 characters."
            raise ApiFault(message, param="metadata")
        return after

    def done(self) -> None:
        """Raise `ApiFault` for an unknown parameter."""
        unknown = sorted(set(self._given) - self._known - set(_ACROSS))
        if unknown:
            name = self.named(unknown[0])
            raise ApiFault(f"Received unknown parameter: {name}", code="parameter_unknown", param=name)
