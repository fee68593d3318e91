"""A batch while it is played, as a terminal and as a pipe show it."""

import io

from rich.console import Console

from mabos.interfaces.views.simulation import runs_shown
from mabos.society.simulation.comparison import RunResult

NAME = ("saas", "bdi", "7")
OVER = RunResult(*NAME, 52, 1234.0, bankrupt=False, kpis={})


def shown(*, terminal: bool) -> str:
    out = io.StringIO()
    with runs_shown(Console(file=out, force_terminal=terminal, width=100, no_color=True, highlight=False)) as listeners:
        for weeks in (1, 12, 14, 15, 30):
            listeners.on_week(NAME, weeks, 52)
        listeners.on_result(OVER, 2)
        listeners.on_week(NAME, 51, 52)
    return out.getvalue()


def test_a_pipe_gets_a_line_for_each_quarter_of_a_year_and_one_for_the_end() -> None:
    assert shown(terminal=False).splitlines()[:3] == [
        "saas, policy bdi, seed 7: 14 of 52 weeks are over",
        "saas, policy bdi, seed 7: 30 of 52 weeks are over",
        "saas, policy bdi, seed 7: $1,234",
    ]


def test_a_terminal_gets_a_bar_of_weeks_that_goes_when_its_run_is_over() -> None:
    drawn = shown(terminal=True)
    assert "weeks of saas, policy bdi, seed 7" in drawn
    last = drawn.rsplit("runs that are over", 1)[1]
    assert "1/2" in last
    assert "weeks of" not in last
