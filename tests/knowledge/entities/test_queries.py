"""What the memory answers: by question, by graph, by time; and the figures."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.ranking import support, update_confidence
from mabos.knowledge.entities.statistics import clustering, largest_component
from tests.knowledge.entities.memories import Business, Words

TOPICS = Words({"fruit": ["apple", "pear", "fruit"], "tools": ["hammer", "saw", "tool"]})


@pytest.fixture
def acme(tmp_path: Path) -> Business:
    return Business(tmp_path, embedder=TOPICS)


@pytest.fixture
def cto(acme: Business) -> EntityMemory:
    return acme.as_("cto")


def named(memory: EntityMemory, question: str, **asked: object) -> list[str]:
    return [one.profile.entity.name for one in memory.query_semantic(question, **asked).results]  # type: ignore[arg-type]


def test_the_score_is_s2s_composite(acme: Business) -> None:
    cto = acme.as_("cto", quality={"good": 1.0, "poor": 0.2}.get)
    cto.create_entity("Concept", "apple", source_session="good")
    acme.later(30)
    cto.create_entity("Concept", "pear", source_session="poor")
    for _ in range(3):
        cto.entity("apple")
    result = {one.profile.entity.name: one for one in cto.query_semantic("fruit").results}
    assert {name: one.similarity for name, one in result.items()} == pytest.approx({"apple": 1.0, "pear": 1.0})
    assert result["apple"].profile.access_count == 3
    assert result["apple"].score == pytest.approx(0.5 + 0.2 * 0.5 + 0.15 * 0.1386 + 0.15, abs=0.001)
    assert result["pear"].score == pytest.approx(0.5 + 0.2 + 0.15 * 0.2, abs=0.001)


def test_types_confidence_age_and_likeness_filter(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Insight", "old", "an apple", properties={"confidence": 0.9})
    acme.later(100)
    cto.create_entity("Insight", "sure", "an apple", properties={"confidence": 0.9})
    cto.create_entity("Insight", "unsure", "an apple", properties={"confidence": 0.5})
    cto.create_entity("Pattern", "proven", "an apple", properties={"success_rate": 0.95})
    cto.create_entity("Pattern", "failing", "an apple", properties={"success_rate": 0.1})
    cto.create_entity("Concept", "saw")
    filtered = named(cto, "apple", types=["Insight", "Pattern"], min_confidence=0.7, max_age_days=90)
    assert set(filtered) == {"sure", "proven"}
    assert "saw" in named(cto, "apple", limit=10)
    assert "saw" not in named(cto, "apple", limit=10, min_similarity=0.5)
    assert len(named(cto, "apple", limit=2)) == 2


def test_an_entity_is_found_by_what_is_observed_of_it(cto: EntityMemory) -> None:
    cto.create_entity("Concept", "thing", observations=["the weather", "a hammer and a saw"])
    cto.create_entity("Concept", "other")
    for memory in (cto, Business(Path(cto._store.path).parents[2], cto._store.clock).as_("cto")):  # type: ignore[arg-type]
        assert named(memory, "which tool is a hammer")[0] == "thing"


def test_where_embeddings_fail_words_are_used_and_the_answer_says_so(tmp_path: Path) -> None:
    embedder = Words({"fruit": ["apple"]})
    acme = Business(tmp_path, embedder=embedder)
    acme.as_("cto").create_entity("Concept", "apple")
    embedder.is_down = True
    answer = acme.as_("cto").query_semantic("apple")
    assert (answer.used, answer.notice) == ("words", "found by words: the embedder currently gives no vectors")
    assert [one.similarity for one in answer.results] == [1.0]
    embedder.is_down = False
    assert acme.as_("cto").query_semantic("apple").used == "embeddings"


def test_what_is_not_embedded_yet_is_found_by_words(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Concept", "first", "the very first hammer")
    for number in range(100):
        cto.create_entity("Concept", f"c-{number}", f"filler {number}")
    answer = cto.query_semantic("hammer")
    assert answer.used == "embeddings"
    assert "37 texts are not embedded yet" in answer.notice
    assert answer.results[0].profile.entity.name == "first"
    assert acme.store.learn() == 37
    assert cto.query_semantic("hammer").notice == ""


def test_what_another_process_writes_is_found_by_meaning(acme: Business, cto: EntityMemory) -> None:
    elsewhere = Business(acme.root, acme.clock, TOPICS)
    other = elsewhere.as_("cfo")
    cto.create_entity("Concept", "first", "an apple")
    assert named(cto, "fruit", min_similarity=0.5) == named(other, "fruit", min_similarity=0.5) == ["first"]
    other.create_entity("Concept", "second", "a pear")
    other.create_entity("Concept", "first", "a hammer")
    assert named(cto, "which tool?", min_similarity=0.5, limit=1) == ["first"]
    assert set(named(cto, "fruit", min_similarity=0.5)) == {"second"}
    merged = other.merge_entities("first", ["second"])
    assert named(cto, "fruit", min_similarity=0.5) == []
    other.undo_merge(merged.merge_id)
    assert named(cto, "fruit", min_similarity=0.5) == ["second"]
    acme.path.write_text("\n".join(line for line in acme.lines() if "pear" not in line) + "\n")
    assert named(cto, "fruit", min_similarity=0.5) == []
    elsewhere.as_().forget("first")
    assert cto.query_semantic("tool").results == ()


@pytest.mark.parametrize("asked", [{"query": " "}, {"query": "x", "limit": 0}, {"query": "x", "types": ["Thing"]}])
def test_a_question_that_cannot_be_answered_is_refused(cto: EntityMemory, asked: dict[str, object]) -> None:
    with pytest.raises((InvalidArgument, UnknownId)):
        cto.query_semantic(**asked)  # type: ignore[arg-type]


@pytest.fixture
def chain(acme: Business, cto: EntityMemory) -> EntityMemory:
    """A chain a <- b -> c -> d, and a way round from a to d that came later."""
    for name in "abcd":
        cto.create_entity("Concept" if name != "c" else "Pattern", name)
    cto.create_relation("b", "a", "DEPENDS_ON")
    cto.create_relation("b", "c", "BUILDS_ON")
    cto.create_relation("c", "d", "RELATES_TO")
    acme.later(1)
    cto.create_relation("a", "d", "RELATES_TO")
    return cto


def reached(memory: EntityMemory, start: str, **asked: object) -> list[tuple[str, int]]:
    walk = memory.traverse(start, **asked)  # type: ignore[arg-type]
    return [(hit.entity.name, hit.depth) for hit in walk.hits if hit.entity]


def test_a_walk_goes_both_ways_or_one_and_tells_the_shortest_way(chain: EntityMemory) -> None:
    assert sorted(reached(chain, "a")) == [("b", 1), ("c", 2), ("d", 1)]
    assert reached(chain, "a", direction="out") == [("d", 1)]
    assert reached(chain, "a", direction="in") == [("b", 1)]
    assert sorted(reached(chain, "a", max_depth=1)) == [("b", 1), ("d", 1)]
    assert reached(chain, "a", types=["Pattern"]) == [("c", 2)]
    assert sorted(reached(chain, "a", relation_types=["DEPENDS_ON", "BUILDS_ON"])) == [("b", 1), ("c", 2)]
    walk = chain.traverse("a", types=["Pattern"])
    assert len(walk.hits[0].path) == 2


def test_a_walk_is_as_of_a_date(chain: EntityMemory) -> None:
    assert sorted(reached(chain, "a", at="2026-01-22")) == [("b", 1), ("c", 2), ("d", 3)]
    assert reached(chain, "a", at="2025-01-01") == []


def test_depth_first_lists_the_same_in_another_order(chain: EntityMemory) -> None:
    wide, deep = reached(chain, "b"), reached(chain, "b", strategy="dfs")
    assert sorted(wide) == sorted(deep)
    assert [depth for _, depth in wide] == sorted(depth for _, depth in wide)


def test_a_walk_that_is_too_deep_or_begins_nowhere_is_refused(chain: EntityMemory) -> None:
    with pytest.raises(InvalidArgument, match="depth 9"):
        chain.traverse("a", max_depth=9)
    with pytest.raises(UnknownId) as raised:
        chain.traverse("z")
    assert raised.value.argument == "start_entity"
    assert chain.traverse("a", limit=1).is_cut


def test_what_held_at_a_time_and_within_a_time(acme: Business, cto: EntityMemory) -> None:
    cto.create_entity("Decision", "first", valid_from="2025-01-01", valid_to="2025-04-01")
    cto.create_entity("Decision", "second", valid_from="2025-04-01", observations=["written now"])
    cto.create_entity("Concept", "third", valid_from="2025-05-01")

    def held(**asked: object) -> list[str]:
        return [one.entity.name for one in cto.query_temporal(**asked)]  # type: ignore[arg-type]

    assert held() == ["second", "third"]
    assert held(at="2025-03-31") == ["first"]
    assert held(at="2025-04-01") == ["second"]
    assert held(since="2025-02-01", until="2025-05-01") == ["first", "second"]
    assert held(since="2025-04-01", types=["Decision"]) == ["second"]
    assert held(until="2025-01-01") == []
    assert cto.query_temporal(since="2025-04-01", until="2025-05-01")[0].observations == ()
    with pytest.raises(InvalidArgument, match="either at"):
        cto.query_temporal(at="2025-01-01", since="2025-01-01")


def test_one_entity_comes_with_what_it_replaced_and_what_replaced_it(acme: Business, cto: EntityMemory) -> None:
    for name in ("first", "second", "third", "other"):
        cto.create_entity("Decision", name)
        acme.later(1)
    cto.invalidate_fact("first", superseded_by="second")
    cto.invalidate_fact("second", superseded_by="third")
    assert [one.entity.name for one in cto.query_temporal(entity="second")] == ["first", "second", "third"]
    assert [one.entity.name for one in cto.query_temporal(entity="second", at="2026-01-22T13:00:00Z")] == [
        "first",
        "second",
    ]


def test_what_was_looked_at_last_comes_first(acme: Business, cto: EntityMemory) -> None:
    for name in ("a", "b"):
        cto.create_entity("Concept", name)
    cto.entity("b")
    acme.later(1)
    cto.entity("a")
    assert [one.entity.name for one in cto.recent()] == ["a", "b"]
    assert cto.entity("a").as_json()["entity"]["access_count"] == 2


def test_the_figures_are_all_of_s2s(acme: Business, cto: EntityMemory) -> None:
    for name in ("a", "b", "c"):
        cto.create_entity("Insight", name, observations=[f"of {name}"], properties={"confidence": 0.8})
    cto.create_entity("Insight", "a", source_session="s1")
    cto.create_entity("Insight", "a", source_session="s2")
    cto.create_entity("Concept", "alone")
    for start, end in ("ab", "bc", "ca"):
        cto.create_relation(start, end, "RELATES_TO" if start != "c" else "CONTRADICTS")
    acme.later(14)
    assert cto.stats().as_json() == {
        "entity_counts": {"Insight": 3, "Concept": 1, "Pattern": 0, "Decision": 0, "Agent": 0},
        "relation_counts": {
            **dict.fromkeys(["BUILDS_ON", "APPLIED_IN", "LEARNED_BY", "DEPENDS_ON", "SUPERSEDES", "MERGED_FROM"], 0),
            "RELATES_TO": 2,
            "CONTRADICTS": 1,
            "EXTRACTED_FROM": 2,
        },
        "total_observations": 3,
        "avg_observations_per_entity": 0.75,
        "graph_density": 0.25,
        "largest_component_size": 3,
        "avg_clustering_coefficient": 0.75,
        "knowledge_growth_rate": {"entities_per_week": 2.0, "observations_per_week": 1.5},
        "quality_indicators": {
            "avg_confidence": pytest.approx((0.8 * 2 / 3 + 0.8 + 0.4) / 3, abs=0.001),
            "validation_rate": 0.3333,
            "conflict_rate": 0.5,
        },
    }


def test_the_figures_of_an_empty_memory_are_none(cto: EntityMemory) -> None:
    stats = cto.stats()
    assert (stats.graph_density, stats.largest_component_size, stats.avg_clustering_coefficient) == (0.0, 0, 0.0)


def test_a_memory_of_which_nothing_was_written_has_no_file(acme: Business, cto: EntityMemory) -> None:
    assert cto.query_semantic("anything").results == ()
    assert not acme.path.exists()


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef")), max_size=6))
def test_the_largest_component_is_that_of_a_plain_search(drawn: dict[str, set[str]]) -> None:
    neighbours = {
        one: {other for other in drawn if other != one and (other in drawn[one] or one in drawn[other])}
        for one in drawn
    }

    def size(one: str) -> int:
        seen, frontier = {one}, [one]
        while frontier:
            fresh = neighbours[frontier.pop()] - seen
            seen |= fresh
            frontier += fresh
        return len(seen)

    assert largest_component(neighbours) == max(map(size, neighbours), default=0)
    assert 0.0 <= clustering(neighbours) <= 1.0


@given(st.floats(0, 1) | st.none(), st.integers(1, 500), st.integers(0, 500))
def test_support_never_lowers_and_contradiction_never_raises_confidence(
    stated: float | None, supporting: int, contradicting: int
) -> None:
    now = update_confidence(stated, supporting, contradicting)
    assert 0.0 <= now <= 1.0
    assert now >= support(supporting, contradicting)
    assert update_confidence(stated, supporting + 1, contradicting) >= now - 1e-9
    assert (
        update_confidence(stated, supporting, contradicting + 1)
        <= max(now, support(supporting, contradicting + 1)) + 1e-9
    )
