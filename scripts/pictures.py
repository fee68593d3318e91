"""docs/pictures: the machines as their own code describes them: `python -m scripts.pictures`; a test compares the two.

A step stands under the one before it, with what it does. Ways that skip steps bend to the left, ways back to the right;
a dashed way is one of several. The pictures need no program and no network to be seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from textwrap import wrap

from langchain_core.runnables.graph import Graph
from langgraph.graph import END, START

from mabos.studio import MACHINES

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
_INK, _SOFT, _PAPER, _STEP = "#1f2933", "#52606d", "#ffffff", "#e6f0fa"
_ROW, _BOX, _END, _TALL, _BEND = 62, 112, 56, 34, 16
_WORDS = 46  # characters of a description on one line


def drawing(machine: str) -> str:
    """Return the picture of a machine of `graphs`, as SVG."""
    return drawn(machine, import_module(f"graphs.{machine}").graph.get_graph())


@dataclass(frozen=True, slots=True)
class _Way:
    """One edge by the places of its ends, counted from the top."""

    start: int
    end: int
    is_choice: bool

    @property
    def span(self) -> int:
        return abs(self.end - self.start)


def drawn(name: str, graph: Graph) -> str:
    """Return a graph of LangGraph as SVG: where it starts and ends, its steps, and the ways between them."""
    places = {node: place for place, node in enumerate(graph.nodes)}
    ways = sorted(
        {_Way(places[one.source], places[one.target], one.conditional) for one in graph.edges},
        key=lambda way: (way.start, way.end),
    )
    left = 30 + _BEND * max((way.span for way in ways if way.end > way.start + 1), default=0)
    right = left + _BOX + 24 + _BEND * max((way.span for way in ways if way.end < way.start), default=0)
    wide, tall = right + 7 * _WORDS, _ROW * len(places)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" '
        f'height="{tall}" role="img" font-family="sans-serif" font-size="13">',
        f"<title>{escape(name)}</title>",
        '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 10 5 0 10z" fill="{_INK}"/></marker></defs>',
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
        *(_line(way, left, narrow=way.end == places.get(END)) for way in ways),
    ]
    for node, place in places.items():
        said = (graph.nodes[node].metadata or {}).get("description", "")
        lines += _step(node, str(said), left, right, _middle(place))
    return "\n".join([*lines, "</svg>", ""])


def _middle(place: int) -> int:
    return place * _ROW + _ROW // 2


def _line(way: _Way, left: int, *, narrow: bool) -> str:
    """Return a way as a path: straight down to the next step, bent around what lies between; ends are narrow."""
    start, end, bend = _middle(way.start), _middle(way.end), 20 + _BEND * way.span
    if way.end == way.start + 1:
        middle = left + _BOX // 2
        path = f"M{middle} {start + _TALL // 2}V{end - _TALL // 2}"
    elif way.end > way.start:
        to = left + (_BOX - _END) // 2 if narrow else left
        path = f"M{left} {start + 6}C{left - bend} {start + 6} {left - bend} {end - 6} {to} {end - 6}"
    else:
        side = left + _BOX
        path = f"M{side} {start - 6}C{side + bend} {start - 6} {side + bend} {end + 6} {side} {end + 6}"
    dashes = ' stroke-dasharray="5 4"' if way.is_choice else ""
    return f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="1.3"{dashes} marker-end="url(#end)"/>'


def _step(node: str, said: str, left: int, right: int, middle: int) -> Iterator[str]:
    center = left + _BOX // 2
    is_end = node in (START, END)
    wide = _END if is_end else _BOX
    fill, label = (_PAPER, node.strip("_")) if is_end else (_STEP, node.replace("_", " "))
    yield (
        f'<rect x="{center - wide // 2}" y="{middle - _TALL // 2}" width="{wide}" height="{_TALL}" '
        f'rx="{_TALL // 2 if is_end else 7}" fill="{fill}" stroke="{_INK}"/>'
    )
    yield f'<text x="{center}" y="{middle + 5}" text-anchor="middle" fill="{_INK}">{escape(label)}</text>'
    lines = wrap(said, _WORDS)
    for number, line in enumerate(lines):
        y = middle + 5 + 16 * number - 8 * (len(lines) - 1)
        yield f'<text x="{right}" y="{y}" fill="{_SOFT}" font-size="12">{escape(line)}</text>'


def main() -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for machine in MACHINES:
        (FOLDER / f"{machine}.svg").write_text(drawing(machine), encoding="utf-8")


if __name__ == "__main__":
    main()
