"""Explain why something is wanted, done or not done: from decisions, goals, beliefs and requests on record."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mabos.language.request import Request
from mabos.mind.conditions import subjects
from mabos.mind.model import Belief, Goal
from mabos.society.decisions import Decision
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.state import advice, costs
from mabos.tools.requests.answers.statement import Statement, claims_of, together
from mabos.tools.requests.answers.work_items import RecordWork, WorkItem, meaningful, overlap
from mabos.tools.requests.outcome import describe_record
from mabos.tools.requests.wording import day, join_words, quote_text, sentence
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import one_line

_BELIEVES = re.compile(r"\b(?:think|believe|assume|expect|suppose|sure|convinced|know that|hold that)\b", re.IGNORECASE)
_CAUSE_ENDS = ("refused", "failed", "withdrawn")
_LEDGER_CALLS = 500


def reasons_of(agent: Agent, item: WorkItem) -> Statement:
    """Return every reason on record for a piece of work, the nearest first."""
    return together(_reasons(agent, item))


def reasons_of_belief(agent: Agent, question: str) -> Statement:
    """Return the reasons of the belief that a question names; empty if the agent has none about it."""
    wanted = meaningful(_BELIEVES.sub(" ", question))
    if not _BELIEVES.search(question) or not wanted:
        return Statement()
    held = [one for one in agent.mind.beliefs if one.status == "held"]
    texts = [f"{one.statement} {one.subject} {one.predicate}" for one in held]
    scored = [(overlap(wanted, text), one.certainty, one) for text, one in zip(texts, held, strict=True)]
    best = max(scored, key=lambda one: one[:2], default=None)
    return _belief(best[2], agent.now()) if best is not None and best[0] >= 0.5 else Statement()


def _reasons(agent: Agent, item: WorkItem) -> Iterator[Statement]:
    """Yield the request, then the decisions on it; a question of the agent itself comes before its goal."""
    now, request = agent.now(), item.request
    decision = max(item.decisions, key=lambda one: (one.open, one.created_at), default=None)
    if request is not None:
        yield from _of_request(request, now)
    if decision is not None:
        yield from _of_decision(decision, now)
    if request is None and item.goal is not None:
        yield from _of_goal(agent, item.goal)
    for made in item.made if request is None and item.goal is None else ():
        yield _of_record(agent, made)


def _of_request(request: Request, now: str) -> Iterator[Statement]:
    who = "You asked" if request.sender == STAKEHOLDER else f"{request.sender} asked"
    claims = claims_of(request, "sentence sender created_at reason status", now)
    yield Statement(f"{who} for it on {day(request.created_at)}: {quote_text(request.sentence)}", claims)
    if request.reason and request.status in _CAUSE_ENDS:
        yield Statement(f"It was {request.status}: {request.reason}", claims)


def _of_decision(decision: Decision, now: str) -> Iterator[Statement]:
    claims = claims_of(decision, "subject description reasons cost recommendation status resolution feedback", now)
    reasons = join_words(decision.reasons) if decision.action is not None else ""
    why = f"I must ask because {reasons}" if reasons else one_line(decision.description)
    yield Statement(f"{quote_text(decision.subject)}{costs(decision)} ({decision.id}): {sentence(why)}", claims)
    if decision.action is None:
        yield Statement(advice(decision))
        others = [
            one for one in decision.options if str(one.get("id")) != decision.recommendation and one.get("impact")
        ]
        if others and decision.recommendation:
            named = join_words((f"'{one.get('label')}' ({one_line(str(one['impact']))})" for one in others), "or")
            yield Statement(f"The alternative is {named}")
    if decision.status in ("rejected", "approved", "modified"):
        said = f": {decision.feedback}" if decision.feedback else ", without giving a reason"
        told = said if decision.status == "rejected" or decision.feedback else ""
        yield Statement(f"You {decision.status} it on {day(decision.resolved_at)}{told}")


def _of_goal(agent: Agent, goal: Goal) -> Iterator[Statement]:
    now = agent.now()
    claims = claims_of(goal, "description desire_id target created", now)
    desire = next((one for one in agent.mind.desires if one.id and one.id == goal.desire_id), None)
    if desire is None:
        parent = next((one for one in agent.mind.goals if one.id and one.id == goal.parent_goal_id), None)
        serves = f" as part of {quote_text(parent.description)}" if parent is not None else ""
        yield Statement(f"The goal {quote_text(goal.description)} was set on {day(goal.created)}{serves}", claims)
        if parent is None:
            yield Statement("No further reason for it is on record")
    else:
        reason = desire.reason or desire.description
        told = f": {one_line(reason)}" if reason and reason != desire.name else ""
        claims += claims_of(desire, "name description reason", now)
        yield Statement(
            f"My goal {quote_text(goal.description)} serves my standing aim {quote_text(desire.name)}{told}", claims
        )
    for name in subjects(goal.target) if goal.target else ():
        belief = agent.mind.index.about(name)
        if belief is not None:
            yield _belief(belief, now)


def _belief(belief: Belief, now: str) -> Statement:
    source = f", from {belief.source}" if belief.source not in ("", "role") else ", an assumption of my role"
    text = f"I hold that {one_line(belief.statement).rstrip('.')} (certainty {belief.certainty:.0%}{source})"
    return Statement(text, claims_of(belief, "statement certainty source", now))


def _of_record(agent: Agent, made: RecordWork) -> Statement:
    """Return why a record was made, as the ledger tells it: the goal of the call that named it."""
    record, now = made.record, agent.now()
    by = str(record.get("created_by", ""))
    why = _why_called(agent, by, str(record.get("name") or record.get("title") or ""))
    goals = agent.mind_of(by).goals if by in agent.services.agents() else ()
    goal = next((one for one in goals if one.id == why.get("goal")), None)
    when = f" on {day(str(record['created_at']))}" if record.get("created_at") else ""
    asked = agent.requests.find(goal.request_id) if goal is not None and goal.request_id else None
    serves = f"for the goal {quote_text(goal.description)}" if goal is not None else "and no goal for it is on record"
    if asked is not None and asked.sender == STAKEHOLDER:
        serves = f"because you asked for it on {day(asked.created_at)}: {quote_text(asked.sentence)}"
    claims = claims_of(goal, "description", now) if goal is not None else ()
    return Statement(f"{describe_record(made.section, record)} {by or 'A person'} made it{when}, {serves}", claims)


def _why_called(agent: Agent, by: str, name: str) -> Mapping[str, Any]:
    """Return the ledger's reasons of an agent's call, found by the name that the call gave to its result."""
    if not by or not name:
        return {}
    index = agent.services.ledger_index()
    calls = index.entries(agents=[by], kinds=["call"], limit=_LEDGER_CALLS, newest_first=True)
    return next((one.body.get("why", {}) for one in calls if name in one.body.get("arguments", {}).values()), {})
