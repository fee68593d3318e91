"""S2's formulas for the fit of a result, the confidence from evidence, and the importance of an entity."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log, log10

from mabos.workspace.clock import parse_time

SessionQuality = Callable[[str], float | None]
"""The quality of a session, 0 to 1; None if unknown."""

UNKNOWN_QUALITY = 0.5
"""The quality of an unrated session: S2's value for an incomplete one."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of the composite score (S2, query ranking)."""

    similarity: float = 0.50
    recency: float = 0.20
    access: float = 0.15
    source: float = 0.15

    def score(self, similarity: float, recency: float, access: float, source: float) -> float:
        """Return the composite score.

        >>> round(Weights().score(0.92, 1.0, 0.0, 0.5), 3)
        0.735
        """
        return (
            similarity * self.similarity + recency * self.recency + access * self.access + source * self.source
        )  # fmt: skip


def days_between(earlier: str, later: datetime) -> float:
    """Return the days from a time to a later one; at least 0."""
    return max(0.0, (later - parse_time(earlier)).total_seconds() / 86_400) if earlier else 0.0


def recency(days: float) -> float:
    """Return the recency of something of that age: 1 now, a half after 30 days.

    >>> recency(30)
    0.5
    """
    return 1.0 / (1 + days / 30)


def access_frequency(count: int) -> float:
    """Return the frequency of access, from 0 to 1.

    >>> round(access_frequency(9), 3)
    0.23
    """
    return min(1.0, log(1 + count) / 10)


def source_quality(sessions: Sequence[str], quality: SessionQuality) -> float:
    """Return the mean quality of the sessions that stated something."""
    known = [UNKNOWN_QUALITY if (found := quality(one)) is None else found for one in sessions]
    return sum(known) / len(known) if known else UNKNOWN_QUALITY


def support(supporting: int, contradicting: int) -> float:
    """Return S2's confidence for these counts of supporting and contradicting sessions, at most 1.

    >>> support(1, 0), round(support(2, 0), 2), support(10, 0), support(100, 0), support(0, 2)
    (0.5, 0.65, 1.0, 1.0, 0.0)
    """
    if supporting <= 0:
        return 0.0
    sessions = supporting + contradicting
    return min(1.0, supporting / sessions * (1 + log10(sessions)) / 2)


def update_confidence(stated: float | None, supporting: int, contradicting: int) -> float:
    """Return the confidence after evidence: the higher of S2's value and the stated one, reduced by contradictions.

    S2's formula gives a second session 0.65, its example 0.85 after 0.7. Confirmation must not lower the stated value,
    so it stays until the sessions outweigh it; contradictions lower both alike.

    >>> [update_confidence(0.8, *counts) for counts in ((1, 0), (2, 0), (10, 0), (1, 1))]
    [0.8, 0.8, 1.0, 0.4]
    >>> update_confidence(None, 2, 2)
    0.4005149978319906
    """
    share = supporting / (supporting + contradicting) if supporting else float(not contradicting)
    return min(1.0, max(support(supporting, contradicting), share * (stated or 0.0)))


def importance(accesses: int, days: float, degree: int, highest_degree: int) -> float:
    """Return the importance of an entity, from 0 to 1: accesses, recency and links (S2, entity lifecycle).

    Accesses count as in the ranking; S2 printed the bare number.

    >>> importance(0, 0, 0, 0), round(importance(9, 90, 2, 4), 3)
    (0.3, 0.317)
    """
    centrality = degree / highest_degree if highest_degree else 0.0
    return access_frequency(accesses) * 0.4 + recency(days) * 0.3 + min(1.0, centrality) * 0.3
