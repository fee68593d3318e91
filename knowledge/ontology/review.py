"""Review of proposed terms, and merging of valid ones (S0 section 24, S3 section 8.4).

`review` separates errors, which exclude a term, from warnings, which the reviewer judges: the documents' "distance < 3"
alone would refuse ARR because of MRR. `merge` accepts only terms that currently pass `review`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import Refused
from mabos.knowledge.ontology.checks import CLASS_NAME, PROPERTY_NAME
from mabos.knowledge.ontology.definitions import faults
from mabos.knowledge.ontology.model import NAMESPACE, Concept, FactType, Ontology
from mabos.knowledge.ontology.notation import class_node, local_name, property_node, read_document, reference, render
from mabos.knowledge.ontology.proposals import TermProposal
from mabos.knowledge.ontology.vocabulary import Vocabulary, install, load
from mabos.knowledge.ontology.wording import key, words
from mabos.knowledge.similarity import term_likenesses
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock

VALUES = ("string", "integer", "decimal", "double", "boolean", "date", "dateTime", "anyURI")
"""The XML Schema types an attribute may have."""
_FEWEST_WORDS = 4
_SEVERE = frozenset({"missing", "template"})


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding of one check about a proposal."""

    check: Literal["domain", "duplicates", "naming", "parent", "definition"]
    grade: Literal["error", "warning"]
    message: str


def review(proposal: TermProposal, vocabulary: Vocabulary) -> list[Remark]:
    """Return the errors and warnings for a proposal; without an error it is valid."""
    ontology = vocabulary.ontologies.get(proposal.domain)
    if ontology is None or ontology.is_of_shapes:
        known = ", ".join(name for name, one in vocabulary.ontologies.items() if not one.is_of_shapes)
        return [Remark("domain", "error", f"no domain {proposal.domain!r}; choose one of {known}")]
    found = [*_naming(proposal, ontology), *_duplicates(proposal, vocabulary)]
    if proposal.node_type == "class":
        return [*found, *_parent(proposal, vocabulary), *_definition(proposal, vocabulary)]
    return [*found, *_ends(proposal, vocabulary)]


def verdict(remarks: list[Remark]) -> dict[str, Any]:
    """Return remarks as the `validation_result` of a proposal."""
    errors = [one.message for one in remarks if one.grade == "error"]
    warnings = [one.message for one in remarks if one.grade == "warning"]
    failed = {one.check for one in remarks if one.grade == "error"}
    checks = {name: name not in failed for name in ("domain", "duplicates", "naming", "parent", "definition")}
    return {"valid": not errors, "errors": errors, "warnings": warnings, "checks": checks}


def _naming(proposal: TermProposal, ontology: Ontology) -> Iterator[Remark]:
    prefix, _, name = proposal.node_id.rpartition(":")
    if prefix not in {ontology.prefix, "mabos"}:
        message = f"{proposal.node_id!r} has the prefix {prefix!r}; terms of {ontology.name} begin with "
        yield Remark("naming", "error", f"{message}'{ontology.prefix}:'")
    is_class = proposal.node_type == "class"
    if (CLASS_NAME if is_class else PROPERTY_NAME).fullmatch(name) is None:
        style = "PascalCase, as OrderLine" if is_class else "camelCase, as buysProduct"
        yield Remark("naming", "error", f"{name!r} is not {style}; write letters and digits only")
    if not words(proposal.label):
        yield Remark("naming", "error", "the label has no words; say what people call it")


def _duplicates(proposal: TermProposal, vocabulary: Vocabulary) -> Iterator[Remark]:
    if proposal.node_id in vocabulary.concepts or proposal.node_id in vocabulary.fact_types:
        yield Remark("duplicates", "error", f"{proposal.node_id} exists; use it, or choose another id")
        return
    circle = vocabulary.circle(proposal.domain)
    if proposal.node_type == "class":
        names = dict.fromkeys([proposal.label, proposal.sbvr_designation, *proposal.sbvr_synonyms])
        concepts = [one for one in vocabulary.concepts.values() if one.ontology in circle]
        for like in term_likenesses([name for name in names if name], concepts):
            yield Remark("duplicates", "error" if like.grade == "reject" else "warning", str(like))
        return
    wanted = fact_type_of(proposal, vocabulary)
    for fact in vocabulary.fact_types.values():
        if fact.ontology in circle and key(fact.verbalisation) == key(wanted.verbalisation):
            yield Remark("duplicates", "error", f"{fact.id} says {fact.verbalisation!r} already; use it")


def _parent(proposal: TermProposal, vocabulary: Vocabulary) -> Iterator[Remark]:
    if not proposal.parent_class:
        yield Remark("parent", "error", "a class needs a parent_class; name one, as mabos:BusinessEntity")
        return
    parent = vocabulary.named(proposal.parent_class, proposal.domain)
    if parent is None:
        yield Remark("parent", "error", _no_class(proposal.parent_class, vocabulary, "parent_class"))
    elif parent.ontology not in vocabulary.closure(proposal.domain):
        message = f"{parent.id} is in {parent.ontology}, which {proposal.domain} will import from now on"
        yield Remark("parent", "warning", message)


def _ends(proposal: TermProposal, vocabulary: Vocabulary) -> Iterator[Remark]:
    if vocabulary.named(proposal.domain_class, proposal.domain) is None:
        yield Remark("parent", "error", _no_class(proposal.domain_class, vocabulary, "domain_class"))
    if proposal.node_type == "datatype_property":
        if local_name(proposal.range) not in VALUES:
            types = ", ".join(f"xsd:{one}" for one in VALUES)
            yield Remark("parent", "error", f"range {proposal.range!r} is not a type of value; choose one of {types}")
    elif vocabulary.named(proposal.range, proposal.domain) is None:
        yield Remark("parent", "error", _no_class(proposal.range, vocabulary, "range"))


def _no_class(wanted: str, vocabulary: Vocabulary, argument: str) -> str:
    near = vocabulary.search("", local_name(wanted), limit=3) if wanted else []
    hint = f"; near it are {', '.join(one.term.id for one in near)}" if near else ""
    return f"{argument} {wanted!r} is not a class of any ontology{hint}"


def _definition(proposal: TermProposal, vocabulary: Vocabulary) -> Iterator[Remark]:
    if len(words(proposal.sbvr_definition)) < _FEWEST_WORDS:
        message = f"{proposal.label!r} needs an sbvr_definition in words: what kind of thing, and what sets it apart"
        yield Remark("definition", "error", message)
        return
    parent = vocabulary.named(proposal.parent_class, proposal.domain)
    genera = parent.names if parent else ()
    for fault in faults(proposal.label, proposal.sbvr_synonyms, proposal.sbvr_definition, genera=genera):
        yield Remark("definition", "error" if fault.kind in _SEVERE else "warning", fault.message)


def concept_of(proposal: TermProposal, vocabulary: Vocabulary) -> Concept:
    """Return the proposed class."""
    parent = vocabulary.named(proposal.parent_class, proposal.domain)
    more = [one for one in (proposal.sbvr_designation, *proposal.sbvr_synonyms) if one and one != proposal.label]
    return Concept(
        id=proposal.node_id,
        label=proposal.label,
        ontology=proposal.domain,
        definition=proposal.sbvr_definition.strip(),
        synonyms=tuple(dict.fromkeys(more)),
        parents=(parent.id,) if parent else (),
        approved_by=proposal.reviewer,
    )


def fact_type_of(proposal: TermProposal, vocabulary: Vocabulary) -> FactType:
    """Return the proposed fact type as subject, verb and object; roles are the ends' own names."""
    subject = vocabulary.named(proposal.domain_class, proposal.domain)
    first = subject.label if subject else proposal.domain_class
    is_value = proposal.node_type == "datatype_property"
    ends = None if is_value else vocabulary.named(proposal.range, proposal.domain)
    second = ends.label if ends else proposal.range
    same = "other " if key(first) == key(second) else ""
    return FactType(
        id=proposal.node_id,
        label=proposal.label,
        ontology=proposal.domain,
        kind=proposal.node_type,
        subject=subject.id if subject else proposal.domain_class,
        object=f"xsd:{local_name(proposal.range)}" if is_value else (ends.id if ends else proposal.range),
        verbalisation=f"{first} has {proposal.label}" if is_value else f"{first} {proposal.label} {second}",
        inverse=f"{proposal.label} of {first}" if is_value else f"{second} is what '{proposal.label}' links to {first}",
        subject_role="" if is_value else first.lower(),
        object_role="" if is_value else same + second.lower(),
        approved_by=proposal.reviewer,
        definition=proposal.sbvr_definition.strip(),
    )


def node_of(proposal: TermProposal, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the JSON-LD node of a proposal."""
    if proposal.node_type == "class":
        return class_node(concept_of(proposal, vocabulary))
    return property_node(fact_type_of(proposal, vocabulary))


def merge(proposal: TermProposal, directory: Path) -> dict[str, Any]:
    """Append an approved term to its domain's file in one step, and return its node; raises `Refused`.

    Repeating a merge changes nothing, so that an interrupted one can be repeated.
    """
    with file_lock(directory / "proposals" / ".merge.lock"):
        install(directory)
        vocabulary = load(directory)
        path = vocabulary.ontology(proposal.domain).path
        document = read_document(path)
        node = node_of(proposal, vocabulary)
        if node in document["@graph"]:
            return node
        errors = [one.message for one in review(proposal, vocabulary) if one.grade == "error"]
        if errors:
            raise Refused(f"{proposal.id} is no longer valid: {'; '.join(errors)}", argument="proposal_id")
        write_atomic(path, render(_with(document, node, vocabulary, proposal.domain)))
        return node


def _with(document: Mapping[str, Any], node: Mapping[str, Any], vocabulary: Vocabulary, domain: str) -> dict[str, Any]:
    """Return the document with the node at its end, and with the imports and prefixes that its terms need."""
    ends = [node[name]["@id"] for name in ("rdfs:subClassOf", "rdfs:domain", "rdfs:range") if name in node]
    homes = {vocabulary.concepts[one].ontology for one in ends if one in vocabulary.concepts}
    missing = sorted(homes - set(vocabulary.closure(domain)))
    graph = [_importing(one, missing) if one.get("@type") == "owl:Ontology" else one for one in document["@graph"]]
    prefixes = {
        prefix: address
        for name in homes
        for prefix, address in vocabulary.ontologies[name].prefixes.items()
        if any(one.startswith(f"{prefix}:") for one in ends)
    }
    context = {**document.get("@context", {}), **prefixes}
    return {**document, "@context": context, "@graph": [*graph, dict(node)]}


def _importing(header: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    if not names:
        return dict(header)
    known = header.get("owl:imports", [])
    listed = known if isinstance(known, list) else [known]
    return {**header, "owl:imports": [*listed, *(reference(f"{NAMESPACE}{name}") for name in names)]}
