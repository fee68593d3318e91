"""A goal's own budget, and what an intention has used of it."""

from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Completion, ScriptedModel, Usage
from mabos.mind.model import Goal
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import Outcome
from tests.tools.workspaces import Bench, broken
from tests.world import Member, World

WHY = {"goal": "G-1", "intention": "I-1", "plan": "P-1", "step": "S-1"}


class Desk(Member):
    """The CFO, who pursues a goal that may use only so much."""

    def __init__(self, root: Path, **budget: float) -> None:
        self.bench = Bench()
        model = ScriptedModel(lambda _: Completion("Yes.", usage=Usage(60, 40)))
        super().__init__(World.small(root, tools=Registry((), self.bench.tools()), is_alone=True, model=model), "cfo")
        self.mind.save(Goal("G-1", "Be known", budget=budget))

    def try_it(self, tool: str, because: dict[str, str] | None = None, **arguments: Any) -> Outcome:
        return self.call(tool, arguments, because=because or WHY)

    def used(self) -> dict[str, float]:
        return self.services.allowances.used("cfo", "I-1")


def test_a_call_that_a_goals_budget_does_not_allow_is_refused_before_its_effect(tmp_path: Path) -> None:
    desk = Desk(tmp_path, usd=1000)
    assert desk.try_it("money_spend", amount=700).ok
    refused = desk.try_it("money_spend", amount=301, to="another")
    assert (refused.code, refused.is_hindered) == ("goal_exhausted", False)
    assert "the budget of one goal is 1000 dollars for actions, 700 of it used" in refused.message
    assert desk.try_it("money_spend", amount=300, to="another").ok
    assert [one["amount"] for one in desk.bench.ran] == [700, 300]
    assert desk.used() == {"usd": 1000, "calls": 2, "tokens": 0}


def test_other_goals_go_on_and_nobody_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, usd=100)
    desk.mind.save(Goal("G-2", "Be liked"))  # a person's goal too: what an agent begins by itself would be proposed
    assert desk.try_it("money_spend", amount=101).code == "goal_exhausted"
    assert desk.try_it("money_spend", {"goal": "G-2", "intention": "I-2"}, amount=101).ok
    assert [one.kind for one in desk.services.ledger.entries("cfo")] == ["call", "outcome"]
    assert desk.services.inbox("stakeholder").messages() == ()


def test_what_failed_or_was_not_for_the_goal_is_not_counted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, calls=2)
    desk.bench.before = broken
    assert desk.try_it("note_write", text="x").code == "internal"
    desk.bench.before = lambda: None
    assert desk.try_it("note_write", {"goal": "G-2", "intention": "I-2"}, text="x").ok
    assert [desk.try_it("note_write", text="x").code for _ in range(3)] == ["", "", "goal_exhausted"]
    assert desk.used()["calls"] == 2


@pytest.mark.parametrize(("tokens", "answered"), [(1000, True), (150, False)])
def test_what_models_took_for_a_goal_is_counted(tmp_path: Path, tokens: int, answered: bool) -> None:
    desk = Desk(tmp_path, tokens=tokens)
    assert desk.try_it("model_ask", question="Enough?").ok is answered
    assert desk.used()["tokens"] == (100 if answered else 0)
