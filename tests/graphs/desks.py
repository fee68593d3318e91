"""Agents of a new company that are given goals and run cycle by cycle, with tools that can be out of order."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.graphs import wiring
from mabos.mind.model import Belief, Goal, Intention, Plan
from mabos.mind.situation import believed
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


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


class Desk:
    """One agent of a new company, which is given goals and run cycle by cycle."""

    def __init__(self, services: Services, clock: SteppedClock, tools: Breakable, agent_id: str) -> None:
        self.services = services
        self.tools = tools
        self.clock = clock
        self.agent = services.agent(agent_id)
        mind = self.agent.mind
        mind.save(*[replace(one, status="suspended") for one in mind.desires])

    def wants(self, description: str, **more: Any) -> Goal:
        """Return a goal that goes before all others."""
        now = iso(self.clock())
        goal = Goal("G-1", description, priority=0.99, created=now, updated=now, **more)
        self.agent.mind.save(goal)
        return goal

    def believes(self, **held: str) -> None:
        """Make something held for certain."""
        now = iso(self.clock())
        beliefs = [Belief(f"B-{name}", f"{name} is {value}", 0.95, subject=name, value=value, updated=now)
                   for name, value in held.items()]  # fmt: skip
        self.agent.mind.save(*beliefs)

    def cycle(self) -> Any:
        """Return the report of one cycle, a minute after the one before."""
        self.clock.advance(timedelta(minutes=1))
        return wiring.run_cycle(self.services, self.agent.id, max_steps=20)

    @property
    def plan(self) -> Plan:
        """The newest plan for the goal."""
        return next(one for one in reversed(self.agent.mind.plans) if one.goal_id == "G-1")

    @property
    def intention(self) -> Intention:
        """The commitment to that plan, while it stands."""
        return next(one for one in self.agent.mind.intentions if one.plan_id == self.plan.id)

    def told(self, name: str) -> list[Any]:
        """Return what the entries of the plan phase have under a name, oldest first."""
        entries = (one for one in self.services.ledger.entries(self.agent.id) if one.kind == "plan")
        return [one.body[name] for one in entries if name in one.body]

    def failed_before(self, goal: Goal, template: str, step: str) -> str:
        """Keep a case in which a plan failed at a step, in the very situation of now, and return its id."""
        situation = {"beliefs": believed(goal, self.agent.mind.index), "desires": [goal.description]}
        steps = [{"id": step, "tool": "work_package_create", "status": "failed"}]
        return self.agent.cases.store(situation, {"template": template, "steps": steps}, "failure", case_id="CASE-9").id

    def answers(self, **given: Any) -> None:
        """Answer the one question that waits."""
        (asked,) = [one for one in self.services.decisions("acme").pending() if one.from_agent == self.agent.id]
        outcome = call(self.services, "decision_resolve", {"decision_id": asked.id, **given})
        assert outcome.ok, outcome.message


@contextmanager
def staffed(root: Path, *agent_ids: str) -> Iterator[Mapping[str, Desk]]:
    """Yield the desks of some agents of a new company, acme."""
    clock, tools = SteppedClock(MONDAY), Breakable()
    with wiring.opened(root, clock=clock, registry=tools) as services:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        yield {agent_id: Desk(services, clock, tools, agent_id) for agent_id in agent_ids}
