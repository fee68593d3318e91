"""Export a memory to other programs: Graphviz, D3, Cytoscape, GraphML, JSON-LD and Neo4j (S2, export).

The export has all that the caller may see, except records without both their ends. The same memory gives the same text,
whatever the order in which it was read.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from math import isfinite
from typing import Any, Literal
from urllib.parse import quote

import orjson

from mabos.knowledge.entities.drawing import Drawing, Plain, build_drawing, flat, json, legible, period
from mabos.knowledge.entities.model import RELATION_TYPES, derived_id
from mabos.knowledge.entities.statistics import MemoryFigures
from mabos.knowledge.ontology.model import NAMESPACE

Format = Literal["graphviz", "d3", "cytoscape", "graphml", "jsonld", "cypher"]

_COLOURS = {"Insight": "#ffe8b3", "Concept": "#cfe8ff", "Pattern": "#d5f0d0", "Decision": "#f3d1e3", "Agent": "#dcd6f7"}
_TOKEN = re.compile(r"[\w.:-]+", re.ASCII)
_NAMED = {"node": ("id",), "edge": ("id", "source", "target")}
_XMLNS = "http://graphml.graphdrawing.org/xmlns"
_CONTEXT = {
    "@vocab": f"{NAMESPACE}memory/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "id": "@id",
    "type": "@type",
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "source": {"@id": "rdf:subject", "@type": "@id"},
    "relation": {"@id": "rdf:predicate", "@type": "@vocab"},
    "target": {"@id": "rdf:object", "@type": "@id"},
    "properties": {"@type": "@json"},
    **{name: {"@type": "xsd:dateTime"} for name in ("created_at", "updated_at", "added_at", "valid_from", "valid_to")},
    **{name: {"@type": "@id"} for name in (*RELATION_TYPES, "superseded_by")},
}
_CYPHER_INDEX = "CREATE INDEX knowledge_id IF NOT EXISTS FOR (n:Knowledge) ON (n.id)"
_CYPHER_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def export_memory(figures: MemoryFigures, form: Format) -> str:
    """Return a memory as complete text in a format; raises `UnknownId` for an unknown type."""
    return _FORMS[form](build_drawing(figures))


def _cytoscape(drawing: Drawing) -> str:
    """Return the elements of Cytoscape.js, where each type is a class to style by."""
    parts = {"nodes": drawing.nodes, "edges": drawing.links}
    elements = {name: [{"data": one, "classes": one["type"]} for one in ones] for name, ones in parts.items()}
    return json({"elements": elements}, orjson.OPT_INDENT_2) + "\n"


def _jsonld(drawing: Drawing) -> str:
    """Return the nodes with their relations, and each relation as a statement of its own, with its times."""
    related: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for link in drawing.links:
        related[link["source"]][link["type"]].append(_iri(link["target"]))
    nodes = [_expand_iris(one) | related.get(one["id"], {}) for one in drawing.nodes]
    statements = [_statement(one) for one in drawing.links]
    return json({"@context": _CONTEXT, "@graph": [*nodes, *statements]}, orjson.OPT_INDENT_2) + "\n"


def _statement(link: Mapping[str, Any]) -> dict[str, Any]:
    ends = {name: _iri(link[name]) for name in ("source", "target")}
    return _expand_iris(link) | {"type": "rdf:Statement", "relation": link["type"]} | ends


def _expand_iris(one: Mapping[str, Any]) -> dict[str, Any]:
    names = {name: _iri(one[name]) for name in ("id", "superseded_by") if name in one}
    told = [_expand_iris(seen) | {"type": "Observation"} for seen in one.get("observations", ())]
    return {**one, **names} | ({"observations": told} if told else {})


def _iri(id_: str) -> str:
    return f"urn:mabos:memory:{quote(id_, safe='')}"


def _graphml(drawing: Drawing) -> str:
    """Return GraphML, each field declared with the type that all of its values have."""
    from xml.etree import ElementTree as ET

    root = ET.Element("graphml", {"xmlns": _XMLNS})
    graph = ET.Element("graph", {"id": "memory", "edgedefault": "directed"})
    kinds = {"node": [_row(one) for one in drawing.nodes], "edge": [_row(one) for one in drawing.links]}
    for kind, rows in kinds.items():
        named = [{name: _token(str(row.pop(name))) for name in _NAMED[kind]} for row in rows]
        for name in sorted({name for row in rows for name in row}):
            type_ = _type(row[name] for row in rows if name in row)
            ET.SubElement(root, "key", {"id": f"{kind}.{name}", "for": kind, "attr.name": name, "attr.type": type_})
        for names, row in zip(named, rows, strict=True):
            element = ET.SubElement(graph, kind, names)
            for name, value in row.items():
                ET.SubElement(element, "data", {"key": f"{kind}.{name}"}).text = legible(_text(value))
    root.append(graph)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _row(one: Mapping[str, Any]) -> dict[str, Plain]:
    seen = {"observations": json(one["observations"])} if "observations" in one else {}
    return flat(one) | seen


def _type(values: Iterable[Plain]) -> str:
    types = {type(value) for value in values}
    if types <= {int, float}:
        return "long" if types == {int} else "double"
    return "boolean" if types == {bool} else "string"


def _text(value: Plain) -> str:
    return value if isinstance(value, str) else json(value)


def _token(id_: str) -> str:
    """Return an id as XML can name a node: itself, or where it has other characters an id that belongs to it."""
    return id_ if _TOKEN.fullmatch(id_) else derived_id("graphml", id_)


def _graphviz(drawing: Drawing) -> str:
    """Return DOT: a cluster a type, times below the names; records with a known end are dashed."""
    lines = ["digraph memory {", "  rankdir=LR;", '  node [shape=box, style="rounded,filled"];']
    for type_, nodes in groupby(drawing.nodes, key=lambda one: str(one["type"])):
        lines += [f'  subgraph "cluster_{type_}" {{', f'    label="{type_}";']
        lines += [f"    {_quote_id(one['id'])} [{_node_style(one)}];" for one in nodes]
        lines += ["  }"]
    lines += [
        f"  {_quote_id(one['source'])} -> {_quote_id(one['target'])} [{_link_style(one)}];" for one in drawing.links
    ]
    return "\n".join([*lines, "}", ""])


def _node_style(one: Mapping[str, Any]) -> str:
    seen = "\n".join(seen["content"] for seen in one.get("observations", ()))
    style = ', style="rounded,filled,dashed"' if "valid_to" in one else ""
    label, colour = _quote_label(one.get("label") or one["name"], period(one)), _COLOURS.get(one["type"], "#eeeeee")
    return f'label={label}, tooltip={_quote_label(seen)}, fillcolor="{colour}"{style}'


def _link_style(one: Mapping[str, Any]) -> str:
    predicate = str(one.get("properties", {}).get("predicate", ""))
    style = ", style=dashed" if "valid_to" in one else ""
    return f"label={_quote_label(one['type'], predicate, period(one))}{style}"


def _quote_label(*lines: str) -> str:
    """Return lines quoted for DOT: a backslash and an ampersand are literal."""
    text = "\n".join(filter(None, lines)).replace("\\", "\\\\").replace("\r", "").replace("\n", "\\n")
    return _quoted_as_is(text.replace("&", "&amp;"))


def _quote_id(id_: str) -> str:
    return _quoted_as_is(id_.replace("\\", "\\\\"))


def _quoted_as_is(text: str) -> str:
    escaped = legible(text).replace('"', '\\"')
    return f'"{escaped}"'


def _cypher(drawing: Drawing) -> str:
    """Return a script, a statement a line, that makes the same graph however often it is run.

    `cypher-shell` reads it as it is, and any driver line by line. Every node has the label `Knowledge` and that of its
    type, and is found by its id. Types and the names of properties are checked words; all else is a quoted text, in
    which each backslash is doubled: Neo4j reads a lone one with `u0027` as a quote before it looks for the quotes.
    """
    return "".join(f"{one};\n" for one in _cypher_statements(drawing))


def _cypher_statements(drawing: Drawing) -> Iterator[str]:
    yield _CYPHER_INDEX
    for node in drawing.nodes:
        yield f"{_cypher_merge(node)} SET n = {_cypher_map(flat(node))}, n:{node['type']}"
        for seen in node.get("observations", ()):
            there = f"{_cypher_merge(seen)} SET n = {_cypher_map(flat(seen))}, n:Observation WITH n"
            yield f"{there} {_cypher_match('o', node['id'])} MERGE (n)-[:OBSERVES]->(o)"
    for link in drawing.links:
        ends = f"{_cypher_match('a', link['source'])} {_cypher_match('b', link['target'])}"
        values = {name: value for name, value in flat(link).items() if name not in ("source", "target")}
        link_id = _cypher_literal(link["id"])
        yield f"{ends} MERGE (a)-[r:{link['type']} {{id: {link_id}}}]->(b) SET r = {_cypher_map(values)}"


def _cypher_merge(one: Mapping[str, Any]) -> str:
    return f"MERGE (n:Knowledge {{id: {_cypher_literal(one['id'])}}})"


def _cypher_match(name: str, id_: str) -> str:
    return f"MATCH ({name}:Knowledge {{id: {_cypher_literal(id_)}}})"


def _cypher_map(values: Mapping[str, Plain]) -> str:
    return "{" + ", ".join(f"{name}: {_cypher_literal(value)}" for name, value in values.items()) + "}"


def _cypher_literal(value: Plain) -> str:
    if isinstance(value, str):
        return f"'{legible(value).translate(_CYPHER_ESCAPES)}'"
    if isinstance(value, list):
        return f"[{', '.join(map(_cypher_literal, value))}]"
    if isinstance(value, float) and isfinite(value):
        return repr(value).replace("e+", "e")
    return json(value)  # a whole number, true, false, or null for what is no number


_FORMS: Mapping[Format, Callable[[Drawing], str]] = {
    "graphviz": _graphviz,
    # d3.forceLink().id(node => node.id) reads it
    "d3": lambda drawing: json({"nodes": drawing.nodes, "links": drawing.links}, orjson.OPT_INDENT_2) + "\n",
    "cytoscape": _cytoscape,
    "graphml": _graphml,
    "jsonld": _jsonld,
    "cypher": _cypher,
}
