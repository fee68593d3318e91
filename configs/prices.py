"""Dated prices of known models, from `prices.yaml`; a workspace's own prices override them."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mabos.configs.models import Endpoint, ModelProfile, ModelSettings, PriceSettings
from mabos.configs.yaml_file import read_yaml, validate_content

TABLE = Path(__file__).parent / "prices.yaml"
_DATED = re.compile(r"(?:-\d{8}|-\d{4}-\d\d-\d\d|-\d{3}|-latest)$")
"""The suffix of the name of a model pinned to a version."""


def price_of(models: ModelSettings, endpoint: Endpoint, day: str) -> PriceSettings | None:
    """Return the price of a model on a day (ISO): its profile's, else the workspace's by name, else the known one.

    None where the price is not known. A model of embeddings has no price for output.
    """
    if isinstance(endpoint, ModelProfile):
        own = PriceSettings(**{name: getattr(endpoint, name) for name in PriceSettings.model_fields})
        provider, whole = endpoint.kind, ["input_usd", "output_usd"]
    else:
        own, provider, whole = PriceSettings(input_usd=endpoint.input_usd), "", ["input_usd"]
    candidates = (own, models.prices.get(endpoint.model), known_price(endpoint.model, provider, endpoint.base_url, day))
    return next((one for one in candidates if one and all(getattr(one, name) is not None for name in whole)), None)


def known_price(model: str, provider: str, base_url: str, day: str) -> PriceSettings | None:
    """Return the table's price for a model, by provider or address; None if it has none."""
    host = urlsplit(base_url).hostname or ""
    for name, entry in _table().items():
        if provider == name or (host and host in entry["hosts"]):
            listed: Mapping[str, Any] = entry["models"]
            found = listed.get(model) or listed.get(_DATED.sub("", model)) or listed.get("*")
            return None if found is None else _select_price(found, day)
    return None


def as_of() -> str:
    """Return the date of the table."""
    return str(read_yaml(TABLE)["as_of"])


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = read_yaml(TABLE)["providers"]
    return table


def _select_price(entry: Mapping[str, Any], day: str) -> PriceSettings:
    prices = {name: value for name, value in entry.items() if name != "changes"}
    for since, changed in sorted(entry.get("changes", {}).items()):
        if since <= day:
            prices |= changed
    return validate_content(PriceSettings, prices, str(TABLE))
