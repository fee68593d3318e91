"""Programs for both give the traces that python-agentspeak 0.2.2 gave: `python -m bench.procedures --record`."""

import pytest

from bench.agentspeak.compared import programs, recorded, traced

PROGRAMS = programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_trace_that_python_agentspeak_gives(name: str) -> None:
    assert traced(PROGRAMS[name]) == recorded()[name]


def test_every_program_has_a_recorded_trace_that_says_something() -> None:
    assert sorted(recorded()) == sorted(PROGRAMS)
    assert len(PROGRAMS) >= 20
    assert all(recorded().values())
