"""Systems thinking: loops of Sterman 2000 and Senge 1990, models with closed solutions, the teacup of SDXorg."""

import csv
import re
from itertools import permutations
from math import cos, exp, sin, sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.causal.loops import Loops
from mabos.knowledge.reasoning.causal.stock_flows import StockFlow
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "systems"


def loops(text: str, **more: Any) -> dict[str, Any]:
    """Return a diagram of lines like `births + population`, with `late` behind a delayed link."""
    told = [re.fullmatch(r"(.+?) ([+-]) (.+?)( late)?", line) for line in text.splitlines()]
    links = [{"cause": one[1], "sign": one[2], "effect": one[3], "delay": bool(one[4])} for one in told if one]
    return {"kind": "loops", "links": links, **more}


def stocks(start: dict[str, float], flows: dict[str, str], **more: Any) -> dict[str, Any]:
    """Return a model in which flow `in x` fills stock `x` and `out x` drains it."""
    held = {
        name: {
            "start": value,
            "inflows": [one for one in flows if one == f"in {name}"],
            "outflows": [one for one in flows if one == f"out {name}"],
        }
        for name, value in start.items()
    }
    return {"kind": "stock_flow", "stocks": held, "flows": flows, **more}


def test_chickens_eggs_and_road_crossings() -> None:
    result = ask("systems-thinking", dict(Loops.example))
    assert {one.variables: one.polarity for one in result.answer.loops} == {
        ("chickens", "eggs"): "reinforcing",
        ("chickens", "road crossings"): "balancing",
    }
    assert result.answer.leverage[0] == ("chickens", 2)
    assert "limit to growth" in result.answer.patterns[0]


def test_births_and_deaths_of_a_population() -> None:
    diagram = loops("births + population\npopulation + births\npopulation + deaths\ndeaths - population")
    answer = ask("systems-thinking", diagram).answer
    assert (answer.reinforcing, answer.balancing) == (1, 1)


def test_a_fix_that_fails_is_told_by_its_delay() -> None:
    """Borrowing against debt: the relief comes at once, the interest later."""
    diagram = loops(
        "debt pressure + borrowing\nborrowing - debt pressure\nborrowing + interest\ninterest + debt pressure late"
    )
    answer = ask("systems-thinking", diagram).answer
    assert answer.patterns[0].startswith("a fix that fails")


def test_a_thermostat_balances_and_swings_when_late() -> None:
    diagram = loops("gap + heating\nheating + temperature late\ntemperature - gap", push="heating")
    result = ask("systems-thinking", diagram)
    assert result.answer.loops[0].polarity == "balancing"
    assert result.answer.push == {"temperature": "up", "gap": "down"}
    assert any("swings" in one for one in result.answer.patterns)


def test_the_strongest_loop_dominates_where_strengths_are_known() -> None:
    diagram = dict(Loops.example)
    diagram["links"] = [{**one, "strength": 2.0 if "road" in one["effect"] else 1.0} for one in diagram["links"]]
    assert ask("systems-thinking", diagram).answer.dominant.polarity == "balancing"


def test_exponential_growth_doubles_as_the_formula_says() -> None:
    problem = stocks({"money": 100}, {"in money": "money * rate"}, constants={"rate": 0.05}, stop=20, step=0.1)
    answer = ask("systems-thinking", problem).answer
    assert answer.final["money"] == pytest.approx(100 * exp(1.0), rel=1e-6)
    assert answer.behaviour == "exponential growth"
    assert answer.loops[0].at_end == pytest.approx(0.05)
    assert dict(answer.leverage)["rate"] == pytest.approx(1.0, rel=1e-3)


def test_logistic_growth_is_s_shaped_and_its_loop_turns_round() -> None:
    problem = stocks(
        {"users": 1}, {"in users": "r * users * (1 - users / k)"}, constants={"r": 0.5, "k": 1000}, stop=40, step=0.1
    )
    answer = ask("systems-thinking", problem).answer
    at = answer.times.index(pytest.approx(12.0))
    assert answer.values["users"][at] == pytest.approx(1000 / (1 + 999 * exp(-0.5 * 12.0)), rel=1e-5)
    assert answer.behaviour == "S-shaped growth"
    assert answer.loops[0].at_start > 0 > answer.loops[0].at_end
    told = {round(where["users"]): how for where, how in answer.rests}
    assert told == {0: "unstable", 1000: "stable"}


def test_predators_and_prey_circle_their_rest_point() -> None:
    constants = {"a": 1.1, "b": 0.4, "c": 0.1, "d": 0.4}
    flows = {"in prey": "a * prey", "out prey": "b * prey * fox", "in fox": "c * prey * fox", "out fox": "d * fox"}
    answer = ask(
        "systems-thinking", stocks({"prey": 10, "fox": 10}, flows, constants=constants, stop=60, step=0.02)
    ).answer
    assert answer.behaviour == "oscillation"
    inner = next(where for where, how in answer.rests if how == "neutral, circled")
    assert inner == pytest.approx({"prey": 4.0, "fox": 2.75})
    assert any(one.stocks == ("prey", "fox") and one.at_end < 0 for one in answer.loops)


def test_a_weight_on_a_spring_is_the_cosine_and_dies_out_when_damped() -> None:
    flows = {"in place": "speed", "in speed": "-k * place - drag * speed"}
    free = stocks({"place": 1, "speed": 0}, flows, constants={"k": 4, "drag": 0}, stop=10, step=0.01)
    answer = ask("systems-thinking", free).answer
    assert answer.final["place"] == pytest.approx(cos(20), abs=1e-6)
    assert answer.behaviour == "oscillation"
    damped = ask("systems-thinking", {**free, "constants": {"k": 4, "drag": 0.5}}).answer
    assert damped.behaviour == "damped oscillation"
    assert damped.rests[0][1] == "stable, circled"
    w = sqrt(4 - 0.0625)
    assert damped.final["place"] == pytest.approx(exp(-2.5) * (cos(10 * w) + 0.25 / w * sin(10 * w)), abs=1e-5)


@pytest.mark.skipif(not DATA.exists(), reason="the teacup is not in ../shared/data/reasoning")
def test_the_teacup_cools_as_published() -> None:
    answer = ask("systems-thinking", xmile((DATA / "teacup.xmile").read_text("utf-8"))).answer
    with (DATA / "teacup_output.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 240
    times = {round(time, 6): place for place, time in enumerate(answer.times)}
    for row in rows:
        place = times[round(float(row["Time"]), 6)]
        for name in ("Teacup Temperature", "Heat Loss to Room"):
            assert answer.values[name][place] == pytest.approx(float(row[name]), rel=1e-3)
    assert answer.behaviour == "decay towards a goal"
    assert answer.rests == (({"Teacup Temperature": 70.0}, "stable"),)


def xmile(text: str) -> dict[str, Any]:
    """Return a model in the XMILE format as a problem."""
    space = "{http://docs.oasis-open.org/xmile/ns/XMILE/v1.0}"
    root = ET.fromstring(text)  # noqa: S314  # our own data
    specs = {one: float(root.findtext(f".//{space}{one}") or 0) for one in ("start", "stop", "dt")}

    def named(tag: str, inner: str) -> dict[str, str]:
        return {
            one.attrib["name"]: _unquoted(one.findtext(f"{space}{inner}") or "") for one in root.iter(f"{space}{tag}")
        }

    held = {
        one.attrib["name"]: {
            "start": float(one.findtext(f"{space}eqn") or 0),
            "inflows": [(flow.text or "").strip('"') for flow in one.findall(f"{space}inflow")],
            "outflows": [(flow.text or "").strip('"') for flow in one.findall(f"{space}outflow")],
        }
        for one in root.iter(f"{space}stock")
    }
    return {
        "kind": "stock_flow",
        "stocks": held,
        "flows": named("flow", "eqn"),
        "auxiliaries": named("aux", "eqn"),
        "start": specs["start"],
        "stop": specs["stop"],
        "step": specs["dt"],
        "scheme": "euler",
    }


def _unquoted(text: str) -> str:
    """Return an equation with its quoted names written as identifiers."""
    parts = text.split('"')
    return "".join(part.replace(" ", "_") if place % 2 else part for place, part in enumerate(parts))


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (loops("a + b", push="c"), "'c' is in no link"),
        (loops("a + b\na - b"), "two links from 'a' to 'b'"),
        (stocks({"x": 1}, {"in x": "y"}, stop=1, step=0.1), "names 'y'"),
        (stocks({"x": 1}, {"in x": "__import__('os')"}, stop=1, step=0.1), "not arithmetic"),
        (stocks({"x": 1}, {"in x": "x"}, auxiliaries={"p": "q", "q": "p"}, stop=1, step=0.1), "cycle"),
        (stocks({"x": 1}, {"in x": "x"}, stop=1, step=1e-9), "at most 200,000 steps"),
        (stocks({"x": 1}, {"in x": "x"}, stop=-1, step=0.1), "stop must be after start"),
        (stocks({"x": 1}, {"in x": "1 / (1 - x)"}, stop=1, step=0.5), "no value"),
        (stocks({"x y": 1, "x_y": 2}, {}, stop=1, step=0.5), "are the same"),
        (stocks({"x": 1}, {"in x": "x ** 9"}, stop=50, step=1), "no finite value|no value"),
    ],
)
def test_what_is_no_system_is_refused_with_the_reason(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("systems-thinking", problem)


def test_a_diagram_with_too_many_loops_is_told_in_part() -> None:
    links = [{"cause": str(a), "effect": str(b), "sign": "+"} for a, b in permutations(range(12), 2)]
    result = ask("systems-thinking", {"kind": "loops", "links": links})
    assert len(result.answer.loops) == 5_000
    assert "first 5,000" in result.assumptions[-1]
    cut_short = late("systems-thinking", {"kind": "loops", "links": links}, looks=200)
    assert cut_short.status == "timeout"
    assert 0 < len(cut_short.answer.loops) < 5_000


def test_a_run_cut_short_tells_the_course_up_to_there() -> None:
    result = late("systems-thinking", dict(StockFlow.example), looks=40)
    assert result.status == "timeout"
    assert 0 < result.answer.times[-1] < 30
    assert result.answer.final["temperature"] < 180


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), min_size=1, max_size=14, unique=True))
def test_the_loops_are_those_of_enumeration(pairs: list[tuple[str, str]]) -> None:
    links = [{"cause": a, "effect": b, "sign": "-" if a < b else "+"} for a, b in pairs]
    found = [one.variables for one in ask("systems-thinking", {"kind": "loops", "links": links}).answer.loops]
    expected = set()
    for size in range(1, 6):
        for ring in permutations("abcde", size):
            if all(pair in pairs for pair in zip(ring, [*ring[1:], ring[0]], strict=True)):
                first = ring.index(min(ring))
                expected.add(ring[first:] + ring[:first])
    turned = [one[one.index(min(one)) :] + one[: one.index(min(one))] for one in found]
    assert len(turned) == len(set(turned))
    assert set(turned) == expected
