"""Induction from rows: EnjoySport (Mitchell 1997, chapter 2), PlayTennis (Quinlan 1986), contact lenses (Cendrowska
1987), a threshold (Mitchell 1997, section 3.7.2), and version spaces against all conjunctions."""

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning.asking import ask, late

SPORT = ("sky", "air", "humidity", "wind", "water", "forecast", "sport")
SPORT_ROWS = (
    "sunny warm normal strong warm same yes",
    "sunny warm high strong warm same yes",
    "rainy cold high strong warm change no",
    "sunny warm high strong cool change yes",
)
TENNIS = ("outlook", "temperature", "humidity", "wind", "play")
TENNIS_ROWS = (
    "sunny hot high weak no", "sunny hot high strong no", "overcast hot high weak yes", "rain mild high weak yes",
    "rain cool normal weak yes", "rain cool normal strong no", "overcast cool normal strong yes",
    "sunny mild high weak no", "sunny cool normal weak yes", "rain mild normal weak yes",
    "sunny mild normal strong yes", "overcast mild high strong yes", "overcast hot normal weak yes",
    "rain mild high strong no",
)  # fmt: skip


def induced(names: tuple[str, ...], rows: list[list[Any]], query: list[Any] | None = None) -> MethodResult[Any]:
    told = [dict(zip(names, row, strict=True)) for row in rows]
    more = {} if query is None else {"query": {n: v for n, v in zip(names, query, strict=False) if v is not None}}
    return ask("inductive", {"kind": "table", "target": names[-1], "rows": told, **more})


def words(rows: tuple[str, ...]) -> list[list[Any]]:
    return [row.split() for row in rows]


def tree(result: MethodResult[Any]) -> Any:
    """Return the tree as nested mappings."""
    return dict(result.witness)["tree"] if isinstance(result.witness, dict) else None


def test_the_boundaries_of_enjoy_sport_are_those_printed() -> None:
    space = induced(SPORT, words(SPORT_ROWS)).answer.boundaries
    assert space.specific == ({"sky": "sunny", "air": "warm", "wind": "strong"},)
    assert space.general == ({"sky": "sunny"}, {"air": "warm"})


def test_the_six_hypotheses_vote_on_the_four_new_days_as_printed() -> None:
    days = {
        "sunny warm normal strong cool change": (6, 6),
        "rainy cold normal light warm same": (0, 6),
        "sunny warm normal light warm same": (3, 6),
        "sunny cold normal strong warm same": (2, 6),
    }
    for day, votes in days.items():
        assert induced(SPORT, words(SPORT_ROWS), list(day.split())).answer.boundaries.votes == votes


def test_no_conjunction_is_an_empty_version_space() -> None:
    rows = [["sunny", "yes"], ["rainy", "yes"], ["cloudy", "no"]]
    space = induced(("sky", "sport"), rows).answer.boundaries
    assert (space.specific, space.general) == ((), ())


def test_the_tree_of_play_tennis_is_the_printed_one() -> None:
    result = induced(TENNIS, words(TENNIS_ROWS), ["sunny", "cool", "high", "strong"])
    assert {one.conditions: (one.value, one.covered) for one in result.answer.rules} == {
        ("outlook = overcast",): ("yes", 4),
        ("outlook = sunny", "humidity = high"): ("no", 3),
        ("outlook = sunny", "humidity = normal"): ("yes", 2),
        ("outlook = rain", "wind = weak"): ("yes", 3),
        ("outlook = rain", "wind = strong"): ("no", 2),
    }
    assert (result.answer.value, result.status, result.soundness) == ("no", "estimated", 3)
    overcast = result.answer.rules[0]
    assert (overcast.precision, overcast.laplace, round(overcast.at_least, 3)) == (1.0, 5 / 6, 0.51)


def test_what_a_query_leaves_out_is_weighed_by_the_rows_seen() -> None:
    result = induced(TENNIS, words(TENNIS_ROWS), ["sunny", None, None, "weak"])
    root = (5 + (5 + 1 / 2) / 15) / 15  # each node counts the shares above it as one row more
    sunny = (3 + root) / 6
    assert result.answer.shares["no"] == pytest.approx(3 / 5 * (3 + sunny) / 4 + 2 / 5 * sunny / 3)
    assert dict(result.claims[0].distribution) == result.answer.shares


def test_on_noisy_rows_a_class_is_as_sure_as_held_out_rows_let_it_be() -> None:
    draw = random.Random(3)
    rows = [[draw.choice("xy"), draw.choice("pq")] for _ in range(120)]
    noise = [[a, b, "yes" if (a == "x") != (draw.random() < 0.2) else "no"] for a, b in rows]
    told = induced(("a", "b", "class"), noise, ["x", "p"])
    assert (told.status, told.answer.value) == ("estimated", "yes")
    assert told.confidence is not None
    assert 0.7 < told.confidence < 0.9
    chance = induced(("a", "b", "class"), [[a, b, draw.choice(("yes", "no", "open"))] for a, b in rows], ["x", "p"])
    assert (chance.status, chance.claims) == ("unknown", ())
    assert "not enough evidence" in chance.summary


def test_the_threshold_of_temperature_is_the_printed_one() -> None:
    rows = [[40, "no"], [48, "no"], [60, "yes"], [72, "yes"], [80, "yes"], [90, "no"]]
    result = induced(("temperature", "play"), rows, [58])
    assert tree(result)["on"] == "temperature"
    assert "temperature <= 54" in tree(result)["branches"]
    assert result.answer.value == "yes"
    assert result.answer.boundaries is None


def lenses() -> list[list[str]]:
    """Return the 24 fittings of contact lenses, by the nine rules that Cendrowska gives for them."""
    ages, sights = ("young", "pre-presbyopic", "presbyopic"), ("myope", "hypermetrope")

    def fitted(age: str, sight: str, astigmatic: str, tears: str) -> str:
        if tears == "reduced":
            return "none"
        if astigmatic == "no":
            return "none" if (age, sight) == ("presbyopic", "myope") else "soft"
        return "hard" if sight == "myope" or age == "young" else "none"

    return [[*one, fitted(*one)] for one in product(ages, sights, ("no", "yes"), ("reduced", "normal"))]


def test_lenses_depend_on_tears_then_on_astigmatism() -> None:
    result = induced(("age", "sight", "astigmatic", "tears", "lenses"), lenses())
    assert tree(result)["on"] == "tears"
    assert tree(result)["branches"]["tears = reduced"] == {"class": "none", "rows": {"none": 12}}
    assert tree(result)["branches"]["tears = normal"]["on"] == "astigmatic"
    assert result.claims[0].value == "tears"


def test_an_attribute_that_tells_rows_apart_tells_nothing() -> None:
    rows = [[f"day {number}", *row] for number, row in enumerate(words(TENNIS_ROWS))]
    assert induced(("day", *TENNIS), rows).claims[0].value == "outlook"


def test_names_and_values_are_never_more_than_text() -> None:
    rows = [['a"). :- true.', "__import__('os')"], ["\n\\", "é"]] * 3
    result = induced(("{x} %s", "'); drop"), rows, ["\n\\"])
    assert result.answer.value == "é"
    assert {one.value for one in result.answer.rules} == {"__import__('os')", "é"}


def test_when_the_time_is_up_the_tree_is_told_as_far_as_it_is_grown() -> None:
    rows = [{"a": i % 7, "b": i * 37 % 101, "c": "even" if i % 2 else "odd", "t": str(i * i % 3)} for i in range(400)]
    result = late("inductive", {"kind": "table", "target": "t", "rows": rows}, looks=6)
    assert result.status == "timeout"
    assert sum(one.covered for one in result.answer.rules) == 400


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 4, st.booleans()), min_size=1, max_size=8))
def test_the_version_space_is_that_of_all_conjunctions(rows: list[tuple[Any, ...]]) -> None:
    names = ("p", "q", "r", "s", "t")
    space = induced(names, [list(row) for row in rows], list("abab")).answer.boundaries
    if space.of != "True":
        return

    def has(conjunction: tuple[str, ...], row: tuple[Any, ...]) -> bool:
        return all(one in ("?", value) for one, value in zip(conjunction, row, strict=False))

    fitting = [one for one in product("ab?", repeat=4) if all(has(one, row) == row[4] for row in rows)]
    if not fitting:
        assert space.general == ()
        return
    kept = {tuple(one.get(name, "?") for name in names[:4]) for one in space.general}
    least = [one for one in fitting if not any(o != one and has(o, one) for o in fitting)]
    assert kept == set(least)
    assert space.votes == (sum(has(one, tuple("abab")) for one in fitting), len(fitting))
