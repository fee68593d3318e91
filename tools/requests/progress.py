"""Report on a project or task: its plan once, and later only the changed steps and the next one."""

import re
from collections.abc import Iterator, Mapping

from mabos.language.request import Claim, Request
from mabos.mind.model import Step
from mabos.mind.times import due
from mabos.society.decisions import Decision
from mabos.tools.requests.acceptance import judge
from mabos.tools.requests.carrying import Carried
from mabos.tools.requests.outcome import Reply, day, describe_record, waiting
from mabos.tools.requests.projects import APPROVAL, is_manual, is_part
from mabos.tools.requests.wording import join_words, quote_text, sentences
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace


def progress(agent: Agent, request: Request, found: Carried) -> Reply:
    """Return the progress of a request; `state` changes when there is news."""
    late = _describe_overdue(agent, found)
    if request.operation != "project":
        reply = waiting(agent, replace(request, data={}), found)
        told = str(request.data.get("told", ""))
        text = " ".join(filter(None, (told, reply.text if not (told and late) else "", late)))
        return replace(reply, text=text, state=" ".join(filter(None, (reply.text, late))))
    before = _states(str(request.data.get("reported", "")))
    state = " ".join([*(f"{one.id}={one.status}/{one.decision_id}" for one in found.plan.steps), late and "late"])
    lines = list(_changes(agent, request, found, before)) if before else list(_plan(agent, request, found))
    claims = tuple(Claim(f"{found.plan.id}/{one.id}", "status", one.status, agent.now()) for one in found.plan.steps)
    return Reply("AGREE", "\n".join([*lines, *([late] if late else [])]), claims, state.strip())


def _plan(agent: Agent, request: Request, found: Carried) -> Iterator[str]:
    """Yield the plan in short: each step, its actor, and its open questions."""
    steps = [one for one in found.plan.steps if not is_part(one)]
    until = f", to be finished by {day(found.goal.deadline)}" if found.goal.deadline else ""
    yield f"This is my plan for {quote_text(found.goal.description)}, {len(steps)} steps in this order{until}:"
    for number, step in enumerate(steps, start=1):
        yield f"{number}. {format_step(step.description)}: {_role(agent, request, step, number)}"
    if any(step.tool for step in steps):
        yield "I start none of my steps before every step in front of it is reported or approved."
    if conditions := request.slot("conditions"):
        yield f"This order of the steps keeps your condition: {join_words(map(quote_text, conditions))}."


def format_step(step: str) -> str:
    """Return the words of a step, in quotes if they would read as a report: "the guests are told"."""
    return quote_text(step) if _AS_REPORT.search(step) else step


_AS_REPORT = re.compile(r"(?i)\b(?:is|are|was|were|been|gets?|goes|done|finished)\b")


def _role(agent: Agent, request: Request, step: Step, number: int) -> str:
    if step.status == "done":
        return _describe_ending(agent, request, step)
    if step.tool == APPROVAL:
        decision = _decision(agent, step)
        return f"it waits for your decision now ({decision.id})." if decision is not None else "I ask you then."
    if not is_manual(step):
        return "I do this." if number == 1 else f"I do this after step {number - 1}."
    lacks = str(request.data.get("lacks", {}).get(step.id, ""))
    return f"I cannot do it yet. {lacks}" if lacks else "a person does this and reports it to me."


def _changes(agent: Agent, request: Request, found: Carried, before: Mapping[str, str]) -> Iterator[str]:
    """Yield the steps that changed since the last report, the open ones, and the next one."""
    steps = found.plan.steps
    fresh = [
        one
        for one in steps
        if one.status == "done" and not is_part(one) and before.get(one.id, "").split("/")[0] != "done"
    ]
    yield from (f"{format_step(step.description)}: {_describe_ending(agent, request, step)}" for step in fresh)
    if found.plan.changes and any(one.id not in before for one in steps):
        yield f"{found.plan.changes[-1]} Nothing behind this step happens until you approve a new version."
    for step in steps:
        if step.status == "waiting":
            yield _waits(agent, request, step)
    following = next((one for one in steps if one.status == "pending" and not is_part(one)), None)
    if following is not None:
        yield f"After that: {format_step(following.description)}."


def _waits(agent: Agent, request: Request, step: Step) -> str:
    decision = _decision(agent, step)
    if decision is not None:
        return f"This waits for your decision: {decision.subject} ({decision.id})."
    lacks = str(request.data.get("lacks", {}).get(step.id, ""))
    needs = f" I cannot do it myself. {lacks}" if lacks else ""
    return f"Next: {format_step(step.description)}. A person does this; report it to me then.{needs}"


def _describe_ending(agent: Agent, request: Request, step: Step) -> str:
    """Return on whose word or on which record a step is over."""
    if step.tool == APPROVAL:
        decision = _decision(agent, step)
        return (
            f"you approved this on {day(decision.resolved_at)} ({decision.id})." if decision else "you approved this."
        )
    if is_manual(step):
        return f"{step.result}." if step.result else "reported."
    made = [
        describe_record(verdict.check.section, one)
        for verdict in judge(agent, request.checks)
        if verdict.check.section != "plans"
        for one in verdict.found
        if step.result and step.result in (str(one.get("id", "")), str(one.get("path", "")))
    ]
    return sentences(made) or f"on record ({step.result})." if step.result else "on record."


def _decision(agent: Agent, step: Step) -> Decision | None:
    return agent.services.decisions(agent.business_id).find(step.decision_id) if step.decision_id else None


def _describe_overdue(agent: Agent, found: Carried) -> str:
    """Return that the deadline has passed without a report of the work, or an empty text."""
    until = due(found.goal.deadline)
    if until is None or until > agent.clock():
        return ""
    title, on = quote_text(found.goal.description), day(found.goal.deadline)
    return f"The deadline of {title} was {on}, and no report has reached me. It stays open."


def _states(state: str) -> dict[str, str]:
    """Return the state of each step at the last report."""
    return dict(one.split("=", 1) for one in state.split() if "=" in one)
