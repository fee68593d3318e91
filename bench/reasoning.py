"""The cost of reasoning: `python -m bench.reasoning`.

It measures the import beyond pydantic's, the router, each method on its example and on large problems with little time,
and whether every answer is reproducible with the same seed. Times are wall milliseconds, and CPU time for the import.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from bench.enlarged import SIZES, enlarged
from bench.measured import Line, Spent, exactly, timed
from bench.printed import printed
from mabos.configs.errors import MabosError
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises, rank_methods
from mabos.knowledge.reasoning.methods import METHODS, ReasoningMethod, schema, solver
from mabos.knowledge.reasoning.router import NEUTRAL

LITTLE = 0.05
"""Seconds a large problem gets."""
SLOWEST = 12
GRACE = 100.0
"""Milliseconds beyond its deadline that a method may take."""
LATE_KNOWN = 7
"""The number of large problems that may be late, as reading them cannot be interrupted."""


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of the import, the router and each method, and how deadlines are kept on large problems."""
    yield imports(9 if scale == 1 else 1)
    yield router()
    problems = list(examples())[::scale]
    for one, example in problems:
        spent = timed(lambda _, one=one, example=example: answer(one, example), 5)  # type: ignore[misc]
        yield Line(f"{one.name} on {example['kind']}", spent)
    yield from within_deadlines(list(enlarged_spent(problems)))
    same = sum(answer(*problem) == answer(*problem) for problem in problems)
    told = f"the same answer for the same seed, of {len(problems)} methods and examples"
    yield Line(told, exactly(same), least=len(problems), unit="")


def within_deadlines(large: list[tuple[str, Spent, Spent]]) -> Iterator[Line]:
    """Yield how many large problems end soon after their deadline, and the slowest ones."""
    allowed = 1000 * LITTLE + GRACE
    for clock, each in (("clock", [wall for _, wall, _ in large]), ("processor", [cpu for *_, cpu in large])):
        kept, worst = sum(one.median <= allowed for one in each), max(one.median for one in each)
        yield Line(
            f"of {len(large)} large problems, within {1000 * LITTLE:g} + {GRACE:g} ms by the {clock}, reading counted",
            exactly(kept),
            least=len(large),
            unit="",
            known=len(large) - LATE_KNOWN,
            note=f"the slowest takes {worst / allowed:.2f} of that",
        )
    for name, wall, _ in sorted(large, key=lambda one: -one[1].median)[:SLOWEST]:
        yield Line(f"large: {name}", wall)


def imports(rounds: int) -> Line:
    """Return the cost of importing the engine beyond pydantic and its first model, each in a separate Python.

    Both are compiled in advance, as in an installation.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def seconds(statement: str, compiled: str) -> float:
        code = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
        command = [sys.executable, "-X", f"pycache_prefix={compiled}", "-c", code]
        return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    engine = "import mabos.knowledge.reasoning.engine"
    pydantic = "import pydantic; pydantic.create_model('One', name=(str, ...))"
    with TemporaryDirectory() as compiled:
        pairs = [(seconds(engine, compiled), seconds(pydantic, compiled)) for _ in range(1 + rounds)]
    ours, theirs = zip(*pairs[1:], strict=True)
    over = Spent(1000 * (median(ours) - median(theirs)), 1000 * (min(ours) - min(theirs)))
    return Line("import of the engine over pydantic", over, most=50)


def router() -> Line:
    """Return the cost of ranking all methods."""
    return Line(f"the router over {len(METHODS)} methods", timed(lambda _: rank_methods(NEUTRAL), 300), most=1)


def examples() -> Iterator[tuple[ReasoningMethod, dict[str, Any]]]:
    """Yield each method with an example of each kind it can solve."""
    for one in METHODS:
        for kind in one.kinds:
            typed = schema(kind)
            if not solver(one).misfit(typed.of(typed.example)):
                yield one, dict(typed.example)


def answer(one: ReasoningMethod, problem: dict[str, Any], seconds: float | None = None) -> str:
    """Return a method's answer as text, without its cost; a refusal is an answer."""
    try:
        result = Engine(no_premises).reason(ReasoningRequest(problem, method=one.name, seconds=seconds, seed=7)).result
    except MabosError as refusal:
        return refusal.message
    return json.dumps({**result.as_json(), "cost_ms": 0})


def enlarged_spent(problems: Sequence[tuple[ReasoningMethod, dict[str, Any]]]) -> Iterator[tuple[str, Spent, Spent]]:
    """Yield each method's time on its enlarged examples, including parsing, with little time, in wall and CPU time."""
    for one, example in problems:
        for what, made in enlarged(example):
            spent = next((found for size in SIZES if (found := spent_on(one, made(size)))), None)
            if spent is not None:
                yield f"{one.name}: {what}"[:50], *spent


def spent_on(one: ReasoningMethod, problem: dict[str, Any]) -> tuple[Spent, Spent] | None:
    """Return a method's time on a problem, the median of five if one takes too long; None if it refuses."""
    request = ReasoningRequest(problem, method=one.name, seconds=LITTLE, seed=7)
    walls: list[float] = []
    cpus: list[float] = []
    while not walls or (len(walls) < 5 and walls[0] > 1000 * LITTLE + GRACE):
        wall, cpu = perf_counter(), process_time()
        try:
            Engine(no_premises).reason(request)
        except MabosError:
            return None
        walls.append(1000 * (perf_counter() - wall))
        cpus.append(1000 * (process_time() - cpu))
    return Spent(median(walls), min(walls)), Spent(median(cpus), min(cpus))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
