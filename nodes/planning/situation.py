"""The situation a goal is pursued in, as cases remember it: what is believed about what the goal is measured by."""

from collections.abc import Iterable

from mind.conditions import Lookup, parse
from mind.model import Goal

ALWAYS = ("cash", "runway_months", "churn_rate", "quality")
"""What tells most situations of a company apart, whatever the goal."""


def believed(goal: Goal, lookup: Lookup, more: Iterable[str] = ()) -> dict[str, str]:
    """Return what is believed about the subjects of the goal's target and criteria, by name."""
    names = list(ALWAYS)
    for condition in (goal.target, *goal.success_criteria, *more):
        names += [clause.subject for clauses in parse(condition) for clause in clauses]
    found = {name: lookup(name) for name in dict.fromkeys(names)}
    return {name: value for name, value in found.items() if value is not None}


def wanted(goal: Goal) -> list[str]:
    """Return the desires that the goal serves, as cases remember them."""
    return [goal.desire_id or goal.description]
