"""Projects and reports of work: what is asked for when, what a report marks, and what never happens before its turn."""

from pathlib import Path
from typing import Any

import pytest

from mabos.nodes.maintenance.moments import moments
from mabos.workspace.clock import iso
from tests.tools.requests.test_orders import ask, said, status
from tests.world import Member, World

CHAIRS = {"title": "Dental chairs", "description": "Chairs", "required_skills": [], "budget_usd": 480.0}


def work(text: str) -> dict[str, Any]:
    return {"text": text, "kind": "work", "operation": "", "slots": {}}


def approval(text: str) -> dict[str, Any]:
    return {"text": text, "kind": "approval", "operation": "", "slots": {}}


def operation(text: str, name: str, **slots: Any) -> dict[str, Any]:
    return {"text": text, "kind": "operation", "operation": name, "slots": slots}


MOVE = {
    "title": "Move to Mill Lane",
    "steps": [
        work("measure the rooms"),
        approval("get my approval of the floor plan"),
        operation("order the dental chairs", "work_package_create", **CHAIRS),
        work("book the movers"),
    ],
}


@pytest.fixture
def coo(tmp_path: Path) -> Any:
    with World(tmp_path) as world:
        world.do("stakeholder_profile", approval_threshold_usd=1000)
        yield world.quiet("coo")


def report(member: Member, words: str, **more: Any) -> str:
    made = ask(member, "report", sentence=words, **more)
    member.cycle()
    return made


def packages(member: Member) -> list[tuple[str, float]]:
    return [(one.title, one.budget_usd) for one in member.world.business.workforce.packages.all()]


def steps(member: Member, request_id: str) -> dict[str, str]:
    goal_id = member.handle.requests.one(request_id).goal_id
    (plan,) = [one for one in member.mind.plans if one.goal_id == goal_id and one.status != "abandoned"]
    return {step.description: step.status for step in plan.steps}


def test_the_approval_is_asked_for_at_once_and_nothing_is_ordered_before_all_in_front_of_it_is_over(
    coo: Member,
) -> None:
    move = ask(coo, "order", "project", slots=MOVE)
    coo.cycle()
    assert list(steps(coo, move)) == [one["text"] for one in MOVE["steps"]]  # type: ignore[index]
    (question,) = coo.world.questions()
    assert "floor plan" in question.subject
    assert "measure the rooms" in question.description
    coo.world.answer("approve")
    coo.cycle()
    assert packages(coo) == []
    report(coo, "The rooms are measured.")
    assert packages(coo) == [("Dental chairs", 480.0)]
    assert "$480" in said(coo)
    assert steps(coo, move)["book the movers"] == "waiting"


def test_a_project_is_achieved_by_the_last_report_and_says_whose_word_it_rests_on(coo: Member) -> None:
    move = ask(coo, "order", "project", slots=MOVE)
    coo.cycle()
    report(coo, "We measured the rooms and the movers are booked.")
    assert packages(coo) == []
    coo.world.answer("approve")
    coo.cycle()
    assert (packages(coo), status(coo, move)) == ([("Dental chairs", 480.0)], "done")
    (goal,) = [one for one in coo.mind.goals if one.request_id == move]
    assert goal.status == "achieved"
    assert "MSG-2" in said(coo)


def test_a_rejected_approval_keeps_the_project_open_until_a_new_version_is_approved(coo: Member) -> None:
    move = ask(coo, "order", "project", slots=MOVE)
    coo.cycle()
    report(coo, "The rooms are measured.")
    coo.world.answer("reject", feedback="the door is too narrow")
    coo.cycle()
    coo.cycle()
    assert (status(coo, move), packages(coo), coo.world.questions()) == ("underway", [], [])
    assert steps(coo, move)["revise the floor plan"] == "waiting"
    assert "too narrow" in said(coo)
    report(coo, "The floor plan is redrawn with a wider door.")
    (question,) = coo.world.questions()
    assert "floor plan" in question.subject
    coo.world.answer("approve")
    coo.cycle()
    assert packages(coo) == [("Dental chairs", 480.0)]


def test_a_changed_amount_keeps_the_steps_that_are_done(coo: Member) -> None:
    move = ask(coo, "order", "project", slots=MOVE)
    coo.cycle()
    report(coo, "The rooms are measured.")
    changed = [
        *MOVE["steps"][:2],
        operation("order the dental chairs", "work_package_create", **CHAIRS | {"budget_usd": 450.0}),
    ]
    ask(coo, "correction", refers_to=move, slots={"steps": changed})
    coo.cycle()
    assert steps(coo, move)["measure the rooms"] == "done"
    coo.world.answer("approve")
    coo.cycle()
    assert (packages(coo), status(coo, move)) == ([("Dental chairs", 450.0)], "done")


@pytest.mark.parametrize(
    "words",
    ["The rooms are not measured yet.", "The rooms will be measured tomorrow.", "Half of the rooms are measured.",
     "The landlord raised the rent."],
)  # fmt: skip
def test_what_is_not_done_marks_nothing_and_is_believed_as_said(coo: Member, words: str) -> None:
    move = ask(coo, "order", "project", slots=MOVE)
    coo.cycle()
    report(coo, words)
    assert steps(coo, move)["measure the rooms"] == "waiting"
    (held,) = [one for one in coo.mind.beliefs if one.statement == words.rstrip(".")]
    assert held.source == "message from stakeholder"


def test_a_report_that_fits_two_steps_or_another_verb_is_asked_about(coo: Member) -> None:
    ask(coo, "order", "task", slots={"text": "paint the rooms", "deadline": "2026-03-06"})
    ask(coo, "order", "task", slots={"text": "clean the rooms", "deadline": "2026-03-06"})
    coo.cycle()
    unclear = report(coo, "The rooms are done.")
    assert status(coo, unclear) == "asking"
    assert [status(coo, one) for one in ("REQ-1", "REQ-2")] == ["underway", "underway"]
    report(coo, "The rooms are painted.")
    assert [status(coo, one) for one in ("REQ-1", "REQ-2")] == ["done", "underway"]


def test_a_deadline_that_passes_is_said_once_and_the_work_stays_open(coo: Member) -> None:
    task = ask(coo, "order", "task", slots={"text": "check the kit list", "deadline": "2026-03-06"})
    coo.cycle()
    coo.cycle()
    before = len(coo.world.services.inbox("stakeholder").messages())
    coo.world.later(days=5)
    coo.cycle()
    coo.cycle()
    late = coo.world.services.inbox("stakeholder").messages()[before:]
    assert len(late) == 1
    assert "6 March 2026" in late[0].content
    assert status(coo, task) == "underway"
    report(coo, "the kit list is checked")
    assert status(coo, task) == "done"


def heard(member: Member) -> list[str]:
    """Return what the owner hears in one cycle."""
    before = len(member.world.services.inbox("stakeholder").messages())
    member.cycle()
    return [one.content for one in member.world.services.inbox("stakeholder").messages()[before:]]


def test_a_reminder_wakes_the_agent_on_its_day_and_is_given_once(coo: Member) -> None:
    ask(coo, "order", "remind", slots={"date": "2026-03-06", "text": "call the insurer"})
    coo.cycle()
    named = [iso(one.at) for one in moments(coo.services, "coo") if not one.tends]
    assert any(at.startswith("2026-03-06") for at in named)
    coo.world.later(days=3)
    assert heard(coo) == []
    coo.world.later(days=1)
    (said_then,) = heard(coo)
    assert "insurer" in said_then
    coo.world.later(days=1)
    assert heard(coo) == []


def test_a_weekly_report_has_the_figures_of_its_own_week_and_names_the_next_day(coo: Member) -> None:
    rhythm = {"every": "week", "weekday": "Monday"}
    duty = ask(coo, "order", "report_regularly", slots={"rhythm": rhythm, "figures": ["members"]})
    coo.cycle()
    for value in (412, 419):
        coo.world.later(days=6)
        coo.world.do("metrics_record", name="members", value=value)
        assert [one for one in heard(coo) if str(value) in one] == []
        coo.world.later(days=1)
        (weekly,) = heard(coo)
        assert str(value) in weekly
    wanted = coo.handle.requests.one(duty).wanted_by
    assert wanted.startswith("2026-03-23")
    assert wanted in [iso(one.at) for one in moments(coo.services, "coo")]


def test_a_series_that_no_file_has_had_yet_is_added_to_a_report_by_its_written_name(coo: Member) -> None:
    coo.world.cycle("coo", "Every Thursday send me the washes and the takings of the week.")
    coo.world.cycle("coo", "From now on put the water used in it too, the water_m3.")
    duty = coo.handle.requests.all()[0]
    assert duty.status == "standing"
    assert duty.slot("figures") == ["washes", "takings", "water_m3"]


def test_a_result_is_not_put_up_for_approval_before_the_work_that_makes_it(coo: Member) -> None:
    stall = [work("draw a sketch of the stall"), approval("wait for my OK on the sketch"), work("build the stall")]
    ask(coo, "order", "project", slots={"title": "Stall", "steps": stall})
    coo.cycle()
    assert coo.world.questions() == []
    report(coo, "The sketch is drawn.")
    assert len(coo.world.questions()) == 1
