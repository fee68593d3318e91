"""A new vocabulary to start from: a domain ontology and its shapes from a template (S3 section 8.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mabos.configs.errors import InvalidArgument, unknown
from mabos.knowledge.ontology.model import NAMESPACE, FactType, Ontology
from mabos.knowledge.ontology.notation import VOCABULARIES, local_name, ontology_of, read_document, reference, render
from mabos.knowledge.ontology.vocabulary import FILES, SCAFFOLDS, SHIPPED, install
from mabos.workspace.atomic import write_atomic
from mabos.workspace.names import name as checked

TEMPLATES: Mapping[str, Path] = {
    "saas": SHIPPED / "saas.jsonld",
    "ecommerce": SHIPPED / "ecommerce.jsonld",
    "consulting": SHIPPED / "consulting.jsonld",
    "marketplace": SHIPPED / "marketplace.jsonld",
    "retail": SHIPPED / "retail.jsonld",
    "agency": SCAFFOLDS / "agency.jsonld",
}
"""The initial content of each template."""


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A new domain: its ontology and its shapes in their written form."""

    ontology: Ontology
    document: Mapping[str, Any]
    shapes: Mapping[str, Any]


def draft(template: str, domain: str, *, label: str = "", description: str = "") -> Scaffold:
    """Return a new domain's ontology with terms in its own namespace, and a shape for each concept with relations.

    The terms are the template's; they descend from the same upper ontology and may be changed freely. Raises
    `UnknownId` for an unknown template, `InvalidArgument` for a name that cannot be a domain's.
    """
    if template not in TEMPLATES:
        raise unknown("template", template, TEMPLATES, argument="template")
    checked(domain, kind="domain", argument="domain_name")
    if f"{domain}.jsonld" in FILES or domain.startswith("shapes") or domain in VOCABULARIES:
        message = f"{domain!r} is a name of MABOS's own; choose another domain_name, as my-{domain}"
        raise InvalidArgument(message, argument="domain_name")
    source = read_document(TEMPLATES[template])
    old = ontology_of(source, TEMPLATES[template])
    title = label or f"{domain.replace('-', ' ').replace('_', ' ').title()} Ontology"
    graph = [_replace_prefix(node, old.prefix, domain) for node in source["@graph"]]
    header = {**graph[0], "@id": f"{NAMESPACE}{domain}", "rdfs:label": title}
    header["dct:abstract"] = description or f"{old.abstract} Begun from the template {template}."
    context = {key: value for key, value in source["@context"].items() if key != old.prefix}
    document = {"@context": {**context, domain: f"{NAMESPACE}{domain}/"}, "@graph": [header, *graph[1:]]}
    ontology = ontology_of(document, Path(f"{domain}.jsonld"))
    return Scaffold(ontology, document, _shapes(ontology, title))


def scaffold(directory: Path, template: str, domain: str, *, label: str = "", description: str = "") -> Scaffold:
    """Write a new domain to `directory`, its shapes first, and return it; existing files are not touched.

    Writing the same draft again is allowed, so that a scaffold cut short can be repeated. Raises `InvalidArgument`.
    """
    made = draft(template, domain, label=label, description=description)
    path, text = directory / f"{domain}.jsonld", render(made.document)
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise InvalidArgument(f"domain {domain!r} exists; choose another domain_name", argument="domain_name")
    write_atomic(directory / f"shapes-{domain}.jsonld", render(made.shapes))
    write_atomic(path, text)
    return made


def furnish(directory: Path, template: str) -> list[Path]:
    """Add the vocabulary of a kind of business to `directory`, shipped or else made from the template, and return the
    new files; existing ones are not touched.
    """
    made = install(directory)
    path = directory / f"{template}.jsonld"
    if path.exists():
        return made
    scaffold(directory, template, template)
    return [*made, path]


def _replace_prefix(value: Any, old: str, new: str) -> Any:
    """Return a node with the template's prefix replaced in every id."""
    if isinstance(value, dict):
        return {
            key: f"{new}:{local_name(one)}"
            if key == "@id" and isinstance(one, str) and one.startswith(f"{old}:")
            else (one if key == "mabos:rule_definition" else _replace_prefix(one, old, new))
            for key, one in value.items()
        }
    return [_replace_prefix(one, old, new) for one in value] if isinstance(value, list) else value


def _shapes(ontology: Ontology, title: str) -> dict[str, Any]:
    header = {
        "@id": f"{NAMESPACE}shapes-{ontology.name}",
        "@type": "owl:Ontology",
        "rdfs:label": f"{title}: shapes",
        "dct:abstract": f"What the records of {ontology.name} must look like.",
        "dct:license": reference("https://spdx.org/licenses/MIT"),
        "cmns-av:copyright": "Copyright (c) 2026 the MABOS contributors",
        "owl:imports": [reference(f"{NAMESPACE}{ontology.name}")],
    }
    shapes = []
    for concept in ontology.concepts:
        own = [fact for fact in ontology.fact_types if fact.subject == concept.id]
        if own:
            shapes.append(
                {
                    "@id": f"{ontology.name}:{local_name(concept.id)}Shape",
                    "@type": "sh:NodeShape",
                    "rdfs:label": f"what a record of {concept.label} needs",
                    "sh:targetClass": reference(concept.id),
                    "sh:property": [_constraint(fact) for fact in own],
                }
            )
    prefixes = {key: value for key, value in ontology.prefixes.items() if key not in VOCABULARIES}
    context = {**VOCABULARIES, **prefixes, "sh": "http://www.w3.org/ns/shacl#"}
    return {"@context": context, "@graph": [header, *shapes]}


def _constraint(fact: FactType) -> dict[str, Any]:
    path = {"sh:path": reference(fact.id)}
    if fact.kind == "datatype_property":
        value = {"sh:maxCount": 1, "sh:datatype": reference(fact.object)}
        return {**path, **value, "sh:message": f"{fact.verbalisation}: at most one, of type {fact.object}"}
    expected = local_name(fact.object)
    return {**path, "sh:class": reference(fact.object), "sh:message": f"{fact.verbalisation}: expected {expected}"}
