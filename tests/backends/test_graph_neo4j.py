"""A business's graph on a real Neo4j: read back as given, apart from other businesses, whole or not at all."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.graph.bolt import Bolt
from mabos.backends.graph.breaker import FAILURES
from mabos.backends.graph.content import digest_of, fingerprint
from mabos.backends.graph.cypher import quote_type
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, Gone, GraphBatch, Node, NodeCondition
from mabos.backends.graph.neo4j import Neo4jGraph, chosen_database, database_name
from mabos.backends.graph.tier import GraphTier
from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.knowledge.ontology.graph_schema import SchemaStatement
from tests.contracts.graph_tiers import served
from tests.contracts.neo4j_server import Server, business
from tests.contracts.proxy import Proxy

NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,62}", fullmatch=True)


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Server:
    return served(request)


@pytest.fixture(scope="module")
def bolt(server: Server) -> Iterator[Bolt]:
    """One connection for all examples of a law."""
    opened = server.bolt()
    yield opened
    opened.close()


@pytest.fixture
def graph(server: Server) -> Iterator[Neo4jGraph]:
    opened = server.graph(business())
    yield opened
    opened.close()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with server.proxy() as opened:
        yield opened


def goal(uid: str, **fields: Any) -> Node:
    return Node(uid, fields.pop("type", "goal"), **{"revision": 1, **fields})


def raw(graph: Neo4jGraph, text: str, **parameters: Any) -> list[dict[str, Any]]:
    return graph.bolt.read(text, {"label": f"mabos:{graph.business_id}", **parameters}, database=graph.database)


# What is kept.


def strange_values() -> dict[str, Any]:
    return {
        "whole": 3,
        "huge": 2**63 - 1,
        "part": 2.0,
        "text": "the node's own name",
        "yes": True,
        "none": None,
        "list": [1, 2],
        "mixed": [1, "a", None],
        "nested": {"a": [{"b": 1.5}]},
        "": "no name",
        "größe": "ß",
        "with space": "`back` 'ticks' \\u0041 \n",
        "uid": "another",
        "revision": -5,
        "nul": "a\x00b",
    }


def test_a_node_and_an_edge_read_back_as_given_whatever_their_properties_are(graph: Neo4jGraph) -> None:
    one = goal("a", name="A", properties=strange_values(), audience=("user:kim", "agent:cfo"), valid_from="2026")
    edge = Edge("e", "supports", "a", "b", properties=strange_values(), weight=-0.5, valid_to="2027", revision=1)
    graph.apply(GraphBatch([one, goal("b")], [edge]))
    assert graph.fetch(["a"]) == [one]
    [step] = graph.expand(["a"], "out")
    assert (step.edge, step.node) == (edge, goal("b"))


def test_properties_are_asked_in_cypher_by_their_names(graph: Neo4jGraph) -> None:
    graph.apply(GraphBatch([goal(str(number), properties={"progress": number}) for number in range(0, 100, 20)]))
    found = raw(graph, "MATCH (g:Goal) WHERE $label IN labels(g) AND g.progress < 50 RETURN g.progress AS progress")
    assert sorted(row["progress"] for row in found) == [0, 20, 40]


def test_a_node_that_changes_its_type_has_the_new_label_only(graph: Neo4jGraph) -> None:
    graph.apply(GraphBatch([goal("a"), goal("b")]))
    graph.apply(GraphBatch([goal("a", type="task", revision=2)]))
    found = raw(graph, "MATCH (n:Mabos) WHERE $label IN labels(n) RETURN n.uid AS uid, labels(n) AS labels")
    ours = {"Mabos", f"mabos:{graph.business_id}"}
    labels = {row["uid"]: set(row["labels"]) - ours for row in found}
    assert labels == {"a": {"Task"}, "b": {"Goal"}}


def test_names_times_and_numbers_are_as_neo4j_has_them(graph: Neo4jGraph) -> None:
    told = {"deadline": "2026-03-31", "created_at": "2026-01-05T09:00:00.000Z", "value": "6.6e+04", "code": "007"}
    step = Node("s", "plan_step", "S", "", told, valid_from="2026-01-05T09:00:00.000Z", revision=1)
    profile = Node("p", "Agent", "cfo", "", {"properties": {"tasks": 3}}, revision=1)
    graph.apply(GraphBatch([step, profile], [Edge("e", "agent_owns", "p", "s", revision=1)]))
    [row] = raw(
        graph,
        "MATCH (p:AgentProfile)-[r:AGENT_OWNS]->(s:PlanStep) WHERE $label IN labels(s) AND p.tasks = 3 AND "
        "s.deadline = date('2026-03-31') AND s.created_at < datetime() AND s.value > 65000 AND s.code = '007' "
        "RETURN s.valid_from.year AS year, [one IN keys(s) WHERE NOT one STARTS WITH '_'] AS keys",
    )
    plain = {"uid", "business_id", "type", "name", "text", "valid_from", *told}
    assert (row["year"], set(row["keys"])) == (2026, plain)
    assert graph.fetch(["s"]) == [step]
    same = [NodeCondition("deadline", "=", "2026-03-31"), NodeCondition("value", "in", ("6.6e+04", "x"))]
    assert graph.find(["plan_step"], same) == [step]
    assert graph.query("MATCH (a:AgentProfile)-[:agent_owns]->(s:plan_step) RETURN s.name AS name").rows == [
        {"name": "S"}
    ]


def test_an_edge_that_changes_type_or_ends_is_still_one_edge(graph: Neo4jGraph) -> None:
    graph.apply(GraphBatch([goal("a"), goal("b"), goal("c")], [Edge("e", "supports", "a", "b", revision=1)]))
    for revision, moved in enumerate([("blocks", "a", "b"), ("blocks", "b", "a"), ("supports", "c", "b")], 2):
        assert graph.apply(GraphBatch(edges=[Edge("e", *moved, revision=revision)])) == 1
        assert graph.digest().edges == 1
    assert raw(graph, "MATCH (:Mabos {uid: 'c'})-[r:SUPPORTS]->(n) WHERE n.business_id = $b RETURN n.uid AS end",
               b=graph.business_id) == [{"end": "b"}]  # fmt: skip


def test_an_edge_is_there_only_while_both_its_ends_are(graph: Neo4jGraph) -> None:
    def count() -> int:
        found = raw(graph, "MATCH (n:Mabos {business_id: $own}) RETURN count(n) AS count", own=graph.business_id)
        return int(found[0]["count"])

    graph.apply(GraphBatch([goal("a")], [Edge("e", "supports", "a", "x", revision=1)]))
    assert (count(), graph.digest().edges) == (1, 0)
    graph.apply(GraphBatch([goal("x")], [Edge("e", "supports", "a", "x", revision=1)]))
    assert (count(), graph.digest().edges) == (2, 1)
    graph.apply(GraphBatch(gone=[Gone("a", "node", 2)]))
    assert (count(), graph.digest().edges) == (1, 0)


def test_businesses_that_share_a_database_never_see_each_other(server: Server) -> None:
    ours, theirs = server.graph(business()), server.graph(business())
    for graph, word in ((ours, "ours"), (theirs, "theirs")):
        nodes = [goal("a", name=word, text="budget"), goal(word, text="budget")]
        graph.apply(GraphBatch(nodes, [Edge("e", "supports", "a", word, revision=1)]))
    theirs.apply(GraphBatch(gone=[Gone("a", "node", 9)]))
    assert [node.name for node in ours.fetch(["a", "theirs"])] == ["ours"]
    assert [node.uid for node in ours.find()] == ["a", "ours"]
    assert [step.node.uid for step in ours.expand(["a"])] == ["ours"]
    assert {one.node.uid for one in ours.search("budget")} == {"a", "ours"}
    assert [group.count for group in ours.aggregate()] == [1]
    assert [one.uid for page in ours.kept("node") for one in page] == ["a", "ours"]
    assert (ours.digest().nodes, theirs.digest().nodes) == (2, 1)


CONDITIONS: list[tuple[NodeCondition, set[str]]] = [
    (NodeCondition("value", "=", 1), {"one", "float"}),
    (NodeCondition("value", "=", True), {"true"}),
    (NodeCondition("value", "=", None), {"none", "absent"}),
    (NodeCondition("value", "<", 2), {"one", "float"}),
    (NodeCondition("value", ">=", "1"), {"text", "astral", "bmp"}),
    (NodeCondition("value", "in", (1, "1")), {"one", "float", "text"}),
    (NodeCondition("uid", "=", "one"), {"one"}),
    (NodeCondition("type", "!=", "goal"), set()),
    (NodeCondition("text", "=", "hidden"), {"own"}),
    (NodeCondition("value", ">", "𐀀"), {"astral"}),
]


@pytest.fixture(scope="module")
def valued(request: pytest.FixtureRequest) -> Iterator[Neo4jGraph]:
    values = {"one": 1, "float": 1.0, "true": True, "none": None, "text": "1", "list": [1], "astral": "𐀀a", "bmp": "ﬀ"}
    nodes = [goal(name, properties={"value": value}) for name, value in values.items()]
    graph = served(request).graph(business())
    graph.apply(GraphBatch([*nodes, goal("absent"), goal("own", properties={"text": "hidden", "value": []})]))
    yield graph
    graph.close()


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_conditions_mean_on_the_server_what_they_mean_elsewhere(
    valued: Neo4jGraph, tmp_path: Path, condition: NodeCondition, expected: set[str]
) -> None:
    embedded = EmbeddedGraph(tmp_path / "graph.sqlite")
    embedded.apply(GraphBatch(valued.find()))
    assert valued.find(where=[condition]) == embedded.find(where=[condition])
    assert {node.uid for node in valued.find(where=[condition])} == expected


def test_find_goes_on_where_a_page_holds_none_that_fits(graph: Neo4jGraph) -> None:
    tags = {1150: ["last"]}
    graph.apply(GraphBatch([goal(f"n{one:04}", properties={"tags": tags.get(one, ["other"])}) for one in range(1200)]))
    assert [node.uid for node in graph.find(where=[NodeCondition("tags", "contains", "last")])] == ["n1150"]
    assert len(graph.find(limit=1100)) == 1100
    assert graph.find(limit=0) == []


# Changes, in whatever order they come.

UIDS = st.sampled_from("abcd")
CHANGES = st.one_of(
    st.builds(goal, UIDS, type=st.sampled_from(["goal", "task"]), name=st.text(max_size=3), revision=st.integers(1, 9)),
    st.builds(
        lambda uid, type_, start, end, revision: Edge(f"e{uid}", type_, start, end, revision=revision),
        UIDS, st.sampled_from(["supports", "blocks"]), UIDS, UIDS, st.integers(1, 9),
    ),
    st.builds(lambda uid, revision: Gone(uid, "node", revision), UIDS, st.integers(1, 9)),
    st.builds(lambda uid, revision: Gone(f"e{uid}", "edge", revision), UIDS, st.integers(1, 9)),
)  # fmt: skip


def batch(changes: list[Node | Edge | Gone]) -> GraphBatch:
    last = {("edge" if isinstance(one, Edge) or one.uid[0] == "e" else "node", one.uid): one for one in changes}
    return GraphBatch(
        [one for one in last.values() if isinstance(one, Node)],
        [one for one in last.values() if isinstance(one, Edge)],
        [one for one in last.values() if isinstance(one, Gone)],
    )


def everything(tier: GraphTier) -> list[Any]:
    nodes = tier.find()
    return [nodes, tier.expand([node.uid for node in nodes], "out"), tier.aggregate(), tier.digest()]


@settings(max_examples=12, deadline=None)
@given(batches=st.lists(st.lists(CHANGES, min_size=1, max_size=6), min_size=1, max_size=5))
def test_after_any_changes_the_copy_says_what_the_embedded_graph_says(
    bolt: Bolt, tmp_path_factory: pytest.TempPathFactory, batches: list[list[Node | Edge | Gone]]
) -> None:
    embedded = EmbeddedGraph(tmp_path_factory.mktemp("graph") / "graph.sqlite")
    copy = Neo4jGraph(business(), bolt)
    embedded.sinks.add("copy")
    for changes in batches:
        embedded.apply(batch(changes))
        while (leased := embedded.sinks.lease("copy")).rows:
            copy.apply(leased.batch)
            embedded.sinks.done(leased)
            assert copy.apply(leased.batch) == 0, "twice is once"
        assert everything(copy) == everything(embedded)
    embedded.close()


def test_the_digest_is_the_sum_of_what_the_rows_say(graph: Neo4jGraph) -> None:
    nodes = [goal(str(number), name="x") for number in range(5)]
    graph.apply(GraphBatch(nodes))
    highs, lows = zip(*map(fingerprint, nodes), strict=True)
    assert graph.digest() == digest_of(5, 0, sum(highs), sum(lows))


# The server.


def test_the_schema_is_made_once_and_again_when_it_has_changed(server: Server) -> None:
    graph = server.graph(business())
    index = SchemaStatement("CREATE INDEX test_horizon IF NOT EXISTS FOR (n:goal) ON (n.horizon)", {})
    rows = SchemaStatement("UNWIND $rows AS row MERGE (c:Class {uri: row.uri})", {"rows": [{"uri": "test:Goal"}]})
    made = [graph.ensure_schema(statements) for statements in ([], [], [index, rows], [index, rows])]
    assert made == [True, False, True, False]
    graph.bolt.run("DROP INDEX test_horizon", database=graph.database)
    assert graph.schema() == "", "an index that somebody dropped is noticed"
    assert [graph.ensure_schema([index, rows]) for _ in range(2)] == [True, False]
    assert raw(graph, "MATCH (c:Class {uri: 'test:Goal'}) RETURN count(c) AS count") == [{"count": 1}]


def test_several_that_make_their_schema_at_once_do_not_stand_in_each_others_way(server: Server) -> None:
    mark = business().replace("-", "")

    def work(number: int) -> int:
        graph = server.graph(business())
        text = f"CREATE CONSTRAINT {mark}_{number} IF NOT EXISTS FOR (n:{mark}) REQUIRE n.p{number} IS UNIQUE"
        for _ in range(3):
            graph.ensure_schema([SchemaStatement(text, {})])
            graph.apply(GraphBatch([goal("a")], [Edge("e", f"{mark}_{number % 2}", "a", "a", revision=1)]))
        found = graph.digest().edges
        graph.bolt.run(f"DROP CONSTRAINT {mark}_{number}", database=graph.database)
        graph.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [1] * 4


@given(NAMES, NAMES)
def test_the_name_of_a_database_is_one_that_neo4j_takes(one: str, other: str) -> None:
    for name in (database_name(one), database_name(other)):
        assert 3 <= len(name) <= 63
        assert name[0].isalpha()
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert not name.endswith("-")
    if one.replace("_", "-").rstrip("-") != other.replace("_", "-").rstrip("-"):
        assert database_name(one) != database_name(other)


@dataclass
class Edition(Bolt):
    """A server of some edition with some databases, that notes what it is told."""

    edition: str
    databases: list[str]

    def read(self, text: str, *_: Any, **__: Any) -> list[dict[str, Any]]:
        if "SHOW DATABASES" in text:
            return [{"name": name, "home": name == "neo4j"} for name in self.databases]
        return [{"version": "5.26", "edition": self.edition}]

    def run(self, text: str, parameters: Any = None, *, database: str) -> list[dict[str, Any]]:
        assert (text, database) == ("CREATE DATABASE $name IF NOT EXISTS WAIT", "system")
        self.databases.append(parameters["name"])
        return []


def test_a_business_has_its_own_database_where_the_server_allows_several() -> None:
    server = Edition("enterprise", ["neo4j"])
    assert chosen_database(server, "acme_2") == "mabos-acme-2"
    assert chosen_database(server, "acme_2") == "mabos-acme-2"
    assert server.databases == ["neo4j", "mabos-acme-2"]


def test_businesses_share_the_only_database_of_the_community_edition() -> None:
    assert chosen_database(Edition("community", ["neo4j"]), "acme") == "neo4j"
    assert chosen_database(Edition("community", ["graphs", "neo4j"]), "acme") == "neo4j"


def test_names_that_are_no_plain_names_never_reach_a_statement() -> None:
    for name in ("a`) DETACH DELETE n //", "a b", "", "ä", "a\\u0060"):
        with pytest.raises(InvalidArgument):
            quote_type(name)
        with pytest.raises(InvalidArgument):
            Neo4jGraph(name, Bolt("bolt://x", "", ""))


# What goes wrong.


def test_where_nothing_listens_it_says_what_to_do_and_from_the_third_call_on_asks_nobody() -> None:
    with Proxy("127.0.0.1", 9) as proxy:
        proxy.turn("refuse")
        graph = Neo4jGraph("acme", Bolt(f"bolt://127.0.0.1:{proxy.port}", "neo4j", "secret"))
        for _ in range(FAILURES):
            with pytest.raises(Unavailable, match="make neo4j"):
                graph.fetch(["a"])
        proxy.turn("pass")
        for call in (lambda: graph.fetch(["a"]), graph.digest, lambda: graph.apply(GraphBatch([goal("a")]))):
            with pytest.raises(Unavailable, match="make neo4j"):
                call()
        status = graph.status()
        assert (status.is_available, status.facts["breaker"], proxy.accepted) == (False, "open", 0)
        assert "secret" not in str(status)


def test_a_server_that_falls_silent_is_left_after_the_time_it_was_given(server: Server, proxy: Proxy) -> None:
    graph = Neo4jGraph(business(), server.bolt(port=proxy.port, grace_s=0.3))
    graph.apply(GraphBatch([goal("a")]))
    proxy.turn("silent")
    with pytest.raises(Unavailable, match="does not answer"):
        graph.bolt.read("RETURN 1", database=graph.database, seconds=0.2)
    proxy.turn("pass")
    assert graph.fetch(["a"]) == [goal("a")]


def test_a_batch_that_dies_midway_leaves_nothing_and_goes_through_the_next_time(server: Server, proxy: Proxy) -> None:
    graph = server.graph(business(), port=proxy.port)
    graph.apply(GraphBatch([goal("first")], [Edge("e", "supports", "first", "first", revision=1)]))
    many = [goal(f"n{number}", text="x" * 100) for number in range(500)]
    for sent in (200, 20_000, 60_000):
        proxy.cut_after(sent)
        with pytest.raises(Unavailable):
            graph.apply(GraphBatch(many))
        assert graph.digest().nodes == 1
    assert graph.apply(GraphBatch(many)) == 500


def test_a_slow_server_is_only_slow(server: Server, proxy: Proxy) -> None:
    graph = server.graph(business(), port=proxy.port)
    proxy.delay_s = 0.01
    assert graph.apply(GraphBatch([goal("a")])) == 1
    assert graph.bolt.breaker.state == "closed"


def test_what_the_server_refuses_is_an_answer_and_not_a_failure(graph: Neo4jGraph) -> None:
    for _ in range(FAILURES + 1):
        with pytest.raises(InvalidArgument, match="SyntaxError"):
            graph.bolt.read("MATCH (", database=graph.database)
    assert graph.bolt.breaker.state == "closed"
    with pytest.raises(InvalidArgument):
        graph.bolt.read("CREATE (n:Stray)", database=graph.database)


def test_a_wrong_password_names_the_settings_and_never_the_password(server: Server) -> None:
    graph = Neo4jGraph("acme", Bolt(server.uri, "nobody", "wrong-password"))
    with pytest.raises(Unavailable, match="NEO4J_PASSWORD") as caught:
        graph.digest()
    assert "wrong-password" not in str(caught.value)


@pytest.mark.parametrize("uri", ["", "http://127.0.0.1:1", "bolt://", "nonsense"])
def test_an_address_that_is_none_says_what_one_looks_like(uri: str) -> None:
    with pytest.raises(Unavailable, match="bolt://host:7687"):
        Neo4jGraph("acme", Bolt(uri, "neo4j", "")).digest()


@pytest.mark.parametrize("password", ["hunter2", "hun#ter2", "hun?ter2"])
def test_a_password_in_the_address_is_told_nowhere(password: str) -> None:
    graph = Neo4jGraph("acme", Bolt(f"bolt://owner:{password}@127.0.0.1:9", "neo4j", ""))
    for _ in range(FAILURES + 1):
        assert "hun" not in str(graph.status())
        with pytest.raises(Unavailable, match="NEO4J_PASSWORD") as caught:
            graph.digest()
        assert "hun" not in caught.value.message


def test_closing_twice_is_allowed_and_the_next_call_connects_anew(graph: Neo4jGraph) -> None:
    graph.apply(GraphBatch([goal("a")]))
    graph.close()
    graph.close()
    assert graph.fetch(["a"]) == [goal("a")]
