"""The router judged: over textbook instances of all kinds, whether it takes the method that fits, and of several one
whose answer is as good as the best at no more than its cost.

`routing_set.jsonl` holds problems of the other tests, at least one of each kind together with the examples. What is
good is known: the class of a row left out, the worth of an act or option, a posterior beside the exact one, and else
whether the question was decided at all. Costs below a millisecond are equal to the router, and are so here.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises, rank_methods
from mabos.knowledge.reasoning.methods import METHODS, kinds, schema, solver, taking
from mabos.knowledge.reasoning.result import MethodResult
from mabos.knowledge.reasoning.router import NEUTRAL, Classification
from tests.knowledge.reasoning.test_induction_tables import SPORT, SPORT_ROWS, TENNIS, TENNIS_ROWS, lenses, words

SET = Path(__file__).parent / "routing_set.jsonl"
DECIDED = {"proved", "disproved", "computed", "estimated", "satisficed", "inconsistent", "infeasible"}
LENSES = ("age", "sight", "astigmatic", "tears", "lenses")

Instance = tuple[dict[str, Any], str]
"""A problem, and the class of its query where that is known."""


def left_out(names: tuple[str, ...], rows: list[list[Any]]) -> Iterator[Instance]:
    """Yield a problem for each row, which is asked for and known but not among the others."""
    for place, row in enumerate(rows):
        told = [dict(zip(names, other, strict=True)) for n, other in enumerate(rows) if n != place]
        query = dict(zip(names[:-1], row, strict=False))
        yield {"kind": "table", "target": names[-1], "rows": told, "query": query}, row[-1]


@cache
def instances() -> tuple[Instance, ...]:
    told: list[Instance] = [(dict(schema(kind).example), "") for kind in kinds()]
    told += [(json.loads(line), "") for line in SET.read_text().splitlines()]
    rows = [(SPORT, words(SPORT_ROWS)), (TENNIS, words(TENNIS_ROWS)), (LENSES, lenses())]
    return tuple(told + [one for names, listed in rows for one in left_out(names, listed)])


def fitting(problem: dict[str, Any]) -> dict[str, float]:
    """Return the methods that can answer a problem, and what each costs about."""
    typed = schema(problem["kind"]).of(problem)
    solvers = {one.name: solver(one) for one in taking(problem["kind"])}
    return {name: max(1.0, one.estimate(typed)) for name, one in solvers.items() if not one.misfit(typed)}


def chosen(problem: dict[str, Any], classification: Classification = NEUTRAL) -> str:
    methods, _ = Engine(no_premises).choose(ReasoningRequest(problem, classification=classification))
    return methods[0].name


@cache
def answered(text: str, name: str) -> MethodResult[Any]:
    return Engine(no_premises).reason(ReasoningRequest(json.loads(text), method=name, seconds=60)).result


def goodness(instance: Instance, name: str) -> float:
    """Return how good the answer of a method is, by what is known of this problem."""
    problem, known = instance
    result = answered(json.dumps(problem), name)
    claims = {(one.subject, one.predicate): one for one in result.claims}
    if result.status not in DECIDED:
        return float("-inf")
    match problem["kind"]:
        case "table":
            return float(bool(known) and result.claims[0].value == known)
        case "decision" if problem.get("probabilities") and not problem.get("utility"):
            payoffs: dict[str, float] = problem["payoffs"][str(result.claims[0].value)]
            shares: dict[str, float] = problem["probabilities"]
            return round(sum(payoffs[state] * share for state, share in shares.items()), 9)
        case "choice" if "expected-utility" in fitting(problem):
            ranked = answered(json.dumps(problem), "expected-utility").claims[0].value
            return float(result.claims[0].value == ranked)
        case "network":
            exact = {(one.subject, one.predicate): one for one in answered(json.dumps(problem), "bayesian").claims}
            off = [abs(share - dict(claims[key].distribution).get(value, 0.0))
                   for key, one in exact.items() for value, share in one.distribution]  # fmt: skip
            return -round(max(off, default=0.0), 6)
    return 1.0


def test_every_kind_of_problem_is_judged() -> None:
    assert {problem["kind"] for problem, _ in instances()} == set(kinds())
    assert len(instances()) > 200


@pytest.mark.parametrize("pressure", ["none", "urgent"])
@pytest.mark.parametrize("stakes", ["low", "high"])
def test_where_one_method_fits_it_is_chosen(pressure: str, stakes: str) -> None:
    as_told = Classification.model_validate({"time_pressure": pressure, "stakes": stakes})
    alone = [problem for problem, _ in instances() if len(fitting(problem)) == 1]
    right = [chosen(problem, as_told) in fitting(problem) for problem in alone]
    assert len(right) > 100
    assert sum(right) >= 0.95 * len(right)


def test_where_several_fit_the_answer_is_as_good_as_the_best_at_no_more_than_its_cost() -> None:
    several = [one for one in instances() if len(fitting(one[0])) > 1]
    worse = []
    for instance in several:
        costs = fitting(instance[0])
        good = {name: goodness(instance, name) for name in costs}
        best = min((name for name in costs if good[name] == max(good.values())), key=lambda name: costs[name])
        taken = chosen(instance[0])
        if good[taken] < good[best] or costs[taken] > costs[best]:
            worse.append((instance[0]["kind"], taken, good, costs))
    assert len(several) > 80
    assert len(worse) <= 0.05 * len(several), worse


def test_the_choice_does_not_hang_on_the_order_of_the_fields() -> None:
    random = Random(4)
    for problem, _ in instances()[:120]:
        fields = list(problem.items())
        random.shuffle(fields)
        assert chosen(dict(fields)) == chosen(problem)


def test_ranking_all_methods_takes_less_than_a_fixed_piece_of_work_of_a_millisecond() -> None:
    def spent(work: Any) -> float:
        times = []
        for _ in range(60):
            start = perf_counter()
            work()
            times.append(perf_counter() - start)
        return median(times)

    reference = spent(lambda: sum(number * number % 7 for number in range(10_000)))
    assert len(METHODS) == 35
    assert spent(lambda: rank_methods(NEUTRAL)) < reference
