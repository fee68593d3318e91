"""A memory in other programs' formats, read back by readers of their own."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, Graph, Literal, URIRef

from mabos.backends.graph.bolt import Bolt
from mabos.configs.errors import UnknownId
from mabos.knowledge.entities.export import Format, export_memory
from mabos.knowledge.entities.model import ENTITY_TYPES, RELATION_TYPES, Entity, Observation, Relation
from mabos.knowledge.entities.statistics import MemoryFigures
from tests.contracts.neo4j_server import Server, business
from tests.knowledge.entities.memories import Business

HOSTILE = (
    'a "quoted" name',
    "it's \\",
    "two\nlines\r\tand tabs",
    "`ticks` ]->() DETACH DELETE n; //",
    "'}) DETACH DELETE n //",
    "\\u0027}) DETACH DELETE n //",
    "\\\\u0027}) DETACH DELETE n //",
    "\\u005c\\u0027}) DETACH DELETE n //",
    "\\u005c",
    "\\\\U0001F600\\",
    '\\"];}; digraph { x [label="',
    "\\",
    "\\N \\G \\l",
    "</node><!-- ]]> &amp; & <b>",
    "]]></data>",
    "@id",
    "urn:x y#z%41",
    "Zürich 🚀 \u202e abc \u2028 \x85",
    "nul \x00 bell \x07 \ufffe",
    ";\n:exit",
)
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.sampled_from("\\\"'`uU0027{}[]()<>&;/-\n\r 5c"), max_size=30),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
VALUES = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(TEXTS, max_size=3),
    st.dictionaries(TEXTS, st.none() | st.integers(0, 9), max_size=2),
)
DAYS = st.sampled_from(["", "2025-01-01T00:00:00Z", "2026-03-01T00:00:00Z"])
FORMS: tuple[Format, ...] = get_args(Format)


def legible(text: str) -> str:
    """Return what a text is where control characters cannot be held."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]", "\ufffd", text)


@st.composite
def memories(draw: st.DrawFn) -> MemoryFigures:
    """Draw a memory in which everything that can be a text is one that was chosen to break out."""
    any_id = st.one_of(st.uuids().map(str), TEXTS.filter(bool))
    ids = draw(st.lists(any_id, min_size=1, max_size=4, unique_by=legible))
    entities = [
        Entity(
            id_,
            draw(st.sampled_from(ENTITY_TYPES)),
            draw(TEXTS),
            draw(TEXTS),
            draw(st.dictionaries(st.one_of(TEXTS, st.just("domain")), VALUES, max_size=2)),
            valid_to=draw(DAYS),
            confidence=draw(st.none() | st.floats(0, 1)),
        )
        for id_ in ids
    ]
    ends = st.sampled_from([*ids, "session:s 1", "task:'t'"])
    relations = [
        Relation(
            f"r{number}",
            draw(st.sampled_from(RELATION_TYPES)),
            draw(st.sampled_from(ids)),
            draw(ends),
            draw(st.dictionaries(st.one_of(TEXTS, st.just("predicate")), VALUES, max_size=2)),
            valid_from=draw(DAYS),
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    seen = [
        Observation(f"o{number}", draw(st.sampled_from(ids)), draw(TEXTS)) for number in range(draw(st.integers(0, 2)))
    ]
    return MemoryFigures(entities, relations, seen)


def as_read(text: str) -> str:
    """Return what a text is once an XML parser has read its line ends."""
    return legible(text).replace("\r\n", "\n").replace("\r", "\n")


COMPANY = MemoryFigures(
    [
        Entity("i1", "Insight", "churn", "Churn follows price", {"key_learning": "raise slowly"}, confidence=0.8),
        Entity("c1", "Concept", "churn", "Churn", valid_to="2026-06-01T00:00:00Z", visibility="team-private"),
    ],
    [
        Relation("r1", "RELATES_TO", "i1", "c1", {"predicate": "about"}, valid_from="2026-01-01T00:00:00Z"),
        Relation("r2", "EXTRACTED_FROM", "i1", "session:s1", valid_to="2026-06-01T00:00:00Z"),
        Relation("r3", "RELATES_TO", "i1", "hidden"),
    ],
    [Observation("o1", "i1", "Churn rose after the increase"), Observation("o2", "hidden", "secret")],
)


@pytest.mark.parametrize("form", FORMS)
def test_the_order_in_which_a_memory_is_read_changes_nothing(form: Format) -> None:
    turned = MemoryFigures(COMPANY.entities[::-1], COMPANY.relations[::-1], COMPANY.observations[::-1])
    assert export_memory(turned, form) == export_memory(COMPANY, form)


@pytest.mark.parametrize("form", FORMS)
def test_what_hangs_on_something_unseen_is_left_out(form: Format) -> None:
    assert not re.search("hidden|secret", export_memory(COMPANY, form))


@pytest.mark.parametrize("form", FORMS)
def test_a_type_that_is_none_of_ours_is_refused(form: Format) -> None:
    with pytest.raises(UnknownId):
        export_memory(MemoryFigures([Entity("x", "X) DETACH DELETE n //", "x", "x")], [], []), form)  # type: ignore[arg-type]  # a wrong type on purpose
    with pytest.raises(UnknownId):
        export_memory(MemoryFigures(COMPANY.entities, [Relation("r", "X]->()", "i1", "c1")], []), form)  # type: ignore[arg-type]  # a wrong type on purpose


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_memory_is_an_empty_graph(form: Format) -> None:
    assert "churn" not in export_memory(MemoryFigures([], [], []), form)


def test_an_agent_exports_what_it_sees(tmp_path: Path) -> None:
    business = Business(tmp_path)
    cfo, cto = business.as_("cfo"), business.as_("cto")
    cfo.create_entity("Concept", "runway", visibility="agent-private")
    cfo.create_entity("Concept", "churn")
    assert "runway" in export_memory(cfo.figures(), "d3")
    assert "runway" not in export_memory(cto.figures(), "d3")
    assert "churn" in export_memory(cto.figures(), "d3")


# D3 and Cytoscape.


@given(memories())
def test_d3_links_only_what_is_there(memory: MemoryFigures) -> None:
    read = json.loads(export_memory(memory, "d3"))
    ids = [one["id"] for one in read["nodes"]]
    assert len(ids) == len(set(ids))
    assert {one.id: one.name for one in memory.entities}.items() <= {
        one["id"]: one["name"] for one in read["nodes"]
    }.items()
    links = sorted((one["id"], one["type"], one["source"], one["target"]) for one in read["links"])
    assert links == sorted((one.id, one.type, one.from_id, one.to_id) for one in memory.relations)
    assert {end for one in links for end in one[2:]} <= set(ids)


def test_d3_has_all_that_is_known() -> None:
    read = json.loads(export_memory(COMPANY, "d3"))
    assert read["nodes"] == [
        {
            "id": "i1",
            "type": "Insight",
            "name": "churn",
            "label": "Churn follows price",
            "properties": {"key_learning": "raise slowly"},
            "confidence": 0.8,
            "visibility": "public",
            "observations": [{"id": "o1", "content": "Churn rose after the increase"}],
        },
        {
            "id": "c1",
            "type": "Concept",
            "name": "churn",
            "label": "Churn",
            "visibility": "team-private",
            "valid_to": "2026-06-01T00:00:00Z",
        },
        {"id": "session:s1", "type": "Session", "name": "s1"},
    ]
    assert read["links"][1] == {
        "id": "r1",
        "type": "RELATES_TO",
        "source": "i1",
        "target": "c1",
        "properties": {"predicate": "about"},
        "valid_from": "2026-01-01T00:00:00Z",
    }


@given(memories())
def test_cytoscape_has_the_same_with_each_type_as_a_class(memory: MemoryFigures) -> None:
    elements = json.loads(export_memory(memory, "cytoscape"))["elements"]
    drawn = json.loads(export_memory(memory, "d3"))
    assert [one["data"] for one in elements["nodes"]] == drawn["nodes"]
    assert [one["data"] for one in elements["edges"]] == drawn["links"]
    assert all(one["classes"] == one["data"]["type"] for ones in elements.values() for one in ones)


# GraphML.

_ML = "{http://graphml.graphdrawing.org/xmlns}"


def read_graphml(text: str) -> tuple[dict[str, dict[str, str]], list[tuple[str, str, dict[str, str]]]]:
    """Return the nodes and edges of a document, held to what the GraphML schema demands."""
    root = ET.fromstring(text)  # noqa: S314  # our own text
    assert root.tag == f"{_ML}graphml"
    assert [one.tag for one in root] == [f"{_ML}key"] * (len(root) - 1) + [f"{_ML}graph"], "keys come first"
    keys = {one.attrib["id"]: one.attrib for one in root if one.tag == f"{_ML}key"}
    assert len(keys) == len(root) - 1, "each id of a key is its own"
    assert all(one["attr.type"] in ("boolean", "long", "double", "string") for one in keys.values())
    graph, nodes, edges = root[-1], {}, []
    assert graph.attrib["edgedefault"] == "directed"
    for one in graph:
        assert all(re.fullmatch(r"[\w.:-]+", value) for value in one.attrib.values()), "names are NMTOKENs"
        assert {part.tag for part in one} <= {f"{_ML}data"}
        found = {}
        for part in one:
            key = keys[part.attrib["key"]]
            assert key["for"] == one.tag.removeprefix(_ML)
            found[key["attr.name"]] = part.text or ""
            _of_type(part.text or "", key["attr.type"])
        assert len(found) == len(one), "each field stands once"
        if one.tag == f"{_ML}node":
            assert one.attrib["id"] not in nodes
            nodes[one.attrib["id"]] = found
        else:
            assert one.tag == f"{_ML}edge"
            edges.append((one.attrib["source"], one.attrib["target"], found))
    assert {end for edge in edges for end in edge[:2]} <= set(nodes), "edges lead to nodes"
    return nodes, edges


def _of_type(text: str, type_: str) -> None:
    if type_ == "boolean":
        assert text in ("true", "false")
    elif type_ == "long":
        assert -(2**63) <= int(text) < 2**63
    elif type_ == "double":
        float(text)


@given(memories())
def test_graphml_keeps_the_schema_and_every_name(memory: MemoryFigures) -> None:
    nodes, edges = read_graphml(export_memory(memory, "graphml"))
    names = sorted(one["name"] for one in nodes.values() if one["type"] not in ("Session", "Task"))
    assert names == sorted(as_read(one.name) for one in memory.entities)
    assert sorted(one["type"] for _, _, one in edges) == sorted(one.type for one in memory.relations)


def test_graphml_declares_numbers_as_numbers() -> None:
    text = export_memory(COMPANY, "graphml")
    nodes, edges = read_graphml(text)
    assert '<key id="node.confidence" for="node" attr.name="confidence" attr.type="double" />' in text
    assert nodes["i1"]["property_key_learning"] == "raise slowly"
    assert json.loads(nodes["i1"]["observations"])[0]["content"] == "Churn rose after the increase"
    assert ("i1", "c1", "about") in [(*ends, one.get("property_predicate")) for *ends, one in edges]


# JSON-LD.

_OURS = "http://mabos.ai/ontology/memory/"


def iri(id_: str) -> str:
    return f"urn:mabos:memory:{id_}"


@given(memories())
@settings(max_examples=40, deadline=None)
def test_json_ld_is_read_as_the_same_graph(memory: MemoryFigures) -> None:
    read = Graph().parse(data=export_memory(memory, "jsonld"), format="json-ld")
    known = {unquote(str(one)): read for one in read.subjects(unique=True)}
    assert {iri(one.id) for one in memory.entities} <= set(known)
    said = {
        (unquote(str(one)), str(type_).removeprefix(_OURS), unquote(str(other)))
        for one, type_, other in read
        if str(type_).removeprefix(_OURS) in RELATION_TYPES
    }
    assert said == {(iri(one.from_id), one.type, iri(one.to_id)) for one in memory.relations}
    labels = sorted(str(one) for one in read.objects(None, RDFS.label))
    assert set(labels) == {one.label for one in memory.entities if one.label}


def test_json_ld_tells_when_a_relation_holds() -> None:
    read = Graph().parse(data=export_memory(COMPANY, "jsonld"), format="json-ld")
    statement = URIRef(iri("r1"))
    assert (statement, RDF.type, RDF.Statement) in read
    assert (statement, RDF.subject, URIRef(iri("i1"))) in read
    assert (statement, RDF.predicate, URIRef(f"{_OURS}RELATES_TO")) in read
    assert (statement, RDF.object, URIRef(iri("c1"))) in read
    begun = read.value(statement, URIRef(f"{_OURS}valid_from"))
    assert isinstance(begun, Literal)
    assert begun.toPython().isoformat() == "2026-01-01T00:00:00+00:00"
    assert (URIRef(iri("i1")), URIRef(f"{_OURS}observations"), URIRef(iri("o1"))) in read


# DOT.

_DOT = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(->|[{}\[\];,=])|([A-Za-z]\w*))', re.DOTALL)


def dot_words(text: str) -> Iterator[str]:
    """Yield the words of a DOT file: whatever is quoted is one of them."""
    at = 0
    while at < len(text.rstrip()):
        found = _DOT.match(text, at)
        assert found, f"no word of DOT: {text[at : at + 40]!r}"
        yield found[0].strip() if found[1] is None else found[1]
        at = found.end()


@given(memories())
def test_names_stay_inside_the_quotes_of_dot(memory: MemoryFigures) -> None:
    words = list(dot_words(export_memory(memory, "graphviz")))
    plain = [one for one in words if not one.startswith('"')]
    ours = "digraph memory rankdir LR node shape box style dashed subgraph label tooltip fillcolor -> { } [ ] ; , ="
    assert set(plain) <= set(ours.split())
    types = {one.type for one in memory.entities} | {
        one.to_id.split(":")[0] for one in memory.relations if ":" in one.to_id
    }
    assert plain.count("subgraph") <= len(types)
    assert plain.count("->") == len(memory.relations)
    assert plain.count("fillcolor") >= len(memory.entities)


def test_dot_shows_clusters_and_times() -> None:
    text = export_memory(COMPANY, "graphviz")
    assert 'subgraph "cluster_Insight" {' in text
    style = 'fillcolor="#cfe8ff", style="rounded,filled,dashed"'
    assert f'"c1" [label="Churn\\nuntil 2026-06-01", tooltip="", {style}];' in text
    assert '"i1" -> "c1" [label="RELATES_TO\\nabout\\nsince 2026-01-01"];' in text
    assert '"i1" -> "session:s1" [label="EXTRACTED_FROM\\nuntil 2026-06-01", style=dashed];' in text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_hostile_names() -> None:
    entities = [Entity(f"{number}{name}", "Concept", name, name) for number, name in enumerate(HOSTILE)]
    text = export_memory(MemoryFigures(entities, [], []), "graphviz")
    read = subprocess.run(["dot", "-Tjson0"], input=text, capture_output=True, text=True, check=True)
    objects: list[dict[str, Any]] = json.loads(read.stdout)["objects"]
    assert len(objects) == len(HOSTILE) + 1, "and the cluster"


# Cypher.


@given(memories())
def test_a_script_has_a_statement_a_line_whatever_the_names(memory: MemoryFigures) -> None:
    lines = export_memory(memory, "cypher").rstrip("\n").split("\n")
    referred = {one.to_id for one in memory.relations} - {one.id for one in memory.entities}
    seen = 1 + len(memory.entities) + len(referred) + len(memory.relations) + len(memory.observations)
    assert len(lines) == seen
    assert all(line.endswith(";") for line in lines)
    assert not any(re.search(r"(?<!\\)(?:\\\\)*\\u", line) for line in lines), "Neo4j would read it as a quote"


@pytest.fixture
def bolt(neo4j_server: Server) -> Iterator[Bolt]:
    opened = neo4j_server.bolt()
    yield opened
    opened.close()


def load(bolt: Bolt, memory: MemoryFigures) -> None:
    for line in export_memory(memory, "cypher").rstrip("\n").split("\n"):
        bolt.run(line, database="neo4j")


def test_neo4j_reads_hostile_names_as_they_are_however_often(bolt: Bolt) -> None:
    mine = business()
    entities = [
        Entity(f"{mine} {name}", "Concept", name, name, {"domain": name, name: name, "related_concepts": [name, "b"]})
        for name in HOSTILE
    ]
    relations = [
        Relation(f"{mine} r {one.name}", "RELATES_TO", one.id, entities[0].id, {"predicate": one.name, "w": 1e300})
        for one in entities
    ]
    seen = [Observation(f"{mine} o {one.name}", one.id, one.name) for one in entities]
    for _ in range(2):
        load(bolt, MemoryFigures(entities, relations, seen))
    rows = bolt.read(
        "MATCH (o:Observation)-[:OBSERVES]->(n:Knowledge:Concept)-[r:RELATES_TO]->(m:Concept) WHERE n.id STARTS WITH "
        "$mine RETURN n.name AS name, n.property_domain AS domain, n.property_related_concepts AS related, o.content "
        "AS content, r.property_predicate AS predicate, r.property_w AS weight, m.name AS other",
        {"mine": mine},
        database="neo4j",
    )
    expected = [
        {
            "name": legible(name),
            "domain": legible(name),
            "related": [legible(name), "b"],
            "content": legible(name),
            "predicate": legible(name),
            "weight": 1e300,
            "other": HOSTILE[0],
        }
        for name in HOSTILE
    ]
    assert sorted(rows, key=lambda row: str(row["name"])) == sorted(expected, key=lambda row: str(row["name"]))


@given(memory=memories())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_neo4j_takes_every_memory(bolt: Bolt, memory: MemoryFigures) -> None:
    load(bolt, memory)
    rows = bolt.read("MATCH (n:Knowledge) RETURN n.id AS id, n.name AS name", database="neo4j")
    named = {str(row["id"]): row["name"] for row in rows}
    assert all(named[legible(one.id)] == legible(one.name) for one in memory.entities)
