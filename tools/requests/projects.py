"""Projects: one goal with a plan of steps in the order given, for people, for approval and for operations.

A step of work waits for a report. An approval of the product of an earlier step, as a sketch, is asked for after that
step. Another approval is asked for once only people's work is left before it, so that both can come in any order. An
operation is performed when every step in front of it is done or approved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.language.request import Check, Request, Slot
from mabos.language.wordlists import order_form
from mabos.memory.stem import stem
from mabos.mind.model import Plan, Step
from mabos.society.decisions import Decision
from mabos.tools.requests.calls import call_tool
from mabos.tools.requests.carrying import plan_id
from mabos.tools.requests.mailing import write_letter
from mabos.tools.requests.response import Ask, Decline, Do, Response
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.text import STOPWORDS, terms

APPROVAL = "decision_request"
"""The operation that asks for the approval of a step."""
REFUSES = "no"
"""The option of an approval that says no."""
_MAIL = ("email_send", "email_campaign")
_OVER = ("done", "skipped")
_SUBJECT = order_form("projects.subject")


@dataclass(frozen=True, slots=True)
class _Part:
    """A step of a project as it was given, the steps of the plan it becomes, and the data missing for it."""

    steps: tuple[Step, ...]
    checks: tuple[Check, ...] = ()
    lacks: str = ""


def project(agent: Agent, request: Request) -> Response:
    """Return the goal for a project: its steps in order, done when each of them is."""
    given: Sequence[Mapping[str, Any]] = request.slot("steps", ())
    if not given:
        return Ask("Which steps does this project have, in order?", ("steps",))
    title = str(request.slot("title", "") or request.sentence)
    earlier = _earlier(agent, request)
    parts = [_part(agent, request, title, given, number) for number in range(1, len(given) + 1)]
    steps = _side_by_side([_reuse_result(step, earlier) for part in parts for step in part.steps])
    over = Check("plans", {"id": plan_id(request), "status": "completed"}, note=f"every step of {title!r} is done")
    over_before = {step.id for step in steps if step.status == "done"}  # on record for the plan as it was before
    checks = tuple(check for part in parts if part.steps[-1].id not in over_before for check in part.checks)
    lacks = {part.steps[-1].id: part.lacks for part in parts if part.lacks}
    deadline = str(request.slot("deadline", "") or "")
    return Do(title, steps, (over, *checks), deadline=deadline, data={"lacks": lacks})


def subject_of(words: str, given: str = "") -> str:
    """Return the thing to be approved.

    >>> subject_of("wait for my OK on the sketch"), subject_of("get my approval of the floor plan")
    ('the sketch', 'the floor plan')
    """
    match = _SUBJECT.search(words) or _SUBJECT.search(given)
    return (match["it"] if match else given or words).strip(" .,;")


def is_manual(step: Step) -> bool:
    """Return whether a person does a step and reports it."""
    return not step.tool and not step.branches


def is_part(step: Step) -> bool:
    """Return whether a step of a plan is a part of one that a person gave: the list of readers of a letter."""
    return "." in step.id


def sent_back(agent: Agent, plan: Plan, decision: Decision) -> Plan | None:
    """Return the plan of a project after a no, continued with a new version; None if the no ends the plan.

    The step asks again when the new version is reported, and nothing behind it happens before.
    """
    goal = next((one for one in agent.mind.goals if one.id == plan.goal_id), None)
    request = agent.requests.find(goal.request_id) if goal is not None and goal.request_id else None
    step = next((one for one in plan.steps if one.decision_id == decision.id and one.status == "waiting"), None)
    if request is None or request.operation != "project" or step is None:
        return None
    number = step.attempt + 1
    subject = str(step.arguments.get("subject", "")).removeprefix("Approval of ")
    described = f"revise {subject}" if step.tool == APPROVAL else f"decide how to go on instead of: {step.description}"
    again = Step(f"{step.id}-r{number}", described)
    opened = replace(step, status="pending", decision_id="", attempt=number, ordering="sequence")
    steps = tuple(new for one in plan.steps for new in ((again, opened) if one.id == step.id else (one,)))
    cursor = next((at for at, one in enumerate(steps) if one.status not in _OVER), len(steps))
    because = f": {decision.feedback}" if decision.feedback else ""
    change = f"{decision.subject} ({decision.id}) was rejected{because}."
    return replace(plan, steps=steps, cursor=cursor, updated=agent.now(), changes=(*plan.changes, change))


def _part(agent: Agent, request: Request, title: str, given: Sequence[Mapping[str, Any]], number: int) -> _Part:
    one = given[number - 1]
    key, text = f"S{number}", str(one.get("text", "")).strip().rstrip(".;,")
    if one.get("kind") == "approval":
        return _Part((_approval(title, given, number),))
    if one.get("kind") == "operation" and one.get("operation"):
        return _operation(agent, request, one, key)
    return _Part((Step(key, text),))


def _approval(title: str, given: Sequence[Mapping[str, Any]], number: int) -> Step:
    """Return the step that asks for an approval, with the steps in front of it and behind it in the question."""
    one = given[number - 1]
    words = str(one.get("text", "")).strip().rstrip(".;,")
    subject = subject_of(words, str(one.get("slots", {}).get("subject", "")))
    told = [f"Step {number} of {len(given)} of the project {title!r}: {words}."]
    if number > 1:
        told.append(f"In front of it: {_join_texts(given[: number - 1])}.")
    if number < len(given):
        told.append(f"Not before your approval: {_join_texts(given[number:])}.")
    options = [{"id": "yes", "label": "Approve"}, {"id": REFUSES, "label": "Not like this"}]
    question = {"subject": f"Approval of {subject}", "description": " ".join(told), "options": options}
    return Step(f"S{number}", words, APPROVAL, question)


def _operation(agent: Agent, request: Request, one: Mapping[str, Any], key: str) -> _Part:
    """Return the calls that a step comes to; where a value is missing, a person gives it or does the step."""
    text, name = str(one.get("text", "")).strip().rstrip(".;,"), str(one["operation"])
    slots = tuple(Slot(slot, value) for slot, value in one.get("slots", {}).items())
    own = replace(request, id=f"{request.id}-{key}", sentence=text, operation=name, slots=slots, missing=())
    response = write_letter(agent, own) if name in _MAIL else call_tool(agent, own)
    if isinstance(response, Do):
        calls = response.steps
        last = len(calls)
        steps = tuple(
            replace(step, id=key, description=text)
            if at == last
            else replace(step, id=f"{key}.{at}", description=f"{text} ({step.description})")
            for at, step in enumerate(calls, start=1)
        )
        return _Part(steps, tuple(_within(one, request) for one in response.checks if one.section != "effects"))
    lacks = response.question if isinstance(response, Ask) else ""
    if isinstance(response, Decline):
        lacks = response.reason
    return _Part((Step(key, text),), lacks=lacks)


def _within(check: Check, request: Request) -> Check:
    """Return a check of one step as a check of the records made by the whole project's plan."""
    return replace(check, where={**check.where, "made_by": plan_id(request)}) if "made_by" in check.where else check


def _side_by_side(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps where an approval is asked for at once while people still work on the steps in front of it."""
    found = list(steps)
    start, is_free = 0, True
    for at, step in enumerate(steps):
        if is_manual(step):
            continue
        is_result = any(_makes(one, step) for one in steps[start:at])
        if step.tool == APPROVAL and is_free and at > start and not is_result:
            found[start : at + 1] = [replace(one, ordering="parallel") for one in steps[start : at + 1]]
        is_free = step.tool != APPROVAL  # two groups next to each other would be one
        start = at + 1
    return tuple(found)


def _makes(work: Step, approval: Step) -> bool:
    """Return whether a step makes the subject of an approval: "draw a sketch" before "my OK on the sketch"."""
    subject = str(approval.arguments.get("subject", "")).removeprefix("Approval of ")
    of, made = (
        {_KINDS.get(stem(one), stem(one)) for one in terms(text) if one not in STOPWORDS}
        for text in (subject, work.description)
    )
    return bool(of & made) or _RESULT.fullmatch(subject.strip()) is not None


_ALIKE = (
    "quote quotation offer estimate price bid tender",
    "sketch drawing design draft plan layout proof",
    "list choice",
)
_KINDS = {stem(word): stem(words.split()[0]) for words in _ALIKE for word in words.split()}
_RESULT = order_form("projects.result")
"""A subject of an approval that is whatever the steps before it made."""


def _earlier(agent: Agent, request: Request) -> dict[str, Step]:
    """Return the steps that were done of a project before it was changed, by their words."""
    own = [one for one in agent.mind.plans if one.id.split("-r")[0] == plan_id(request).split("-r")[0]]
    return {step.description: step for plan in own for step in plan.steps if step.status == "done"}


def _reuse_result(step: Step, earlier: Mapping[str, Step]) -> Step:
    before = earlier.get(step.description)
    is_same = before is not None and (before.tool, before.arguments) == (step.tool, step.arguments)
    return replace(step, status="done", result=before.result) if before is not None and is_same else step


def _join_texts(given: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(str(one.get("text", "")).strip().rstrip(".;,") for one in given)
