"""The graph of a business: what its agents hold, want and do, joined, and kept in step with the files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.backends.graph.model import Node, NodeCondition
from mabos.backends.graph.patterns import GraphPattern, Hop, PatternSpot, match
from mabos.backends.graph.search import shortest_path, traverse
from mabos.knowledge.archive.model import Extraction, Piece
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan, Step
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso
from tests.tools.workspaces import opened
from tests.world import NOON

MODULES = ("mind.memory", "knowledge.facts", "knowledge.rules", "knowledge.cases")


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[Services]:
    services = opened(tmp_path, clock=SteppedClock(NOON), modules=MODULES)
    yield services
    services.close()


def told(services: Services, agent_id: str, *triples: str, **more: object) -> None:
    for triple in triples:
        subject, predicate, thing = triple.split(" ", 2)
        fact = {"subject": subject, "predicate": predicate, "object": thing, "source": "test", **more}
        answer = call(services, "fact_assert", {"confidence": 0.9} | fact, agent_id=agent_id).as_json()
        assert answer["ok"], answer


def node(services: Services, uid: str) -> Node:
    (found,) = services.graph().fresh().fetch([uid])
    return found


def plan_for_runway(services: Services) -> None:
    services.agent("cfo").mind.save(
        Belief("B-1", "Runway is 9 months", 0.9, subject="acme", predicate="runway_months", value="9"),
        Desire("D-1", "Stay solvent"),
        Goal("G-0", "Be profitable", level="strategic"),
        Goal("G-1", "A year of runway", desire_id="D-1", parent_goal_id="G-0", target="runway_months >= 12"),
        Plan("P-1", "G-1", "Cut costs", steps=(Step("a", "Find costs"), Step("b", "Cut them", tool="fact_assert"))),
        Intention("I-1", "G-1", "P-1"),
    )


def test_a_belief_leads_to_the_plan_that_its_goal_requires(acme: Services) -> None:
    plan_for_runway(acme)
    graph = acme.graph().fresh()
    path = shortest_path(graph, "cfo/B-1", "cfo/P-1/b")
    assert path is not None
    assert [edge.type for edge in path.edges] == ["belief_supports_goal", "goal_requires_plan", "plan_contains_step"]
    above = traverse(graph, ["cfo/D-1"], depth=2, edge_types=["desire_motivates_goal", "goal_serves_goal"])
    assert [one.node.name for one in above.hits] == ["A year of runway", "Be profitable"]
    after = traverse(graph, ["cfo/P-1/b"], depth=1, edge_types=["step_depends_on"])
    assert [one.node.uid for one in after.hits] == ["cfo/P-1/a"]


def test_what_leaves_a_mind_leaves_the_graph(acme: Services) -> None:
    plan_for_runway(acme)
    mind = acme.agent("cfo").mind
    assert node(acme, "cfo/B-1").properties["certainty"] == 0.9
    mind.save(drop=[mind.belief("B-1")])
    assert acme.graph().fresh().fetch(["cfo/B-1"]) == []
    assert acme.graph().update() == 0


def test_the_question_of_the_document_goes_from_churn_to_contacts(acme: Services) -> None:
    told(acme, "cfo", "globex is_a Customer", "globex is_strategic_account true", "sub-1 subscriber globex")
    told(acme, "cfo", "sub-1 is_a Subscription", "sub-1 churn_probability 0.8", "sub-2 churn_probability 0.9")
    told(acme, "ceo", "kim is_a Contact", "kim account globex", "kim email kim@globex.example")
    asked = GraphPattern(
        spots=(
            PatternSpot("subscription", ("Subscription",), (NodeCondition("churn_probability", ">", 0.7),)),
            PatternSpot("account", (), (NodeCondition("is_strategic_account", "=", value=True),)),
            PatternSpot("contact", ("Contact",)),
        ),
        hops=(Hop(("subscriber",)), Hop(("account",), "in")),
        returns=("contact.email", "contact.name"),
    )
    assert match(acme.graph().fresh(), asked) == [{"contact.email": "kim@globex.example", "contact.name": "kim"}]
    told(acme, "cfo", "sub-1 churn_probability 0.5", confidence=0.95)
    assert match(acme.graph().fresh(), asked) == []


def test_what_several_agents_know_of_a_thing_is_one_node_and_the_surest_of_them_stands(acme: Services) -> None:
    told(acme, "cfo", "Acme-Corp revenue 100", confidence=0.6)
    told(acme, "ceo", "acme_corp revenue 120", confidence=0.9)
    told(acme, "ceo", "acme_corp country Sweden")
    assert [one.uid for one in acme.graph().fresh().find(["thing"])] == ["thing:acme_corp", "thing:sweden"]
    assert node(acme, "thing:acme_corp").properties == {"revenue": 120, "country": "Sweden"}
    told(acme, "cfo", "acme_corp revenue 1.5M", "acme_corp founded 2019-03-01", confidence=0.9)
    several = {"revenue": [1_500_000, 120], "country": "Sweden", "founded": "2019-03-01"}
    assert node(acme, "thing:acme_corp").properties == several


def test_a_retracted_fact_takes_what_it_said_along(acme: Services) -> None:
    told(acme, "cfo", "globex country Sweden", "globex revenue 5")
    told(acme, "ceo", "globex owner kim")
    assert node(acme, "thing:globex").properties == {"country": "Sweden", "revenue": 5, "owner": "kim"}
    assert call(acme, "fact_retract", {"subject": "globex", "predicate": "revenue"}, agent_id="cfo").ok
    assert node(acme, "thing:globex").properties == {"country": "Sweden", "owner": "kim"}
    assert call(acme, "fact_retract", {"subject": "globex"}, agent_id="cfo").ok
    assert call(acme, "fact_retract", {"subject": "globex"}, agent_id="ceo").ok
    assert acme.graph().fresh().fetch(["thing:globex"]) == []


def test_what_facts_only_name_is_a_node_as_long_as_one_of_them_stands(acme: Services) -> None:
    told(acme, "cfo", "globex supplier Initech", "globex supplier Hooli", "umbrella supplier Hooli")
    assert node(acme, "thing:globex").properties == {"supplier": ["Hooli", "Initech"]}
    path = shortest_path(acme.graph().fresh(), "thing:initech", "thing:umbrella", direction="both")
    assert path is not None
    assert [one.name for one in path.nodes] == ["Initech", "globex", "Hooli", "umbrella"]
    assert call(acme, "fact_retract", {"subject": "globex"}, agent_id="cfo").ok
    assert [one.name for one in acme.graph().fresh().find(["thing"])] == ["Hooli", "umbrella"]
    told(acme, "ceo", "Hooli country Peru")
    assert call(acme, "fact_retract", {"subject": "Hooli"}, agent_id="ceo").ok
    assert node(acme, "thing:hooli").properties == {}
    before = acme.graph().fresh().digest()
    acme.graph().rebuild()
    assert acme.graph().graph.digest() == before
    assert call(acme, "fact_retract", {"subject": "umbrella"}, agent_id="cfo").ok
    assert acme.graph().fresh().find(["thing"]) == []


def test_a_hand_edit_of_the_facts_reaches_the_graph(acme: Services, tmp_path: Path) -> None:
    told(acme, "cfo", "globex country Sweden")
    acme.checkpoint()
    file = tmp_path / "agents" / "cfo" / "facts.json"
    file.write_text(file.read_text().replace("Sweden", "Norway"))
    assert node(acme, "thing:globex").properties == {"country": "Norway"}


def test_an_inferred_fact_leads_back_to_what_it_was_derived_from(acme: Services) -> None:
    told(acme, "cfo", "globex country Sweden")
    (first,) = acme.agent("cfo").facts.query(subject="globex")
    facts = acme.agent("cfo").facts
    second = facts.assert_("globex", "continent", "Europe", derived_from=[first.id])  # noqa: PT009  # no test framework's
    path = shortest_path(acme.graph().fresh(), f"cfo/{second.id}", f"cfo/{first.id}")
    assert path is not None
    assert [edge.type for edge in path.edges] == ["derived_from"]


def test_memories_cases_and_calls_stand_in_the_graph(acme: Services) -> None:
    plan_for_runway(acme)
    assert call(acme, "memory_store_item", {"content": "Runway is short", "importance": 0.5}, agent_id="cfo").ok
    case = {"situation": {"context": "Runway short"}, "solution": {"plan_id": "P-1"}, "outcome": "success"}
    assert call(acme, "cbr_store", case, agent_id="cfo").ok
    fact = {"subject": "acme", "predicate": "cash", "object": "5", "source": "bank", "confidence": 1.0}
    assert call(acme, "fact_assert", fact, agent_id="cfo", key="P-1/1/b/0/x").ok
    graph = acme.graph().fresh()
    assert [one.text for one in graph.find(["memory_item"])] == ["Runway is short"]
    (kept,) = graph.find(["cbr_case"])
    assert shortest_path(graph, kept.uid, "cfo/P-1") is not None
    assert shortest_path(graph, "cfo/P-1/b", "cfo/effect/P-1/1/b/0/x") is not None


def test_what_tasks_left_stands_in_the_graph(acme: Services) -> None:
    found = Extraction([Piece("fact", "Q1 sales were $1.2M")], [], "rule")
    acme.business().archive.take("I-1", found, at=iso(NOON))
    (fact,) = acme.graph().fresh().find(["fact"])
    assert fact.text == "Q1 sales were $1.2M"


def test_the_graph_of_one_business_knows_nothing_of_another(acme: Services, tmp_path: Path) -> None:
    laid = tmp_path / "businesses" / "beta"
    laid.mkdir(parents=True)
    (laid / "business.json").write_text('{"id": "beta", "name": "Beta", "agents": {"ceo": "beta-ceo"}}')
    folder = tmp_path / "agents" / "beta-ceo"
    folder.mkdir()
    (folder / "agent.json").write_text('{"id": "beta-ceo", "business_id": "beta"}')
    told(acme, "beta-ceo", "initech country Peru")
    told(acme, "cfo", "globex country Sweden")
    assert [one.name for one in acme.graph("beta").fresh().find(["thing"])] == ["initech", "Peru"]
    assert [one.name for one in acme.graph("acme").fresh().find(["thing"])] == ["globex", "Sweden"]


def test_a_deleted_graph_is_made_again_from_the_files(acme: Services, tmp_path: Path) -> None:
    plan_for_runway(acme)
    told(acme, "cfo", "globex country Sweden")
    before = acme.graph().fresh().digest()
    acme.close()
    for file in (tmp_path / ".mabos" / "graph").iterdir():
        file.unlink()
    again = opened(tmp_path, clock=SteppedClock(NOON), modules=MODULES)
    assert again.graph().fresh().digest() == before
    again.close()
