"""Families of markets, drawn widely, so that an unseen market is of another kind, not just another seed.

load_scenario("pricing-17")                      # draw 17 of a family; the same numbers forever

`configs/families.yaml` says which numbers of a shipped scenario a family moves, and by how much. The seed of a run then
decides its luck alone: every run of one draw plays in one market.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import BaseModel, Field

from mabos.configs.errors import unknown
from mabos.configs.yaml_file import read_yaml, validate_content
from mabos.society.campaigns import CHANNELS
from mabos.society.simulation.scenario import Scenario, ScenarioPart
from mabos.workspace.ids import random_stream

Range = tuple[float, float]
_FILE = Path(__file__).parents[2] / "configs" / "families.yaml"
_SHARES = {"churn", "conversion", "quality", "quality_floor", "quality_gain", "quality_decay", "late_share"}
"""Numbers that are shares of 1, whatever a factor makes of them."""


class Variation(ScenarioPart):
    """The multiplied numbers and the ranges of their factors: one for all of them, and one for each."""

    path: str
    all: Range = (1.0, 1.0)
    each: Range = (1.0, 1.0)


class Family(ScenarioPart):
    """A kind of market: the scenario it starts from, and what a draw changes."""

    title: str
    base: str
    vary: tuple[Variation, ...] = ()
    rival: Mapping[str, Range] = Field(default_factory=dict)
    events: tuple[Mapping[str, Any], ...] = ()


class _Common(BaseModel):
    model_config = {"extra": "allow", "frozen": True}
    vary: tuple[Variation, ...]


class _FamilyFile(ScenarioPart):
    common: _Common
    families: Mapping[Annotated[str, Field(pattern=r"^[a-z]+$")], Family]


def family_names() -> tuple[str, ...]:
    """Return the names of the families."""
    return tuple(_file().families)


def family(name: str) -> Family:
    """Return a family by its name; raises `UnknownId` for an unknown name."""
    if name not in _file().families:
        raise unknown("family", name, family_names(), argument="family")
    return _file().families[name]


def market(name: str, draw: int, base: Scenario) -> Scenario:
    """Return one market of a family, by its number; `base` is the scenario that the family names."""
    common, terms = _file().common, family(name)
    luck = random_stream("family", name, draw)
    content = base.model_dump(mode="json")
    for path, value in (common.model_extra or {}).items():
        for place, key in _places(content, path.split(".")):
            place[key] = value
    for one in (*common.vary, *terms.vary):
        _vary_content(content, one, luck)
    if terms.rival:
        rival = {part: round(luck.uniform(*bounds), 4) for part, bounds in terms.rival.items()}
        for spec in content["segments"].values():
            spec["rival"] = rival
    events = [
        _event(one, luck, tuple(content["segments"])) for one in terms.events if luck.random() < one.get("chance", 1)
    ]
    content |= {
        "scenario": f"{name}-{draw}",
        "title": terms.title,
        "description": f"Draw {draw} of the family {name}: {terms.title.lower()}.",
        "events": sorted(events, key=lambda event: int(event["week"])),
        "spread": 0.0,
    }
    return Scenario.model_validate(content)


@cache
def _file() -> _FamilyFile:
    return validate_content(_FamilyFile, read_yaml(_FILE), _FILE.name)


def _places(content: dict[str, Any], path: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each mapping and key that a path names, in the order of the file."""
    head, *rest = path
    for key in list(content) if head == "*" else [head]:
        if not rest:
            yield content, key
        elif isinstance(content.get(key), dict):
            yield from _places(content[key], rest)


def _vary_content(content: dict[str, Any], terms: Variation, luck: Random) -> None:
    together = _factor(terms.all, luck)
    for place, key in _places(content, terms.path.split(".")):
        moved = place[key] * together * _factor(terms.each, luck)
        moved = min(0.95, moved) if key in _SHARES else moved
        place[key] = round(moved) if isinstance(place[key], int) else round(moved, 6)


def _factor(bounds: Range, luck: Random) -> float:
    low, high = bounds
    return math.exp(luck.uniform(math.log(low), math.log(high)))


def _event(terms: Mapping[str, Any], luck: Random, segments: tuple[str, ...]) -> dict[str, Any]:
    """Return an event with a number for each of its ranges, and a segment or channel for each `any`."""
    event: dict[str, Any] = {}
    for key, value in terms.items():
        if key == "chance":
            continue
        if isinstance(value, list):
            event[key] = _between(key, value[0], value[1], luck)
        elif value == "any":
            event[key] = luck.choice(CHANNELS if key == "channel" else segments)
        else:
            event[key] = value
    return event


def _between(key: str, low: float, high: float, luck: Random) -> float:
    if key in {"week", "weeks"}:
        return luck.randint(int(low), int(high))
    return round(_factor((low, high), luck) if key == "size" else luck.uniform(low, high), 4)
