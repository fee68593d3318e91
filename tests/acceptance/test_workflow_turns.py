"""Every task of a workflow is its own occasion: done once, asked once, answered for itself alone (S3 section 14)."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.society.decisions import Decision
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.acceptance.test_workflow_plans import QUICK, Office
from tests.tools.workspaces import NOON, laid_out


class Desk(Office):
    """A CEO who makes workflows of any nodes and flows; `clock` can be moved."""

    def __init__(self, services: Services, clock: SteppedClock) -> None:
        super().__init__(services)
        self.clock = clock

    def draws(self, nodes: dict[str, tuple[str, dict[str, Any]]], *flows: str) -> None:
        """Make a workflow: nodes by id with type and settings, flows as `a>b`, or `a>b [condition]`."""
        self.do("workflow_create", name="Flow", workflow_id="flow")
        for node_id, (kind, given) in nodes.items():
            self.do("bpmn_add_node", workflow_id="flow", node_id=node_id, type=kind, name=node_id, **given)
        for flow in flows:
            path, _, condition = flow.partition(" [")
            source, target = path.split(">")
            said: dict[str, Any] = {"condition": condition.rstrip("]")} if condition else {}
            if condition == "else]":
                said = {"default": True}
            self.do("bpmn_connect", workflow_id="flow", to=target, **{"from": source}, **said)

    def begin(self, **variables: Any) -> None:
        self.do("workflow_status", workflow_id="flow", status="running", variables=variables)

    def asked(self) -> list[Decision]:
        return [one for one in self.services.decisions().all() if one.open]

    def says(self, resolution: str, **more: Any) -> None:
        (one,) = self.asked()
        outcome = call(self.services, "decision_resolve", {"decision_id": one.id, "resolution": resolution, **more})
        assert outcome.ok, outcome.message


def stored(what: str) -> tuple[str, dict[str, Any]]:
    return "serviceTask", {"tool": "memory_store_item", "arguments": {"content": what, "importance": 0.9}}


Node = tuple[str, dict[str, Any]]
START: Node = ("startEvent", {})
USER: Node = ("userTask", {})
END: Node = ("endEvent", {})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    clock = SteppedClock(NOON)
    with wiring.opened(laid_out(tmp_path / "workspace"), clock=clock, settings=QUICK) as services:
        yield Desk(services, clock)


def test_one_agent_does_several_tasks_in_a_row_each_with_its_own_effect(desk: Desk) -> None:
    desk.draws({"s": START, "a": stored("noted a"), "b": stored("noted b"), "c": stored("noted c"), "e": END},
               "s>a", "a>b", "b>c", "c>e")  # fmt: skip
    desk.begin()
    desk.run()
    assert (desk.runs(), desk.stored()) == (["completed"], ["noted a", "noted b", "noted c"])


def test_one_answer_is_for_one_task_and_the_next_is_asked_for_itself(desk: Desk) -> None:
    desk.draws({"s": START, "first": USER, "second": USER, "e": END}, "s>first", "first>second", "second>e")
    desk.begin()
    desk.run()
    assert [one.subject for one in desk.asked()] == ["Flow: first"]
    desk.says("approve")
    desk.run(2)
    assert ([one.subject for one in desk.asked()], desk.runs()) == (["Flow: second"], ["running"])
    desk.says("approve")
    desk.run()
    assert desk.runs() == ["completed"]


def test_a_task_in_a_loop_of_flows_is_done_anew_in_each_round_with_what_holds_then(desk: Desk) -> None:
    desk.draws(
        {"s": START, "in": ("exclusiveGateway", {}), "count": ("scriptTask", {"script": "n = n + 1"}),
         "note": stored("noted round {n} of {place}"), "again": ("exclusiveGateway", {}), "e": END},
        "s>in", "in>count", "count>note", "note>again", "again>in [n < 3]", "again>e [else]",
    )  # fmt: skip
    desk.begin(n=0)
    desk.run()
    assert desk.stored() == [f"noted round {number} of {{place}}" for number in (1, 2, 3)]
    assert desk.runs() == ["completed"]


def test_a_branching_that_nothing_decides_is_asked_about_anew_in_each_round(desk: Desk) -> None:
    desk.draws(
        {"s": START, "in": ("exclusiveGateway", {}), "note": stored("noted"), "which": ("exclusiveGateway", {}),
         "e": END},
        "s>in", "in>note", "note>which", "which>in", "which>e",
    )  # fmt: skip
    desk.begin()
    for choice in ("in", "in", "e"):
        desk.run()
        (asked,) = desk.asked()
        option = next(one["id"] for one in asked.options if one["label"] == choice)
        desk.says("approve", chosen_option=option)
    desk.run()
    assert (desk.runs(), len(desk.services.decisions().all())) == (["completed"], 3)


def test_a_question_that_a_timer_overtakes_is_closed_and_what_follows_is_asked_for_itself(desk: Desk) -> None:
    late: dict[str, Any] = {"attached_to": "offer", "trigger": "timer", "when": "PT2H"}
    desk.draws({"s": START, "offer": USER, "late": ("boundaryEvent", late), "remind": USER, "e": END, "l": END},
               "s>offer", "offer>e", "late>remind", "remind>l")  # fmt: skip
    desk.begin()
    desk.run()
    desk.clock.advance(timedelta(hours=3))
    desk.run(2)
    offer, remind = desk.services.decisions().all()
    assert (offer.subject, offer.status, offer.resolved_by) == (
        "Flow: offer",
        "rejected",
        desk.services.business().workflows.runs.all()[0].id,
    )
    assert (remind.subject, remind.status) == ("Flow: remind", "pending")
    desk.says("approve")
    desk.run()
    assert desk.runs() == ["completed"]


def test_what_a_cancelled_workflow_had_asked_leave_for_is_not_done_when_it_is_allowed_later(desk: Desk) -> None:
    given = {"title": "Build it", "description": "All", "required_skills": [], "budget_usd": 90_000}
    task = ("serviceTask", {"tool": "work_package_create", "arguments": given})
    desk.draws({"s": START, "t": task, "e": END}, "s>t", "t>e")
    desk.begin()
    desk.run()
    (asked,) = desk.asked()
    assert asked.action is not None
    desk.do("workflow_status", workflow_id="flow", status="cancelled")
    late = call(desk.services, "decision_resolve", {"decision_id": asked.id, "resolution": "approve"})
    assert (late.ok, "rejected" in late.message) == (False, True)
    desk.run(2)
    assert desk.services.business().workforce.packages.all() == ()
