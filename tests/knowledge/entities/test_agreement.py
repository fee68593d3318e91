"""New statements beside those that are there: superseded, merged, flagged; sensitive data; duplicates."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.agreement import MemoryRules
from mabos.knowledge.entities.memory import EntityMemory
from tests.knowledge.entities.memories import DIRECTORY, Business

SEAT = {"predicate": "headquartered_in"}
FUNCTIONAL = MemoryRules(functional=frozenset({"headquartered_in"}))
KEY = "AKIA" + "IOSFODNN7EXAMPLE"


@pytest.fixture
def acme(tmp_path: Path) -> Business:
    return Business(tmp_path)


def memory(acme: Business, agent: str = "cto", rules: MemoryRules = FUNCTIONAL) -> EntityMemory:
    return EntityMemory(acme.store, agent, directory=DIRECTORY, rules=rules)


def seats(cto: EntityMemory, at: str) -> list[str]:
    walk = cto.query_graph("firm", relation_types=["RELATES_TO"], direction="out", at=at)
    return sorted(hit.entity.name for hit in walk.hits if hit.entity)


def firm(acme: Business, *cities: str) -> EntityMemory:
    cto = memory(acme)
    for name in ("firm", *cities):
        cto.create_entity("Concept", name, valid_from="2000-01-01")
    return cto


def test_a_functional_relation_supersedes_and_an_additive_one_never(acme: Business) -> None:
    cto = firm(acme, "bonn", "berlin", "paris")
    first = cto.create_relation("firm", "bonn", "RELATES_TO", properties=SEAT, valid_from="2010-01-01")
    other = cto.create_relation("firm", "paris", "RELATES_TO", valid_from="2010-01-01")
    made = cto.create_relation("firm", "berlin", "RELATES_TO", properties=SEAT, valid_from="2020-01-01")
    assert [(one.action, one.existing.id) for one in made.conflicts] == [("supersede", first.relation.id)]
    assert made.as_json()["conflicts"][0]["action"] == "supersede"
    assert seats(cto, "2015-01-01") == ["bonn", "paris"]
    assert seats(cto, "2021-01-01") == ["berlin", "paris"]
    assert other.relation.id not in {one.existing.id for one in made.conflicts}
    assert cto.conflicts() == []


@settings(deadline=None, max_examples=12)
@given(
    order=st.permutations(
        [("bonn", "2010-01-01"), ("berlin", "2020-01-01"), ("bonn", "2022-01-01"), ("rome", "2023-01-01")]
    )
)
def test_values_follow_each_other_in_whatever_order_they_are_learned(
    tmp_path_factory: pytest.TempPathFactory, order: list[tuple[str, str]]
) -> None:
    acme = Business(tmp_path_factory.mktemp("order"))
    cto = firm(acme, "bonn", "berlin", "rome")
    for city, start in order:
        cto.create_relation("firm", city, "RELATES_TO", properties=SEAT, valid_from=start)
    asked = ("2009-01-01", "2015-01-01", "2021-01-01", "2022-06-01", "2024-01-01")
    assert [seats(cto, at) for at in asked] == [[], ["bonn"], ["berlin"], ["bonn"], ["rome"]]


def test_what_nobody_can_decide_is_flagged_for_deliberation(acme: Business) -> None:
    cto = firm(acme, "bonn", "berlin")
    cto.create_relation("firm", "bonn", "RELATES_TO", properties=SEAT, valid_from="2020-01-01")
    made = cto.create_relation("firm", "berlin", "RELATES_TO", properties=SEAT, valid_from="2020-01-01")
    assert [one.action for one in made.conflicts] == ["flag"]
    (dispute,) = cto.conflicts()
    assert {dispute.one.name, dispute.other.name} == {"bonn", "berlin"}
    assert "concept:firm: headquartered_in has one object at a time" in dispute.reason
    cto.invalidate_fact(dispute.relations[0])
    assert cto.conflicts() == []


def test_what_another_agent_cannot_see_is_not_superseded_by_it(acme: Business) -> None:
    cto, cfo = firm(acme, "bonn"), memory(acme, "cfo")
    cfo.create_entity("Concept", "secret-place", visibility="agent-private", valid_from="2000-01-01")
    hidden = cfo.create_relation("firm", "secret-place", "RELATES_TO", properties=SEAT, valid_from="2010-01-01")
    made = cto.create_relation("firm", "bonn", "RELATES_TO", properties=SEAT, valid_from="2020-01-01")
    assert made.conflicts == ()
    assert acme.store.read().relations[hidden.relation.id].valid_to == ""


def test_the_same_insight_from_two_sessions_becomes_one_and_surer(acme: Business) -> None:
    cto = memory(acme)
    label = "Sub-agents reading shared state cause context explosion"
    first = cto.create_entity("Insight", label=label, source_session="s1")
    again = cto.create_entity(
        "Insight",
        "context-explosion",
        "The sub-agents reading shared state cause context explosion",
        source_session="s2",
    )
    assert again.entity.id == first.entity.id
    assert [one.action for one in again.conflicts] == ["merge"]
    assert again.entity.confidence == pytest.approx(0.65, abs=0.001)
    assert "undo_merge" in again.notices[0]
    apart = memory(acme, rules=MemoryRules(merge_alike=False)).create_entity("Insight", "third", label)
    assert apart.entity.name == "third"
    assert [one.action for one in apart.conflicts] == ["merge"]


def test_insights_that_conclude_otherwise_are_flagged_and_less_sure(acme: Business) -> None:
    cto = memory(acme)
    cto.create_entity("Insight", "grows", "Market demand for widgets is growing", properties={"confidence": 0.8})
    made = cto.create_entity(
        "Insight", "shrinks", "Market demand for widgets is declining", properties={"confidence": 0.8}
    )
    assert [one.action for one in made.conflicts] == ["flag"]
    (dispute,) = cto.conflicts()
    assert {dispute.one.name, dispute.other.name} == {"grows", "shrinks"}
    assert "opposite terms" in dispute.as_json()["reason"]
    assert [cto.entity(name).entity.confidence for name in ("grows", "shrinks")] == [0.4, 0.4]
    cto.invalidate_fact("grows", superseded_by="shrinks")
    assert cto.conflicts() == []


def test_decisions_on_one_question_with_another_choice_are_flagged(acme: Business) -> None:
    cto = memory(acme)
    asked = {"question": "Which database do we use for orders?"}
    cto.create_entity("Decision", "d1", properties={**asked, "chosen": "Postgres"})
    assert [
        one.action for one in cto.create_entity("Decision", "d2", properties={**asked, "chosen": "MySQL"}).conflicts
    ] == ["flag"]
    assert len(cto.conflicts()) == 1


def test_a_private_insight_is_never_merged_into_a_public_one(acme: Business) -> None:
    cto = memory(acme)
    cto.create_entity("Insight", "open", "Customers leave after the second price increase")
    mine = cto.create_entity(
        "Insight", "mine", "Customers leave after the second price increase", visibility="agent-private"
    )
    assert (mine.entity.name, [one.action for one in mine.conflicts]) == ("mine", ["merge"])


@pytest.mark.parametrize("policy", ["redact", "flag", "refuse"])
def test_sensitive_data_is_found_before_anything_is_stored(acme: Business, policy: str) -> None:
    cto = memory(acme, rules=MemoryRules(sensitive=policy))  # type: ignore[arg-type]
    told = {"properties": {"key_learning": f"the key is {KEY}"}, "observations": ["write to kim@acme.io", "harmless"]}
    if policy == "refuse":
        with pytest.raises(InvalidArgument, match="must not be stored") as raised:
            cto.create_entity("Insight", "i", **told)  # type: ignore[arg-type]
        assert KEY not in raised.value.message
        assert acme.lines() == []
        return
    made = cto.create_entity("Insight", "i", **told)  # type: ignore[arg-type]
    stored = acme.path.read_text()
    assert (KEY in stored, "kim@acme.io" in stored) == ((policy == "flag"),) * 2
    assert any("api_key" in notice for notice in made.notices)
    assert any("email" in notice for notice in made.notices)
    cto.create_entity("Concept", "c")
    link = cto.create_relation("i", "c", "RELATES_TO", properties={"note": {"by": ["kim@acme.io"]}})
    seen = cto.add_observation("c", "kim@acme.io knows")
    assert len(link.notices) == len(seen.notices) == 1
    assert ("kim@acme.io" in acme.path.read_text()) == (policy == "flag")


def test_duplicates_are_found_and_those_beyond_doubt_merged(acme: Business) -> None:
    cto = memory(acme)
    pairs = {
        "SQL injection risk in input handlers": "SQL injection risk in the input handlers",
        "Churn follows price increases": "Onboarding takes two weeks",
    }
    for one, other in pairs.items():
        for label in (one, other):
            cto.create_entity("Concept", label=label, properties={"definition": label, "domain": "work"})
    found = {(one.one.label, one.other.label): one.verdict for one in cto.duplicates()}
    assert len(found) == 1
    merged = cto.merge_duplicates("Concept")
    assert list(found.values()) == ["merge"] * len(merged)
    assert cto.stats().entity_counts["Concept"] == 4 - len(merged)
    for done in merged:
        cto.undo_merge(done.merge_id)
    assert cto.stats().entity_counts["Concept"] == 4
