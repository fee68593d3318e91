"""R1: grouping by tags, merging with lineage, dry runs and narratives."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.memory.consolidation import group, jaccard, merge
from mabos.memory.model import MemoryItem
from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def tagged(number: int, *tags: str) -> MemoryItem:
    return MemoryItem(id=f"M-{number}", content=f"thing {number}", tags=tags)


def test_no_tags_have_nothing_in_common() -> None:
    assert jaccard((), ()) == 0


def test_related_means_strictly_more_than_three_tenths() -> None:
    three_of_ten = [tagged(1, *"abcdef"), tagged(2, *"abcghij")]
    assert jaccard(*(item.tags for item in three_of_ten)) == 0.3
    assert len(group(three_of_ten)) == 2
    assert len(group([tagged(1, "a", "b"), tagged(2, "A", "c")])) == 1


def test_the_worked_example_of_authentication_groups_by_its_arithmetic() -> None:
    items = [
        tagged(1, "authentication", "bug", "session", "token-ttl"),
        tagged(2, "authentication", "token", "api"),
        tagged(3, "authentication", "oauth2", "security"),
        tagged(4, "authentication", "jwt", "security"),
        tagged(5, "session", "security", "cookie"),
    ]
    assert [[item.id for item in members] for members in group(items)] == [["M-1"], ["M-2"], ["M-3", "M-4"], ["M-5"]]


TAGS = st.lists(st.sampled_from("abcde"), max_size=4, unique=True)


@given(st.lists(TAGS, max_size=12))
def test_grouping_is_the_printed_algorithm(tags: list[list[str]]) -> None:
    items = [tagged(number, *some) for number, some in enumerate(tags)]
    assigned: set[str] = set()
    printed = []
    for item in items:
        if item.id in assigned:
            continue
        members = [item]
        assigned.add(item.id)
        for other in items:
            if other.id not in assigned and jaccard(item.tags, other.tags) > 0.3:
                members.append(other)
                assigned.add(other.id)
        printed.append(members)
    assert group(items) == printed


def five_related(mind: Remembering) -> list[MemoryItem]:
    importances = (0.7, 0.9, 0.6, 0.8, 0.7)
    return [
        mind.memory.store(
            f"Churn note {n}", importance=importance, type="decision" if n == 1 else "fact", tags=["churn", f"t{n}"]
        )
        for n, importance in enumerate(importances)
    ]


def test_related_items_become_one_that_names_its_sources(mind: Remembering) -> None:
    sources = five_related(mind)
    done = mind.memory.consolidate()
    (item,) = done.promoted
    assert item.content == "[Consolidated from 5 memories] " + " | ".join(source.content for source in sources)
    assert (item.type, item.importance, item.source) == ("decision", 0.9, "consolidation")
    assert item.tags == ("churn", "t0", "t1", "t2", "t3", "t4")
    assert item.derived_from == tuple(source.id for source in sources)
    assert mind.memory.status()["short_term"] == 0
    assert [mind.memory.trace(source) for source in item.derived_from] == [source.content for source in sources]
    assert item.id in mind.log()
    mind.memory.materialise()
    assert item.id in (mind.directory / "MEMORY.md").read_text()
    assert "- **Derived from:** " + sources[0].id in (mind.directory / "memory/mabos-memory-items.md").read_text()


def test_a_dry_run_tells_and_changes_nothing(mind: Remembering) -> None:
    five_related(mind)
    seq = mind.document.seq
    done = mind.memory.consolidate(dry_run=True)
    assert len(done.promotions) == 1
    assert done.promoted == ()
    assert mind.document.seq == seq
    assert not (mind.directory / "MEMORY.md").exists()


def test_what_is_neither_important_nor_recalled_stays(mind: Remembering) -> None:
    minor = mind.memory.store("Coffee was cold", importance=0.3)
    assert mind.memory.consolidate().promotions == ()
    assert mind.memory.store_of(minor.id) == "short_term"
    assert len(mind.memory.consolidate(min_importance=0.3).promoted) == 1


def test_working_items_stay_carry_a_mark_and_are_promoted_once(mind: Remembering) -> None:
    thought = mind.memory.store("Hold the price", importance=0.8, store="working")
    (copy,) = mind.memory.consolidate().promoted
    assert copy.id != thought.id
    assert copy.derived_from == (thought.id,)
    assert mind.memory.item(thought.id).consolidated_into == copy.id
    assert mind.memory.store_of(thought.id) == "working"
    assert mind.memory.consolidate().promotions == ()
    assert len(mind.memory.recall("price")) == 1


def test_a_narrative_is_used_where_one_is_told(mind: Remembering) -> None:
    five_related(mind)

    def told(members: Sequence[MemoryItem]) -> str:
        return f"Churn, in {len(members)} notes."

    (item,) = mind.memory.consolidate(summarise=told).promoted
    assert item.content == "[Consolidated from 5 memories] Churn, in 5 notes."


def test_a_failed_narrative_falls_back_to_the_contents(mind: Remembering) -> None:
    five_related(mind)
    (item,) = mind.memory.consolidate(summarise=lambda _: "").promoted
    assert "Churn note 0 | Churn note 1" in item.content


def test_a_consolidated_item_consolidated_again_names_every_source(mind: Remembering) -> None:
    sources = five_related(mind)
    (first,) = mind.memory.consolidate().promoted
    later = mind.memory.store("More churn", importance=0.7, tags=first.tags)
    merged = merge([first, later], "M-x", "2026-02-24T15:00:00.000Z")
    assert merged.derived_from == (first.id, *(source.id for source in sources), later.id)


def test_what_was_consolidated_is_taken_up_by_a_later_group_and_superseded(mind: Remembering) -> None:
    sources = five_related(mind)
    (first,) = mind.memory.consolidate().promoted
    later = mind.memory.store("More churn", importance=0.7, tags=first.tags)
    mind.wait(minutes=1)
    again = mind.reopened()
    (second,) = again.memory.consolidate().promoted
    said = " | ".join(["More churn", *(source.content for source in sources)])
    assert second.content == f"[Consolidated from 6 memories] {said}"
    assert second.derived_from == (later.id, first.id, *(source.id for source in sources))
    assert second.supersedes == (first.id,)
    assert again.memory.item(first.id).superseded_by == second.id
    found = again.memory.recall("churn", store="long_term")
    assert [hit.found.id for hit in found] == [second.id]
    assert [again.memory.trace(one) for one in second.derived_from[2:]] == [source.content for source in sources]


def test_consolidating_comes_to_an_end(mind: Remembering) -> None:
    for topic in ("churn", "price"):
        for n in range(2):
            mind.memory.store(f"{topic} {n}", importance=0.7, tags=[topic, "quarter", f"{n}"])
        mind.memory.consolidate()
    seq = mind.document.seq
    assert mind.memory.consolidate().promotions == ()
    assert mind.document.seq == seq
    (item,) = (item for item in mind.memory.recent(9) if not item.superseded_by)
    assert item.content == "[Consolidated from 4 memories] price 0 | price 1 | churn 0 | churn 1"
