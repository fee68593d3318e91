"""S3 section 7.1 as printed: one goal, three compound tasks, and every tool under them called in cycles."""

from typing import Any

import pytest

from tests.acceptance.company import Company

GOAL = "Launch enterprise pricing tier"
PRINTED = {
    "Configure billing infrastructure": ["stripe_create_product", "stripe_create_price", "fact_assert"],
    "Update marketing materials": ["content_generate", "email_send", "crm_tag_contacts"],
    "Set up sales workflow": ["workflow_create", "bpmn_add_node", "bpmn_add_node", "bpmn_connect"],
}
_CYCLES = 10


@pytest.fixture
def ready(acme: Company) -> Company:
    """A company with a prospect, whose strategist may use every tool."""
    path = "agents/strategy/Capabilities.md"
    kept = [line for line in acme.text(path).splitlines() if not line.startswith("  - ")]
    acme.write(path, "\n".join(kept).replace("**Tools:**", "**Tools:** *") + "\n")
    acme.done("crm_create_contact", agent="cmo", email="ana@example.com", name="Ana")
    acme.done("crm_pipeline", agent="cmo", action="create", title="Campus", contact="ana@example.com", value_usd=9000)
    acme.done("belief_update", agent="strategy", description="Cash is 90,000", certainty=0.95, source="books",
              subject="cash", value="90000")  # fmt: skip
    acme.done("goal_create", agent="strategy", level="operational", description=GOAL, goal_id="G-1", priority=0.99)
    return acme


def test_the_goal_is_broken_down_into_the_printed_tools(ready: Company) -> None:
    tree = ready.done("htn_decompose", agent="strategy", goal_description=GOAL, goal_id="G-1")
    assert tree["can_run"] is True
    tasks = tree["task"]["subtasks"]
    assert {one["name"]: [leaf["tool"] for leaf in one["subtasks"]] for one in tasks} == PRINTED
    for leaf in (leaf for one in tasks for leaf in one["subtasks"]):
        assert leaf["type"] == "primitive"
        assert {"task_id", "tool", "input", "preconditions", "effects", "ordering"} <= leaf.keys()


def approve(company: Company) -> int:
    """Answer what waits for the owner, and return how much it was."""
    waiting = [one for one in company.data("decisions")["decisions"] if one["status"] == "pending"]
    for one in waiting:
        company.data("decisions", "approve", one["id"])
    return len(waiting)


def plan(company: Company) -> dict[str, Any]:
    return dict(next(one for one in company.data("mind", "strategy")["plans"] if one["goal_id"] == "G-1"))


def test_its_steps_are_carried_out_whole_with_the_owners_leave_for_price_and_letter(ready: Company) -> None:
    approved = 0
    for _ in range(_CYCLES):
        ready.run("strategy")
        approved += approve(ready)
        if plan(ready)["status"] == "completed":
            break
    done = [one["tool"] for one in plan(ready)["steps"] if one["status"] == "done"]
    assert done == [tool for tools in PRINTED.values() for tool in tools]
    assert approved == 2

    pricing = ready.read("businesses/acme/pricing.json")
    assert [one["name"] for one in pricing["products"]] == ["Enterprise"]
    assert [one["unit_amount"] for one in pricing["prices"]] == [99900]
    assert "enterprise_plan" in ready.text("agents/strategy/facts.json")
    assert [one["type"] for one in ready.read("businesses/acme/content.json")["content"]] == ["pricing_page"]
    assert [one["to"] for one in ready.read("businesses/acme/mail/letters.json")["letters"]] == ["ana@example.com"]
    (contact,) = ready.read("businesses/acme/crm/contacts.json")["contacts"]
    assert contact["tags"] == ["enterprise_prospect"]
    (workflow,) = ready.read("businesses/acme/workflows.json")["workflows"]
    drawn = ready.done("workflow_inspect", agent="strategy", workflow_id=workflow["id"])
    names = {one["node_id"]: one["name"] for one in drawn["nodes"]}
    assert [(names[one["from"]], names[one["to"]]) for one in drawn["flows"]] == [("Demo Call", "Proposal")]
    assert next(one for one in ready.data("mind", "strategy")["goals"] if one["id"] == "G-1")["status"] == "active"
