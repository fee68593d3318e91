"""Execution of a plan: the next step, the effect of an outcome on the plan, and the key of each effect (S3 7.5).

A step is ready when no precondition is known to fail. A step with branches is a decision point: the first branch whose
condition holds names the next step, and the steps between are skipped; `end` ends it. Neighbouring steps with
`ordering: choice` and no branches are alternatives: the first that can be done is done, the others are skipped.
Neighbouring steps with `ordering: parallel` depend only on the steps before all of them: while one waits or is blocked,
the others are done.
"""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import takewhile
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument, unknown
from mabos.mind.conditions import Lookup, holds
from mabos.mind.model import Plan, Step, StepStatus
from mabos.workspace.copies import replace

END = "end"
_OVER = ("done", "skipped")
_SOONEST = ("ready", "waiting", "blocked", "failed")
"""The order of parallel steps: one that can be done before one that waits."""
Readiness = Literal["ready", "blocked", "waiting", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Next:
    """The next move of a plan; `unmet` are the preconditions that fail, `unknown` the undecided ones."""

    readiness: Readiness
    step: Step | None = None
    unmet: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def current_step(plan: Plan) -> Step | None:
    """Return the first unfinished step from the cursor on, or None."""
    return next((step for step in plan.steps[plan.cursor :] if step.status not in _OVER), None)


def step_of(plan: Plan, step_id: str) -> Step:
    """Return a step; raises `UnknownId`."""
    for step in plan.steps:
        if step.id == step_id:
            return step
    raise unknown("step", step_id, (step.id for step in plan.steps), argument="step_id")


def next_step(plan: Plan, lookup: Lookup) -> Next:
    """Return the next step and whether it can be done."""
    step = current_step(plan)
    if step is None:
        return Next("finished")
    if _is_parallel(step):
        return min(
            (_asked_of(one, lookup) for one in _beside(plan, step)), key=lambda one: _SOONEST.index(one.readiness)
        )
    options = [one for one in _alternatives(plan, step) if one.status not in (*_OVER, "failed")]
    if not options:
        return Next("failed", step)
    if step.status == "waiting":
        return Next("waiting", step)
    tried = [_readiness(option, lookup) for option in options]
    return next((one for one in tried if one.readiness == "ready"), tried[0])


def is_decision(step: Step) -> bool:
    """Return whether a step only chooses a branch."""
    return not step.tool and bool(step.branches)


def waiting(plan: Plan, step_id: str, decision_id: str, now: str) -> Plan:
    """Return `plan` with a step that waits for a person's decision or a workflow run; the cursor stays."""
    return _with(plan, replace(step_of(plan, step_id), status="waiting", decision_id=decision_id), now)


def is_run(waits_for: str) -> bool:
    """Return whether a step waits for a workflow run rather than a person's decision."""
    return waits_for.startswith("WR-")


def reopen_step(plan: Plan, step_id: str, now: str) -> Plan:
    """Return `plan` with a completed step reopened because its effect failed; repeating it is a new attempt."""
    step = step_of(plan, step_id)
    return _with(plan, replace(step, decision_id="", attempt=step.attempt + 1), now)


def fold_outcome(plan: Plan, step_id: str, outcome: StepStatus, lookup: Lookup, now: str, *, result: str = "") -> Plan:
    """Return `plan` after a step's outcome: its record, the branch taken, the cursor, and the plan's status."""
    if outcome not in ("done", "failed", "skipped"):
        raise InvalidArgument(f"outcome {outcome!r} is unknown; use done, failed or skipped", argument="outcome")
    step = step_of(plan, step_id)
    plan = _with(plan, replace(step, status=outcome, result=result), now)
    if outcome != "failed":
        if outcome == "done":
            plan = _without_alternatives(plan, step)
            plan = _take_branch(plan, step, lookup)
        plan = replace(plan, cursor=_cursor(plan))
    return replace(plan, status=_status(plan))


def reopen_failed(plan: Plan, now: str) -> Plan:
    """Return `plan` with its failed steps open again."""
    steps = tuple(replace(step, status="pending") if step.status == "failed" else step for step in plan.steps)
    return replace(plan, steps=steps, status="active", updated=now)


def revise_plan(plan: Plan, steps: Sequence[Step], now: str) -> Plan:
    """Return the next revision of `plan`: done steps stay, `steps` replace the rest.

    A new step with the id of a done one gets the revision as a suffix, and branches to it follow.
    """
    kept = tuple(step for step in plan.steps if step.status == "done")
    taken, suffix = {step.id for step in kept}, f"-{plan.revision + 1}"
    names = {step.id: step.id + suffix if step.id in taken else step.id for step in steps}
    # Whoever renamed the steps before may have left their branches behind.
    known = names | {name.removesuffix(suffix): name for name in names.values() if name.endswith(suffix)}
    fresh = tuple(
        replace(step, id=names[step.id], branches=tuple((when, known.get(go, go)) for when, go in step.branches))
        for step in steps
    )
    return replace(
        plan, steps=(*kept, *fresh), cursor=len(kept), revision=plan.revision + 1, status="active", updated=now
    )


def progress(plan: Plan) -> float:
    """Return the share of finished steps, in [0, 1]."""
    if not plan.steps:
        return 1.0 if plan.status == "completed" else 0.0
    return round(sum(step.status in _OVER for step in plan.steps) / len(plan.steps), 4)


def remaining_cost(plan: Plan) -> float:
    """Return the expected cost of the open steps."""
    return sum(step.cost for step in plan.steps if step.status not in _OVER)


def effect_key(plan: Plan, step: Step, arguments: Mapping[str, Any] | None = None) -> str:
    """Return the idempotency key of this attempt at an effect."""
    canonical = json.dumps(step.arguments if arguments is None else arguments, sort_keys=True, default=str)
    digest = blake2b(canonical.encode(), digest_size=8).hexdigest()
    return f"{plan.id}/{plan.revision}/{step.id}/{step.attempt}/{digest}"


def effects(step: Step) -> tuple[tuple[str, str, str], ...]:
    """Return the effects of a step as triples; the value is the rest of the line, and quotes group words."""
    triples = []
    for effect in step.effects:
        parts = _words(effect)
        if len(parts) >= 3:
            triples.append((parts[0], parts[1], " ".join(parts[2:])))
    return tuple(triples)


def with_results(arguments: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """Return `arguments` with `{step.result}` replaced by the result of that step of `plan`."""
    made = {f"{{{step.id}.result}}": step.result for step in plan.steps if step.status == "done" and step.result}
    return {name: _substitute_results(value, made) for name, value in arguments.items()}


def _substitute_results(value: Any, made: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for placeholder, result in made.items():
            value = value.replace(placeholder, result)
        return value
    if isinstance(value, Mapping):
        return {name: _substitute_results(one, made) for name, one in value.items()}
    return [_substitute_results(one, made) for one in value] if isinstance(value, list | tuple) else value


@lru_cache(maxsize=1024)
def _words(effect: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(effect))
    except ValueError:
        return tuple(effect.split())


def _readiness(step: Step, lookup: Lookup) -> Next:
    truths = {condition: holds(condition, lookup) for condition in step.preconditions}
    unmet = tuple(condition for condition, truth in truths.items() if truth is False)
    undecided = tuple(condition for condition, truth in truths.items() if truth is None)
    return Next("blocked" if unmet else "ready", step, unmet, undecided)


def _asked_of(step: Step, lookup: Lookup) -> Next:
    if step.status in ("waiting", "failed"):
        return Next("waiting" if step.status == "waiting" else "failed", step)
    return _readiness(step, lookup)


def _is_parallel(step: Step) -> bool:
    return step.ordering == "parallel" and not step.branches


def _beside(plan: Plan, step: Step) -> Iterator[Step]:
    """Yield `step` and the open ones after it that are done side by side with it."""
    at = [one.id for one in plan.steps].index(step.id)
    together = takewhile(_is_parallel, plan.steps[at:])
    return (one for one in together if one.status not in _OVER)


def _alternatives(plan: Plan, step: Step) -> list[Step]:
    """Return the run of alternatives around `step`; any other step is alone."""
    if step.ordering != "choice" or step.branches:
        return [step]
    at = [one.id for one in plan.steps].index(step.id)
    first = last = at
    while first > 0 and _is_alternative(plan.steps[first - 1]):
        first -= 1
    while last + 1 < len(plan.steps) and _is_alternative(plan.steps[last + 1]):
        last += 1
    return list(plan.steps[first : last + 1])


def _is_alternative(step: Step) -> bool:
    return step.ordering == "choice" and not step.branches


def _without_alternatives(plan: Plan, done: Step) -> Plan:
    losers = {one.id for one in _alternatives(plan, done) if one.id != done.id and one.status not in _OVER}
    return _skip_steps(plan, losers)


def _take_branch(plan: Plan, step: Step, lookup: Lookup) -> Plan:
    """Return `plan` with the steps outside the branch of `step` skipped."""
    target = next((go for condition, go in step.branches if holds(condition, lookup) is True), "")
    if not target:
        return plan
    order = [one.id for one in plan.steps]
    here = order.index(step.id)
    if target == END:
        return _skip_steps(plan, order[here + 1 :])
    if target not in order:
        raise unknown("step", target, order, argument="branches")
    return _skip_steps(plan, order[here + 1 : order.index(target)])


def _skip_steps(plan: Plan, step_ids: Iterable[str]) -> Plan:
    gone = set(step_ids)
    if not gone:
        return plan
    steps = tuple(
        replace(step, status="skipped") if step.id in gone and step.status not in _OVER else step for step in plan.steps
    )
    return replace(plan, steps=steps)


def _cursor(plan: Plan) -> int:
    return next((at for at, step in enumerate(plan.steps) if step.status not in _OVER), len(plan.steps))


def _status(plan: Plan) -> Literal["active", "completed", "failed"]:
    step = current_step(plan)
    if step is None:
        return "completed"
    options = _alternatives(plan, step)
    return "failed" if all(option.status in ("failed", "skipped") for option in options) else "active"


def _with(plan: Plan, step: Step, now: str) -> Plan:
    steps = tuple(step if one.id == step.id else one for one in plan.steps)
    return replace(plan, steps=steps, updated=now)
