"""Judge the observed effects of plans: trust in each plan, and a lesson from an unexpected result."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from mabos.knowledge.case_records import Outcome
from mabos.mind.conditions import holds
from mabos.mind.expectations import ExpectationVerdict, apply_verdicts, verdicts
from mabos.mind.model import Learning, Plan
from mabos.mind.situation import MISSED, NEARER, REACHED
from mabos.nodes.choices import shows_after
from mabos.nodes.cycle import Cycle
from mabos.tools.runtime.services import Agent

_OUTCOMES: Mapping[str, Outcome] = {REACHED: "success", MISSED: "failure"}
UNTOLD = "untold"
"""The result of a case of which the business does not know yet what was measured."""
FORECASTS = "forecasts"
"""The result of an open case with the ids of the forecasts that wait for its end."""


def observe_effects(cycle: Cycle) -> dict[str, str]:
    """Return each plan whose effects were just judged, and why; an unchanged mind is not checked."""
    mind = cycle.agent.mind
    if not cycle.has_changed("effects", mind.seq):
        return {}
    rest = partial(shows_after, library=cycle.services.library)
    found = verdicts(_tellable(cycle.agent), mind.goals, mind.beliefs, mind.index, cycle.agent.clock(), rest=rest)
    if not found:
        return {}
    changed = apply_verdicts(found, mind.beliefs, cycle.now())
    mind.save(*changed, *_lessons(cycle.agent, found, cycle.now()), why="effects were observed", cycle=cycle.id)
    _update_case_outcomes(cycle.agent, found)
    return {plan_id: "; ".join(one.reason for one in ones) for plan_id, ones in _by_plan(found).items()}


def _tellable(agent: Agent) -> list[Plan]:
    """Return the plans whose results can be judged; a turn of a routine is one of many for its goal."""
    return [one for one in agent.mind.plans if not agent.services.library.is_routine(one.template)]


def _update_case_outcomes(agent: Agent, found: Iterable[ExpectationVerdict]) -> None:
    """Record in the case of each plan the result of its goal, as measured now."""
    came = {one.plan.id: one for one in found if one.is_about_goal}
    for case in agent.cases.all() if came else ():
        verdict = came.get(str(case.solution.get("plan") or ""))
        if verdict is not None and case.outcome == "open":
            is_there = holds(verdict.expected, agent.mind.index) is True
            end = (REACHED if is_there else NEARER) if verdict.kind == "confirmed" else MISSED
            ended = _OUTCOMES.get(end)
            agent.cases.amend(case.id, outcome=ended, goal=end, measured=verdict.reason, **{UNTOLD: True})
            for episode_id in agent.episodes.list_unsettled(case.results.get(FORECASTS, ())):
                agent.episodes.settle(episode_id, right=end == REACHED)


def _lessons(agent: Agent, found: Iterable[ExpectationVerdict], now: str) -> Iterator[Learning]:
    """Yield a lesson for each plan that did not bring the expected effect; its earlier text is kept."""
    known = {one.id: one for one in agent.mind.learnings}
    goals = {one.id: one for one in agent.mind.goals}
    for ones in _by_plan(one for one in found if one.kind != "confirmed").values():
        plan = ones[0].plan
        goal = goals.get(plan.goal_id)
        aim = goal.description if goal else plan.name
        before = known.get(f"LRN-{plan.id}")
        told = "; ".join(one.reason for one in ones)
        insight = f"{before.insight}; {told}" if before else f"{plan.name[:1].upper()}{plan.name[1:]} {told}"
        yield Learning(f"LRN-{plan.id}", insight, f"effects of {plan.name}: {aim}", f"the goal is: {aim}", now)


def _by_plan(found: Iterable[ExpectationVerdict]) -> dict[str, list[ExpectationVerdict]]:
    told: dict[str, list[ExpectationVerdict]] = {}
    for one in found:
        told.setdefault(one.plan.id, []).append(one)
    return told
