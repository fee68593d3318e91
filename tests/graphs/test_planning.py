"""Plans by whole cycles: how a goal is broken down, what is adapted, gone around, mended, asked, and told."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.knowledge.facts import statement
from mabos.mind.model import Step
from mabos.mind.situation import read_beliefs
from mabos.tools.plans.sources import drafts_for
from tests.graphs.desks import Planner, staffed

CHURN = "Find out why customers leave"


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Mapping[str, Planner]]:
    with staffed(tmp_path / "workspace", "coo", "strategy", "legal", "cmo") as found:
        yield found


@pytest.fixture
def coo(desks: Mapping[str, Planner]) -> Planner:
    """Return a desk with a backlog, so that churn is worked against by bringing answering times down."""
    desk = desks["coo"]
    desk.believe(cash="90000", support_backlog="60", runway_months="12", contractor_spend="0", churn_rate="6%")
    return desk


def ids(steps: Sequence[Step], *statuses: str) -> list[str]:
    return [step.id for step in steps if step.status in statuses or not statuses]


def test_the_plan_of_the_specification_is_broken_down_verified_and_carried_out(desks: Mapping[str, Planner]) -> None:
    desk = desks["strategy"]
    desk.wants("Launch enterprise pricing tier")
    tree = desk.world.do("htn_decompose", "strategy", goal_description="Launch enterprise pricing tier")
    (root,) = [tree["task"]]
    assert [task["name"] for task in root["subtasks"]] == [
        "Configure billing infrastructure", "Update marketing materials", "Set up sales workflow",
    ]  # fmt: skip
    assert tree["can_run"], tree["why_not"]
    assert [set(task["not_taken"]) for task in root["subtasks"]] == [set(), {"by_mail"}, {"as_workflow"}]
    assert "tool email_send is not" in tree["text"]  # there yet, or among what a strategist may use
    assert "tool workflow_create is not" in tree["text"]
    report = desk.cycle()
    assert [one["status"] for one in report.results] == ["done", "waiting"]
    desk.world.answer("approve")
    for _ in range(3):
        desk.cycle()
    assert (desk.plan.template, desk.plan.status) == ("saas_launch_enterprise_tier", "completed")
    assert set(ids(desk.plan.steps, "done")) == set(ids(desk.plan.steps))
    (price,) = desk.world.business.pricing.prices.all()
    assert price.segment == "ent"
    assert desk.mind.goal("G-1").status == "active"  # nothing measures whether the tier is launched


def test_a_goal_of_several_parts_has_a_plan_of_several_templates(coo: Planner) -> None:
    coo.wants("Find out why customers leave and clear the support backlog")
    coo.cycle()
    assert coo.plan.source == "htn"
    used = {step.id.split(".")[1] for step in coo.plan.steps}
    assert {"saas_reduce_churn", "support_backlog_clear"} <= used
    assert "done" in {step.status for step in coo.plan.steps}


@pytest.mark.parametrize(("weeks", "orders"), [("2", ["order"]), ("30", [])])
def test_a_part_of_a_goal_asks_for_no_more_than_its_template_calls_for_now(
    coo: Planner, weeks: str, orders: list[str]
) -> None:
    coo.believe(stock_weeks=weeks, demand="100", unit_cost="10", ordered_supply="0")
    found = drafts_for(coo.handle, coo.wants("Clear the support backlog and keep the shelves full"), source="htn").found
    steps = [step for one in found for step in one.plan.steps if "stock_order" in step.id]
    assert [step.id.rpartition(".")[2] for step in steps] == orders


def test_a_goal_without_a_plan_is_told_with_what_each_template_lacks(desks: Mapping[str, Planner]) -> None:
    desk = desks["legal"]
    desk.believe(cash="0")
    goal = desk.wants("Contract review")
    desk.cycle()
    assert desk.mind.goal(goal.id).status == "blocked"
    (why_not,) = [told[goal.id] for told in desk.told("no_plan") if goal.id in told]
    assert "contract_review: it needs cash > 1500" in why_not
    desk.world.services.checkpoint()
    reason = desk.world.why(goal.id)
    assert "no plan fits: contract_review: it needs cash > 1500" in reason.words
    assert "entry 'plan'" in [link.kind for link in reason.because]


def test_a_fact_that_contradicts_a_precondition_rules_a_plan_out(coo: Planner) -> None:
    known = statement("acme", "contractor_spend", "4000", confidence=0.99, source="the books")
    coo.believe(contractor_spend="4000")
    coo.handle.facts.change(lambda draft: draft.state(known))
    coo.wants(CHURN)
    coo.cycle()
    assert all(plan.template != "saas_reduce_churn" for plan in coo.mind.plans)


def test_a_step_that_fails_is_done_in_another_way_and_both_are_told(coo: Planner) -> None:
    coo.wants(CHURN)
    coo.tools.broken.add("work_package_create")
    coo.cycle()
    assert "support.outside_help.package" not in ids(coo.plan.steps)
    assert {"support.answer_in_writing.article", "support.answer_in_writing.ask"} <= set(ids(coo.plan.steps, "done"))
    assert (coo.plan.status, coo.plan.revision, coo.plan.template) == ("completed", 2, "saas_reduce_churn")
    (change,) = coo.plan.changes
    assert change.startswith("method: it goes on with support.answer_in_writing.article, because support.outside_help")
    assert coo.told("tried") == [[change]]


def test_where_no_way_is_left_it_is_tried_once_more_and_then_a_person_is_asked(coo: Planner) -> None:
    coo.wants("Reduce churn below a threshold")
    coo.tools.broken |= {"work_package_create", "content_generate"}
    coo.cycle()
    rungs = [change.split(":")[0] for change in coo.plan.changes]
    assert rungs == ["method", "again", "escalate"]  # no other plan promises lower churn
    assert coo.plan.steps[0].id == "choose"
    assert coo.plan.steps[0].status == "done"


def lonely(desk: Planner, tool: str, **arguments: Any) -> None:
    """Commit to a plan of two steps that no template and no case could replace."""
    note = Step("then", "Note it", "memory_store_item", {"content": "Done", "importance": 0.4})
    desk.commit(
        Step("only", "Do it", tool, arguments), note, goal={"description": "Zzyzx quux"}, plan={"confidence": 0.5}
    )


MAIL: dict[str, Any] = {"to": "cfo", "performative": "INFORM", "content": "It is so"}


def test_what_nothing_can_mend_is_tried_once_more_and_then_put_before_the_owner(coo: Planner) -> None:
    lonely(coo, "agent_message", **MAIL)
    coo.tools.broken.add("agent_message")
    report = coo.cycle()
    assert report.outcome == "waiting"
    assert [change.split(":")[0] for change in coo.plan.changes] == ["again", "escalate"]
    assert coo.committed.status == "awaiting_approval"
    tried = coo.told("tried")[-1]
    assert [one.split(":")[0] for one in tried] == ["method", "replan", "adapt", "escalate"]
    coo.tools.broken.clear()
    coo.world.answer("approve", chosen_option="A")
    coo.cycle()
    assert ids(coo.plan.steps, "done") == ["failed-3", "only", "then"]
    assert coo.plan.status == "completed"


def test_what_the_owner_leaves_is_given_up_as_failed(coo: Planner) -> None:
    lonely(coo, "agent_message", **MAIL)
    coo.tools.broken.add("agent_message")
    coo.cycle()
    coo.world.answer("approve", chosen_option="B")
    coo.cycle()
    assert coo.plan.status == "failed"
    assert [case.outcome for case in coo.handle.cases.all()] == ["partial_failure"]


def test_a_step_that_only_lacks_a_condition_waits_for_it(coo: Planner) -> None:
    lonely(coo, "agent_message", **MAIL)
    only = coo.plan.steps[0]
    coo.mind.save(replace(coo.plan, steps=(replace(only, preconditions=("door status = open",)),)))
    coo.believe(**{"door status": "shut"})
    coo.cycle()
    assert coo.committed.status == "suspended"
    assert coo.world.questions() == []
    coo.believe(**{"door status": "open"})
    coo.cycle()
    assert coo.plan.status == "completed"


def test_what_failed_in_a_situation_like_this_is_done_in_another_way_from_there(coo: Planner) -> None:
    goal = coo.wants(CHURN)
    case_id = coo.failed_before(goal, "saas_reduce_churn", "support.outside_help.package")
    coo.cycle()
    assert coo.plan.template == "saas_reduce_churn"
    assert "support.answer_in_writing.article" in ids(coo.plan.steps, "done")
    assert any(risk.startswith(f"{case_id}: it ended as failure") for risk in coo.plan.risks)
    (change,) = coo.plan.changes
    assert change.startswith("around: support.outside_help.package is done in another way, because CASE-9 failed")
    assert case_id in coo.plan.strategy


def risky(desk: Planner) -> None:
    """Give a goal whose only plan failed before at a step that can be done in one way."""
    desk.believe(cash="90000", runway_months="12")
    goal = desk.wants("Contract review")
    desk.failed_before(goal, "contract_review", "lines")


@pytest.fixture
def legal(desks: Mapping[str, Planner]) -> Planner:
    return desks["legal"]


def test_a_risk_that_nothing_goes_around_waits_for_the_owner_and_is_taken_if_allowed(legal: Planner) -> None:
    risky(legal)
    legal.cycle()
    assert ids(legal.plan.steps)[0] == "risk"
    assert legal.committed.status == "awaiting_approval"
    (asked,) = legal.world.questions()
    assert "CASE-9: it ended as failure" in asked.description
    assert ids(legal.plan.steps, "done") == []
    legal.world.answer("approve", chosen_option="A")
    legal.cycle()
    assert ids(legal.plan.steps, "done") == ["risk"]
    assert "Who reviews our customer contract?" in [one.subject for one in legal.world.questions()]


@pytest.mark.parametrize("answer", [{"resolution": "approve", "chosen_option": "B"}, {"resolution": "reject"}])
def test_a_risk_that_the_owner_does_not_take_is_left_and_not_asked_again(
    legal: Planner, answer: dict[str, str]
) -> None:
    risky(legal)
    legal.cycle()
    first = legal.plan.id
    legal.world.answer(**answer)
    legal.cycle()
    assert legal.mind.plan(first).template != "contract_review" or (legal.mind.plan(first).status == "abandoned")
    assert "lines" not in [step.id for plan in legal.mind.plans for step in plan.steps if step.status == "done"]
    legal.world.later(days=12)
    legal.cycle()
    assert [one.subject for one in legal.world.questions() if "contract review" in one.subject] == []


def test_without_a_template_the_case_most_like_the_present_is_adapted(coo: Planner) -> None:
    coo.believe(billing_provider="Paddle", supplier_check="late")
    goal = coo.wants("Zzyzx quux in March", target="zzyzx_level > 3", deadline="2026-06-01")
    rule = {"name": "No dear help", "type": "constraint", "conditions": [
        {"predicate": "contractor_spend", "object": "3000", "operator": "gt"}]}  # fmt: skip
    made = coo.handle.rules.create(rule)
    steps = [
        {"id": "a", "tool": "fact_assert", "arguments": {"subject": "Stripe", "predicate": "state", "object": "tidy",
         "confidence": 0.9, "source": "me"}, "description": "Tidy the Stripe desk"},
        {"id": "b", "tool": "agent_message", "arguments": {**MAIL, "content": "By 2025-06-01", "deadline": "x"},
         "effects": ["desk state tidy"], "status": "done"},
        {"id": "c", "tool": "memory_store_item", "arguments": {"content": "Done"}, "status": "skipped"},
    ]  # fmt: skip
    beliefs = {**read_beliefs(goal, coo.mind.index), "billing_provider": "Stripe"}
    coo.handle.cases.store(
        {"beliefs": beliefs, "desires": [goal.description], "context": "Zzyzx quux in January"},
        {"name": "tidy up", "steps": steps},
        "success",
        case_id="CASE-1",
    )
    coo.believe(**{"desk state": "tidy"})
    coo.cycle()
    assert (coo.plan.source, coo.plan.strategy) == ("case", "as it worked in CASE-1")
    operations = {change.split(":")[0]: change for change in coo.plan.changes}
    assert operations["substitute"].endswith("because billing_provider is Paddle now and was Stripe in CASE-1")
    assert operations["delete"].startswith("delete: step ")
    assert made.id in operations["tighten"]
    assert coo.handle.facts.query(subject="Paddle", predicate="state")
    assert coo.plan.status == "completed"


def test_steps_side_by_side_go_on_while_one_of_them_waits_for_a_person(desks: Mapping[str, Planner]) -> None:
    desk = desks["cmo"]
    ads = {"name": "push", "channel": "search", "segment": "smb", "weekly_budget_usd": 9000.0, "weeks": 3}
    steps = (
        Step("ads", "Advertise", "ad_campaign_create", ads, ordering="parallel"),
        Step(
            "note", "Note it", "memory_store_item", {"content": "Side by side", "importance": 0.4}, ordering="parallel"
        ),
        Step("after", "Tell", "memory_store_item", {"content": "After both", "importance": 0.4}),
    )
    desk.commit(*steps, goal={"description": "Zzyzx quux"})
    desk.cycle()
    assert [step.status for step in desk.plan.steps] == ["waiting", "done", "pending"]
    assert desk.committed.status == "awaiting_approval"
    desk.world.answer("approve")
    desk.cycle()
    assert desk.plan.status == "completed"


def test_a_branch_is_chosen_by_what_is_believed_when_it_is_reached(coo: Planner) -> None:
    coo.believe(support_backlog="10", quality="0.4")
    coo.wants(CHURN)
    coo.cycle()
    assert ids(coo.plan.steps, "done") == ["choose", "product"]
    assert set(ids(coo.plan.steps, "skipped")) == {"support.outside_help.package", "help"}


@pytest.mark.parametrize(("belief", "status"), [({"leads": "80"}, "completed"), ({"leads": "impossible"}, "abandoned")])
def test_a_goal_that_is_reached_or_impossible_ends_its_intention_before_its_next_step(
    coo: Planner, belief: dict[str, str], status: str
) -> None:
    said = Step("note", "Note it", "memory_store_item", {"content": "One step more", "importance": 0.4})
    coo.commit(said, said, goal={"target": "leads >= 45"}, plan={})
    coo.believe(**belief)
    report = coo.cycle()
    assert report.results == ()
    assert [one.status for one in coo.mind.intentions] in ([], [status])
    assert coo.mind.goals[-1].status == ("achieved" if status == "completed" else "abandoned")
