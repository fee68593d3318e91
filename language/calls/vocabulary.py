"""Names of countries, currencies, languages and cities, and their codes; weights of rare words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "configs" / "requests"


@dataclass(frozen=True)
class KnownNames:
    """Codes by kind and lower-case name, and for a city its state or country."""

    codes: Mapping[str, Mapping[str, str]]
    cities: Mapping[str, str]
    colors: frozenset[str]

    def signs(self, low: str) -> tuple[bool, ...]:
        """Return whether lower-case words name a city, a country, a state, a language, a currency or a colour."""
        return (
            low in self.cities, low in self.codes["countries"], low in self.codes["states"],
            low in self.codes["languages"], low in self.codes["currencies"], low in self.colors,
        )  # fmt: skip


@cache
def vocabulary() -> KnownNames:
    """Return the names that ship in `configs/requests/names.json`."""
    data = json.loads((FOLDER / "names.json").read_text("utf-8"))
    cities = {name: state for state, names in data["cities"].items() for name in names}
    return KnownNames(data["codes"], cities, frozenset(data["colors"]))


@cache
def word_weights() -> Mapping[str, float]:
    """Return how rare the stems of common words are in requests, from 0 to 1; a stem that is missing is rarest."""
    weights: dict[str, float] = json.loads((FOLDER / "word_weights.json").read_text("utf-8"))
    return weights
