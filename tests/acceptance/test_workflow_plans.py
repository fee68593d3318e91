"""A step of a plan that starts a workflow waits for its end, and comes to what that comes to (S3 section 14)."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.settings import load_settings
from mabos.graphs import wiring
from mabos.mind.mind import Mind
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.nodes.action import steps
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock, iso
from tests.acceptance.test_workflow_kills import Killed, killing
from tests.tools.workspaces import NOON, laid_out

QUICK = load_settings().model_copy(update={"durability": "off"})
START = Step("start", "Run it", "workflow_status", {"workflow_id": "flow", "status": "running"})
AFTER = Step(
    "after",
    "Note it",
    "memory_store_item",
    {"content": "noted after {start.result}", "importance": 0.9},
)
BESIDE = Step("beside", "Note it meanwhile", "memory_store_item", {"content": "noted meanwhile", "importance": 0.9})


class Office:
    """A CEO with a workflow of one user task in its lane, and a plan whose first step starts it."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.mind: Mind = services.agent("ceo").mind

    def ask(self, tool: str, /, **arguments: Any) -> Outcome:
        return call(self.services, tool, arguments, caller=Caller("agent", "ceo"), agent_id="ceo")

    def do(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        outcome = self.ask(tool, **arguments)
        assert outcome.ok, outcome.message
        return dict(outcome.result)

    def made(self, kind: str = "userTask", **given: Any) -> None:
        """Make the workflow: a start, one task, an end."""
        self.do("workflow_create", name="Flow", workflow_id="flow")
        for node_id, type_, more in (("s", "startEvent", {}), ("t", kind, given), ("e", "endEvent", {})):
            self.do("bpmn_add_node", workflow_id="flow", node_id=node_id, type=type_, name=node_id, **more)
        for source, target in (("s", "t"), ("t", "e")):
            self.do("bpmn_connect", workflow_id="flow", to=target, **{"from": source})

    def plans(self, *steps: Step, tried: tuple[str, ...] = ()) -> None:
        """Commit to a plan of these steps; `tried` are the rungs of the ladder that were climbed for it already."""
        now = iso(self.services.clock())
        goal = Goal("G-1", "Carry the flow through", priority=0.99, created=now, updated=now)
        plan = Plan("P-1", "G-1", "by hand", steps=steps, status="active", created=now, updated=now)
        plan = replace(plan, changes=tuple(f"{one}: in vain" for one in tried))
        intention = Intention("I-1", "G-1", "P-1", started=now, updated=now, description="by hand")
        self.mind.save(goal, plan, intention)

    def run(self, times: int = 1) -> None:
        for _ in range(times):
            wiring.run_cycle(self.services, "ceo")

    def steps(self) -> dict[str, str]:
        return {one.id: one.status for one in self.plan.steps}

    def answer(self, resolution: str) -> None:
        (asked,) = [one for one in self.services.decisions().all() if one.open and one.id.startswith("DEC-WR-")]
        assert call(self.services, "decision_resolve", {"decision_id": asked.id, "resolution": resolution}).ok

    @property
    def plan(self) -> Plan:
        return self.services.agent("ceo").mind.plan("P-1")

    def runs(self) -> list[str]:
        return [one.status for one in self.services.business().workflows.runs.all()]

    def stored(self) -> list[str]:
        found = self.services.agent("ceo").memory.recent(100)
        return sorted(one.content for one in found if one.content.startswith("noted"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out(tmp_path / "workspace")


def opened(root: Path) -> Any:
    return wiring.opened(root, clock=SteppedClock(NOON), settings=QUICK)


@pytest.fixture
def office(root: Path) -> Iterator[Office]:
    with opened(root) as services:
        yield Office(services)


def test_a_plan_waits_until_the_workflow_that_it_started_is_complete_and_then_goes_on(root: Path) -> None:
    with opened(root) as services:
        office = Office(services)
        office.made()
        office.plans(START, AFTER)
        office.run(3)
        assert office.steps() == {"start": "waiting", "after": "pending"}
        (run,) = services.business().workflows.runs.all()
        held = office.mind.intention("I-1")
        assert (held.status, held.decision_id) == ("awaiting_approval", run.id)
        assert office.do("goal_evaluate", goal_id="G-1")["blockers"] == [f"waits for workflow {run.id}"]
    with opened(root) as services:
        office = Office(services)
        office.answer("approve")
        office.run(2)
        assert office.runs() == ["completed"]
        assert office.steps() == {"start": "done", "after": "done"}
        assert office.stored() == [f"noted after {run.id}"]
        assert office.plan.status == "completed"


@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_a_step_whose_workflow_is_cancelled_or_fails_has_failed_and_is_mended_like_any_other(
    office: Office, end: str
) -> None:
    office.made()
    office.plans(START, AFTER, tried=("replan", "adapt"))
    office.run(2)
    if end == "cancelled":
        office.do("workflow_status", workflow_id="flow", status="cancelled")
    else:
        office.answer("reject")
    office.run(2)
    assert office.runs() == [end, "running"]  # once more, as the ladder says: another run, and that is waited for
    changes = office.plan.changes
    assert any(one.startswith("again: ") and f"'flow' is {end}" in one for one in changes), changes
    assert (office.steps(), office.stored()) == ({"start": "waiting", "after": "pending"}, [])
    office.run(1)
    office.answer("approve")
    office.run(2)
    assert (office.steps(), office.runs()) == ({"start": "done", "after": "done"}, [end, "completed"])


def test_a_workflow_that_fails_twice_is_put_before_a_person(office: Office) -> None:
    office.made()
    office.plans(START, AFTER, tried=("replan", "adapt"))
    for _ in range(2):
        office.run(3)
        office.answer("reject")
    office.run(2)
    assert office.runs() == ["failed", "failed"]
    (asked,) = [one for one in office.services.decisions().all() if one.open]
    assert "cannot go on" in asked.subject
    assert "'flow' is failed" in asked.description


def test_what_stands_beside_a_workflow_is_done_while_it_runs(office: Office) -> None:
    office.made()
    office.plans(*(replace(one, ordering="parallel") for one in (START, BESIDE)), AFTER)
    office.run(3)
    assert office.steps() == {"start": "waiting", "beside": "done", "after": "pending"}
    assert office.stored() == ["noted meanwhile"]
    office.answer("approve")
    office.run(2)
    assert set(office.steps().values()) == {"done"}


def test_of_a_workflow_and_an_approval_side_by_side_each_goes_on_when_its_own_wait_is_over(office: Office) -> None:
    given = {"title": "Build", "description": "All", "required_skills": [], "budget_usd": 90_000}
    costly = Step("costly", "Have it built", "work_package_create", given, ordering="parallel")
    office.made()
    office.plans(replace(START, ordering="parallel"), costly, AFTER)
    office.run(3)
    assert office.steps() == {"start": "waiting", "costly": "waiting", "after": "pending"}
    (asked,) = [one for one in office.services.decisions().all() if one.open and one.action]
    assert call(office.services, "decision_resolve", {"decision_id": asked.id, "resolution": "approve"}).ok
    office.run(2)
    assert office.steps() == {"start": "waiting", "costly": "done", "after": "pending"}
    assert len(office.services.business().workforce.packages.all()) == 1
    office.answer("approve")
    office.run(2)
    assert set(office.steps().values()) == {"done"}


def test_a_workflow_without_any_wait_is_through_in_the_cycle_after_its_start(office: Office) -> None:
    office.made("scriptTask", script="x = 1")
    office.plans(START, AFTER)
    office.run(3)
    assert (set(office.steps().values()), office.runs()) == ({"done"}, ["completed"])


def test_a_step_performed_by_hand_waits_for_its_workflow_too_and_another_attempt_starts_another_run(
    office: Office,
) -> None:
    office.made()
    office.plans(START, AFTER)
    found = office.do("plan_execute_step", plan_id="P-1")
    assert (found["status"], found["executed"]) == ("waiting", False)
    office.do("workflow_status", workflow_id="flow", status="cancelled")
    found = office.do("plan_execute_step", plan_id="P-1")
    assert (found["status"], "'flow' is cancelled" in found["message"]) == ("failed", True)
    assert office.do("plan_execute_step", plan_id="P-1", step_id="start")["status"] == "waiting"
    office.run(1)
    office.answer("approve")
    office.run(1)
    assert office.runs() == ["cancelled", "completed"]
    assert office.do("plan_execute_step", plan_id="P-1")["status"] == "done"
    assert office.steps() == {"start": "done", "after": "pending"}


def lived(root: Path, at: int = 0) -> tuple[int, tuple[Any, ...]]:
    """Return how many places there were to be killed at, and what the plan and its workflow left."""
    with pytest.MonkeyPatch.context() as patch, killing(at, patch, (Mind, "save"), (steps, "call")) as places:
        for _ in range(30):
            try:
                with opened(root) as services:
                    office = Office(services)
                    for _ in range(12):
                        if office.plan.status == "completed":
                            return places(), (office.steps(), office.runs(), len(office.stored()))
                        for one in services.decisions().all():
                            if one.open:
                                office.answer("approve")
                        office.run()
                    raise AssertionError(f"killed at place {at} the plan never came to its end: {office.steps()}")
            except Killed:
                continue
    raise AssertionError("the plan never came to its end")


def test_killed_at_every_place_the_plan_waits_on_and_starts_the_workflow_once(root: Path, tmp_path: Path) -> None:
    with opened(root) as services:
        office = Office(services)
        office.made()
        office.plans(START, AFTER)
    shutil.copytree(root, tmp_path / "0")
    places, whole = lived(tmp_path / "0")
    assert whole == ({"start": "done", "after": "done"}, ["completed"], 1)
    assert places > 8
    for at in range(1, places + 1):
        shutil.copytree(root, tmp_path / str(at))
        assert lived(tmp_path / str(at), at)[1] == whole, f"killed at place {at}"
