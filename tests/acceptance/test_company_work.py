"""S3 section 19, phase 9: a campaign from the CEO's wish to a contractor's delivery, and the reasons of all of it."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.company import ROLES, Company

WISH = "Make us known to small firms before the summer"
ASSIGN = "Find a writer for WP-study"
NEXT_DAY = "2026-02-25T09:00:00Z"
_ROUNDS = 6  # cycles in which an agent comes to a commitment beside its others


def step(says: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"description": says, "tool": tool, "arguments": arguments}


def goal_of(acme: Company, agent: str, description: str) -> dict[str, Any]:
    """Return the goal that an agent has taken up."""
    goals = acme.data("mind", agent)["goals"]
    return dict(next(one for one in goals if one["description"] == description))


def carried_out(acme: Company, agent: str, goal_id: str, name: str, *steps: dict[str, Any]) -> None:
    """Let an agent commit to a plan of these steps, and run it until all are done; the owner approves what it asks."""
    acme.done("plan_generate", agent=agent, goal_id=goal_id, plan_id=f"P-{name}", steps=list(steps))
    acme.done("intention_commit", agent=agent, goal_id=goal_id, plan_id=f"P-{name}", intention_id=f"I-{name}")
    for _ in range(_ROUNDS):
        acme.run(agent)
        for decision in acme.data("decisions")["decisions"]:
            if decision["from_agent"] == agent and decision["action"]["tool"] in {one["tool"] for one in steps}:
                acme.command("decisions", "approve", decision["id"])
        plan = next(one for one in acme.data("mind", agent)["plans"] if one["id"] == f"P-{name}")
        if plan["status"] == "completed":
            return
    pytest.fail(f"{agent} did not come to {name} in {_ROUNDS} cycles: {plan}")


def reasons(told: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the agent and the kind of every record in a chain."""
    below = (reasons(one) for one in told.get("because", ()))
    return {(told.get("agent_id", ""), told["kind"])}.union(*below)


def why(acme: Company, record_id: str) -> set[tuple[str, str]]:
    return reasons(acme.data("why", record_id, now=NEXT_DAY))


def test_a_campaign_goes_from_the_ceo_to_a_contractor_and_every_part_of_it_can_be_explained(tmp_path: Path) -> None:
    acme = Company(tmp_path / "workspace")
    acme.data("business", "create", "acme", "--name", "Acme", "--template", "saas")
    assert {path.name for path in acme.file("agents").iterdir()} == set(ROLES)

    ask = step("Ask marketing", "agent_message", to="cmo", performative="REQUEST", content=WISH)
    acme.commit(ask, agent="ceo", name="delegate")
    acme.run("ceo")
    (request,) = acme.read("agents/cmo/inbox.json")
    acme.run("cmo")
    wish = goal_of(acme, "cmo", WISH)
    assert wish["evidence"] == [request["id"]]
    book = step("Book the advertisements", "ad_campaign_create", name="Spring", channel="search", segment="smb",
                weekly_budget_usd=100, weeks=4)  # fmt: skip
    brief = step("Brief a writer", "work_package_create", package_id="WP-study", title="Case study",
                 description="Two pages on how a small firm saves time", required_skills=["writing", "interviews"],
                 budget_usd=800, deliverables=["case-study.md"], goal_id=wish["id"])  # fmt: skip
    ask_hr = step("Ask HR", "agent_message", to="hr", performative="REQUEST", content=ASSIGN)
    carried_out(acme, "cmo", wish["id"], "campaign", book, brief, ask_hr)
    campaign = next(one for one in acme.read("businesses/acme/campaigns.json")["campaigns"] if one["name"] == "Spring")
    assert (campaign["created_by"], campaign["status"]) == ("cmo", "recorded")  # no platform confirmed it

    for name, skills in (("Bo", ["design"]), ("Ada", ["writing", "interviews"])):
        acme.done("contractor_add", agent="hr", contractor_id=f"CONT-{name}", name=name, skills=skills,
                  hourly_rate_usd=40)  # fmt: skip
    best = acme.done("contractor_list", agent="hr", package_id="WP-study")["contractors"][0]["contractor_id"]
    assert best == "CONT-Ada"
    acme.run("hr")
    assign = step("Assign the writer", "work_package_assign", package_id="WP-study", contractor_id=best)
    hand_over = step("Hand over the brief", "handoff", **{"from": "hr", "to": best}, package_id="WP-study",
                     handoff_type="agent_to_human", instructions="Start with the interview")  # fmt: skip
    carried_out(acme, "hr", goal_of(acme, "hr", ASSIGN)["id"], "writer", assign, hand_over)
    (package,) = acme.read("businesses/acme/work-packages.json")
    assert (package["status"], package["assigned_to"], package["created_by"]) == ("assigned", best, "cmo")

    acme.done("work_package_update", agent="hr", package_id="WP-study", status="delivered")
    acme.done("work_package_update", agent="cmo", package_id="WP-study", status="complete", quality_score=0.9)
    ada = next(one for one in acme.read("contractor-pool.json") if one["id"] == best)
    assert ada["trust_score"] == pytest.approx(0.5 + (0.9 - 0.5) * 0.2)
    assert goal_of(acme, "cmo", WISH)["progress"] == 100

    acme.run("cmo", now=NEXT_DAY)
    recalled = acme.done("memory_recall", agent="cmo", query="case study WP-study", limit=5, now=NEXT_DAY)["items"]
    assert any("'Case study' (WP-study) is delivered" in one["content"] for one in recalled)
    assert acme.data("verify", now=NEXT_DAY)["valid"] is True

    to_the_wish = {("cmo", "desire"), ("cmo", "message"), ("ceo", "action"), ("ceo", "goal")}
    assert why(acme, "WP-study") >= {("cmo", "action"), ("cmo", "intention"), ("cmo", "goal"), *to_the_wish}
    assert why(acme, campaign["id"]) >= {("cmo", "action"), ("cmo", "plan"), *to_the_wish}
    (handed,) = acme.read("businesses/acme/handoff-log.json")
    assert why(acme, handed["id"]) >= {("hr", "action"), ("hr", "goal"), ("hr", "message"), ("cmo", "action")}
    assert why(acme, best) >= {("hr", "action"), ("cmo", "work package"), *to_the_wish}
