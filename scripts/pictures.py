"""The generator of docs/pictures from the machines' own code: `python -m scripts.pictures`; a test compares the two.

Each step is below the previous one, with its action. Edges that skip steps bend to the left, back edges to the right; a
dashed edge is one of several. The chain of reasons and the overall architecture are drawn too. The pictures need no
program and no network.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import wrap

from langchain_core.runnables.graph import Graph
from langgraph.graph import END, START

from mabos.interfaces.studio import MACHINES

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
_INK, _SOFT, _PAPER, _STEP = "#1f2933", "#52606d", "#ffffff", "#e6f0fa"
_ROW, _BOX, _END, _TALL, _BEND = 62, 112, 56, 34, 16
_WORDS = 46  # characters of a description on one line

_REASONS = {
    "document": "line 3 of metrics.csv: 43,000 in the bank, 4.8 months of runway",
    "fact": "runway_months is 4.8 since January, on record with its source",
    "belief": "runway_months is 4.8, held with certainty 0.95",
    "desire": "Keep six months of runway: runway_months >= 6",
    "goal": "the same, taken up for now, with a deadline",
    "plan": "budget revision, out of the library",
    "intention": "the CFO has committed to goal and plan",
    "deed": "a message to marketing, once, on the ledger",
}
"""The chain of the tutorial, from what was read to what was done."""
_RUNS = (
    (0, "LangGraph", "your graph", 0, 100),
    (1, "cmo", "the agent as a node: agent_node(ws.agent('cmo'))", 2, 98),
    (2, "bdi", "one cycle", 8, 92),
    (3, "perceive", "", 9, 22),
    (3, "deliberate", "model calls are runs inside their phase", 32, 25),
    (3, "plan", "", 58, 16),
    (3, "act", "", 75, 17),
    (4, "ad_campaign_create", "outcome: waits for DEC-1795916956607-442d", 76, 8),
    (4, "agent_message", "outcome: done", 85, 6),
    (3, "learn", "", 93, 6),
)
"""Runs of one cycle as LangChain's tracer gets them: depth, name, note, and beginning and length in percent."""
_AGENTS = ("ceo", "cfo", "coo", "cmo", "cto", "hr", "legal", "strategy", "knowledge")


def pictures() -> dict[str, str]:
    """Return every picture as SVG, by its name."""
    return {
        **{machine: drawing(machine) for machine in MACHINES},
        "reasons": reasons(),
        "trace": trace(),
        "whole": whole(),
    }


def reasons() -> str:
    """Return the chain from a document to an action, with the way back that `mabos why` follows."""
    graph = Graph()
    nodes = [graph.add_node(None, one, metadata={"description": said}) for one, said in _REASONS.items()]
    for one, after in pairwise(nodes):
        graph.add_edge(one, after)
    graph.add_edge(nodes[-1], nodes[0], conditional=True)
    return drawn("reasons", graph)


def trace() -> str:
    """Return the runs of one cycle under each other, with their outcomes and the time they take."""
    lines = [*_head("trace", 760, 30 * len(_RUNS) + 20)]
    for row, (depth, name, note, start, length) in enumerate(_RUNS):
        y, x, wide = 16 + 30 * row, 535 + 22 * start // 10, 22 * length // 10
        lines.append(f'<text x="{14 + 22 * depth}" y="{y + 14}" fill="{_INK}">{escape(name)}</text>')
        lines.append(f'<rect x="{x}" y="{y}" width="{wide}" height="18" rx="4" fill="{_STEP}" stroke="{_INK}"/>')
        lines.append(f'<text x="250" y="{y + 14}" fill="{_SOFT}" font-size="11">{escape(note)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def whole() -> str:
    """Return the overall architecture: people, agents, the gate, the world and the record."""
    lines = [
        *_head("whole", 760, 418),
        *_box((250, 14, 260, 44), "you", "command line, dashboard, Studio, letters"),
        *_box((14, 118, 150, 60), "what comes in", "mail, documents, figures"),
        *_box((584, 118, 134, 60), "a model, if you like", "it may propose"),
        f'<rect x="204" y="96" width="352" height="104" rx="9" fill="{_PAPER}" stroke="{_INK}"/>',
        *_words(380, 116, "nine agents, each a mind in Markdown", _SOFT),
        *(line for at, one in enumerate(_AGENTS) for line in _seat(one, at)),
        *_box((204, 246, 352, 54), "the gate", "who, may it, what it costs, ask a person, do it once"),
        *_box((14, 350, 220, 54), "the world", "letters, pages, prices, contractors"),
        *_box((270, 350, 220, 54), "files", "minds, records, journals"),
        *_box((526, 350, 220, 54), "ledger", "every deed with its reasons"),
        *(_arrow(path) for path in ("M164 148H202", "M584 148H558", "M380 200V244", "M320 58V94")),
        *(_arrow(path) for path in ("M290 300L150 348", "M380 300V348", "M470 300L610 348")),
        _arrow("M556 273H702C740 273 740 250 740 225V62C740 36 720 36 700 36H512", dashed=True),
        *_words(632, 28, "a decision that waits", _SOFT),
    ]
    return "\n".join([*lines, "</svg>", ""])


def _seat(one: str, at: int) -> Iterator[str]:
    row, place = divmod(at, 5)
    x, y = 216 + 66 * place + 33 * row, 126 + 36 * row
    yield f'<rect x="{x}" y="{y}" width="62" height="26" rx="6" fill="{_STEP}" stroke="{_INK}"/>'
    yield from _words(x + 31, y + 17, one, _INK, 11)


def _box(place: tuple[int, int, int, int], label: str, said: str) -> Iterator[str]:
    x, y, wide, tall = place
    yield f'<rect x="{x}" y="{y}" width="{wide}" height="{tall}" rx="7" fill="{_STEP}" stroke="{_INK}"/>'
    yield from _words(x + wide // 2, y + tall // 2 - 3, label, _INK, 13)
    yield from _words(x + wide // 2, y + tall // 2 + 14, said, _SOFT, 11)


def _words(x: int, y: int, said: str, ink: str, size: int = 12) -> Iterator[str]:
    yield f'<text x="{x}" y="{y}" text-anchor="middle" fill="{ink}" font-size="{size}">{escape(said)}</text>'


def _arrow(path: str, *, dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="1.3"{dashes} marker-end="url(#end)"/>'


def _head(name: str, wide: int, tall: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" '
        f'height="{tall}" role="img" font-family="sans-serif" font-size="13">'
    )
    yield f"<title>{escape(name)}</title>"
    yield (
        '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 10 5 0 10z" fill="{_INK}"/></marker></defs>'
    )
    yield f'<rect width="100%" height="100%" fill="{_PAPER}"/>'


def drawing(machine: str) -> str:
    """Return the picture of a machine of `graphs`, as SVG."""
    return drawn(machine, import_module(f"mabos.graphs.{machine}").build().compile(name=machine).get_graph())


@dataclass(frozen=True, slots=True)
class _PictureEdge:
    """One edge by the places of its ends, counted from the top."""

    start: int
    end: int
    is_choice: bool

    @property
    def span(self) -> int:
        return abs(self.end - self.start)


def drawn(name: str, graph: Graph) -> str:
    """Return a LangGraph graph as SVG: its start and end, its steps, and its edges."""
    places = {node: place for place, node in enumerate(graph.nodes)}
    ways = sorted(
        {_PictureEdge(places[one.source], places[one.target], one.conditional) for one in graph.edges},
        key=lambda way: (way.start, way.end),
    )
    left = 30 + _BEND * max((way.span for way in ways if way.end > way.start + 1), default=0)
    right = left + _BOX + 24 + _BEND * max((way.span for way in ways if way.end < way.start), default=0)
    wide, tall = right + 7 * _WORDS, _ROW * len(places)
    lines = [*_head(name, wide, tall), *(_line(way, left, narrow=way.end == places.get(END)) for way in ways)]
    for node, place in places.items():
        said = (graph.nodes[node].metadata or {}).get("description", "")
        lines += _step(node, str(said), left, right, _middle(place))
    return "\n".join([*lines, "</svg>", ""])


def _middle(place: int) -> int:
    return place * _ROW + _ROW // 2


def _line(way: _PictureEdge, left: int, *, narrow: bool) -> str:
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
    return _arrow(path, dashed=way.is_choice)


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
    for name, picture in pictures().items():
        (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
