"""Every task of a workflow is its own occasion: done once, asked once, answered for itself alone (S3 section 14)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.workflows import END, START, USER, Ceo, opened, stored


@pytest.fixture
def ceo(tmp_path: Path) -> Iterator[Ceo]:
    with opened(tmp_path / "workspace") as ceo:
        yield ceo


def test_one_agent_does_several_tasks_in_a_row_each_with_its_own_effect(ceo: Ceo) -> None:
    ceo.draw({"s": START, "a": stored("noted a"), "b": stored("noted b"), "c": stored("noted c"), "e": END},
               "s>a", "a>b", "b>c", "c>e")  # fmt: skip
    ceo.begin()
    ceo.run()
    assert (ceo.runs(), ceo.stored()) == (["completed"], ["noted a", "noted b", "noted c"])


def test_one_answer_is_for_one_task_and_the_next_is_asked_for_itself(ceo: Ceo) -> None:
    ceo.draw({"s": START, "first": USER, "second": USER, "e": END}, "s>first", "first>second", "second>e")
    ceo.begin()
    ceo.run()
    assert [one.subject for one in ceo.questions()] == ["Flow: first"]
    ceo.world.answer("approve")
    ceo.run(2)
    assert ([one.subject for one in ceo.questions()], ceo.runs()) == (["Flow: second"], ["running"])
    ceo.world.answer("approve")
    ceo.run()
    assert ceo.runs() == ["completed"]


def test_a_task_in_a_loop_of_flows_is_done_anew_in_each_round_with_what_holds_then(ceo: Ceo) -> None:
    ceo.draw(
        {"s": START, "in": ("exclusiveGateway", {}), "count": ("scriptTask", {"script": "n = n + 1"}),
         "note": stored("noted round {n} of {place}"), "again": ("exclusiveGateway", {}), "e": END},
        "s>in", "in>count", "count>note", "note>again", "again>in [n < 3]", "again>e [else]",
    )  # fmt: skip
    ceo.begin(n=0)
    ceo.run()
    assert ceo.stored() == [f"noted round {number} of {{place}}" for number in (1, 2, 3)]
    assert ceo.runs() == ["completed"]


def test_a_branching_that_nothing_decides_is_asked_about_anew_in_each_round(ceo: Ceo) -> None:
    ceo.draw(
        {"s": START, "in": ("exclusiveGateway", {}), "note": stored("noted"), "which": ("exclusiveGateway", {}),
         "e": END},
        "s>in", "in>note", "note>which", "which>in", "which>e",
    )  # fmt: skip
    ceo.begin()
    for choice in ("in", "in", "e"):
        ceo.run()
        (asked,) = ceo.questions()
        option = next(one["id"] for one in asked.options if one["label"] == choice)
        ceo.world.answer("approve", chosen_option=option)
    ceo.run()
    assert (ceo.runs(), len(ceo.services.decisions().all())) == (["completed"], 3)


def test_a_question_that_a_timer_overtakes_is_closed_and_what_follows_is_asked_for_itself(ceo: Ceo) -> None:
    late: dict[str, Any] = {"attached_to": "offer", "trigger": "timer", "when": "PT2H"}
    ceo.draw({"s": START, "offer": USER, "late": ("boundaryEvent", late), "remind": USER, "e": END, "l": END},
               "s>offer", "offer>e", "late>remind", "remind>l")  # fmt: skip
    ceo.begin()
    ceo.run()
    ceo.world.later(hours=3)
    ceo.run(2)
    offer, remind = ceo.services.decisions().all()
    assert (offer.subject, offer.status, offer.resolved_by) == (
        "Flow: offer",
        "rejected",
        ceo.world.business.workflows.runs.all()[0].id,
    )
    assert (remind.subject, remind.status) == ("Flow: remind", "pending")
    ceo.world.answer("approve")
    ceo.run()
    assert ceo.runs() == ["completed"]


def test_what_a_cancelled_workflow_had_asked_leave_for_is_not_done_when_it_is_allowed_later(ceo: Ceo) -> None:
    given = {"title": "Build it", "description": "All", "required_skills": [], "budget_usd": 90_000}
    task = ("serviceTask", {"tool": "work_package_create", "arguments": given})
    ceo.draw({"s": START, "t": task, "e": END}, "s>t", "t>e")
    ceo.begin()
    ceo.run()
    (asked,) = ceo.questions()
    assert asked.action is not None
    ceo.do("workflow_status", workflow_id="flow", status="cancelled")
    late = ceo.world.ask("decision_resolve", decision_id=asked.id, resolution="approve")
    assert (late.ok, "rejected" in late.message) == (False, True)
    ceo.run(2)
    assert ceo.world.business.workforce.packages.all() == ()
