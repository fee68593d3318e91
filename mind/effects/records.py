"""A company's record of its weeks, the only input of beliefs about effects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Place = tuple[str, str]
"""A channel and a segment of customers."""


@dataclass(frozen=True, slots=True)
class Booking:
    """A campaign: its channel, first week, duration, weekly dollars, and the leads it brought."""

    place: Place
    week: int
    weekly_usd: float
    weeks_run: int
    leads: int
    weeks: int = 1
    """The weeks that it is booked for."""


@dataclass(frozen=True, slots=True)
class Commission:
    """An order of work or goods: its area, the week it was placed, its budget, and the week of delivery."""

    area: str
    week: int
    usd: float
    delivered: int | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """Figures by name, one value per week, oldest first; bookings and commissions, oldest first.

    `figures` have one value per week, the last one of the week that has just ended.
    """

    segments: tuple[str, ...]
    figures: Mapping[str, Sequence[float]]
    bookings: Sequence[Booking] = ()
    commissions: Sequence[Commission] = ()
    price_waits: bool = False
    """Whether a price waits for the owner."""
    complaints: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """The segments that complained about the price, by week; weeks without a report are left out."""

    @property
    def week(self) -> int:
        """The number of recorded weeks."""
        return len(self.figures["cash"]) - 1

    def now(self, name: str, default: float = 0.0) -> float:
        """Return the newest value of a figure, or `default` if it was never measured."""
        series = self.figures.get(name, ())
        return series[-1] if series else default

    def mean(self, name: str, weeks: int = 4, default: float = 0.0) -> float:
        """Return the mean of a figure over the last weeks, or `default` if it was never measured."""
        series = self.figures.get(name, ())[-weeks:]
        return sum(series) / len(series) if series else default

    def under_way(self, area: str) -> tuple[Commission, ...]:
        """Return the undelivered orders for an area."""
        return tuple(one for one in self.commissions if one.area == area and one.delivered is None)
