"""Files that nobody would draw: deep, wide and long ones are answered at once, with what was left out."""

from itertools import pairwise

import pytest

from mabos.configs.errors import Damaged
from mabos.society.bpmn.checks.dry_run import dry_run
from mabos.society.bpmn.checks.game import explore_states
from mabos.society.bpmn.checks.validation import validate_document
from mabos.society.bpmn.diagram.layout import draw_diagram, laid_out
from mabos.society.bpmn.diagram.svg import picture
from mabos.society.bpmn.document import read
from mabos.society.bpmn.engine.tables import tables
from mabos.society.bpmn.model import LARGE
from tests.society.bpmn.flows import model_of, node

_HEAD = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="D"><process id="P">'


def test_sub_processes_a_hundred_deep_are_laid_out_each_inside_the_next() -> None:
    raw = ""
    for number in reversed(range(100)):
        raw = f'<subProcess id="s{number}">{raw}</subProcess>'
    shapes = laid_out(read(f"{_HEAD}{raw}</process></definitions>".encode()).model).shapes
    boxes = [shapes[f"s{number}"] for number in range(100)]
    assert all(outer.width > inner.width and outer.x <= inner.x for outer, inner in pairwise(boxes))


def test_thousands_of_branches_at_once_are_played_in_part_and_that_is_told() -> None:
    tasks = [node("task", f"t{number}") for number in range(1500)]
    flows = "s>g;" + ";".join(f"g>t{number}" for number in range(1500))
    model = model_of(node("startEvent", "s"), node("parallelGateway", "g"), *tasks, flows=flows)
    game = explore_states(tables(model), "P")
    assert game.is_cut
    assert sum(len(step.after) for steps in game.moves.values() for step in steps) < 400_000


def test_of_a_file_that_is_too_large_the_structure_is_checked_and_the_rest_is_told_to_be_left_out() -> None:
    raw = "".join(f'<task id="t{number}"/>' for number in range(LARGE + 1))
    document = read(f"{_HEAD}{raw}</process></definitions>".encode())
    found = validate_document(document)
    assert [one.rule for one in found if one.severity == "info"] == ["too-large"]
    assert sum(one.rule == "orphan" for one in found) == LARGE + 1
    assert [(one.process, one.is_cut) for one in dry_run(document.model)] == [("P", True)]
    assert draw_diagram(document) is document
    assert picture(document).startswith("<svg")


@pytest.mark.parametrize("hosts", [("b", "b"), ("c", "b")])
def test_boundary_events_on_each_other_are_refused_with_their_line(hosts: tuple[str, str]) -> None:
    raw = "".join(f'<boundaryEvent id="{one}" attachedToRef="{host}"/>' for one, host in zip("bc", hosts, strict=True))
    with pytest.raises(Damaged, match="a boundary event itself"):
        _ = read(f"{_HEAD}{raw}</process></definitions>".encode()).model
