"""What plans came to is told to the business: patterns with their rates, who learnt them, and how agents do."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.mind.intentions import OVER
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.nodes.learning.episodes import share
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import iso


def ended(services: Services, agent_id: str, number: int, status: Any, template: str = "keep_customers") -> Intention:
    """Return an intention that is over and waits to be learnt from, with its plan for a goal."""
    agent, now = services.agent(agent_id), iso(services.clock())
    goal = Goal(f"G-{number}", f"Keep the customers of quarter {number}", target="churn_rate < 4%", created=now)
    steps = (
        Step("s1", "Call those at risk", "memory_store_item", status="done" if status == "completed" else "failed"),
    )
    plan = Plan(f"P-{agent_id}-{number}", goal.id, "keep customers", template=template, steps=steps, status=status)
    intention = Intention(
        f"I-{agent_id}-{number}", goal.id, plan.id, status=status, started=now, updated=now, reason="so it ended"
    )
    measured = Belief("B-churn", "churn is low", 0.95, subject="churn_rate", value="3%")
    agent.mind.save(goal, plan, intention, measured)
    return intention


def learnt(services: Services, agent_id: str) -> None:
    """Run a cycle that does no step of its own."""
    wiring.run_cycle(services, agent_id, max_steps=0)
    assert not [one for one in services.agent(agent_id).mind.intentions if one.status in OVER]


def entity(services: Services, address: str) -> Mapping[str, Any]:
    found = call(services, "knowledge", {"action": "get_entity", "entity": address})
    assert found.ok, found.message
    return found.result


def truth(services: Services) -> Path:
    return services.layout.business("acme") / "graph.jsonl"


def test_a_pattern_has_the_share_of_tries_of_all_agents_that_went_well(services: Services) -> None:
    for number, (agent, status) in enumerate([("coo", "completed"), ("cmo", "failed"), ("coo", "completed")]):
        ended(services, agent, number, status)
        learnt(services, agent)
    told = entity(services, "pattern:keep_customers")["entity"]["properties"]
    assert (told["success_rate"], told["applied_count"], told["outcome"]) == (0.6667, 3, "success")
    assert told["actions"] == ["Call those at risk"]


def test_an_agent_has_learnt_what_it_applied_and_is_known_by_what_it_did(services: Services) -> None:
    for number, status in enumerate(["completed", "failed"]):
        ended(services, "coo", number, status)
    learnt(services, "coo")
    agent = entity(services, "agent:coo")
    pattern = entity(services, "pattern:keep_customers")["entity"]
    told = agent["entity"]["properties"]
    assert (told["tasks_completed"], told["avg_quality"]) == (1, 0.5)
    assert told["learned_patterns"] == [pattern["id"]]
    assert told["role"] == services.agent("coo").mind.persona.title
    assert [(one["relation"], one["name"]) for one in agent["related"]] == [("LEARNED_BY", "keep_customers")]


def test_telling_the_same_again_as_after_a_kill_adds_nothing(services: Services) -> None:
    intention = ended(services, "coo", 1, "failed")
    agent = services.agent("coo", caller=Caller("agent", "coo"))
    assert share(agent, [intention]) == ""
    once = truth(services).read_bytes()
    assert share(agent, [intention]) == ""
    assert truth(services).read_bytes() == once
    assert entity(services, "pattern:keep_customers")["entity"]["properties"]["applied_count"] == 1


def test_a_cycle_that_died_while_learning_counts_once_when_it_is_run_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise RuntimeError("killed")

    ended(services, "coo", 1, "completed")
    with monkeypatch.context() as patched:
        patched.setattr("mabos.nodes.learn._conclude", dies)
        with pytest.raises(RuntimeError, match="killed"):
            wiring.run_cycle(services, "coo", max_steps=0)
    once = truth(services).read_bytes()
    learnt(services, "coo")
    assert truth(services).read_bytes() == once
    told = entity(services, "agent:coo")["entity"]["properties"]
    assert (told["tasks_completed"], len(services.agent("coo").cases.all())) == (1, 1)


def test_a_plan_that_no_template_made_is_nothing_to_plan_with_again(services: Services) -> None:
    ended(services, "coo", 1, "completed", template="")
    learnt(services, "coo")
    assert not truth(services).exists()


def test_what_cannot_be_told_keeps_nobody_from_learning(services: Services) -> None:
    ended(services, "coo", 1, "completed")
    manifest = truth(services).with_name("business.json")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"teams": "all of us"}))
    learnt(services, "coo")
    assert "CASE-I-coo-1" in services.agent("coo").cases
    (entry,) = services.ledger_index().entries(agents=["coo"], kinds=["learn"])
    assert "teams" in entry.body["unshared"]


def test_an_intention_of_an_agent_without_a_business_is_told_to_nobody(services: Services) -> None:
    intention = ended(services, "coo", 1, "completed")
    assert share(replace(services.agent("coo"), business_id=""), [intention]) == ""
    assert not truth(services).exists()


def test_a_pattern_that_went_into_the_archive_comes_back_with_what_it_had(services: Services) -> None:
    coo = services.agent("coo", caller=Caller("agent", "coo"))
    share(coo, [ended(services, "coo", 1, "completed")])
    assert call(services, "knowledge", {"action": "archive", "entity": "pattern:keep_customers"}).ok
    share(coo, [ended(services, "coo", 2, "failed")])
    assert entity(services, "pattern:keep_customers")["entity"]["properties"]["applied_count"] == 2
