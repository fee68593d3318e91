"""Whether workflows come to their end, and which ways they can take, shown by playing their tokens."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.society.bpmn.checks.dry_run import dry_run, readiness
from mabos.society.bpmn.checks.soundness import soundness
from mabos.society.bpmn.document import read
from mabos.society.bpmn.model import WorkflowModel
from tests.society.bpmn.flows import NOW, model_of, node, run_of
from tests.society.bpmn.test_document import DATA, PUBLIC
from tests.society.bpmn.test_editing import sales

START, END = node("startEvent", "s"), node("endEvent", "e")


def gate(kind: str, *names: str) -> str:
    return "".join(node(f"{kind}Gateway", name) for name in names)


def work(*names: str) -> str:
    return "".join(node("userTask", name) for name in names)


@pytest.mark.parametrize(
    ("nodes", "flows", "shown"),
    [
        ((gate("exclusive", "f"), gate("parallel", "j")), "s>f; f>a; f>b; a>j; b>j; j>e", {("deadlock", "j")}),
        ((gate("parallel", "f"), gate("exclusive", "j")), "s>f; f>a; f>b; a>j; b>j; j>e",
         {("lack-of-synchronisation", "e")}),
        ((gate("exclusive", "m"), gate("parallel", "f")), "s>m; m>f; f>a; f>b; a>m; b>e", {("unbounded", "e")}),
        ((gate("exclusive", "f", "j"),), "s>j; j>a; a>f; f>j; f>b; b>e", set()),
        ((gate("exclusive", "j"),), "s>j; j>a; a>j; b>e", {("no-end", "j"), ("dead", "e")}),
        ((gate("inclusive", "f", "j"),), "s>f; f>a; f>b; a>j; b>j; j>e", set()),
        ((gate("parallel", "f", "j"),), "s>f; f>a; f>b; a>j; b>j; j>e", set()),
    ],
)  # fmt: skip
def test_what_can_go_wrong_with_tokens_is_found(
    nodes: tuple[str, ...], flows: str, shown: set[tuple[str, str]]
) -> None:
    model = model_of(START, work("a", "b"), *nodes, END, flows=flows)
    found = {(one.rule, one.element) for one in soundness(model)}
    assert shown <= found if shown else not found
    assert all(one.mend and one.message for one in soundness(model))


def test_a_finding_names_the_element_as_people_do_and_what_it_waits_for() -> None:
    nodes = node("exclusiveGateway", "f") + node("parallelGateway", "j", name="Both signed?") + work("a", "b")
    (found,) = soundness(model_of(START, nodes, END, flows="s>f; f>a; f>b; a>j; b>j; j>e"))[:1]
    assert "'Both signed?' can wait forever" in found.message
    assert "b to Both signed?" in found.message


def test_the_ways_of_a_workflow_are_listed_with_what_is_decided_on_them() -> None:
    (found,) = dry_run(sales().model)
    assert [way.decided for way in found.ways] == [("Lost",), ("yes",), ("yes", "Too late")]
    assert all(way.ends for way in found.ways)
    assert not found.is_cut


def test_what_is_missing_to_run_is_told_for_each_element() -> None:
    model = model_of(START, node("serviceTask", "a", name="Send"), gate("exclusive", "f"), node("scriptTask", "c"),
                     node("callActivity", "d"), flows="s>a; a>f; f>c; f>d[amount >]")  # fmt: skip
    lacking = {(one.rule, one.element) for one in readiness(model)}
    assert lacking == {("no-tool", "a"), ("no-condition", "F2"), ("condition", "F3"), ("no-script", "c"),
                       ("no-process", "d")}  # fmt: skip
    assert readiness(sales().model) == []


@PUBLIC
@pytest.mark.parametrize("name", sorted(one.name for one in (DATA / "miwg").glob("*.bpmn")))
def test_every_public_reference_process_can_be_played_to_an_end(name: str) -> None:
    model = read((DATA / "miwg" / name).read_bytes(), name).model
    found = dry_run(model)
    assert {one.process for one in found} == {scope for scope, nodes in model.members.items() if nodes}
    assert all(any(way.ends for way in one.ways) and not one.is_cut for one in found)


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> tuple[object, ...]:
    """Return a workflow made of blocks that split and join alike: what is sound by construction."""
    kind = draw(
        st.sampled_from(["task", "sequence", "exclusive", "parallel", "inclusive", "loop"] if depth else ["task"])
    )
    if kind == "task":
        return ("task",)
    most = 1 if kind == "loop" else 3
    return (kind, draw(st.lists(blocks(depth - 1), min_size=min(2, most), max_size=most)))


def built(block: tuple[object, ...], joined: str = "") -> WorkflowModel:
    """Return the model of a block; `joined` is the kind of every joining gateway, instead of the right one."""
    numbers, nodes, flows = count(), [], []

    def put(part: tuple[object, ...], before: str) -> str:
        number = next(numbers)
        kind, inner = part[0], part[1] if len(part) > 1 else []
        assert isinstance(inner, list)
        if kind == "task":
            nodes.append(node("userTask", f"t{number}"))
            flows.append(f"{before}>t{number}")
            return f"t{number}"
        if kind == "sequence":
            for one in inner:
                before = put(one, before)
            return before
        if kind == "loop":
            nodes.append(gate("exclusive", f"m{number}", f"x{number}"))
            flows.append(f"{before}>m{number}")
            last = put(inner[0], f"m{number}")
            flows.extend([f"{last}>x{number}", f"x{number}>m{number}[again]"])
            return f"x{number}"
        nodes.append(gate(str(kind), f"f{number}") + gate(joined or str(kind), f"j{number}"))
        flows.append(f"{before}>f{number}")
        flows.extend(f"{put(one, f'f{number}')}>j{number}" for one in inner)
        return f"j{number}"

    last = put(block, "s")
    return model_of(START, *nodes, END, flows="; ".join([*flows, f"{last}>e"]))


@settings(max_examples=30, deadline=None)
@given(blocks())
def test_what_is_built_of_matching_blocks_is_sound(block: tuple[object, ...]) -> None:
    assert [one for one in soundness(built(block)) if one.rule != "not-all-states"] == []


@settings(max_examples=30, deadline=None)
@given(blocks(), st.integers(0, 1000))
def test_a_sound_workflow_never_sticks_when_it_runs(block: tuple[object, ...], luck: int) -> None:
    run = run_of(built(block), again=False)
    for turn in range(300):
        waiting = run.state.waits()
        if not waiting:
            break
        token = waiting[(luck + turn) % len(waiting)]
        flows = run.tables.outgoing[token.node]
        if token.wait == "trouble":
            run.choose(token.id, flows[luck % len(flows)].id if turn < 50 else flows[-1].id, NOW)
        else:
            run.complete(token.id, {}, NOW)
    assert run.state.status == "completed"


@settings(max_examples=30, deadline=None)
@given(blocks().filter(lambda block: "parallel" in str(block)))
def test_what_joins_parallel_branches_with_a_choice_is_never_called_sound(block: tuple[object, ...]) -> None:
    assert soundness(built(block, joined="exclusive"))
