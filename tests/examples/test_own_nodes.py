"""Nodes of one's own run before and after phases, in any combination, and an unknown phase is refused."""

from pathlib import Path

import pytest

from examples import own_nodes
from mabos.configs.errors import InvalidArgument
from mabos.graphs.bdi import PHASES, build
from mabos.nodes.state import BdiState, Context
from tests.world import write_company


def test_the_example_hears_of_the_phases_that_it_asked_for(tmp_path: Path) -> None:
    heard = own_nodes.main(str(tmp_path / "ws"))
    assert "of cfo deliberates" in heard[0]
    assert heard[1:] == ["after act: learn"]


def test_a_node_may_stand_before_and_after_every_phase_and_the_cycle_goes_the_same_way(tmp_path: Path) -> None:
    from mabos.graphs.wiring import hold_services

    seen: list[str] = []

    def noting(name: str, state: BdiState) -> None:
        seen.append(name)

    nodes = [
        {phase: (lambda state, name=f"{when} {phase}": noting(name, state)) for phase in PHASES}
        for when in ("before", "after")
    ]
    machine = build(before=nodes[0], after=nodes[1]).compile()
    with hold_services(write_company(tmp_path)):
        report = machine.invoke({"agent_id": "cfo", "message": "Hello"}, context=Context(workspace=str(tmp_path)))
    assert report["outcome"]
    assert seen[:4] == ["before perceive", "after perceive", "before deliberate", "after deliberate"]
    assert seen[-2:] == ["before learn", "after learn"]


def test_an_unknown_phase_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="no phase 'think'"):
        build(before={"think": print})
