"""Time: Allen's table and networks, and the timelines of Dechter, Meiri and Pearl."""

from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.kernels import allen
from tests.knowledge.reasoning.asking import ask, late


def intervals(*relations: tuple[str, str, str], query: tuple[str, str] | None = None) -> dict[str, Any]:
    told = [{"first": a, "relations": r.split("|"), "second": b} for a, r, b in relations]
    return {"kind": "intervals", "relations": told, "query": query}


def test_the_composition_table_has_the_entries_and_the_size_of_allens() -> None:
    """Allen 1983, figure 4: 169 entries with 409 relations in all."""
    table = allen.composition()
    assert len(table) == 169
    assert sum(entry.bit_count() for entry in table.values()) == 409
    assert allen.names(table[allen.bit("during"), allen.bit("before")]) == ("before",)
    assert allen.names(table[allen.bit("overlaps"), allen.bit("starts")]) == ("overlaps",)
    assert allen.names(table[allen.bit("overlaps"), allen.bit("overlaps")]) == ("before", "meets", "overlaps")
    assert table[allen.bit("before"), allen.bit("after")] == allen.ALL


def test_composition_holds_for_all_integer_intervals_up_to_eight() -> None:
    ends = list(combinations(range(8), 2))
    random = Random(4)
    for _ in range(5000):
        a, b, c = (random.choice(ends) for _ in range(3))
        entry = allen.composition()[allen.bit(allen.between(a, b)), allen.bit(allen.between(b, c))]
        assert allen.bit(allen.between(a, c)) & entry


def test_allens_example_of_the_light_switch() -> None:
    """Allen 1983: he was not in the room when he touched the switch to turn on the light."""
    told = intervals(
        ("switch", "overlaps|meets", "light"), ("switch", "before|meets|met-by|after", "room"), query=("light", "room")
    )
    possible = ask("temporal", told).answer.query
    for relation in allen.RELATIONS:
        held = {"first": "light", "relations": [relation], "second": "room"}
        assert (relation in possible) == _brute([*told["relations"], held], ["switch", "light", "room"])


def test_a_network_that_is_path_consistent_and_yet_inconsistent_is_found_out() -> None:
    """Allen 1983, figure 5 (after Kautz): D starts or finishes C, and so on; no three intervals show it."""
    told = intervals(
        ("D", "during|contains", "A"),
        ("D", "during|contains", "B"),
        ("D", "meets|met-by", "C"),
        ("C", "during|contains", "A"),
        ("C", "during|contains", "B"),
        ("A", "starts|finishes", "B"),
    )
    names = ["D", "A", "B", "C"]
    possible = _brute(told["relations"], names)
    assert ask("temporal", told).answer.consistent == possible


def _brute(relations: list[dict[str, Any]], names: list[str]) -> bool:
    """Return whether some intervals with ends among 0 to 7 stand in these relations."""
    ends = list(combinations(range(2 * len(names)), 2))
    for chosen in product(ends, repeat=len(names)):
        at = dict(zip(names, chosen, strict=True))
        if all(allen.between(at[one["first"]], at[one["second"]]) in one["relations"] for one in relations):
            return True
    return False


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([("a", "b"), ("b", "c"), ("a", "c")]),
            st.sets(st.sampled_from(allen.RELATIONS), min_size=1, max_size=4),
        ),
        min_size=2,
        max_size=4,
    )
)
def test_consistency_equals_search_over_integer_intervals(held: list[tuple[tuple[str, str], set[str]]]) -> None:
    told = intervals(*((a, "|".join(sorted(relations)), b) for (a, b), relations in held))
    names = sorted({name for pair, _ in held for name in pair})
    assert ask("temporal", told).answer.consistent == _brute(told["relations"], names)


def bound(before: str, after: str, at_least: float | None = None, at_most: float | None = None, **more: Any) -> Any:
    return {"before": before, "after": after, "at_least": at_least, "at_most": at_most, **more}


CARPOOL = [
    bound("start", "john leaves", 10, 20),  # minutes after 7:00
    bound("john leaves", "john arrives", 30, 40),
    bound("fred leaves", "fred arrives", 40, 50),
    bound("start", "fred arrives", 60, 70),
    bound("fred leaves", "john arrives", 10, 20),
]
"""The example of Dechter, Meiri and Pearl 1991 with John driving and Fred in a carpool."""


def test_the_carpool_example_has_the_minimal_network_of_the_paper() -> None:
    answer = ask("temporal", {"kind": "timeline", "bounds": CARPOOL}).answer
    assert answer.consistent
    assert answer.window == {
        "start": (0, 0),
        "john leaves": (10, 20),
        "john arrives": (40, 50),
        "fred leaves": (20, 30),
        "fred arrives": (60, 70),
    }


def test_the_choices_of_the_carpool_are_tried_until_one_fits() -> None:
    """The paper's disjunctions, John by car or bus, Fred by car or carpool, and Fred leaving before 7:25."""
    either = [
        [bound("john leaves", "john arrives", 30, 40), bound("john leaves", "john arrives", 60)],
        [bound("fred leaves", "fred arrives", 20, 30), bound("fred leaves", "fred arrives", 40, 50)],
    ]
    shared = [CARPOOL[0], CARPOOL[3], CARPOOL[4], bound("start", "fred leaves", None, 25)]
    answer = ask("temporal", {"kind": "timeline", "bounds": shared, "either": either}).answer
    assert answer.consistent
    assert answer.chosen == (
        "john arrives at least 30 and at most 40 after john leaves",
        "fred arrives at least 40 and at most 50 after fred leaves",
    )


def test_bounds_that_contradict_each_other_are_named_and_no_others() -> None:
    late_by = [
        bound("start", "built", 10, id="G-1"),
        bound("built", "shipped", 6, id="G-2"),
        bound("start", "shipped", None, 14, id="D-3"),
        bound("start", "party", 1, 2, id="G-4"),
    ]
    result = ask("temporal", {"kind": "timeline", "bounds": late_by})
    assert (result.status, sorted(result.evidence)) == ("inconsistent", ["D-3", "G-1", "G-2"])
    assert "shipped at most 14 after start" in result.summary


def test_a_plan_without_a_deadline_has_no_latest_time() -> None:
    answer = ask("temporal", {"kind": "timeline", "bounds": [bound("start", "done", 3)]}).answer
    assert answer.window["done"] == (3, None)


events = st.sampled_from("abc")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(events, events, st.integers(-3, 4), st.integers(0, 3)), max_size=5))
def test_timelines_equal_search_over_integers(held: list[tuple[str, str, int, int]]) -> None:
    bounds = [bound(a, b, low, low + width) for a, b, low, width in held if a != b]
    bounds += [bound("s", name, 0, 6) for name in "abc"]
    answer = ask("temporal", {"kind": "timeline", "start": "s", "bounds": bounds}).answer
    found = []
    for times in product(range(7), repeat=3):
        at = dict(zip("abc", times, strict=True)) | {"s": 0}
        if all(one["at_least"] <= at[one["after"]] - at[one["before"]] <= one["at_most"] for one in bounds):
            found.append(at)
    assert answer.consistent == bool(found)
    for name in "abc" if found else "":
        assert answer.window[name] == (min(at[name] for at in found), max(at[name] for at in found))


def test_too_many_choices_are_refused_before_they_are_tried() -> None:
    either = [[bound("start", f"e{n}", 1), bound("start", f"e{n}", 2)] for n in range(13)]
    with pytest.raises(InvalidArgument, match="13 choices between bounds are more than the 12"):
        ask("temporal", {"kind": "timeline", "either": either})


def test_a_network_that_takes_too_long_is_given_up() -> None:
    names = [f"i{n}" for n in range(40)]
    told = intervals(*((a, "before|overlaps|during|meets", b) for a, b in combinations(names, 2)))
    with pytest.raises(Exception, match="no result within 1 s"):
        late("temporal", told, looks=3)
    assert ask("temporal", told, seconds=1e-6).status == "timeout"
