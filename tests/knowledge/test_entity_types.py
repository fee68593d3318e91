"""S0 section 12: which entity types and relations the index follows, each counted from the moment it has an owner."""

from mabos.knowledge.ontology.graph_schema import graph_schema
from mabos.tools.knowledge.inference import inference_of
from tests.knowledge.vocabularies import shipped
from tests.world import Member

FOLLOWED = {
    "memory_item": "memory",
    "spo_fact": "spo_fact",
    "knowledge_rule": "knowledge_rule",
    "cbr_case": "cbr_case",
    "reasoning_result": "reasoning_result",
}
"""The kind of row by entity type: every change of these reaches search."""
WITH_THE_GRAPH_TIER = """
    agent belief desire goal intention plan plan_step persona skill task decision action_execution reasoning_method
"""
WITH_THE_WORKFLOWS = "workflow"
CARRIED = {"derived_from", "method_produces_result"}
"""Relations that a followed record names: a fact lists what it was derived from, an answer its method."""
RELATIONS_WITH_THE_GRAPH_TIER = """
    agent_owns belief_supports_goal desire_motivates_goal goal_requires_plan plan_contains_step step_depends_on
    agent_has_skill agent_has_persona decision_resolves_goal
"""
FACT = {"subject": "acme", "predicate": "has_status", "object": "enterprise", "confidence": 0.9, "source": "crm"}
RULE = {
    "name": "Strategic",
    "description": "",
    "type": "inference",
    "conditions": [{"subject": "?c", "predicate": "has_status", "object": "enterprise"}],
    "conclusion": {"subject": "?c", "predicate": "is_strategic", "object": "true"},
}
CHOICE = {
    "kind": "decision",
    "payoffs": {"large": {"high": 200, "low": -180}, "small": {"high": 100, "low": -20}},
    "probabilities": {"high": 0.5, "low": 0.5},
}


def rows(cfo: Member) -> int:
    """Return how many records search knows now."""
    cfo.services.index.update()
    return cfo.services.index.count()


def derive(cfo: Member) -> None:
    """Keep what follows on record."""
    assert len(inference_of(cfo.services.agent("cfo")).forward(persist=True).new) == 1


def test_every_printed_type_and_relation_is_followed_or_has_an_owner_to_come() -> None:
    schema = graph_schema(shipped())
    later = f"{WITH_THE_GRAPH_TIER} {WITH_THE_WORKFLOWS}".split()
    assert sorted([*FOLLOWED, *later]) == sorted(schema.entities)
    assert len(schema.entities) == 19
    assert sorted([*CARRIED, *RELATIONS_WITH_THE_GRAPH_TIER.split()]) == sorted(schema.relations)
    assert len(set(schema.relations) - {"derived_from"}) == 10


def test_what_is_made_and_removed_is_told_of_every_type_that_has_an_owner(cfo: Member) -> None:
    cfo.do("memory_store_item", content="Acme signed", type="event", importance=0.5)
    fact = cfo.do("fact_assert", **FACT)
    rule = cfo.do("rule_create", **RULE)
    cfo.do("cbr_store", situation={"beliefs": ["B1"], "desires": ["D1"]}, solution={}, outcome="success")
    cfo.do("reason", problem=CHOICE, method="decision-theory")
    kinds = {hit.kind for hit in cfo.services.index.search("acme strategic b1 large small invest")}
    assert (rows(cfo), kinds) == (len(FOLLOWED), set(FOLLOWED.values()))
    derive(cfo)
    assert rows(cfo) == len(FOLLOWED) + 1
    cfo.do("rule_toggle", rule_id=rule["rule_id"], enabled=False)
    cfo.do("fact_retract", fact_id=fact["fact_id"])
    assert cfo.services.index.search("enterprise", kinds=["spo_fact"]) == []


def test_knowledge_is_found_by_words(cfo: Member) -> None:
    fact = cfo.do("fact_assert", **FACT)
    cfo.do("rule_create", **RULE)
    assert [hit.id for hit in cfo.services.index.search("enterprise")] == [fact["fact_id"]]
    assert [hit.kind for hit in cfo.services.index.search("strategic")] == ["knowledge_rule"]
