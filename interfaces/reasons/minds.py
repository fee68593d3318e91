"""An agent's records as reasons: its mind, its memories, its facts and its lessons."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mabos.interfaces.reasons.beliefs import fact_record
from mabos.interfaces.reasons.making import EntryReason, Tells
from mabos.interfaces.reasons.record import Record, texts

if TYPE_CHECKING:
    from mabos.mind.history import History
    from mabos.tools.runtime.services import Agent

_EVERY = 1_000_000
_NOTHING = EntryReason("", "")


def mind_records(agent: "Agent", history: "History", tells: Tells) -> Iterator[Record]:
    """Yield an agent's desires, goals, plans and lessons, and records that have left its mind."""
    from mabos.mind.conditions import subjects
    from mabos.mind.model import Desire, Goal, Intention, Plan

    mind = agent.mind

    def record(item: Any, kind: str, words: str, at: str, *rests_on: Any, target: str = "") -> Record:
        measured_by = tuple(subjects(target)) if target else ()
        return Record(item.id, kind, agent.id, words, at, tuple(texts(rests_on)), measured_by)

    for desire in (*mind.desires, *history.gone(Desire)):
        asked = desire.id.removeprefix("D-")  # what a message asks for is wanted under the message's id
        because: tuple[Any, ...] = (desire.serves, desire.reason, desire.deps, asked)
        words = _append_target(desire.name, desire.target)
        yield record(desire, "desire", words, desire.created, *because, target=desire.target)
    for goal in (*mind.goals, *history.gone(Goal)):
        above = goal.parent_goal_id.rpartition("/")[2]  # a colleague's goal has its owner before the id
        entry, why_not = tells.lacking.get(goal.id, _NOTHING) if goal.status == "blocked" else _NOTHING
        because = (goal.desire_id, above, goal.evidence, goal.request_id, entry)
        words = _append_target(goal.description, goal.target) + (f": no plan fits: {why_not}" if why_not else "")
        yield record(goal, "goal", words, goal.created, *because, target=goal.target)
    for intention in (*mind.intentions, *history.gone(Intention)):
        words = f"{intention.description or 'to carry out ' + intention.plan_id}: {intention.status}"
        rests = (intention.goal_id, intention.plan_id, intention.decision_id, intention.evidence, intention.reason)
        yield record(intention, "intention", words, intention.started, *rests)
    for plan in (*mind.plans, *history.gone(Plan)):
        entry, passed_over = tells.choices.get(plan.id, _NOTHING)
        words = f"{plan.name} ({plan.source}, {plan.status})" + (f": {plan.strategy}" if plan.strategy else "")
        words += f"; passed over: {passed_over}" if passed_over else ""
        yield record(plan, "plan", words, plan.created, plan.goal_id, plan.strategy, plan.risks, plan.changes, entry)
    for learning in mind.learnings:
        yield record(learning, "lesson", learning.insight, learning.at, learning.context)
    for commitment in mind.commitments:
        words = f"to {commitment.counterparty}: {commitment.terms} ({commitment.status})"
        yield record(commitment, "commitment", words, "")


def request_records(agent: "Agent") -> Iterator[Record]:
    """Yield the requests to an agent; orders of a work session have the sources of their values."""
    for one in agent.requests.all():
        grounds = one.data.get("grounds", ())
        held = one.data.get("insists", "")
        told = [_describe_ground(ground) for ground in grounds] or [f"{one.act}, {one.status}"]
        words = "; ".join([one.sentence, *told, *([f"the owner is asked: {held}"] if held else [])])
        rests = (one.message_id, [ground["place"] for ground in grounds])
        yield Record(
            one.id, "order" if grounds or held else "request", agent.id, words, one.created_at, tuple(texts(rests))
        )


def _describe_ground(ground: Mapping[str, str]) -> str:
    """Return where a value comes from: "weeks 3 from 'for three weeks' in MSG-9"."""
    how = f", {ground['how']}" if ground.get("how") else ""
    return f"{ground['slot'].replace('_', ' ')} {ground['value']} from {ground['words']!r} in {ground['place']}{how}"


def _append_target(words: str, target: str) -> str:
    return f"{words} ({target})" if target and target not in words else words


def experience_records(agent: "Agent") -> Iterator[Record]:
    """Yield an agent's memories and knowledge, its cases, its reasoning and its rules."""
    yield from _memories(agent)
    for case in agent.cases.all():
        reason = case.results.get("reason")
        words = f"{case.context or case.id}: {case.outcome}" + (f", {reason}" if reason else "")
        rests = tuple(texts([case.beliefs, case.desires, case.solution]))
        yield Record(case.id, "case", agent.id, words, case.stored_at, rests)
    index = agent.facts.index()
    given_up = {fact.id: fact for fact in sorted(index.history.values(), key=lambda one: one.recorded_until)}
    yield from (fact_record(agent.id, fact) for fact in {**given_up, **index.facts}.values())
    for episode in agent.episodes.all():
        words = f"{episode.method}: {episode.summary}"
        yield Record(episode.id, "reasoning", agent.id, words, episode.at, tuple(texts([episode.evidence])))
    for rule in agent.rules.select():
        yield Record(rule.id, "rule", agent.id, f"{rule.name}: {rule.description}", rule.created_at)


def _memories(agent: "Agent") -> Iterator[Record]:
    """Yield memories, and those that have left the stores and are in the daily logs alone."""
    from mabos.memory import daily

    kept = set()
    for item in agent.memory.recent(_EVERY):
        kept.add(item.id)
        rests = tuple(texts([item.evidence, item.derived_from, item.source]))
        yield Record(item.id, "memory", agent.id, item.content, item.created_at, rests)
    folder = agent.memory.directory / "memory"
    for day in daily.days(folder):
        for entry in daily.entries(folder, day):
            if entry.id and entry.id not in kept:
                kept.add(entry.id)
                yield Record(entry.id, "memory", agent.id, entry.content, f"{day}T{entry.time}")
