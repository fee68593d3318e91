"""The graph follows every write: after any sequence of them it is what the lines alone amount to."""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import Misuse
from mabos.knowledge.entities.memory import EntityMemory
from tests.knowledge.entities.memories import Business

NAMES = ["a", "b", "c", "d"]
DATES = ["", "2025-01-01", "2025-06-01", "2026-01-01"]
AGENTS = ["cfo", "cfo", "cto", ""]


def created(memory: EntityMemory, pick: Random) -> None:
    memory.create_entity(
        pick.choice(["Insight", "Concept"]),
        pick.choice(NAMES),
        observations=pick.sample(["one", "two"], pick.randint(0, 2)),
        source_session=pick.choice(["", "s1", "s2"]),
        visibility=pick.choice(["", "", "", "agent-private", "team-private"]),
        valid_from=pick.choice(DATES),
    )


def someone(memory: EntityMemory, pick: Random) -> str:
    """Return an entity that the agent sees, most often one that holds."""
    seen = [one.id for one in memory.figures().entities]
    return pick.choice([*seen, *seen, *seen, *NAMES])


def observed(memory: EntityMemory, pick: Random) -> None:
    memory.add_observation(someone(memory, pick), pick.choice(["one", "three"]), valid_from=pick.choice(DATES))


def related(memory: EntityMemory, pick: Random) -> None:
    ends = [someone(memory, pick), someone(memory, pick), someone(memory, pick), "session:s1", "task:t1"]
    types = ["RELATES_TO", "RELATES_TO", "CONTRADICTS", "CONTRADICTS", "EXTRACTED_FROM", "APPLIED_IN", "SUPERSEDES"]
    memory.create_relation(someone(memory, pick), pick.choice(ends), pick.choice(types), valid_from=pick.choice(DATES))


def ended(memory: EntityMemory, pick: Random) -> None:
    profile = memory.entity(someone(memory, pick), at="any")
    ids = [profile.entity.id, *(one.id for one in profile.observations), *(one.relation.id for one in profile.related)]
    memory.invalidate_fact(pick.choice(ids), superseded_by=pick.choice(["", someone(memory, pick)]))


def merged(memory: EntityMemory, pick: Random) -> None:
    memory.merge_entities(someone(memory, pick), [someone(memory, pick) for _ in range(pick.randint(1, 2))])


def unmerged(memory: EntityMemory, pick: Random) -> None:
    merges = sorted(memory._store.read().merges)
    memory.undo_merge(pick.choice(merges or ["none"]))


def hidden(memory: EntityMemory, pick: Random) -> None:
    memory.set_visibility(someone(memory, pick), pick.choice(["public", "agent-private", "team-private"]))


def forgotten(memory: EntityMemory, pick: Random) -> None:
    memory.forget(someone(memory, pick))


def put_away(memory: EntityMemory, pick: Random) -> None:
    memory.archive(someone(memory, pick))


def brought_back(memory: EntityMemory, pick: Random) -> None:
    memory.restore(pick.choice([one.id for one in memory.archived()] or ["none"]))


DEEDS: list[Callable[[EntityMemory, Random], None]] = [
    created, created, observed, related, related, ended, merged, merged, unmerged, hidden, forgotten, put_away,
    brought_back,
]  # fmt: skip


def assert_follows(acme: Business, pick: Random) -> None:
    """Hold that a graph made of the lines alone, in any order, is the one that followed them."""
    acme.store.update()
    lines = acme.lines()
    pick.shuffle(lines)
    rebuilt = Business(acme.root / "rebuilt", acme.clock)
    rebuilt.path.parent.mkdir(parents=True)
    rebuilt.path.write_text("".join(f"{line}\n" for line in lines))
    rebuilt.store.update()
    assert acme.store.problems == ()
    assert rebuilt.graph.digest() == acme.graph.digest()


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**9), deeds=st.lists(st.sampled_from(DEEDS), min_size=5, max_size=25))
def test_after_any_sequence_of_writes_the_graph_is_what_the_lines_amount_to(
    tmp_path_factory: pytest.TempPathFactory, seed: int, deeds: list[Callable[[EntityMemory, Random], None]]
) -> None:
    acme, pick = Business(tmp_path_factory.mktemp("followed")), Random(seed)
    elsewhere = Business(acme.root, acme.clock)
    for deed in [created, created, created, created, related, *deeds]:
        acme.later(pick.choice([0, 0, 1]))
        with suppress(Misuse):
            deed(pick.choice([acme, elsewhere]).as_(pick.choice(AGENTS)), pick)
    assert_follows(acme, pick)


def test_what_is_said_of_an_entity_reaches_all_that_it_was_merged_into(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    person = acme.as_()
    for name in "abcd":
        person.create_entity("Insight", name)
    relation = person.create_relation("a", "d", "CONTRADICTS")
    for name, keep in pairwise("abc"):
        acme.later(1)
        person.merge_entities(keep, [name])
    acme.later(1)
    person.invalidate_fact(relation.relation.id)
    assert_follows(acme, Random(1))


@settings(deadline=None, max_examples=20)
@given(
    spans=st.lists(
        st.tuples(st.sampled_from("bcd"), st.integers(2000, 2020), st.integers(1, 6)), min_size=1, max_size=6
    ),
    year=st.integers(1999, 2028),
)
def test_as_of_any_year_a_walk_finds_what_the_intervals_say(
    tmp_path_factory: pytest.TempPathFactory, spans: list[tuple[str, int, int]], year: int
) -> None:
    cto = Business(tmp_path_factory.mktemp("spans")).as_("cto")
    for name in "abcd":
        cto.create_entity("Concept", name, valid_from="1990-01-01")
    for end, start, length in spans:
        cto.create_relation("a", end, "RELATES_TO", valid_from=f"{start}-01-01", valid_to=f"{start + length}-01-01")
    # One that begins when another did says the same; the first one's end stands, unless only the later one knows one.
    first: dict[tuple[str, int], int] = {}
    for end, start, length in spans:
        first.setdefault((end, start), length)
    held = {end for (end, start), length in first.items() if start <= year < start + length}
    walk = cto.traverse("a", direction="out", max_depth=1, at=f"{year}-01-01")
    assert {hit.entity.name for hit in walk.hits if hit.entity} == held
