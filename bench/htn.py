"""Steps per second of the hierarchical planner, compared with GTPyhop: `python -m bench.htn`.

Both get the same tasks with the same methods in the same order. GTPyhop is installed in its own environment, and runs
with both of its backtracking strategies (its greedy one finds no plan where there are dead ends). Ours is compiled
before the clock starts, as GTPyhop's domain is declared before; "at first" includes that, once. A task is one taken
from the agenda: a step or a refinement, successful or not. Times are CPU time, the minimum of several alternating runs,
with the garbage collector off in both, as in `timeit`.
"""

import gc
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

from bench.environments import environment
from bench.htn_domains import dead_ends, transport, tree
from bench.measured import Line, exactly, missing
from bench.printed import printed
from mabos.mind.htn import PlanningProblem, plan
from mabos.mind.htn.search import Planner

PEER = "gtpyhop==2.0.2"
STRATEGIES = ("iterative_dfs_backtracking", "recursive_dfs")
TIMES, TURNS = 20, 3
LIMIT = 10.0
PROBLEMS: dict[str, Callable[[], PlanningProblem]] = {
    "tree, 64 leaves": lambda: tree(64),
    "tree, 512 leaves": lambda: tree(512),
    "tree, 2000 leaves": lambda: tree(2000),
    "200 dead ends": lambda: dead_ends(200),
    "50 parcels": lambda: transport(50, 10),
}


def ours() -> dict[str, tuple[float, float, int]]:
    """Return for each problem the minimum time, the first time, and the number of tasks taken from the agenda."""
    found = {}
    gc.disable()
    for name, made in PROBLEMS.items():
        problem = made()
        start = process_time()
        plan(problem)
        first = process_time() - start
        planner, spent = Planner(problem), []
        for _ in range(TIMES + 1):
            start = process_time()
            tasks = planner.plan().expanded
            spent.append(process_time() - start)
        found[name] = min(spent), first, tasks
        gc.collect()
    return found


def theirs(python: Path, strategy: str) -> dict[str, float]:
    """Return for each problem the minimum time of GTPyhop with a strategy."""
    script = Path(__file__).with_name("htn_gtpyhop.py")
    run = subprocess.run([python, script, strategy, str(TIMES)], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return {row["name"]: min(row["seconds"]) for row in rows if row["steps"]}


def least(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    """Return the smaller of two times for each problem."""
    return {name: min(time, one.get(name, time)) for name, time in other.items()}


def lines(scale: int) -> Iterator[Line]:
    """Yield the speedup over GTPyhop on each problem, and the cost of solving it once."""
    best: dict[str, tuple[float, float, int]] = {}
    peers: dict[str, dict[str, float]] = {strategy: {} for strategy in STRATEGIES}
    python = environment(PEER, make=scale == 1)
    for _ in range(TURNS if scale == 1 else 1):
        for name, (time, first, tasks) in ours().items():
            before = best.get(name, (time, first, tasks))
            best[name] = min(time, before[0]), min(first, before[1]), tasks
        if python is not None:
            for strategy in STRATEGIES:
                peers[strategy] = least(peers[strategy], theirs(python, strategy))
    if python is None:
        yield missing("tasks a second", PEER)
    for name, (time, first, tasks) in best.items():
        for strategy in STRATEGIES if python else ():
            yield beside(name, time, tasks, strategy, peers[strategy][name])
        yield Line(f"{name}: made once, making ready counted", exactly(first * 1e3))


def beside(problem: str, time: float, tasks: int, strategy: str, other: float) -> Line:
    """Return our speedup on a problem over GTPyhop with a strategy; the limit is for the iterative one."""
    least = LIMIT if strategy == STRATEGIES[0] else None
    note = f"{tasks / time:,.0f} of ours; {time * 1e3:.2f} and {other * 1e3:.2f} ms"
    return Line(
        f"{problem}: tasks a second",
        exactly(other / time),
        least=least,
        unit="x",
        beside=f"{PEER}, {strategy}",
        note=note,
    )


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
