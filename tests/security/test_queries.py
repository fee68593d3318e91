"""Words that are a language to a search, a graph or a file are words: nothing is asked, changed or written by them."""

from pathlib import Path

import pytest

from tests.tools.catalogue.house import house

QUERIES = (
    '"', "'", '" OR "', "runway' OR '1'='1", "x'); DROP TABLE words; --", "NEAR(runway months, 9)", "words:runway",
    "runway*", "^runway", "-runway", "NOT runway", "runway AND", "OR", "(", ")", "{words}:runway", "+", "\\", "%",
    "_", "\x00", "runway\x00", "a" * 5_000, '"' * 500, "(" * 500, "NEAR(" * 200, "*" * 500, "\ud800", "ﬀ",
    "'; PRAGMA writable_schema=1", "x'}) DETACH DELETE n //", "`) MATCH (m) DETACH DELETE m //", "$(id)", "{{7*7}}",
    "?x", ":runway", "@@", "\u202e",
)  # fmt: skip
SEARCHES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("memory_recall", "query", {}),
    ("memory_search", "query", {}),
    ("mem:retrieve", "query", {}),
    ("fact_query", "subject", {}),
    ("fact_query", "predicate", {}),
    ("knowledge", "query", {"action": "query_semantic"}),
    ("cbr_retrieve", "query", {}),
    ("knowledge", "start_entity", {"action": "query_graph"}),
    ("knowledge_explain", "question", {}),
    ("ldg:call:list", "tool", {}),
    ("ontology_query", "query", {}),
)
DELETING = (
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) SET n.name = 'x' RETURN n",
    "CALL db.labels()",
    "CREATE (n:`mabos:acme`) RETURN n",
    "MATCH (n) RETURN n; MATCH (m) DELETE m",
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "MATCH (n) RETURN apoc.x()",
    "MATCH (n) /* */ REMOVE n:x RETURN n",
    "MERGE (n) RETURN n",
    "MATCH (n:`a`) DETACH DELETE n //`) RETURN n",
    "DROP INDEX x",
    "MATCH (n) FOREACH (x IN [1] | SET n.y = x)",
    "USE system SHOW USERS",
    "MATCH (n) CALL { WITH n DELETE n } RETURN 1",
    "MATCH (n) RETURN n\u2028DELETE n",
    "EXPLAIN MATCH (n) DELETE n",
    "match(n)detach delete(n)",
    "RETURN 1 UNION MATCH (n) DELETE n",
)


def test_no_query_is_more_than_words(tmp_path: Path) -> None:
    with house(tmp_path / "workspace") as home:
        home.do("memory_store_item", "cfo", content="Runway is nine months", importance=0.8, tags=["runway"])
        home.do("fact_assert", "cfo", subject="acme", predicate="runway", object="9", confidence=0.9, source="books")
        before = home.files()
        known = {tool.name for tool in home.services.tools.all()}
        wrong = [
            f"{tool} {query[:30]!r}: {outcome.message}"
            for tool, argument, more in SEARCHES
            if tool in known
            for query in QUERIES
            for outcome in [home.call(tool, {**more, argument: query}, "cfo")]
            if outcome.code in {"internal", "error", "unavailable", "damaged"}
        ]
        assert wrong == []
        home.services.checkpoint()
        after = home.files()
        assert {name for name in before if after.get(name) != before[name] and name.endswith("facts.json")} == set()
        assert home.do("memory_recall", "cfo", query="runway")["items"]


@pytest.mark.parametrize("cypher", DELETING)
def test_no_statement_that_changes_the_graph_or_leaves_it_is_put_to_it(cypher: str, tmp_path: Path) -> None:
    from mabos.backends.graph.guard import check_statement
    from mabos.configs.errors import MabosError

    with pytest.raises(MabosError):
        check_statement(cypher, "`mabos:acme`")


def test_names_that_are_a_language_stay_names_in_every_index(tmp_path: Path) -> None:
    with house(tmp_path / "workspace") as home:
        for number, name in enumerate(QUERIES):
            words = name.replace("\ud800", "?").strip() or "x"
            home.call(
                "fact_assert",
                {"subject": words, "predicate": words, "object": words, "confidence": 0.9, "source": words},
                "cfo",
            )
            given = {
                "action": "create_entity",
                "type": "Insight",
                "name": f"n{number}",
                "label": words,
                "observations": [words],
            }
            home.call("knowledge", given, "cfo")
        home.do("memory_store_item", "cfo", content="Runway is nine months", importance=0.8)
        home.do("bdi_cycle", "cfo")
        assert home.do("memory_recall", "cfo", query="runway")["items"]
        assert home.services.ledger.verify() == []
