"""Revising many beliefs at once: each incoming one meets those already held, and those revised before it."""

from collections.abc import Iterable
from dataclasses import dataclass

from mabos.configs.settings import BeliefSettings
from mabos.knowledge.wording import name_key
from mabos.mind.beliefs import revise
from mabos.mind.model import Belief


@dataclass(frozen=True, slots=True)
class Revised:
    """The beliefs to write, in order, the ids of those that were changed by what came in, and how many were refused."""

    saved: tuple[Belief, ...] = ()
    changed: tuple[str, ...] = ()
    rejected: int = 0


def revised(held: Iterable[Belief], incoming: Iterable[Belief], now: str, rules: BeliefSettings) -> Revised:
    """Return what to write when `incoming` arrive one after the other among `held`.

    Only beliefs with the same id or about the same subject are compared, so that a large mind costs no more.
    """
    arriving = tuple(incoming)
    if not arriving:
        return Revised()
    wanted_ids = {belief.id for belief in arriving}
    wanted = {name_key(belief.subject) for belief in arriving if belief.subject}
    prose = any(not belief.subject for belief in arriving)
    beliefs = {
        belief.id: belief for belief in held if prose or belief.id in wanted_ids or name_key(belief.subject) in wanted
    }
    saved: dict[str, Belief] = {}
    changed: dict[str, None] = {}
    rejected = 0
    for belief in arriving:
        change = revise(tuple(beliefs.values()), belief, now, margin=rules.supersede_margin, keep=rules.revisions_shown)
        for one in change.saved:
            beliefs[one.id] = saved[one.id] = one
        rejected += change.kind == "rejected"
        if change.kind in ("new", "revised"):
            changed[change.belief.id] = None
    return Revised(tuple(saved.values()), tuple(changed), rejected)
