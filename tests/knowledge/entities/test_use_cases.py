"""S2's three use cases, and its own examples, through the public API."""

from pathlib import Path

import pytest

from mabos.backends.embed import Embedder
from mabos.backends.minilm import MiniLM, missing
from mabos.knowledge.entities.memory import EntityMemory
from tests.knowledge.entities.memories import Business, Words

SECURITY = Words(
    {
        "security": ["security", "sql", "injection", "sanitize", "parameterized", "vulnerability"],
        "databases": ["database", "databases", "queries", "query"],
        "working together": ["collaboration", "agents", "parallel", "orchestrator", "coordinate", "coordination"],
    }
)


def learned(security: EntityMemory) -> None:
    """Tell what S2's security agent found in its first session."""
    security.create_entity("Concept", "input-validation", "Input validation")
    security.create_entity("Concept", "database-security", "Database security")
    security.create_entity("Agent", "security-specialist", properties={"role": "reviewer"})
    security.create_entity(
        *("Insight", "sql-injection-risk", "SQL injection risk in user input handlers"),
        observations=[
            "Use parameterized queries instead of string concatenation",
            "Validate and sanitize all user input",
            "Found in session abc-123 during code review",
        ],
        source_session="session-1",
    )
    security.create_entity("Insight", label="Rain makes commuters late")
    security.create_relation("insight:sql-injection-risk", "agent:security-specialist", "LEARNED_BY")
    security.create_relation("insight:sql-injection-risk", "concept:input-validation", "RELATES_TO")
    security.create_relation("insight:sql-injection-risk", "concept:database-security", "RELATES_TO")


@pytest.mark.parametrize(
    "embedder",
    [SECURITY, pytest.param(MiniLM(), marks=pytest.mark.skipif(bool(missing()), reason="needs mabos[local]"))],
)
def test_another_agent_finds_weeks_later_what_the_security_agent_learned(embedder: Embedder, tmp_path: Path) -> None:
    acme = Business(tmp_path, embedder=embedder)
    learned(acme.as_("security"))
    acme.later(21)
    answer = acme.as_("reviewer").query_semantic("security best practices for database queries", types=["Insight"])
    assert answer.used == "embeddings"
    first = answer.results[0]
    assert first.profile.entity.address == "insight:sql-injection-risk"
    assert first.similarity > 0.5
    assert len(first.profile.observations) == 3
    assert {one.name for one in first.profile.related} >= {"input-validation", "database-security"}
    assert first.profile.source_sessions == ("session-1",)


def test_without_embeddings_the_same_question_is_answered_by_words(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    learned(acme.as_("security"))
    answer = acme.as_("reviewer").query_semantic("security best practices for database queries", types=["Insight"])
    assert answer.used == "words"
    assert [one.profile.entity.name for one in answer.results] == ["sql-injection-risk"]


def test_a_new_agent_gets_the_domain_as_a_graph(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    analyst = acme.as_("analyst")
    names = ("confusion-matrix", "precision-recall-tradeoff", "threshold")
    for name in names:
        analyst.create_entity("Concept", name, properties={"domain": "ml-classifier"})
    analyst.create_relation("concept:precision-recall-tradeoff", "concept:confusion-matrix", "DEPENDS_ON")
    analyst.create_relation("concept:threshold", "concept:precision-recall-tradeoff", "RELATES_TO")
    newcomer = acme.as_("newcomer")
    answer = newcomer.query_semantic("what do we know here?")
    assert answer.used == "graph"
    assert {one.profile.entity.name for one in answer.results} == set(names)
    walk = newcomer.traverse("confusion-matrix", relation_types=["RELATES_TO", "DEPENDS_ON"], max_depth=3)
    assert [(hit.entity.name, hit.depth) for hit in walk.hits if hit.entity] == [(names[1], 1), (names[2], 2)]
    assert [one.type for one in walk.hits[1].path] == ["DEPENDS_ON", "RELATES_TO"]


def test_what_an_agent_learned_is_asked_against_the_direction_of_the_relation(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    learned(acme.as_("security"))
    walk = acme.as_("cto").query_graph(
        "agent:security-specialist", relation_types=["LEARNED_BY"], return_types=["Pattern", "Insight"]
    )
    assert [hit.entity.address for hit in walk.hits if hit.entity] == ["insight:sql-injection-risk"]
    assert walk.as_json()["results"][0]["path"][0]["type"] == "LEARNED_BY"


def test_the_example_of_deployment_is_superseded_with_its_dates(tmp_path: Path) -> None:
    cto = Business(tmp_path).as_("cto")
    cto.create_entity("Insight", "docker", "Use Docker for deployment", valid_from="2025-01-01")
    cto.create_entity("Insight", "kubernetes", "Use Kubernetes for deployment", valid_from="2025-06-01")
    cto.invalidate_fact("insight:docker", at="2025-06-01", superseded_by="insight:kubernetes")
    assert [held.entity.name for held in cto.query_temporal(at="2025-03-01")] == ["docker"]
    assert [held.entity.name for held in cto.query_temporal(at="2025-06-01")] == ["kubernetes"]
    old = cto.entity("insight:docker").entity
    assert old.valid_to == "2025-06-01T00:00:00.000Z"
    assert old.superseded_by == cto.entity("kubernetes").entity.id
