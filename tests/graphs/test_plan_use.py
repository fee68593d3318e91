"""Plans in use over weeks: nothing is ordered twice, nobody writes to itself, and a case is used for its like alone."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.mind.situation import read_beliefs
from tests.graphs.desks import Planner, staffed

BACKLOG = "Clear the support backlog"


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Mapping[str, Planner]]:
    with staffed(tmp_path / "workspace", "ceo", "cfo", "coo", "legal", "strategy") as found:
        yield found


@pytest.fixture
def coo(desks: Mapping[str, Planner]) -> Planner:
    desk = desks["coo"]
    desk.believe(cash="90000", support_backlog="90", runway_months="12", contractor_spend="0", churn_rate="6%")
    return desk


def packages(desk: Planner) -> Any:
    return desk.world.business.workforce.packages


def month(desk: Planner) -> None:
    """Let a month go by, with a cycle every third day."""
    for _ in range(10):
        desk.world.later(days=3)
        desk.cycle()


def orders(desk: Planner) -> list[str]:
    """Return the titles of all that was ordered, and of the campaigns that were begun."""
    business = desk.world.business
    return [one.title for one in packages(desk).all()] + [one.name for one in business.campaigns.all()]


def test_work_that_is_still_open_is_not_ordered_again_for_the_same_goal(coo: Planner) -> None:
    coo.wants(BACKLOG, target="support_backlog < 40")
    coo.cycle()
    (first,) = packages(coo).all()
    month(coo)
    assert packages(coo).one(first.id).status == "open"
    assert len(set(orders(coo))) == len(orders(coo))
    passed_over = " ".join(line for every in coo.told("passed_over") for line in every)
    assert f"support_backlog_clear: {first.title!r} is ordered already and open" in passed_over
    assert first.id in passed_over


def test_work_that_is_open_for_one_goal_is_not_ordered_for_another_that_is_measured_by_the_same(coo: Planner) -> None:
    coo.wants(BACKLOG, target="support_backlog < 40")
    coo.cycle()
    now = coo.world.now
    coo.mind.save(Goal("G-2", "Clear the support desk", priority=0.98, target="support_backlog < 20", created=now))
    month(coo)
    names = [re.sub(r"\d", "", one) for one in orders(coo)]
    assert len(set(names)) == len(names)


def test_what_a_playbook_has_just_done_a_template_of_its_name_does_not_do_again(desks: Mapping[str, Planner]) -> None:
    ceo = desks["ceo"]
    now = ceo.world.now
    ceo.mind.save(Plan("P-1", "G-0", "Runway alarm", "playbook", status="completed", created=now, updated=now))
    ceo.believe(runway_months="4", cash="40000")
    ceo.wants("Keep the company solvent", target="runway_months >= 6")
    ceo.cycle()
    assert "runway_alarm" not in {plan.template for plan in ceo.mind.plans}


def test_the_choice_between_plans_is_told_by_why(coo: Planner) -> None:
    coo.wants(BACKLOG, target="support_backlog < 40")
    coo.cycle()
    coo.world.services.checkpoint()
    reason = coo.world.why(coo.plan.id)
    assert re.search(
        r"passed over: \w+: it fits less \(0\.\d\d\) than support_backlog_clear \(\d\.\d\d\)", reason.words
    )
    assert "entry 'plan'" in [link.kind for link in reason.because]


@pytest.mark.parametrize("end", [{"status": "delivered"}, {"status": "complete", "quality_score": 0.8}])
def test_work_that_is_there_may_be_ordered_again(coo: Planner, end: Mapping[str, object]) -> None:
    coo.wants(BACKLOG, target="support_backlog < 40")
    coo.cycle()
    (first,) = packages(coo).all()
    done = {"package_id": first.id, **end}
    coo.world.do("work_package_update", "coo", **done)
    month(coo)
    assert orders(coo).count(first.title) > 1


def test_an_agent_that_takes_a_colleagues_plan_asks_nothing_of_itself(desks: Mapping[str, Planner]) -> None:
    cfo = desks["cfo"]
    cfo.believe(runway_months="4", cash="40000")
    cfo.wants("Keep the company solvent")
    cfo.cycle()
    month(cfo)
    sent = [step for plan in cfo.mind.plans for step in plan.steps if step.arguments.get("to") == "cfo"]
    assert [step for step in sent if step.status != "skipped"] == []
    assert "runway_alarm" not in {plan.template for plan in cfo.mind.plans}
    told = [why for every in cfo.told("no_plan") for why in every["G-1"]]
    assert "runway_alarm: it is a plan for ceo: cfo would ask it of itself" in told


FIGURES = {"cash": "90000", "burn": "9000", "runway_months": "10"}


def test_what_an_agent_would_tell_itself_is_skipped(desks: Mapping[str, Planner]) -> None:
    ceo = desks["ceo"]
    ceo.believe(**FIGURES)
    ceo.wants("Cash flow forecast")
    ceo.cycle()
    assert (ceo.plan.template, ceo.plan.status) == ("cash_flow_analysis", "completed")
    assert [step.status for step in ceo.plan.steps if step.arguments.get("to") == "ceo"] == ["skipped"]
    assert not [one for one in ceo.messages() if one.sender == "ceo"]


def test_in_a_second_business_an_agent_knows_itself_and_writes_to_no_namesake(desks: Mapping[str, Planner]) -> None:
    made = {"business_id": "beta", "name": "Beta", "template": "saas"}
    world = desks["coo"].world
    world.do("business_create", **made)
    for agent_id, status in (("beta-ceo", "skipped"), ("beta-cfo", "done")):
        desk = Planner(world, agent_id)
        desk.want_nothing()
        desk.believe(**FIGURES)
        desk.wants("Cash flow forecast")
        desk.cycle()
        assert desk.plan.status == "completed"
        assert {step.arguments["to"]: step.status for step in desk.plan.steps[1:]} == {"beta-ceo": status}


def kept(desk: Planner, context: str, **outcome: Any) -> None:
    """Keep a success in the very situation of the goal, in which a note was made."""
    goal = desk.mind.goal("G-1")
    steps = [
        {
            "id": "a",
            "tool": "memory_store_item",
            "arguments": {"content": context, "importance": 0.4},
            "description": context,
        }
    ]
    situation = {"beliefs": read_beliefs(goal, desk.mind.index), "desires": [goal.description], "context": context}
    desk.handle.cases.store(
        situation, {"name": context, "steps": steps}, {"status": "success", **outcome}, case_id="CASE-1"
    )


def test_a_case_about_something_else_is_no_plan_however_alike_the_situation_was(coo: Planner) -> None:
    coo.wants("Zzyzx quux before autumn", target="zzyzx_level > 3")
    kept(coo, "Invite the neighbours to a barbecue")
    coo.cycle()
    assert [plan for plan in coo.mind.plans if plan.goal_id == "G-1"] == []
    assert coo.mind.goal("G-1").status == "blocked"


@pytest.mark.parametrize(
    ("context", "outcome"),
    [("Zzyzx quux after summer", {}), ("Invite the neighbours", {"expected": "zzyzx_level > 2"})],
)
def test_a_case_that_bears_on_the_goal_by_words_or_by_measure_is_a_plan(
    coo: Planner, context: str, outcome: dict[str, str]
) -> None:
    coo.wants("Zzyzx quux before autumn", target="zzyzx_level > 3")
    kept(coo, context, **outcome)
    coo.cycle()
    assert coo.plan.strategy == "as it worked in CASE-1"


def test_where_every_other_plan_is_unsafe_the_rest_is_done_by_a_case(desks: Mapping[str, Planner]) -> None:
    legal = desks["legal"]
    legal.believe(cash="90000", runway_months="12")
    goal = legal.wants("Contract review")
    legal.failed_before(goal, "contract_review", "lines")
    kept(legal, "Contract review with an old hand")
    only = Step("only", "Read it", "content_generate", {"topic": "x"})
    legal.commit(only, goal={"description": "Contract review"}, plan={"confidence": 0.5})
    legal.tools.broken.add("content_generate")
    legal.cycle()
    (tried, *_) = legal.told("tried")
    assert [one.split(":")[0] for one in tried] == ["method", "replan", "adapt"]
    assert tried[1] == "replan: contract review has failed in a situation like this"
    assert tried[2].startswith("adapt: the rest is done by Contract review with an old hand, because only: ")
    assert (legal.plan.status, [step.status for step in legal.plan.steps]) == ("completed", ["done"])


def test_a_step_that_failed_when_it_was_performed_by_hand_is_mended_by_the_next_cycle(coo: Planner) -> None:
    coo.believe(support_backlog="60")
    goal = coo.wants("Find out why customers leave")
    plan_id = coo.world.do("plan_generate", "coo", goal_id=goal.id)["plan_id"]
    now = coo.world.now
    coo.mind.save(Intention("I-1", goal.id, plan_id, started=now, updated=now))
    coo.tools.broken.add("work_package_create")
    while (done := coo.world.do("plan_execute_step", "coo", plan_id=plan_id))["executed"]:
        pass
    assert (done["status"], coo.committed.status) == ("failed", "active")
    coo.cycle()
    (change,) = coo.plan.changes
    assert change.startswith("method: it goes on with support.answer_in_writing.article, because support.outside_help")
    assert "it is out of order" in change
    assert coo.plan.status == "completed"
