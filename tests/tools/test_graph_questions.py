"""Questions by name: each finds what it is for, and finds the same in the embedded graph and in Neo4j."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.graph.merged import MergedGraph
from mabos.backends.graph.model import GraphBatch, GraphView, Node
from mabos.backends.graph.tier import Readable
from mabos.configs.settings import Environment
from mabos.knowledge.ontology.vocabulary import SHIPPED
from mabos.mind.model import Belief, Goal, Intention
from mabos.tools.graph.answers import Asked
from mabos.tools.graph.reading import QUESTIONS, question
from mabos.tools.runtime.graph_copy import schema_of
from mabos.workspace.clock import iso
from tests.contracts.neo4j_server import Server, business
from tests.tools.offices import NOW, office
from tests.tools.test_graphs import plan_for_runway
from tests.tools.test_graphs import told as asserted
from tests.world import World

Rows = list[dict[str, Any]]
PATIENCE_S = 120
GUIDE = (Path(__file__).parents[2] / "docs" / "graph.md").read_text("utf-8")


def furnished(root: Path, business_id: str = "acme") -> World:
    """Return a company with goals, a doubt, a decision, customers and their subscriptions."""
    world = office(root, businesses=(business_id,))
    world.do("goal_seed_business", "ceo")
    plan_for_runway(world.services)
    coo = world.agent("coo").mind
    coo.save(Belief("B-9", "Churn is 2%", 0.6, subject="churn_rate", value="2%", status="flagged"))
    asked = world.do("decision_request", "cfo", subject="Raise a bridge loan", description="Three months more",
                 options=["yes", "no"])  # fmt: skip
    world.agent("cfo").mind.save(Intention("I-9", "G-1", "P-1", decision_id=asked["decision_id"]))
    past, soon = iso(NOW - timedelta(days=100)), iso(NOW + timedelta(days=100))
    world.agent("ceo").mind.save(
        Goal("G-late", "Open an office", level="strategic", progress=10.0, created=past, deadline=soon),
        Goal("G-fine", "Win a prize", level="strategic", progress=60.0, created=past, deadline=soon),
        Goal("G-over", "Be on the list", level="strategic", progress=99.0, created=past, deadline=iso(NOW)),
    )
    asserted(
        world.services, "cfo", "globex is_a Customer", "globex is_strategic_account true", "sub-1 subscriber globex"
    )
    asserted(world.services, "cfo", "sub-1 is_a Subscription", "sub-1 churn_probability 0.8", "sub-2 is_a Subscription")
    asserted(world.services, "cfo", "sub-2 subscriber globex", "sub-2 churn_probability 0.2", "initech is_a Customer")
    asserted(world.services, "ceo", "kim is_a Contact", "kim account globex", "kim email kim@globex.example")
    asserted(world.services, "cmo", "globex buysProduct widget", "widget is_a Product", "initech buysProduct kim")
    return world


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = furnished(tmp_path_factory.mktemp("acme"))
    yield world
    world.close()


def asked_of(world: World, graph: Readable, view: GraphView | None = None) -> Asked:
    plain = Asked(graph, world.clock(), schema_of(SHIPPED))
    return plain if view is None else replace(plain, view=view)


def rows(world: World, name: str, **given: object) -> Rows:
    return question(name).ask(asked_of(world, world.services.graph().fresh()), given)


def column(found: Rows, name: str) -> list[Any]:
    return [row[name] for row in found]


def test_a_belief_leads_over_its_goal_to_the_plan(acme: World) -> None:
    (row,) = rows(acme, "belief_to_plan", belief="B-1")
    assert (row["belief.name"], row["goal.name"], row["plan.name"]) == ("acme", "A year of runway", "Cut costs")
    assert rows(acme, "belief_to_plan", belief="B-1", min_certainty=0.95) == []
    assert rows(acme, "belief_to_plan", belief="cfo/B-1") == [row]


def test_the_strategic_goals_that_are_behind_come_from_all_agents_the_furthest_behind_first(acme: World) -> None:
    found = [row for row in rows(acme, "goals_behind") if row["goal.uid"].startswith("ceo/G-")]
    late = [row for row in found if row["goal.name"] in ("Open an office", "Win a prize", "Be on the list")]
    assert [(row["goal.name"], row["expected"], row["behind_by"], row["is_overdue"]) for row in late] == [
        ("Open an office", 50.0, 40.0, False),
        ("Be on the list", 100.0, 1.0, True),
    ]
    assert column(rows(acme, "goals_behind", agent="cfo"), "agent.name") == []


def test_contacts_of_strategic_accounts_with_churn_risk_are_found_by_their_e_mail(acme: World) -> None:
    (row,) = rows(acme, "accounts_at_risk")
    assert row == {
        "contact.email": "kim@globex.example",
        "contact.name": "kim",
        "account.name": "globex",
        "subscription.name": "sub-1",
        "subscription.churn_probability": 0.8,
    }
    assert rows(acme, "accounts_at_risk", min_churn=0.9) == []


def test_relations_are_checked_against_the_classes_that_play_their_roles(acme: World) -> None:
    found = rows(acme, "typed_relations", relation="buys_product")
    assert [(row["subject.name"], row["object.name"], row["is_valid"]) for row in found] == [
        ("globex", "widget", True),
        ("initech", "kim", False),
    ]
    assert found[1]["why"] == "kim is Contact, not Product"
    own = rows(acme, "typed_relations", relation="account", subject_class="Contact", object_class="Customer")
    assert [(row["subject.name"], row["is_valid"]) for row in own] == [("kim", True)]


def test_a_doubtful_belief_names_every_goal_that_falls_with_it(acme: World) -> None:
    found = rows(acme, "conflict_impact", belief="coo/B-9")
    assert column(found, "goal.name") == ["Reduce churn below 3% a month", "Achieve $100K of monthly recurring revenue"]
    assert found[1]["path"] == "belief_supports_goal > goal_serves_goal"


def test_a_decision_leads_to_the_goal_that_it_bears_on(acme: World) -> None:
    (row,) = rows(acme, "decision_outcomes", decision="bridge")
    assert (row["decision.status"], row["goal.name"]) == ("pending", "A year of runway")


def test_who_owns_what_is_told_in_full_and_counted(acme: World) -> None:
    plans = rows(acme, "ownership", kind="plan")
    assert [(row["agent.name"], row["owned.name"]) for row in plans] == [("cfo", "Cut costs")]
    counted = {row["owned.type"]: row["count"] for row in rows(acme, "holdings", agent="cfo")}
    assert counted["plan"] == 1
    assert sum(counted.values()) == len(rows(acme, "ownership", agent="cfo"))


def test_goals_stand_below_what_they_serve(acme: World) -> None:
    tree = {row["goal.uid"]: row for row in rows(acme, "goal_tree", agent="cfo")}
    assert (tree["cfo/G-1"]["desire"], tree["cfo/G-1"]["serves"]) == ("Stay solvent", "Be profitable")
    levels = column(rows(acme, "goal_tree"), "goal.hierarchy_level")
    assert levels == sorted(levels, key=("strategic", "tactical", "operational").index)


def test_the_way_between_two_nodes_is_told_hop_by_hop(acme: World) -> None:
    way = rows(acme, "connection", start="B-1", end="Cut costs")
    assert [(hop["relation"], hop["is_forward"]) for hop in way] == [
        ("belief_supports_goal", True),
        ("goal_requires_plan", True),
    ]
    assert rows(acme, "connection", start="B-1", end="business:acme", depth=1) == []


def test_a_view_hides_what_its_owner_may_not_see(acme: World) -> None:
    graph = acme.services.graph().fresh()
    graph.apply(GraphBatch([Node("thing:secret", "Contact", "secret", audience=("agent:ceo",), revision=1)]))
    for agent_id, expected in (("ceo", 1), ("cfo", 0)):
        asked = asked_of(acme, graph, GraphView(frozenset({f"agent:{agent_id}"})))
        assert len(asked.graph.find(["Contact"], view=asked.view)) == 1 + expected


GIVEN: Mapping[str, Mapping[str, object]] = {
    "belief_to_plan": {"belief": "B-1"},
    "typed_relations": {"relation": "buys_product"},
    "connection": {"start": "B-1", "end": "Cut costs"},
    "surroundings": {"node": "thing:globex", "depth": 3},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, neo4j_server: Server) -> Iterator[World]:
    plain = furnished(tmp_path_factory.mktemp("served"), business())
    place = Environment(neo4j_uri=neo4j_server.uri, neo4j_user=neo4j_server.user, neo4j_password=neo4j_server.password)
    world = plain.variant(environment=place)
    for graph in plain.services.graphs.opened.values():  # as in a process that was started with this environment
        graph.close()
    plain.services.graphs.opened.clear()
    copy = world.services.graph().copy
    assert copy is not None
    world.services.graph().update()
    assert copy.push(PATIENCE_S) == ""
    yield world
    world.close()


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_a_question_is_answered_alike_by_both_keepers_and_by_both_together(served: World, name: str) -> None:
    graph = served.services.graph()
    assert graph.copy is not None
    here, there = graph.fresh(), graph.copy.tier
    given = GIVEN.get(name, {})
    found = question(name).ask(asked_of(served, here), given)
    assert found
    assert question(name).ask(asked_of(served, there), given) == found
    assert question(name).ask(asked_of(served, MergedGraph(here, there)), given) == found


def test_the_tools_tell_of_the_server_and_of_what_both_hold(served: World) -> None:
    status = served.do("graph_status", "cfo")
    assert status["neo4j"]["is_equal"]
    assert status["neo4j"]["is_schema_current"]
    assert (status["neo4j"]["nodes"], status["neo4j"]["waiting"]) == (status["embedded"]["nodes"], 0)
    assert "equal to the embedded graph" in status["text"]
    schema = served.do("graph_sync_schema", "cfo")
    assert (schema["pushed"], schema["changed"]) == (True, False)
    assert served.do("graph_sync_agent_data", "cfo")["pushed"]
    merged = served.do("graph_query", "cfo", query="accounts_at_risk", merged=True)
    assert (merged["by"], merged["count"], merged["notice"]) == ("merged", 1, "")


def test_a_change_that_only_the_server_has_shows_where_both_are_asked(served: World) -> None:
    graph = served.services.graph()
    assert graph.copy is not None
    (kim,) = graph.fresh().fetch(["thing:kim"])
    newer = replace(kim, properties={**kim.properties, "email": "kim@elsewhere.example"}, revision=kim.revision + 1)
    graph.copy.tier.apply(GraphBatch([newer]))
    for is_merged, expected in ((False, "kim@globex.example"), (True, "kim@elsewhere.example")):
        found = served.do("graph_query", "cfo", query="accounts_at_risk", merged=is_merged)
        assert column(found["rows"], "contact.email") == [expected]
    assert served.do("graph_status", "cfo")["neo4j"]["is_equal"] is False
    assert served.do("graph_sync_agent_data", "cfo")["pushed"]
    assert served.do("graph_status", "cfo")["neo4j"]["is_equal"] is True


def test_a_memory_that_only_the_server_has_is_recalled_where_both_are_asked(served: World) -> None:
    here = served.do("memory_store_item", "cfo", content="The bridge loan costs nine percent", importance=0.8)
    graph = served.services.graph()
    assert graph.copy is not None
    there = Node(
        "cfo/M-elsewhere", "memory_item", "The bridge loan", "The bridge loan was signed in Berlin",
        {"id": "M-elsewhere", "store": "long_term", "kind": "event", "importance": 0.7}, revision=1,
    )  # fmt: skip
    graph.copy.tier.apply(GraphBatch([there, replace(there, uid="ceo/M-elsewhere")]))
    alone = served.do("memory_recall", "cfo", query="bridge loan", merged=False)
    assert [one["id"] for one in alone["items"] if "id" in one] == [here["memory_id"]]
    both = served.do("memory_recall", "cfo", query="bridge loan")
    assert [one["id"] for one in both["items"] if "id" in one] == [here["memory_id"], "M-elsewhere"]
    assert (both["items"][-1]["type"], both["items"][-1]["by"]) == ("event", "neo4j")
    assert "not merged" not in both["notice"]
    weighty = served.do("memory_recall", "cfo", query="bridge loan", merged=True, min_importance=0.75)
    assert [one["id"] for one in weighty["items"]] == [here["memory_id"]]
    assert served.do("memory_recall", "cfo", merged=True)["items"][-1]["id"] == "M-elsewhere"
    assert served.do("graph_sync_agent_data", "cfo")["pushed"]


def test_cypher_is_answered_page_by_page_and_only_where_it_reads(served: World) -> None:
    asked = "MATCH (a:agent)-[:agent_owns]->(g:goal) RETURN a.name AS agent, g.name AS goal ORDER BY g.uid"
    first = served.do("graph_query", "cfo", query=asked, limit=4)
    assert (first["by"], first["count"], first["next_offset"]) == ("neo4j", 4, 4)
    every = served.do("graph_query", "cfo", query=asked, limit=1000)
    assert every["total"] == len(every["rows"]) == len(rows(served, "ownership", kind="goal"))
    second = served.do("graph_query", "cfo", query=asked, limit=4, offset=4)
    assert [*first["rows"], *second["rows"]] == every["rows"][:8]
    for attack in ("MATCH (n) DETACH DELETE n RETURN 1", "CALL db.labels()", "CREATE (:goal) RETURN 1"):
        outcome = served.owner("cfo").call("graph_query", {"query": attack})
        assert (outcome.ok, outcome.code) == (False, "invalid_argument")


def test_the_guide_names_every_question() -> None:
    assert [name for name in QUESTIONS if f"`{name}`" not in GUIDE] == []
