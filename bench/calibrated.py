"""Calibration of the confidence of learned answers: `python -m bench.calibrated`.

For tables with 20 % of the classes flipped, tables whose class no attribute predicts, and noisy series with a trend, it
measures the distance of confidence from accuracy (ECE in ten bins), the accuracy of answers at a confidence of at least
.95, and the coverage of 80 % intervals.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench.measured import Line, exactly
from bench.printed import printed
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises

ROWS, QUERIES, SERIES = 200, 60, 200
Row = dict[str, str]
Answer = tuple[float, bool, bool]
"""The confidence of an answer, whether it is right, and whether it was given or called not enough evidence."""


def lines(scale: int) -> Iterator[Line]:
    """Yield the calibration of learned answers."""
    for name, make in (("20 % noise", noisy), ("no signal", unrelated)):
        for method in ("inductive", "pattern-recognition"):
            answers = list(judged(method, make, max(10, QUERIES // scale)))
            given = [one for one in answers if one[2]]
            yield Line(
                f"{method}, {name}: ECE of {len(answers)}", exactly(round(error(answers), 3)), most=0.12, unit=""
            )
            sure = [right for confidence, right, _ in given if confidence >= 0.95]
            yield Line(
                f"{method}, {name}: right of {len(sure)} at .95 and more",
                exactly(sum(sure)),
                least=0.85 * len(sure),
                unit="",
            )
            yield Line(f"{method}, {name}: answers given of {len(answers)}", exactly(len(given)), unit="")
    for what, kind in (("a trend with noise", "trend"), ("a random walk", "walk"), ("a season with noise", "season")):
        held = coverage(kind, max(20, SERIES // scale))
        yield Line(f"forecasts of {what} in their 80 % interval", exactly(round(100 * held, 1)), least=72, unit="%")


def noisy(draw: random.Random) -> Row:
    """Return a row whose class follows two of four attributes, and is flipped one time in five."""
    row = {name: draw.choice("xyz") for name in ("a", "b", "c", "d")}
    told = (row["a"] == "x") != (row["b"] == "y")
    return {**row, "class": str(told != (draw.random() < 0.2))}


def unrelated(draw: random.Random) -> Row:
    """Return a row with an unpredictable class."""
    return {**{name: draw.choice("xyz") for name in ("a", "b", "c", "d")}, "class": draw.choice(("p", "q", "r"))}


def judged(method: str, make: Callable[[random.Random], Row], count: int) -> Iterator[Answer]:
    """Yield a method's answers on unseen rows."""
    draw = random.Random(7)
    for _ in range(count):
        rows, (*_, query) = [make(draw) for _ in range(ROWS)], [make(draw)]
        truth = query.pop("class")
        result = solved(method, {"kind": "table", "target": "class", "rows": rows, "query": query})
        answer = result.answer.value
        yield float(result.confidence), answer == truth, result.status != "unknown"


def solved(method: str, problem: dict[str, Any]) -> Any:
    """Return a method's result."""
    return Engine(no_premises).reason(ReasoningRequest(problem, method=method)).result


def error(answers: Sequence[Answer]) -> float:
    """Return the expected calibration error in ten bins of equal width."""
    bins: dict[int, list[Answer]] = {}
    for one in answers:
        bins.setdefault(min(9, int(10 * one[0])), []).append(one)
    gaps = (abs(sum(c - right for c, right, _ in one)) for one in bins.values())
    return sum(gaps) / len(answers)


def coverage(kind: str, count: int) -> float:
    """Return the share of next values within the interval of the forecast."""
    draw, held = random.Random(11), 0
    for _ in range(count):
        values = series(kind, draw, 25)
        problem = {"kind": "series", "values": values[:-1], "horizon": 1, **({"period": 4} if kind == "season" else {})}
        ahead = solved("pattern-recognition", problem).answer.forecast
        held += ahead.low <= values[-1] <= ahead.high
    return held / count


def series(kind: str, draw: random.Random, length: int) -> list[float]:
    """Return a series of a kind with noise."""
    if kind == "walk":
        values = [100.0]
        while len(values) < length:
            values.append(values[-1] + draw.gauss(0, 3))
        return values
    wave = (0.0, 12.0, -9.0, 5.0) if kind == "season" else (0.0,) * 4
    return [100 + 1.5 * place + wave[place % 4] + draw.gauss(0, 4) for place in range(length)]


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
