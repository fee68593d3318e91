"""The overview: figures with trends and targets, open questions, actions, failures, and the cost of models."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from markupsafe import Markup

from mabos.backends.chat import NOT_ASKED
from mabos.backends.metering import NOTHING, Metered, Spent
from mabos.configs.errors import InvalidArgument, MabosError
from mabos.interfaces.dashboard.activity import activity_lines, group_lines
from mabos.interfaces.dashboard.decisions import waiting
from mabos.interfaces.dashboard.digest import digest
from mabos.interfaces.dashboard.svg import mark
from mabos.interfaces.dashboard.view import PageRequest
from mabos.mind.conditions import ConditionClause, holds, is_comparison, parse
from mabos.mind.goals import OPEN, evaluate
from mabos.mind.model import Goal
from mabos.mind.procedures.playbooks import PLAYBOOK_GOAL
from mabos.society.business import INBOX_FOLDER
from mabos.society.decisions import weekly_budget
from mabos.society.intake import passed_over, present
from mabos.society.metrics import MetricPoint, Metrics
from mabos.society.roles import STAKEHOLDER
from mabos.society.simulation.figures import FigureFormat, figure, place, reading
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.requests.answers.happenings import KINDS
from mabos.tools.runtime.budgets import limits_in_words, spent_by
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.currencies import MARKS, sign_of
from mabos.workspace.ledger import LedgerEntry

FIGURES = 8
"""Figures that are shown."""
_FIRST = ("cash", "runway_months", "mrr", "revenue", "subscribers", "orders", "churn_rate", "leads")
"""Figures that come first where there are any, in this order; those with a target follow."""
TREND_DAYS = 28
"""Days over which a change is measured."""
_OLD_DAYS = 45
"""From this age on a figure has its day: that of last month may well be the newest."""
_POINTS, _ROWS, _QUESTIONS, _CALLS = 26, 6, 3, 1_000
_BOOK = 400
"""Entries of each agent that are read, the newest."""
_WIDE, _HIGH = 120.0, 28.0
_SIGNS = {">=": "at least", ">": "above", "<=": "at most", "<": "below", "==": "exactly", "=": "exactly"}
_SPANS = {"day": ("in the last 24 hours", 1), "week": ("in the last 7 days", 7), "month": ("in the last 30 days", 30)}


@dataclass(frozen=True, slots=True)
class FigureTile:
    """A figure: its value, its change, whether that is good, its target and the target's owner, and its trend."""

    name: str
    label: str
    now: str
    change: str
    tone: str
    target: str
    whose: str
    is_met: bool | None
    at: str
    picture: Markup


class FigureTarget(NamedTuple):
    """A target of a figure, and its owner: an agent, or `yours`."""

    clause: ConditionClause
    whose: str


@dataclass(frozen=True, slots=True)
class BlockedGoal:
    """A goal that is blocked, and its blocker."""

    agent_id: str
    goal: Goal
    reason: str


@dataclass(frozen=True, slots=True)
class DayBudget:
    """An agent's use today, and the greatest share of a limit; `is_more` means that it is at least that."""

    agent_id: str
    spent: Spent
    share: float
    is_more: bool


def overview(asked: PageRequest) -> Mapping[str, Any]:
    """Return the content of the overview."""
    services = asked.services
    business = asked.business()
    since, span = _since(asked)
    every_agent = map(services.agent, services.agents())
    agents = [one for one in every_agent if business is None or one.business_id in ("", business.id)]
    books = _books(asked, agents, min(since, iso(asked.now)[:10]))
    every = [one for book in books.values() for one in book if one.at >= since]
    lines = sorted(activity_lines(services, every), key=lambda one: one.entry.at, reverse=True)
    wrong = group_lines(one for one in lines if one.status == "failed")
    decisions = all_decisions(services)
    waits, count = waiting(asked, decisions, _QUESTIONS)
    return {
        "businesses": services.businesses(),
        "business": business.id if business else "",
        "figures": _figures(business, agents) if business else [],
        "waits": waits,
        "waiting": count,
        "span": span,
        "spans": _SPANS,
        "chosen_span": asked.text("span") if asked.visited else asked.text("span", "week"),
        "old": iso(asked.now - timedelta(days=_OLD_DAYS)),
        "visited": asked.visited,
        "digest": digest(lines, (one for one in decisions if one.resolved_at >= since and not one.open)),
        "to_you": sum(one.timestamp >= since for one in services.inbox(STAKEHOLDER).messages()),
        "is_more": any(len(book) == _BOOK for book in books.values()),
        "reached": list(_list_achieved(agents, since)),
        "wrong_lines": wrong[:_ROWS],
        "wrong_total": len(wrong),
        "blocked": _list_blocked(agents, asked.now),
        "model": _model(asked),
        "budgets": list(_budgets(asked, books)),
        "limits": limits_in_words(services.settings.budgets.agent),
        "profile": services.directory.profile(business.id) if business else None,
        "granted": weekly_budget(business.decisions.all(), asked.now) if business else None,
        "rules": [one for one in business.instructions.all() if one.is_in_force] if business else [],
        "sign": sign_of(),
        "changed": asked.text("limits"),
        "files": _files(business) if business else [],
        "unread": passed_over(business.directory / INBOX_FOLDER) if business else (),
        "done": asked.text("done"),
        "dropped": asked.text("dropped"),
    }


def _since(asked: PageRequest) -> tuple[str, str]:
    """Return the moment from which the page tells, and its name: the last visit, or the span that is asked for."""
    name = asked.text("span")
    if name not in _SPANS and asked.visited:
        try:
            return iso(parse_time(asked.visited)), "since your last visit"
        except InvalidArgument:
            pass
    words, days = _SPANS.get(name, _SPANS["week"])
    return iso(asked.now - timedelta(days=days)), words


def _figures(business: Business, agents: Sequence[Agent]) -> list[FigureTile]:
    """Return the figures that matter most: the usual ones, those with a target, then by their place in reports."""
    targets, metrics = _targets(business, agents), business.metrics

    def rank(name: str) -> tuple[int, bool, float, str]:
        return _FIRST.index(name) if name in _FIRST else len(_FIRST), name not in targets, place(name), name

    return [_tile(metrics, name, targets.get(name)) for name in sorted(metrics.names(), key=rank)[:FIGURES]]


def _targets(business: Business, agents: Sequence[Agent]) -> dict[str, FigureTarget]:
    """Return the target of each figure: the owner's, else that of the most senior agent who has one."""
    wanted = [(f"{one.id} {one.target}", "yours") for one in business.figures.all() if one.target]
    for agent in agents:
        if agent.business_id == business.id:
            wanted += [(one.target, agent.id) for one in agent.mind.desires]
            wanted += [(one.target, agent.id) for one in agent.mind.goals if one.status in OPEN]
    found: dict[str, FigureTarget] = {}
    for target, whose in wanted:
        clauses = parse(target)[:1] if is_comparison(target) else ()
        for clause in (one for every in clauses for one in every):
            found.setdefault(clause.subject, FigureTarget(clause, whose))
    return found


def _tile(metrics: Metrics, name: str, wanted: FigureTarget | None) -> FigureTile:
    target = wanted.clause if wanted else None
    points = metrics.series(name)
    last = points[-1]
    kind = figure(name, last.unit)
    start = iso(parse_time(last.at) - timedelta(days=TREND_DAYS))
    recent = [one for one in points if one.at >= start]
    first = recent[0] if len(recent) > 1 else points[-min(2, len(points))]
    moved = (last.value - first.value) * kind.better
    tone = "" if not moved else "is-good" if moved > 0 else "is-bad"
    return FigureTile(
        name,
        kind.label,
        reading(name, last.value, last.unit),
        _change(kind, first, last),
        tone,
        _target_words(kind, target),
        wanted.whose if wanted else "",
        _is_met(name, last.value, target),
        last.at,
        _course([one.value for one in points[-_POINTS:]], kind.label),
    )


def _change(kind: FigureFormat, first: MetricPoint, last: MetricPoint) -> str:
    if first.at == last.at:
        return "first reading"
    days = max(1, (parse_time(last.at) - parse_time(first.at)).days)
    span = f"{days} days" if days < 14 else f"{round(days / 7)} weeks"
    return f"{kind.delta(first.value, last.value)} in {span}"


def _target_words(kind: FigureFormat, target: ConditionClause | None) -> str:
    if target is None:
        return ""
    try:
        value = kind.written(float(re.sub(rf"{MARKS}|[%,\s]", "", target.value)))
    except ValueError:
        value = target.value
    return f"{_SIGNS.get(target.op, target.op)} {value}"


def _is_met(name: str, value: float, target: ConditionClause | None) -> bool | None:
    if target is None:
        return None
    return holds(f"{name} {target.op} {target.value}", lambda subject: str(value) if subject == name else None)


def _course(values: list[float], label: str) -> Markup:
    """Return a series as one line without axes."""
    if len(values) < 2:
        return Markup("")
    low, high = min(values), max(values)
    room = (high - low) or 1.0
    step = _WIDE / (len(values) - 1)
    points = " ".join(
        f"{number * step:.1f},{_HIGH - 2 - (value - low) / room * (_HIGH - 4):.1f}"
        for number, value in enumerate(values)
    )
    return mark(
        "svg",
        mark("polyline", points=points),
        class_="course",
        viewBox=f"0 0 {_WIDE:.0f} {_HIGH:.0f}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"Course of {label}",
    )


def _books(asked: PageRequest, agents: Sequence[Agent], since: str) -> dict[str, list[LedgerEntry]]:
    """Return the newest entries of each agent, newest first."""
    index = asked.services.ledger_index()
    return {
        one.id: index.entries(agents=[one.id], kinds=KINDS, since=since, limit=_BOOK, newest_first=True)
        for one in agents
    }


def _list_achieved(agents: Sequence[Agent], since: str) -> Iterator[tuple[str, Goal]]:
    """Yield the goals that were achieved since a moment and are not pursued again, with their agents."""
    for agent in agents:
        every = agent.mind.goals
        known = {one.description for one in every if one.status in OPEN}
        for goal in every:
            if goal.status == "achieved" and goal.updated >= since and goal.description not in known:
                known.add(goal.description)
                yield agent.id, goal


def _list_blocked(agents: Sequence[Agent], now: datetime) -> dict[str, list[BlockedGoal]]:
    """Return the blocked goals by their blocker, the most important first."""
    found = []
    for agent in agents:
        mind = agent.mind
        every = mind.goals
        for goal in every:
            if goal.status == "blocked" and not goal.id.startswith(PLAYBOOK_GOAL):
                stands = evaluate(
                    goal, lookup=mind.index, intentions=mind.intentions, plans=mind.plans, goals=every, now=now
                )
                found.append(BlockedGoal(agent.id, goal, next(iter(stands.blockers), "")))
    reasons: dict[str, list[BlockedGoal]] = {}
    for one in sorted(found, key=lambda one: -one.goal.priority):
        reasons.setdefault(one.reason, []).append(one)
    return reasons


def _model(asked: PageRequest) -> Mapping[str, Any]:
    """Return the model in use, its obstacle, and the totals of today's calls."""
    from mabos.interfaces.trial import list_endpoints

    services = asked.services
    chat = [one for one in list_endpoints(services.settings, services.environment) if one.provider]
    active = next((one for one in chat if one.is_active), None)
    made = services.ledger_index().entries(kinds=["model"], since=iso(asked.now)[:10], limit=_CALLS)
    try:
        name = services.model.name
        is_priced = not isinstance(services.model, Metered) or services.model.terms.is_priced
    except MabosError as error:  # a recording that is missing
        return {"name": "", "fault": error.message, "calls": 0, "failed": 0, "tokens": 0, "usd": 0.0, "priced": True}
    key = f"The key of {active.name} is missing." if active and active.key == "missing" else ""
    return {
        "name": "" if name in NOT_ASKED else name,
        "fault": (active.fault or key) if active else "",
        "calls": len(made),
        "failed": sum("error" in one.body for one in made),
        "tokens": sum(int(one.body.get("tokens", 0)) for one in made),
        "usd": sum(float(one.body.get("usd", 0.0)) for one in made),
        "priced": is_priced,
    }


def _budgets(asked: PageRequest, books: Mapping[str, list[LedgerEntry]]) -> Iterator[DayBudget]:
    """Yield the use of each agent since midnight, if it used anything.

    With a limit it is the sum that the limit binds. Without one it is counted from the ledger's newest entries.
    """
    services, today = asked.services, iso(asked.now)[:10]
    for agent_id, book in books.items():
        day = services.directory.stores_of(agent_id).day
        own = [one for one in book if one.at >= today]
        spent = spent_by(own) if day.budget.is_unlimited else day.spent()
        if spent != NOTHING:
            used, most = asdict(spent), asdict(day.budget)
            share = max((used[name] / most[name] for name in used if most.get(name)), default=0.0)
            is_more = day.budget.is_unlimited and len(own) == _BOOK
            yield DayBudget(agent_id, spent, min(1.0, share), is_more)


def _files(business: Business) -> list[tuple[str, str]]:
    """Return the newest files of the inbox: name and time."""
    found = sorted(present(business.directory / INBOX_FOLDER), key=lambda one: -one[1])
    return [(name, iso(datetime.fromtimestamp(time / 1e9, UTC))) for name, time, _ in found[:_ROWS]]
