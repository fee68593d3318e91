"""Why a plan failed: the step by itself, what it needed, or the operation, by what failed and what worked."""

from collections.abc import Iterable, Iterator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.incidents import Component, Diagnosis, Incident, solve
from mabos.knowledge.reasoning.result import MethodResult
from mabos.mind.conditions import holds, subjects
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Plan, Step

RECENT = 12
"""The latest steps of all plans by which it is judged how reliable an operation is."""
NAMED = 200
"""Characters by which what may be at fault is named; the text of a condition may be longer."""
SUSPECTED = 0.5
"""How probable a cause must be to be told."""


def root_cause(plan: Plan, plans: Iterable[Plan], index: BeliefIndex) -> MethodResult[Diagnosis] | None:
    """Return what is most probably at fault for a plan with a failed step; None where no step failed."""
    stuck = next((step for step in plan.steps if step.status == "failed"), None)
    if stuck is None:
        return None
    needs = dict(_needs(stuck, index))
    components = {
        **needs,
        **dict(_record(stuck, (plan, *plans))),
        _step(plan, stuck): Component(failed=True, depends_on=(*needs, *_operation(stuck)), id=plan.id),
    }
    return solve(Incident(symptom=_step(plan, stuck), components=components), Budget())


def told(plan: Plan, plans: Iterable[Plan], index: BeliefIndex) -> str:
    """Return the root cause of a failed plan in words, or nothing where none is probable enough."""
    found = root_cause(plan, plans, index)
    suspect = found.answer.suspects[0] if found and found.answer.suspects else None
    if suspect is None or suspect.share < SUSPECTED or suspect.name.startswith("step "):
        return ""
    return f"Most probably because of {suspect.name} ({suspect.share:.2f}: {suspect.why})"


def _needs(step: Step, index: BeliefIndex) -> Iterator[tuple[str, Component]]:
    """Yield what the step needed, with the belief it rests on: less certain, more suspect."""
    for condition in step.preconditions:
        belief = next((one for name in subjects(condition) if (one := index.about(name))), None)
        met = holds(condition, index)
        doubt = 0.5 if belief is None else 1 - belief.certainty
        # That a condition holds as believed fails only where the belief is wrong, and by so much that it matters.
        doubt = max(0.01, doubt * doubt if met else doubt)
        yield (
            f"the condition {condition}"[:NAMED],
            Component(failed=True if met is False else None, prior=doubt, id=belief.id if belief else ""),
        )


def _record(stuck: Step, plans: Iterable[Plan]) -> Iterator[tuple[str, Component]]:
    """Yield the operation and how it went elsewhere."""
    for name in _operation(stuck):
        yield name, Component()
    seen = {
        _step(plan, step): step.status == "failed"
        for plan in plans
        for step in plan.steps
        if stuck.tool and step.tool == stuck.tool and step != stuck and step.status in ("done", "failed")
    }
    for name, failed in list(seen.items())[-RECENT:]:
        yield name, Component(failed=failed, depends_on=_operation(stuck))


def _operation(step: Step) -> tuple[str, ...]:
    return (f"the operation {step.tool}"[:NAMED],) if step.tool else ()


def _step(plan: Plan, step: Step) -> str:
    return f"step {step.id} of {plan.id}"[:NAMED]
