"""An agent whose plan failed once plans differently the next time in a like situation, and says why."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.graphs import wiring
from mabos.mind.model import Belief, Goal, Plan
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso
from tests.interfaces.command_line import answer

AGENT, BUSINESS, PLANNED = "coo", "acme", "support_backlog_clear"
BACKLOG = {"support_backlog": "90", "cash": "80000", "churn_rate": "4%"}
ELSEWHERE = {"support_backlog": "45", "cash": "900000", "churn_rate": "0.5%"}


class Unstaffed(Registry):
    """Every tool there is, as long as nobody is free to take work."""

    def __init__(self) -> None:
        super().__init__()
        self.is_staffed = False

    def tool(self, name: str) -> Tool:
        found = super().tool(name)
        if self.is_staffed or found.name not in ("work_package_create", "content_generate"):
            return found

        @wraps(found.function)
        def refuses(*_: Any, **__: Any) -> Any:
            raise InvalidArgument("nobody is free", argument="title")

        return replace(found, function=refuses)


class Company:
    """A workspace that can be closed and opened again, with one goal for the operations officer at a time."""

    def __init__(self, root: Path) -> None:
        self.root, self.clock, self.tools = root, SteppedClock(datetime(2026, 2, 2, 9, tzinfo=UTC)), Unstaffed()
        self.services = self.open()
        made = call(self.services, "business_create", {"business_id": BUSINESS, "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        mind = self.services.agent(AGENT).mind
        mind.save(*[replace(one, status="suspended") for one in mind.desires])

    def open(self) -> Services:
        """Open the workspace."""
        return wiring.hold(self.root, clock=self.clock, registry=self.tools)

    def restart(self) -> None:
        """Close the workspace and open it as another process would."""
        wiring.release(self.services)
        self.services = self.open()

    def wants(self, number: int, believed: dict[str, str]) -> Goal:
        """Give the agent a goal in a situation; the ones before are given up."""
        mind, now = self.services.agent(AGENT).mind, iso(self.clock())
        beliefs = [
            Belief(f"B-{name}", f"{name} is {value}", 0.95, subject=name, value=value, source="metrics", updated=now)
            for name, value in believed.items()
        ]
        goal = Goal(
            f"G-{number}", "Keep the support backlog short", priority=0.9, target="support_backlog < 40", created=now
        )
        mind.save(*beliefs, goal, *[replace(one, status="abandoned") for one in mind.goals])
        return goal

    def plan_for(self, goal: Goal) -> Plan:
        """Run a cycle and return the plan it made for the goal."""
        wiring.run_cycle(self.services, AGENT)
        return next(one for one in self.services.agent(AGENT).mind.plans if one.goal_id == goal.id)

    def fail_once(self) -> Plan:
        """Let the usual plan fail, and the owner not go on with it; return it as it ended."""
        goal = self.wants(1, BACKLOG)
        self.plan_for(goal)
        for _ in range(3):
            for decision in self.services.decisions(BUSINESS).pending():
                left = {"decision_id": decision.id, "resolution": "approve", "chosen_option": "B"}
                assert call(self.services, "decision_resolve", left).ok
            wiring.run_cycle(self.services, AGENT)
        ended = self.plan_for(goal)
        assert ended.status == "failed", ended
        self.tools.is_staffed = True
        self.clock.advance(timedelta(days=20))
        return ended


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    made = Company(tmp_path / "workspace")
    yield made
    wiring.release(made.services)


def test_the_first_time_the_plan_that_fits_best_is_taken(company: Company) -> None:
    company.tools.is_staffed = True
    assert company.plan_for(company.wants(1, BACKLOG)).template == PLANNED


@pytest.mark.parametrize("is_restarted", [False, True])
def test_after_a_failure_another_plan_is_taken_in_a_like_situation_and_names_the_case(
    company: Company, is_restarted: bool
) -> None:
    company.fail_once()
    (case,) = company.services.agent(AGENT).cases.all()
    assert (case.negative, case.solution["template"]) == (True, PLANNED)
    assert case.results["reason"].startswith("book: nobody is free")
    if is_restarted:
        company.restart()
    plan = company.plan_for(company.wants(2, BACKLOG))
    assert plan.template != PLANNED
    assert f"instead of {PLANNED}: {case.id}" in plan.strategy
    assert f"LRN-{case.id.removeprefix('CASE-')}" in plan.strategy


def test_why_tells_the_failure_behind_a_plan(company: Company) -> None:
    company.fail_once()
    (case,) = company.services.agent(AGENT).cases.all()
    plan = company.plan_for(company.wants(2, BACKLOG))
    company.restart()
    told = answer("why", plan.id, workspace=company.root)
    assert case.id in {one["id"] for one in told["because"]}


def test_in_an_unlike_situation_the_failure_decides_nothing(company: Company) -> None:
    company.fail_once()
    plan = company.plan_for(company.wants(2, ELSEWHERE))
    assert plan.template == PLANNED
    assert "CASE-" not in plan.strategy
