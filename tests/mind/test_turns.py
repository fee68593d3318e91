"""Turns among commitments: shares by priority, and nobody is forgotten."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.turns import LEAST_WEIGHT, Contender, whose_turn

weights = st.lists(st.floats(0.05, 1), min_size=2, max_size=6)


def served(priorities: Sequence[float], rounds: int) -> list[int]:
    """Return how many turns each of several intentions that are always ready has had."""
    had = [0] * len(priorities)
    for _ in range(rounds):
        contenders = [Contender(share, had[at], "", f"I-{at}") for at, share in enumerate(priorities)]
        chosen = whose_turn(contenders)
        at = int(chosen.id.removeprefix("I-"))
        assert chosen.turns == had[at] + 1
        had[at] += 1
    return had


@given(weights, st.integers(1, 300))
def test_turns_are_in_proportion_to_priority_to_within_one_turn(priorities: list[float], rounds: int) -> None:
    had = served(priorities, rounds)
    for one, its_turns in zip(priorities, had, strict=True):
        for other, other_turns in zip(priorities, had, strict=True):
            assert other_turns / other - its_turns / one <= 1 / other + 1e-6


@given(
    weights,
    st.lists(st.tuples(st.sets(st.integers(1, 5)), st.lists(st.floats(0, 1), min_size=6, max_size=6)), max_size=150),
)
def test_nothing_starves_whoever_comes_and_goes_and_however_priorities_move(
    priorities: list[float], rounds: list[tuple[set[int], list[float]]]
) -> None:
    had = [0] * len(priorities)
    waited = 0
    for there, moved in rounds:
        present = [0, *(at for at in there if at < len(had))]
        chosen = whose_turn([Contender(moved[at], had[at], "", f"I-{at}") for at in present])
        at = int(chosen.id.removeprefix("I-"))
        had[at] = chosen.turns
        waited = 0 if at == 0 else waited + 1
        assert waited <= len(had) * (1 / LEAST_WEIGHT + 1)


@given(st.floats(0.05, 1), st.floats(0.05, 1), st.integers(1, 200))
def test_who_comes_later_cannot_claim_the_time_it_was_away(old: float, new: float, head_start: int) -> None:
    had = {"old": head_start, "new": 0}
    order = []
    for _ in range(40):
        chosen = whose_turn([Contender(old, had["old"], "", "old"), Contender(new, had["new"], "", "new")])
        had[chosen.id] = chosen.turns
        order.append(chosen.id)
    first_of_old = order.index("old") if "old" in order else len(order)
    assert first_of_old <= new / old + 2


def test_of_equals_the_one_of_higher_priority_goes_first() -> None:
    assert whose_turn([Contender(0.3, id="low"), Contender(0.9, id="high")]).id == "high"


def test_the_example_of_the_module_runs() -> None:
    chosen = whose_turn([Contender(0.8, turns=2, id="I-1"), Contender(0.4, turns=0, id="I-2")])
    assert (chosen.id, chosen.turns) == ("I-2", 2)
