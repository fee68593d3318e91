"""BPMN files: those of other tools are read whole and written back, faults are told with file and line."""

import json
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from mabos.configs.errors import Damaged
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.model import EventDefinition

_PLACES = [above / "shared" / "data" / "bpmn" for above in Path(__file__).parents]
DATA = next((place for place in _PLACES if place.is_dir()), _PLACES[-1])
PUBLIC = pytest.mark.skipif(not DATA.is_dir(), reason="no folder above has the public BPMN files in shared/data/bpmn")
FILES = sorted(DATA.rglob("*.bpmn"))
COUNTS = json.loads((DATA / "MANIFEST.json").read_text())["miwg_element_counts"] if DATA.is_dir() else {}

HEAD = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="D">'


def counted(document: WorkflowDocument) -> Counter[str]:
    model = document.model
    kinds = [one.type for group in (model.nodes, model.data, model.links) for one in group.values()]
    several = {"process": model.processes, "sequenceFlow": model.flows, "lane": model.lanes,
               "participant": model.pools, "messageFlow": model.message_flows, "textAnnotation": model.notes,
               "BPMNShape": model.shapes, "BPMNEdge": model.edges}  # fmt: skip
    return Counter(kinds) + Counter({kind: len(found) for kind, found in several.items()})


@PUBLIC
@pytest.mark.parametrize("name", sorted(COUNTS))
def test_a_reference_file_has_the_elements_of_its_manifest(name: str) -> None:
    found = counted(read((DATA / "miwg" / name).read_bytes(), name))
    assert {kind: found[kind] for kind in COUNTS[name]} == COUNTS[name]


@PUBLIC
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_of_a_public_file_is_lost_when_it_is_read_and_written(path: Path) -> None:
    document = read(path.read_bytes(), path.name)
    again = read(document.xml(), path.name)
    assert etree.tostring(again.root, method="c14n") == etree.tostring(document.root, method="c14n")
    assert again.model == document.model


def test_triggers_conditions_loops_and_lanes_are_read() -> None:
    raw = f"""{HEAD}<message id="m" name="Order paid"/>
      <process id="P" isExecutable="true"><laneSet id="LS"><lane id="L" name="Sales"><flowNodeRef>T</flowNodeRef></lane>
      </laneSet><startEvent id="S"><messageEventDefinition messageRef="m"/></startEvent>
      <userTask id="T" name="Call" default="F3"><multiInstanceLoopCharacteristics isSequential="true">
        <loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></userTask>
      <boundaryEvent id="B" attachedToRef="T" cancelActivity="false"><timerEventDefinition>
        <timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>
      <endEvent id="E"/><endEvent id="E2"/>
      <sequenceFlow id="F1" sourceRef="S" targetRef="T"/>
      <sequenceFlow id="F2" sourceRef="T" targetRef="E"><conditionExpression>amount &gt; 5</conditionExpression>
      </sequenceFlow><sequenceFlow id="F3" sourceRef="T" targetRef="E2"/></process></definitions>"""
    model = read(raw.encode()).model
    assert model.nodes["S"].triggers == (EventDefinition("message", "m", "Order paid"),)
    assert model.nodes["B"].triggers == (EventDefinition("timer", when="PT1H", of="duration"),)
    assert (model.nodes["B"].interrupting, model.nodes["B"].attached_to, model.nodes["B"].lane) == (False, "T", "L")
    task = model.nodes["T"]
    assert task.loop is not None
    assert (task.loop.kind, task.loop.count, task.default, task.lane) == ("sequential", "3", "F3", "L")
    assert (task.incoming, task.outgoing) == (("F1",), ("F2", "F3"))
    assert (model.flows["F2"].condition, model.flows["F3"].conditional) == ("amount > 5", False)
    assert [one.id for one in model.boundaries["T"]] == ["B"]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("<nonsense", "w.bpmn:1: not valid XML"),
        ("<html/>", "w.bpmn:1: the outermost element is 'html'"),
        (f'{HEAD}<process id="P"><task id="A"/>\n<task id="A"/></process></definitions>', "w.bpmn:2: the id 'A'"),
        (f'{HEAD}<process id="P"><task/></process></definitions>', "w.bpmn:1: this task has no id"),
        (f'{HEAD}<process id="P">\n<sequenceFlow id="F" sourceRef="A" targetRef="B"/></process></definitions>',
         "w.bpmn:2: the flow 'F' leads from or to 'A'"),
        (f'{HEAD}<process id="P"><sequenceFlow id="F" sourceRef="A"/></process></definitions>', "no targetRef"),
        (f'{HEAD}<process id="P"><boundaryEvent id="B" attachedToRef="X"/></process></definitions>',
         "which is not a node"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_told_with_its_line(raw: str, told: str) -> None:
    with pytest.raises(Damaged, match=told.replace("(", r"\(")):
        read(raw.encode(), "w.bpmn").model  # noqa: B018  # reading is what raises


@pytest.mark.parametrize("process", ['<process id="P" name="&x;"/>', '<process id="P"><task id="&x;"/></process>',
                                     '<process id="P"><documentation>&x;</documentation></process>'])  # fmt: skip
def test_a_file_cannot_name_another_file_of_this_machine(tmp_path: Path, process: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the password")
    raw = f'<!DOCTYPE d [<!ENTITY x SYSTEM "file://{secret}">]>{HEAD}{process}</definitions>'
    with pytest.raises(Damaged, match=r"w\.bpmn:1: .*(external entity|document type)"):
        read(raw.encode(), "w.bpmn")
