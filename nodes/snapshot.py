"""The mind in the state of a cycle: short lines for people, next to the ids that phases use.

    {"beliefs": ["runway_months is 9 (0.8)"], "desires": ["0.83 Keep nine months of runway"], "goal": "Fill the pipeline
    (reach 30 leads)", "plan": "Advertise (library)", "steps": ["S1 Start the campaign 'Spring': done, CMP-1"]}

Its size is limited whatever the mind holds, since every checkpoint contains it.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from mabos.mind.model import Belief, Goal, Plan
from mabos.nodes.cycle import Cycle
from mabos.nodes.state import BdiState, MindSnapshot
from mabos.workspace.text import one_line, shorten

_BELIEFS: Final = 8
_DESIRES: Final = 6
_STEPS: Final = 12
_LINE: Final = 120
_OVER: Final = ("fulfilled", "dropped")


def mind_snapshot(cycle: Cycle, state: BdiState) -> MindSnapshot:
    """Return new beliefs, desires by priority, and the goal and plan in focus with step results, in words."""
    mind = cycle.agent.mind
    news = set(state.get("belief_ids", ()))
    beliefs = [_line(_belief(one)) for one in mind.beliefs if one.id in news][:_BELIEFS] if news else []
    wanted = sorted((one for one in mind.desires if one.status not in _OVER), key=lambda one: -one.priority)
    plan = _plan(cycle, state.get("plan_id", ""))
    goal = next((one for one in mind.goals if one.id == state.get("goal_id")), None)
    return MindSnapshot(
        beliefs=beliefs,
        desires=[_line(f"{one.priority:.2f} {one.name}") for one in wanted[:_DESIRES]],
        goal=_line(_goal(goal)) if goal else "",
        plan=_line(f"{plan.name} ({plan.source})") if plan else "",
        steps=[_line(line) for line in _steps(plan, state)][:_STEPS] if plan else [],
    )


def _belief(belief: Belief) -> str:
    words = " ".join(filter(None, (belief.subject, belief.predicate, belief.value)))
    return f"{belief.statement or words} ({belief.certainty:.1f})"


def _goal(goal: Goal) -> str:
    aim = f" ({goal.target})" if goal.target and goal.target != goal.description else ""
    return f"{goal.description}{aim}: {goal.status}"


def _plan(cycle: Cycle, plan_id: str) -> Plan | None:
    """Return the plan in focus as the last step left it, which is written only when the cycle leaves off."""
    if cycle.draft is not None and cycle.draft[1].id == plan_id:
        return cycle.draft[1]
    return next((one for one in cycle.agent.mind.plans if one.id == plan_id), None) if plan_id else None


def _steps(plan: Plan, state: BdiState) -> Iterator[str]:
    refs: Mapping[str, str] = {one["step"]: one["ref"] for one in state.get("results", ())}
    for step in plan.steps:
        came = ", ".join(dict.fromkeys(filter(None, (refs.get(step.id, ""), step.decision_id, step.result))))
        yield f"{step.id} {step.description or step.tool}: {step.status}{', ' if came else ''}{came}"


def _line(text: str) -> str:
    return shorten(one_line(text), _LINE)
