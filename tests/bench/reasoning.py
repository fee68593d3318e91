"""What reasoning costs: `python -m tests.bench.reasoning`.

The import over pydantic's, the router, each method on its example and on a large problem with little time, and
whether every answer is the same again for the same seed. Milliseconds of this machine; of the import, of its
processor.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any

from configs.errors import MabosError
from knowledge.reasoning.classification import NEUTRAL
from knowledge.reasoning.engine import Engine, Request, classified, no_premises
from knowledge.reasoning.methods import METHODS, Method, schema, solver
from tests.bench.measured import Line, Spent, timed

LITTLE = 0.05
"""Seconds a large problem gets."""
GRACE = 100.0
"""Milliseconds beyond the deadline that are kept to."""


def main() -> None:
    """Print the table."""
    print(f"{'':<52}{'limit':>12}{'median':>10}{'least':>10}")
    for line in (imports(), router()):
        print(line.told())
    problems = list(examples())
    for one, example in problems:
        spent = timed(lambda _, one=one, example=example: answer(one, example), 5)  # type: ignore[misc]
        print(Line(f"{one.name} on {example['kind']}", spent).told())
    late = [(over, name) for name, over in overruns()]
    for over, name in sorted(late, reverse=True)[:12]:
        print(Line(f"beyond the deadline: {name}", Spent(over, over), most=GRACE).told())
    print(f"deadlines kept within {GRACE:g} ms: {sum(over <= GRACE for over, _ in late)} of {len(late)} large problems")
    same = sum(answer(*problem) == answer(*problem) for problem in problems)
    print(f"the same answer for the same seed: {same} of {len(problems)} methods and examples")


def imports() -> Line:
    """Return what importing the engine costs beyond pydantic and its first model, each in a Python of its own."""

    def seconds(statement: str) -> float:
        code = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    pydantic = "import pydantic; pydantic.create_model('One', name=(str, ...))"
    pairs = [(seconds("import knowledge.reasoning.engine"), seconds(pydantic)) for _ in range(9)]
    ours, theirs = zip(*pairs, strict=True)
    over = Spent(1000 * (median(ours) - median(theirs)), 1000 * (min(ours) - min(theirs)))
    return Line("import of the engine over pydantic", over, most=50)


def router() -> Line:
    """Return what ranking all methods costs."""
    return Line(f"the router over {len(METHODS)} methods", timed(lambda _: classified(NEUTRAL), 300), most=1)


def examples() -> Iterator[tuple[Method, dict[str, Any]]]:
    """Yield each method with the example of each kind it can answer."""
    for one in METHODS:
        for kind in one.kinds:
            typed = schema(kind)
            if not solver(one).misfit(typed.of(typed.example)):
                yield one, dict(typed.example)


def answer(one: Method, problem: dict[str, Any], seconds: float | None = None) -> str:
    """Return what a method answers as text, its cost left out; a refusal is an answer."""
    try:
        result = Engine(no_premises).reason(Request(problem, method=one.name, seconds=seconds, seed=7)).result
    except MabosError as refusal:
        return refusal.message
    return json.dumps({**result.as_json(), "cost_ms": 0})


def overruns() -> Iterator[tuple[str, float]]:
    """Yield how far each method runs beyond its deadline on examples grown a thousandfold, reading them left out."""
    for one, example in examples():
        for field, problem in grown(example):
            try:
                start = perf_counter()
                schema(example["kind"]).of(problem)
                reading = perf_counter() - start
            except MabosError:
                continue
            start = perf_counter()
            answer(one, problem, LITTLE)
            yield f"{one.name}, {field}", 1000 * (perf_counter() - start - reading - LITTLE)


def grown(example: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the example with one of its lists or mappings a thousand times as long; no name is listed twice."""
    for field, value in example.items():
        if isinstance(value, list | tuple) and value and not isinstance(value[0], str):
            yield field, {**example, field: list(value) * 1000}
        if isinstance(value, dict) and value:
            last: Any = list(value.values())[-1]
            yield field, {**example, field: {**value, **{f"more {number}": last for number in range(1000)}}}


if __name__ == "__main__":
    main()
