"""What a plan knows of a person's answers: a decision point may ask for `answer`, or `<step> answer`."""

from mabos.knowledge.wording import name_key
from mabos.mind.conditions import Lookup
from mabos.mind.model import Plan, Step
from mabos.mind.plans import is_decision

ASKS = "decision_request"
"""The operation that puts a question with options before a person."""


def with_replies(plan: Plan, lookup: Lookup, *, answered: str = "") -> Lookup:
    """Return `lookup` that also knows the options chosen in this plan; `answered` is a step whose answer is just in."""
    chosen: dict[str, str] = {}
    for step in plan.steps:
        if step.tool == ASKS and step.result and (step.status == "done" or step.id == answered):
            chosen["answer"] = chosen[name_key(f"{step.id} answer")] = step.result
    return (lambda name: chosen.get(name_key(name)) or lookup(name)) if chosen else lookup


def needs_answer(plan: Plan, step: Step) -> bool:
    """Return whether the plan cannot go on from a question without its answer: it, or what follows, is a decision."""
    if step.tool != ASKS:
        return False
    place = [one.id for one in plan.steps].index(step.id)
    following = next(iter(plan.steps[place + 1 :]), None)
    return bool(step.branches) or (following is not None and is_decision(following))
