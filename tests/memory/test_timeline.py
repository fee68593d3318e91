"""The order of what is remembered, and who stands beside whom."""

from datetime import date
from itertools import pairwise
from math import isnan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mabos.memory.findable import Findable
from mabos.memory.timeline import NOBODY, ROOM, MemoryTimeline, day_of, first_number

HOUR = first_number(Findable("", "", at="2026-02-24T01:00:00.000Z")) - first_number(Findable("", "", at="2026-02-24"))
START = first_number(Findable("", "", at="2026-02-24"))
moments = st.lists(st.integers(0, 40).map(lambda hours: START + hours * HOUR), unique=True, max_size=20)


def beside(timeline: MemoryTimeline, number: int) -> list[int]:
    (near,) = timeline.beside(np.array([number])).tolist()
    return [one for one in near if one != NOBODY]


def lateness(timeline: MemoryTimeline, *numbers: int) -> list[float | None]:
    return [None if isnan(late) else late for late in timeline.lateness(np.array(numbers, np.int64)).tolist()]


@given(moments, st.data())
def test_coming_and_going_leaves_the_same_as_beginning_with_what_is_left(
    numbers: list[int], data: st.DataObject
) -> None:
    gone = data.draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []
    timeline = MemoryTimeline([])
    for number in numbers:
        timeline.add(number)
    for number in gone:
        timeline.drop(number)
    left = [number for number in numbers if number not in gone]
    fresh = MemoryTimeline(left)
    assert timeline.links == fresh.links == sum(len(beside(fresh, number)) for number in left)
    assert [beside(timeline, number) for number in left] == [beside(fresh, number) for number in left]
    assert lateness(timeline, *left) == lateness(fresh, *left)


@given(moments)
def test_neighbours_are_the_next_within_six_hours_and_stand_beside_each_other(numbers: list[int]) -> None:
    timeline = MemoryTimeline(numbers)
    for one, later in pairwise(sorted(numbers)):
        is_near = later - one <= 6 * HOUR
        assert (later in beside(timeline, one)) == (one in beside(timeline, later)) == is_near


def test_numbers_sort_by_time_items_before_passages_and_what_has_no_time_first() -> None:
    ats = ["", "yesterday", "2026-02-24T10:00:00.000Z", "2026-02-24T10:00:00.001Z", "2026-02-25"]
    items = [first_number(Findable("", "", at=at)) for at in ats]
    assert items[0] == items[1] < 0 < items[2] < items[3] < items[4]
    assert first_number(Findable("", "", at=ats[2], is_passage=True)) == items[2] + ROOM < items[3]
    assert day_of(items[2]) == (date(2026, 2, 24) - date(1970, 1, 1)).days == day_of(items[3])
    assert day_of(items[0]) is None


def test_passages_and_what_has_no_time_have_no_place_in_the_order() -> None:
    item, passage, untimed = START, START + HOUR + ROOM, first_number(Findable("", ""))
    timeline = MemoryTimeline([item, passage, untimed])
    assert timeline.within("2026-02-24", "2026-02-25", 9) == [item]
    assert [beside(timeline, one) for one in (item, passage, untimed)] == [[], [], []]
    assert lateness(MemoryTimeline([START, START + HOUR, START + 2 * HOUR]), untimed, START + HOUR) == [None, 0.5]
    assert lateness(timeline, item, untimed) == [None, None]
    assert list(timeline.years()) == [2026]
