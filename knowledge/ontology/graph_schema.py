"""The ontologies as a graph schema: labels, relationship types, and idempotent Cypher for Neo4j (S0 26, S3 15.2).

Class nodes are named as in neosemantics (`Class`, `Relationship`, `Property`; `SCO`, `DOMAIN`, `RANGE`). A term's name
never becomes part of a statement's text: names are parameters, and labels are checked and quoted.

    schema = graph_schema(load(directory))
    schema.labels["saas:Subscription"]          # ('Subscription', 'Contract', 'Agreement', 'BusinessEntity', 'Entity')
    for statement in schema.statements:
        session.run(statement.text, **statement.parameters)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mabos.knowledge.ontology.model import FactType
from mabos.knowledge.ontology.notation import local_name
from mabos.knowledge.ontology.vocabulary import Vocabulary
from mabos.knowledge.ontology.wording import words

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class SchemaStatement:
    """A Cypher statement with its parameters; it is idempotent."""

    text: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship type of the graph, between instances of two classes."""

    type: str
    subject: str
    object: str


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """The graph schema of instances, and the statements that create it in Neo4j.

    `labels` are an instance's labels by class, its own first; `attributes` the typed properties of a class; `entities`
    and `relations` the types of S0 section 12 by class or fact type.
    """

    labels: Mapping[str, tuple[str, ...]]
    relationships: Mapping[str, Relationship]
    attributes: Mapping[str, Mapping[str, str]]
    entities: Mapping[str, str]
    relations: Mapping[str, str]
    statements: tuple[SchemaStatement, ...]


def graph_schema(vocabulary: Vocabulary) -> GraphSchema:
    """Return the schema of a vocabulary; equal vocabularies give equal statements in the same order."""
    concepts = {one: vocabulary.concepts[one] for one in sorted(vocabulary.concepts)}
    facts = {one: vocabulary.fact_types[one] for one in sorted(vocabulary.fact_types)}
    attributes: dict[str, dict[str, str]] = {}
    for fact in facts.values():
        if fact.kind == "datatype_property":
            attributes.setdefault(fact.subject, {})[snake(local_name(fact.id))] = local_name(fact.object)
    return GraphSchema(
        labels={one: labels(vocabulary, one) for one in concepts},
        relationships={
            one: Relationship(relationship_type(fact), local_name(fact.subject), local_name(fact.object))
            for one, fact in facts.items()
            if fact.kind == "object_property"
        },
        attributes=attributes,
        entities={concept.graph_type: one for one, concept in concepts.items() if concept.graph_type},
        relations={fact.graph_type: one for one, fact in facts.items() if fact.graph_type},
        statements=(*_constraints(), *_classes(vocabulary), *_hierarchy(vocabulary), *_properties(facts)),
    )


def labels(vocabulary: Vocabulary, concept_id: str) -> tuple[str, ...]:
    """Return the labels of an instance of a class: its own name, then those of its ancestors."""
    return tuple(dict.fromkeys(local_name(one) for one in (concept_id, *vocabulary.ancestors(concept_id))))


def relationship_type(fact: FactType) -> str:
    """Return the relationship type of a fact type: `BUYS_PRODUCT` for `buysProduct`."""
    return (fact.graph_type or snake(local_name(fact.id))).upper()


def snake(name: str) -> str:
    """Return a name in lower case with underscores."""
    return "_".join(words(name))


def quote_label(name: str) -> str:
    """Return a label or type in backquotes for Cypher; raises `ValueError` for anything but a plain name."""
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} cannot be a label; use letters, digits and '_'")
    return f"`{name}`"


def _constraints() -> list[SchemaStatement]:
    unique = [("Class", "uri"), ("Relationship", "uri"), ("Property", "uri")]
    return [
        SchemaStatement(
            f"CREATE CONSTRAINT {quote_label(f'{label.lower()}_{name}')} IF NOT EXISTS "
            f"FOR (n:{quote_label(label)}) REQUIRE n.{quote_label(name)} IS UNIQUE",
            {},
        )
        for label, name in unique
    ]


def _classes(vocabulary: Vocabulary) -> list[SchemaStatement]:
    rows = [
        {
            "uri": concept.id,
            "name": local_name(concept.id),
            "label": concept.label,
            "definition": concept.definition,
            "synonyms": list(concept.synonyms),
            "ontology": concept.ontology,
            "labels": list(labels(vocabulary, concept.id)),
        }
        for _, concept in sorted(vocabulary.concepts.items())
    ]
    text = (
        "UNWIND $rows AS row MERGE (c:Class {uri: row.uri}) SET c.name = row.name, c.label = row.label, "
        "c.definition = row.definition, c.synonyms = row.synonyms, c.ontology = row.ontology, c.labels = row.labels"
    )
    return [SchemaStatement(text, {"rows": rows})]


def _hierarchy(vocabulary: Vocabulary) -> list[SchemaStatement]:
    rows = [
        {"child": concept.id, "parent": parent}
        for _, concept in sorted(vocabulary.concepts.items())
        for parent in concept.parents
    ]
    text = (
        "UNWIND $rows AS row MATCH (child:Class {uri: row.child}), (parent:Class {uri: row.parent}) "
        "MERGE (child)-[:SCO]->(parent)"
    )
    return [SchemaStatement(text, {"rows": rows})]


def _properties(facts: Mapping[str, FactType]) -> list[SchemaStatement]:
    made = []
    for kind, label in (("object_property", "Relationship"), ("datatype_property", "Property")):
        chosen = [fact for fact in facts.values() if fact.kind == kind]
        rows = [
            {
                "uri": fact.id,
                "name": relationship_type(fact) if label == "Relationship" else snake(local_name(fact.id)),
                "reading": fact.verbalisation,
                "inverse": fact.inverse,
                "subject": fact.subject,
                "object": fact.object,
            }
            for fact in chosen
        ]
        about = (
            f"UNWIND $rows AS row MERGE (p:{quote_label(label)} {{uri: row.uri}}) SET p.name = row.name, "
            "p.reading = row.reading, p.inverse = row.inverse WITH p, row MATCH (s:Class {uri: row.subject}) "
            "MERGE (p)-[:DOMAIN]->(s)"
        )
        if label == "Relationship":
            about += " WITH p, row MATCH (o:Class {uri: row.object}) MERGE (p)-[:RANGE]->(o)"
        else:
            about += " SET p.type = row.object"
        made.append(SchemaStatement(about, {"rows": rows}))
    return made
