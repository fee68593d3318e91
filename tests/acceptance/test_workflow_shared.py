"""Several processes and people at one workflow: one run, every effect once, and a file that may change meanwhile."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from traceback import format_exc
from typing import Any

import pytest

from mabos.society.bpmn.diagram.extending import redrawn
from mabos.tools.runtime.services import Caller
from mabos.tools.workflow.running import advance_run
from tests.acceptance.workflows import END, START, USER, Ceo, opened, stored
from tests.world import write_company

CONTEXT = get_context("fork")
PATIENCE = 600  # seconds; only a test that fails waits so long
PROCESSES, TASKS = 4, 12


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_company(tmp_path / "workspace")


@pytest.fixture
def ceo(root: Path) -> Iterator[Ceo]:
    with opened(root) as ceo:
        yield ceo


def at_once(*works: Callable[[], str]) -> list[str]:
    """Return what each says, done in a process of its own, all of them let go at one moment."""
    barrier, told = CONTEXT.Barrier(len(works)), CONTEXT.Queue()

    def work(one: Callable[[], str], gate: Barrier) -> None:
        gate.wait(PATIENCE)
        try:
            told.put(one())
        except BaseException:  # whoever waits for an answer learns why there is none
            told.put(format_exc())
            raise

    processes = [CONTEXT.Process(target=work, args=(one, barrier)) for one in works]
    for one in processes:
        one.start()
    said = [told.get(timeout=PATIENCE) for _ in works]
    for one in processes:
        one.join(PATIENCE)
    return sorted(said)


def starting(root: Path, number: int) -> str:
    """Return what came of starting the workflow, as one agent of several."""
    with opened(root) as ceo:
        agent = ceo.world.agent(("ceo", "cfo", "cto")[number % 3])
        made = agent.ask("workflow_status", workflow_id="flow", status="running", variables={"by": number})
        return "started" if made.ok else made.message.partition(" (")[0]


def test_of_several_who_start_a_workflow_at_the_same_moment_one_does(root: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task()
    said = at_once(*(lambda number=number: starting(root, number) for number in range(PROCESSES)))
    refused = "workflow 'flow' is already running"
    assert said == sorted(["started", *[refused] * (PROCESSES - 1)])
    with opened(root) as ceo:
        assert ceo.runs() == ["running"]


def advancing(root: Path, run_id: str) -> str:
    """Advance a run until it is over, again and again beside others who do the same; return how it ended."""
    with opened(root) as ceo:
        status = "running"
        while status == "running":
            status = advance_run(ceo.services.agent("ceo", caller=Caller("agent", "ceo")), run_id).run.status
        return status


def test_several_processes_that_advance_one_run_do_each_task_once(root: Path) -> None:
    with opened(root) as ceo:
        names = [f"t{number}" for number in range(TASKS)]
        steps = ["s", *names, "e"]
        ceo.draw({"s": START, **{one: stored(f"noted {number:02}") for number, one in enumerate(names)}, "e": END},
                   *(f"{one}>{other}" for one, other in pairwise(steps)))  # fmt: skip
        ceo.begin()
        (run,) = ceo.world.business.workflows.runs.all()
    assert set(at_once(*[lambda: advancing(root, run.id)] * 3)) == {"completed"}
    with opened(root) as ceo:
        assert ceo.stored() == [f"noted {number:02}" for number in range(TASKS)]
        done = [one for one in ceo.services.ledger.entries("ceo") if one.body.get("tool") == "memory_store_item"]
        assert len(done) == TASKS


def creating(root: Path, number: int) -> str:
    with opened(root) as ceo:
        agent = ceo.world.agent(("ceo", "cfo", "cto")[number])
        return str(agent.ask("workflow_create", name=f"Name {number}", workflow_id="flow").ok)


def test_of_several_who_create_a_workflow_of_one_id_one_does_and_keeps_it(root: Path) -> None:
    assert at_once(*(lambda number=number: creating(root, number) for number in range(3))) == ["False", "False", "True"]
    with opened(root) as ceo:
        (workflow,) = ceo.world.business.workflows.all()
        assert f'name="{workflow.name}"' in ceo.world.business.workflows.path("flow").read_text()


def file_of(ceo: Ceo) -> Path:
    return ceo.world.business.workflows.path("flow")


def test_a_run_goes_on_as_it_began_when_its_file_is_changed_and_the_next_goes_by_the_change(ceo: Ceo) -> None:
    ceo.draw({"s": START, "first": USER, "e": END}, "s>first", "first>e")
    ceo.begin()
    ceo.run()
    ceo.do("bpmn_add_node", workflow_id="flow", node_id="second", type="userTask", name="second")
    ceo.do("bpmn_remove_node", workflow_id="flow", node_id="first")
    for source, target in (("s", "second"), ("second", "e")):
        ceo.do("bpmn_connect", workflow_id="flow", to=target, **{"from": source})
    found = ceo.do("workflow_status", workflow_id="flow")
    assert [one["label"] for one in found["waits"]] == ["first"]
    assert "changed since" in found["file"]
    assert found["file"] in found["text"]
    picture = file_of(ceo).with_suffix(".svg").read_text()
    assert ("first" in picture, "second" in picture) == (True, False)
    ceo.world.answer("approve")
    ceo.run()
    assert ceo.runs() == ["completed"]
    ceo.begin()
    ceo.run()
    assert [one.subject for one in ceo.questions()] == ["Flow: second"]


@pytest.mark.parametrize("damage", [b"", b"<definitions", b"\xff\xfe\x00broken", None])
def test_a_file_that_is_damaged_or_gone_during_a_run_is_told_and_the_run_comes_to_its_end(
    ceo: Ceo, damage: bytes | None
) -> None:
    ceo.draw({"s": START, "first": USER, "e": END}, "s>first", "first>e")
    ceo.begin()
    ceo.run()
    whole = file_of(ceo).read_bytes()
    file_of(ceo).unlink() if damage is None else file_of(ceo).write_bytes(damage)
    found = ceo.do("workflow_status", workflow_id="flow")
    assert [one["label"] for one in found["waits"]] == ["first"]
    assert "flow.bpmn" in found["file"]
    for tool, given in (
        ("workflow_inspect", {}),
        ("workflow_validate", {}),
        ("bpmn_remove_node", {"node_id": "first"}),
    ):
        refused = ceo.ask(tool, workflow_id="flow", **given)
        assert (refused.ok, "flow.bpmn" in refused.message) == (False, True), refused.message
    assert (file_of(ceo).read_bytes() if file_of(ceo).exists() else None) == damage
    ceo.world.answer("approve")
    ceo.run()
    assert ceo.runs() == ["completed"]
    again = ceo.ask("workflow_status", workflow_id="flow", status="running")
    assert (again.ok, "flow.bpmn" in again.message, ceo.runs()) == (False, True, ["completed"])
    file_of(ceo).write_bytes(whole)
    ceo.begin()
    assert ceo.runs() == ["completed", "running"]


def test_a_goal_is_evaluated_though_the_copy_of_its_workflows_run_is_gone(root: Path) -> None:
    with opened(root) as ceo:
        ceo.plan_for_flow()
        ceo.draw_task()
        ceo.world.business.workflows.records.change("flow", lambda one: replace(one, goal_ids=("G-1",)))
        ceo.do("workflow_status", workflow_id="flow", status="running")
    for copy in (root / "businesses" / "acme" / "workflows" / "versions").iterdir():
        copy.unlink()
    with opened(root) as ceo:
        assert ceo.do("goal_evaluate", goal_id="G-1")["workflows"] == {"flow": 0.0}
        refused = ceo.world.ask("workflow_status", workflow_id="flow")
        assert "restore it" in refused.message


def test_what_a_modeller_saves_in_the_moment_of_an_edit_stands(ceo: Ceo, monkeypatch: pytest.MonkeyPatch) -> None:
    ceo.draw({"s": START, "e": END}, "s>e")
    saved = file_of(ceo).read_bytes() + b"\n<!-- by hand -->\n"

    def meanwhile(document: Any, changed: Any) -> Any:
        file_of(ceo).write_bytes(saved)
        return redrawn(document, changed)

    monkeypatch.setattr("mabos.society.workflows.redrawn", meanwhile)
    refused = ceo.ask("bpmn_add_node", workflow_id="flow", node_id="t", type="userTask")
    assert (refused.ok, "try again" in refused.message) == (False, True)
    assert file_of(ceo).read_bytes() == saved
