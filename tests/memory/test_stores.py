"""The three stores: capacity, expiry, demotion, and nothing lost but by rule."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, UnknownId
from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def test_storing_the_same_twice_returns_the_same_item_and_writes_once(mind: Remembering) -> None:
    first = mind.memory.store("Runway is nine months", type="fact", importance=0.8)
    seq = mind.document.seq
    assert mind.memory.store("Runway is nine months", type="fact", importance=0.8) == first
    assert mind.document.seq == seq
    assert mind.log().count("Runway") == 1


def test_the_same_words_as_another_type_are_another_item(mind: Remembering) -> None:
    assert mind.memory.store("Churn fell", type="fact").id != mind.memory.store("Churn fell", type="lesson").id


def test_stored_again_with_more_weight_it_is_raised_and_never_lowered(mind: Remembering) -> None:
    first = mind.memory.store("Runway is nine months", importance=0.4, tags=["runway"])
    raised = mind.memory.store("Runway is nine months", importance=0.9, tags=["cash"], store="long_term")
    again = mind.memory.store("Runway is nine months", importance=0.1)
    assert (raised.id, raised.importance, raised.tags) == (first.id, 0.9, ("runway", "cash"))
    assert again == raised
    assert mind.memory.store_of(first.id) == "long_term"


def test_an_eighth_working_item_demotes_the_least_recently_accessed_in_the_same_write(mind: Remembering) -> None:
    items = []
    for number in range(7):
        items.append(mind.memory.store(f"thought {number}", store="working"))
        mind.wait(seconds=1)
    mind.memory.recall("thought 0", limit=1)
    mind.wait(seconds=1)
    seq = mind.document.seq
    mind.memory.store("thought 7", store="working")
    assert mind.document.seq == seq + 1
    assert mind.memory.store_of(items[0].id) == "working"
    assert mind.memory.store_of(items[1].id) == "short_term"
    assert mind.memory.status()["working"] == 7


def test_a_full_short_term_store_loses_the_least_important_and_of_those_the_oldest(mind: Remembering) -> None:
    first, second, third = (mind.memory.store(f"minor {n}", importance=0.1) for n in range(3))
    mind.memory.store_many([{"content": f"major {n}", "importance": 0.5} for n in range(197)])
    newest = mind.memory.store("even less", importance=0.05)
    mind.memory.store("one more", importance=0.5)
    with pytest.raises(UnknownId):
        mind.memory.item(first.id)
    with pytest.raises(UnknownId):
        mind.memory.item(newest.id)
    assert mind.memory.item(second.id)
    assert mind.memory.item(third.id)
    assert mind.memory.status()["short_term"] == 200
    assert mind.memory.trace(first.id) == "minor 0"


def test_one_write_makes_room_for_each_of_its_items_in_turn(mind: Remembering) -> None:
    mind.memory.store_many([{"content": f"major {n}", "importance": 0.5} for n in range(198)])
    mind.memory.store_many([{"content": f"minor {n}", "importance": 0.1} for n in range(2)])
    fields = [("slight", 0.05), ("usual", 0.5), ("minor 0", 0.5), ("great", 0.9), ("passing", 0.2), ("last", 0.5)]
    mind.memory.store_many([{"content": content, "importance": importance} for content, importance in fields])
    kept = {item.content for item in mind.memory.recent(300)}
    assert len(kept) == 200
    assert {"usual", "minor 0", "great", "last", "major 2"} <= kept
    assert kept.isdisjoint({"slight", "minor 1", "passing", "major 0", "major 1"})


def test_remembering_says_how_much_of_it_was_new(mind: Remembering) -> None:
    mind.memory.store("the bank agreed")
    told: list[dict[str, Any]] = [{"content": "the bank agreed"}, {"content": "rates rose"}]
    told.append({"content": "rates rose", "importance": 0.9})
    assert mind.memory.remember(told) == 1
    assert mind.memory.remember(told) == 0
    assert [item.importance for item in mind.memory.recent() if item.content == "rates rose"] == [0.9]


def test_after_two_hours_what_deserves_it_becomes_long_term_and_the_rest_stays_in_the_log(mind: Remembering) -> None:
    important = mind.memory.store("Priya leads the audit", importance=0.6)
    recalled = mind.memory.store("The audit is in May", importance=0.2)
    passing = mind.memory.store("Coffee was cold", importance=0.2)
    for _ in range(2):
        mind.memory.recall("audit May", limit=1)
    mind.wait(hours=2)
    assert {item.id for item in mind.memory.expire()} == {important.id, recalled.id, passing.id}
    assert mind.memory.store_of(important.id) == "long_term"
    assert mind.memory.store_of(recalled.id) == "long_term"
    assert mind.memory.status()["short_term"] == 0
    assert "Coffee was cold" in mind.log()
    assert mind.memory.trace(passing.id) == "Coffee was cold"


def test_an_item_a_minute_short_of_two_hours_stays(mind: Remembering) -> None:
    mind.memory.store("Coffee was cold", importance=0.2)
    mind.wait(minutes=119)
    assert mind.memory.expire() == []


def test_every_access_prunes_what_expired(mind: Remembering) -> None:
    mind.memory.store("Coffee was cold", importance=0.2)
    mind.wait(hours=3)
    assert mind.memory.recall("coffee") == []
    assert mind.memory.status()["total"] == 0


def test_several_things_are_stored_in_one_write(mind: Remembering) -> None:
    items = mind.memory.store_many(
        [{"content": "a b", "tags": ["x"]}, {"content": "c d", "tier": "long_term"}, {"content": "a b"}]
    )
    assert mind.document.seq == 1
    assert items[2] == items[0]
    assert mind.memory.store_of(items[1].id) == "long_term"


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"content": " "}, "content"),
        ({"content": "x", "type": "rumour"}, "type"),
        ({"content": "x", "importance": 1.5}, "importance"),
        ({"content": "x", "importance": float("nan")}, "importance"),
        ({"content": "x", "store": "attic"}, "store"),
        ({"content": "x", "tags": "runway"}, "tags"),
        ({"content": "x", "mood": "good"}, "mood"),
    ],
)
def test_what_cannot_be_stored_is_named_and_nothing_is_written(
    mind: Remembering, fields: dict[str, object], argument: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        mind.memory.store_many([{"content": "fine"}, fields])
    assert refused.value.argument == argument
    assert mind.memory.status()["total"] == 0
    assert not (mind.directory / "memory").exists()


def test_the_document_has_the_form_of_its_specification(mind: Remembering) -> None:
    item = mind.memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
    mind.document.close()
    written = json.loads((mind.directory / "memory-store.json").read_text())
    assert list(written) == ["working", "short_term", "long_term", "version"]
    assert written["long_term"] == [
        {
            "id": item.id,
            "content": "Runway is nine months",
            "type": "fact",
            "importance": 0.8,
            "source": "manual",
            "tags": ["runway"],
            "created_at": "2026-02-24T14:30:00.000Z",
            "accessed_at": "2026-02-24T14:30:00.000Z",
            "access_count": 0,
        }
    ]


def test_a_hand_written_store_opens_with_the_older_names_and_keeps_what_it_does_not_know(tmp_path: Path) -> None:
    record = {"id": "mem-1", "content": "Old note", "timestamp": "2026-02-24T14:29:00Z", "mood": "calm"}
    (tmp_path / "memory-store.json").write_text(json.dumps({"short_term": [record]}))
    mind = Remembering(tmp_path)
    item = mind.memory.item("mem-1")
    assert (item.type, item.created_at, item.importance) == ("observation", "2026-02-24T14:29:00.000Z", 0.5)
    mind.memory.recall("old note")
    mind.memory.settle()
    mind.document.close()
    kept = json.loads((tmp_path / "memory-store.json").read_text())["short_term"][0]
    assert kept["mood"] == "calm"
    assert kept["access_count"] == 1


def test_recalls_cost_no_write_and_are_written_with_the_next_one(mind: Remembering) -> None:
    item = mind.memory.store("Runway is nine months")
    seq = mind.document.seq
    for _ in range(3):
        mind.wait(seconds=1)
        mind.memory.recall("runway")
    assert mind.document.seq == seq
    mind.memory.store("Something else")
    assert mind.document.seq == seq + 1
    there = mind.reopened().memory.item(item.id)
    assert (there.access_count, there.accessed_at) == (3, "2026-02-24T14:30:03.000Z")


def test_two_processes_on_one_store_see_each_others_items(mind: Remembering) -> None:
    mind.memory.store("Mine")
    other = Remembering(mind.directory, mind.clock)
    theirs = other.memory.store("Theirs")
    assert mind.memory.item(theirs.id).content == "Theirs"
    assert mind.memory.store("Theirs") == theirs


CONTENTS = st.sampled_from([f"thing {n}" for n in range(30)])
STORE = st.sampled_from(["working", "short_term", "long_term"])
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("store"), CONTENTS, STORE, st.sampled_from([0.1, 0.5, 0.7])),
        st.tuples(st.just("wait"), st.integers(1, 200)),
        st.tuples(st.just("recall"), CONTENTS),
        st.tuples(st.just("consolidate")),
    ),
    max_size=40,
)


@settings(max_examples=30, deadline=None)
@given(moves=MOVES)
def test_whatever_happens_stores_hold_their_capacity_and_everything_stays_traceable(
    moves: list[tuple[object, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    mind = Remembering(tmp_path_factory.mktemp("mind"))
    stored = {}
    for move in moves:
        match move:
            case ("store", str(content), str(store), float(importance)):
                item = mind.memory.store(content, store=store, importance=importance, tags=[content[-1]])
                stored[item.id] = (content, store)
            case ("wait", int(minutes)):
                mind.wait(minutes=minutes)
            case ("recall", str(content)):
                mind.memory.recall(content)
            case _:
                mind.memory.consolidate()
    status = mind.memory.status()
    assert status["working"] <= 7
    assert status["short_term"] <= 200
    for item_id, (content, store) in stored.items():
        assert mind.memory.trace(item_id) == content
        if store == "long_term":
            assert mind.memory.store_of(item_id) == "long_term"
    before, after = mind.memory.recent(1000), mind.reopened().memory.recent(1000)
    assert {item.id for item in before} == {item.id for item in after}
