"""Agents of a new company that are given goals and run cycle by cycle, with tools that can be out of order."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.mind.model import Goal, Intention, Plan
from mabos.mind.situation import read_beliefs
from mabos.nodes.state import CycleReport
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from tests.world import Member, World


class Breakable(Registry):
    """Every tool there is; those in `broken` fail when they are called."""

    def __init__(self) -> None:
        super().__init__()
        self.broken: set[str] = set()

    def tool(self, name: str) -> Tool:
        found = super().tool(name)

        @wraps(found.function)
        def fails(*_: Any, **__: Any) -> Any:
            raise InvalidArgument("it is out of order", argument="title")

        return replace(found, function=fails) if found.name in self.broken else found


class Planner(Member):
    """An agent that is given one goal at a time, G-1, with tools that may be out of order."""

    @property
    def tools(self) -> Breakable:
        """The tools of its company."""
        assert isinstance(self.world.tools, Breakable)
        return self.world.tools

    def wants(self, description: str, **more: Any) -> Goal:
        """Return a goal that goes before all others."""
        now = self.world.now
        goal = Goal("G-1", description, priority=0.99, created=now, updated=now, **more)
        self.mind.save(goal)
        return goal

    def cycle(self, message: str | None = None, **how: Any) -> CycleReport:
        """Return the report of one cycle, a minute after the one before."""
        self.world.later(minutes=1)
        return super().cycle(message, max_steps=20, **how)

    @property
    def plan(self) -> Plan:
        """The newest plan for the goal."""
        return next(one for one in reversed(self.mind.plans) if one.goal_id == "G-1")

    @property
    def committed(self) -> Intention:
        """The commitment to that plan, while it stands."""
        return next(one for one in self.mind.intentions if one.plan_id == self.plan.id)

    def told(self, name: str) -> list[Any]:
        """Return what the entries of the plan phase have under a name, oldest first."""
        return [one[name] for one in self.entries("plan") if name in one]

    def failed_before(self, goal: Goal, template: str, step: str) -> str:
        """Keep a case in which a plan failed at a step, in the very situation of now, and return its id."""
        situation = {"beliefs": read_beliefs(goal, self.mind.index), "desires": [goal.description]}
        steps = [{"id": step, "tool": "work_package_create", "status": "failed"}]
        return self.handle.cases.store(
            situation, {"template": template, "steps": steps}, "failure", case_id="CASE-9"
        ).id


@contextmanager
def staffed(root: Path, *agent_ids: str) -> Iterator[Mapping[str, Planner]]:
    """Yield some agents of a new company, acme."""
    with World(root, tools=Breakable()) as world:
        planners = {agent_id: Planner(world, agent_id) for agent_id in agent_ids}
        for one in planners.values():
            one.want_nothing()
        yield planners
