"""Line charts as inline SVG text: no script, no external file, the same bytes for the same numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH = 560
_HEIGHT = 220
_LEFT = 64
_RIGHT = 14
_TOP = 14
_BOTTOM = 30
_MOST_MARKS = 2
_MOST_WEEKS, _MOST_DAYS = 14, 6  # that are named below a chart
_ROW = 18
_MARK, _LEAST_WITH_TEXT = 8.5, 6.0
_TINY = 120, 24
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A series: a label, a value for each week (`None` without a measurement), and a colour class 0 to 5.

    A line that `is_faint` is a reference for another: it is drawn dashed.
    """

    label: str
    values: tuple[float | None, ...]
    tone: int = 0
    is_faint: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """A decision in a week, drawn as a numbered line."""

    week: int
    number: int
    text: str


def line_chart(
    title: str,
    lines: Sequence[ChartLine],
    *,
    label: Callable[[float], str],
    markers: Sequence[Marker] = (),
    days: Sequence[str] = (),
) -> str:
    """Return an SVG line chart; `label` writes a value of the vertical axis, `days` name the weeks, else their numbers.

    Colours come from the page's `tone-0` ... classes and `currentColor`, so that one picture serves light and dark.
    Screen readers get the title and each line's first and last value.
    """
    low, high, step = _scale([value for line in lines for value in line.values if value is not None])
    weeks = max([len(line.values) for line in lines], default=1)
    marked = _by_week(markers)
    frame = _ChartFrame(low, high, max(1, weeks - 1))
    spoken = escape(_describe_chart(title, lines, label))
    # The marks stand above the plot, so that they hide no line.
    above = _ROW * max((len(shown) for shown in marked.values()), default=0)
    parts = [
        f'<svg class="chart" viewBox="0 {-above} {_WIDTH} {_HEIGHT + above}" role="img" aria-label="{spoken}">',
        *_grid(frame, step, label),
        *_weeks(frame, weeks, days),
        *_marks(frame, marked),
    ]
    for line in lines:
        parts += _draw_line(frame, line, label)
    return "\n".join([*parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class _ChartFrame:
    """The scale of a chart: weeks and values."""

    low: float
    high: float
    last_week: int

    def x(self, week: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * week / self.last_week

    def y(self, value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (self.high - value) / (self.high - self.low)


def _scale(values: Sequence[float]) -> tuple[float, float, float]:
    """Return bottom, top and step of an axis in round numbers; zero is included where it is near."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low > 0 and low < 0.5 * high:
        low = 0.0
    if math.isclose(low, high):
        low, high = low - 1, high + 1
    step = _round_step((high - low) / 4)
    return math.floor(low / step) * step, math.ceil(high / step) * step, step


def _round_step(raw: float) -> float:
    size = 10.0 ** math.floor(math.log10(raw))
    return next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= raw * 0.999)


def _grid(frame: _ChartFrame, step: float, label: Callable[[float], str]) -> list[str]:
    parts = []
    for number in range(round((frame.high - frame.low) / step) + 1):
        value = frame.low + number * step
        y = at(frame.y(value))
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="axis" x="{_LEFT - 8}" y="{at(frame.y(value) + 4)}" text-anchor="end">')
        parts.append(f"{escape(label(value))}</text>")
    return parts


def _weeks(frame: _ChartFrame, weeks: int, days: Sequence[str]) -> list[str]:
    every = max(1, math.ceil(weeks / (_MOST_DAYS if days else _MOST_WEEKS)))
    return [
        f'<text class="axis{" odd" if number % 2 else ""}" x="{at(frame.x(week))}" y="{_HEIGHT - 8}" '
        f'text-anchor="middle">{escape(days[week]) if days else week}</text>'
        for number, week in enumerate(range(0, weeks, every))
    ]


def _by_week(markers: Sequence[Marker]) -> dict[int, list[tuple[str, str]]]:
    """Return each week's marks as labels and tooltips: the first few numbers, and the count of the rest."""
    weeks: dict[int, list[Marker]] = {}
    for marker in markers:
        weeks.setdefault(marker.week, []).append(marker)
    shown = {}
    for week, found in sorted(weeks.items()):
        shown[week] = [(str(marker.number), marker.text) for marker in found[:_MOST_MARKS]]
        if rest := found[_MOST_MARKS:]:
            shown[week].append((f"+{len(rest)}", "; ".join(marker.text for marker in rest)))
    return shown


def _marks(frame: _ChartFrame, marked: Mapping[int, Sequence[tuple[str, str]]]) -> list[str]:
    """Draw a line for each week with a decision, with its marks stacked above the plot.

    Where weeks are close together the marks are small, and their text appears in a tooltip.
    """
    parts, size = [], min(_MARK, (frame.x(1) - frame.x(0)) / 2)
    for week, shown in marked.items():
        x = at(frame.x(week))
        parts.append(f'<g class="mark"><line x1="{x}" x2="{x}" y1="{_TOP - 8}" y2="{_HEIGHT - _BOTTOM}"/>')
        for place, (number, text) in enumerate(shown):
            y = _TOP - 12 - _ROW * (len(shown) - 1 - place)
            parts.append(f'<g><title>{escape(text)}</title><circle cx="{x}" cy="{y}" r="{at(size)}"/>')
            if size >= _LEAST_WITH_TEXT:
                long = ' class="long"' if len(number) > 2 else ""
                parts.append(f'<text{long} x="{x}" y="{at(y + 3.6)}" text-anchor="middle">{escape(number)}</text>')
            parts.append("</g>")
        parts.append("</g>")
    return parts


def _draw_line(frame: _ChartFrame, line: ChartLine, label: Callable[[float], str]) -> list[str]:
    points = [(frame.x(week), frame.y(value)) for week, value in enumerate(line.values) if value is not None]
    if not points:
        return []
    path = " ".join(f"{'L' if number else 'M'}{at(x)} {at(y)}" for number, (x, y) in enumerate(points))
    x, y = points[-1]
    last = next(value for value in reversed(line.values) if value is not None)
    return [
        f'<path class="line tone-{line.tone}{" faint" if line.is_faint else ""}" d="{path}"/>',
        f'<circle class="dot tone-{line.tone}" cx="{at(x)}" cy="{at(y)}" r="3.2">',
        f"<title>{escape(line.label)}: {escape(label(last))}</title></circle>",
    ]


def _describe_chart(title: str, lines: Sequence[ChartLine], label: Callable[[float], str]) -> str:
    said = []
    for line in lines:
        known = [value for value in line.values if value is not None]
        if known:
            said.append(f"{line.label} from {label(known[0])} to {label(known[-1])}")
    return f"{title}: {'; '.join(said)}" if said else title


def sparkline(values: Sequence[float]) -> str:
    """Return a series as a row of blocks, from its lowest value to its highest.

    >>> sparkline([1, 2, 5])
    '▁▃█'
    """
    low = min(values, default=0.0)
    step = (max(values, default=0.0) - low) / (len(_BLOCKS) - 1) or 1.0
    return "".join(_BLOCKS[round((value - low) / step)] for value in values)


def tiny(values: Sequence[float | None]) -> str:
    """Return a series as a small line without axes, to go next to its last value."""
    known = [(week, value) for week, value in enumerate(values) if value is not None]
    if len(known) < 2:
        return ""
    low, high = min(value for _, value in known), max(value for _, value in known)
    across, up = _TINY[0] / (known[-1][0] - known[0][0]), _TINY[1] / ((high - low) or 1.0)
    points = [(2 + across * (week - known[0][0]), 3 + up * (high - value)) for week, value in known]
    path = " ".join(f"{'L' if number else 'M'}{at(x)} {at(y)}" for number, (x, y) in enumerate(points))
    x, y = points[-1]
    size = f"0 0 {_TINY[0] + 6} {_TINY[1] + 6}"
    return (
        f'<svg class="tiny" viewBox="{size}" aria-hidden="true"><path d="{path}"/>'
        f'<circle cx="{at(x)}" cy="{at(y)}" r="2.4"/></svg>'
    )


def at(number: float) -> str:
    """Return a coordinate in the number format of the pictures."""
    return f"{number:.1f}".removesuffix(".0")
