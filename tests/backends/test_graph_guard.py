"""Cypher of agents: questions about their own graph are run as they are meant, and nothing else is run at all."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.graph.cypher import visible
from mabos.backends.graph.guard import check_statement
from mabos.backends.graph.model import EVERYTHING, Edge, GraphBatch, GraphView, Node
from mabos.backends.graph.neo4j import Neo4jGraph
from mabos.configs.errors import InvalidArgument
from tests.contracts.graph_tiers import served
from tests.contracts.neo4j_server import business

OURS = "`mabos:ours`"

ATTACKS = [
    # changes, plain and hidden
    "CREATE (n:goal)",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) DELETE n",
    "MATCH (n) SET n.name = 'x' RETURN n",
    "MATCH (n) SET n += {a: 1}",
    "MATCH (n) REMOVE n.name RETURN n",
    "MATCH (n) REMOVE n:goal",
    "MERGE (n:goal {uid: 'x'}) RETURN n",
    "MATCH (n) MERGE (n)-[:x]->(m) RETURN m",
    "MATCH (n) FOREACH (x IN [1] | SET n.name = 'x')",
    "MATCH (n) RETURN n CREATE (m)",
    "MATCH (n) WITH n CREATE (m) RETURN m",
    "MATCH (n) WHERE n.a = 1 SET n.a = 2",
    "RETURN 1 INSERT (n:goal)",
    "MATCH (n) NODETACH DELETE n",
    "create (n)",
    "cReAtE (n) return n",
    "MATCH (n) RETURN n UNION CREATE (m) RETURN m",
    # comments
    "/* MATCH */ CREATE (n)",
    "MATCH (n) /**/ SET /**/ n.a = 1",
    "MATCH (n) // RETURN n\nDELETE n",
    "CRE/**/ATE (n)",
    "MATCH (n) RETURN n /* open",
    "CALL/**/apoc.load.json('http://x') YIELD value RETURN value",
    "MATCH (n) RETURN n /* */ */ DELETE n",
    # look-alikes and escapes
    "\\u0043REATE (n)",
    "\\U0043REATE (n)",
    "MATCH (n) RETURN '\\u0027 DELETE n //'",
    "MATCH (n) RETURN 'a\\\\u0027 DELETE n //'",
    "MATCH (n) RETURN n.`a\\u0060 DELETE n`",
    "/* \\u002a\\u002f CREATE (n) */ MATCH (n) RETURN n",
    "ＣＲＥＡＴＥ (n)",
    "MATCH (n) ＤＥＬＥＴＥ n",
    "MATCH (n)\u00a0RETURN n",
    "MATCH (n)\u2028DELETE n",
    "MATCH (a)\u2010[:x]\u2010(b) RETURN a",
    "MATCH (a)\u2014\u2014(b) RETURN a",
    "MATCH (ｎ) RETURN ｎ",
    "MATCH (n) RETURN n.größe",
    "MATCH (n) RETURN ＇x＇",
    "MATCH (n)\x00RETURN n",
    # quotes that do not close where they seem to
    "MATCH (n:`goal``) DELETE n //`) RETURN n",
    "MATCH (n) RETURN 'x",
    "MATCH (n) RETURN \"x' DELETE n",
    "MATCH (n) RETURN 'x\\' DELETE n",
    "MATCH (n:`a\nb`) RETURN n",
    "MATCH (n:``) RETURN n",
    # labels and types that carry something
    "MATCH (n:goal) DETACH DELETE n //) RETURN n",
    "MATCH (n:$(label)) RETURN n",
    "MATCH (n:$any($labels)) RETURN n",
    "MATCH ()-[r:$(type)]->() RETURN r",
    "MATCH (n IS goal) RETURN n",
    "MATCH (n:%) RETURN n",
    # other places, procedures and programs
    "CALL db.labels()",
    "CALL db.labels() YIELD label RETURN label",
    "CALL dbms.components()",
    "CALL dbms.security.listUsers()",
    "CALL dbms.killQueries(['1'])",
    "CALL apoc.cypher.runWrite('CREATE (n)', {})",
    "CALL `apoc`.`load`.`json`('file:///etc/passwd')",
    "MATCH (n) CALL { CREATE (m) } RETURN n",
    "MATCH (n) CALL (n) { DELETE n } RETURN n",
    "CALL { MATCH (n) RETURN n } IN TRANSACTIONS RETURN n",
    "MATCH (n) CALL db.index.fulltext.queryNodes('mabos_text', 'x') YIELD node RETURN node",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "MATCH (n) LOAD CSV WITH HEADERS FROM 'http://169.254.169.254/' AS line RETURN line",
    "USING PERIODIC COMMIT LOAD CSV FROM 'x' AS l CREATE (n)",
    "USE system SHOW USERS",
    "USE neo4j MATCH (n) RETURN n",
    "SHOW DATABASES",
    "SHOW USERS YIELD user RETURN user",
    "SHOW INDEXES",
    "TERMINATE TRANSACTIONS '1'",
    "DROP CONSTRAINT mabos_uid",
    "CREATE INDEX x FOR (n:goal) ON (n.a)",
    "ALTER USER neo4j SET PASSWORD 'x'",
    "GRANT ALL ON DATABASE * TO PUBLIC",
    "START n = node(*) RETURN n",
    "EXPLAIN MATCH (n) RETURN n",
    "PROFILE MATCH (n) RETURN n",
    "CYPHER 25 MATCH (n) RETURN n",
    "CYPHER runtime=parallel MATCH (n) RETURN n",
    "MATCH (n) RETURN apoc.text.join(['a'], 'b')",
    "MATCH (n) RETURN randomUUID()",
    "MATCH (n) RETURN genai.vector.encode('x', 'OpenAI')",
    "MATCH (n) RETURN `toUpper`(n.name)",
    "MATCH (n) USING INDEX n:goal(a) RETURN n",
    # several statements
    "MATCH (n) RETURN n; MATCH (n) DELETE n",
    "MATCH (n) RETURN n;;",
    "; MATCH (n) RETURN n",
    "MATCH (n) RETURN n MATCH (m) RETURN m",
    # more than a server should do
    "MATCH (a)-[*]-(b) RETURN count(*)",
    "MATCH (a)-[*3..]-(b) RETURN count(*)",
    "MATCH (a)-[*..7]-(b) RETURN count(*)",
    "MATCH (a)-[*1..4]-(b)-[*1..4]-(c) RETURN count(*)",
    "MATCH p = shortestPath((a)-[*]-(b)) RETURN p",
    "MATCH p = shortestPath((a)-[*..99]-(b)) RETURN p",
    "MATCH p = allShortestPaths((a)-[*..6]-(b)) RETURN p",
    "MATCH p = SHORTEST 9 (a)-->+(b) RETURN p",
    "MATCH (a)((x)-->(y)){1,99}(b) RETURN count(*)",
    "MATCH (a)-->+(b) RETURN count(*)",
    "MATCH (a)-->{1,99}(b) RETURN count(*)",
    "UNWIND range(1, 1000000000) AS x RETURN count(x)",
    "UNWIND range(1, $many) AS x RETURN count(x)",
    "RETURN reduce(s = 'x', i IN range(1, 99) | s + s)",
    "MATCH (n) WHERE n.name =~ '(a+)+b' RETURN n",
    "RETURN replace('aaaa', 'a', 'aaaa')",
    "WITH 'x' AS s " + "WITH s + s AS s " * 40 + "RETURN s",
    "RETURN [a IN [1] | [b IN [1] | [c IN [1] | c]]]",
    "RETURN " + "(" * 200 + "1" + ")" * 200,
    "MATCH (n:" + "!" * 3000 + "goal) RETURN n",
    "MATCH (n:" + "(" * 1900 + "goal" + ")" * 1900 + ") RETURN n",
    "MATCH (n) WHERE n:" + "!(" * 900 + "goal" + ")" * 900 + " RETURN n",
    "RETURN '" + "x" * 5000 + "'",
    # what is no question
    "",
    "   ",
    "// nothing",
    "MATCH (n)",
    "RETURN",
    "MATCH (n RETURN n",
    "MATCH (n) RETURN $mabos_0",
    "MATCH (n) WHERE RETURN n",
    "null",
]

READS = [
    "MATCH (n) RETURN n",
    "match (g:goal) where g.progress < 50 return g.name order by g.progress desc skip 1 limit 3;",
    "MATCH (g:goal {horizon: 'long'}) RETURN g.name AS name",
    'MATCH (g:goal) WHERE g.name CONTAINS "a \\"b\\"" OR g.name STARTS WITH \'x\' RETURN count(*) AS count',
    "MATCH (a)-->(b) RETURN a.name, b.name",
    "MATCH (a)-[r:supports]->(b) RETURN type(r), r.weight, startNode(r).name, endNode(r).name",
    "MATCH (a)<-[r:supports|blocks]-(b:goal) WHERE r.weight >= 0.5 RETURN a, r, b",
    "MATCH (a)--(b) RETURN DISTINCT labels(a) AS labels",
    "MATCH (a:goal:Mabos)-[:supports*1..3]->(b) RETURN a.name, b.name",
    "MATCH (a)-[r:supports*2]->(b) RETURN size(r) AS hops, [x IN r | x.weight] AS weights",
    "MATCH p = (a)-[*..4]->(b) RETURN [n IN nodes(p) | n.name] AS names, length(p)",
    "MATCH p = (a)-[*0..1]-(b) RETURN length(p), count(*)",
    "MATCH p = shortestPath((a:goal)-[*..5]-(b:task)) RETURN nodes(p), relationships(p)",
    "MATCH (a:goal), (b:task), p = shortestPath((a)-[:supports*..6]->(b)) WHERE a <> b RETURN length(p) AS hops",
    "OPTIONAL MATCH (a:nothing) RETURN a",
    "MATCH (a:goal) OPTIONAL MATCH (a)-[:supports]->(b) RETURN a.name, collect(b.name) AS supported",
    "MATCH (a:goal|task) RETURN a.type, count(a) AS many ORDER BY many DESC, a.type ASC",
    "MATCH (a:!goal) RETURN a.name",
    "MATCH (a:(goal|task)&!person) RETURN a.name",
    "MATCH (a:!!((goal|!((task)))&!person)) RETURN a.name",
    "MATCH (a WHERE a.progress > 10) RETURN a.name",
    "MATCH (a)-[r WHERE r.weight > 0.1]->(b) RETURN count(r)",
    "MATCH (a) WHERE (a)-[:supports]->(:goal) RETURN a.name",
    "MATCH (a) WHERE NOT (a)-->() AND NOT (a)<--() RETURN a.name",
    "MATCH (a) WHERE EXISTS { (a)-[:supports*1..2]->(b:task) WHERE b.name <> a.name } RETURN a.name",
    "MATCH (a) WHERE EXISTS { MATCH (a)-->(b) RETURN b } RETURN a.name",
    "MATCH (a) RETURN a.name, COUNT { (a)--() } AS degree ORDER BY degree",
    "MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN b.name } AS names",
    "MATCH (a) RETURN [(a)-[:supports]->(b) WHERE b.progress > 1 | b.name] AS names",
    "MATCH (a) RETURN [p = (a)-->(b) | length(p)] AS lengths",
    "MATCH (a) RETURN a {.name, .progress, kind: a.type, hops: 1 + 2} AS shown",
    "MATCH (a) RETURN a {.*} AS shown",
    "MATCH (a) WITH a.type AS type, avg(a.progress) AS mean WHERE mean > 1 RETURN type, round(mean, 1)",
    "UNWIND [1, 2, 3] AS x RETURN x * 2 - 1 / 4 % 3 ^ 2 AS y",
    "UNWIND range(1, 10) AS x WITH x WHERE x <> 3 RETURN sum(x), min(x), max(x), stDev(x)",
    "UNWIND $wanted AS wanted MATCH (n {name: wanted}) RETURN n.name",
    "MATCH (n) WHERE n.name IN $wanted RETURN n.uid",
    "MATCH (n) RETURN CASE WHEN n.progress > 50 THEN 'late' WHEN n.progress IS NULL THEN 'none' ELSE 'early' END AS at",
    "MATCH (n) RETURN CASE n.type WHEN 'goal' THEN 1 ELSE 0 END AS one",
    "MATCH (n) WHERE n.progress IS NOT NULL AND n:goal RETURN coalesce(n.name, n.uid) AS name",
    "MATCH (n) WHERE any(x IN n.tags WHERE x = 'a') AND all(x IN n.tags WHERE x <> 'z') RETURN n.name",
    "MATCH (n) RETURN n['name'], n.tags[0], n.tags[..1], n.tags[-1], keys(n)",
    "MATCH (n) RETURN toUpper(n.name) + '!' AS shout, substring(n.name, 0, 3), split(n.name, ' ')",
    "MATCH (n:goal) RETURN n.name AS name UNION MATCH (n:task) RETURN n.name AS name",
    "MATCH (n:goal) RETURN n.name AS name UNION ALL MATCH (n:task) RETURN n.name AS name",
    "MATCH (n:`goal`) RETURN n.`with space`, n.`größe` // umlauts stand in back-ticks",
    "MATCH (n) /* any */ WHERE n.name = 'it\\'s' OR n.name = 'CREATE (x) DELETE x' RETURN n",
    "MATCH (n) WHERE n.valid_from <= '2026' AND (n.valid_to = '' OR '2026' < n.valid_to) RETURN n.uid",
    "MATCH (n) WHERE date('2026-01-01') < date() RETURN duration.between(date('2026-01-01'), date()).days AS days",
    "MATCH (n) WITH n ORDER BY n.name LIMIT 2 MATCH (n)-->(m) WITH DISTINCT n, count(m) AS many RETURN n.name, many",
    "MATCH (a), (b) WHERE a.progress < -1 OR (a.progress) > (b.progress) - 3 RETURN count(*) AS pairs",
    "WITH 1 AS one RETURN *",
    "MATCH (start)-->(group) RETURN start.name AS from, count(group) AS count ORDER BY count",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_provably_a_question_is_refused(attack: str) -> None:
    with pytest.raises(InvalidArgument, match="this Cypher is not run"):
        check_statement(attack, OURS)


def test_there_are_as_many_attacks_and_questions_as_promised() -> None:
    assert len(set(ATTACKS)) >= 60
    assert len(set(READS)) >= 40


@pytest.fixture(scope="module")
def graphs(request: pytest.FixtureRequest) -> Iterator[tuple[Neo4jGraph, Neo4jGraph]]:
    """Two businesses with the same ids in one database; in the first, three nodes are for the finance team only."""
    server = served(request)
    made = server.graph(business()), server.graph(business())
    for graph, whose in zip(made, ("ours", "theirs"), strict=True):
        graph.apply(GraphBatch(list(nodes(whose)), list(edges())))
    yield made
    for graph in made:
        graph.close()


def nodes(whose: str) -> Iterator[Node]:
    """Yield goals and tasks whose every text says whose they are, or that they are hidden."""
    for number in range(9):
        is_hidden = whose == "ours" and number % 3 == 2
        word = "hidden" if is_hidden else whose
        properties = {"progress": number * 10, "horizon": "long", "tags": ["a", word], "with space": word}
        type_ = "goal" if number % 2 else "task"
        audience = ("team:finance",) if is_hidden else ()
        yield Node(f"n{number}", type_, f"{word} {number}", word, properties, audience, revision=1)


def edges() -> Iterator[Edge]:
    """Yield a ring, chords, and an edge to something that is not there."""
    for number in range(9):
        yield Edge(f"e{number}", "supports", f"n{number}", f"n{(number + 1) % 9}", revision=1)
        yield Edge(f"f{number}", "blocks", f"n{number}", f"n{(number * 4 + 2) % 9}", {"secret": 1}, 0.5, revision=1)
    yield Edge("g", "supports", "n0", "stub", revision=1)


WANTED = {"wanted": ["ours 0", "ours 2", "hidden 2", "theirs 1"]}


@pytest.mark.parametrize("question", READS)
def test_a_question_runs_and_sees_neither_another_business_nor_what_is_hidden_from_its_asker(
    graphs: tuple[Neo4jGraph, Neo4jGraph], question: str
) -> None:
    ours, _ = graphs
    parameters = WANTED if "$wanted" in question else {}
    said = str(ours.query(question, parameters, GraphView(frozenset({"user:kim"}))).rows)
    assert "theirs" not in said
    assert "hidden" not in said
    assert "stub" not in said
    in_finance = ours.query(question, parameters, GraphView(frozenset({"team:finance"}))).rows
    assert len(in_finance) == len(ours.query(question, parameters).rows)
    assert "theirs" not in str(in_finance)


def test_counts_and_paths_do_not_betray_what_is_hidden(graphs: tuple[Neo4jGraph, Neo4jGraph]) -> None:
    ours, _ = graphs
    kim = GraphView(frozenset({"user:kim"}))

    def one(question: str, view: GraphView = kim) -> Any:
        [row] = ours.query(question, view=view).rows
        return row["x"]

    assert [one("MATCH (n) RETURN count(n) AS x", view) for view in (kim, EVERYTHING)] == [6, 9]
    assert one("MATCH (a {uid: 'n1'})-[:supports*1..4]->(b) RETURN count(b) AS x") == 0
    assert one("MATCH (a {uid: 'n1'})-[:supports*1..4]->(b) RETURN count(b) AS x", EVERYTHING) == 4
    assert one("MATCH (a {uid: 'n0'}) RETURN COUNT { (a)-[:supports]->() } AS x") == 1
    assert one("MATCH ()-[r]->() RETURN count(r) AS x") < one("MATCH ()-[r]->() RETURN count(r) AS x", EVERYTHING)
    assert (
        ours.query("MATCH p = shortestPath((a {uid: 'n1'})-[:supports*..3]->(b {uid: 'n3'})) RETURN p", view=kim).rows
        == []
    )


def test_who_may_see_a_node_follows_its_audience(request: pytest.FixtureRequest) -> None:
    graph, kim = served(request).graph(business()), GraphView(frozenset({"user:kim"}))
    seen = []
    for revision, audience in enumerate([(), ("user:lee",), ("user:lee", "user:kim"), ("strange `label`",), ()], 1):
        graph.apply(GraphBatch([Node("a", "goal", audience=audience, revision=revision)]))
        seen.append(len(graph.query("MATCH (n) RETURN n", view=kim).rows))
        assert len(graph.query("MATCH (n) RETURN n").rows) == 1
    assert seen == [1, 0, 1, 0, 1]
    assert len(graph.query("MATCH (n) RETURN n", view=GraphView(frozenset({"strange `label`"}))).rows) == 1


def test_an_answer_is_json_and_says_where_it_is_cut(graphs: tuple[Neo4jGraph, Neo4jGraph]) -> None:
    ours, _ = graphs
    answer = ours.query(
        "MATCH (a {uid: 'n0'})-[r:supports]->(b) RETURN a, r, date('2026-01-02') AS day, [null, 1.5] AS rest"
    )
    [row] = answer.rows
    assert (row["a"]["uid"], row["a"]["progress"], row["r"]["type"]) == ("n0", 0, "SUPPORTS")
    assert (row["day"], row["rest"], answer.is_cut) == ("2026-01-02", [None, 1.5], False)
    assert not {"business_id", "_record", "_low"} & row["a"].keys()
    cut = ours.query("MATCH (n) RETURN n", limit=4)
    assert (len(cut.rows), cut.is_cut) == (4, True)
    path = ours.query("MATCH p = (a {uid: 'n0'})-[:supports]->(b) RETURN p").rows[0]["p"]
    assert [part["uid"] for part in path] == ["n0", "e0", "n1"]


def test_a_question_that_takes_too_long_is_ended(graphs: tuple[Neo4jGraph, Neo4jGraph]) -> None:
    ours, _ = graphs
    slow = "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN sum(a * b * c)"
    with pytest.raises(InvalidArgument, match="timeout"):
        ours.query(slow, seconds=0.3)
    assert ours.query("RETURN 1 AS x").rows == [{"x": 1}]


def test_what_the_server_does_not_understand_is_told_in_its_words(graphs: tuple[Neo4jGraph, Neo4jGraph]) -> None:
    with pytest.raises(InvalidArgument, match="not defined"):
        graphs[0].query("MATCH (n) RETURN m")


def test_texts_are_sent_as_they_are_meant_and_never_in_the_statement() -> None:
    found = check_statement("RETURN 'a\\'b\\\\n' AS x, \"`) DELETE\" AS y", OURS)
    assert found.parameters == {"mabos_0": "a'b\\n", "mabos_1": "`) DELETE"}
    assert found.text == "RETURN $mabos_0 AS x, $mabos_1 AS y"


PIECES = st.sampled_from(
    [word for text in ATTACKS + READS for word in text.replace("(", " ( ").replace(")", " ) ").split()][:3000]
)


@given(st.lists(PIECES, max_size=12))
def test_whatever_is_put_together_only_clauses_that_read_pass_and_every_node_is_held(pieces: list[str]) -> None:
    try:
        found = check_statement(" ".join(pieces), visible("ours", EVERYTHING))
    except InvalidArgument:
        return
    words = found.text.upper().replace("`", " ").split()
    assert words[0] in ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN")
    for clause in ("DELETE", "MERGE", "FOREACH", "CALL", "LOAD", "USE", "SHOW"):
        assert f" {clause} " not in f" {found.text.upper()} "


@given(st.text(max_size=40))
def test_any_text_is_understood_or_refused(text: str) -> None:
    with suppress(InvalidArgument):
        check_statement(text, OURS)
