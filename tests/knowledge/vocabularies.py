"""Ontologies as they come with the product, and copies with a defect planted in them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mabos.knowledge.ontology.notation import read_ontology, render
from mabos.knowledge.ontology.vocabulary import SCAFFOLDS, SHIPPED, Vocabulary, install, load

Node = dict[str, Any]


def shipped() -> Vocabulary:
    """Return the vocabulary of the ten files."""
    return load(SHIPPED)


def with_agency() -> Vocabulary:
    """Return the ten files and the one that scaffolds an agency."""
    return Vocabulary([*shipped().ontologies.values(), read_ontology(SCAFFOLDS / "agency.jsonld")])


def planted(directory: Path, domain: str, change: Callable[[list[Node]], None]) -> Path:
    """Return a folder with the ten files, one of them changed."""
    install(directory)
    path = directory / f"{domain}.jsonld"
    document = json.loads(path.read_text("utf-8"))
    change(document["@graph"])
    path.write_text(render(document), "utf-8")
    return directory


def node(graph: list[Node], term: str) -> Node:
    """Return the node with this id."""
    return next(one for one in graph if one["@id"] == term)


def without(graph: list[Node], term: str, field: str) -> None:
    """Take a field of a node away."""
    del node(graph, term)[field]


def added(graph: list[Node], term: str = "saas:AddOn", **fields: Any) -> None:
    """Put a further class into a graph; `fields` overwrite what it says."""
    told = {
        "@id": term,
        "@type": "owl:Class",
        "rdfs:label": "Add-On",
        "rdfs:subClassOf": {"@id": "mabos:Offering"},
        "mabos:sbvr_definition": "An offering that extends a running contract by a function that is charged apart",
        "mabos:sbvr_synonyms": ["Extra Module"],
    }
    graph.append(told | {name.replace("__", ":"): value for name, value in fields.items()})
