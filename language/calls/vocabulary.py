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

    def signs(self, low: str) -> tuple[bool, ...]:
        """Return whether lower-case words name a city, a country or state, or a currency."""
        is_land = low in self.codes["countries"] or low in self.codes["states"]
        return low in self.cities, is_land, low in self.codes["currencies"]


@cache
def vocabulary() -> KnownNames:
    """Return the names that ship in `configs/requests/names.json`."""
    data = json.loads((FOLDER / "names.json").read_text("utf-8"))
    cities = {name: state for state, names in data["cities"].items() for name in names}
    return KnownNames(data["codes"], cities)


@cache
def word_weights() -> Mapping[str, float]:
    """Return the rarity of the stems of common words in requests, from 0 to 1; a missing stem is rarest."""
    weights: dict[str, float] = json.loads((FOLDER / "word_weights.json").read_text("utf-8"))
    return weights
