"""Relevance of beliefs: those that an agent's desires, goals and coming actions ask for matter most."""

from collections.abc import Iterable, Mapping

from mabos.knowledge.wording import name_key
from mabos.mind.conditions import subjects
from mabos.mind.desires import STANDING
from mabos.mind.goals import OPEN
from mabos.mind.lookup import names_of
from mabos.mind.model import Belief, Desire, Goal, Plan

_TO_DO = ("pending", "begun", "waiting", "failed")


def askers(desires: Iterable[Desire], goals: Iterable[Goal], plans: Iterable[Plan]) -> dict[str, tuple[str, ...]]:
    """Return the ids that ask for each name, normalized: active desires, open goals, current plans."""
    found: dict[str, dict[str, None]] = {}
    for owner, condition in _conditions(desires, goals, plans):
        for name in subjects(condition):
            found.setdefault(name_key(name), {})[owner] = None
    return {name: tuple(ids) for name, ids in found.items() if name}


def _conditions(desires: Iterable[Desire], goals: Iterable[Goal], plans: Iterable[Plan]) -> Iterable[tuple[str, str]]:
    for plan in plans:
        if plan.status == "active":
            for step in plan.steps:
                if step.status in _TO_DO:
                    yield from ((plan.id, one) for one in (*step.preconditions, *(when for when, _ in step.branches)))
    for goal in goals:
        if goal.status in OPEN:
            yield from ((goal.id, one) for one in dict.fromkeys((goal.target, *goal.success_criteria)))
    for desire in desires:
        if desire.status in STANDING:
            yield from ((desire.id, one) for one in (desire.target, *desire.deps))


def asked_by(belief: Belief, asking: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the ids that ask for a belief, plans first."""
    return tuple(dict.fromkeys(one for name in sorted(names_of(belief)) for one in asking.get(name, ())))


def by_relevance(beliefs: Iterable[Belief], asking: Mapping[str, tuple[str, ...]]) -> tuple[Belief, ...]:
    """Return the beliefs by relevance: held ones with most dependents first, then the most certain, then the newest."""

    def rank(belief: Belief) -> tuple[bool, int, float]:
        return belief.status != "held", -len(asked_by(belief, asking)), -belief.certainty

    newest_first = sorted(beliefs, key=lambda belief: belief.updated, reverse=True)
    return tuple(sorted(newest_first, key=rank))
