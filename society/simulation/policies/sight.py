"""What a policy goes by: the numbers, letters and records that the company itself has, and nothing of the truth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mabos.society.campaigns import Campaign, Channel
from mabos.society.packages import Area, WorkPackage


@dataclass(frozen=True, slots=True)
class PolicyMove:
    """A call of a catalogue tool, made by whoever holds `role`."""

    role: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HeardNews:
    """A piece of news of the last week, as the letter's subject and value."""

    subject: str
    value: str


@dataclass(frozen=True, slots=True)
class Sight:
    """The company on a Monday: `metrics` holds each series, oldest first; records are those that are not over."""

    week: int
    segments: tuple[str, ...]
    metrics: Mapping[str, Sequence[float]]
    campaigns: tuple[Campaign, ...] = ()
    packages: tuple[WorkPackage, ...] = ()
    heard: tuple[HeardNews, ...] = ()
    asked: frozenset[str] = field(default=frozenset())
    """The tools whose calls wait for the owner."""

    def now(self, name: str, default: float = 0.0) -> float:
        """Return the newest value of a metric, or `default` where it was never measured."""
        series = self.metrics.get(name, ())
        return series[-1] if series else default

    def ago(self, name: str, weeks: int, default: float = 0.0) -> float:
        """Return the value of a metric some weeks ago; the oldest where it is younger."""
        series = self.metrics.get(name, ())
        return series[max(0, len(series) - 1 - weeks)] if series else default

    def works_on(self, area: Area) -> bool:
        """Return whether a package for this area is under way."""
        return any(package.area == area for package in self.packages)

    def advertises(self, channel: Channel, segment: str) -> bool:
        """Return whether a campaign runs on this channel for this segment."""
        return any(one.channel == channel and one.segment == segment for one in self.campaigns)


Policy = Callable[[Sight, Random], list[PolicyMove]]
"""What a policy is: from what is seen on a Monday, and luck of its own, to the moves of that week."""
