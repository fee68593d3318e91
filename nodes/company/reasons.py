"""Explain an agent's action to people: from the plan and its case back to the beliefs behind it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mabos.mind.conditions import subjects
from mabos.mind.history import History
from mabos.mind.model import Desire, Goal, Plan
from mabos.nodes.deliberation.levers import EFFECT, LEAST, LEVERS
from mabos.nodes.perception.messages import headline
from mabos.society.decisions import Decision
from mabos.society.figure_words import amount, period, readable
from mabos.society.messages import Message
from mabos.society.metrics import Metrics
from mabos.society.simulation.report_input import ReportedDecision
from mabos.society.simulation.timeline import kind_of
from mabos.society.simulation.wording import ASKED, AWARD, customers, not_done
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import money
from mabos.workspace.ledger import LedgerEntry

_SENTENCES = {
    "ad_campaign_create": "Started the campaign {name!r} on {channel} for {customers}",
    "ad_campaign_manage": "Changed the campaign {campaign_id}: {action}",
    "content_generate": "Published {title!r}",
    "decision_request": f"{ASKED}{{subject}}",
    "loan_request": "Asked the bank for {amount_usd}",
    "refund_issue": "Paid {customers} {amount_usd} back",
    "staff_hire": "Hired {title} for {weekly_usd} a week",
    "staff_release": "Gave notice to {position_id}",
    "stripe_create_price": "Set the price of {product} for {customers} to {amount_usd} a {interval}",
    "work_package_create": "Ordered {title!r}",
}
_ID = re.compile(r"[\w-]+\w")
_DEFAULTS = {"segment": "all", "interval": "month"}  # what a call leaves out because it is the default


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """The contents of an agent's mind by id, with history, for explanations; built once per agent."""

    goals: Mapping[str, Goal]
    desires: Mapping[str, Desire]
    plans: Mapping[str, Plan]
    history: History
    metrics: Metrics
    first_day: datetime
    awards: tuple[Message, ...] = ()
    """The answers of finance to bids, oldest first."""

    @classmethod
    def of(cls, agent: Agent, metrics: Metrics, first_day: datetime) -> "RecalledMemory":
        """Return `agent`'s current memory, and its history."""
        mind = agent.mind
        return cls(
            {goal.id: goal for goal in mind.goals},
            {desire.id: desire for desire in mind.desires},
            {plan.id: plan for plan in mind.plans},
            History(mind),
            metrics,
            first_day,
            tuple(one for one in agent.inbox.messages() if LEAST in one.metadata),
        )

    def week(self, at: str) -> int:
        """Return the week of a time, counted from 1."""
        return max(0, (parse_time(at) - self.first_day).days) // 7 + 1


def sentence(tool: str, arguments: Mapping[str, Any], *, done: bool = True) -> str:
    """Return an action as a sentence for a person; a mere request is marked as such."""
    try:
        known = {**_DEFAULTS, **arguments}
        known |= {name: money(known[name], places=0) for name in known if name.endswith("_usd")}
        said = _SENTENCES[tool].format(**known, customers=customers(str(known["segment"])))
    except (KeyError, ValueError, TypeError):
        named = next((str(arguments[key]) for key in ("name", "title", "subject") if key in arguments), "")
        said = f"{tool.replace('_', ' ').capitalize()}{f': {named}' if named else ''}"
    return said if done else not_done(said)


def chain(held: RecalledMemory, entry: LedgerEntry, decision: Decision | None) -> tuple[str, ...]:
    """Return the reasons behind a ledger entry, from the nearest to the original beliefs."""
    because: Mapping[str, str] = entry.body.get("why", {})
    plan = held.plans.get(because.get("plan", ""))
    goal = held.goals.get(because.get("goal", "") or (plan.goal_id if plan else ""))
    desire = held.desires.get(goal.desire_id) if goal else None
    return (
        *_describe_approval(decision),
        *_describe_plan(plan),
        *_effect_belief(held, because.get("belief", ""), entry.at),
        *_describe_award(held, entry),
        *_describe_motive(goal, desire),
        *_unmet(held, goal, desire, entry.at, because.get("plan", "")),
    )


def _describe_approval(decision: Decision | None) -> Iterator[str]:
    if decision is not None:
        answer = f" by {decision.resolved_by or 'the owner'}" if decision.resolved_at else ""
        why = f" ({decision.feedback})" if decision.feedback else ""
        yield f"approval {decision.id}: {decision.status}{answer}{why}"


def _effect_belief(held: RecalledMemory, name: str, at: str) -> Iterator[str]:
    """Yield the belief about a lever that a call of its owner rests on, as it was at the time."""
    belief = held.history.about(f"effect_{name.removeprefix(EFFECT)}", at) if name.startswith(EFFECT) else None
    if belief is not None:
        yield f"belief {belief.statement} ({belief.source}, week {held.week(belief.updated)})"


def _describe_award(held: RecalledMemory, entry: LedgerEntry) -> Iterator[str]:
    """Yield the return that finance wanted of the budget which a call of its owner spends."""
    if entry.body.get("why", {}).get("rule") == LEVERS and kind_of(str(entry.body["tool"])) in ("campaign", "work"):
        told = [one for one in held.awards if one.timestamp <= entry.at]
        yield from (f"{AWARD}{one.content} ({one.sender}, week {held.week(one.timestamp)})" for one in told[-1:])


def _describe_plan(plan: Plan | None) -> Iterator[str]:
    if plan is not None:
        yield f"plan {plan.name} ({plan.strategy or f'from the {plan.source}'})"


def _describe_motive(goal: Goal | None, desire: Desire | None) -> Iterator[str]:
    if goal is not None:
        yield f"goal {goal.description}{f': {goal.target}' if goal.target else ''}"
    if desire is not None:
        told = desire.id.startswith("D-MSG-") and desire.reason.startswith("requested by")
        yield f"desire {desire.name}{f' ({desire.reason})' if told else ''}"


def _unmet(held: RecalledMemory, goal: Goal | None, desire: Desire | None, at: str, plan_id: str) -> Iterator[str]:
    """Yield the beliefs that measured goal and desire, as they were at the time."""
    targets = [one.target for one in (goal, desire) if one is not None and one.target]
    for subject in dict.fromkeys(name for target in targets for name in subjects(target)):
        point = next((one for one in reversed(held.metrics.series(subject)) if one.at <= at), None)
        if point is not None:
            value = f"{amount(point.value, point.unit)}{period(point.unit)}"
            source, week = point.source or "metrics", held.week(point.at)
            yield f"belief {subject} is {value} ({source}, week {week})"
            continue
        belief = held.history.about(subject, at, but_by=plan_id)
        if belief is None:
            yield f"nothing was known yet of {subject}"
        else:
            said = readable(belief.value or headline(belief.statement))
            since = f", week {held.week(belief.updated)}" if belief.updated else ""
            yield f"belief {subject} is {said} ({belief.source or 'its own'}{since})"


def outcome(entry: LedgerEntry, decision: Decision | None, news: tuple[str, ...]) -> str:
    """Return the result of an action, as far as the company knows it: its failure, its answer, or later news."""
    if entry.body.get("ok") is False:
        return f"it failed: {entry.body.get('error', '')}"
    result = entry.body.get("result", {})
    if decision is not None and entry.body.get("tool") == "decision_request":
        said = f"{decision.status}{f', option {decision.chosen_option}' if decision.chosen_option else ''}"
        return f"{said}{f' ({decision.feedback})' if decision.feedback else ''}"
    made = [value for name, value in result.items() if name.endswith("_id") and isinstance(value, str)]
    return next((text for text in news for one in made if one in text and one in _ID.findall(text)), "")


def report_decision(
    held: RecalledMemory, entry: LedgerEntry, asked: Mapping[str, Decision], news: tuple[str, ...], *, week: int
) -> ReportedDecision:
    """Return a ledger entry as a line of the report."""
    body = entry.body
    tool = str(body["tool"])
    decision = asked.get(str(body.get("decision", "")))
    question = asked.get(str(body.get("result", {}).get("decision_id", ""))) if tool == "decision_request" else None
    answered = decision or question
    arguments = body.get("arguments") or (decision.action["arguments"] if decision and decision.action else {})
    return ReportedDecision(
        id=entry.id, week=week, agent=entry.agent,
        subject=sentence(tool, arguments, done=entry.kind == "call" and body.get("ok") is not False), tool=tool,
        cost=float(body.get("cost", 0.0) or (decision.cost if decision else 0.0)), why=chain(held, entry, answered),
        approval=answered.status if answered else "", answer=answered.feedback if answered else "",
        outcome=outcome(entry, question, news),
        area=str(arguments.get("area", "product")) if tool == "work_package_create" else "",
    )  # fmt: skip
