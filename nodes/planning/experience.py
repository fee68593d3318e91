"""Earlier work as evidence for planning: a plan's success rate, warnings, and patterns (S2, task planning).

Two memories answer: the agent's own cases with their lessons, and the entity memory of the business, in which all
agents keep the results of plans (`mabos.nodes.learning.episodes`). A query without a match costs nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import Entity
from mabos.mind.conditions import subjects
from mabos.mind.expectations import NEUTRAL, trust
from mabos.mind.model import Goal, Learning
from mabos.tools.entities.learning import UNKNOWN_YET, tries_of
from mabos.tools.plans.risks import bad_ends, describe_risk
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, terms

ASKED = ("Pattern", "Decision", "Insight")
LOOKED_AT = 64
"""Entities that are looked at: so many that how often one was asked for before decides nothing."""
COUNTED = 12
"""Patterns of which the tries are counted, the most alike to the goal."""
APPLICABLE, FITS = 5, 0.35
"""The number of entities named as applicable, and their least similarity to the goal."""
LIKE = 0.5
"""The share of its words that a goal without a measured target must have in common with another to be like it."""


@dataclass(frozen=True, slots=True)
class Experience:
    """The evidence of earlier work about plans for a goal.

    `rates` has each template's success rate and number of attempts. `warnings` are sentences that begin with the id of
    their evidence. `patterns` has the addresses of matches in the entity memory, `summary` their text. `held` is a
    factor on the confidence in a template, by how its promises came true.
    """

    rates: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    warnings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    patterns: tuple[str, ...] = ()
    summary: str = ""
    held: Mapping[str, float] = field(default_factory=dict)


def experience(agent: Agent, goal: Goal) -> Experience:
    """Return the experience for planning `goal`, from similar goals only."""
    warned = _own_failures(agent, goal)
    held = {name: sure / NEUTRAL for name, sure in trust(agent.mind.beliefs).items()}
    memory = _memory(agent)
    fitting = _fitting(memory, goal) if memory else []
    rates: dict[str, tuple[float, int]] = {}
    for pattern in [one for one, _ in fitting if one.type == "Pattern"][:COUNTED]:
        every = _tries(memory, pattern, goal) if memory else {}
        tries = {task: about for task, about in every.items() if about["outcome"] != UNKNOWN_YET}
        if tries:
            good = sum(one["outcome"] == "success" for one in tries.values())
            rates[pattern.name] = (good / len(tries), len(tries))
            warned.setdefault(pattern.name, []).extend(_others_failures(tries, agent.id))
    applicable = [one for one, similarity in fitting if similarity >= FITS and _applies(one)][:APPLICABLE]
    return Experience(
        rates,
        {name: tuple(said) for name, said in warned.items() if said},
        tuple(one.address for one in applicable),
        f"Based on past work, consider: {'; '.join(map(_describe_pattern, applicable))}" if applicable else "",
        held,
    )


def _fitting(memory: EntityMemory, goal: Goal) -> list[tuple[Entity, float]]:
    """Return the entities that may have to do with a goal, and how alike they are to it, the most alike first."""
    asked = goal.description.strip() or goal.target
    found = memory.query_semantic(asked, types=ASKED, limit=LOOKED_AT).results if asked else ()
    alike = sorted(found, key=lambda one: (-one.similarity, one.profile.entity.id))
    return [(one.profile.entity, one.similarity) for one in alike]


def _memory(agent: Agent) -> EntityMemory | None:
    """Return the entity memory, where something is in it: nothing of it is opened before."""
    business_id = agent.business_id
    if not business_id or not (agent.services.layout.business(business_id) / "graph.jsonl").exists():
        return None
    graph = agent.services.graph(business_id)
    return EntityMemory(graph.entities(), agent.id, directory=graph.directory())


def _own_failures(agent: Agent, goal: Goal) -> dict[str, list[str]]:
    """Return failures by template in a situation like this, and their lessons."""
    mind = agent.mind
    risks = bad_ends(agent, goal)
    learnt: Mapping[str, Learning] = {one.id: one for one in mind.learnings} if risks else {}
    found: dict[str, list[str]] = {}
    for one in risks:
        said = describe_risk(one)
        lesson = learnt.get(one.case.id.replace("CASE-", "LRN-", 1))
        said = f"{said}; {lesson.id}: {lesson.insight}" if lesson else said
        found.setdefault(str(one.case.solution.get("template", "")), []).append(said)
    found.pop("", None)
    return found


def _tries(memory: EntityMemory, pattern: Entity, goal: Goal) -> Mapping[str, Mapping[str, Any]]:
    """Return how a pattern was applied for goals like this one, by task."""
    return {task: about for task, about in tries_of(memory, pattern.id).items() if _is_like(about, goal)}


def _is_like(applied: Mapping[str, Any], goal: Goal) -> bool:
    """Return whether the goal of an applied pattern is like `goal`: measured by the same, or in the same words."""
    measured: Sequence[str] = subjects(goal.target)
    if measured:
        return set(measured) == set(subjects(str(applied.get("target", ""))))
    words = _words(goal.description)
    return bool(words) and len(words & _words(str(applied.get("goal", "")))) >= LIKE * len(words)


def _words(text: str) -> set[str]:
    return {word for word in terms(text) if word not in STOPWORDS}


def _others_failures(tries: Mapping[str, Mapping[str, Any]], own: str) -> Iterable[str]:
    """Yield the failures of colleagues; the agent's own are in its cases."""
    for task, about in tries.items():
        if about["outcome"] != "success" and about.get("agent") != own:
            yield f"{task}: it ended as {about['outcome']} for {about.get('agent')}: {about.get('reason', '')}"


def _applies(entity: Entity) -> bool:
    return entity.type != "Pattern" or entity.properties.get("outcome") != "failure"


def _describe_pattern(entity: Entity) -> str:
    rate, tries = entity.properties.get("success_rate"), entity.properties.get("applied_count")
    told = f", it did what it was for in {round(rate * tries)} of {tries} cases" if tries and rate is not None else ""
    return f"{entity.label} ({entity.address}{told})"
