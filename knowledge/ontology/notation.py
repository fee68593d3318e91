"""Our JSON-LD, read and written without an RDF library: a flat `@graph` of nodes with compact ids (S3 8.3)."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from mabos.configs.errors import Damaged
from mabos.knowledge.ontology.model import NAMESPACE, BusinessRule, Concept, FactType, Kind, Ontology, RecordShape

Stamp = tuple[int, int, int]

VOCABULARIES = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "dct": "http://purl.org/dc/terms/",
    "cmns-av": "https://www.omg.org/spec/Commons/AnnotationVocabulary/",
    "mabos": NAMESPACE,
}
"""The prefixes every file of ours declares."""

_PROPERTY_KINDS: Mapping[str, Kind] = {
    "owl:ObjectProperty": "object_property",
    "owl:DatatypeProperty": "datatype_property",
}
_NODE = re.compile(r'\s*(?:\{\s*)?"@id":\s*"([^"]+)"')
_INNERMOST = re.compile(r"\{\s+([^{}\[\]]*?)\s+\}")
_LIST = re.compile(r"\[\s+([^\[\]]*?)\s+\]")
_WIDTH = 110


def read_document(path: Path) -> dict[str, Any]:
    """Return the JSON-LD document at `path`; raises `Damaged` with file and line."""
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise Damaged(f"{path}:{error.lineno}: not JSON ({error.msg}); correct it by hand") from error
    except UnicodeDecodeError as error:
        raise Damaged(f"{path}:1: not UTF-8 text; save it as UTF-8") from error
    graph = document.get("@graph") if isinstance(document, dict) else None
    if not isinstance(graph, list) or not all(isinstance(node, dict) for node in graph):
        raise Damaged(f"{path}:1: expected an object with a list of nodes under '@graph'; correct it by hand")
    return dict(document)


def stamp(path: Path) -> Stamp:
    """Return a stamp that changes whenever a file does."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_ontology(path: Path) -> Ontology:
    """Return the ontology in the file at `path`; it is read again only if it has changed."""
    return _read(path, stamp(path))


@lru_cache(maxsize=128)
def _read(path: Path, _stamp: Stamp) -> Ontology:
    read_document(path)  # raises where it is damaged
    return replace(_of_text(Path(path.name), path.read_text(encoding="utf-8")), path=path)


@lru_cache(maxsize=64)
def _of_text(path: Path, text: str) -> Ontology:
    return ontology_of(json.loads(text), path, text)


def ontology_of(document: Mapping[str, Any], path: Path, text: str = "") -> Ontology:
    """Return `document` as the ontology of the file `path` with this text."""
    context = document.get("@context", {})
    prefixes = {key: value for key, value in context.items() if isinstance(value, str)}
    nodes = _compact_ids(document["@graph"], prefixes)
    header = next((node for node in nodes if "owl:Ontology" in _types(node)), {})
    name = path.stem
    return Ontology(
        name=name,
        path=path,
        label=_text(header, "rdfs:label"),
        abstract=_text(header, "dct:abstract"),
        imports=tuple(re.split(r"[:/]", one.rstrip("/"))[-1] for one in _references(header, "owl:imports")),
        prefixes=prefixes,
        concepts=tuple(_concept(node, name) for node in nodes if "owl:Class" in _types(node)),
        fact_types=tuple(_fact_type(node, name) for node in nodes if set(_types(node)) & set(_PROPERTY_KINDS)),
        rules=tuple(_rule(node, name) for node in nodes if "mabos:rule_definition" in node),
        shapes=tuple(_shape(node, name) for node in nodes if "sh:NodeShape" in _types(node)),
        annotations=tuple(str(node.get("@id", "")) for node in nodes if "owl:AnnotationProperty" in _types(node)),
        lines=_lines(text),
    )


def render(document: Mapping[str, Any]) -> str:
    """Return the text of a document: indented, with short lists and innermost objects on one line."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    text = _INNERMOST.sub(partial(_on_one_line, "{ ", " }"), text)
    return _LIST.sub(partial(_on_one_line, "[", "]"), text) + "\n"


def _on_one_line(before: str, after: str, found: re.Match[str]) -> str:
    items = re.sub(r"\s*\n\s*", " ", found[1])
    return f"{before}{items}{after}" if len(items) <= _WIDTH else found[0]


def class_node(concept: Concept) -> dict[str, Any]:
    """Return the JSON-LD node of a class."""
    node: dict[str, Any] = {"@id": concept.id, "@type": "owl:Class", "rdfs:label": concept.label}
    if concept.parents:
        node["rdfs:subClassOf"] = _one_or_many(reference(parent) for parent in concept.parents)
    if concept.disjoint:
        node["owl:disjointWith"] = _one_or_many(reference(other) for other in concept.disjoint)
    node["mabos:sbvr_definition"] = concept.definition
    if concept.synonyms:
        node["mabos:sbvr_synonyms"] = list(concept.synonyms)
    more = {"mabos:graph_type": concept.graph_type, "mabos:approved_by": concept.approved_by}
    return node | {name: value for name, value in more.items() if value}


def property_node(fact: FactType) -> dict[str, Any]:
    """Return the JSON-LD node of a fact type."""
    kind = next(name for name, known in _PROPERTY_KINDS.items() if known == fact.kind)
    node = {
        "@id": fact.id,
        "@type": kind,
        "rdfs:label": fact.label if fact.kind == "datatype_property" else fact.verbalisation,
        "rdfs:domain": reference(fact.subject),
        "rdfs:range": reference(fact.object),
        "mabos:sbvr_definition": fact.definition,
        "mabos:sbvr_verb": "" if fact.kind == "datatype_property" else fact.label,
        "mabos:sbvr_fact_type": fact.verbalisation,
        "mabos:sbvr_inverse": fact.inverse,
        "mabos:subject_role": fact.subject_role,
        "mabos:object_role": fact.object_role,
        "mabos:graph_type": fact.graph_type,
        "mabos:approved_by": fact.approved_by,
    }
    return {name: value for name, value in node.items() if value}


def reference(term: str) -> dict[str, str]:
    """Return the JSON-LD reference to a term."""
    return {"@id": term}


def local_name(term: str) -> str:
    """Return the part of an id after the prefix."""
    return re.split(r"[:/#]", term)[-1]


def _one_or_many(values: Iterable[dict[str, str]]) -> Any:
    found = list(values)
    return found[0] if len(found) == 1 else found


def _compact_ids(nodes: list[dict[str, Any]], prefixes: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the nodes with every id in compact form, whichever form a person wrote."""
    longest = sorted(prefixes.items(), key=lambda item: -len(item[1]))

    def compact(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: _shorten_address(one, longest) if key == "@id" and isinstance(one, str) else compact(one)
                for key, one in value.items()
            }
        return [compact(one) for one in value] if isinstance(value, list) else value

    return [compact(node) for node in nodes]


def _shorten_address(address: str, prefixes: list[tuple[str, str]]) -> str:
    for prefix, start in prefixes:
        rest = address[len(start) :]
        if address.startswith(start) and rest and "/" not in rest:
            return f"{prefix}:{rest}"
    return address


def _concept(node: Mapping[str, Any], name: str) -> Concept:
    return Concept(
        id=str(node.get("@id", "")),
        label=_text(node, "rdfs:label"),
        ontology=name,
        definition=_text(node, "mabos:sbvr_definition"),
        synonyms=tuple(_texts(node, "mabos:sbvr_synonyms")),
        parents=tuple(_references(node, "rdfs:subClassOf")),
        disjoint=tuple(_references(node, "owl:disjointWith")),
        graph_type=_text(node, "mabos:graph_type"),
        approved_by=_text(node, "mabos:approved_by"),
    )


def _fact_type(node: Mapping[str, Any], name: str) -> FactType:
    kind = next(_PROPERTY_KINDS[one] for one in _types(node) if one in _PROPERTY_KINDS)
    return FactType(
        id=str(node.get("@id", "")),
        label=_text(node, "mabos:sbvr_verb") or _text(node, "rdfs:label"),
        ontology=name,
        kind=kind,
        subject=next(iter(_references(node, "rdfs:domain")), ""),
        object=next(iter(_references(node, "rdfs:range")), ""),
        verbalisation=_text(node, "mabos:sbvr_fact_type"),
        inverse=_text(node, "mabos:sbvr_inverse"),
        subject_role=_text(node, "mabos:subject_role"),
        object_role=_text(node, "mabos:object_role"),
        graph_type=_text(node, "mabos:graph_type"),
        approved_by=_text(node, "mabos:approved_by"),
        definition=_text(node, "mabos:sbvr_definition"),
    )


def _rule(node: Mapping[str, Any], name: str) -> BusinessRule:
    definition = node["mabos:rule_definition"]
    return BusinessRule(
        id=str(node.get("@id", "")),
        label=_text(node, "rdfs:label"),
        ontology=name,
        statement=_text(node, "mabos:sbvr_statement"),
        definition=definition if isinstance(definition, dict) else {},
        concerns=tuple(_references(node, "mabos:concerns")),
    )


def _shape(node: Mapping[str, Any], name: str) -> RecordShape:
    constraints = [one for one in _values(node, "sh:property") if isinstance(one, dict)]
    return RecordShape(
        id=str(node.get("@id", "")),
        ontology=name,
        target=next(iter(_references(node, "sh:targetClass")), ""),
        paths=tuple(next(iter(_references(one, "sh:path")), "") for one in constraints),
    )


def _values(node: Mapping[str, Any], name: str) -> list[Any]:
    value = node.get(name, [])
    return value if isinstance(value, list) else [value]


def _types(node: Mapping[str, Any]) -> list[str]:
    return [str(one) for one in _values(node, "@type")]


def _texts(node: Mapping[str, Any], name: str) -> list[str]:
    return [str(one.get("@value", "")) if isinstance(one, dict) else str(one) for one in _values(node, name)]


def _text(node: Mapping[str, Any], name: str) -> str:
    return next(iter(_texts(node, name)), "")


def _references(node: Mapping[str, Any], name: str) -> list[str]:
    return [str(one["@id"]) for one in _values(node, name) if isinstance(one, dict) and "@id" in one]


def _lines(text: str) -> dict[str, int]:
    """Return the line on which each node begins, by id as written."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _NODE.match(line):
            lines.setdefault(found[1], number)
    return lines
