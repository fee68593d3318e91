"""Playbooks that events start: beliefs, messages, goals and conditions against the triggers of Playbooks.md (S3 4.2).

The goal's id records which event started a playbook, so that an event seen again, in the next cycle or after a restart,
starts nothing twice. Nothing is checked while mind and inbox are unchanged.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

from mabos.mind.conditions import holds, is_comparison, subjects
from mabos.mind.goals import OPEN
from mabos.mind.intentions import choose_strategy
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Intention
from mabos.mind.procedures.held import BeliefTerms, goal_term, term_of
from mabos.mind.procedures.playbooks import (
    PLAYBOOK_GOAL,
    Event,
    Routine,
    Values,
    failure_of,
    matching,
    routines,
)
from mabos.mind.procedures.unfolding import Choose, begin_plan
from mabos.mind.situation import as_of
from mabos.nodes.choices import LIVE, resting
from mabos.nodes.cycle import Cycle
from mabos.nodes.state import BdiState
from mabos.tools.runtime.services import Agent

PRIORITY = 0.7
"""The priority of a playbook's purpose among the goals: a person wrote that it must be done."""


def trigger_playbooks(cycle: Cycle, state: BdiState) -> list[str]:
    """Return the intentions of the started playbooks; the goal, plan and intention of each are saved."""
    mind = cycle.agent.mind
    is_new = cycle.has_changed("playbooks", mind.seq)
    found = routines(mind.playbooks) if is_new or state["message_ids"] else ()
    if not found:
        return []
    live = {one.goal_id for one in mind.intentions if one.status in LIVE}
    room, started = cycle.limits.max_active_goals - len(live), list[str]()
    choose = chooser(cycle.agent, found)
    for goal, event in _due(cycle.agent, state, found, live):
        answer = choose(event, ())
        if answer is None:
            continue
        if len(started) >= room:
            cycle.marks.pop((cycle.agent.id, "playbooks"))  # looked at again when there is room
            break
        started.append(_start_playbook(cycle.agent, goal or _goal_for(answer[0], event, cycle.now()), event, answer))
    return started


def chooser(agent: Agent, found: Collection[Routine]) -> Choose:
    """Return a function that finds the first playbook for an event, or for its failure after others failed."""
    lookup, held = agent.mind.index, list[BeliefTerms]()

    def choose(event: Event, tried: Collection[str]) -> tuple[Routine, Values] | None:
        if not held and event.kind != "holds":
            held.append(BeliefTerms(agent.id, agent.mind.beliefs))
        place = held[0] if held else BeliefTerms(agent.id, ())
        events = [event, failure_of(event)] if event.kind == "+!" and tried else [event]
        for one in events:
            for routine, values in matching(found, one, place, lookup):
                if routine.name not in tried:
                    return routine, values
        return None

    return choose


def _due(
    agent: Agent, state: BdiState, found: Collection[Routine], live: Collection[str]
) -> Iterator[tuple[Goal | None, Event]]:
    """Yield the events that have not started anything yet, each with the goal it is about where it is about one."""
    mind = agent.mind
    known = {goal.id for goal in mind.goals}
    wanted = {one.trigger.event.functor for one in found if one.trigger is not None}
    for goal, event in _about_goals(agent, wanted, live):
        yield goal, event
    others = [*_about_beliefs(mind.beliefs, wanted), *_about_messages(agent, state, wanted)]
    for event in (*others, *_conditions(found, mind.index, mind.goals)):
        if _goal_id(event) not in known:
            yield None, event


def _about_goals(agent: Agent, wanted: Collection[str], live: Collection[str]) -> Iterator[tuple[Goal | None, Event]]:
    """Yield the goals that a playbook may pursue, and those whose last plan failed."""
    mind, now = agent.mind, agent.clock()
    known = {goal.id for goal in mind.goals}
    tired = resting(mind.plans, now, agent.services.library)
    for goal in mind.goals:
        term = goal_term(goal.description)
        if term is None or term[0] not in wanted or goal.id in live:
            continue
        if goal.status in OPEN and goal.id not in tired:
            yield goal, Event("+!", term, refs=(goal.id,))
        for plan in mind.plans:
            failed = Event("-!", term, refs=(goal.id, plan.id))
            if plan.goal_id == goal.id and plan.status == "failed" and _goal_id(failed) not in known:
                yield None, failed


def _about_beliefs(beliefs: Iterable[Belief], wanted: Collection[str]) -> Iterator[Event]:
    """Yield events for beliefs gained and lost, each once for every value it takes."""
    for belief in beliefs:
        term = term_of(belief)
        if term is not None and term[0] in wanted:
            changed = [one.at for one in belief.revisions if one.before != one.after]
            moment = changed[-1] if changed else ""
            yield Event("+" if belief.status == "held" else "-", term, refs=(belief.id, moment))


def _about_messages(agent: Agent, state: BdiState, wanted: Collection[str]) -> Iterator[Event]:
    if "message" not in wanted or not state["message_ids"]:
        return
    read = set(state["message_ids"])
    for one in agent.inbox.messages():
        if one.id in read:
            term = ("message", (one.sender,), (one.performative.casefold(),), one.content)
            yield Event("+", term, refs=(one.id,))


def _conditions(found: Iterable[Routine], index: BeliefIndex, goals: Iterable[Goal]) -> Iterator[Event]:
    """Yield the conditions that have come to hold: for the first time, or again after they had ceased to."""
    for condition in dict.fromkeys(one.condition for one in found if one.kind == "holds"):
        names = {one.name for one in found if one.condition == condition}
        since = max((goal.created for goal in goals if goal.description in names), default="")
        if holds(condition, index) is True and (not since or _has_ceased(condition, index, since)):
            refs = tuple(belief.id for name in subjects(condition) if (belief := index.about(name)))
            yield Event("holds", text=condition, refs=(*refs, since))


def _has_ceased(condition: str, index: BeliefIndex, since: str) -> bool:
    """Return whether a condition that holds now did not do so at some moment after `since`."""
    told = [belief for name in subjects(condition) if (belief := index.about(name))]
    moments = {entry.at for belief in told for entry in belief.revisions if entry.at > since}
    return any(holds(condition, as_of(index, moment)) is not True for moment in moments)


def _goal_id(event: Event) -> str:
    digest = blake2b("\n".join((event.told, *event.refs)).encode(), digest_size=5).hexdigest()
    return f"{PLAYBOOK_GOAL}{digest}"


def is_started(goal: Goal) -> bool:
    """Return whether a goal was created by starting a playbook, not found."""
    return goal.id.startswith(PLAYBOOK_GOAL)


def _goal_for(routine: Routine, event: Event, now: str) -> Goal:
    """Return the goal that a playbook is started for: its success, where that can be measured."""
    return Goal(
        id=_goal_id(event),
        description=routine.name,
        priority=PRIORITY,
        target=routine.success if is_comparison(routine.success) else "",
        success_criteria=(routine.success,) if routine.success else (),
        created=now,
        updated=now,
        evidence=tuple(ref for ref in event.refs if not ref[:1].isdigit()),
    )


def _start_playbook(agent: Agent, goal: Goal, event: Event, answer: tuple[Routine, Values]) -> str:
    """Save goal, plan and intention in one transaction, and return the id of the intention."""
    routine, values = answer
    now, ids = agent.now(), agent.ids
    goal = goal if goal.status == "active" else replace(goal, status="active", updated=now)
    plan = begin_plan(routine, values, event, plan_id=ids.new("P"), goal=goal, now=now)
    intention = Intention(
        id=ids.new("I"),
        goal_id=goal.id,
        plan_id=plan.id,
        strategy=choose_strategy(goal),
        deadline=goal.deadline,
        started=now,
        updated=now,
        description=goal.description if goal.description == routine.name else f"{goal.description}: {routine.name}",
        evidence=goal.evidence,
    )
    agent.mind.save(goal, plan, intention, why=f"playbook {routine.name}: {event.told}", cycle=agent.cycle)
    return intention.id
