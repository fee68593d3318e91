"""Memories of a cycle: messages and findings, decisions with reasons, actions, and their results.

Each has the fields of the memory type that S0 section 4 defines. Their importance keeps them permanently, unless a
message itself says that it does not matter.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from mabos.mind.conditions import subjects
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.mind.plans import with_results
from mabos.mind.situation import insight
from mabos.nodes.perception.messages import PERSON, headline, weight
from mabos.society.messages import Message
from mabos.workspace.currencies import money

Fields = Mapping[str, Any]

_LASTING, _DECIDED, _FAILED = 0.6, 0.7, 0.75
_KNOWN = ("fact_assert", "belief_update")  # operations whose effect is something known, not something done
_UNTOLD = ("from", "source", "confidence", "certainty", "category", "performative", "type", "business_id")
_LONGEST = 400


def build_message_memory(message: Message, colleagues: Collection[str]) -> Fields:
    """Return the memory of a message: a person's answer is a decision, outside news an event."""
    kind = "observation"
    if message.protocol == "decision":
        kind = "decision"
    elif message.sender not in colleagues and message.sender != PERSON:
        kind = "event"
    return {
        "content": f"{message.sender} ({message.performative}): {headline(message.content, _LONGEST)}",
        "type": kind,
        "importance": weight(message),
        "source": f"message {message.id}",
        "tags": [message.performative.lower(), message.sender],
    }


def build_finding_memories(beliefs: Iterable[Belief]) -> Iterator[Fields]:
    """Yield the memory of each measured or read belief, with its earlier value."""
    told = [one for one in beliefs if one.subject and not one.source.startswith("message ")]
    if told:
        yield {
            "content": f"Found: {'; '.join(map(_figure, told))}",
            "type": "fact",
            "importance": _LASTING,
            "source": ", ".join(dict.fromkeys(one.source for one in told)),
            "tags": ["found", *(one.subject for one in told)],
            "evidence": [shown for one in told for shown in one.evidence[-1:]],
        }


def build_adoption_memory(goal: Goal, index: BeliefIndex) -> Fields:
    """Return the memory of an adopted goal, with the beliefs at that time."""
    until = f", until {goal.deadline[:10]}" if goal.deadline else ""
    return {
        "content": f"Took up the goal {goal.description!r}{_describe_target(goal, index)}{until}",
        "type": "decision",
        "importance": _DECIDED,
        "source": f"goal {goal.id}",
        "tags": ["goal", "adopted", *subjects(goal.target)],
        "evidence": goal.evidence,
    }


def build_plan_memory(intention: Intention, plan: Plan, goal: Goal, index: BeliefIndex) -> Fields:
    """Return the memory of a chosen plan: its goal, reasons, steps, and risks."""
    steps = "; ".join(step.description for step in plan.steps if step.description)
    risks = f" Risks: {'; '.join(plan.risks)}." if plan.risks else ""
    why = f" ({plan.strategy})" if plan.source == "case" and plan.strategy else ""
    aim = f"{goal.description!r}{_describe_target(goal, index)}"
    return {
        "content": f"Decided on {plan.name}{why} for {aim}. Steps: {steps}.{risks}",
        "type": "decision",
        "importance": _DECIDED,
        "source": f"intention {intention.id}",
        "tags": ["plan", "decided", *([plan.template] if plan.template else [])],
        "evidence": intention.evidence,
    }


def build_step_memory(plan: Plan, step: Step, ref: str) -> Fields:
    """Return the memory of a finished step: its findings, or the action and its arguments."""
    made_known = step.tool in _KNOWN
    cost = f" ({money(round(step.cost))})" if step.cost else ""
    arguments = with_results(step.arguments, plan)
    told = _render_fact(arguments) if made_known else headline(_detail(arguments), _LONGEST)
    return {
        "content": f"{step.description or step.id}: {told}{cost}",
        "type": "fact" if made_known else "event",
        "importance": _LASTING,
        "source": f"step {step.id} of {plan.id}",
        "tags": ["step", step.tool, *([plan.template] if plan.template else [])],
        "evidence": [ref] if ref else [],
    }


def build_outcome_memory(intention: Intention, plan: Plan | None, goal: Goal | None, index: BeliefIndex) -> Fields:
    """Return the memory of a finished intention: its result, or the cause of its failure."""
    name = plan.name if plan else intention.description
    aim = f" for {goal.description!r}" if goal else ""
    good = intention.status == "completed"
    came = f" {insight(plan, goal, index, intention.started)}" if good and plan else ""
    return {
        "content": f"Plan {name}{aim} is {intention.status}: {intention.reason}.{came}",
        "type": "outcome",
        "importance": _LASTING if good else _FAILED,
        "source": f"intention {intention.id}",
        "tags": ["plan", intention.status, *([plan.template] if plan and plan.template else [])],
    }


def build_goal_memory(goal: Goal, index: BeliefIndex) -> Fields:
    """Return the memory of an achieved or abandoned goal."""
    return {
        "content": f"The goal {goal.description!r} is {goal.status}{_describe_target(goal, index)}",
        "type": "outcome",
        "importance": _FAILED,
        "source": f"goal {goal.id}",
        "tags": ["goal", goal.status, *subjects(goal.target)],
    }


def _figure(belief: Belief) -> str:
    before = belief.revisions[-1].before if belief.revisions else ""
    return belief.statement + (f" ({before} before)" if before and before != belief.value else "")


def _describe_target(goal: Goal, index: BeliefIndex) -> str:
    """Return a goal's target and current state, in brackets, or nothing if it cannot be measured."""
    if not goal.target:
        return ""
    standing = [f"{name} is {belief.value}" for name in subjects(goal.target) if (belief := index.about(name))]
    return f" (wanted: {goal.target}{'; ' if standing else ''}{', '.join(standing)})"


def _render_fact(arguments: Mapping[str, Any]) -> str:
    said = arguments.get("description")
    return str(
        said or " ".join(str(one) for name in ("subject", "predicate", "object") if (one := arguments.get(name)))
    )


def _detail(arguments: Mapping[str, Any]) -> str:
    """Return the arguments of an operation, as words: `to cmo; content Please hold the campaign`."""
    told = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in arguments.items()
        if name not in _UNTOLD and isinstance(value, str | int | float) and value != ""
    ]
    return "; ".join(told)
