"""BDI core: beliefs, goals, commitments, and one reasoning cycle (S3 sections 4 and 5)."""

from dataclasses import asdict, fields, replace
from math import inf
from typing import Any, Literal, get_args

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.mind.beliefs import CHUNK_SIZE, BeliefChange, revise
from mabos.mind.desires import rate_desire, satisfaction
from mabos.mind.goals import apply_evaluation, evaluate
from mabos.mind.intentions import at_work, choose_strategy
from mabos.mind.model import Belief, Category, Desire, Goal, Intention, Item, Level, Resource, Strategy
from mabos.society.business import read_agent
from mabos.tools.catalogue.declaration import Arguments, Fraction, OwnId, Text, Tool
from mabos.tools.catalogue.naming import check_condition, given_as
from mabos.tools.knowledge.terms import target_misspelling, with_warning
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time

MODULE = "BDI core"
TIERS: tuple[Level, ...] = ("strategic", "tactical", "operational")
STEPS_AT_DEPTH = {"quick": 1, "standard": 0, "deep": 36}
"""The number of plan steps in one cycle; 0 means the setting of the workspace."""


def belief_get(
    agent: Agent,
    *,
    category: Category | None = None,
    subject: str = "",
    min_certainty: Fraction = 0.0,
    limit: int = CHUNK_SIZE * 20,
) -> dict[str, Any]:
    """Return what the agent believes, the surest first.

    Args:
        category: Only beliefs about this: environment, self, agent or case.
        subject: Only beliefs about this subject, or whose statement mentions it.
        min_certainty: Leave out what is less certain.
        limit: At most so many.
    """
    wanted = subject.casefold()
    found = [
        belief
        for belief in agent.mind.beliefs
        if (category is None or belief.category == category)
        and belief.certainty >= min_certainty
        and (not wanted or wanted in belief.subject.casefold() or wanted in belief.statement.casefold())
    ]
    ranked = sorted(found, key=lambda belief: -belief.certainty)[:limit]
    return {
        "beliefs": [_belief(belief) for belief in ranked],
        "count": len(found),
        "text": "\n".join(_describe_belief(belief) for belief in ranked) or "No beliefs yet.",
    }


def belief_update(
    agent: Agent,
    *,
    description: Text,
    certainty: Fraction,
    source: Text,
    belief_id: OwnId = "",
    category: Category = "environment",
    value: str = "",
    subject: str = "",
    predicate: str = "",
    expires: str = "",
    evidence: list[str] | None = None,
) -> dict[str, Any]:
    """Hold a belief, or revise one; what contradicts it is kept: superseded if outdated, else flagged for review.

    Args:
        description: The statement, as in "churn_rate is 3.2%".
        certainty: From 0 to 1.
        source: Who or what says so; one source has one voice about a claim.
        belief_id: The belief to revise; without it the claim decides.
        category: What it is about: environment, self, agent or case.
        value: What is held of subject and predicate, as in 3.2%.
        subject: What the belief is about, as in churn_rate.
        predicate: Which property of the subject, if it has several.
        expires: When it stops being held, ISO 8601.
        evidence: Ids or references that support it.
    """
    mind, now = agent.mind, iso(agent.clock())
    if expires:
        parse_time(expires, argument="expires")
    rules = agent.services.settings.beliefs
    known = mind.beliefs
    incoming = Belief(
        id=belief_id or agent.ids.new("B", {belief.id for belief in known}),
        statement=description,
        certainty=certainty,
        category=category,
        source=source,
        subject=subject,
        predicate=predicate,
        value=value,
        updated=now,
        expires=expires,
        evidence=tuple(evidence or ()),
    )
    change = revise(known, incoming, now, margin=rules.supersede_margin, keep=rules.revisions_shown)
    before = {belief.id: belief for belief in known}.get(change.belief.id)
    why = f"belief_update: {source}"
    if before is None and not belief_id:
        others = [one for one in change.saved if one.id != change.belief.id]
        change = replace(change, belief=mind.add(change.belief, *others, why=why, cycle=agent.cycle))
    elif change.saved:
        mind.save(*change.saved, why=why, cycle=agent.cycle)
    return _report_revision(change, before)


def goal_create(
    agent: Agent,
    *,
    level: Level,
    description: Text,
    goal_id: OwnId = "",
    priority: Fraction | None = None,
    desire_id: str = "",
    target: str = "",
    deadline: str = "",
    parent_goal_id: str = "",
    success_criteria: list[str] | None = None,
    budget: dict[Resource, float] | None = None,
) -> dict[str, Any]:
    """Create a goal; its priority is that of the desire it serves unless one is given.

    Args:
        level: strategic (6 to 24 months), tactical (1 to 6 months) or operational (days to weeks).
        description: What is to be reached.
        goal_id: Its id; made if left out.
        priority: From 0 to 1.
        desire_id: The desire it serves.
        target: The measurable condition, as in "mrr >= 100000".
        deadline: When it is to be reached, ISO 8601.
        parent_goal_id: The goal of a higher level that it serves.
        success_criteria: Conditions that can be checked, in order; the target if left out.
        budget: The most that may be spent on it: usd, calls, tokens, days. What would take more is not done.
    """
    mind, now = agent.mind, iso(agent.clock())
    desire = mind.desire(desire_id) if desire_id else None
    made = Goal(
        id=goal_id or agent.ids.new("G", {goal.id for goal in mind.goals}),
        description=description,
        level=level,
        desire_id=desire_id,
        parent_goal_id=parent_goal_id,
        priority=_priority(agent, desire, priority),
        target=target,
        deadline=deadline,
        success_criteria=tuple(success_criteria or ([target] if target else [])),
        created=now,
        updated=now,
        budget={name: float(most) for name, most in (budget or {}).items()},
    )
    goal = next((one for one in mind.goals if one.id == made.id), None)
    if goal is None:
        goal = mind.add(made, is_named=bool(goal_id), why="goal_create", cycle=agent.cycle)
    made_of = {"level": level, "priority": goal.priority, "status": goal.status, "goal": asdict(goal)}
    return {"goal_id": goal.id, **made_of, **with_warning(target_misspelling(agent, target))}


def goal_evaluate(agent: Agent, *, goal_id: Text) -> dict[str, Any]:
    """Evaluate a goal: can it be reached, how far is it, what is in the way, and what to do (S3 5.3).

    Args:
        goal_id: The goal.
    """
    mind, now = agent.mind, agent.clock()
    goal = mind.goal(goal_id)
    served = agent.business.workflows.serving(goal.id) if agent.business_id else {}
    found = evaluate(
        goal,
        lookup=mind.index,
        intentions=mind.intentions,
        plans=mind.plans,
        goals=mind.goals,
        shares=list(served.values()),
        now=now,
    )
    moved = apply_evaluation(goal, found, now, gives_up=False)
    mind.save(moved, why="goal_evaluate", cycle=agent.cycle)
    return {
        "goal_id": goal.id,
        "achievable": found.achievable,
        "progress_assessment": found.progress_assessment,
        "blockers": list(found.blockers),
        "recommendation": found.recommendation,
        "progress": found.progress,
        "workflows": served,
        "achieved": found.achieved,
        "status": moved.status,
        "text": f"{goal.description}: {found.progress_assessment}. Recommendation: {found.recommendation}",
    }


def intention_commit(
    agent: Agent, *, goal_id: Text, plan_id: Text, intention_id: OwnId = "", strategy: Strategy | None = None
) -> dict[str, Any]:
    """Commit to a plan for a goal, with the strategy that says when it may end; a suspended commitment is resumed.

    Args:
        goal_id: The goal.
        plan_id: The plan to carry out for it.
        intention_id: Its id; made if left out.
        strategy: single-minded, open-minded or cautious; chosen by the words of the goal if left out.
    """
    mind, now = agent.mind, iso(agent.clock())
    goal, plan = mind.goal(goal_id), mind.plan(plan_id)
    if goal.status in ("achieved", "abandoned"):
        raise InvalidArgument(f"goal {goal_id!r} is {goal.status}; commit to an open one", argument="goal_id")
    if plan.goal_id not in ("", goal_id):
        raise InvalidArgument(f"plan {plan_id!r} is for goal {plan.goal_id!r}, not {goal_id!r}", argument="plan_id")
    if plan.status in ("completed", "failed", "abandoned"):
        raise InvalidArgument(f"plan {plan_id!r} is {plan.status}; generate another", argument="plan_id")
    standing = at_work(mind.intentions, goal_id)
    if standing is not None and (standing.plan_id != plan_id or intention_id not in ("", standing.id)):
        message = f"goal {goal_id!r} has the intention {standing.id!r} already; reconsider that one first"
        raise InvalidArgument(message, argument="goal_id")
    intention = standing or Intention(
        id=intention_id or agent.ids.new("I", {one.id for one in mind.intentions}),
        goal_id=goal_id,
        plan_id=plan_id,
        strategy=strategy or choose_strategy(goal, default=_usual_strategy(agent)),
        deadline=goal.deadline,
        started=now,
        updated=now,
        description=f"{goal.description}: {plan.name}",
    )
    if standing is None:
        changed: list[Item] = [replace(plan, goal_id=goal_id, status="active", updated=now)]
        changed += [replace(goal, status="active", updated=now)] if goal.status != "active" else []
        named = bool(intention_id)
        intention = mind.add(intention, *changed, is_named=named, why="intention_commit", cycle=agent.cycle)
    elif standing.status == "suspended":
        intention = replace(standing, status="active", reason="resumed", updated=now)
        mind.save(intention, why="intention_commit", cycle=agent.cycle)
    return {
        "intention_id": intention.id,
        "goal_id": goal_id,
        "plan_id": plan_id,
        "strategy": intention.strategy,
        "status": intention.status,
        "deadline": intention.deadline,
    }


def bdi_cycle(
    agent: Agent, *, depth: Literal["quick", "standard", "deep"] = "standard", message: str = ""
) -> dict[str, Any]:
    """Run one cycle of the five phases for the agent and return its report.

    Args:
        depth: How far it acts: quick does one plan step at most, standard what the workspace has set, deep 36.
        message: Something to tell the agent first; it arrives as a request.
    """
    given: dict[str, Any] = {"depth": depth}
    if message:
        given["message"] = message
    if STEPS_AT_DEPTH[depth]:
        given["max_steps"] = STEPS_AT_DEPTH[depth]
    return dict(agent.services.cycle_of(agent.id, given))


def _belief(belief: Belief) -> dict[str, Any]:
    # Revisions stay as they are: a result is made JSON once, by the call.
    named = ((one.name, getattr(belief, one.name)) for one in fields(belief))
    record = {name: value for name, value in named if value not in ("", ())}
    return {"belief_id": belief.id, "description": belief.statement, **record}


def _report_revision(change: BeliefChange, before: Belief | None) -> dict[str, Any]:
    belief = change.belief
    flagged = [one.id for one in change.saved if one.id != belief.id and one.status == "flagged"]
    outdated = [one.id for one in change.saved if one.id != belief.id and one.status == "superseded"]
    review = f"; flagged for review: {', '.join(flagged)}" if flagged else ""
    review += f"; superseded: {', '.join(outdated)}" if outdated else ""
    return {
        "belief_id": belief.id,
        "change": change.kind,
        "created": before is None,
        "status": belief.status,
        "certainty": belief.certainty,
        "previous_certainty": before.certainty if before else None,
        "certainty_delta": round(belief.certainty - (before.certainty if before else 0.0), 6),
        "flagged": flagged,
        "superseded": outdated,
        "belief": _belief(belief),
        "text": f"{change.kind}: {_describe_belief(belief)}{review}",
    }


def _describe_belief(belief: Belief) -> str:
    flag = "" if belief.status == "held" else f", {belief.status}"
    source = f", {belief.source}" if belief.source else ""
    return f"{belief.statement} (certainty {belief.certainty:g}{source}{flag})"


def _setting(agent: Agent, arguments: Arguments) -> str:
    """Return which goal would be set; raises for what it names and is not there, and for what could never be told."""
    mind, level, target = agent.mind, arguments["level"], arguments["target"]
    due, serves, parent = arguments["deadline"], arguments["desire_id"], arguments["parent_goal_id"]
    by = f" by {iso(parse_time(due, argument='deadline'))[:10]}" if due else ""
    check_condition(target, "target")
    for name, most in (arguments["budget"] or {}).items():
        if not 0 <= most < inf:
            raise InvalidArgument(f"{name} of the budget is {most}; expected at least 0", argument="budget")
    for criterion in arguments["success_criteria"] or ():
        check_condition(criterion, "success_criteria")
    if serves:
        mind.desire(serves)
    if parent:
        with given_as("parent_goal_id"):
            _check_parent(mind.goal(parent), level)
    standing = next((one for one in mind.goals if one.id == arguments["goal_id"]), None)
    if standing is not None and any(arguments[name] != getattr(standing, name) for name in _TOLD):
        raise InvalidArgument(f"a goal {standing.id!r} already exists; choose another id", argument="goal_id")
    return f"Set the {level} goal {arguments['description']!r}" + (f" ({target})" if target else "") + by


_TOLD = ("level", "description", "desire_id", "target", "deadline", "parent_goal_id")
"""The fields that identify a requested goal; its progress may change."""


def _check_parent(parent: Goal, level: Level) -> None:
    if TIERS.index(parent.level) >= TIERS.index(level):
        message = f"goal {parent.id!r} is {parent.level}; the parent of a {level} goal must be of a higher level"
        raise InvalidArgument(message, argument="parent_goal_id")


def _priority(agent: Agent, desire: Desire | None, given: float | None) -> float:
    if given is not None:
        return given
    if desire is None:
        return 0.5
    mind = agent.mind
    return rate_desire(desire, agent.clock(), satisfaction(mind.desires, mind.goals), mind.index).priority


def _usual_strategy(agent: Agent) -> Strategy:
    """Return the strategy of the agent's manifest; an agent written by hand may have none."""
    try:
        usual = str(read_agent(agent.services.layout, agent.id).bdi.get("commitment_strategy", ""))
    except UnknownId:
        usual = ""
    return next((one for one in get_args(Strategy) if one == usual), "open-minded")


TOOLS = [
    Tool.of(belief_get, module=MODULE, writes=False),
    Tool.of(belief_update, module=MODULE, writes=True, category="knowledge"),
    Tool.of(
        goal_create, module=MODULE, writes=True, category="goals",
        strategic=lambda given: given["level"] == "strategic", exempts_people=True, about=_setting,
        addresses=("description", "success_criteria"),
    ),
    Tool.of(goal_evaluate, module=MODULE, writes=True, category="goals"),
    Tool.of(intention_commit, module=MODULE, writes=True, category="goals"),
    Tool.of(bdi_cycle, module=MODULE, writes=True, category="goals", addresses=("message",)),
]  # fmt: skip
