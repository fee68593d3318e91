"""The ontologies as a graph schema: complete, the same every time, and nothing pasted into Cypher."""

import re

import pytest

from mabos.knowledge.ontology.graph_schema import graph_schema, quote_label
from mabos.knowledge.ontology.vocabulary import Vocabulary
from tests.knowledge.vocabularies import shipped


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return shipped()


def test_an_instance_carries_the_labels_of_all_it_is_a_kind_of(vocabulary: Vocabulary) -> None:
    labels = graph_schema(vocabulary).labels
    assert labels["mabos:Customer"] == ("Customer", "Party", "BusinessEntity", "Entity")
    assert set(labels) == set(vocabulary.concepts)
    assert all(known[-1] == "Entity" for known in labels.values())


def test_every_fact_type_is_a_relationship_type_or_an_attribute(vocabulary: Vocabulary) -> None:
    schema = graph_schema(vocabulary)
    buys = schema.relationships["mabos:buysProduct"]
    assert (buys.type, buys.subject, buys.object) == ("BUYS_PRODUCT", "Customer", "Product")
    assert schema.attributes["mabos:Customer"] == {"customer_id": "string"}
    attributes = sum(len(known) for known in schema.attributes.values())
    assert len(schema.relationships) + attributes == len(vocabulary.fact_types)
    for relationship in schema.relationships.values():
        assert quote_label(relationship.type)


def test_the_types_of_the_base_schema_come_from_the_upper_ontology(vocabulary: Vocabulary) -> None:
    schema = graph_schema(vocabulary)
    assert len(schema.entities) == 19
    assert schema.entities["spo_fact"] == "mabos:Fact"
    assert schema.relations["desire_motivates_goal"] == "mabos:desireMotivatesGoal"
    assert schema.relationships["mabos:desireMotivatesGoal"].type == "DESIRE_MOTIVATES_GOAL"
    assert len(schema.relations) == 11


def test_statements_are_the_same_every_time_and_can_be_run_twice(vocabulary: Vocabulary) -> None:
    statements = graph_schema(vocabulary).statements
    assert statements == graph_schema(Vocabulary(vocabulary.ontologies.values())).statements
    for statement in statements:
        assert "IF NOT EXISTS" in statement.text or "MERGE" in statement.text
        assert re.search(r"\bCREATE\b(?! CONSTRAINT)", statement.text) is None


def test_no_term_is_part_of_a_statements_text(vocabulary: Vocabulary) -> None:
    text = "\n".join(statement.text for statement in graph_schema(vocabulary).statements)
    assert not [concept.id for concept in vocabulary.concepts.values() if concept.id in text]
    with pytest.raises(ValueError, match="cannot be a label"):
        quote_label("Customer`) DETACH DELETE n //")


def test_the_first_statements_are_these(vocabulary: Vocabulary) -> None:
    assert [statement.text for statement in graph_schema(vocabulary).statements[:3]] == [
        "CREATE CONSTRAINT `class_uri` IF NOT EXISTS FOR (n:`Class`) REQUIRE n.`uri` IS UNIQUE",
        "CREATE CONSTRAINT `relationship_uri` IF NOT EXISTS FOR (n:`Relationship`) REQUIRE n.`uri` IS UNIQUE",
        "CREATE CONSTRAINT `property_uri` IF NOT EXISTS FOR (n:`Property`) REQUIRE n.`uri` IS UNIQUE",
    ]
