"""Expected effects of plans, compared with later observations, and the resulting trust in plans.

A finished plan has two expectations: that each effect of its steps holds, and that its goal's target comes nearer. The
agent's own report decides neither; the next measurement or report of another source does. Verdicts are kept in one
belief a plan (`saas_reduce_churn effects`). Its certainty is the trust in the next plan of that name, its evidence the
plans behind it, its revisions the reasons for changes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from mabos.mind.beliefs import REVISIONS_SHOWN, claim, content
from mabos.mind.conditions import closeness, holds, is_comparison, subjects
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Plan, Revision, Step
from mabos.mind.plans import effects
from mabos.mind.situation import as_of
from mabos.mind.times import moment

Kind = Literal["confirmed", "missed", "contradicted"]
PREDICATE, SOURCE = "effects", "observed effects"
NEUTRAL = 0.5
"""The confidence in a plan without observations."""
NEARER = 0.02
"""By which share of itself the closeness of what a goal asks for must change to count as moved."""
SURER = 0.5
"""The share of what is missing to certainty by which an observed effect is believed more."""
HORIZON = timedelta(days=120)
"""The time after its end for which a change still counts as the effect of a plan."""
MARKS = 60
"""The latest verdicts that a belief about a plan rests on: more than any plan gets within the horizon."""
CERTAIN_RESULT = 0.95
"""Certainty of what a call answered about its own result."""
_LONGEST = 200
"""Characters of a call's answer that become the value of a belief."""
_RESULT = re.compile(r"\{result\.(\w+)\}")
_SCALAR = str | int | float
_MOVES: Mapping[Kind, float] = {"confirmed": 0.25, "missed": -0.25, "contradicted": -0.5}


@dataclass(frozen=True, slots=True)
class ExpectationVerdict:
    """The outcome of one expectation of a plan; `mark` distinguishes it from the plan's others."""

    plan: Plan
    mark: str
    kind: Kind
    expected: str
    observed: str
    belief_id: str = ""

    @property
    def is_about_goal(self) -> bool:
        """Return whether it concerns the plan's goal rather than an effect of one of its steps."""
        return self.mark == f"{self.plan.id}/goal"

    @property
    def reason(self) -> str:
        """The expectation and the observation, in words."""
        return f"{self.kind}: expected {self.expected}; {self.observed}"


def name_of(plan: Plan) -> str:
    """Return the name under which trust in this kind of plan is kept."""
    return plan.template or plan.name


def trust(beliefs: Iterable[Belief]) -> dict[str, float]:
    """Return the trust in each kind of plan to deliver, by name, if anything was observed."""
    return {one.subject: one.certainty for one in beliefs if one.predicate == PREDICATE and one.source == SOURCE}


def verdicts(
    plans: Iterable[Plan],
    goals: Iterable[Goal],
    beliefs: Sequence[Belief],
    index: BeliefIndex,
    now: datetime,
    *,
    rest: Callable[[Plan], timedelta],
) -> list[ExpectationVerdict]:
    """Return the new verdicts on finished plans.

    A goal's target is judged after the `rest` of its plan, unless it holds earlier.
    """
    wanted = {one.id: one for one in goals}
    over = [one for one in plans if _promises(one, wanted.get(one.goal_id)) and _is_recent(one, now)]
    if not over:
        return []
    judged = {mark for one in beliefs if one.predicate == PREDICATE for mark in one.evidence}
    created = {one.id: one.created for one in plans}
    found: list[ExpectationVerdict] = []
    for plan in over:
        told = [
            *_by_steps(plan, beliefs, index, created),
            *_by_goal(plan, wanted.get(plan.goal_id), index, now, rest(plan)),
        ]
        found += [one for one in told if one.mark not in judged]
    return found


def apply_verdicts(found: Iterable[ExpectationVerdict], beliefs: Sequence[Belief], now: str) -> tuple[Belief, ...]:
    """Return the beliefs changed by verdicts: the trust in each plan, and effects confirmed by another source."""
    held = {one.id: one for one in beliefs}
    changed: dict[str, Belief] = {}
    for verdict in found:
        trusted = _update_trust(
            verdict, changed.get(key := f"B-{PREDICATE}-{name_of(verdict.plan)}") or held.get(key), now
        )
        changed[trusted.id] = trusted
        effect = changed.get(verdict.belief_id) or held.get(verdict.belief_id)
        if effect is not None and verdict.kind == "confirmed":
            surer = round(effect.certainty + (1 - effect.certainty) * SURER, 4)
            changed[effect.id] = _revise_value(effect, effect.value, surer, verdict.reason, now)
    return tuple(changed.values())


def _update_trust(verdict: ExpectationVerdict, before: Belief | None, now: str) -> Belief:
    """Return the trust in a plan of this name after one more verdict."""
    name = name_of(verdict.plan)
    belief = before or Belief(
        f"B-{PREDICATE}-{name}", "", NEUTRAL, category="case", source=SOURCE, subject=name,
        predicate=PREDICATE, value="not observed yet",
    )  # fmt: skip
    move = _MOVES[verdict.kind]
    sure = belief.certainty + move * ((1 - belief.certainty) if move > 0 else belief.certainty)
    value = "as expected" if verdict.kind == "confirmed" else "not as expected"
    after = _revise_value(belief, value, round(sure, 4), f"{verdict.plan.id} {verdict.reason}", now)
    statement = f"What {name} was to bring about came {value} the last time"
    return replace(after, statement=statement, evidence=(*belief.evidence, verdict.mark)[-MARKS:], status="held")


def _revise_value(belief: Belief, value: str, sure: float, why: str, now: str) -> Belief:
    entry = Revision(now, belief.value, value, belief.certainty, sure, why)
    revisions = (*belief.revisions, entry)[-REVISIONS_SHOWN:]
    return replace(belief, value=value, certainty=sure, updated=now, revisions=revisions)


def observed_results(plan: Plan, step: Step, result: Mapping[str, Any], now: str) -> tuple[Belief, ...]:
    """Return the beliefs from the answer of a call: effects that name one of its fields, as `{result.seconds}`.

    A fact that the step itself recorded and a note of a playbook also give beliefs. Every other effect is a prediction
    that only a record or a measurement turns into a belief.

    >>> ask = Step("ask", effects=("api latency {result.seconds}", "api status repaired"))
    >>> [belief.statement for belief in observed_results(Plan("P-1"), ask, {"seconds": 2.3}, "2026-01-05")]
    ['api latency 2.3']
    """
    told = {name: " ".join(str(one).split())[:_LONGEST] for name, one in result.items() if isinstance(one, _SCALAR)}
    return tuple(
        Belief(
            id=f"B-{plan.id}-{step.id}-{number}",
            statement=f"{subject} {predicate} {known}",
            certainty=CERTAIN_RESULT,
            category="self",
            source=f"step {step.id} of {plan.name}",
            subject=subject,
            predicate=predicate,
            value=known,
            updated=now,
            evidence=(plan.id,),
        )
        for number, (subject, predicate, value) in enumerate(effects(step), start=1)
        if _is_shown(plan, step, (subject, value), told)
        for known in [_RESULT.sub(lambda found: told[found[1]], value)]
    )


def _is_shown(plan: Plan, step: Step, effect: tuple[str, str], told: Mapping[str, str]) -> bool:
    """Return whether a value that a step made known, and not a prediction, gives one of its effects."""
    subject, value = effect
    if fields := _RESULT.findall(value):
        return all(name in told for name in fields)
    if not step.tool:
        return plan.source == "playbook"
    fact = step.arguments
    is_about = subject in (fact.get("subject"), fact.get("predicate"))
    return step.tool == "fact_assert" and is_about and value == str(fact.get("object"))


def _by_steps(
    plan: Plan, beliefs: Sequence[Belief], index: BeliefIndex, created: Mapping[str, str]
) -> Iterator[ExpectationVerdict]:
    """Yield the observations of a plan's step effects; if several steps make one claim, the last counts."""
    last: dict[tuple[str, str], tuple[Step, int, str]] = {}
    for step in plan.steps:
        for number, (subject, predicate, value) in enumerate(effects(step) if step.status == "done" else (), start=1):
            if "{result." not in value:
                last[subject, predicate] = step, number, value
    for (subject, predicate), (step, number, value) in last.items():
        seen = index.belief(subject, predicate)
        if seen is None or not _is_observed(seen, plan, step, value, created):
            continue
        kind = _judge_outcome(content(seen), value, _before(plan, step, seen, beliefs))
        expected, observed = f"{subject} {predicate} {value}", f"{seen.statement} ({seen.source})"
        yield ExpectationVerdict(plan, f"{plan.id}/{step.id}/{number}", kind, expected, observed, seen.id)


def _is_observed(seen: Belief, plan: Plan, step: Step, expected: str, created: Mapping[str, str]) -> bool:
    """Return whether another source has reported an effect since, or the step's own call answered otherwise."""
    if seen.source.startswith(f"step {step.id} of ") and plan.id in seen.evidence and seen.updated <= plan.updated:
        return content(seen) != _normalize_value(expected)
    return seen.updated > plan.updated and not _is_own_hand(seen, plan, created)


def _judge_outcome(observed: str, expected: str, before: str) -> Kind:
    if observed == _normalize_value(expected):
        return "confirmed"
    return "missed" if observed == before else "contradicted"


def _normalize_value(value: str) -> str:
    """Return a value in the normal form for comparing beliefs."""
    return content(Belief("", "", value=value))


def _is_own_hand(seen: Belief, plan: Plan, created: Mapping[str, str]) -> bool:
    """Return whether a belief is a plan's word that it did something, unconfirmed by others since."""
    by_step = seen.source.startswith("step ")
    others = [one for one in seen.evidence if created.get(one, "") > plan.created]
    return by_step and (plan.id not in seen.evidence or bool(others))


def _before(plan: Plan, step: Step, seen: Belief, beliefs: Sequence[Belief]) -> str:
    """Return the belief's value before a step was done, in normal form; empty if unknown."""
    for belief in beliefs:
        if plan.id in belief.evidence and claim(belief) == claim(seen):
            entries = [one for one in belief.revisions if one.source.startswith(f"step {step.id} ")]
            return _normalize_value(entries[-1].before) if entries else ""
    older = [one for one in seen.revisions if one.at <= plan.created]
    return _normalize_value(older[-1].after) if older else ""


def _by_goal(
    plan: Plan, goal: Goal | None, index: BeliefIndex, now: datetime, rest: timedelta
) -> Iterator[ExpectationVerdict]:
    """Yield whether a completed plan's goal came nearer, once it was measured after the plan's end."""
    if goal is None or plan.status != "completed" or not is_comparison(goal.target):
        return
    seen = [index.about(name) for name in subjects(goal.target)]
    if any(one is None or one.updated <= plan.updated or one.source.startswith("step ") for one in seen):
        return
    then = as_of(index, plan.created, plan.id)
    before, after = closeness(goal.target, then), closeness(goal.target, index)
    is_there = holds(goal.target, index) is True
    ended = moment(plan.updated)
    if after is None or before == 1.0 or not (is_there or (ended is not None and now - ended >= rest)):
        return
    kind: Kind = "missed"
    if is_there or (before is not None and after > before * (1 + NEARER)):
        kind = "confirmed"
    elif before is not None and after < before * (1 - NEARER):
        kind = "contradicted"
    figures = ", ".join(f"{one} was {then(one) or 'unknown'} and is {index(one)}" for one in subjects(goal.target))
    yield ExpectationVerdict(plan, f"{plan.id}/goal", kind, goal.target, figures)


def _promises(plan: Plan, goal: Goal | None) -> bool:
    """Return whether anything can be expected of a plan by now."""
    if plan.status not in ("completed", "failed", "abandoned"):
        return False
    return bool(goal and goal.target) or any(step.effects for step in plan.steps)


def _is_recent(plan: Plan, now: datetime) -> bool:
    ended = moment(plan.updated)
    return ended is not None and now - ended <= HORIZON
