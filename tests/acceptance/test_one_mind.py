"""S3 section 19, phase 2: one agent, from a desire to an executed plan to a stored case."""

from typing import Any

import pytest

from tests.acceptance.company import Company
from tests.interfaces.command_line import NOW

WISH: dict[str, Any] = {
    "name": "Afford our customers", "type": "optimize", "category": "terminal",
    "base": 0.7, "importance": 0.9, "urgency": 0.3, "alignment": 0.5,
}  # fmt: skip


def test_a_belief_keeps_a_log_of_its_revisions(acme: Company) -> None:
    acme.done(
        "belief_update", belief_id="B-1", description="Churn is 3%", certainty=0.6, source="crm",
        subject="churn_rate", value="3%",
    )  # fmt: skip
    later = "2026-02-25T08:00:00Z"
    change = acme.done(
        "belief_update", belief_id="B-1", description="Churn is 4%", certainty=0.9, source="analytics",
        subject="churn_rate", value="4%", now=later,
    )  # fmt: skip
    assert change["certainty_delta"] == pytest.approx(0.3, abs=1e-9)
    (revision,) = change["belief"]["revisions"]
    assert (revision["before"], revision["after"]) == ("3%", "4%")
    assert (revision["certainty_before"], revision["certainty_after"]) == (0.6, 0.9)
    assert revision["source"] == "analytics"
    assert revision["at"].startswith("2026-02-25T08:00:00")
    text = acme.text("agents/cfo/Beliefs.md")
    assert "Churn is 4%" in text
    assert "3% -> 4%" in text


@pytest.mark.parametrize("category", ["environment", "self", "agent", "case"])
def test_a_belief_is_of_one_of_four_categories(acme: Company, category: str) -> None:
    acme.done(
        "belief_update", belief_id="B-x", description=f"About {category}", certainty=0.8, source="test",
        category=category,
    )  # fmt: skip
    found = {one["id"]: one for one in acme.done("belief_get", category=category)["beliefs"]}
    assert found["B-x"]["category"] == category
    assert {one["category"] for one in found.values()} == {category}


def test_a_belief_of_a_fifth_category_or_a_certainty_beyond_one_is_refused(acme: Company) -> None:
    told: dict[str, Any] = {"description": "x", "source": "test"}
    assert acme.refused("belief_update", **told, certainty=0.5, category="weather")["argument"] == "category"
    assert acme.refused("belief_update", **told, certainty=1.2)["argument"] == "certainty"
    assert acme.refused("belief_update", **told, certainty=-0.1)["argument"] == "certainty"


@pytest.mark.parametrize(
    ("base", "importance", "urgency", "alignment"),
    [
        (0.7, 0.9, 0.3, 0.5),
        (0, 0, 0, 0),
        (1, 1, 1, 1),
        (0.85, 0.95, 0.65, 0.35),
        (1 / 3, 2 / 3, 0.1, 0.9),
        (0.123, 0.457, 0.789, 0.321),
    ],
)
def test_a_desire_has_the_priority_of_the_formula(
    acme: Company, base: float, importance: float, urgency: float, alignment: float
) -> None:
    wish: dict[str, Any] = {**WISH, "base": base, "importance": importance, "urgency": urgency, "alignment": alignment}
    made = acme.done("desire_create", **wish, desire_id="D-x")
    expected = base * 0.30 + importance * 0.25 + urgency * 0.25 + alignment * 0.15 + 1.0 * 0.05
    assert made["priority"] == pytest.approx(expected, abs=1e-9)


def test_a_desire_with_an_unmet_dependency_loses_the_share_of_dependencies(acme: Company) -> None:
    acme.done("desire_create", **{**WISH, "name": "Another wish"}, desire_id="D-first")
    made = acme.done("desire_create", **WISH, desire_id="D-x", deps=["D-first"])
    expected = 0.7 * 0.30 + 0.9 * 0.25 + 0.3 * 0.25 + 0.5 * 0.15
    assert made["priority"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("dimension", ["base", "importance", "urgency", "alignment"])
def test_a_dimension_beyond_one_is_refused_by_name(acme: Company, dimension: str) -> None:
    assert acme.refused("desire_create", **{**WISH, dimension: 1.5})["argument"] == dimension


def test_desires_are_of_four_types_and_two_categories(acme: Company) -> None:
    assert acme.refused("desire_create", **{**WISH, "type": "hope"})["argument"] == "type"
    assert acme.refused("desire_create", **{**WISH, "category": "final"})["argument"] == "category"


def test_goals_stand_in_three_tiers_under_their_desire(acme: Company) -> None:
    acme.done("desire_create", **WISH, desire_id="D-x")
    acme.done("goal_create", level="strategic", description="Be affordable", goal_id="G-s", desire_id="D-x")
    acme.done("goal_create", level="tactical", description="CAC below 300", goal_id="G-t", parent_goal_id="G-s")
    acme.done("goal_create", level="operational", description="Cut one channel", goal_id="G-o", parent_goal_id="G-t")
    goals = {goal["id"]: goal for goal in acme.data("mind", "cfo")["goals"]}
    assert [goals[key]["level"] for key in ("G-s", "G-t", "G-o")] == ["strategic", "tactical", "operational"]
    assert goals["G-s"]["desire_id"] == "D-x"
    assert [goals[key]["parent_goal_id"] for key in ("G-t", "G-o")] == ["G-s", "G-t"]
    assert goals["G-s"]["priority"] == pytest.approx(0.635, abs=1e-9)


def test_a_goal_of_a_fourth_tier_or_below_nothing_is_refused(acme: Company) -> None:
    assert acme.refused("goal_create", level="daily", description="x")["argument"] == "level"
    assert "'G-9'" in acme.refused("goal_create", level="tactical", description="x", parent_goal_id="G-9")["message"]
    assert acme.refused("goal_create", level="tactical", description="x", desire_id="D-9")["argument"] == "desire_id"


def planned(acme: Company, *, effect: str = "cac = 190") -> None:
    """Give the CFO a wish, a goal and a plan of one step."""
    acme.done("desire_create", **WISH, desire_id="D-x")
    acme.done(
        "goal_create", level="tactical", description="CAC below 200", goal_id="G-x", desire_id="D-x",
        target="cac < 200",
    )  # fmt: skip
    fact = {"subject": "acme", "predicate": "cac", "object": "190", "confidence": 0.9, "source": "plan"}
    step: dict[str, Any] = {"description": "Record it", "tool": "fact_assert", "arguments": fact, "effects": [effect]}
    acme.done("plan_generate", goal_id="G-x", plan_id="P-x", steps=[step])


@pytest.mark.parametrize("strategy", ["single-minded", "open-minded", "cautious"])
def test_an_intention_is_committed_to_with_one_of_three_strategies(acme: Company, strategy: str) -> None:
    planned(acme)
    made = acme.done("intention_commit", goal_id="G-x", plan_id="P-x", intention_id="I-x", strategy=strategy)
    assert (made["intention_id"], made["strategy"], made["status"]) == ("I-x", strategy, "active")
    assert strategy in acme.text("agents/cfo/Intentions.md")


def test_an_intention_needs_a_goal_a_plan_and_a_known_strategy(acme: Company) -> None:
    planned(acme)
    assert acme.refused("intention_commit", goal_id="G-9", plan_id="P-x")["argument"] == "goal_id"
    assert acme.refused("intention_commit", goal_id="G-x", plan_id="P-9")["argument"] == "plan_id"
    assert acme.refused("intention_commit", goal_id="G-x", plan_id="P-x", strategy="bold")["argument"] == "strategy"
    assert "I-" not in acme.text("agents/cfo/Intentions.md")


def test_a_step_calls_its_tool_changes_beliefs_and_moves_the_plan(acme: Company) -> None:
    planned(acme)
    acme.done("intention_commit", goal_id="G-x", plan_id="P-x", intention_id="I-x")
    done = acme.done("plan_execute_step", plan_id="P-x")
    assert (done["tool"], done["status"], done["plan_status"]) == ("fact_assert", "done", "completed")
    assert acme.read("agents/cfo/facts.json")["facts"][0]["object"] == "190"
    assert any(one["value"] == "190" for one in acme.done("belief_get", subject="cac")["beliefs"])
    assert acme.done("goal_evaluate", goal_id="G-x")["achieved"] is True
    assert acme.refused("plan_execute_step", plan_id="P-x")["argument"] in {"plan_id", "step_id"}


def test_a_finished_plan_is_a_case_a_learning_and_a_memory(acme: Company) -> None:
    planned(acme)
    acme.done("intention_commit", goal_id="G-x", plan_id="P-x", intention_id="I-x")
    case = acme.done("plan_execute_step", plan_id="P-x")["case_id"]
    assert case in acme.text("agents/cfo/cases.json")
    found = acme.done("cbr_retrieve", beliefs={"cac": "190"}, desires=["D-x"])["cases"]
    assert found[0]["case_id"] == case
    assert found[0]["outcome"]["status"] == "success"
    acme.run("cfo")
    assert "CAC below 200" in acme.text("agents/cfo/Learnings.md")
    assert any("At the end cac was" in one["insight"] for one in acme.data("mind", "cfo")["learnings"])
    assert any("CAC below 200" in hit["content"] for hit in acme.done("memory_recall", query="CAC below 200")["items"])


def test_a_step_whose_precondition_does_not_hold_is_not_performed(acme: Company) -> None:
    acme.done("goal_create", level="operational", description="Spend", goal_id="G-x")
    fact = {"subject": "acme", "predicate": "spent", "object": "yes", "confidence": 0.9, "source": "plan"}
    step: dict[str, Any] = {"tool": "fact_assert", "arguments": fact, "preconditions": ["cash > 1000"]}
    acme.done("belief_update", description="Cash is 500", certainty=0.9, source="x", subject="cash", value="500")
    acme.done("plan_generate", goal_id="G-x", plan_id="P-x", steps=[step])
    done = acme.done("plan_execute_step", plan_id="P-x")
    assert done["executed"] is False
    assert any("cash > 1000" in blocker for blocker in done["blockers"])
    assert acme.done("fact_query", predicate="spent")["facts"] == []


def test_a_decision_point_takes_the_branch_whose_condition_holds(acme: Company) -> None:
    acme.done("goal_create", level="operational", description="Choose", goal_id="G-x")
    acme.done("belief_update", description="Cash is 500", certainty=0.9, source="x", subject="cash", value="500")

    def note(step: str) -> dict[str, object]:
        fact = {"subject": "acme", "predicate": "chose", "object": step, "confidence": 0.9, "source": "plan"}
        return {"id": step, "description": step, "tool": "fact_assert", "arguments": fact}

    branches = [{"when": "cash >= 1000", "go": "spend"}, {"when": "cash < 1000", "go": "save"}]
    fork = {"id": "fork", "description": "Rich or poor?", "ordering": "choice", "branches": branches}
    acme.done("plan_generate", goal_id="G-x", plan_id="P-x", steps=[fork, note("spend"), note("save")])
    acme.done("plan_execute_step", plan_id="P-x")
    acme.done("plan_execute_step", plan_id="P-x")
    assert [fact["object"] for fact in acme.done("fact_query", predicate="chose")["facts"]] == ["save"]


def test_a_goal_is_decomposed_until_every_leaf_is_a_tool_of_the_catalogue(acme: Company) -> None:
    tree = acme.done("htn_decompose", goal_description="Launch enterprise pricing tier")
    assert tree["task"]["type"] == "compound"
    known = {tool["name"] for tool in acme.data("tools")}
    assert tree["tasks"]
    for leaf in tree["tasks"]:
        assert leaf["type"] == "primitive"
        assert leaf["task_id"]
        assert leaf["tool"] in known
        assert {"preconditions", "effects", "ordering"} <= set(leaf)


def test_cases_are_found_by_beliefs_at_sixty_and_desires_at_forty_percent(acme: Company) -> None:
    situation: dict[str, Any] = {"beliefs": ["B-1", "B-2"], "desires": ["D-1"]}
    acme.done("cbr_store", situation=situation, solution={"plan_id": "P-1"}, outcome="success", case_id="C-1")
    (only_beliefs,) = acme.done("cbr_retrieve", beliefs=["B-1", "B-2"], desires=["D-9"])["cases"]
    assert only_beliefs["score"] == pytest.approx(0.6, abs=1e-6)
    (only_desires,) = acme.done("cbr_retrieve", beliefs=["B-9"], desires=["D-1"])["cases"]
    assert only_desires["score"] == pytest.approx(0.4, abs=1e-6)


def test_a_failure_is_offered_only_when_asked_for_and_warned_of_in_any_case(acme: Company) -> None:
    situation: dict[str, Any] = {"beliefs": ["B-1"], "desires": ["D-1"]}
    acme.done("cbr_store", situation=situation, solution={"plan_id": "P-1"}, outcome="failure", case_id="C-bad")
    asked: dict[str, Any] = {"beliefs": ["B-1"], "desires": ["D-1"]}
    assert acme.done("cbr_retrieve", **asked)["cases"] == []
    assert acme.done("cbr_retrieve", **asked)["warnings"][0]["case_id"] == "C-bad"
    assert acme.done("cbr_retrieve", **asked, include_negative=True)["cases"][0]["case_id"] == "C-bad"


def test_dropping_a_desire_reviews_its_goals(acme: Company) -> None:
    planned(acme)
    acme.done("desire_drop", desire_id="D-x", reason="superseded")
    mind = acme.data("mind", "cfo")
    assert next(goal for goal in mind["goals"] if goal["id"] == "G-x")["status"] == "abandoned"


def test_an_external_event_reconsiders_an_intention(acme: Company) -> None:
    planned(acme)
    acme.done("intention_commit", goal_id="G-x", plan_id="P-x", intention_id="I-x")
    answer = acme.done("intention_reconsider", intention_id="I-x", trigger="external_event", details="A rival closed")
    assert answer["outcome"] in {"continue", "modify", "suspend", "abandon"}
    assert acme.refused("intention_reconsider", intention_id="I-x", trigger="mood")["argument"] == "trigger"


def test_one_agent_goes_from_a_desire_to_an_executed_plan_to_a_stored_case(acme: Company) -> None:
    for name, value in (("cash", 200_000), ("runway_months", 8)):
        acme.done("metrics_record", name=name, value=value)
    reports = [acme.run("cfo")]
    while reports[-1]["outcome"] != "completed" and len(reports) < 4:
        reports.append(acme.run("cfo"))
    report = reports[-1]
    assert report["outcome"] == "completed"
    assert report["results"]
    assert {result["status"] for result in report["results"]} == {"done"}
    mind = acme.data("mind", "cfo")
    goal = next(goal for goal in mind["goals"] if goal["id"] == report["goal_id"])
    assert any(desire["id"] == goal["desire_id"] for desire in mind["desires"])
    plan = next(plan for plan in mind["plans"] if plan["id"] == report["plan_id"])
    assert plan["status"] == "completed"
    cases = acme.read("agents/cfo/cases.json")
    assert [case["solution"]["plan"] for case in cases] == [report["plan_id"]]
    assert acme.text("agents/cfo/Learnings.md").count("## ") == 1
    assert acme.read("agents/cfo/memory-store.json")["version"] >= 1


def test_bdi_cycle_is_a_tool_too(acme: Company) -> None:
    report = acme.done("bdi_cycle", agent="coo")
    assert report["agent_id"] == "coo"
    assert acme.refused("bdi_cycle", agent="cfoo")["message"].count("cfo")


@pytest.mark.parametrize(("depth", "steps"), [("quick", 1), ("standard", 12), ("deep", 13)])
def test_a_cycle_goes_as_far_as_its_depth_says(acme: Company, depth: str, steps: int) -> None:
    step: dict[str, Any] = {"description": "Note it", "tool": "fact_assert", "effects": []}
    fact = {"subject": "acme", "predicate": "note", "confidence": 0.9, "source": "plan"}
    acme.commit(*({**step, "arguments": {**fact, "object": str(number)}} for number in range(13)))
    report = acme.done("bdi_cycle", depth=depth)
    assert len(report["results"]) == steps
    assert report["outcome"] == ("completed" if steps == 13 else "acted")


def test_an_idle_agent_repeats_nothing(acme: Company) -> None:
    for name, value in (("cash", 200_000), ("runway_months", 8)):
        acme.done("metrics_record", name=name, value=value)
    for _ in range(6):
        acme.run("cfo", now=NOW)
    before = len(acme.read("agents/cfo/cases.json"))
    acme.run("cfo", now=NOW)
    titles = [case["situation"]["context"] for case in acme.read("agents/cfo/cases.json")]
    assert len(titles) - before <= 1


def test_a_request_that_no_operation_does_is_refused_and_never_called_done(acme: Company) -> None:
    for agent, said in (("cfo", "Prepare the budget"), ("legal", "Register our trademark"), ("ceo", "Plan the launch")):
        acme.run(agent, message=said)
        acme.run(agent, now="2026-02-25T14:30:00Z")
        (request,) = acme.read(f"agents/{agent}/requests.json")["requests"]
        assert (request["status"], request.get("goal_id", "")) == ("refused", "")
        assert "I cannot do this" in request["replied"]
        assert said not in [goal["description"] for goal in acme.data("mind", agent)["goals"]]


def test_what_a_plan_has_changed_is_no_conflict_at_the_heartbeat(acme: Company) -> None:
    for name, value in (("cash", 240000), ("burn", 20000), ("mrr", 18000), ("churn_rate", 4)):
        acme.done("metrics_record", name=name, value=value)
    later = "2026-02-25T14:30:00Z"
    for _ in range(4):
        acme.run("cfo", now=later)
    held = {
        (one["subject"], one.get("predicate", "")): one["value"]
        for one in mind_beliefs(acme)
        if one["status"] == "held"
    }
    assert held["runway_months", ""] == "12"
    assert acme.heartbeat("cfo", now="2026-02-26T14:30:00Z")["cfo"]["conflictsDetected"] == 0


def mind_beliefs(acme: Company) -> list[dict[str, Any]]:
    """Return all beliefs of the CFO that have a value."""
    return [one for one in acme.done("belief_get", limit=200)["beliefs"] if one.get("value")]
