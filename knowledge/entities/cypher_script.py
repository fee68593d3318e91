"""A drawing as a Cypher script, a statement a line, that makes the same graph however often it is run.

Every node has the label `Knowledge` beside its type, and is found by its id. Types and the names of properties are
checked words; all else is a quoted text, in which each backslash is doubled: Neo4j reads a lone one with `u0027` as a
quote before it looks for the quotes.
"""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from mabos.knowledge.entities.drawing import Drawing, Plain, flat, json, legible

_INDEX = "CREATE INDEX knowledge_id IF NOT EXISTS FOR (n:Knowledge) ON (n.id)"
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def cypher_script(drawing: Drawing) -> str:
    """Return the script; `cypher-shell` reads it as it is, and any driver line by line."""
    return "".join(f"{one};\n" for one in _statements(drawing))


def _statements(drawing: Drawing) -> Iterator[str]:
    yield _INDEX
    for node in drawing.nodes:
        yield f"{_merged(node)} SET n = {_map(flat(node))}, n:{node['type']}"
        for seen in node.get("observations", ()):
            there = f"{_merged(seen)} SET n = {_map(flat(seen))}, n:Observation WITH n"
            yield f"{there} {_matched('o', node['id'])} MERGE (n)-[:OBSERVES]->(o)"
    for link in drawing.links:
        ends = f"{_matched('a', link['source'])} {_matched('b', link['target'])}"
        values = {name: value for name, value in flat(link).items() if name not in ("source", "target")}
        yield f"{ends} MERGE (a)-[r:{link['type']} {{id: {_literal(link['id'])}}}]->(b) SET r = {_map(values)}"


def _merged(one: Mapping[str, Any]) -> str:
    return f"MERGE (n:Knowledge {{id: {_literal(one['id'])}}})"


def _matched(name: str, id_: str) -> str:
    return f"MATCH ({name}:Knowledge {{id: {_literal(id_)}}})"


def _map(values: Mapping[str, Plain]) -> str:
    return "{" + ", ".join(f"{name}: {_literal(value)}" for name, value in values.items()) + "}"


def _literal(value: Plain) -> str:
    if isinstance(value, str):
        return f"'{legible(value).translate(_ESCAPES)}'"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float) and isfinite(value):
        return repr(value).replace("e+", "e")
    return json(value)  # a whole number, true, false, or null for what is no number
