"""Learn: keep cases, memories and lessons, evaluate goals, and acknowledge read messages (S3 4.1, phase 5)."""

from collections.abc import Collection, Iterator
from typing import Final

from mabos.mind.goals import apply_evaluation, evaluate, is_decidable, mark_achieved
from mabos.mind.intentions import OVER
from mabos.mind.model import Goal, Intention
from mabos.nodes.action.promises import report
from mabos.nodes.conversation import HUMAN, said_by_agent
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.playbooks import is_started
from mabos.nodes.learning.effects import observe_effects
from mabos.nodes.learning.episodes import close_cases, goal_and_plan, keep_case, lesson, settle, share
from mabos.nodes.learning.experiences import (
    Fields,
    build_adoption_memory,
    build_finding_memories,
    build_goal_memory,
    build_message_memory,
    build_outcome_memory,
    build_plan_memory,
    build_step_memory,
)
from mabos.nodes.learning.reflection import open_cases, reflect_on_case
from mabos.nodes.learning.trials import judge_plans
from mabos.nodes.perception.messages import PERSON
from mabos.nodes.phase import phase
from mabos.nodes.state import ROUND, BdiState, Update
from mabos.tools.runtime.services import Agent

CLAIMS_KEPT: Final = 40
"""Claims of one cycle that its report has; the messages have all."""


@phase("learn", ends=True)
def learn(cycle: Cycle, state: BdiState) -> Update:
    """Return the outcome of the cycle. Messages are marked as read last, so that a crashed cycle reads them again."""
    over = [one for one in cycle.agent.mind.intentions if one.status in OVER]
    was_open = open_cases(cycle)
    learnt_from = over if _learns(cycle.agent) else []
    cases = [keep_case(cycle.agent, intention) for intention in learnt_from]
    for intention in learnt_from:
        settle(cycle.agent, intention)
    effects = observe_effects(cycle) if _learns(cycle.agent) else {}
    cycle.note(effects=effects)
    if _learns(cycle.agent) and (over or effects) and state.get("trigger") != ROUND:
        cycle.note(unshared=share(cycle.agent, over))
    _conclude(cycle.agent, state, over)
    if _learns(cycle.agent):
        close_cases(cycle)
        cycle.note(judged=judge_plans(cycle))
        cycle.note(reflected=reflect_on_case(cycle, was_open, cases))
    remembered = _remember(cycle, state, over)
    cycle.note(reported=report(cycle, over))
    cycle.services.sync.ahead()  # what came of the messages is on the disk before the word that they are read
    cycle.agent.inbox.mark_read(state.get("message_ids", []))
    outcome = state.get("outcome") or ("perceived" if state.get("counts") else "idle")
    cycle.note(
        cases=cases, memories=remembered, ended={one.id: one.status for one in over}, failures=state.get("failures", [])
    )
    if outcome != "idle" or cycle.recorded:
        cycle.note(outcome=outcome)
    waiting = [one["ref"] for one in state.get("results", []) if one["status"] == "waiting" and one["ref"]]
    did = {"steps": len(state.get("results", [])), "memories": remembered, "cases": len(cases)}
    counts = state.get("counts", {}) | {name: count for name, count in did.items() if count}
    return {
        "outcome": outcome,
        "trigger": "",
        "next": "",
        "decision_ids": waiting,
        "counts": counts,
        **_reply(cycle, state),
    }


def _reply(cycle: Cycle, state: BdiState) -> Update:
    """Return the messages to the owner in this cycle, with claims; a person's message gets a chat line."""
    told = cycle.told_owner
    text = "\n".join(one.content for one in told)
    if not (text or _has_asked(state)):
        return {}
    claims = [claim for one in told for claim in one.metadata.get("claims", ())][:CLAIMS_KEPT]
    line = text or "; ".join(["I have no answer yet", *state.get("failures", [])])
    return {"reply": text, "claims": claims, "messages": [said_by_agent(line, cycle.id)]}


def _has_asked(state: BdiState) -> bool:
    """Return whether the conversation ends with a person's message."""
    messages = state.get("messages", [])
    return bool(messages) and messages[-1]["type"] == HUMAN


def _learns(agent: Agent) -> bool:
    return "learning" not in agent.services.without


def _conclude(agent: Agent, state: BdiState, ended: list[Intention]) -> None:
    """Move the goals concerned, write the lessons, and archive finished items."""
    mind = agent.mind
    concerned = {one.goal_id for one in ended} | ({state["goal_id"]} if state.get("goal_id") else set())
    goals = [
        moved for goal in mind.goals if goal.id in concerned and (moved := _reassess_goal(agent, goal, ended)) != goal
    ]
    told = [lesson(agent, intention) for intention in ended if _learns(agent)]
    lessons = [one for one in told if one is not None]
    if goals or lessons or ended:
        mind.save(*goals, *lessons, archive=ended, cycle=agent.cycle)


def _reassess_goal(agent: Agent, goal: Goal, ended: list[Intention]) -> Goal:
    """Return the updated goal.

    A finished plan does not achieve a goal, except for a playbook whose success is nothing but its steps.
    """
    mind = agent.mind
    through = any(one.goal_id == goal.id and one.status == "completed" for one in ended)
    if goal.status in ("achieved", "abandoned") or goal.request_id:
        return goal
    if through and not is_decidable(goal) and _is_written_for(agent, goal):
        return mark_achieved(goal, agent.clock())
    found = evaluate(
        goal, lookup=mind.index, intentions=mind.intentions, plans=mind.plans, goals=mind.goals, now=agent.clock()
    )
    return apply_evaluation(goal, found, agent.clock())


def _is_written_for(agent: Agent, goal: Goal) -> bool:
    """Return whether a person wrote a playbook for a goal and asks nothing more of it than its steps."""
    playbooks = [one for one in agent.mind.plans if one.goal_id == goal.id and one.source == "playbook"]
    return bool(playbooks) and (not is_started(goal) or not goal.success_criteria)


def _remember(cycle: Cycle, state: BdiState, over: list[Intention]) -> int:
    """Store percepts, findings, decisions, actions and their results in one write; return the number of new ones."""
    items = [
        *_collect_perceptions(cycle.agent, state),
        *_collect_decisions(cycle, state, over),
        *_came_of_it(cycle, state, over),
    ]
    return cycle.agent.memory.remember(items) if items else 0


def _collect_perceptions(agent: Agent, state: BdiState) -> Iterator[Fields]:
    read, changed = set(state.get("message_ids", [])), set(state.get("belief_ids", []))
    if read:
        messages = [one for one in agent.inbox.messages() if one.id in read]
        colleagues = _colleagues(agent, {one.sender for one in messages})
        yield from (build_message_memory(one, colleagues) for one in messages)
    yield from build_finding_memories(one for one in agent.mind.beliefs if one.id in changed)


def _colleagues(agent: Agent, senders: set[str]) -> Collection[str]:
    """Return the agents among which senders are looked for: those of the business are known without the disk."""
    own = {PERSON, *(agent.business.manifest.agents.values() if agent.business_id else ())}
    return own if senders <= own else agent.services.agents()


def _collect_decisions(cycle: Cycle, state: BdiState, over: list[Intention]) -> Iterator[Fields]:
    """Yield the goals taken up and the plan chosen since the cycle began."""
    mind = cycle.agent.mind
    yield from (build_adoption_memory(goal, mind.index) for goal in mind.goals if goal.created >= cycle.started)
    chosen = [one for one in (*mind.intentions, *over) if one.id == state.get("intention_id")]
    if chosen and chosen[-1].started >= cycle.started:
        intention = chosen[-1]
        goal, plan = goal_and_plan(cycle.agent, intention)
        if goal is not None and plan is not None:
            yield build_plan_memory(intention, plan, goal, mind.index)


def _came_of_it(cycle: Cycle, state: BdiState, over: list[Intention]) -> Iterator[Fields]:
    """Yield the steps done, the intentions that are over, and the goals settled since the cycle began."""
    mind = cycle.agent.mind
    plan = next((one for one in mind.plans if one.id == state.get("plan_id")), None)
    steps = {step.id: step for step in plan.steps} if plan else {}
    for result in state.get("results", []):
        if plan is not None and result["status"] == "done" and result["tool"] and result["step"] in steps:
            yield build_step_memory(plan, steps[result["step"]], result["ref"])
    for intention in over:
        goal, own = goal_and_plan(cycle.agent, intention)
        yield build_outcome_memory(intention, own, goal, mind.index)
    for goal in mind.goals:
        if goal.status in ("achieved", "abandoned") and goal.updated >= cycle.started:
            yield build_goal_memory(goal, mind.index)
