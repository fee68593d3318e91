"""The operation `knowledge`: S2's twelve actions as a caller sees them, its use cases, and how the memory grows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.catalogue.registry import registry
from mabos.tools.entities.growth import grow
from mabos.tools.history.sessions import session_quality
from tests.tools.offices import office
from tests.tools.test_sessions import lived
from tests.world import Member

ACTIONS = (
    "create_entity", "add_observation", "create_relation", "query_semantic", "query_graph", "query_temporal",
    "traverse", "extract_from_session", "invalidate_fact", "merge_entities", "export", "stats",
)  # fmt: skip


def made(cfo: Member, name: str, type_: str = "Insight", **more: Any) -> str:
    """Return the address of a new entity."""
    cfo.do("knowledge", action="create_entity", type=type_, name=name, **more)
    return f"{type_.lower()}:{name}"


def test_all_twelve_actions_of_the_document_are_offered() -> None:
    schema = registry().tool("knowledge").schema
    assert set(ACTIONS) <= set(schema["properties"]["action"]["enum"])
    assert schema["required"] == ["action"]


def test_what_an_action_lacks_is_said_by_name_and_nothing_is_written(cfo: Member, tmp_path: Path) -> None:
    assert cfo.refused("knowledge", action="create_entity") == ("invalid_argument", "type")
    assert cfo.refused("knowledge", action="create_relation", **{"from": "x", "type": "BUILDS_ON"})[1] == "to"
    assert cfo.refused("knowledge", action="create_entity", type="Rumour", name="x")[1] == "type"
    assert cfo.refused("knowledge", action="stats", query="x") == ("invalid_argument", "query")
    assert cfo.refused("knowledge", action="explode")[1] == "action"
    assert not (tmp_path / "businesses" / "acme" / "graph.jsonl").exists()


@pytest.mark.parametrize("days", [-1, 1e300])
def test_an_age_that_cannot_be_is_refused(cfo: Member, days: float) -> None:
    assert cfo.refused("knowledge", action="query_semantic", query="x", filters={"max_age_days": days}) == (
        "invalid_argument",
        "filters",
    )


def test_a_filter_that_an_action_does_not_know_is_refused_and_not_passed_over(cfo: Member) -> None:
    idea = made(cfo, "idea", "Concept")
    sure = {"min_confidence": 0.9}
    assert cfo.refused("knowledge", action="traverse", start_entity=idea, filter=sure)[1] == "filter"
    assert cfo.refused("knowledge", action="query_temporal", filters=sure)[1] == "filters"
    assert cfo.refused("knowledge", action="export", filters=sure)[1] == "filters"
    assert cfo.do("knowledge", action="export", format="d3", filters={"types": ["Concept"]})["entities"] == 1


def test_an_error_names_the_argument_that_the_caller_gave(cfo: Member) -> None:
    one, other = made(cfo, "one"), made(cfo, "other")
    relation = cfo.do("knowledge", action="create_relation", **{"from": one, "to": other, "type": "BUILDS_ON"})
    ended = {"action": "invalidate_fact", "superseded_by": "insight:none"}
    assert cfo.refused("knowledge", target=one, **ended) == ("unknown_id", "superseded_by")
    assert cfo.refused("knowledge", target=relation["relationId"], **ended) == ("unknown_id", "superseded_by")
    assert cfo.refused("knowledge", action="traverse", start_entity=one, max_depth=7)[1] == "max_depth"
    assert cfo.refused("knowledge", action="query_graph", start_entity=one, max_depth=7)[1] == "max_depth"
    assert cfo.refused("knowledge", action="merge_entities", entity="nobody", duplicates=[one])[1] == "entity"
    assert cfo.refused("knowledge", action="undo_merge", target=one)[1] == "target"


def test_another_agent_finds_what_a_review_taught(cfo: Member) -> None:
    """Use case 1 of S2: a review finds a risk, another agent asks for practices weeks later."""
    made(cfo, "rain", observations=["Commuters are late"])
    risk = made(
        cfo,
        "sql-injection-risk",
        label="SQL injection risk in user input handlers",
        properties={"key_learning": "User input reaches queries", "confidence": 0.8},
        observations=["Use parameterized queries instead of string concatenation", "Validate all user input"],
        source_session="S-1",
    )
    topic = made(cfo, "input-validation", "Concept", properties={"definition": "Checking input", "domain": "security"})
    cfo.do("knowledge", action="create_relation", type="RELATES_TO", to=topic, **{"from": risk})
    asked = {
        "action": "query_semantic",
        "query": "best practices for database queries",
        "filters": {"types": ["Insight"]},
    }
    answer = cfo.world.agent("cto").call("knowledge", asked)
    assert answer.ok, answer
    (first,) = answer.result["results"]
    assert first["entity"]["name"] == "sql-injection-risk"
    assert first["source_sessions"] == ["S-1"]
    assert any("parameterized" in str(one) for one in first["observations"])
    assert "input-validation" in str(first["related"])


def test_patterns_that_worked_are_found_again(cfo: Member) -> None:
    """Use case 2 of S2: proven ways to work together are found for a new task."""
    for name, rate in (("parallel-specialists", 0.9), ("distributed-research", 0.85)):
        about = {"situation": "effective collaboration of several agents", "actions": ["split"], "outcome": "success"}
        made(cfo, name, "Pattern", properties={**about, "success_rate": rate, "applied_count": 5})
    made(cfo, "gardening", "Pattern", properties={"situation": "collaboration with the gardener", "success_rate": 1.0})
    found = cfo.do("knowledge", action="query_semantic", query="effective collaboration patterns")
    *ours, other = found["results"]
    assert {one["entity"]["name"] for one in ours} == {"parallel-specialists", "distributed-research"}
    assert min(one["similarity"] for one in ours) > other["similarity"]
    assert found["results"][0]["entity"]["properties"]["success_rate"] >= 0.85


def test_a_newcomer_gets_the_knowledge_of_the_project_as_a_graph(cfo: Member) -> None:
    """Use case 3 of S2: concepts of a domain, with what they rest on."""
    about = {"definition": "x", "domain": "ml"}
    first = made(cfo, "precision-recall-tradeoff", "Concept", properties=about)
    second = made(cfo, "confusion-matrix", "Concept", properties=about)
    cfo.do("knowledge", action="create_relation", type="DEPENDS_ON", to=second, **{"from": first})
    walk = cfo.do("knowledge", action="traverse", start_entity=first, relation_types=["DEPENDS_ON"])
    assert "confusion-matrix" in str(walk)
    assert cfo.do("knowledge", action="stats")["entity_counts"]["Concept"] == 2


def test_asking_writes_nothing_into_ledger_or_truth(cfo: Member, tmp_path: Path) -> None:
    made(cfo, "a")
    truth = tmp_path / "businesses" / "acme" / "graph.jsonl"
    before = truth.read_bytes(), cfo.services.ledger.last("cfo")
    for asked in ({"action": "stats"}, {"action": "query_semantic", "query": "a"}, {"action": "export"}):
        cfo.do("knowledge", **asked)
    assert (truth.read_bytes(), cfo.services.ledger.last("cfo")) == before


def test_what_is_private_is_found_by_its_maker_alone(cfo: Member) -> None:
    made(cfo, "secret-plan", visibility="agent-private")
    mine = cfo.do("knowledge", action="query_semantic", query="secret plan")
    assert [one["entity"]["name"] for one in mine["results"]] == ["secret-plan"]
    for asked in (
        {"action": "query_semantic", "query": "secret plan"},
        {"action": "export"},
        {"action": "stats"},
        {"action": "query_temporal"},
    ):
        answer = cfo.world.agent("cto").call("knowledge", asked)
        assert answer.ok, answer
        assert "secret-plan" not in str(answer.result)
    asked = {"action": "get_entity", "entity": "insight:secret-plan"}
    assert not cfo.world.agent("cto").call("knowledge", asked).ok


def test_settling_a_contradiction_leaves_a_decision(cfo: Member) -> None:
    one, other = made(cfo, "use-docker", label="Use Docker"), made(cfo, "use-kubernetes", label="Use Kubernetes")
    cfo.do("knowledge", action="create_relation", type="CONTRADICTS", to=other, **{"from": one})
    (dispute,) = cfo.do("knowledge", action="conflicts")["conflicts"]
    assert set(dispute["entities"]) == {one, other}
    done = cfo.do("knowledge", action="invalidate_fact", target=one, superseded_by=other, reason="We have outgrown it")
    decision = done["decision"]["entity"]
    assert decision["type"] == "Decision"
    assert decision["properties"]["chosen"] == other
    assert decision["properties"]["rationale"] == "We have outgrown it"
    assert cfo.do("knowledge", action="conflicts")["conflicts"] == []


def test_a_private_entity_stays_private_when_it_is_stated_anew(cfo: Member) -> None:
    made(cfo, "secret-plan", visibility="agent-private")
    made(cfo, "secret-plan", label="Our secret plan")
    asked = {"action": "get_entity", "entity": "insight:secret-plan"}
    assert not cfo.world.agent("cto").call("knowledge", asked).ok


def test_a_session_that_came_to_its_end_straight_is_the_better_source(cfo: Member) -> None:
    lived(cfo)
    cfo.services.ledger.append("cfo", "plan", {}, at="2026-02-24T15:00:00.000Z", cycle="C-2")
    cfo.services.ledger.append("cfo", "plan", {}, at="2026-02-24T15:01:00.000Z", cycle="C-2")
    assert [session_quality(cfo.services, one) for one in ("C-1", "C-2", "C-3")] == [1.0, 0.5, None]


def test_finished_cycles_become_entities_once(cfo: Member) -> None:
    lived(cfo)
    settings = cfo.services.settings
    never = settings.entities.model_copy(update={"extract": False})
    silent = replace(cfo.services, settings=settings.model_copy(update={"entities": never}))
    assert grow(silent, "acme").extracted == {}
    found = grow(cfo.services, "acme")
    assert len(found.extracted["C-1"].created) == 2
    names = {one["entity"]["label"] for one in cfo.do("knowledge", action="query_temporal")["results"]}
    assert "Runway follows the burn rate." in names
    again = grow(cfo.services, "acme")
    assert sum(len(one.created) for one in again.extracted.values()) == 0
    told = cfo.do("knowledge", action="extract_from_session", session_id="C-1", entity_types=["Pattern"])
    assert told["created"] == 0


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"soon", b"", b"2999-01-01T00:00:00.000Z"])
def test_where_the_last_time_cannot_be_read_or_lies_ahead_every_cycle_is_looked_at(
    cfo: Member, tmp_path: Path, mark: bytes
) -> None:
    last = tmp_path / ".mabos" / "entities" / "acme-extracted"
    last.parent.mkdir(parents=True, exist_ok=True)
    last.write_bytes(mark)
    lived(cfo)
    assert len(grow(cfo.services, "acme").extracted["C-1"].created) == 2


def test_a_contradiction_nobody_settled_is_flagged_where_deliberation_sees_it_until_it_is(cfo: Member) -> None:
    one, other = made(cfo, "churn-rises", label="Churn rises"), made(cfo, "churn-falls", label="Churn falls")
    cfo.do("knowledge", action="create_relation", type="CONTRADICTS", to=other, **{"from": one})
    assert grow(cfo.services, "acme").flagged == 1
    (belief,) = [held for held in cfo.services.agent("cfo").mind.beliefs if held.status == "flagged"]
    assert one in belief.statement
    assert grow(cfo.services, "acme").flagged == 0
    cfo.do("knowledge", action="invalidate_fact", target=one, superseded_by=other)
    grow(cfo.services, "acme")
    assert [held for held in cfo.services.agent("cfo").mind.beliefs if held.status == "flagged"] == []


def test_what_a_cycle_concluded_its_agent_has_learnt(cfo: Member) -> None:
    lived(cfo)
    grow(cfo.services, "acme")
    agent = cfo.do("knowledge", action="get_entity", entity="agent:cfo")
    assert {(one["relation"], one["type"], one["direction"]) for one in agent["related"]} == {
        ("LEARNED_BY", "Insight", "in"),
        ("LEARNED_BY", "Pattern", "in"),
    }
    patterns = [one["id"] for one in agent["related"] if one["type"] == "Pattern"]
    assert agent["entity"]["properties"]["learned_patterns"] == patterns
    grow(cfo.services, "acme")
    lines = (cfo.services.layout.business("acme") / "graph.jsonl").read_text("utf-8").splitlines()
    assert [sum(name in line for line in lines) for name in ("LEARNED_BY", '"entityType":"Agent"')] == [2, 1]


def test_what_is_one_beyond_doubt_is_merged_once_a_day_and_plans_stay_what_they_are_named(cfo: Member) -> None:
    made(
        cfo,
        "sql-injection-in-login-forms",
        "Concept",
        label="SQL injection in login forms",
        properties={"definition": "Input runs as a query"},
    )
    made(
        cfo,
        "SQL Injection in login forms",
        "Concept",
        label="SQL injection in login forms",
        properties={"definition": "Input runs as a query"},
    )
    for name in ("saas_price_review", "saas_price_review_large"):
        made(cfo, name, "Pattern", properties={"actions": ["Look at the costs", "Ask the customers", "Set the price"]})
    verdicts = {one["verdict"] for one in cfo.do("knowledge", action="duplicates")["duplicates"]}
    assert verdicts <= {"merge", "suggest"}
    assert grow(cfo.services, "acme").merged == 1
    left = cfo.do("knowledge", action="duplicates")["duplicates"]
    assert [{*one["entities"]} for one in left] == [{"pattern:saas_price_review", "pattern:saas_price_review_large"}]
    made(
        cfo,
        "sql  injections in login forms",
        "Concept",
        label="SQL injection in login forms",
        properties={"definition": "Input runs as a query"},
    )
    assert grow(cfo.services, "acme").merged == 0


def test_an_agent_of_a_template_may_ask_and_teach(tmp_path: Path) -> None:
    world = office(tmp_path)
    for tool, given in (
        ("knowledge", {"action": "create_entity", "type": "Insight", "name": "a"}),
        ("mem:retrieve", {"query": "a"}),
        ("ldg:task:list", {}),
    ):
        world.agent("cfo").do(tool, **given)
    world.close()
