"""Changing a BPMN file: what is added can be read, what is removed takes its connections along, the rest stays."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, MabosError, UnknownId
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.editing import add_lane, add_node, blank, connect, remove, set_default
from mabos.society.bpmn.model import NODES
from tests.society.bpmn.test_document import FILES, PUBLIC


def sales() -> WorkflowDocument:
    """Return a workflow with two lanes, a decision, a timer and two ends."""
    document = blank("Enterprise sales")
    document = add_lane(document, "Lane_cmo", "Marketing", assignee="cmo")
    document = add_lane(document, "Lane_ceo", "Lead", assignee="ceo")
    document = add_node(document, "Start", "startEvent", "Lead arrives", lane="Lane_cmo")
    document = add_node(document, "Demo", "serviceTask", "Demo call", lane="Lane_cmo", settings={"tool": "task_note"})
    document = add_node(document, "Big", "exclusiveGateway", "Big enough?", lane="Lane_cmo")
    document = add_node(document, "Offer", "userTask", "Approve the offer", lane="Lane_ceo")
    document = add_node(document, "Late", "boundaryEvent", "Too late", attached_to="Offer", trigger="timer", when="P3D")
    document = add_node(document, "Won", "endEvent", "Won", lane="Lane_ceo")
    document = add_node(document, "Lost", "endEvent", "Lost", lane="Lane_cmo")
    for flow, source, target in (("F1", "Start", "Demo"), ("F2", "Demo", "Big"), ("F4", "Big", "Lost"),
                                 ("F5", "Offer", "Won"), ("F6", "Late", "Lost")):  # fmt: skip
        document = connect(document, flow, source, target)
    document = connect(document, "F3", "Big", "Offer", name="yes", condition="seats > 50")
    return set_default(document, "Big", "F4")


def test_what_was_added_is_read_back_from_the_file() -> None:
    model = read(sales().xml()).model
    assert model.nodes["Demo"].settings == {"tool": "task_note"}
    assert {lane.assignee: lane.nodes for lane in model.lanes.values()} == {
        "cmo": ("Start", "Demo", "Big", "Lost"),
        "ceo": ("Offer", "Won"),
    }
    assert (model.nodes["Big"].default, model.flows["F3"].condition) == ("F4", "seats > 50")
    assert (model.nodes["Late"].attached_to, model.nodes["Late"].triggers[0].when) == ("Offer", "P3D")
    assert (model.nodes["Demo"].incoming, model.nodes["Demo"].outgoing) == (("F1",), ("F2",))


def test_an_element_goes_with_what_is_attached_to_it_and_all_its_flows() -> None:
    model = remove(sales(), "Offer").model
    assert {"Offer", "Late", "F3", "F5", "F6"}.isdisjoint([*model.nodes, *model.flows])
    assert model.nodes["Big"].outgoing == ("F4",)
    assert model.lanes["Lane_ceo"].nodes == ("Won",)
    assert remove(sales(), "F4").model.nodes["Big"].default == ""


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        (lambda one: add_node(one, "X", "userTaks"), "type"),
        (lambda one: add_node(one, "X", "task", lane="Lane_cto"), "lane_id"),
        (lambda one: add_node(one, "X", "boundaryEvent"), "attached_to"),
        (lambda one: add_node(one, "X", "task", trigger="timer"), "trigger"),
        (lambda one: add_node(one, "Demo", "task"), "node_id"),
        (lambda one: connect(one, "F9", "Demo", "Nowhere"), "to"),
        (lambda one: connect(one, "F9", "Won", "Demo"), "from"),
        (lambda one: connect(one, "F9", "Demo", "Start"), "to"),
        (lambda one: set_default(one, "Big", "F1"), "default"),
        (lambda one: remove(one, "Nowhere"), "node_id"),
    ],
)
def test_what_cannot_be_is_refused_and_names_the_argument(change: object, argument: str) -> None:
    assert callable(change)
    with pytest.raises(MabosError) as caught:
        change(sales())
    assert isinstance(caught.value, InvalidArgument | UnknownId)
    assert caught.value.argument == argument


@PUBLIC
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_removing_anything_from_a_public_file_leaves_a_file_that_can_be_read(data: st.DataObject) -> None:
    path: Path = data.draw(st.sampled_from([path for path in FILES if path.parent.name == "miwg"]))
    document = read(path.read_bytes(), path.name)
    chosen = data.draw(st.sampled_from(sorted({**document.model.nodes, **document.model.flows})))
    left = read(remove(document, chosen).xml()).model
    assert chosen not in {**left.nodes, **left.flows}
    assert set(left.nodes) <= set(document.model.nodes)
    assert all(flow.source in left.nodes and flow.target in left.nodes for flow in left.flows.values())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(NODES - {"boundaryEvent"})), st.text(max_size=8)), max_size=8))
def test_any_element_with_any_name_is_kept(wanted: list[tuple[str, str]]) -> None:
    document = blank("Any")
    said = []
    for number, (kind, name) in enumerate(wanted):
        try:
            document = add_node(document, f"N{number}", kind, name)
        except InvalidArgument:
            assert any(ord(letter) < 32 or ord(letter) in (0xFFFE, 0xFFFF) for letter in name)
        else:
            said.append((kind, name))
    assert [(one.type, one.name) for one in read(document.xml()).model.nodes.values()] == said
