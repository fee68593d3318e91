"""What a finished plan teaches, in a sentence a reader can use: what was done, and what the figures did meanwhile."""

from collections.abc import Iterator

from mabos.knowledge.values import number
from mabos.mind.conditions import subjects
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Goal, Plan
from mabos.mind.situation import value_at

STEPS_TOLD = 3


def insight(plan: Plan, goal: Goal | None, index: BeliefIndex, since: str) -> str:
    """Return what `plan` did and how the figures its goal is measured by have moved since the time `since`.

    >>> from mabos.mind.model import Belief, Step
    >>> fix = Step("fix", "Commission the repair", tool="work_package_create", status="done")
    >>> quality = Belief("B-1", "quality is 0.54", 0.9, subject="quality", value="0.54")
    >>> goal = Goal("G-1", "Keep quality high", target="quality >= 0.7")
    >>> insight(Plan("P-1", "G-1", "quality improvement", steps=(fix,)), goal, BeliefIndex([quality]), "2026-01-05")
    'Quality improvement: commission the repair. At the end quality was 0.54, as before; wanted: quality >= 0.7.'
    """
    figures = ", ".join(_figures(goal, index, since)) if goal else ""
    told = f"{plan.name[:1].upper()}{plan.name[1:]}: {_deeds(plan) or 'done without an operation'}."
    if not figures or goal is None:
        return told
    return f"{told} At the end {figures}; wanted: {goal.target}."


def _deeds(plan: Plan) -> str:
    """Return what was done in the words of the steps, and what it cost."""
    done = [step for step in plan.steps if step.status == "done" and step.tool and step.description]
    words = [step.description[:1].lower() + step.description[1:].rstrip(".") for step in done]
    more = [f"and {len(words) - STEPS_TOLD} more"] if len(words) > STEPS_TOLD else []
    cost = sum(step.cost for step in done)
    return "; ".join([*words[:STEPS_TOLD], *more]) + (f" (${cost:,.0f})" if cost else "")


def _figures(goal: Goal, index: BeliefIndex, since: str) -> Iterator[str]:
    """Yield how numbers have moved; a word such as `done` is what the plan wrote itself, and teaches nothing."""
    for name in subjects(goal.target):
        belief = index.about(name)
        if belief is not None and number(belief.value) is not None:
            before = value_at(belief, since)
            moved = f"{before} before" if before != belief.value else "as before"
            yield f"{name.replace('_', ' ')} was {belief.value}, {moved}"
