"""The tools of the graph: how it stands, what it is asked, how it is kept up to date, and the goals of a business."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.configs.settings import Environment
from mabos.mind.model import Belief, Goal
from mabos.tools.catalogue.registry import registry
from mabos.tools.gate.call import call
from tests.tools.offices import office
from tests.tools.test_graphs import plan_for_runway, told
from tests.world import World


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[World]:
    world = office(tmp_path)
    yield world
    world.close()


def rows(world: World, query: str, agent_id: str = "cfo", **parameters: object) -> list[Mapping[str, Any]]:
    found = world.do("graph_query", agent_id, query=query, parameters=parameters)
    assert found["by"] == "embedded"
    answer: list[Mapping[str, Any]] = found["rows"]
    return answer


def test_there_are_five_with_the_names_of_the_documents() -> None:
    assert [tool.name for tool in registry().by("module")["Graph"]] == [
        "graph_status",
        "graph_sync_schema",
        "graph_query",
        "graph_sync_agent_data",
        "goal_seed_business",
    ]
    for name in ("status", "sync_schema", "query", "sync_agent_data"):
        assert registry().tool(f"typedb_{name}").name == f"graph_{name}"


def test_the_status_says_how_much_there_is_and_once_what_is_missing(acme: World) -> None:
    found = acme.do("graph_status", "cfo")
    assert found["embedded"]["kinds"]["agent"] == 9
    assert found["embedded"]["nodes"] == sum(found["embedded"]["kinds"].values())
    assert not found["neo4j"]["configured"]
    assert found["text"].count("NEO4J_URI") == 1


def test_the_schema_without_a_server_tells_what_the_ontologies_ask_for_and_what_is_held(acme: World) -> None:
    found = acme.do("graph_sync_schema", "cfo")
    assert (len(found["entities"]), len(found["relations"])) == (19, 11)
    assert {"agent_owns", "belief_supports_goal", "decision_resolves_goal", "derived_from"} <= set(found["relations"])
    assert found["classes"] >= 170
    assert not found["pushed"]
    assert "NEO4J_URI" in found["text"]
    assert found["kinds"]["agent"] == 9


def test_syncing_takes_in_what_the_files_have_and_counts_it(acme: World) -> None:
    told(acme.services, "cfo", "globex country Sweden", "globex owner kim")
    found = acme.do("graph_sync_agent_data", "cfo")
    assert (found["facts"], found["pushed"]) == (2, False)
    assert found["nodes"] == sum(found["kinds"].values())
    assert "NEO4J_URI" in found["text"]


def test_cypher_without_a_server_is_answered_with_what_may_be_asked_instead(acme: World) -> None:
    outcome = acme.owner("cfo").call("graph_query", {"query": "MATCH (g:goal) RETURN g.name"})
    assert (outcome.code, outcome.argument) == ("unavailable", "query")
    assert "NEO4J_URI" in outcome.message
    assert "goals_behind" in outcome.message


def test_an_unknown_question_or_parameter_is_answered_with_the_known_ones(acme: World) -> None:
    outcome = acme.owner("cfo").call("graph_query", {"query": "goals_behnd"})
    assert "did you mean 'goals_behind'" in outcome.message
    outcome = call(acme.services, "graph_query", {"query": "goals_behind", "parameters": {"tier": "x"}}, agent_id="cfo")
    assert "it has level, agent" in outcome.message
    outcome = call(
        acme.services, "graph_query", {"query": "accounts_at_risk", "parameters": {"min_churn": "x"}}, agent_id="cfo"
    )
    assert "needs a number as 'min_churn'" in outcome.message
    outcome = call(
        acme.services, "graph_query", {"query": "connection", "parameters": {"start": "cfo"}}, agent_id="cfo"
    )
    assert "needs a text as 'end'" in outcome.message


def test_the_questions_are_listed_with_what_they_ask(acme: World) -> None:
    listed = acme.do("graph_query", "cfo", query="questions")["rows"]
    assert {"belief_to_plan", "goals_behind", "accounts_at_risk", "typed_relations"} <= {one["name"] for one in listed}
    assert all(one["says"] for one in listed)


def test_a_long_answer_comes_in_pages_and_nothing_of_it_is_lost(acme: World) -> None:
    every = acme.do("graph_query", "cfo", query="ownership", limit=10_000)["rows"]
    pages, offset = list[Mapping[str, Any]](), 0
    while offset is not None:
        page = acme.do("graph_query", "cfo", query="ownership", limit=37, offset=offset)
        assert page["total"] == len(every)
        pages += page["rows"]
        offset = page["next_offset"]
    assert pages == every
    assert len(orjson.dumps(every)) > 4096


def test_an_agent_asks_the_graph_of_its_own_business_alone(tmp_path: Path) -> None:
    world = office(tmp_path, businesses=("acme", "beta"))
    other = world.agent("cfo").ask("graph_query", query="holdings", business_id="beta")
    assert (other.code, other.argument) == ("refused", "business_id")
    own = world.agent("beta-cfo").ask("graph_query", query="holdings")
    assert own.ok
    assert {row["agent.name"] for row in own.result["rows"]} == set(
        world.services.business("beta").manifest.agents.values()
    )
    world.close()


def test_a_merged_answer_without_a_server_is_the_embedded_one_and_says_so(acme: World) -> None:
    plan_for_runway(acme.services)
    asked = {"belief": "B-1"}
    found = acme.do("graph_query", "cfo", query="belief_to_plan", parameters=asked, merged=True)
    assert (found["by"], found["count"]) == ("embedded", 1)
    assert "not merged" in found["notice"]
    gone = acme.variant(environment=Environment(neo4j_uri="bolt://127.0.0.1:1"))
    gone.services.graph().close()
    gone.services.graphs.opened.clear()  # as in a process that was started with this environment
    found = gone.do("graph_query", "cfo", query="belief_to_plan", parameters=asked, merged=True)
    assert (found["by"], found["count"]) == ("embedded", 1)
    assert "does not answer" in found["notice"]
    gone.do("memory_store_item", "cfo", content="A bridge loan costs nine percent", importance=0.8)
    recalled = gone.do("memory_recall", "cfo", query="bridge loan", merged=True)
    assert len([one for one in recalled["items"] if "id" in one]) == 1
    assert "not merged" in recalled["notice"]


def test_the_goals_of_a_business_become_those_of_their_owners_on_three_levels(acme: World) -> None:
    found = acme.do("goal_seed_business", "ceo")
    assert found["created"] == len(found["goals"]) == 6
    assert {one["level"] for one in found["goals"]} == {"strategic", "tactical", "operational"}
    assert all(one["desire_id"] for one in found["goals"])
    tree = {row["goal.name"]: row for row in rows(acme, "goal_tree") if "acme" in row["goal.uid"]}
    forty, twenty = tree["Win forty leads this month"], tree["Turn one lead in twenty into a subscriber"]
    assert (forty["agent.name"], forty["serves"]) == ("cmo", twenty["goal.name"])
    assert twenty["serves"] == "Achieve $100K of monthly recurring revenue"
    top = tree[twenty["serves"]]
    assert (top["agent.name"], top["serves"], top["goal.hierarchy_level"]) == ("ceo", "", "strategic")
    assert top["desire"] == "Reach one hundred thousand dollars of monthly recurring revenue"
    way = rows(acme, "connection", start=forty["goal.uid"], end=top["goal.uid"])
    assert [hop["relation"] for hop in way] == ["goal_serves_goal", "goal_serves_goal"]


def test_seeding_again_changes_nothing_and_reads_the_same_from_the_files(acme: World) -> None:
    first = acme.do("goal_seed_business", "ceo")
    before = acme.services.graph().fresh().digest()
    second = acme.do("goal_seed_business", "ceo")
    assert second["created"] == 0
    assert [one | {"created": True} for one in second["goals"]] == first["goals"]
    assert acme.services.graph().fresh().digest() == before
    acme.services.checkpoint()
    for file in acme.services.layout.agents.glob("*/*.journal.jsonl"):
        file.unlink()
    acme.close()
    again = opened_again(acme)
    assert again.do("goal_seed_business", "ceo")["created"] == 0
    again.close()


def test_a_goal_that_its_owner_has_already_is_tied_in_and_not_doubled(acme: World) -> None:
    coo = acme.agent("coo").mind
    coo.save(Goal("G-own", "Lose fewer customers", level="tactical", target="churn_rate < 3%", progress=40.0))
    found = acme.do("goal_seed_business", "ceo")
    (churn,) = [one for one in found["goals"] if one["goal_id"] == "G-own"]
    assert not churn["created"]
    kept = coo.goal("G-own")
    assert (kept.progress, kept.parent_goal_id.partition("/")[0]) == (40.0, "ceo")
    backlog = next(one for one in found["goals"] if one["description"] == "Answer every support request that waits")
    assert backlog["parent"] == "coo/G-own"


def test_the_goals_of_vividwalls_come_from_its_own_file(tmp_path: Path) -> None:
    world = office(tmp_path, businesses=("vividwalls",))
    file = world.services.layout.business("vividwalls") / "business.json"
    goals = [
        {"text": "Sell wall art worth $1M", "owner": "ceo", "target": "mrr >= 83000", "horizon_days": 365},
        {"text": "Open the print shop online", "owner": "cto", "target": "conversion_rate >= 2%", "level": "tactical",
         "horizon_days": 90, "serves": "Sell wall art worth $1M"},
        {"text": "Photograph the first hundred pictures", "owner": "cmo", "target": "leads >= 100",
         "level": "operational", "horizon_days": 21},
    ]  # fmt: skip
    file.write_bytes(orjson.dumps(orjson.loads(file.read_bytes()) | {"goals": goals, "template": "prints"}))
    found = world.do("goal_seed_business", "ceo")
    assert [(one["owner"], one["level"]) for one in found["goals"]] == [
        ("ceo", "strategic"),
        ("cto", "tactical"),
        ("cmo", "operational"),
    ]
    assert [one["parent"] for one in found["goals"]][1:] == [
        f"ceo/{found['goals'][0]['goal_id']}",
        f"cto/{found['goals'][1]['goal_id']}",
    ]
    assert found["entities"] >= 10
    around = rows(world, "surroundings", node="business:vividwalls", depth=1, kind="customer_segment")
    assert {one["name"] for one in around} == {"smb", "mid", "ent"}
    file.write_bytes(orjson.dumps(orjson.loads(file.read_bytes()) | {"goals": [{"text": "x"}]}))
    wrong = world.owner("ceo").call("goal_seed_business", {})
    assert (wrong.code, "goals: owner" in wrong.message) == ("damaged", True)
    world.close()


def test_an_agent_that_seeds_strategic_goals_asks_its_owner_first(acme: World) -> None:
    outcome = acme.agent("ceo").ask("goal_seed_business")
    assert not outcome.ok
    assert "Give the 6 goals of Acme" in acme.services.decisions("acme").pending()[0].description
    assert [goal for goal in acme.agent("ceo").mind.goals if "acme" in goal.id] == []


def test_conflicting_beliefs_lead_to_all_goals_above(acme: World) -> None:
    acme.do("goal_seed_business", "ceo")
    belief = Belief("B-9", "Churn is 2%", 0.6, subject="churn_rate", value="2%", status="flagged")
    acme.agent("coo").mind.save(belief)
    found = rows(acme, "conflict_impact")
    assert [(one["goal.name"], one["hops"]) for one in found if one["belief.uid"] == "coo/B-9"] == [
        ("Reduce churn below 3% a month", 1),
        ("Achieve $100K of monthly recurring revenue", 2),
    ]


def opened_again(world: World) -> World:
    """Return the same workspace as another process would open it."""
    return World(world.root, clock=world.clock, is_alone=True, variables={}, seed="again")
