"""Queries on beliefs by name: the view that conditions, plans and goals use."""

from collections.abc import Iterable, KeysView

from mabos.knowledge.wording import name_key, words
from mabos.mind.beliefs import TRIVIAL, claim, structure_belief
from mabos.mind.conditions import subjects
from mabos.mind.model import Belief

_READING = words("current latest actual present value amount level total usd eur gbp percent pct")
"""The words of a predicate that says what its subject comes to now, and nothing else (S3 8.3)."""


class BeliefIndex:
    """An index that finds the most certain held belief by subject, subject and predicate, or predicate alone."""

    def __init__(self, beliefs: Iterable[Belief]) -> None:
        self._exact: dict[str, Belief] = {}
        self._by_predicate: dict[str, Belief] = {}
        self._readings: dict[str, Belief] = {}
        for belief in beliefs:
            shaped = structure_belief(belief)
            if belief.status == "held" and shaped.subject:
                self._add(shaped)

    def belief(self, subject: str, predicate: str = "") -> Belief | None:
        """Return the belief about `subject` and `predicate`, or None."""
        key = name_key(predicate)
        if not key or key in TRIVIAL:
            return self._exact.get(name_key(subject))
        return self._exact.get(_join_key(name_key(subject), key))

    def value(self, subject: str, predicate: str = "") -> str | None:
        """Return the held value of `subject` and `predicate`, or None."""
        return _belief_value(self.belief(subject, predicate))

    @property
    def names(self) -> KeysView[str]:
        """Every name with a held belief, in normal form: `runway_months`, `cash_forecast_status`."""
        return self._exact.keys()

    def about(self, name: str) -> Belief | None:
        """Return the belief that a name in a condition refers to.

        `runway_months` is the subject of that name, else the most certain belief with that predicate, whatever its
        subject; `acme runway_months` and `acme.runway_months` name both. `mrr` is also the subject of a reading, as in
        `mrr current_value_usd 120000`.
        """
        key = name_key(name)
        return self._exact.get(key) or self._by_predicate.get(key) or self._readings.get(key)

    def __call__(self, name: str) -> str | None:
        """Return the held value of `name`: an index is a lookup for conditions."""
        return _belief_value(self.about(name))

    def _add(self, belief: Belief) -> None:
        subject, predicate = claim(belief)
        _keep_surest(self._exact, _join_key(subject, predicate) if predicate else subject, belief)
        if predicate:
            _keep_surest(self._by_predicate, predicate, belief)
            if _READING.issuperset(predicate.split("_")):
                _keep_surest(self._readings, subject, belief)


def asks_about(condition: str, belief: Belief) -> bool:
    """Return whether a condition refers to a belief by its full name: `cash` is not `cash_forecast`.

    >>> belief = Belief("B-1", "cash is 5", 0.9, subject="cash", value="5")
    >>> asks_about("cash > 3 and quality > 0.5", belief), asks_about("cash_forecast = current", belief)
    (True, False)
    """
    return bool(condition) and not names_of(belief).isdisjoint(map(name_key, subjects(condition)))


def names_of(belief: Belief) -> frozenset[str]:
    """Return every name by which a condition may refer to a belief, normalized."""
    texts = (belief.subject, belief.predicate, f"{belief.subject} {belief.predicate}")
    return frozenset(filter(None, map(name_key, texts)))


def _join_key(subject: str, predicate: str) -> str:
    return f"{subject}_{predicate}"


def _keep_surest(found: dict[str, Belief], key: str, belief: Belief) -> None:
    standing = found.get(key)
    # Among equally certain ones the later word counts, so that a reading of today stands before that of last week.
    if standing is None or (belief.certainty, belief.updated) > (standing.certainty, standing.updated):
        found[key] = belief


def _belief_value(belief: Belief | None) -> str | None:
    return None if belief is None else belief.value or belief.statement
