"""A state that can be changed is taken back to the letter."""

from hypothesis import given
from hypothesis import strategies as st

from mabos.knowledge.wording import name_key
from mabos.mind.htn import Domain, State
from mabos.mind.htn.world import World
from tests.mind.examples import known

THINGS = st.sampled_from(["a", "b", "c"])
FACTS = st.tuples(st.sampled_from(["on", "at"]), THINGS, THINGS)
CHANGES = st.one_of(
    st.tuples(st.lists(FACTS, max_size=3), st.lists(FACTS, max_size=3)),
    st.tuples(st.sampled_from(["Cash", "cash", "mood"]), st.sampled_from(["1", "2"])),
)


def seen(world: World) -> tuple[object, ...]:
    found = [
        sorted(world.matching(name, wanted))
        for name in ("on", "at")
        for wanted in ([], [(1, "a")], [(2, "b")], [(1, "a"), (2, "b")])
    ]
    return world.facts, world.signature, world.value("cash"), world.value("mood"), found


@given(st.sets(FACTS), st.lists(CHANGES), st.lists(CHANGES), st.booleans())
def test_going_back_to_a_mark_undoes_every_change(
    facts: set[tuple[str, str, str]], first: list[object], then: list[object], looked: bool
) -> None:
    world = World(State(facts, lookup=known({"cash": "7"})), Domain())
    if looked:
        seen(world)  # indices are made when they are first asked for, before the changes or after
    happen(world, first)
    mark, before = world.mark(), seen(world.copy())
    happen(world, then)
    now = seen(world)
    fresh = World(State(set(world.facts), lookup=world.value), Domain())
    assert now[4] == seen(fresh)[4]
    world.back_to(mark)
    assert seen(world) == before
    world.back_to(0)
    assert world.facts == facts
    assert world.value("cash") == "7"


def happen(world: World, changes: list[object]) -> None:
    for change in changes:
        match change:
            case (str(name), str(value)):
                world.assign(name_key(name), value)
            case (list(gone), list(come)):
                world.change(gone, come)


@given(st.sets(FACTS), st.sets(FACTS))
def test_equal_states_have_equal_signatures_however_they_came_about(
    one: set[tuple[str, str, str]], other: set[tuple[str, str, str]]
) -> None:
    world = World(State(one), Domain())
    world.change(one - other, other)
    assert world.signature == World(State(other), Domain()).signature
