"""Goals of all agents as trees, each with its blockers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mabos.interfaces.dashboard.view import PageRequest, part
from mabos.mind.goals import OPEN, evaluate
from mabos.mind.model import Goal
from mabos.tools.mind.bdi import TIERS


@dataclass(frozen=True, slots=True)
class GoalBranch:
    """A goal of an agent, its blockers, the desire it serves, and its sub-goals."""

    agent_id: str
    goal: Goal
    blockers: tuple[str, ...]
    desire: str
    parts: tuple["GoalBranch", ...]


def goals(asked: PageRequest) -> Mapping[str, Any]:
    """Return the goal trees, open or all, of one agent or of all agents."""
    services, chosen = asked.services, asked.text("agent")
    is_all = asked.text("status") == "all"
    known = services.agents()
    found = dict(_every(asked, is_all=is_all))
    below: dict[str, list[str]] = {}
    for key, branch in found.items():
        above = _above(branch, found)
        below.setdefault(above, []).append(key)
    roots = [_grow_branch(key, found, below, frozenset()) for key in _roots(found, below)]
    shown = [one for one in roots if not chosen or chosen in _owners(one)]
    return {
        "agents": known,
        "agent": chosen,
        "status": "all" if is_all else "",
        "part": part(shown, asked.number("from"), size=20),
        "counted": len(found),
    }


def _every(asked: PageRequest, *, is_all: bool) -> Iterator[tuple[str, GoalBranch]]:
    """Yield each goal that is asked for by its owner and id."""
    for agent_id in asked.services.agents():
        mind = asked.services.agent(agent_id).mind
        wishes = {desire.id: desire.name for desire in mind.desires}
        intentions, plans, every = mind.intentions, mind.plans, mind.goals
        for goal in every:
            if not is_all and goal.status not in OPEN:
                continue
            stands = evaluate(goal, lookup=mind.index, intentions=intentions, plans=plans, goals=every, now=asked.now)
            blockers = stands.blockers if goal.status in OPEN else ()
            yield f"{agent_id}/{goal.id}", GoalBranch(agent_id, goal, blockers, wishes.get(goal.desire_id, ""), ())


def _roots(found: Mapping[str, GoalBranch], below: Mapping[str, list[str]]) -> list[str]:
    """Return the goals without a parent; for goals in a cycle, possible in a hand-written file, the first."""
    roots, left = list(below.get("", ())), dict.fromkeys(found)
    for key in (*roots, *found):
        if key in left:
            roots += [] if key in roots else [key]
            reached = [key]
            while reached:
                one = reached.pop()
                if one in left:
                    del left[one]
                    reached += below.get(one, ())
    return sorted(roots, key=lambda one: _rank(found[one]))


def _above(branch: GoalBranch, found: Mapping[str, GoalBranch]) -> str:
    """Return the key of a goal's parent; "" if none is shown."""
    named = branch.goal.parent_goal_id
    own = f"{branch.agent_id}/{named}"
    return own if own in found else named if named in found else ""


def _grow_branch(
    key: str, found: Mapping[str, GoalBranch], below: Mapping[str, list[str]], seen: frozenset[str]
) -> GoalBranch:
    """Return a goal with all below it; a ring ends where it begins."""
    one = found[key]
    under = sorted((each for each in below.get(key, ()) if each not in seen), key=lambda each: _rank(found[each]))
    parts = tuple(_grow_branch(each, found, below, seen | {key}) for each in under)
    return replace(one, parts=parts)


def _owners(branch: GoalBranch) -> set[str]:
    return {branch.agent_id}.union(*map(_owners, branch.parts))


def _rank(branch: GoalBranch) -> tuple[bool, int, float, str]:
    goal = branch.goal
    level = TIERS.index(goal.level) if goal.level in TIERS else len(TIERS)
    return goal.status not in OPEN, level, -goal.priority, goal.id
