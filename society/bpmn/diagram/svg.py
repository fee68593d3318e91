"""A workflow as a self-contained SVG picture, with its tokens."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from html import escape
from textwrap import wrap

from mabos.society.bpmn.diagram.layout import DiagramLayout, layout_of
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.model import ACTIVITIES, CONTAINERS, EVENTS, GATEWAYS, Box, FlowNode, WorkflowModel
from mabos.workspace.text import one_line

_INK, _PAPER, _LIVE, _DONE = "#1f2933", "#ffffff", "#f0b429", "#e3f9e5"
_SIGNS = {"exclusiveGateway": "✕", "parallelGateway": "+", "inclusiveGateway": "○", "eventBasedGateway": "⬠",
          "complexGateway": "✱"}  # fmt: skip
_MARKS = {"userTask": "person", "serviceTask": "tool", "scriptTask": "script", "businessRuleTask": "rule",
          "sendTask": "send", "receiveTask": "receive", "manualTask": "by hand"}  # fmt: skip
_EVENT_SIGNS = {"message": "✉", "timer": "◷", "signal": "△", "error": "↯", "terminate": "●", "escalation": "▲",
                "conditional": "☰", "link": "➔", "compensate": "◀◀", "cancel": "✕"}  # fmt: skip


def picture(document: WorkflowDocument, *, tokens: Mapping[str, int] | None = None, done: Collection[str] = ()) -> str:
    """Return the workflow as SVG; `tokens` is the number at each node, `done` the nodes passed."""
    model, layout = document.model, layout_of(document)
    boxes = layout.shapes.values()
    points = [point for line in layout.edges.values() for point in line]
    left = min([box.x for box in boxes] + [x for x, _ in points], default=0.0) - 20
    top = min([box.y for box in boxes] + [y for _, y in points], default=0.0) - 20
    right = max([box.x + box.width for box in boxes] + [x for x, _ in points], default=100.0) + 40
    bottom = max([box.y + box.height for box in boxes] + [y for _, y in points], default=60.0) + 40
    view = f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
    size = f'width="{right - left:g}" height="{bottom - top:g}"'
    name = next((one.name for one in model.processes.values() if one.name), document.name)
    order = sorted(model.nodes.values(), key=lambda node: bool(node.attached_to))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" {size} role="img" font-family="sans-serif" '
        f'font-size="11" stroke-linejoin="round"><title>{escape(name)}</title>',
        '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0 0 10 5 0 10z" fill="{_INK}"/></marker></defs>',
        *_holders(model, layout),
        *_nodes([one for one in order if one.type in CONTAINERS], layout, tokens or {}, done),
        *_lines(model, layout),
        *_nodes([one for one in order if one.type not in CONTAINERS], layout, tokens or {}, done),
        *_rest(model, layout),
        "</svg>",
    ]
    return "\n".join(parts)


def _holders(model: WorkflowModel, layout: DiagramLayout) -> Iterator[str]:
    for group in (model.pools, model.lanes):
        for one in group.values():
            box = layout.shapes.get(one.id)
            if box is None:
                continue
            yield _rect(box, "#f8fafc" if one.id in model.pools else "none")
            x, y = box.x + 18, box.y + box.height / 2
            label = escape(one.name)
            yield f'<text x="{x:g}" y="{y:g}" text-anchor="middle" transform="rotate(-90 {x:g} {y:g})">{label}</text>'


def _lines(model: WorkflowModel, layout: DiagramLayout) -> Iterator[str]:
    for element, line in layout.edges.items():
        if len(line) < 2:
            continue
        is_flow = element in model.flows
        dashes = "" if is_flow else ' stroke-dasharray="4 4"'
        head = ' marker-end="url(#end)"' if is_flow or element in model.message_flows else ""
        corners = " ".join(f"{x:g},{y:g}" for x, y in line)
        yield f'<polyline points="{corners}" fill="none" stroke="{_INK}"{dashes}{head}/>'
        name = model.flows[element].name if is_flow else ""
        if name:
            (x, y), (x2, y2) = line[-2:]
            yield _text((x + x2) / 2, (y + y2) / 2 - 5, name, "middle")


def _nodes(
    nodes: Iterable[FlowNode], layout: DiagramLayout, tokens: Mapping[str, int], done: Collection[str]
) -> Iterator[str]:
    for node in nodes:
        box = layout.shapes.get(node.id)
        if box is None:
            continue
        fill = _LIVE if tokens.get(node.id) else _DONE if node.id in done else _PAPER
        yield f'<g id="{escape(node.id, quote=True)}">'
        yield from _shape(node, box, fill)
        if tokens.get(node.id):
            yield f'<circle cx="{box.x + box.width:g}" cy="{box.y:g}" r="9" fill="#cb6e17" stroke="{_PAPER}"/>'
            yield _text(box.x + box.width, box.y + 4, str(tokens[node.id]), "middle", color=_PAPER)
        yield "</g>"


def _shape(node: FlowNode, box: Box, fill: str) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    if node.type in EVENTS:
        radius = box.width / 2
        wide = ' stroke-width="3"' if node.type == "endEvent" else ""
        dashes = "" if node.interrupting else ' stroke-dasharray="4 3"'
        yield f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{_INK}"{wide}{dashes}/>'
        if node.type not in ("startEvent", "endEvent"):
            yield f'<circle cx="{x:g}" cy="{y:g}" r="{radius - 3:g}" fill="none" stroke="{_INK}"{dashes}/>'
        sign = _EVENT_SIGNS.get(node.triggers[0].kind, "") if node.triggers else ""
        yield _text(x, y + 5, sign, "middle")
        yield from _label(x, box.y + box.height + 12, node.name, 18)
    elif node.type in GATEWAYS:
        corners = f"{x:g},{box.y:g} {box.x + box.width:g},{y:g} {x:g},{box.y + box.height:g} {box.x:g},{y:g}"
        yield f'<polygon points="{corners}" fill="{fill}" stroke="{_INK}"/>'
        yield _text(x, y + 6, _SIGNS[node.type], "middle", size=18)
        yield from _label(x, box.y + box.height + 12, node.name, 18)
    else:
        yield _rect(box, fill, corner=8, wide=3 if node.type == "callActivity" else 1)
        is_open = node.type in CONTAINERS and box.height > 90
        lines = wrap(one_line(node.label), 16)[:4]
        first = box.y + 16 if is_open else y - 6 * (len(lines) - 1) + 3
        yield from (_text(x, first + 13 * number, line, "middle") for number, line in enumerate(lines))
        if node.type in _MARKS:
            yield _text(box.x + 6, box.y + 11, _MARKS[node.type], "start", color="#627d98", size=8)
        if node.loop is not None and node.type in ACTIVITIES:
            yield _text(x, box.y + box.height - 4, "↻" if node.loop.kind == "standard" else "|||", "middle")


def _label(x: float, y: float, name: str, width: int) -> Iterator[str]:
    for number, line in enumerate(wrap(one_line(name), width)[:3]):
        yield _text(x, y + 12 * number, line, "middle")


def _rest(model: WorkflowModel, layout: DiagramLayout) -> Iterator[str]:
    for one in model.data.values():
        box = layout.shapes.get(one.id)
        if box is not None:
            yield _rect(box, _PAPER)
            yield from _label(box.x + box.width / 2, box.y + box.height + 12, one.name, 16)
    for note in model.notes.values():
        box = layout.shapes.get(note.id)
        if box is not None:
            yield f'<path d="M{box.x + 8:g} {box.y:g}h-8v{box.height:g}h8" fill="none" stroke="{_INK}"/>'
            for number, line in enumerate(wrap(one_line(note.text), 24)[:4]):
                yield _text(box.x + 6, box.y + 13 + 12 * number, line, "start")


def _rect(box: Box, fill: str, *, corner: int = 0, wide: int = 1) -> str:
    place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}"'
    return f'<rect {place} rx="{corner}" fill="{fill}" stroke="{_INK}" stroke-width="{wide}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, color: str = _INK, size: int = 11) -> str:
    said = f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{color}" font-size="{size}">{escape(text)}</text>'
    return said if text else ""
