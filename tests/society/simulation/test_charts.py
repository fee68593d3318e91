import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.society.simulation.charts import ChartLine, Marker, line_chart

numbers = st.floats(-1e7, 1e7, allow_nan=False)


def drawn(*lines: ChartLine, markers: tuple[Marker, ...] = ()) -> str:
    return line_chart("Cash <& co>", lines, label=lambda value: f"${value:,.0f}", markers=markers)


@given(st.lists(st.none() | numbers, min_size=0, max_size=60))
def test_any_series_is_drawn_as_xml_inside_its_frame(values: list[float | None]) -> None:
    root = ET.fromstring(drawn(ChartLine("Cash", tuple(values))))  # noqa: S314  # our own text
    known = [value for value in values if value is not None]
    paths = [one.attrib["d"] for one in root.iter("path")]
    assert len(paths) == bool(known)
    for path in paths:
        points = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)
        assert len(points) == len(known)
        assert all(0 <= float(x) <= 560 and 0 <= float(y) <= 220 for x, y in points)


@pytest.mark.parametrize("value", [0.0, 5.0, -3.0])
def test_a_flat_series_has_an_axis(value: float) -> None:
    assert "<path" in drawn(ChartLine("Flat", (value, value, value)))


def test_the_picture_tells_a_screen_reader_what_it_shows() -> None:
    assert 'aria-label="Cash &lt;&amp; co&gt;: Cash from $10 to $30"' in drawn(ChartLine("Cash", (10.0, None, 30.0)))


def test_markers_carry_their_number_and_their_text() -> None:
    chart = drawn(ChartLine("Cash", (1.0, 2.0, 3.0)), markers=(Marker(1, 4, "Week 1: price <up>"),))
    assert "<title>Week 1: price &lt;up&gt;</title>" in chart
    assert ">4</text>" in chart


def test_a_busy_week_shows_a_few_numbers_and_how_many_more() -> None:
    markers = tuple(Marker(1, number, f"decision {number}") for number in range(1, 10))
    chart = drawn(ChartLine("Cash", (1.0, 2.0)), markers=markers)
    assert ">+7</text>" in chart
    assert chart.count("<circle") == 4


def test_marks_stand_above_the_plot_where_they_hide_no_line() -> None:
    markers = tuple(Marker(1, number, f"decision {number}") for number in range(1, 10))
    root = ET.fromstring(drawn(ChartLine("Cash", (3.0, 3.0, 1.0)), markers=markers))  # noqa: S314  # our own text
    _, top, _, _ = map(float, root.attrib["viewBox"].split())
    highest = min(float(line.attrib["y1"]) for line in root.iter("line") if line.attrib.get("class") == "grid")
    marks = [one for group in root.iter("g") if group.attrib.get("class") == "mark" for one in group.iter("circle")]
    assert len(marks) == 3
    assert all(top <= float(one.attrib["cy"]) - 7.5 for one in marks)
    assert all(float(one.attrib["cy"]) + 7.5 < highest for one in marks)
