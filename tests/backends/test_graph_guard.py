"""Cypher of agents: questions about their own graph are run as they are meant, and nothing else is run at all."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.graph.cypher import visible
from mabos.backends.graph.guard import check_statement
from mabos.backends.graph.model import EVERYTHING, Edge, GraphBatch, GraphView, Node
from mabos.backends.graph.neo4j import Neo4jGraph
from mabos.configs.errors import InvalidArgument
from mabos.configs.yaml_file import read_yaml
from tests.contracts.graph_tiers import served
from tests.contracts.neo4j_server import business

OURS = "`mabos:ours`"

CYPHER = read_yaml(Path(__file__).with_name("graph_guard.yaml"))
ATTACKS: list[str] = CYPHER["attacks"]

READS: list[str] = CYPHER["reads"]


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
