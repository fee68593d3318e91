"""Inputs as the documents print them, through the operations: taken as they are, or answered with what is expected."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.model import Goal
from tests.world import Member, World


@pytest.fixture
def ceo(tmp_path: Path) -> Iterator[Member]:
    with World.small(tmp_path / "workspace") as world:
        yield Member(world, "ceo")


WISH = {"name": "Win customers", "type": "achieve", "category": "terminal", "base": 0.5, "importance": 0.5,
        "urgency": 0.5, "alignment": 0.5}  # fmt: skip


def test_dependencies_of_a_desire_are_a_score_or_ids(ceo: Member) -> None:
    assert ceo.do("desire_create", desire_id="D-1", deps=0.5, **WISH)["priority"] == pytest.approx(0.5)
    assert ceo.do("desire_create", desire_id="D-2", deps=["D-1"], **{**WISH, "name": "Keep them"})["priority"] < 0.5
    assert [one["deps"] for one in ceo.do("desire_evaluate")["desires"]] == [0.5, 0.0]
    refused = ceo.ask("desire_create", deps=1.5, **{**WISH, "name": "Please them"})
    assert (refused.ok, refused.argument) == (False, "deps")


def test_a_desire_that_a_weightier_one_covers_is_not_adopted(ceo: Member) -> None:
    wish = {**WISH, "type": "maintain"}
    ceo.do("desire_create", desire_id="D-1", **{**wish, "name": "Maintain runway_months >= 6", "base": 0.9})
    covered = ceo.do("desire_create", **{**wish, "name": "Maintain runway_months >= 5"})
    assert (covered["adopted"], "D-1" in covered["reason"]) == (False, True)
    for name in ("Maintain runway_months >= 7", "Maintain cash_months >= 5"):
        assert ceo.do("desire_create", **{**wish, "name": name})["adopted"]
    assert ceo.do("desire_create", **{**wish, "name": "Maintain runway_months > 4", "base": 1.0})["adopted"]


def test_a_target_is_found_in_the_reading_of_its_figure(ceo: Member) -> None:
    ceo.mind.save(Goal("G-1", "Grow", status="active", target="MRR >= 100000"))
    for value, achieved in (("42000", False), ("120000", True)):
        ceo.do("belief_update", belief_id="B-1", description=f"MRR is {value}", certainty=0.95, source="self",
               subject="mrr", predicate="current_value_usd", value=value)  # fmt: skip
        assert ("holds" in ceo.do("goal_evaluate", goal_id="G-1")["progress_assessment"]) == achieved


@pytest.mark.parametrize(("written", "share"), [("20", 0.2), ("35%", 0.35), ("0.5", 0.5), ("1", 1.0), ("100", 1.0)])
def test_progress_of_an_intention_is_a_percentage_or_a_share(ceo: Member, written: str, share: float) -> None:
    page = ceo.world.path("agents/ceo/Intentions.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# Intentions\n\n## Win the fair\n\n- **Id:** I-1\n- **Progress:** {written}\n", "utf-8")
    assert ceo.mind.intention("I-1").progress == share
    ceo.mind.save(replace(ceo.mind.intention("I-1"), progress=0.75))
    ceo.mind.checkpoint()
    assert f"- **Progress:** {'0.75' if written in ('0.5', '1') else 75}" in page.read_text("utf-8")


def test_what_cannot_be_read_is_reported_by_cycle_and_heartbeat(ceo: Member) -> None:
    page = ceo.world.path("agents/ceo/Intentions.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# Intentions\n\n## Win the fair\n\n- **Progress:** a lot\n", "utf-8")
    (row,) = ceo.world.maintain("ceo")
    events: list[Mapping[str, Any]] = []
    ceo.cycle(on_event=events.append)
    told = [one for event in events for one in event.get("noted", {}).get("misread", ())]
    for said in (row["unreadable"], told):
        assert [one.partition(": ")[0] for one in said] == ["agents/ceo/Intentions.md:5"]


def test_a_conflict_report_shows_both_headings_and_values(ceo: Member) -> None:
    page = ceo.world.path("agents/ceo/Beliefs.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    sections = (
        "Market demand is growing\ncertainty: 0.8\n\nLeads rose.",
        "Market demand is declining\ncertainty: 0.75\n\nTwo rivals report fewer orders.",
        "Churn\n- **Subject:** churn\n- **Predicate:** rate\n- **Value:** 5\n- **Certainty:** 0.9",
        "Churn lately\n- **Subject:** churn\n- **Predicate:** rate\n- **Value:** 7\n- **Certainty:** 0.8",
    )
    page.write_text("# Beliefs\n" + "".join(f"\n## {one}\n" for one in sections), "utf-8")
    ceo.world.maintain("ceo")
    (report,) = page.parent.glob("memory/bdi-conflicts/*.md")
    text = report.read_text("utf-8")
    assert all(one in text for one in ("demand is growing", "demand is declining", "value: 5", "value: 7"))


def test_steps_of_a_plan_are_primitive_or_compound_tasks(ceo: Member) -> None:
    ceo.mind.save(Goal("G-1", "Launch the tier"))
    note = {"task_id": "note", "type": "primitive", "tool": "memory_store_item", "input": {"content": "x"}}
    tell = {"type": "primitive", "tool": "memory_store_item", "arguments": {"content": "y"}, "effects": ["a = b"]}
    tree = {"task_id": "bill", "type": "compound", "preconditions": ["c = d"], "subtasks": [note, tell]}
    made = ceo.do("plan_generate", goal_id="G-1", plan_id="P-1", steps=[tree, {**note, "task_id": "last"}])
    assert made["plan_id"] == "P-1"
    steps = ceo.mind.plan("P-1").steps
    assert [one.id for one in steps] == ["note", "bill.2", "last"]
    assert [one.preconditions for one in steps] == [("c = d",), (), ()]
    assert [one.arguments["content"] for one in steps] == ["x", "y", "x"]
    for wrong in ({**note, "type": "simple"}, {"type": "compound", "description": "Knit a cathedral"}):
        refused = ceo.ask("plan_generate", goal_id="G-1", steps=[wrong])
        assert (refused.ok, refused.argument) == (False, "steps"), refused.message


def test_what_a_decomposition_answers_is_a_plan(ceo: Member) -> None:
    ceo.mind.save(Goal("G-1", "Set up a content calendar"))
    found: dict[str, Any] = ceo.do("htn_decompose", goal_description="Set up a content calendar")
    assert found["tasks"]
    made = ceo.do("plan_generate", goal_id="G-1", plan_id="P-1", steps=[found["task"]])
    assert made["plan_id"] == "P-1"
    assert [one.tool for one in ceo.mind.plan("P-1").steps] == [one["tool"] for one in found["tasks"]]


def test_a_rejected_question_leaves_a_learning(ceo: Member) -> None:
    options = [{"id": "a", "label": "Open in Berlin"}, {"id": "b", "label": "Stay"}]
    asked = ceo.do("decision_request", subject="Open an office", description="In spring", urgency="normal",
                   options=options, recommendation="a")  # fmt: skip
    ceo.world.answer("reject", asked["decision_id"], feedback="too early")
    (learning,) = ceo.mind.learnings
    assert (learning.id, "too early" in learning.insight) == (f"LRN-{asked['decision_id']}", True)


def test_no_step_is_performed_while_its_intention_is_suspended(ceo: Member) -> None:
    ceo.mind.save(Goal("G-1", "Launch the tier"))
    step = {"type": "primitive", "tool": "memory_store_item", "arguments": {"content": "x", "importance": 0.5}}
    ceo.do("plan_generate", goal_id="G-1", plan_id="P-1", steps=[step])
    ceo.do("intention_commit", goal_id="G-1", plan_id="P-1", intention_id="I-1")
    held = ceo.do("intention_reconsider", intention_id="I-1", trigger="resource_constraint", severity=0.9)
    assert held["status"] == "suspended"
    blocked = ceo.do("plan_execute_step", plan_id="P-1")
    assert (blocked["executed"], "I-1" in blocked["blockers"][0], ceo.handle.memory.recent(9)) == (False, True, [])
    ceo.do("intention_commit", goal_id="G-1", plan_id="P-1")
    assert ceo.do("plan_execute_step", plan_id="P-1")["executed"]


def test_a_percentage_compares_with_percent_and_with_a_share(ceo: Member) -> None:
    for rule_id, operator, bound in (("R-1", "gt", "5"), ("R-2", "gt", "0.05"), ("R-3", "lt", "6"), ("R-4", "lt", "5")):
        condition = {"subject": "?c", "predicate": "churn_rate", "operator": operator, "object": bound}
        ceo.do("rule_create", rule_id=rule_id, name=rule_id, description="", type="constraint", violation_message="no",
               conditions=[condition])  # fmt: skip
    ceo.do("fact_assert", subject="acme", predicate="churn_rate", object="5.8%", confidence=0.9, source="crm")
    assert {one["rule_id"] for one in ceo.do("constraint_check")["violations"]} == {"R-1", "R-2", "R-3"}


def test_nothing_that_ends_before_since_is_written_and_a_month_is_whole(ceo: Member) -> None:
    memory = ceo.world.path("agents/ceo/memory")
    memory.mkdir(parents=True, exist_ok=True)
    for day, said in (("2025-12-10", "Met Ada"), ("2026-02-03", "Hired Bo"), ("2026-02-19", "Lost Cy")):
        (memory / f"{day}.md").write_text(f"# My day\n\n- {said}\n\n## Slept badly\n", "utf-8")
    written = ceo.do("memory_build_hierarchy", since="2026-02-15")["written"]
    assert sorted(written) == ["memory/monthly/2026-02.md", "memory/quarterly/2026-Q1.md", "memory/weekly/2026-W08.md"]
    month = (memory / "monthly" / "2026-02.md").read_text("utf-8")
    assert all(one in month for one in ("Hired Bo", "Lost Cy"))
    assert "Slept badly" in (memory / "weekly" / "2026-W08.md").read_text("utf-8")
    assert "My day" not in month
    assert len(ceo.do("memory_build_hierarchy")["written"]) > 3


def test_a_fact_with_an_unknown_predicate_is_taken_with_a_warning(ceo: Member) -> None:
    given = {"subject": "acme", "object": "5", "confidence": 0.9, "source": "crm"}
    for predicate, warned in (("wibbles", True), ("wibbles", False), ("runway_months", False), ("churn_rate", False),
                              ("current_value_usd", False), ("status", False), ("custmer", True)):  # fmt: skip
        told = ceo.do("fact_assert", predicate=predicate, **given)
        assert ("warning" in told) == warned, predicate
    assert "Customer" in told["warning"]
