"""The time of nine agents for a year of their company, through LangGraph: `python -m bench.year`.

One run of the scenario `saas` with seed 7 for 52 weeks, in its own workspace, with its report, as in `mabos simulate
saas --weeks 52`.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measured import Line, exactly, timed
from bench.printed import printed
from mabos.graphs.simulate import simulate

WEEKS, MOST_S = 52, 20.0


def lines(scale: int) -> Iterator[Line]:
    """Yield the time for the year; a small run has fewer weeks."""
    weeks = max(1, WEEKS // scale)
    with tempfile.TemporaryDirectory() as folder:
        spent = timed(lambda _: simulate("saas", out=Path(folder), weeks=weeks, seed=7), 1)
    name = f"nine agents, {weeks} weeks, with the report"
    note = f"processor {spent.worked / 1000:.1f} s"
    yield Line(name, exactly(spent.median / 1000), most=MOST_S, unit="s", note=note)


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
