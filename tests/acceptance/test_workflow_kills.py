"""A workflow whose process is killed anywhere comes to the same end, with every effect once (S3 section 14)."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mabos.society.workflows import WorkflowRun
from mabos.tools.gate import call as gate
from mabos.tools.runtime.services import Caller
from mabos.workspace.clock import SteppedClock
from mabos.workspace.view import View
from tests.world import NOON, Member, World, succeeded

FLOWS = ("s>split", "split>store", "split>wait", "split>hear", "split>sub", "split>ask", "store>join", "wait>tell",
         "tell>join", "hear>join", "sub>join", "ask>join", "join>sum", "sum>e", "in>deep", "deep>out")  # fmt: skip


class Killed(BaseException):
    """The process is gone."""


def made(ceo: Member) -> None:
    """Make a process with tasks, a timer, a message, a sub-process and a person, all side by side."""

    def node(kind: str, node_id: str, **given: Any) -> None:
        ceo.do("bpmn_add_node", workflow_id="all", type=kind, node_id=node_id, name=node_id, **given)

    def stored(what: str) -> dict[str, Any]:
        return {"tool": "memory_store_item", "arguments": {"content": what, "importance": 0.9}}

    ceo.do("workflow_create", name="All", workflow_id="all")
    for kind, node_id in (("startEvent", "s"), ("parallelGateway", "split"), ("parallelGateway", "join"),
                          ("userTask", "ask"), ("subProcess", "sub"), ("endEvent", "e")):  # fmt: skip
        node(kind, node_id)
    node("serviceTask", "store", **stored("stored beside"))
    node("intermediateCatchEvent", "wait", trigger="timer", when="PT2H")
    node("serviceTask", "tell", **stored("stored after the timer"))
    node("intermediateCatchEvent", "hear", trigger="message", when="paid")
    node("startEvent", "in", scope="sub")
    node("serviceTask", "deep", scope="sub", **stored("stored inside"))
    node("endEvent", "out", scope="sub")
    node("scriptTask", "sum", script="total = paid + agreed")
    for flow in FLOWS:
        source, target = flow.split(">")
        ceo.do("bpmn_connect", workflow_id="all", from_=source, to=target)


@contextmanager
def killing(at: int, patch: pytest.MonkeyPatch, *others: tuple[Any, str]) -> Iterator[Callable[[], int]]:
    """Kill the process at one place: before and after each write of a run, each call of a tool, and of `others`."""
    seen = [0]

    def place() -> None:
        seen[0] += 1
        if seen[0] == at:
            raise Killed

    true_save, true_change = View.save, View.change

    def save(self: Any, *records: Any) -> None:
        is_run = any(isinstance(one, WorkflowRun) for one in records)
        if is_run:
            place()
        true_save(self, *records)
        if is_run:
            place()

    def change(self: Any, record_id: str, how: Any) -> Any:
        is_run = record_id.startswith("WR-")
        if is_run:
            place()
        changed = true_change(self, record_id, how)
        if is_run:
            place()
        return changed

    def surrounded(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **more: Any) -> Any:
            place()
            answer = function(*given, **more)
            place()
            return answer

        return called

    with patch.context() as inner:
        inner.setattr(View, "save", save)
        inner.setattr(View, "change", change)
        for owner, name in ((gate, "call"), *others):
            inner.setattr(owner, name, surrounded(getattr(owner, name)))
        yield lambda: seen[0]


def lived(root: Path, clock: SteppedClock, at: int = 0) -> tuple[int, dict[str, Any]]:
    """Return how many places there were to be killed at, and what is left at the end: the effects, in order."""
    with pytest.MonkeyPatch.context() as patch, killing(at, patch) as places:
        for _ in range(40):
            try:
                with World.small(root, clock=clock) as world:
                    for _ in range(9):
                        if not _is_open(world):
                            return places(), _left(world)
                        _round(world)
                    raise AssertionError(f"killed at place {at} it never came to its end")
            except Killed:
                continue
    raise AssertionError("the workflow never came to its end")


def _is_open(world: World) -> bool:
    """Return whether it has not come to its end yet; whoever began it believes it then."""
    return world.agent("ceo").mind.value("all", "status") is None or bool(world.business.workflows.running())


def _round(world: World) -> None:
    """Begin what has not begun, answer what a person is asked, send what is waited for, and let the agent go on."""
    effect = world.services.directory.effects("ceo").find("begin")
    if effect is None or effect.status != "done":
        begun = {"workflow_id": "all", "status": "running"}
        gate.call(world.services, "workflow_status", begun, caller=Caller("agent", "ceo"), agent_id="ceo", key="begin")
        return
    for one in world.questions():
        if one.id.startswith("DEC-WR-"):
            world.answer("modify", one.id, modifications={"agreed": 5})
    metadata = {"workflow": "all", "message": "paid", "variables": {"paid": 3}}
    sent = {"to": "ceo", "content": "It is paid.", "performative": "INFORM", "metadata": metadata}
    if world.clock() == NOON and not world.agent("ceo").messages():
        succeeded(world.agent("cfo").call("agent_message", sent, key="paid"))
    world.cycle("ceo")
    world.later(hours=1)


def _left(world: World) -> dict[str, Any]:
    """Return how it ended and what it has done, everything as often as it was done."""
    ceo = world.agent("ceo")
    runs = world.business.workflows.runs.all()
    return {
        "ended": [(one.status, dict(one.state["variables"])["total"]) for one in runs],
        "stored": sorted(one.content for one in ceo.handle.memory.recent(100) if one.content.startswith("stored")),
        "asked": len([one for one in world.services.decisions().all() if one.id.startswith("DEC-WR-")]),
        "calls": sorted(one["tool"] for one in ceo.entries("call") if one.get("ok")),
    }


def test_killed_at_every_place_it_comes_to_the_same_end_with_every_effect_once(tmp_path: Path) -> None:
    template = tmp_path / "template"
    with World.small(template) as world:
        made(world.agent("ceo"))
    shutil.copytree(template, tmp_path / "0")
    places, whole = lived(tmp_path / "0", SteppedClock(NOON))
    assert whole["ended"] == [("completed", 8)]
    assert len(whole["stored"]) == 3
    assert places > 20
    for at in range(1, places + 1):
        shutil.copytree(template, tmp_path / str(at))
        assert lived(tmp_path / str(at), SteppedClock(NOON), at)[1] == whole, f"killed at place {at}"
