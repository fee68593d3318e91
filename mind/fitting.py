"""Fitting a past case's steps to the present, with reasons: the five operations (S3 7.3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from mabos.knowledge.values import number
from mabos.knowledge.wording import name_key
from mabos.mind.adaptation import START, adapt
from mabos.mind.conditions import Lookup, holds, parse, subjects
from mabos.mind.library import stems
from mabos.mind.model import Goal, Step
from mabos.mind.plans import effects
from mabos.mind.times import moment
from mabos.workspace.clock import iso

Operation = Literal["substitute", "insert", "delete", "relax", "tighten"]
Offer = Callable[[str], Step | None]
"""Answers which step would bring a condition about, or None."""
SHORTEST = 3
"""A value of fewer characters stands in too many texts to be taken for the same thing everywhere."""
HALF = 0.5
"""The share of a goal's words that must be said of steps for which it is not known what they were measured by."""
DUE = ("deadline", "due", "until")
"""The arguments by which a step says until when something is to be done."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The present, in all respects in which a case may differ from it.

    `rules` are the conditions of current rules, each with the id of its rule; `offer` finds a step that fulfils a
    condition.
    """

    goal: Goal
    lookup: Lookup
    now: datetime
    rules: tuple[tuple[str, str], ...] = ()
    offer: Offer = lambda _condition: None


@dataclass(frozen=True, slots=True)
class PastSituation:
    """The situation of a past case: beliefs, the goal in words, and skipped steps."""

    case_id: str
    beliefs: Mapping[str, Any] = field(default_factory=dict)
    context: str = ""
    skipped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Difference:
    """An operation for `adapt`, and its reason; an insertion has the step and the step before it."""

    operation: Operation
    what: Any
    why: str
    inserted: tuple[tuple[str, Step], ...] = ()


def bears_on(goal: Goal, context: str, expected: str, steps: Sequence[Step]) -> bool:
    """Return whether steps carried out for another goal are relevant to this one.

    They are if they, or the target they were `expected` to reach, concern the goal's measures. Otherwise the past goal
    (`context`) and the steps must contain half of the goal's words.
    """
    measured = {name_key(one) for condition in (goal.target, *goal.success_criteria) for one in subjects(condition)}
    brought = [pair for step in steps for one, two, _ in effects(step) for pair in (one, f"{one} {two}")]
    if measured & {name_key(one) for one in (*subjects(expected), *brought)}:
        return True
    words = stems(goal.description)
    said = stems(" ".join((context, *(step.description for step in steps))))
    return bool(words) and len(words & said) >= HALF * len(words)


def fit_steps(
    steps: Sequence[Step], past: PastSituation, present: Situation
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """Return `steps` adapted to the present, and one sentence with the reason for each change."""
    made, told = tuple(steps), list[str]()
    looks: tuple[Callable[[Sequence[Step]], Iterator[Difference]], ...] = (
        lambda _: _find_substitutions(past, present),
        lambda steps: _left_out(steps, past, present.lookup),
        lambda steps: _find_additions(steps, present),
        lambda steps: _find_relaxations(steps, past, present),
        lambda steps: _find_tightenings(steps, past, present),
    )
    for look in looks:
        for found in look(made):
            given: dict[str, Any] = {} if found.inserted else {found.operation: found.what}
            changed = adapt(made, given, found.inserted)
            made = changed.steps
            told += [f"{found.operation}: {sentence}, because {found.why}" for sentence in changed.changes]
    return made, tuple(told)


def _find_substitutions(past: PastSituation, present: Situation) -> Iterator[Difference]:
    """Yield a new name for anything renamed since: the values of beliefs, and the goal in words."""
    renamed = [(name, str(held), present.lookup(name)) for name, held in past.beliefs.items() if held is not None]
    renamed.append(("the goal", past.context, present.goal.description))
    for name, old, new in renamed:
        if new is None or new == old or len(old) < SHORTEST or number(old) is not None:
            continue
        yield Difference("substitute", {old: new}, f"{name} is {new} now and was {old} in {past.case_id}")


def _left_out(steps: Sequence[Step], past: PastSituation, lookup: Lookup) -> Iterator[Difference]:
    """Yield the steps that have nothing to do any more, as long as something is left."""
    kept = len(steps)
    for step in steps:
        why = _needless(step, past, lookup)
        if why and kept > 1:
            kept -= 1
            yield Difference("delete", [step.id], why)


def _needless(step: Step, past: PastSituation, lookup: Lookup) -> str:
    if step.id in past.skipped:
        return f"it was skipped in {past.case_id}"
    brought = [f"{subject} {predicate} = {value}" for subject, predicate, value in effects(step)]
    if brought and all(holds(condition, lookup) is True for condition in brought):
        return f"it is so already: {', '.join(step.effects)}"
    return ""


def _find_additions(steps: Sequence[Step], present: Situation) -> Iterator[Difference]:
    """Yield steps that establish a step's precondition, where neither the present nor an earlier step does."""
    brought, taken = set[str](), {step.id for step in steps}
    before = START
    for step in steps:
        for condition in step.preconditions:
            if holds(condition, present.lookup) is not False or condition in brought:
                continue
            needed = present.offer(condition)
            if needed is None or needed.id in taken:
                continue
            brought.add(condition)
            taken.add(needed.id)
            why = f"{step.id} needs {condition}, which does not hold"
            yield Difference("insert", None, why, ((before, needed),))
            before = needed.id
        before = step.id


def _find_relaxations(steps: Sequence[Step], past: PastSituation, present: Situation) -> Iterator[Difference]:
    """Yield the bounds that the present cannot keep and that can be moved: dates gone by, more money than it takes."""
    for name in DUE:
        dates = (_gone_by(step.arguments.get(name), present.now) for step in steps)
        if any(dates):
            due = present.goal.deadline or iso(present.now)
            yield Difference("relax", {name: due[:10]}, f"the date in {past.case_id} has gone by")
    for step in steps:
        for condition in step.preconditions:
            looser = _looser(condition, step, present.lookup)
            if looser:
                why = f"{condition} does not hold, and {step.id} takes {step.cost:,.0f}"
                yield Difference("relax", {condition: looser}, why)


def _looser(condition: str, step: Step, lookup: Lookup) -> str:
    """Return the bound on money that the cost of a step asks for, where that holds and the stated one does not."""
    clauses = [clause for alternative in parse(condition) for clause in alternative]
    if len(clauses) != 1 or clauses[0].subject != "cash" or clauses[0].op not in (">", ">="):
        return ""
    bound = f"cash > {step.cost:.0f}"
    if holds(condition, lookup) is not False or not step.cost or holds(bound, lookup) is not True:
        return ""
    return bound


def _find_tightenings(steps: Sequence[Step], past: PastSituation, present: Situation) -> Iterator[Difference]:
    """Yield the conditions that rules ask for now and that no step of the case had."""
    stated = {condition for step in steps for condition in step.preconditions}
    for rule_id, condition in present.rules:
        if condition not in stated:
            yield Difference("tighten", [condition], f"{rule_id} asks for it since {past.case_id}")


def _gone_by(value: Any, now: datetime) -> bool:
    at = moment(value) if isinstance(value, str) else None
    return at is not None and at < now
