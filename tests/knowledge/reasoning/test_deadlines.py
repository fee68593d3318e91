"""Every method stops soon after its deadline, whatever part of its problem is large; time goes by lines of code."""

from collections.abc import Iterator
from typing import Any

import pytest

from bench.enlarged import SIZES, enlarged
from mabos.configs.errors import InvalidArgument, MabosError
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.methods import METHODS, ReasoningMethod, method, schema, solver
from mabos.knowledge.reasoning.premises import LARGEST
from tests.knowledge.reasoning.asking import ask
from tests.knowledge.reasoning.lines import Lines, Overrun

DEADLINE, GRACE = 20_000, 250_000
"""Lines a method has, and lines it may run beyond them: some ten milliseconds, where a lost look at the clock costs
millions."""
Problem = dict[str, Any]


def grown(one: ReasoningMethod, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield forms of an example that pass its schema and fit the method, each with a thousand where that may be."""
    for what, made in enlarged(dict(schema(kind).example)):
        for size in SIZES[1:]:
            try:
                problem = schema(kind).of(made(size))
            except MabosError:
                continue
            if not solver(one).misfit(problem):
                yield what, problem
                break


def lines_of(one: ReasoningMethod, problem: Any) -> int:
    """Return how many lines a method runs where its deadline comes after `DEADLINE`."""
    clock = Lines(DEADLINE + GRACE)
    try:
        with clock:
            solver(one).solve(problem, Budget(DEADLINE, monotonic=clock))
    except (OutOfTime, InvalidArgument, Overrun):
        pass
    return clock.count


@pytest.mark.slow
@pytest.mark.parametrize(("one", "kind"), [(one, kind) for one in METHODS for kind in one.kinds])
def test_a_method_stops_soon_after_its_deadline_whatever_is_large(one: ReasoningMethod, kind: str) -> None:
    late = [what for what, problem in grown(one, kind) if lines_of(one, problem) > DEADLINE + GRACE]
    assert late == []


def numbered(count: int, name: str = "n") -> list[str]:
    return [f"{name}{number}" for number in range(count)]


LARGE: dict[str, tuple[str, Problem]] = {
    "acts that none dominates": (
        "decision-theory",
        {"kind": "decision", "payoffs": {f"a{n}": {"s": n, "t": -n} for n in range(3000)}},
    ),
    "options scaled by a criterion": (
        "expected-utility",
        {"kind": "choice", "options": {f"o{n}": {"c": n} for n in range(30_000)}, "criteria": {"c": {"weight": 1}}},
    ),
    "options told apart by cues": (
        "heuristic",
        {"kind": "choice", "options": {f"o{n}": {"c": 1} for n in range(30_000)}, "criteria": {"c": {"weight": 1}}},
    ),
    "opinions left out one by one": (
        "weighted-ensemble",
        {"kind": "opinions", "opinions": {f"o{n}": {"distribution": {"x": 0.4, "y": 0.6}} for n in range(3000)}},
    ),
    "questions": (
        "info-theory",
        {
            "kind": "questions",
            "prior": {"h": 0.5, "i": 0.5},
            "questions": {
                f"q{n}": {"answers": {"x": {"h": 0.9, "i": 0.1}, "y": {"h": 0.1, "i": 0.9}}} for n in range(10_000)
            },
        },
    ),
    "a chain of nodes": (
        "bayesian",
        {
            "kind": "network",
            "nodes": {"n0": {"table": [0.5]}}
            | {f"n{n + 1}": {"parents": [f"n{n}"], "table": [0.1, 0.9]} for n in range(3000)},
        },
    ),
    "a star of latent variables": (
        "causal",
        {
            "kind": "causal_graph",
            "arrows": [["u", f"x{n}"] for n in range(480)],
            "latent": ["u"],
            "treatment": "x1",
            "outcome": "x2",
        },
    ),
    "ballots of many candidates": (
        "social-choice",
        {
            "kind": "ballots",
            "candidates": numbered(60),
            "rankings": [{"order": numbered(60)[n:] + numbered(60)[:n]} for n in range(60)] * 5,
        },
    ),
    "approvals": (
        "social-choice",
        {
            "kind": "committee",
            "candidates": numbered(60),
            "ballots": [{"approved": numbered(60)[n : n + 30]} for n in range(40)] * 25,
            "seats": 20,
        },
    ),
    "terms that almost repeat": ("analogical", {"kind": "sequence", "terms": [*[0, 1] * 1000, 5]}),
    "rows that join to nothing": (
        "deductive",
        {
            "kind": "horn",
            "facts": [["p", f"a{n}", "x"] for n in range(1500)] + [["q", "x", f"b{n}"] for n in range(1500)],
            "rules": [
                {"if": [["p", "?a", "?x"], ["q", "?x", "?b"], {"compare": ["?a", "==", "?b"]}], "then": ["s", "?a"]}
            ],
            "goal": ["s", "a1"],
        },
    ),
    "outcomes": (
        "learning-to-reason",
        {"kind": "outcomes", "outcomes": [{"method": f"m{n % 7}", "right": True} for n in range(100_000)]},
    ),
}
"""Problems of which one part is large, where all the time goes."""


@pytest.mark.parametrize("large", LARGE)
def test_the_loop_over_what_is_large_looks_at_the_clock(large: str) -> None:
    name, problem = LARGE[large]
    assert lines_of(method(name), schema(problem["kind"]).of(problem)) <= DEADLINE + GRACE


def test_what_can_be_said_by_the_deadline_is_said() -> None:
    def late(large: str) -> Any:
        name, problem = LARGE[large]
        clock = Lines(10_000_000)
        with clock:
            return solver(method(name)).solve(schema(problem["kind"]).of(problem), Budget(1_000_000, monotonic=clock))

    acts = late("acts that none dominates")
    assert (acts.status, acts.answer.choice) == ("timeout", "a1499")
    pooled = late("opinions left out one by one")
    assert (pooled.status, pooled.answer.distribution["x"]) == ("timeout", pytest.approx(0.4))


def test_what_is_over_what_is_over_it_is_suggested_in_short_and_refused_where_it_is_too_high() -> None:
    def tower(levels: int) -> Problem:
        base = [{"id": "s0", "relation": "near", "of": ["x"]}, {"id": "known", "relation": "warm", "of": ["x"]}]
        base += [{"id": f"s{n}", "relation": "causes", "of": [f"s{n - 1}"] * 6} for n in range(1, levels)]
        return {"kind": "analogy", "base": base, "target": [{"id": "t", "relation": "warm", "of": ["y"]}]}

    (suggested,) = ask("analogical", tower(12)).answer.suggests
    assert "causes(...)" in suggested
    assert len(suggested) < 1_100
    with pytest.raises(InvalidArgument, match="levels of statements over statements"):
        ask("analogical", tower(13))


def test_reading_a_problem_counts_as_time_spent() -> None:
    assert Budget(1.0, spent=0.75, monotonic=lambda: 5.0).left == 0.25
    assert Budget(1.0, spent=2.0, monotonic=lambda: 5.0).is_spent
    result = ask("monte-carlo", {"kind": "network", "nodes": {"a": {"table": [0.5]}}}, seconds=60)
    assert result.cost_ms > 0


def test_a_problem_of_too_many_values_is_refused_before_it_is_read() -> None:
    endless: list[Any] = []
    endless += [endless] * 50
    for values in ([[0] * 1000] * (LARGEST // 1000 + 1), endless):
        with pytest.raises(InvalidArgument, match=r"4,000,000 this method takes"):
            Engine(no_premises).reason(ReasoningRequest({"kind": "series", "values": values}, "pattern-recognition"))


@pytest.mark.parametrize("every", [1, 3])
def test_a_loop_over_each_thing_looks_at_the_clock_as_often_as_it_says(every: int) -> None:
    looks = iter(range(1000))
    budget = Budget(10.5, monotonic=lambda: float(next(looks)))
    seen: list[int] = []
    with pytest.raises(OutOfTime):
        seen.extend(budget.each(range(1000), every=every))
    assert len(seen) == 10 * every + every - 1


def test_a_part_of_a_budget_is_a_share_of_the_time_left_on_the_same_clock() -> None:
    now = [0.0]
    budget = Budget(10.0, seed=3, monotonic=lambda: now[0])
    now[0] = 5.0
    part = budget.part(0.8)
    assert (part.left, part.seed) == (4.0, 3)
    assert Budget().part(0.5).left is None
