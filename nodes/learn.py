"""Learn: keep cases, memories and lessons, see how goals stand, and acknowledge what was read (S3 4.1, phase 5)."""

from collections.abc import Mapping
from typing import Any

from mind.conditions import is_comparison
from mind.goals import evaluate, evaluated, reached
from mind.intentions import OVER
from mind.model import Goal, Intention
from nodes.cycle import Cycle
from nodes.learning.episodes import keep_case, lesson, told
from nodes.perception.messages import headline, weight
from nodes.phase import phase
from nodes.state import BdiState, Update


@phase("learn", ends=True)
def learn(cycle: Cycle, state: BdiState) -> Update:
    """Return the outcome of the cycle. Messages are marked as read last: a cycle that dies before hears them again."""
    ended = [one for one in cycle.agent.mind.intentions if one.status in OVER]
    cases = [keep_case(cycle.agent, intention) for intention in ended]
    _conclude(cycle, state, ended)
    remembered = _remember(cycle, state, ended)
    cycle.agent.inbox.mark_read(state.get("message_ids", []))
    outcome = state.get("outcome") or ("perceived" if state.get("counts") else "idle")
    cycle.note(
        cases=cases,
        memories=remembered,
        ended={one.id: one.status for one in ended},
        failures=state.get("failures", []),
    )
    if outcome != "idle" or cycle.recorded:
        cycle.note(outcome=outcome)
    return {"outcome": outcome, "trigger": "", "next": ""}


def _conclude(cycle: Cycle, state: BdiState, ended: list[Intention]) -> None:
    """Move the goals concerned, write the lessons, and put what is over into the archive."""
    mind = cycle.agent.mind
    concerned = {one.goal_id for one in ended} | ({state["goal_id"]} if state.get("goal_id") else set())
    goals = [moved for goal in mind.goals if goal.id in concerned and (moved := _moved(cycle, goal, ended)) != goal]
    lessons = [learnt for intention in ended if (learnt := lesson(cycle.agent, intention)) is not None]
    if goals or lessons or ended:
        mind.save(*goals, *lessons, archive=ended, cycle=cycle.id)


def _moved(cycle: Cycle, goal: Goal, ended: list[Intention]) -> Goal:
    """Return the goal as it stands now; one that cannot be measured is reached when its plan is through."""
    mind = cycle.agent.mind
    through = any(one.goal_id == goal.id and one.status == "completed" for one in ended)
    if goal.status in ("achieved", "abandoned"):
        return goal
    if through and not any(map(is_comparison, (goal.target, *goal.success_criteria))):
        return reached(goal, cycle.agent.clock())
    found = evaluate(
        goal,
        lookup=mind.index,
        intentions=mind.intentions,
        plans=mind.plans,
        goals=mind.goals,
        now=cycle.agent.clock(),
    )
    return evaluated(goal, found, cycle.agent.clock())


def _remember(cycle: Cycle, state: BdiState, ended: list[Intention]) -> int:
    """Store what was heard and what came of plans, in one write; return how many memories there were."""
    heard = set(state.get("message_ids", []))
    items: list[Mapping[str, Any]] = [
        {
            "content": f"{message.sender} ({message.performative}): {headline(message.content, 400)}",
            "type": "observation",
            "importance": weight(message),
            "source": f"message {message.id}",
            "tags": [message.performative.lower(), message.sender],
        }
        for message in cycle.agent.inbox.messages()
        if heard and message.id in heard
    ]
    items += [told(cycle.agent, intention) for intention in ended]
    if items:
        cycle.agent.memory.store_many(items)
    return len(items)
