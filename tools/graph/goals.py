"""Turn the goals of `business.json` into goals of their owners: desire, goal and parent on three levels (S0 26).

Ids follow from the business and the words of a goal, so seeding again adds only new entries of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mabos.configs.errors import Damaged, MabosError
from mabos.mind.conditions import subjects
from mabos.mind.desires import rank_desires
from mabos.mind.model import Desire, Goal
from mabos.society.business import MANIFEST_FILE
from mabos.society.templates import TemplateGoal, template_named
from mabos.workspace.clock import iso, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mabos.mind.mind import Mind
    from mabos.mind.model import Level
    from mabos.society.business import Manifest
    from mabos.tools.runtime.services import Agent

_LEVELS: tuple[Level, ...] = ("strategic", "tactical", "operational")
_OPEN = frozenset({"pending", "active", "blocked"})


@dataclass(frozen=True, slots=True)
class Seeded:
    """A goal in the form in its owner's mind."""

    owner: str
    goal: Goal
    is_new: bool

    @property
    def uid(self) -> str:
        """The goal's id in the graph, also used by the goals that serve it."""
        return f"{self.owner}/{self.goal.id}"

    @property
    def parent(self) -> str:
        """The id of the goal above it in the graph; "" if none exists."""
        above = self.goal.parent_goal_id
        return f"{self.owner}/{above}" if above and "/" not in above else above


def seed_goals(agent: Agent, manifest: Manifest, *, usual: bool = True) -> list[Seeded]:
    """Give the goals of a business to their owners, and return them, higher levels first."""
    found = dict[str, Seeded]()
    planned = goals_of(manifest, usual=usual)
    for one in planned:
        above = found.get(parent_of(one, planned))
        found[one.text] = _seed_goal(agent, manifest, one, above)
    return list(found.values())


def goals_of(manifest: Manifest, *, usual: bool = True) -> list[TemplateGoal]:
    """Return the goals in a manifest, higher levels first; with `usual`, the template fills missing levels.

    Raises `Damaged` for an unreadable goal.
    """
    try:
        own = [TemplateGoal.model_validate(one) for one in manifest.goals]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = f"businesses/{manifest.id}/{MANIFEST_FILE}: goals: {where}: {first['msg']}; correct it by hand"
        raise Damaged(message) from None
    of_template = _usual(manifest) if usual else ()
    above = {one.text: one.serves for one in of_template}
    own = [one if one.serves else one.model_copy(update={"serves": above.get(one.text, "")}) for one in own]
    held = {one.level for one in own}
    every = [*own, *(one for one in of_template if one.level not in held)]
    return sorted(every, key=lambda one: _LEVELS.index(one.level))


def parent_of(goal: TemplateGoal, goals: Sequence[TemplateGoal]) -> str:
    """Return the words of the goal above one: the one it names, else one of the next level, preferably of its owner."""
    higher = [one for one in goals if _LEVELS.index(one.level) < _LEVELS.index(goal.level)]
    if goal.serves in {one.text for one in higher}:
        return goal.serves
    nearest = max((_LEVELS.index(one.level) for one in higher), default=-1)
    level = [one for one in higher if _LEVELS.index(one.level) == nearest]
    level.sort(key=lambda one: one.owner != goal.owner)
    return level[0].text if level else ""


def _usual(manifest: Manifest) -> Sequence[TemplateGoal]:
    try:
        return template_named(manifest.template).goals
    except MabosError:  # a business written by hand may be of a kind of its own
        return ()


def _seed_goal(agent: Agent, manifest: Manifest, planned: TemplateGoal, above: Seeded | None) -> Seeded:
    owner = manifest.agents.get(planned.owner) or next(iter(manifest.agents.values()))
    mind = agent.services.agent(owner, caller=agent.caller, clock=agent.clock, ids=agent.ids).mind
    goal_id = _id("G", manifest, planned)
    standing = _standing(mind.goals, goal_id, planned.target)
    parent = "" if above is None else above.goal.id if above.owner == owner else above.uid
    desire = _desire(agent, mind, manifest, planned, above if above and above.owner == owner else None)
    now = iso(agent.clock())
    fresh = Goal(
        id=goal_id,
        description=planned.text,
        level=planned.level,
        priority=desire.priority,
        target=planned.target,
        deadline=_deadline(manifest, planned, now),
        success_criteria=(planned.target,),
        created=now,
        updated=now,
    )
    goal = standing or fresh
    goal = replace(goal, desire_id=goal.desire_id or desire.id, parent_goal_id=goal.parent_goal_id or parent)
    news: list[Any] = [one for one in (desire, goal) if one not in (*mind.desires, *mind.goals)]
    if news:
        mind.save(*news, why=f"goal_seed_business: {manifest.name}", cycle=agent.cycle)
    return Seeded(owner, goal, standing is None)


def _standing(goals: Iterable[Goal], goal_id: str, target: str) -> Goal | None:
    """Return the goal that was seeded before, else an open one that wants the same."""
    there = [one for one in goals if one.id == goal_id]
    return next(iter([*there, *(one for one in goals if one.target == target and one.status in _OPEN)]), None)


def _desire(agent: Agent, mind: Mind, manifest: Manifest, planned: TemplateGoal, above: Seeded | None) -> Desire:
    """Return the owner's motive: a desire for the same or for its number, that of the goal above, or a new one."""
    active = sorted((one for one in mind.desires if one.status == "active"), key=lambda one: -one.priority)
    wanted = set(subjects(planned.target))
    same = [one for one in active if one.target == planned.target]
    alike = [one for one in active if one.target and wanted.intersection(subjects(one.target))]
    over = [one for one in mind.desires if above is not None and one.id == above.goal.desire_id]
    if found := [*same, *alike, *over]:
        return found[0]
    now = agent.clock()
    made = Desire(
        id=_id("D", manifest, planned),
        name=planned.text,
        description=f"What {manifest.name} has set out for",
        category="terminal" if planned.level == "strategic" else "instrumental",
        target=planned.target,
        deadline=_deadline(manifest, planned, iso(now)),
        created=iso(now),
    )
    return next((one for one in mind.desires if one.id == made.id), rank_desires([made], now)[0])


def _id(kind: str, manifest: Manifest, planned: TemplateGoal) -> str:
    return f"{kind}-{manifest.id}-{blake2b(planned.text.encode(), digest_size=4).hexdigest()}"


def _deadline(manifest: Manifest, planned: TemplateGoal, now: str) -> str:
    return iso(parse_time(manifest.created or now) + timedelta(days=planned.horizon_days))
