"""What is known from earlier work for planning: how often a plan worked, what warns, what applies (S2, task planning).

Two memories answer: the agent's own cases with the lessons they left, and the entity memory of the business, in which
all agents keep what plans came to (`nodes.learning.shared`). What is in neither costs nothing to ask for.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knowledge.entities.answers import Match
from knowledge.entities.memory import EntityMemory
from knowledge.entities.model import Entity
from mind.conditions import subjects
from mind.model import Goal, Learning
from mind.situation import believed, wanted
from nodes.cycle import Cycle
from nodes.learning.shared import tries_of
from workspace.text import STOPWORDS, terms

ASKED = ("Pattern", "Decision", "Insight")
LOOKED_AT = 64
"""Entities that are looked at: so many that how often one was asked for before decides nothing."""
APPLICABLE = 5
"""Entities that are named as applicable."""
LIKE = 0.5
"""The share of its words that a goal without a measured target must have in common with another to be like it."""


@dataclass(frozen=True, slots=True)
class Experience:
    """What earlier work says about plans for a goal.

    `rates` has for a template the share of tries that went well, and how many there were; `warnings` sentences that
    begin with the id they rest on; `patterns` the addresses of what applies in the entity memory, `summary` in words.
    """

    rates: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    warnings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    patterns: tuple[str, ...] = ()
    summary: str = ""


def experience(cycle: Cycle, goal: Goal) -> Experience:
    """Return what is known for planning towards `goal`, of its like alone."""
    warned = _own_failures(cycle, goal)
    memory = _memory(cycle)
    if memory is None:
        return Experience(warnings={name: tuple(said) for name, said in warned.items()})
    text = f"{goal.description} {goal.target}".strip()
    matches = memory.query_semantic(text, types=ASKED, limit=LOOKED_AT).results if text else ()
    fitting = sorted((one for one in matches if one.similarity > 0), key=lambda one: (-one.similarity, _id(one)))
    rates: dict[str, tuple[float, int]] = {}
    for pattern in (one.profile.entity for one in fitting if one.profile.entity.type == "Pattern"):
        tries = _tries(memory, pattern, goal)
        if tries:
            good = sum(one["outcome"] == "success" for one in tries.values())
            rates[pattern.name] = (good / len(tries), len(tries))
            warned.setdefault(pattern.name, []).extend(_others_failures(tries, cycle.agent.id))
    applicable = [one.profile.entity for one in fitting if _applies(one.profile.entity)][:APPLICABLE]
    return Experience(
        rates,
        {name: tuple(said) for name, said in warned.items() if said},
        tuple(one.address for one in applicable),
        f"Based on past work, consider: {'; '.join(map(_told, applicable))}" if applicable else "",
    )


def _memory(cycle: Cycle) -> EntityMemory | None:
    """Return the entity memory, where something is in it: nothing of it is opened before."""
    business_id = cycle.agent.business_id
    if not business_id or not (cycle.services.layout.business(business_id) / "graph.jsonl").exists():
        return None
    graph = cycle.services.graph(business_id)
    return EntityMemory(graph.entities(), cycle.agent.id, directory=graph.directory())


def _own_failures(cycle: Cycle, goal: Goal) -> dict[str, list[str]]:
    """Return by template what failed in a situation like this, and what was learnt from it."""
    mind = cycle.agent.mind
    risks = cycle.agent.cases.risks(believed(goal, mind.index), wanted(goal))
    learnt: Mapping[str, Learning] = {one.id: one for one in mind.learnings} if risks else {}
    found: dict[str, list[str]] = {}
    for one in risks:
        said = f"{one.case.id}: it ended as {one.case.outcome} in a situation like this ({one.score:.2f})"
        lesson = learnt.get(one.case.id.replace("CASE-", "LRN-", 1))
        told = f"{said}; {lesson.id}: {lesson.insight}" if lesson else said
        found.setdefault(str(one.case.solution.get("template", "")), []).append(told)
    found.pop("", None)
    return found


def _tries(memory: EntityMemory, pattern: Entity, goal: Goal) -> Mapping[str, Mapping[str, Any]]:
    """Return how a pattern was applied for goals like this one, by task."""
    return {task: about for task, about in tries_of(memory, pattern).items() if _is_like(about, goal)}


def _is_like(applied: Mapping[str, Any], goal: Goal) -> bool:
    """Return whether what a pattern was applied for is like a goal: measured by the same, or said in the same words."""
    measured: Sequence[str] = subjects(goal.target)
    if measured:
        return set(measured) == set(subjects(str(applied.get("target", ""))))
    words = _words(goal.description)
    return bool(words) and len(words & _words(str(applied.get("goal", "")))) >= LIKE * len(words)


def _words(text: str) -> set[str]:
    return {word for word in terms(text) if word not in STOPWORDS}


def _others_failures(tries: Mapping[str, Mapping[str, Any]], own: str) -> Iterable[str]:
    """Yield what failed for colleagues; what failed for the agent itself its cases tell."""
    for task, about in tries.items():
        if about["outcome"] != "success" and about.get("agent") != own:
            yield f"{task}: it ended as {about['outcome']} for {about.get('agent')}: {about.get('reason', '')}"


def _applies(entity: Entity) -> bool:
    return entity.type != "Pattern" or entity.properties.get("outcome") != "failure"


def _told(entity: Entity) -> str:
    rate, tries = entity.properties.get("success_rate"), entity.properties.get("applied_count")
    return f"{entity.label} ({entity.address}{f', worked in {rate:.0%} of {tries}' if tries else ''})"


def _id(match: Match) -> str:
    return match.profile.entity.id
