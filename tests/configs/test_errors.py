"""An unknown id is answered with the nearest one, or with what there is."""

from mabos.configs.errors import unknown


def test_the_nearest_id_is_named() -> None:
    assert unknown("agent", "stratgy", ["ceo", "strategy"]).message == "no agent 'stratgy'; did you mean 'strategy'?"


def test_of_two_that_are_as_near_the_one_that_begins_alike_is_named() -> None:
    assert "'cfo'" in unknown("agent", "cfoo", ["ceo", "coo", "cfo"]).message
    assert "'coo'" in unknown("agent", "cooo", ["ceo", "cfo", "coo"]).message


def test_where_none_is_near_some_are_listed() -> None:
    assert unknown("goal", "zebra", ["G-2", "G-1"]).message == "no goal 'zebra'; found G-1, G-2"
    assert unknown("goal", "zebra", []).message == "no goal 'zebra'; there are none yet"


def test_of_an_id_as_long_as_a_book_the_beginning_is_told() -> None:
    assert len(unknown("goal", "x" * 100_000, []).message) < 300
