"""Draw all agents' deeds as one picture: a lane for each agent, a column for each week, a dot for each deed.

    timeline(weeks=13, lanes=["cmo"], dots=[Dot(1, "cmo", "campaign", "Search advertising")])

Like the charts it is inline SVG text, the same bytes for the same run.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from mabos.society.simulation.charts import at

Kind = Literal["campaign", "price", "content", "work", "question", "other"]

KINDS: dict[Kind, str] = {
    "campaign": "Campaigns",
    "price": "Prices",
    "content": "Publications",
    "work": "Work and goods ordered",
    "question": "Questions to the owner",
    "other": "Other",
}
"""The kinds of deeds in the legend, in the order of colours."""

OF_TOOL: dict[str, Kind] = {
    "ad_campaign_create": "campaign",
    "ad_campaign_manage": "campaign",
    "stripe_create_price": "price",
    "content_generate": "content",
    "work_package_create": "work",
    "decision_request": "question",
}


def kind_of(tool: str) -> Kind:
    """Return the legend's name for using an operation."""
    return OF_TOOL.get(tool, "other")


_WIDTH, _LEFT, _RIGHT, _LANE, _TOP, _FOOT = 1140, 96, 12, 30, 34, 26
_DOT = 8.5
_MOST_WEEKS = 28  # that are named below


@dataclass(frozen=True, slots=True)
class Dot:
    """A deed in a week: its lane, its kind, its tooltip, and the target of a click."""

    week: int
    lane: str
    kind: Kind
    text: str
    link: str = ""
    is_done: bool = True
    """Whether it came to pass; what the owner refused, or has not answered, is hollow."""


def timeline(weeks: int, lanes: Sequence[str], dots: Sequence[Dot], events: Sequence[tuple[int, str]] = ()) -> str:
    """Return the picture as SVG; `events` are weeks and texts of external events, above the lanes."""
    frame = _TimelineFrame(max(1, weeks), len(lanes))
    said = f"{len(dots)} deeds of {len(lanes)} agents in {weeks} weeks"
    parts = [
        f'<svg class="chart timeline" viewBox="0 0 {_WIDTH} {frame.height}" role="img" aria-label="{said}">',
        *_grid(frame, lanes),
        *_events(frame, events),
    ]
    for lane in lanes:
        mine = [one for one in dots if one.lane == lane]
        for week in sorted({one.week for one in mine}):
            parts += _cell(frame, lanes.index(lane), week, [one for one in mine if one.week == week])
    return "\n".join([*parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class _TimelineFrame:
    weeks: int
    lanes: int

    @property
    def height(self) -> int:
        return _TOP + _LANE * self.lanes + _FOOT

    @property
    def column(self) -> float:
        return (_WIDTH - _LEFT - _RIGHT) / self.weeks

    def x(self, week: float) -> float:
        """Return the middle of a week's column; the first week is 1."""
        return _LEFT + self.column * (min(max(week, 1), self.weeks) - 0.5)

    def y(self, lane: int) -> float:
        return _TOP + _LANE * (lane + 0.5)


def _grid(frame: _TimelineFrame, lanes: Sequence[str]) -> list[str]:
    parts = []
    for number, lane in enumerate(lanes):
        y = frame.y(number)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at(y)}" y2="{at(y)}"/>')
        parts.append(f'<text class="lane" x="{_LEFT - 12}" y="{at(y + 4)}" text-anchor="end">{escape(lane)}</text>')
    every = max(1, math.ceil(frame.weeks / _MOST_WEEKS))
    for week in range(1, frame.weeks + 1, every):
        parts.append(f'<text class="axis" x="{at(frame.x(week))}" y="{frame.height - 6}" text-anchor="middle">')
        parts.append(f"{week}</text>")
    return parts


def _events(frame: _TimelineFrame, events: Sequence[tuple[int, str]]) -> list[str]:
    """Draw a line through all lanes for each week in which something came from outside, with a flag on top."""
    parts = []
    for week in sorted({week for week, _ in events}):
        x, said = frame.x(week), "; ".join(text for at, text in events if at == week)
        parts.append(f'<g class="event"><title>Week {week}: {escape(said)}</title>')
        parts.append(f'<line x1="{at(x)}" x2="{at(x)}" y1="{_TOP - 8}" y2="{frame.height - _FOOT}"/>')
        parts.append(f'<path d="M{at(x - 7)} {_TOP - 22}h14l-7 13z"/></g>')
    return parts


def _cell(frame: _TimelineFrame, lane: int, week: int, dots: Sequence[Dot]) -> list[str]:
    """Draw one agent's deeds in one week: a dot for each kind, with the count if it is more than one."""
    groups = [[one for one in dots if one.kind == kind] for kind in KINDS]
    groups = [group for group in groups if group]
    size = min(_DOT, frame.column / 2 / max(1, len(groups)) + 1.5)
    room = min(2 * size + 1, frame.column / max(1, len(groups)))
    parts = []
    for place, group in enumerate(groups):
        x = frame.x(week) + room * (place - (len(groups) - 1) / 2)
        parts += _dot(x, frame.y(lane), size, group)
    return parts


def _dot(x: float, y: float, size: float, group: Sequence[Dot]) -> list[str]:
    tone = list(KINDS).index(group[0].kind)
    hollow = "" if any(one.is_done for one in group) else " hollow"
    parts = [f'<a href="{escape(group[0].link)}">'] if group[0].link else ["<g>"]
    parts.append(f"<title>{escape('; '.join(one.text for one in group))}</title>")
    parts.append(f'<circle class="deed tone-{tone}{hollow}" cx="{at(x)}" cy="{at(y)}" r="{at(size)}"/>')
    if len(group) > 1 and size > 5:
        parts.append(f'<text class="count{hollow}" x="{at(x)}" y="{at(y + 3.4)}" text-anchor="middle">')
        parts.append(f"{len(group)}</text>")
    parts.append("</a>" if group[0].link else "</g>")
    return parts
