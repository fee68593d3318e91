"""Deliberate: score desires, resolve their conflicts, adopt goals, and choose a goal to pursue (S3 4.1, phase 2)."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from mabos.mind.goals import adopt, drop_repeated
from mabos.mind.model import Goal, Item
from mabos.nodes.action.workflows import opened_by_workflows
from mabos.nodes.choices import Focus, focus
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.answers import heed
from mabos.nodes.deliberation.counsel import Advice, consult_model
from mabos.nodes.deliberation.levers import lever_calls
from mabos.nodes.deliberation.motives import NOTICEABLE, weigh
from mabos.nodes.deliberation.playbooks import trigger_playbooks
from mabos.nodes.deliberation.prospects import most_promising
from mabos.nodes.deliberation.reconsideration import prune_intentions, reconsider_intentions
from mabos.nodes.deliberation.serving import serves_somebody
from mabos.nodes.learning.reflection import proposed_playbooks
from mabos.nodes.learning.trials import judge_plans, set_back
from mabos.nodes.perception.messages import requested_in
from mabos.nodes.perception.understanding import due
from mabos.nodes.phase import phase
from mabos.nodes.state import ROUND, BdiState, Update
from mabos.tools.runtime.services import Agent

RECALLED = 3
"""The number of memories recalled before a plan is made."""


@phase("deliberate")
def deliberate(cycle: Cycle, state: BdiState) -> Update:
    """Return the goal to pursue, its running intention, if any, and the next phase."""
    heard = heed(cycle.agent)
    opened = opened_by_workflows(cycle.agent)
    thought = reconsider_intentions(cycle, state["belief_ids"], state["message_ids"])
    answered = bool(heard.approved or heard.resumed)
    is_serving = state["trigger"] != ROUND and serves_somebody(cycle, state["message_ids"], answered=answered)
    cycle.note(judged=judge_plans(cycle))  # so that the model sees what came of its plans before the next one
    advice = consult_model(cycle, state, later=is_serving)
    cycle.errands = (*cycle.errands, *set_back(cycle), *proposed_playbooks(cycle), *lever_calls(cycle))
    adopted = _weigh_desires(cycle, state["belief_ids"])
    started = trigger_playbooks(cycle, state)
    over = [*heard.ended, *thought.ended, *prune_intentions(cycle)]
    first = (*heard.resumed, *opened, *thought.modified, *_cut_short(cycle))
    chosen = _focus(cycle, advice, first, most=0 if is_serving else cycle.limits.max_active_goals)
    cycle.requests = due(cycle)
    owed = heard.approved or heard.due or state["reply_to"] or state["served"]
    something = chosen is not None or owed or cycle.errands or cycle.workflows or cycle.requests
    memories = _recall_memories(cycle.agent, chosen)
    cycle.note(
        recalled=memories,
        goal=chosen.goal_id if chosen else "",
        intention=chosen.intention_id if chosen else "",
        adopted=adopted,
        started=started,
        resumed=[*heard.resumed, *opened],
        approved=list(heard.approved),
        due=list(heard.due),
        ended=over,
    )
    return {
        "memory_ids": memories,
        "goal_id": chosen.goal_id if chosen else "",
        "intention_id": chosen.intention_id if chosen else "",
        "plan_id": chosen.plan_id if chosen else "",
        "decision_ids": [*heard.approved, *heard.due],
        "modified": list(thought.modified),
        "finished_ids": over,
        "next": "plan" if something else "learn",
    }


def _weigh_desires(cycle: Cycle, belief_ids: list[str]) -> list[str]:
    """Rescore desires and goals and return the goals adopted, if anything can have changed since then.

    That is so if the mind has changed or an hour has passed: values that only the clock moves move slowly.
    """
    if not cycle.has_changed("weighed", (cycle.agent.mind.seq, cycle.now()[: len("2026-03-02T09")])):
        return []
    weigh(cycle, belief_ids)
    return _adopt(cycle)


def _focus(cycle: Cycle, advice: Mapping[str, Advice], first: tuple[str, ...], *, most: int) -> Focus | None:
    """Return the next focus; if others were ready too, record the turn, so that each gets its share."""
    mind, now = cycle.agent.mind, cycle.agent.clock()
    prefer = partial(most_promising, cycle, advice)
    library = cycle.services.library
    chosen = focus(mind.goals, mind.intentions, mind.plans, now, most=most, first=first, prefer=prefer, library=library)
    if chosen is not None and chosen.turns:
        intention = replace(mind.intention(chosen.intention_id), turns=chosen.turns)
        mind.save(intention, why="its turn", cycle=cycle.id)
    return chosen


def _cut_short(cycle: Cycle) -> list[str]:
    """Return the intentions of which a step was begun and did not end: a cycle died there, which is settled first."""
    effects = cycle.services.directory.effects(cycle.agent.id)
    if not cycle.is_newer(effects.store, "cut short"):
        return []
    begun = {effect.id.partition("/")[0] for effect in effects.list_unsettled()}
    return [one.id for one in cycle.agent.mind.intentions if one.plan_id in begun] if begun else []


def _recall_memories(agent: Agent, chosen: Focus | None) -> list[str]:
    """Return a few memories about the goal in focus, where a plan for it is still to be made."""
    if chosen is None or chosen.intention_id:
        return []
    about = agent.mind.goal(chosen.goal_id).description
    # Only items have ids to hand on; asking for some importance leaves passages of files out.
    hits = agent.memory.recall(about, limit=RECALLED, min_importance=0.01)
    return [hit.item.id for hit in hits if hit.item is not None]


def _adopt(cycle: Cycle) -> list[str]:
    """Adopt the goals that the desires ask for, and settle goals and desires that are reached; return the new goals."""
    mind = cycle.agent.mind
    if repeated := drop_repeated(mind.goals, mind.intentions, cycle.now()):
        mind.save(*repeated, why="merged goals that want the same", cycle=cycle.id)
    adopted = adopt(
        mind.desires,
        mind.goals,
        lookup=mind.index,
        now=cycle.agent.clock(),
        ids=cycle.agent.ids,
        limit=cycle.limits.max_goals_adopted,
    )
    taken_up = [_link_request(goal) for goal in adopted.goals]
    fresh: list[Item] = [*taken_up, *adopted.achieved, *adopted.measurable, *adopted.desires]
    ranks = {desire.id: desire.priority for desire in mind.desires}
    written = {goal.id for goal in (*adopted.goals, *adopted.achieved, *adopted.measurable)}
    fresh += [goal for one in mind.goals if one.id not in written and (goal := _update_priority(one, ranks))]
    if fresh:
        mind.save(*fresh, why="deliberated", cycle=cycle.id)
    cycle.note(achieved=[goal.id for goal in adopted.achieved], fulfilled=[desire.id for desire in adopted.desires])
    return [goal.id for goal in adopted.goals]


def _link_request(goal: Goal) -> Goal:
    """Return a new goal with the request it follows from as its evidence."""
    message_id = requested_in(goal.desire_id)
    return replace(goal, evidence=(message_id,)) if message_id else goal


def _update_priority(goal: Goal, ranks: dict[str, float]) -> Goal | None:
    """Return an open goal with the priority of its desire, or None where that has not changed."""
    priority = ranks.get(goal.desire_id, goal.priority)
    is_open = goal.status in ("pending", "active")
    return replace(goal, priority=priority) if is_open and abs(priority - goal.priority) >= NOTICEABLE else None
