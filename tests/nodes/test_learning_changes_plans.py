"""An agent whose plan failed once plans differently the next time in a like situation, and says why."""

from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.mind.model import Goal, Plan
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from tests.interfaces.command_line import answer
from tests.world import Member, World

PLANNED = "support_backlog_clear"
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


class Officer(Member):
    """The operations officer, who has one goal at a time."""

    def wants(self, number: int, believed: dict[str, str]) -> Goal:
        """Give the agent a goal in a situation; the ones before are given up."""
        mind = self.mind
        self.believe(**believed)
        goal = Goal(
            f"G-{number}",
            "Keep the support backlog short",
            priority=0.9,
            target="support_backlog < 40",
            created=self.world.now,
        )
        mind.save(goal, *[replace(one, status="abandoned") for one in mind.goals])
        return goal

    def plan_for(self, goal: Goal) -> Plan:
        """Run a cycle and return the plan it made for the goal."""
        self.cycle()
        return next(one for one in self.mind.plans if one.goal_id == goal.id)

    def fail_once(self) -> Plan:
        """Let the usual plan fail, and the owner not go on with it; return it as it ended."""
        goal = self.wants(1, BACKLOG)
        self.plan_for(goal)
        for _ in range(3):
            for decision in self.world.questions():
                self.world.answer("approve", decision.id, chosen_option="B")
            self.cycle()
        ended = self.plan_for(goal)
        assert ended.status == "failed", ended
        assert isinstance(self.world.tools, Unstaffed)
        self.world.tools.is_staffed = True
        self.world.later(days=20)
        return ended


@pytest.fixture
def coo(tmp_path: Path) -> Iterator[Officer]:
    with World(tmp_path / "workspace", tools=Unstaffed()) as world:
        officer = Officer(world, "coo")
        officer.want_nothing()
        yield officer


def test_the_first_time_the_plan_that_fits_best_is_taken(coo: Officer) -> None:
    assert isinstance(coo.world.tools, Unstaffed)
    coo.world.tools.is_staffed = True
    assert coo.plan_for(coo.wants(1, BACKLOG)).template == PLANNED


@pytest.mark.parametrize("is_restarted", [False, True])
def test_after_a_failure_another_plan_is_taken_in_a_like_situation_and_names_the_case(
    coo: Officer, is_restarted: bool
) -> None:
    coo.fail_once()
    (case,) = coo.handle.cases.all()
    assert (case.negative, case.solution["template"]) == (True, PLANNED)
    assert case.results["reason"].startswith("book: nobody is free")
    if is_restarted:
        coo.world.restart()
    plan = coo.plan_for(coo.wants(2, BACKLOG))
    assert plan.template != PLANNED
    assert f"instead of {PLANNED}: {case.id}" in plan.strategy
    assert f"LRN-{case.id.removeprefix('CASE-')}" in plan.strategy


def test_why_tells_the_failure_behind_a_plan(coo: Officer) -> None:
    coo.fail_once()
    (case,) = coo.handle.cases.all()
    plan = coo.plan_for(coo.wants(2, BACKLOG))
    coo.world.restart()
    told = answer("why", plan.id, workspace=coo.world.root)
    assert case.id in {one["id"] for one in told["because"]}


def test_in_an_unlike_situation_the_failure_decides_nothing(coo: Officer) -> None:
    coo.fail_once()
    plan = coo.plan_for(coo.wants(2, ELSEWHERE))
    assert plan.template == PLANNED
    assert "CASE-" not in plan.strategy
