"""An agent's expenses, indexed by purpose."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from mabos.society.governance import kind

_UNITS = 1_000_000_000
"""Whole billionths of a dollar add up exactly, in any order."""


@dataclass(frozen=True, slots=True)
class Expense:
    """Dollars spent or committed: the time, the kind of action, and the payee."""

    at: datetime
    category: str
    counterparty: str
    usd: float


def purpose(category: str, counterparty: str) -> tuple[str, str]:
    """Return the normalized purpose of an expense, ignoring case, spaces, hyphens and underscores."""
    return kind(category), kind(counterparty)


@dataclass(slots=True)
class _Series:
    """The expenses on one purpose by time, with the sum of each and all before it."""

    times: list[datetime] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)

    def add(self, at: datetime, units: int) -> None:
        """Add an amount; only later sums change."""
        place = bisect_right(self.times, at)
        self.times.insert(place, at)
        self.totals.insert(place, self.totals[place - 1] if place else 0)
        for later in range(place, len(self.totals)):
            self.totals[later] += units

    def after(self, moment: datetime) -> int:
        """Return the sum of the amounts after `moment`."""
        before = bisect_right(self.times, moment)
        return (self.totals[-1] if self.totals else 0) - (self.totals[before - 1] if before else 0)


class Expenses:
    """The expenses of one agent, by id; queries take constant time."""

    def __init__(self) -> None:
        self._by_id: dict[str, Expense] = {}
        self._series: dict[tuple[str, str], _Series] = defaultdict(_Series)

    def __contains__(self, expense_id: str) -> bool:
        return expense_id in self._by_id

    def put(self, expense_id: str, expense: Expense) -> None:
        """Add an expense, replacing any with this id."""
        self.drop(expense_id)
        self._by_id[expense_id] = expense
        self._series[purpose(expense.category, expense.counterparty)].add(expense.at, round(expense.usd * _UNITS))

    def drop(self, expense_id: str) -> None:
        """Remove an expense; an unknown id changes nothing."""
        gone = self._by_id.pop(expense_id, None)
        if gone is not None:
            self._series[purpose(gone.category, gone.counterparty)].add(gone.at, -round(gone.usd * _UNITS))

    def spent(self, category: str, counterparty: str, after: datetime) -> float:
        """Return the dollars spent on a category and counterparty after `after`."""
        series = self._series.get(purpose(category, counterparty))
        return series.after(after) / _UNITS if series else 0.0

    def total(self, after: datetime) -> float:
        """Return the dollars spent on anything after `after`."""
        return sum(series.after(after) for series in self._series.values()) / _UNITS
