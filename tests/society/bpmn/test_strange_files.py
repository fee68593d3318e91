"""BPMN files that no modeller should write: told or drawn anew, and none of them hangs or ends in a traceback."""

from typing import Any

import pytest

from mabos.configs.errors import Damaged
from mabos.society.bpmn.diagram.layout import layout_of
from mabos.society.bpmn.document import read
from mabos.society.bpmn.editing import add_node
from mabos.society.bpmn.engine.expressions import readable
from mabos.society.bpmn.engine.running import ProcessExecution
from mabos.society.bpmn.engine.state import ExecutionState
from mabos.society.bpmn.engine.tables import tables
from tests.society.bpmn.flows import NOW, at, done, model_of, node, run_of
from tests.society.bpmn.test_document import HEAD

DI = (
    'xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"'
    ' xmlns:line="http://www.omg.org/spec/DD/20100524/DI"'
)
START, LAST = node("startEvent", "s"), node("userTask", "u")


def several(count: int, **how: str) -> str:
    return node("multiInstanceLoopCharacteristics", "m", f"<loopCardinality>{count}</loopCardinality>", **how)


def test_a_sub_process_that_says_it_is_attached_to_what_is_inside_it_is_read() -> None:
    model = model_of(node("subProcess", "S", node("task", "X"), attachedToRef="X"), flows="")
    assert (model.nodes["S"].attached_to, model.nodes["X"].lane) == ("", "")


@pytest.mark.parametrize(
    "raw", [b'<bpmn:process id="x"/>', '<?xml version="1.0" encoding="UTF-16"?><bpmn:definitions/>'.encode("utf-16")]
)
def test_a_prefix_that_cannot_be_declared_for_a_file_is_told(raw: bytes) -> None:
    with pytest.raises(Damaged, match=r"workflow.bpmn:1: not valid XML"):
        read(raw)


def test_a_shape_whose_place_is_no_number_is_laid_out_anew() -> None:
    shape = '<di:BPMNShape bpmnElement="X"><dc:Bounds x="NaN" y="1" width="100" height="80"/></di:BPMNShape>'
    edge = '<di:BPMNEdge bpmnElement="F"><line:waypoint x="1e999" y="1"/></di:BPMNEdge>'
    raw = f'{HEAD[:-1]} {DI}><process id="P"><task id="X"/></process>{shape}{edge}</definitions>'
    document = read(raw.encode())
    assert (document.model.shapes, document.model.edges) == ({}, {})
    assert layout_of(document).shapes["X"].width == 100


def test_a_pool_around_a_process_that_is_not_there_is_told() -> None:
    pool = '<collaboration id="C"><participant id="Q" processRef="Nowhere"/></collaboration>'
    with pytest.raises(Damaged, match="names the process 'Nowhere'"):
        add_node(read(f'{HEAD}{pool}<process id="P"/></definitions>'.encode()), "n", "task", scope="Q")


@pytest.mark.parametrize("condition", ["-" * 100_000 + "1", "not " * 50_000 + "1", "-" * 1_900 + "1"])
def test_a_condition_without_end_is_told_and_not_read(condition: str) -> None:
    assert len(readable(condition)) < 4_200


@pytest.mark.parametrize("record", [{"id": "W-1"}, {"id": "W-1", "tokens": [3], "scopes": []},
                                    {"id": "W-1", "tokens": [{"id": 1, "wait": "user"}], "scopes": []}])  # fmt: skip
def test_a_state_that_somebody_has_changed_into_something_else_is_damage(record: dict[str, Any]) -> None:
    with pytest.raises(Damaged, match=r"workflows.json: the state of W-1"):
        ExecutionState.of(record)


@pytest.mark.parametrize("how", ["true", "false"])
def test_what_has_nothing_inside_is_done_a_thousand_times_and_left_once(how: str) -> None:
    empty = node("subProcess", "S", several(1_000, isSequential=how))
    assert at(run_of(model_of(START, empty, LAST, flows="s>S; S>u"))) == {"u": "user"}


def test_a_loop_around_nothing_ends_at_its_bound() -> None:
    loop = "<standardLoopCharacteristics><loopCondition>1 == 1</loopCondition></standardLoopCharacteristics>"
    assert at(run_of(model_of(START, node("subProcess", "S", loop), LAST, flows="s>S; S>u"))) == {"u": "user"}


@pytest.mark.parametrize("how", ["true", "false"])
@pytest.mark.parametrize("came_before", [True, False])
def test_a_receive_task_that_is_done_several_times_takes_a_message_for_each(how: str, came_before: bool) -> None:
    task = node("receiveTask", "r", several(3, isSequential=how), name="order")
    run = ProcessExecution(tables(model_of(START, task, LAST, flows="s>r; r>u")), ExecutionState("W-1"))
    for _ in range(3 if came_before else 0):
        run.keep_mail("order")
    run.begin(["P"], NOW)
    for _ in range(0 if came_before else 3):
        run.tell_of("message", "order", NOW)
    assert at(run) == {"u": "user"}
    done(run, "u")
    assert run.state.status == "completed"


def test_an_error_in_one_of_several_turns_ends_all_of_them() -> None:
    caught = node("boundaryEvent", "b", node("errorEventDefinition", "d"), attachedToRef="t")
    task = node("userTask", "t", several(3))
    run = run_of(model_of(START, task, caught, LAST, node("userTask", "v"), flows="s>t; t>u; b>v"))
    run.fail(run.state.work()[0].id, "late", "it is late", NOW)
    assert at(run) == {"v": "user"}
    done(run, "v")
    assert run.state.status == "completed"
