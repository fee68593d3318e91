"""Files of other tools, and everything S3 14.1 names, by tools: taken in whole, made, refused with the mend."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from mabos.mind.model import Goal
from mabos.society.bpmn.checks.lint import RULES
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.elements import DIAGRAM
from mabos.society.bpmn.model import CONTAINERS
from tests.acceptance.workflows import END, START, USER, Ceo, opened
from tests.society.bpmn.test_document import COUNTS, DATA, HEAD, PUBLIC, counted


@pytest.fixture
def ceo(tmp_path: Path) -> Iterator[Ceo]:
    with opened(tmp_path / "workspace") as ceo:
        yield ceo


def file_of(ceo: Ceo, workflow_id: str = "flow") -> WorkflowDocument:
    return read(ceo.world.business.workflows.path(workflow_id).read_bytes())


def text_of(path: Path) -> str:
    """Return a file as text, read in the encoding that it names."""
    raw = path.read_bytes()
    named = re.search(rb"""encoding=["']([\w.-]+)["']""", raw[:200])
    return raw.decode(named[1].decode() if named else "utf-8")


@PUBLIC
@pytest.mark.parametrize("name", sorted(COUNTS))
def test_a_reference_file_is_taken_in_whole_dry_run_checked_and_started(ceo: Ceo, name: str) -> None:
    path = DATA / "miwg" / name
    ceo.do("workflow_create", name=name, workflow_id="flow", bpmn=text_of(path))
    kept, original = file_of(ceo), read(path.read_bytes())
    assert etree.tostring(kept.root, method="c14n") == etree.tostring(original.root, method="c14n")
    found = counted(kept)
    assert {kind: found[kind] for kind in COUNTS[name]} == COUNTS[name]
    seen = ceo.do("workflow_inspect", workflow_id="flow")
    assert {one["process"] for one in seen["ways"] if one["ways"]} >= {
        one for one in original.model.processes if original.model.members[one]
    }
    assert seen["svg"].startswith("<svg")
    assert ceo.do("workflow_validate", workflow_id="flow")["text"]
    ceo.begin()
    ceo.run()
    found_now = ceo.do("workflow_status", workflow_id="flow")
    assert found_now["status"] in ("running", "completed", "terminated")
    assert found_now["waits"] or found_now["status"] != "running"


OVERLAPS = RULES["no-overlapping-elements"]


def drawing(document: WorkflowDocument) -> dict[str, str]:
    """Return each shape and line of a file by its id, whole: place, label, colours and extensions."""
    kinds = [f"{{{DIAGRAM}}}{kind}" for kind in ("BPMNShape", "BPMNEdge")]
    found = document.root.iter(*kinds)
    return {one.get("id", ""): etree.tostring(one, encoding="unicode", with_tail=False) for one in found}


@PUBLIC
@pytest.mark.parametrize("name", sorted(COUNTS))
def test_an_edit_keeps_every_shape_line_and_colour_of_a_reference_file(ceo: Ceo, name: str) -> None:
    ceo.do("workflow_create", name=name, workflow_id="flow", bpmn=text_of(DATA / "miwg" / name))
    before = file_of(ceo)
    diagrams = [dict(one.attrib) for one in before.root.iter(f"{{{DIAGRAM}}}BPMNDiagram")]
    for scope, nodes in before.model.members.items():
        source = next((one for one in nodes if one.type != "endEvent" and one.id in before.model.shapes), None)
        if source is None:
            continue
        lane = source.lane if scope in before.model.processes else ""
        ceo.do("bpmn_add_node", workflow_id="flow", type="userTask", node_id="new", scope=scope, lane_id=lane)
        joined(ceo, source.id, "new", flow_id="to_new")
        late = {"type": "boundaryEvent", "attached_to": "new", "trigger": "timer", "when": "PT1H"}
        ceo.do("bpmn_add_node", workflow_id="flow", node_id="late", **late)
        after, model = file_of(ceo), before.model
        kept, now = drawing(before), drawing(after)
        assert set(now) - set(kept) == {"new_di", "to_new_di", "late_di"}
        grown = [re.findall('bpmnElement="(?:.*:)?(.+?)"', kept[one])[0] for one in kept if now.get(one) != kept[one]]
        for old, new in ((model.shapes[one], after.model.shapes[one]) for one in grown):
            assert (old.x, old.y, old.width <= new.width, old.height <= new.height) == (new.x, new.y, True, True)
        assert all(one in model.lanes or one in model.pools or model.nodes[one].type in CONTAINERS for one in grown)
        assert {one.element for one in OVERLAPS(after)} <= {one.element for one in OVERLAPS(before)}
        assert [dict(one.attrib) for one in after.root.iter(f"{{{DIAGRAM}}}BPMNDiagram")] == diagrams
        assert all(x == x2 or y == y2 for (x, y), (x2, y2) in pairwise(after.model.edges["to_new"]))
        ceo.do("bpmn_remove_node", workflow_id="flow", node_id="new")
        before = file_of(ceo)
        assert drawing(before) == {one: now[one] for one in kept}


@pytest.mark.parametrize("encoding", ["UTF-8", "ISO-8859-1", "UTF-16"])
def test_a_file_in_any_encoding_keeps_its_letters(ceo: Ceo, encoding: str) -> None:
    said = HEAD.replace("<definitions", f'<?xml version="1.0" encoding="{encoding}"?><definitions')
    text = f'{said}<process id="P"><startEvent id="s" name="Müller öffnet"/></process></definitions>'
    ceo.do("workflow_create", name="X", workflow_id="flow", bpmn=text)
    assert file_of(ceo).model.nodes["s"].name == "Müller öffnet"
    refused = ceo.ask("workflow_create", name="Y", bpmn=text.replace(encoding, "no-such"))
    assert (refused.ok, refused.argument, "UTF-8" in refused.message) == (False, "bpmn", True)


def calling(process: str, called: str) -> str:
    return (
        f'<process id="{process}"><startEvent id="s{process}"/><subProcess id="in{process}">'
        f'<callActivity id="c{process}" name="Call {called}" calledElement="{called}"/></subProcess>'
        f'<sequenceFlow id="f{process}" sourceRef="s{process}" targetRef="in{process}"/></process>'
    )


@pytest.mark.parametrize("circle", ["P", "PQ", "PQR"])
def test_processes_that_call_each_other_in_a_circle_are_found_and_not_started(ceo: Ceo, circle: str) -> None:
    inside = "".join(calling(one, other) for one, other in pairwise(circle + circle[0]))
    ceo.do("workflow_create", name="X", workflow_id="flow", bpmn=f"{HEAD}{inside}</definitions>")
    found = ceo.do("workflow_validate", workflow_id="flow")
    endless = [one for one in found["findings"] if one["rule"] == "endless-call"]
    assert [one["element"] for one in endless] == [f"c{one}" for one in circle]
    assert not found["valid"]
    refused = ceo.ask("workflow_status", workflow_id="flow", status="running")
    assert (refused.ok, "never end" in refused.message, ceo.runs()) == (False, True, [])


def test_a_process_that_two_others_call_is_no_circle(ceo: Ceo) -> None:
    called = '<process id="R"><startEvent id="sR"/></process>'
    inside = calling("P", "Q") + calling("Q", "R") + called
    ceo.do("workflow_create", name="X", workflow_id="flow", bpmn=f"{HEAD}{inside}</definitions>")
    found = ceo.do("workflow_validate", workflow_id="flow")
    assert "endless-call" not in [one["rule"] for one in found["findings"]]
    ceo.begin()
    assert ceo.runs() == ["completed"]


@pytest.mark.parametrize("odd", ["a b", "../up", "a/b", "ü", "日本", "x" * 64, ".lock", "a\nb", "a\0b"])
def test_a_workflow_id_that_is_no_name_of_a_file_is_refused_and_nothing_is_written(ceo: Ceo, odd: str) -> None:
    refused = ceo.ask("workflow_create", name="X", workflow_id=odd)
    assert not refused.ok
    assert refused.argument in ("workflow_id", "workflow id"), refused.message
    assert ceo.world.business.workflows.records.all() == ()


@pytest.mark.parametrize("odd", ["a b", "1a", "a:b", "a<b", 'a"b', "-a", "x" * 200, "a\0b"])
def test_an_id_that_other_tools_would_not_read_is_refused_with_what_is_allowed(ceo: Ceo, odd: str) -> None:
    ceo.draw({"s": START, "e": END})
    for tool, given in (
        ("bpmn_add_node", {"node_id": odd, "type": "userTask"}),
        ("bpmn_connect", {"flow_id": odd, "from": "s", "to": "e"}),
        ("bpmn_add_lane", {"lane_id": odd, "name": "L"}),
    ):
        refused = ceo.ask(tool, workflow_id="flow", **given)
        assert (refused.ok, refused.argument) == (False, next(iter(given))), refused.message
    assert set(file_of(ceo).model.nodes) == {"s", "e"}


def test_names_of_any_script_and_ids_of_any_letters_are_kept_and_an_id_stands_once(ceo: Ceo) -> None:
    ceo.draw({"s": START, "e": END})
    for node_id, name in (("größe", "Größe <\"&'>"), ("日本", "日本の注文"), ("_x.y-z", "x" * 5000), ("rtl", "שלום")):
        ceo.do("bpmn_add_node", workflow_id="flow", node_id=node_id, type="userTask", name=name)
        assert file_of(ceo).model.nodes[node_id].name == name
        again = ceo.ask("bpmn_add_node", workflow_id="flow", node_id=node_id, type="userTask")
        assert (again.ok, again.argument, "already" in again.message) == (False, "node_id", True)
    ids = [one.get("id") for one in file_of(ceo).root.iter() if isinstance(one.tag, str) and one.get("id")]
    assert len(ids) == len(set(ids))


def joined(ceo: Ceo, source: str, target: str, **given: Any) -> None:
    ceo.do("bpmn_connect", workflow_id="flow", to=target, **{"from": source}, **given)


def test_pools_messages_data_and_notes_are_made_by_tools_and_drawn(ceo: Ceo) -> None:
    def node(kind: str, node_id: str, **given: Any) -> None:
        ceo.do("bpmn_add_node", workflow_id="flow", type=kind, node_id=node_id, name=node_id, **given)

    ceo.do("workflow_create", name="Order", workflow_id="flow")
    for pool in ("shop", "customer", "supplier"):
        node("pool", pool)
    ceo.do("bpmn_add_lane", workflow_id="flow", name="Sales", assignee="ceo", lane_id="sales", scope="shop")
    for kind, node_id, given in (
        ("startEvent", "start", {"trigger": "message", "when": "Order"}), ("userTask", "check", {}),
        ("endEvent", "done", {}),
    ):  # fmt: skip
        node(kind, node_id, lane_id="sales", scope="shop", **given)
    for kind, node_id in (("startEvent", "go"), ("userTask", "make"), ("endEvent", "made")):
        node(kind, node_id, scope="supplier")
    node("dataObjectReference", "list", scope="shop")
    node("textAnnotation", "note", scope="shop")
    for source, target in (
        ("start", "check"), ("check", "done"), ("customer", "start"), ("check", "go"), ("go", "make"), ("make", "made"),
        ("list", "check"), ("check", "list"), ("note", "check"),
    ):  # fmt: skip
        joined(ceo, source, target, flow_id=f"f_{source}_{target}")
    model = file_of(ceo).model
    assert {one.id: bool(one.process) for one in model.pools.values()} == {
        "shop": True,
        "customer": False,
        "supplier": True,
    }
    assert (model.process_of("check"), model.process_of("make")) == ("Process_1", "supplier_process")
    assert set(model.message_flows) == {"f_customer_start", "f_check_go"}
    assert {one.id: (one.type, one.source, one.target) for one in model.links.values()} == {
        "f_list_check": ("dataInputAssociation", "list", "check"),
        "f_check_list": ("dataOutputAssociation", "check", "list"),
        "f_note_check": ("association", "note", "check"),
    }
    assert model.notes["note"].text == "note"
    drawn = {*model.pools, *model.nodes, *model.data, *model.notes, "sales"}
    assert drawn <= set(model.shapes)
    assert {*model.flows, *model.message_flows, *model.links} <= set(model.edges)
    assert all(box.width > 0 and box.height > 0 for box in model.shapes.values())
    for element in ("list", "customer"):
        ceo.do("bpmn_remove_node", workflow_id="flow", node_id=element)
    after = file_of(ceo).model
    assert (set(after.links), set(after.message_flows), set(after.pools)) == (
        {"f_note_check"}, {"f_check_go"}, {"shop", "supplier"},
    )  # fmt: skip
    assert "placeholder" not in file_of(ceo).xml().decode()


def test_what_cannot_be_joined_is_refused_with_the_reason(ceo: Ceo) -> None:
    ceo.draw({"s": START, "u": USER, "g": ("exclusiveGateway", {}), "e": END, "ours": ("pool", {}),
                "theirs": ("pool", {}), "d": ("dataObjectReference", {})})  # fmt: skip
    for source, target, said in (
        ("u", "ours", "in the same"), ("d", "g", "no data"), ("e", "u", "nothing leaves"),
        ("u", "nowhere", "no element"),
    ):  # fmt: skip
        refused = ceo.ask("bpmn_connect", workflow_id="flow", to=target, **{"from": source})
        assert (refused.ok, said in refused.message) == (False, True), refused.message
    joined(ceo, "u", "theirs")
    ceo.do("bpmn_add_node", workflow_id="flow", type="userTask", node_id="t", scope="theirs")
    homeless = ceo.ask("bpmn_add_node", workflow_id="flow", type="userTask", node_id="x")
    assert (homeless.ok, homeless.argument, "theirs" in homeless.message) == (False, "scope", True)


def test_a_workflow_may_serve_several_goals_and_counts_for_each(ceo: Ceo) -> None:
    ceo.mind.save(Goal("G-1", "Win customers"), Goal("G-2", "Keep customers"))
    ceo.do("workflow_create", name="X", workflow_id="flow", goal_id="G-1", goal_ids=["G-1", "G-2"])
    for goal_id in ("G-1", "G-2"):
        assert ceo.do("goal_evaluate", goal_id=goal_id)["workflows"] == {"flow": 0.0}
    refused = ceo.ask("workflow_create", name="Y", goal_ids=["G-3"])
    assert (refused.ok, refused.argument) == (False, "goal_ids")


HAND = f"""{HEAD[:-1]} xmlns:mabos="urn:mabos:bpmn"><process id="P" isExecutable="true"><laneSet id="ls">
  <lane id="l1" name="Books"><flowNodeRef>s</flowNodeRef><flowNodeRef>sum</flowNodeRef></lane>
  <lane id="l2" name="CFO"><flowNodeRef>ok</flowNodeRef></lane></laneSet>
  <startEvent id="s" name="Receipt"/><scriptTask id="sum" name="Add up"><script>total = net * 2</script></scriptTask>
  <userTask id="ok" name="Approve"><documentation>The receipt must show the tax.</documentation></userTask>
  <endEvent id="e" name="Paid"/><sequenceFlow id="f1" sourceRef="s" targetRef="sum"/>
  <sequenceFlow id="f2" sourceRef="sum" targetRef="ok"/><sequenceFlow id="f3" sourceRef="ok" targetRef="e"/>
</process></definitions>"""


def test_a_file_written_by_hand_is_drawn_and_names_of_nobody_are_told(ceo: Ceo) -> None:
    ceo.do("workflow_create", name="Expenses", workflow_id="flow", bpmn=HAND)
    model = file_of(ceo).model
    assert {*model.nodes, *model.lanes} <= set(model.shapes)
    found = ceo.do("workflow_validate", workflow_id="flow")
    assert found["valid"], found["text"]
    (stranger,) = [one for one in found["findings"] if one["rule"] == "unknown-assignee"]
    assert (stranger["element"], "'Books'" in stranger["message"], "cfo" in stranger["mend"]) == ("l1", True, True)


def test_who_decides_is_told_what_the_author_says_and_what_the_workflow_knows(ceo: Ceo) -> None:
    ceo.do("workflow_create", name="Expenses", workflow_id="flow", bpmn=HAND)
    ceo.begin(net=595, who="Ada", parts=[1, 2])
    assert [one["who"] for one in ceo.do("workflow_status", workflow_id="flow")["waits"]] == ["ceo"]
    ceo.run()
    assert [one["who"] for one in ceo.do("workflow_status", workflow_id="flow")["waits"]] == ["cfo"]
    ceo.world.cycle("cfo")
    (asked,) = ceo.questions()
    assert "The receipt must show the tax. Known: net = 595, who = Ada, total = 1190." in asked.description


GUIDE = (Path(__file__).parents[2] / "docs" / "workflows.md").read_text("utf-8")


@pytest.mark.parametrize(("net", "asked"), [(100, 0), (400, 1)])
def test_the_file_of_the_guide_runs_as_it_says(ceo: Ceo, net: int, asked: int) -> None:
    (text,) = re.findall(r"```xml\n(.*?)```", GUIDE, flags=re.DOTALL)
    ceo.do("workflow_create", name="Expenses", workflow_id="flow", bpmn=text)
    assert ceo.do("workflow_inspect", workflow_id="flow")["missing_to_run"] == []
    ceo.begin(net=net, who="Ada")
    ceo.run()
    assert len(ceo.questions()) == asked
    if asked:
        ceo.world.answer("approve")
        ceo.run()
    assert ceo.runs() == ["completed"]
    (note,) = [one for one in ceo.services.agent("ceo").memory.recent(50) if one.content.startswith("Paid")]
    assert (note.content, note.importance) == (f"Paid {2 * net} to Ada", 0.9)


@pytest.mark.parametrize("field", ["name", "assignee"])
def test_a_letter_that_no_file_may_hold_is_refused_where_it_stands(ceo: Ceo, field: str) -> None:
    ceo.draw({"s": START})
    refused = ceo.ask("bpmn_add_lane", workflow_id="flow", **{"name": "L", field: "a\x01"})
    assert (refused.ok, refused.argument) == (False, field), refused.message
