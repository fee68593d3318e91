"""What is written: entities, observations, relations, their ends, merges."""

from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, Refused, UnknownId
from mabos.knowledge.entities.memory import EntityMemory
from tests.knowledge.entities.memories import Business


@pytest.fixture
def acme(tmp_path: Path) -> Business:
    return Business(tmp_path)


@pytest.fixture
def cto(acme: Business) -> EntityMemory:
    return acme.as_("cto")


PATTERN = {
    "situation": "Multi-agent task coordination",
    "actions": ["decompose", "execute", "synthesize"],
    "outcome": "success",
    "success_rate": 0.95,
}


def test_the_example_of_s2_gives_an_id_and_keeps_every_field(cto: EntityMemory) -> None:
    made = cto.create_entity(
        "Pattern",
        "orchestrator-worker-pattern",
        "Orchestrator-Worker Pattern for Multi-Agent Systems",
        properties=PATTERN,
        observations=["Optimal for Claude Code collaboration", "Main agent must be single coordination point"],
        source_session="4850e331",
    ).as_json()
    assert made["entityId"]
    assert made["created"]
    entity = made["entity"]
    assert entity["properties"] == PATTERN | {"applied_count": 0}
    assert (entity["created_by"], entity["visibility"], entity["valid_to"]) == ("cto", "public", None)
    assert entity["source_sessions"] == ["4850e331"]
    assert [one["source_session"] for one in made["observations"]] == ["4850e331"] * 2


def test_a_label_makes_a_name(cto: EntityMemory) -> None:
    made = cto.create_entity("insight", label="Main agent must be single coordination point")
    assert made.entity.address == "insight:main-agent-must-be-single-coordination-point"
    assert made.entity.properties["key_learning"] == "Main agent must be single coordination point"


def test_a_name_is_unique_in_its_type_and_stating_it_again_adds_to_it(acme: Business, cto: EntityMemory) -> None:
    first = cto.create_entity("Pattern", "p", "First", properties=PATTERN, observations=["one"])
    again = acme.as_("cfo").create_entity("Pattern", "p", properties={"applied_count": 3}, observations=["one", "two"])
    other = cto.create_entity("Concept", "p")
    assert (again.is_new, again.entity.id) == (False, first.entity.id)
    assert again.entity.properties == {**PATTERN, "applied_count": 3}
    assert again.entity.label == "First"
    assert [one.content for one in again.observations] == ["two"]
    assert again.entity.created_by == "cto"
    assert other.is_new
    with pytest.raises(InvalidArgument, match="say which: concept:p, pattern:p"):
        cto.entity("p")


@pytest.mark.parametrize(
    ("type_", "properties", "said"),
    [
        ("Insight", {"confidence": 1.5}, "'confidence' of Insight: input should be less than or equal to 1, found 1.5"),
        ("Pattern", {"outcome": "draw"}, "'outcome' of Pattern: input should be 'success' or 'failure'"),
        ("Concept", {"defintion": "x"}, "Concept has no property 'defintion'; it has definition, domain"),
        ("Agent", {"tasks_completed": "many"}, "'tasks_completed' of Agent"),
        ("Decision", {"options": "one"}, "'options' of Decision"),
    ],
)
def test_properties_are_checked_and_errors_say_what_and_where(
    acme: Business, cto: EntityMemory, type_: str, properties: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidArgument, match="propert") as raised:
        cto.create_entity(type_, "x", properties=properties)
    assert said in raised.value.message
    assert raised.value.argument == "properties"
    assert acme.lines() == []


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"type": "Idea", "name": "x"}, "type"),
        ({"type": "Insight"}, "name"),
        ({"type": "Insight", "name": "session:x"}, "name"),
        ({"type": "Insight", "name": "x", "observations": ["  "]}, "observations"),
        ({"type": "Insight", "name": "x", "visibility": "secret"}, "visibility"),
        ({"type": "Insight", "name": "x", "valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "valid_to"),
        ({"type": "Insight", "name": "x", "valid_from": "soon"}, "valid_from"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    acme: Business, cto: EntityMemory, arguments: dict[str, Any], argument: str
) -> None:
    with pytest.raises((InvalidArgument, UnknownId)) as raised:
        cto.create_entity(**arguments)
    assert raised.value.argument == argument
    assert acme.lines() == []


def test_an_insight_grows_surer_with_every_session_that_states_it(cto: EntityMemory) -> None:
    def confidence(session: str) -> float | None:
        made = cto.create_entity("Insight", "i", source_session=session, properties={"confidence": 0.6})
        return made.entity.confidence

    grown = [confidence(f"s{number}") for number in range(12)]
    assert grown[:2] == pytest.approx([0.6, 0.65], abs=0.001)
    assert grown == sorted(grown, key=lambda value: value or 0)
    assert grown[-1] == 1.0
    cto.create_entity("Insight", "against")
    cto.create_relation("against", "insight:i", "CONTRADICTS")
    entity = cto.entity("insight:i").entity
    assert entity.confidence is not None
    assert entity.confidence < 1.0
    assert entity.properties["confidence"] == entity.confidence
    assert len(entity.properties["evidence_sessions"]) == 12


def test_an_observation_is_not_doubled_and_may_hold_again(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Concept", "c")
    first = cto.add_observation("c", "the office is in Berlin", source_session="s1")
    assert not cto.add_observation("concept:c", "the office is in Berlin").is_new
    acme.later(1)
    cto.invalidate_fact(first.observation.id)
    acme.later(1)
    assert cto.add_observation("c", "the office is in Berlin").is_new
    intervals = [(one.valid_from, one.valid_to) for one in cto.entity("c", at="any").observations]
    assert intervals == [("2026-01-21T12:00:00.000Z", "2026-01-22T12:00:00.000Z"), ("2026-01-23T12:00:00.000Z", "")]


def test_disjoint_intervals_of_one_relation_stay_apart(cto: EntityMemory) -> None:
    cto.create_entity("Agent", "ann")
    cto.create_entity("Concept", "team")
    for start, end in [("2020-01-01", "2021-01-01"), ("2023-01-01", "2024-01-01")]:
        assert cto.create_relation("ann", "team", "RELATES_TO", valid_from=start, valid_to=end).is_new
    assert not cto.create_relation("ann", "team", "RELATES_TO", valid_from="2020-01-01").is_new
    found = {year: len(cto.traverse("ann", at=f"{year}-06-01").hits) for year in (2019, 2020, 2022, 2023, 2025)}
    assert found == {2019: 0, 2020: 1, 2022: 0, 2023: 1, 2025: 0}


def test_what_held_before_an_entity_was_written_down_dates_it_unless_it_has_its_own_dates(cto: EntityMemory) -> None:
    cto.create_entity("Concept", "undated")
    cto.create_entity("Concept", "dated", valid_from="2025-01-01")
    for name in ("undated", "dated"):
        cto.add_observation(name, "was so", valid_from="2020-01-01")
    assert [held.entity.name for held in cto.query_temporal(at="2020-06-01")] == ["undated"]
    assert [one.content for one in cto.query_temporal(at="2020-06-01")[0].observations] == ["was so"]


def test_a_relation_that_holds_is_not_doubled_and_its_properties_are_added(cto: EntityMemory) -> None:
    cto.create_entity("Concept", "a")
    cto.create_entity("Concept", "b")
    first = cto.create_relation("a", "b", "BUILDS_ON", properties={"strength": 1})
    again = cto.create_relation("concept:a", "concept:b", "builds_on", properties={"since": "v2"})
    assert (again.is_new, again.relation.id) == (False, first.relation.id)
    assert again.relation.properties == {"strength": 1, "since": "v2"}


def test_sessions_and_tasks_are_ends_of_their_relations_only(cto: EntityMemory) -> None:
    cto.create_entity("Pattern", "p", source_session="s1")
    cto.create_relation("p", "task:t-7", "APPLIED_IN")
    cto.create_relation("p", "session:s2", "EXTRACTED_FROM")
    walk = cto.query_graph("p", relation_types=["APPLIED_IN", "EXTRACTED_FROM"])
    assert {hit.id for hit in walk.hits} == {"task:t-7", "session:s1", "session:s2"}
    assert walk.as_json()["results"][0]["entity"]["type"] in ("Session", "Task")
    for type_, end in [("RELATES_TO", "task:t"), ("APPLIED_IN", "session:s"), ("APPLIED_IN", "task: ")]:
        with pytest.raises(InvalidArgument, match="cannot lead to"):
            cto.create_relation("p", end, type_)


def test_a_relation_needs_two_entities_and_a_type_of_the_nine(cto: EntityMemory) -> None:
    cto.create_entity("Concept", "apple")
    with pytest.raises(UnknownId, match="did you mean 'concept:apple'"):
        cto.create_relation("apple", "concept:appel", "RELATES_TO")
    with pytest.raises(InvalidArgument, match="to itself"):
        cto.create_relation("apple", "concept:apple", "RELATES_TO")
    with pytest.raises(UnknownId, match="RELATES_TO"):
        cto.create_relation("apple", "apple", "RELATED_TO")
    with pytest.raises(InvalidArgument, match="use merge_entities"):
        cto.create_relation("apple", "apple", "MERGED_FROM")


def test_superseding_ends_the_old_and_leaves_a_trace(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Decision", "old", properties={"chosen": "Docker"})
    cto.create_entity("Decision", "new", properties={"chosen": "Kubernetes"})
    acme.later(1)
    made = cto.create_relation("new", "old", "SUPERSEDES")
    assert made.relation.type == "SUPERSEDES"
    assert cto.entity("old").entity.superseded_by == cto.entity("new").entity.id
    walk = cto.query_graph("new", relation_types=["SUPERSEDES"], at="any")
    assert [hit.entity.name for hit in walk.hits if hit.entity] == ["old"]
    with pytest.raises(InvalidArgument, match="has not held since 2026-01-22"):
        cto.add_observation("old", "still used somewhere")
    with pytest.raises(InvalidArgument, match="nothing is left to invalidate"):
        cto.invalidate_fact("old")
    with pytest.raises(InvalidArgument, match="superseded by the entity it would supersede"):
        cto.invalidate_fact("new", superseded_by="old")


def test_an_invalid_observation_is_neither_shown_nor_found_but_stays_on_record(
    acme: Business, cto: EntityMemory
) -> None:
    cto.create_entity("Concept", "server")
    old = cto.add_observation("server", "runs on port eighty")
    acme.later(1)
    new = cto.add_observation("server", "runs on port 443")
    done = cto.invalidate_fact(old.observation.id, superseded_by=new.observation.id, reason="moved")
    assert (done.kind, done.superseded_by) == ("observation", new.observation.id)
    assert [one.content for one in cto.entity("server").observations] == ["runs on port 443"]
    assert cto.query_semantic("eighty").used == "graph"
    assert cto.query_semantic("eighty", at="2026-01-22").used == "words"


def test_a_relation_is_invalidated_by_its_id(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Concept", "a")
    cto.create_entity("Concept", "b")
    made = cto.create_relation("a", "b", "DEPENDS_ON")
    acme.later(1)
    assert cto.invalidate_fact(made.relation.id).kind == "relation"
    assert cto.query_graph("a").hits == ()
    assert len(cto.query_graph("a", at="2026-01-22").hits) == 1
    with pytest.raises(UnknownId):
        cto.invalidate_fact("nothing")


def test_a_merge_shows_everything_on_one_and_is_undone_whole(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Insight", "sql-injection", observations=["use parameters"], source_session="s1")
    cto.create_entity("Insight", "injection-of-sql", observations=["check input"], source_session="s2")
    cto.create_entity("Concept", "input")
    cto.create_relation("injection-of-sql", "input", "RELATES_TO")
    acme.later(1)
    merged = cto.merge_entities("sql-injection", ["insight:injection-of-sql"])
    acme.later(1)
    kept = cto.entity("injection-of-sql")
    assert kept.entity.id == merged.entity.id
    assert {one.content for one in kept.observations} == {"use parameters", "check input"}
    assert [one.name for one in kept.related] == ["input"]
    assert kept.entity.sessions == ("s1", "s2")
    assert kept.entity.confidence == pytest.approx(0.65, abs=0.001)
    assert cto.stats().entity_counts["Insight"] == 1
    traces = cto.query_graph("sql-injection", relation_types=["MERGED_FROM"], at="any")
    assert [hit.entity.name for hit in traces.hits if hit.entity] == ["injection-of-sql"]
    before = cto.entity("sql-injection", at="2026-01-21T18:00:00Z")
    assert {one.content for one in before.observations} == {"use parameters"}
    restored = cto.undo_merge("insight:injection-of-sql")
    assert [one.name for one in restored] == ["injection-of-sql"]
    assert [one.content for one in cto.entity("injection-of-sql").observations] == ["check input"]
    assert [one.content for one in cto.entity("sql-injection").observations] == ["use parameters"]
    with pytest.raises(InvalidArgument, match="is not a merge"):
        cto.undo_merge(merged.merge_id)


def test_what_is_said_of_a_merged_entity_goes_to_the_one_that_stands_for_it(cto: EntityMemory) -> None:
    for name in ("a", "b", "c"):
        cto.create_entity("Concept", name)
    cto.merge_entities("b", ["a"])
    cto.merge_entities("c", ["b"])
    cto.add_observation("a", "said of the first")
    cto.create_entity("Concept", "a", properties={"domain": "letters"})
    shown = cto.entity("c")
    assert [one.content for one in shown.observations] == ["said of the first"]
    assert shown.entity.properties["domain"] == "letters"
    assert cto.stats().entity_counts["Concept"] == 1
    for change in (lambda: cto.forget("c"), lambda: cto.set_visibility("c", "agent-private"), lambda: cto.archive("c")):
        with pytest.raises(InvalidArgument, match="undo the merge first"):
            change()


def test_only_alike_entities_merge(cto: EntityMemory) -> None:
    cto.create_entity("Concept", "a")
    cto.create_entity("Pattern", "b")
    cto.create_entity("Concept", "mine", visibility="agent-private")
    for duplicates, said in [
        (["b"], "one type merges"),
        (["a"], "entity to keep"),
        (["mine"], "circles"),
        ([], "at least"),
    ]:
        with pytest.raises(InvalidArgument, match=said):
            cto.merge_entities("a", duplicates)


def test_only_who_made_something_or_a_person_forgets_it(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Concept", "a", observations=["one"])
    cto.create_entity("Concept", "b")
    relation = cto.create_relation("a", "b", "RELATES_TO").relation
    with pytest.raises(Refused, match="made by agent 'cto'"):
        acme.as_("cfo").forget("a")
    assert cto.forget(relation.id) == "relation"
    assert cto.forget(cto.entity("a").observations[0].id) == "observation"
    assert acme.as_().forget("a") == "entity"
    assert cto.stats().entity_counts["Concept"] == 1


def test_a_write_costs_one_append_however_long_the_log_is(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Concept", "c")
    sizes = []
    for number in range(50):
        before = acme.path.stat().st_size
        cto.add_observation("c", f"observation {number:02d}")
        sizes.append(acme.path.stat().st_size - before)
    assert len(set(sizes)) == 1
