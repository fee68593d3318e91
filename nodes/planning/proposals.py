"""Choice of a plan for a goal: one that worked in a similar case, else the library; failures are remembered."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from mabos.knowledge.cases import Similar
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal.timeline import Bound, EventTimeline, solve
from mabos.knowledge.values import number
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Desire, Goal, Plan
from mabos.mind.plans import remaining_cost
from mabos.mind.rivalry import resolve_conflicts
from mabos.mind.situation import is_success, list_desires, read_beliefs
from mabos.mind.templates import Template
from mabos.mind.times import moment
from mabos.nodes.choices import failures, lately
from mabos.nodes.cycle import Cycle
from mabos.nodes.planning.experience import Experience, experience
from mabos.nodes.planning.phrasing import drop_repeated_units, for_readers
from mabos.tools.plans.risks import bad_ends, guard_plan, risks_of, turned_down
from mabos.tools.plans.sources import LOOKED_AT, Draft, Drafts, drafts_for
from mabos.tools.runtime.services import Agent

TRUSTED = 0.6
"""The least similarity of a success whose template precedes the library's best."""

GIVEN_UP = 2
"""A template that failed this often for a goal is not tried again."""

STATED = 2
"""The weight, in tries, of a template's own confidence beside the counted ones."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The best plan for a goal, whether it is safe, and why other plans were rejected.

    Without a plan `why_not` gives the reasons; with one, a line for each rejected plan. `known` is the experience with
    plans for similar goals. `was_asked` means that a model was asked for one.
    """

    plan: Plan | None = None
    is_safe: bool = True
    why_not: tuple[str, ...] = ()
    known: Experience = field(default_factory=Experience)
    was_asked: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan for a goal, its source, and the evidence for and against it."""

    plan: Plan
    fit: float
    is_safe: bool = True
    case_id: str = ""
    failed: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its template, or of the plan without one."""
        return self.plan.template or self.plan.name


def proposals(drafts: Sequence[Draft], successes: Iterable[Similar], failed: Mapping[str, int]) -> list[Proposal]:
    """Return the candidate plans, best first: proven ones, then by fit, then those that failed for this goal.

    `failed` counts a template's failures for this goal; `GIVEN_UP` failures exclude it.
    """
    proven = {str(one.case.solution.get("template", "")): one.case.id for one in successes if one.score >= TRUSTED}
    proven.pop("", None)
    found = [
        Proposal(one.plan, one.fit, case_id=proven.get(one.plan.template, ""), failed=failed.get(one.plan.template, 0))
        for one in drafts
    ]
    return sorted((one for one in found if one.failed < GIVEN_UP), key=_rank)


def _rank(one: Proposal) -> tuple[bool, int, bool, float, str]:
    return not one.is_safe, one.failed, not one.case_id, -one.fit, one.name


def find_best_plan(cycle: Cycle, goal: Goal, *, without: Iterable[str] = ()) -> Planned:
    """Return the best plan for `goal` whose steps can all be done, by templates other than `without`.

    A goal of several parts is split; if nothing in the library fits, a past case is adapted.
    """
    mind = cycle.agent.mind
    recent = lately(mind.plans, cycle.agent.clock(), cycle.services.library)
    excluded = {*without, *recent, *turned_down(mind.plans, goal.id)}
    drafts = _drafts(cycle.agent, goal, excluded)
    if not drafts.found:
        return Planned(why_not=drafts.why_not or ("no template is for it, and no case is like it",))
    known = experience(cycle.agent, goal)
    alike = cycle.agent.cases.retrieve(read_beliefs(goal, mind.index), list_desires(goal), LOOKED_AT)
    successes = [one for one in alike if is_success(one.case)]
    failed = failures(mind.plans, goal.id)
    usual = proposals(drafts.found, successes, failed)
    if not usual:
        return Planned(why_not=(*drafts.why_not, f"what could be tried has failed {GIVEN_UP} times for this goal"))
    ended_badly = bad_ends(cycle.agent, goal)
    weighed = sorted((_weigh_proposal(cycle.agent, goal, one, known, ended_badly) for one in usual), key=_rank)
    chosen = _affordable(cycle, goal, weighed)
    made = _finalize_plan(chosen, _passed_over(chosen, drafts.found, weighed, failed))
    others = (f"{one.name}: {_behind(one, chosen)}" for one in weighed if one.plan.id != chosen.plan.id)
    return Planned(made, chosen.is_safe, (*others, *drafts.why_not), known)


def _behind(other: Proposal, chosen: Proposal) -> str:
    """Return why a plan comes after the one that was chosen."""
    if other.is_safe != chosen.is_safe:
        return f"it is not safe: {'; '.join(other.warnings)}"
    if other.failed > chosen.failed:
        return f"it failed {other.failed} time{'s' * (other.failed > 1)} for this goal"
    if chosen.case_id and not other.case_id:
        return f"no case like this speaks for it, as {chosen.case_id} does for {chosen.name}"
    if other.fit <= chosen.fit:
        return f"it fits less ({other.fit:.2f}) than {chosen.name} ({chosen.fit:.2f})"
    return "it cannot be in time, or takes more than its share"


def find_safe_plan(cycle: Cycle, goal: Goal, *, without: Iterable[str] = ()) -> Plan | None:
    """Return a plan for `goal` that nothing argues against, or None."""
    found = find_best_plan(cycle, goal, without=without)
    return found.plan if found.is_safe else None


def _drafts(agent: Agent, goal: Goal, without: set[str]) -> Drafts:
    """Return the plans of the first source that has any, found by the words of goal and desire."""
    desire = next((one for one in agent.mind.desires if one.id == goal.desire_id), None)
    text = " ".join(filter(None, (goal.description, desire.description if desire else "", goal.target)))
    return drafts_for(agent, goal, text, without=without, worded=worded_for(agent))


def _weigh_proposal(
    agent: Agent, goal: Goal, one: Proposal, known: Experience, ended_badly: Sequence[Similar]
) -> Proposal:
    """Return a proposal with the evidence of earlier work: its success rate, and whether its risks can be avoided.

    Failures of others are flagged; failures of the agent itself in a situation like this decide.
    """
    if agent.services.library.is_routine(one.plan.template):
        return one  # what it rests on is in its conditions, and it is made anew each time
    rate, tries = known.rates.get(one.plan.template, (0.0, 0))
    stated = one.plan.confidence
    chance = (rate * tries + stated * STATED) / (tries + STATED)
    chance = min(0.95, chance * known.held.get(one.plan.template, 1.0))
    own = risks_of(one.plan, ended_badly)
    plan = replace(one.plan, confidence=round(chance, 4))
    guarded_plan, is_safe = guard_plan(agent, goal, plan, own, worded=worded_for(agent))
    warnings = known.warnings.get(one.plan.template, ())
    others = tuple(said for said in warnings if not any(said.startswith(f"{risk.case_id}:") for risk in own))
    return replace(
        one,
        plan=replace(guarded_plan, risks=(*guarded_plan.risks, *others)),
        fit=one.fit * min(1.5, chance / stated) if stated else one.fit,
        is_safe=is_safe,
        warnings=warnings or tuple(risk.said for risk in own),
    )


def _affordable(cycle: Cycle, goal: Goal, ranked: Sequence[Proposal]) -> Proposal:
    """Return the first proposal that finishes in time and takes no more than its share of shared resources.

    If there is none, return the first that is in time, else the first; the objections are among its risks.
    """
    mind, now = cycle.agent.mind, cycle.agent.clock()
    above = list(_line(goal, mind.goals))
    lacking: list[tuple[Proposal, tuple[str, ...], str]] = []
    for proposal in ranked:
        conflict = find_deadline_conflict(proposal.plan, above, now)
        excess = beyond_share(proposal.plan, goal.desire_id, mind.desires, mind.index)
        if not conflict and not excess:
            return proposal
        lacking.append((proposal, conflict, excess))
    proposal, conflict, excess = min(lacking, key=lambda one: bool(one[1]))
    cycle.note(overdue=list(conflict), beyond_its_share=excess)
    against = [f"cannot be in time: {'; '.join(conflict)}" if conflict else "", excess]
    return replace(proposal, plan=replace(proposal.plan, risks=(*proposal.plan.risks, *filter(None, against))))


def _line(goal: Goal, goals: Iterable[Goal]) -> Iterator[Goal]:
    """Yield a goal and those above it, nearest first."""
    by_id = {one.id: one for one in goals}
    seen: set[str] = set()
    below: Goal | None = goal
    while below is not None and below.id not in seen:
        yield below
        seen.add(below.id)
        below = by_id.get(below.parent_goal_id)


def _finalize_plan(chosen: Proposal, passed: Mapping[str, Sequence[str]]) -> Plan:
    """Return the plan of a proposal, ready for commitment, with the reason for choosing it as its strategy.

    `passed` are the templates that fit better, each with the objections to it.
    """
    plan = chosen.plan
    why = [plan.strategy, f"as it worked in {chosen.case_id}" if chosen.case_id and not plan.strategy else ""]
    if chosen.warnings and plan.changes:
        why.append(f"around what failed: {'; '.join(chosen.warnings)}")
    why += [f"instead of {name}: {'; '.join(against)}" for name, against in passed.items() if against]
    return replace(
        plan,
        source="case" if chosen.case_id else plan.source,
        strategy="; ".join(filter(None, why)),
        confidence=min(0.95, round(plan.confidence + 0.1, 4)) if chosen.case_id else plan.confidence,
        steps=tuple(map(drop_repeated_units, plan.steps)),
        status="active",
    )


def _passed_over(
    chosen: Proposal, drafts: Sequence[Draft], weighed: Sequence[Proposal], failed: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """Return the templates that fit better than the chosen one, each with the objections to it."""
    warned = {one.name: one.warnings for one in weighed}
    found: dict[str, tuple[str, ...]] = {}
    for draft in sorted(drafts, key=lambda one: -one.fit):
        name = draft.plan.template
        if name == chosen.plan.template:
            break
        times = failed.get(name, 0)
        told = f"it failed {times} time{'s' * (times > 1)} for this goal" if times else ""
        found[name] = warned.get(name) or tuple(filter(None, [told]))
    return found


def worded_for(agent: Agent) -> Callable[[Template], Template]:
    """Return a function that formats the values in a template for its readers."""
    index, unit_of = agent.mind.index, _units(agent)
    return lambda template: for_readers(template, index, unit_of)


def _units(agent: Agent) -> Callable[[str], str]:
    """Return how the unit of a watched number is found."""
    if not agent.business_id:
        return lambda _name: ""
    metrics = agent.business.metrics
    return lambda name: point.unit if (point := metrics.latest(name)) is not None else ""


def beyond_share(plan: Plan, desire_id: str, desires: tuple[Desire, ...], lookup: BeliefIndex) -> str:
    """Return in words that a plan costs more than its desire's share of the known amount, else nothing."""
    cost = remaining_cost(plan)
    if not cost or not desire_id:
        return ""
    for found in resolve_conflicts(desires, lookup):
        share, there = found.shares.get(desire_id), number(lookup(found.over) or "")
        if share is not None and there is not None and cost > share * there:
            others = ", ".join(one for one in found.order if one != desire_id)
            return f"costs {cost:,.0f}, more than {share:.0%} of {found.over} ({there:,.0f}), shared with {others}"
    return ""


UNITS = {"days": 1.0, "weeks": 7.0, "months": 30.0}
"""Days of the arguments by which a step says how long what it starts goes on."""
SHOWN = 150
"""Characters of a goal's description by which its point in time is named."""
LONGEST = 1e6
"""Days beyond which an argument is no duration."""


def find_deadline_conflict(plan: Plan, goals: Iterable[Goal], now: datetime) -> tuple[str, ...]:
    """Return the conflict if the plan takes longer than its goal or a parent goal allows, else nothing.

    `goals` are the plan's goal and its ancestors, nearest first.
    """
    lasting = [(step.id, days) for step in plan.steps if (days := _days(step.arguments))]
    due = [(goal, left) for goal in goals if (left := _count_days_left(goal.deadline, now)) is not None]
    if not lasting or not due:
        return ()
    return solve(EventTimeline(start="now", bounds=tuple(_bounds(lasting, due))), Budget()).answer.conflict


def _bounds(lasting: list[tuple[str, float]], due: list[tuple[Goal, float]]) -> Iterator[Bound]:
    """Yield the duration of each lasting step, and when each goal is due: it is reached when all steps are done."""
    for step_id, days in lasting:
        yield Bound(before="now", after=f"step {step_id} through", at_least=days)
        yield Bound(before=f"step {step_id} through", after=_name_milestone(due[0][0]), at_least=0)
    for (lower, _), (upper, _) in itertools.pairwise(due):
        yield Bound(before=_name_milestone(lower), after=_name_milestone(upper), at_least=0)
    for goal, left in due:
        yield Bound(before="now", after=_name_milestone(goal), at_most=left, id=goal.id)


def _name_milestone(goal: Goal) -> str:
    """Return the name of the point at which a goal is reached: its own, however long or common the description is."""
    return f"{goal.description[:SHOWN]} ({goal.id})"


def _days(arguments: Any) -> float:
    """Return the duration in days that a step's arguments give, or 0 without one."""
    given = {unit: arguments.get(unit) for unit in UNITS}
    return sum((UNITS[unit] * float(value) for unit, value in given.items() if _is_duration(value)), 0.0)


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST


def _count_days_left(deadline: str, now: datetime) -> float | None:
    """Return the days until a deadline, or None without one."""
    at = moment(deadline)
    return None if at is None else (at - now) / timedelta(days=1)
