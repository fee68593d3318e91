"""A profile of votes: the positions on the ballots, and the pairwise results."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from mabos.knowledge.reasoning.budget import Budget

Levels: TypeAlias = tuple[tuple[int, ...], ...]
"""Candidates by number, groups of equals from the best to the worst."""


@dataclass(frozen=True)
class VoteProfile:
    """Ballots with their counts, each a list of levels of candidates. Unranked candidates come last.

    Methods that iterate over all of them raise `OutOfTime` when the `budget` is spent.
    """

    size: int
    ballots: tuple[tuple[Levels, int], ...]
    budget: Budget = field(compare=False)

    @property
    def everyone(self) -> range:
        """The candidates."""
        return range(self.size)

    @cached_property
    def voters(self) -> int:
        """Return the number of voters."""
        return sum(count for _, count in self.ballots)

    @cached_property
    def complete(self) -> tuple[tuple[Levels, int], ...]:
        """The ballots with all unranked candidates in a last level."""
        filled = []
        for levels, count in self.budget.each(self.ballots):
            named = {one for level in levels for one in level}
            rest = tuple(one for one in self.everyone if one not in named)
            filled.append(((*levels, rest) if rest else levels, count))
        return tuple(filled)

    @cached_property
    def preferring(self) -> list[list[int]]:
        """Return the number of voters who prefer one (row) to another (column)."""
        table = [[0] * self.size for _ in self.everyone]
        for levels, count in self.budget.each(self.complete):
            below = list(self.everyone)
            for level in levels:
                below = [one for one in below if one not in level]
                for better in level:
                    row = table[better]
                    for worse in below:
                        row[worse] += count
        return table

    def margin(self, one: int, other: int) -> int:
        """Return the majority of voters who prefer `one` to `other` over the reverse."""
        return self.preferring[one][other] - self.preferring[other][one]

    def firsts(self, among: Collection[int]) -> dict[int, Fraction]:
        """Return the number of ballots with each candidate first if only `among` run; equals share a ballot. Ballots
        that rank none of them do not count.
        """
        return self._ends(among, ((levels, count) for levels, count in self.ballots))

    def lasts(self, among: Collection[int]) -> dict[int, Fraction]:
        """Return the number of ballots with each candidate last if only `among` run; equals share a ballot."""
        return self._ends(among, ((levels[::-1], count) for levels, count in self.complete))

    def _ends(self, among: Collection[int], ballots: Iterable[tuple[Levels, int]]) -> dict[int, Fraction]:
        totals: dict[int, Fraction | int] = dict.fromkeys(sorted(among), 0)
        for levels, count in self.budget.each(ballots):
            for level in levels:
                held = [one for one in level if one in totals]
                if held:
                    share = count if len(held) == 1 else Fraction(count, len(held))
                    for one in held:
                        totals[one] += share
                    break
        return {one: Fraction(total) for one, total in totals.items()}

    @cached_property
    def standing(self) -> list[list[Fraction | int]]:
        """The number of ballots with each candidate (row) in each position (column); ties share their positions."""
        table: list[list[Fraction | int]] = [[0] * self.size for _ in self.everyone]
        for levels, count in self.budget.each(self.complete):
            place = 0
            for level in levels:
                share = count if len(level) == 1 else Fraction(count, len(level) or 1)
                for one in level:
                    for taken in range(place, place + len(level)):
                        table[one][taken] += share
                place += len(level)
        return table

    def score_positions(self, worth: Sequence[Fraction]) -> dict[int, Fraction]:
        """Return each candidate's score for these position values."""
        return {
            one: sum((value * count for value, count in zip(worth, row, strict=True) if count and value), Fraction(0))
            for one, row in enumerate(self.budget.each(self.standing))
        }

    def smith(self) -> tuple[int, ...]:
        """Return the smallest set whose members beat everyone outside it."""
        votes = self.preferring
        order = sorted(
            self.everyone, key=lambda one: -sum(a > row[one] for a, row in zip(votes[one], votes, strict=True))
        )
        more = set(order[:1])
        inside: set[int] = set()
        while more:
            inside |= more
            outside = self.budget.each(one for one in order if one not in inside)
            more = {one for one in outside if any(self.margin(one, held) >= 0 for held in more)}
        return tuple(sorted(inside))
