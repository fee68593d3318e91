"""Cases found by what they have in common with the present, without looking at any other: an inverted index.

A side of a case (its beliefs or its desires) is a set of names, some with values. For each name the index knows the
cases that have it. What a case shares with the present is counted over those alone; a case that shares something on one
side only is scored only if it is among the most alike on that side. The best few are then scored exactly, in the very
arithmetic of `similarity.overlap`, so that the ranking is that of looking at every case.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from heapq import nlargest
from importlib.util import find_spec
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING, Any

from knowledge.model import Case
from knowledge.similarity import Aggregate, Linear, Situation, likeness, overlap

if TYPE_CHECKING:
    from knowledge.case_arrays import Counted

_MANY = 1000  # cases from which on arrays are faster than dictionaries
_SLACK = 1e-9  # sums in another order differ by less
Scored = tuple[float, float, float, Case]
"""The score of a case, how alike its beliefs and its desires are, and the case."""


class Side:
    """One side of many cases: who has a name, and with which value."""

    def __init__(self) -> None:
        self._shares: dict[int, float] = {}
        self._plain: dict[str, dict[int, None]] = {}
        self._valued: dict[str, dict[int, Any]] = {}
        self._counted: Counted | None = None

    def add(self, number: int, names: Situation) -> None:
        """Take in the names of a case."""
        self._shares[number] = 1 / len(names) if names else 0.0
        for name, value in names.items():
            if value is None:
                self._plain.setdefault(name, {})[number] = None
            else:
                self._valued.setdefault(name, {})[number] = value
        if self._counted is not None:
            self._counted.forget(names)

    def remove(self, number: int, names: Situation) -> None:
        """Take out the names of a case."""
        del self._shares[number]
        for name, value in names.items():
            del (self._plain if value is None else self._valued)[name][number]
        if self._counted is not None:
            self._counted.forget(names)

    def counts(self, present: Situation) -> bool:
        """Return whether counting is enough: no case has a value for any of these names."""
        return not self._valued or not any(self._valued.get(name) for name in present)

    def counted(self, present: Situation, size: int) -> Any:
        """Return the array of how alike each number below `size` is to the present."""
        if self._counted is None:
            from knowledge.case_arrays import Counted

            self._counted = Counted()
        return self._counted.alike(present, self._plain, self._shares, size)

    def alike(self, present: Situation) -> dict[int, float]:
        """Return how alike each case is that shares a name with the present, 0 to 1, nearly exactly."""
        plain = Counter(chain.from_iterable(self._plain[name] for name in present if name in self._plain))
        found = dict(zip(plain, map(mul, plain.values(), map(self._shares.__getitem__, plain)), strict=True))
        for name, value in present.items():
            for number, past in self._valued.get(name, {}).items():
                found[number] = found.get(number, 0.0) + likeness(past, value) * self._shares[number]
        return found


class CaseIndex:
    """Cases that ended alike, numbered in the order in which they came."""

    def __init__(self, *, many: int = _MANY) -> None:
        self._many = many
        self._cases: dict[int, Case] = {}
        self._numbers: dict[str, int] = {}
        self._beliefs, self._desires = Side(), Side()

    def add(self, case: Case, number: int) -> None:
        """Take in a case under a number that no other has."""
        self._cases[number], self._numbers[case.id] = case, number
        self._beliefs.add(number, case.beliefs)
        self._desires.add(number, case.desires)

    def remove(self, case: Case) -> None:
        """Take out a case, if it is there."""
        number = self._numbers.pop(case.id, None)
        if number is not None:
            del self._cases[number]
            self._beliefs.remove(number, case.beliefs)
            self._desires.remove(number, case.desires)

    def candidates(
        self, beliefs: Situation, desires: Situation, aggregate: Aggregate, limit: int
    ) -> Iterator[tuple[Scored, int]]:
        """Yield, exactly scored, every case that may be among the best `limit`, with its number."""
        for number in self._numbers_of(beliefs, desires, aggregate, limit):
            case = self._cases[number]
            alike = overlap(case.beliefs, beliefs), overlap(case.desires, desires)
            yield (aggregate(*alike), *alike, case), number

    def _numbers_of(self, beliefs: Situation, desires: Situation, aggregate: Aggregate, limit: int) -> Iterable[int]:
        if isinstance(aggregate, Linear) and self._counts(beliefs, desires):
            from knowledge.case_arrays import best_numbers

            size = next(reversed(self._cases)) + 1
            scores = aggregate(self._beliefs.counted(beliefs, size), self._desires.counted(desires, size))
            return best_numbers(scores, limit, _SLACK)
        believed, wanted = self._beliefs.alike(beliefs), self._desires.alike(desires)
        both = believed.keys() & wanted.keys()
        rough = [(aggregate(believed[number], wanted[number]), number) for number in both]
        rough += [(aggregate(alike, 0.0), number) for alike, number in _most(believed, both, limit)]
        rough += [(aggregate(0.0, alike), number) for alike, number in _most(wanted, both, limit)]
        least = _threshold([score for score, _ in rough], limit)
        return [number for score, number in rough if score >= least]

    def _counts(self, beliefs: Situation, desires: Situation) -> bool:
        """Return whether counting with arrays is enough, and worth while."""
        if not self._cases or len(self._cases) < self._many or not _has_numpy():
            return False
        return self._beliefs.counts(beliefs) and self._desires.counts(desires)


def best(
    indexes: Iterable[CaseIndex], beliefs: Situation, desires: Situation, aggregate: Aggregate, limit: int
) -> list[Scored]:
    """Return the best `limit` cases, the newer first among equals; none that have nothing in common with the present.

    `aggregate` must not fall when one of its arguments rises.
    """
    if limit <= 0:
        return []
    found = chain.from_iterable(index.candidates(beliefs, desires, aggregate, limit) for index in indexes)
    chosen = nlargest(limit, found, key=lambda entry: (entry[0][0], entry[0][3].stored_at, entry[1]))
    return [scored for scored, _ in chosen if scored[0] > 0]


def _most(alike: Mapping[int, float], but: Iterable[int], limit: int) -> list[tuple[float, int]]:
    """Return the most alike that are not among `but`: at least `limit` of them, and all equal to the last."""
    alone = alike.keys() - but
    values = list(map(alike.__getitem__, alone))
    least = _threshold(values, limit)
    return [(value, number) for value, number in zip(values, alone, strict=True) if value >= least]


def _threshold(values: list[float], limit: int) -> float:
    return sorted(values)[-limit] - _SLACK if len(values) > limit else 0.0


@cache
def _has_numpy() -> bool:
    return find_spec("numpy") is not None
