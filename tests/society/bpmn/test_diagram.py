"""Pictures of workflows: nothing lies over anything else, lines meet their elements, and any file can be shown."""

from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from lxml import etree

from mabos.society.bpmn.checks.lint import RULES
from mabos.society.bpmn.diagram.extending import redrawn
from mabos.society.bpmn.diagram.layout import draw_diagram, laid_out
from mabos.society.bpmn.diagram.svg import picture
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.editing import add_lane, add_node, connect, remove
from mabos.society.bpmn.elements import DIAGRAM
from mabos.society.bpmn.model import Box, WorkflowModel
from tests.society.bpmn.test_document import DATA, FILES, PUBLIC
from tests.society.bpmn.test_editing import sales
from tests.society.bpmn.test_soundness import blocks, built


def over(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def on_border(box: Box, x: float, y: float) -> bool:
    is_beside = x in (box.x, box.x + box.width) and box.y <= y <= box.y + box.height
    return is_beside or (y in (box.y, box.y + box.height) and box.x <= x <= box.x + box.width)


def crossed(
    model: WorkflowModel, flow_id: str, line: tuple[tuple[float, float], ...], shapes: dict[str, Box]
) -> list[str]:
    """Return the nodes that a flow's line runs through, but for its own ends and what holds them."""
    flow = model.flows[flow_id]
    own = {flow.source, flow.target, model.nodes[flow.source].attached_to, *_holders(model, flow.source)}
    found = []
    for (x, y), (x2, y2) in pairwise(line):
        path = Box(min(x, x2) - 0.5, min(y, y2) - 0.5, abs(x - x2) + 1, abs(y - y2) + 1)
        found += [one for one in model.nodes if one not in own and over(path, shapes[one])]
    return found


def _holders(model: WorkflowModel, node: str) -> list[str]:
    scope, found = model.nodes[node].scope, []
    while scope in model.nodes:
        found.append(scope)
        scope = model.nodes[scope].scope
    return found


@settings(max_examples=40, deadline=None)
@given(blocks(depth=3))
def test_no_element_lies_over_another_and_no_flow_runs_through_one(block: tuple[object, ...]) -> None:
    model = built(block)
    layout = laid_out(model)
    assert set(layout.shapes) >= set(model.nodes)
    for one, other in combinations(model.nodes, 2):
        assert not over(layout.shapes[one], layout.shapes[other]), (one, other)
    for flow in model.flows.values():
        line = layout.edges[flow.id]
        assert on_border(layout.shapes[flow.source], *line[0])
        assert on_border(layout.shapes[flow.target], *line[-1])
        assert all(x == x2 or y == y2 for (x, y), (x2, y2) in pairwise(line))
        assert crossed(model, flow.id, line, layout.shapes) == []


def test_a_file_made_by_agents_gets_a_diagram_without_a_fault() -> None:
    document = read(draw_diagram(sales()).xml())
    for rule in ("no-bpmndi", "no-overlapping-elements", "standard-size"):
        assert list(RULES[rule](document)) == []
    lane, other = (document.model.shapes[one] for one in document.model.lanes)
    assert (lane.width, lane.y + lane.height) == (other.width, other.y)
    for node in document.model.nodes.values():
        box, own = document.model.shapes[node.id], document.model.shapes[node.lane]
        assert own.x <= box.x
        assert own.y <= box.y
        assert box.y + box.height <= own.y + own.height


def test_a_drawing_that_somebody_changed_is_extended_and_an_untouched_one_laid_out_again() -> None:
    own = draw_diagram(sales())
    more = add_node(own, "Ship", "serviceTask", lane="Lane_ceo")
    assert redrawn(own, more).xml() == draw_diagram(more).xml()
    bounds = own.model.shapes["Demo"]
    document = read(
        own.xml().replace(
            f'x="{bounds.x:g}" y="{bounds.y:g}"'.encode(), f'x="{bounds.x + 3:g}" y="{bounds.y:g}"'.encode()
        )
    )
    changes: tuple[Callable[[WorkflowDocument], WorkflowDocument], ...] = (
        lambda one: add_node(one, "Ship", "task", lane="Lane_ceo"), lambda one: connect(one, "F7", "Offer", "Ship"),
        lambda one: add_lane(one, "Lane_cfo", "Money"), lambda one: add_node(one, "Book", "task", lane="Lane_cfo"),
        lambda one: connect(one, "F8", "Ship", "Book"), lambda one: add_node(one, "All", "pool", "All"),
        lambda one: add_node(one, "Bank", "pool", "Bank"), lambda one: connect(one, "M1", "Book", "Bank"),
        lambda one: add_node(one, "In", "task", scope="Bank"), lambda one: remove(one, "Won"),
    )  # fmt: skip
    for change in changes:
        changed = read(redrawn(document, change(document)).xml())
        kept, now = document.model, changed.model
        moved = {one for one, box in kept.shapes.items() if now.shapes.get(one, box) != box}
        assert moved <= {*kept.lanes, *kept.pools}
        assert all(now.edges.get(one, line) == line for one, line in kept.edges.items())
        assert not list(RULES["no-bpmndi"](changed))
        assert not list(RULES["no-overlapping-elements"](changed))
        assert all(not crossed(now, one, now.edges[one], dict(now.shapes)) for one in set(now.flows) - set(kept.flows))
        document = changed
    (plane,) = document.root.iter(f"{{{DIAGRAM}}}BPMNPlane")
    assert plane.get("bpmnElement") == "Collaboration_1"


@PUBLIC
@pytest.mark.parametrize("name", sorted(one.name for one in (DATA / "miwg").glob("*.bpmn")))
def test_a_public_file_laid_out_anew_has_a_place_for_everything_and_nothing_over_another(name: str) -> None:
    document = draw_diagram(read((DATA / "miwg" / name).read_bytes(), name))
    assert list(RULES["no-bpmndi"](document)) == []
    assert [one.message for one in RULES["no-overlapping-elements"](document)] == []


@PUBLIC
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_any_file_is_shown_as_a_picture_that_names_its_nodes(path: Path) -> None:
    document = read(path.read_bytes(), path.name)
    root = etree.fromstring(picture(document))
    drawn_nodes = {one.get("id") for one in root.iter("{http://www.w3.org/2000/svg}g")}
    shown = set(document.model.shapes) if set(document.model.nodes) <= set(document.model.shapes) else None
    assert drawn_nodes == (set(document.model.nodes) & shown if shown is not None else set(document.model.nodes))


def test_live_tokens_are_shown_where_they_are_and_text_cannot_break_out() -> None:
    document = sales()
    told = picture(document, tokens={"Offer": 2}, done={"Demo"})
    groups = {one.get("id"): one for one in etree.fromstring(told).iter("{http://www.w3.org/2000/svg}g")}
    assert "".join(map(str, groups["Offer"].itertext())).strip().endswith("2")
    assert "<script" not in picture(
        read(document.xml().replace(b"Demo call", b"&lt;script&gt;alert(1)&lt;/script&gt;"))
    )
