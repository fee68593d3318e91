"""A step of a plan that starts a workflow waits for its end, and comes to what that comes to (S3 section 14)."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.mind import Mind
from mabos.mind.model import Step
from mabos.nodes.action import steps
from tests.acceptance.test_workflow_kills import Killed, killing
from tests.acceptance.workflows import AFTER, BESIDE, START_FLOW, Ceo, opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def ceo(root: Path) -> Iterator[Ceo]:
    with opened(root) as ceo:
        yield ceo


def test_a_plan_waits_until_the_workflow_that_it_started_is_complete_and_then_goes_on(root: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task()
        ceo.plan_for_flow(START_FLOW, AFTER)
        ceo.run(3)
        assert ceo.steps() == {"start": "waiting", "after": "pending"}
        (run,) = ceo.world.business.workflows.runs.all()
        held = ceo.mind.intention("I-1")
        assert (held.status, held.decision_id) == ("awaiting_approval", run.id)
        assert ceo.do("goal_evaluate", goal_id="G-1")["blockers"] == [f"waits for workflow {run.id}"]
    with opened(root) as ceo:
        ceo.answer("approve")
        ceo.run(2)
        assert ceo.runs() == ["completed"]
        assert ceo.steps() == {"start": "done", "after": "done"}
        assert ceo.stored() == [f"noted after {run.id}"]
        assert ceo.plan.status == "completed"


@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_a_step_whose_workflow_is_cancelled_or_fails_has_failed_and_is_mended_like_any_other(
    ceo: Ceo, end: str
) -> None:
    ceo.draw_task()
    ceo.plan_for_flow(START_FLOW, AFTER, tried=("replan", "adapt"))
    ceo.run(2)
    if end == "cancelled":
        ceo.do("workflow_status", workflow_id="flow", status="cancelled")
    else:
        ceo.answer("reject")
    ceo.run(2)
    assert ceo.runs() == [end, "running"]  # once more, as the ladder says: another run, and that is waited for
    changes = ceo.plan.changes
    assert any(one.startswith("again: ") and f"'flow' is {end}" in one for one in changes), changes
    assert (ceo.steps(), ceo.stored()) == ({"start": "waiting", "after": "pending"}, [])
    ceo.run(1)
    ceo.answer("approve")
    ceo.run(2)
    assert (ceo.steps(), ceo.runs()) == ({"start": "done", "after": "done"}, [end, "completed"])


def test_a_workflow_that_fails_twice_is_put_before_a_person(ceo: Ceo) -> None:
    ceo.draw_task()
    ceo.plan_for_flow(START_FLOW, AFTER, tried=("replan", "adapt"))
    for _ in range(2):
        ceo.run(3)
        ceo.answer("reject")
    ceo.run(2)
    assert ceo.runs() == ["failed", "failed"]
    (asked,) = ceo.questions()
    assert "cannot go on" in asked.subject
    assert "'flow' is failed" in asked.description


def test_what_stands_beside_a_workflow_is_done_while_it_runs(ceo: Ceo) -> None:
    ceo.draw_task()
    ceo.plan_for_flow(*(replace(one, ordering="parallel") for one in (START_FLOW, BESIDE)), AFTER)
    ceo.run(3)
    assert ceo.steps() == {"start": "waiting", "beside": "done", "after": "pending"}
    assert ceo.stored() == ["noted meanwhile"]
    ceo.answer("approve")
    ceo.run(2)
    assert set(ceo.steps().values()) == {"done"}


def test_of_a_workflow_and_an_approval_side_by_side_each_goes_on_when_its_own_wait_is_over(ceo: Ceo) -> None:
    given = {"title": "Build", "description": "All", "required_skills": [], "budget_usd": 90_000}
    costly = Step("costly", "Have it built", "work_package_create", given, ordering="parallel")
    ceo.draw_task()
    ceo.plan_for_flow(replace(START_FLOW, ordering="parallel"), costly, AFTER)
    ceo.run(3)
    assert ceo.steps() == {"start": "waiting", "costly": "waiting", "after": "pending"}
    (asked,) = [one for one in ceo.questions() if one.action]
    ceo.world.answer("approve", asked.id)
    ceo.run(2)
    assert ceo.steps() == {"start": "waiting", "costly": "done", "after": "pending"}
    assert len(ceo.world.business.workforce.packages.all()) == 1
    ceo.answer("approve")
    ceo.run(2)
    assert set(ceo.steps().values()) == {"done"}


def test_a_workflow_without_any_wait_is_through_in_the_cycle_after_its_start(ceo: Ceo) -> None:
    ceo.draw_task("scriptTask", script="x = 1")
    ceo.plan_for_flow(START_FLOW, AFTER)
    ceo.run(3)
    assert (set(ceo.steps().values()), ceo.runs()) == ({"done"}, ["completed"])


def test_a_step_performed_by_hand_waits_for_its_workflow_too_and_another_attempt_starts_another_run(ceo: Ceo) -> None:
    ceo.draw_task()
    ceo.plan_for_flow(START_FLOW, AFTER)
    found = ceo.do("plan_execute_step", plan_id="P-1")
    assert (found["status"], found["executed"]) == ("waiting", False)
    ceo.do("workflow_status", workflow_id="flow", status="cancelled")
    found = ceo.do("plan_execute_step", plan_id="P-1")
    assert (found["status"], "'flow' is cancelled" in found["message"]) == ("failed", True)
    assert ceo.do("plan_execute_step", plan_id="P-1", step_id="start")["status"] == "waiting"
    ceo.run(1)
    ceo.answer("approve")
    ceo.run(1)
    assert ceo.runs() == ["cancelled", "completed"]
    assert ceo.do("plan_execute_step", plan_id="P-1")["status"] == "done"
    assert ceo.steps() == {"start": "done", "after": "pending"}


def lived(root: Path, at: int = 0) -> tuple[int, tuple[Any, ...]]:
    """Return how many places there were to be killed at, and what the plan and its workflow left."""
    with pytest.MonkeyPatch.context() as patch, killing(at, patch, (Mind, "save"), (steps, "call")) as places:
        for _ in range(30):
            try:
                with opened(root) as ceo:
                    for _ in range(12):
                        if ceo.plan.status == "completed":
                            return places(), (ceo.steps(), ceo.runs(), len(ceo.stored()))
                        for one in ceo.questions():
                            ceo.world.answer("approve", one.id)
                        ceo.run()
                    raise AssertionError(f"killed at place {at} the plan never came to its end: {ceo.steps()}")
            except Killed:
                continue
    raise AssertionError("the plan never came to its end")


def test_killed_at_every_place_the_plan_waits_on_and_starts_the_workflow_once(root: Path, tmp_path: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task()
        ceo.plan_for_flow(START_FLOW, AFTER)
    shutil.copytree(root, tmp_path / "0")
    places, whole = lived(tmp_path / "0")
    assert whole == ({"start": "done", "after": "done"}, ["completed"], 1)
    assert places > 8
    for at in range(1, places + 1):
        shutil.copytree(root, tmp_path / str(at))
        assert lived(tmp_path / str(at), at)[1] == whole, f"killed at place {at}"
