"""Every kind of problem under attack: its example with names of quotes, newlines and code, with numbers that are none,
with parts doubled, dropped or made to refer to themselves. A clear refusal or an answer in JSON, and nothing else."""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.methods import kinds, schema, solver, taking

PWNED = "MABOS_PWNED"
CODE = f"__import__('os').environ.__setitem__('{PWNED}', '1')"
NAMES = (
    'x"). :- true. %\n{0.__class__}',
    CODE,
)
Payload = dict[str, Any]


def strings(value: Any) -> Iterator[str]:
    """Yield the words of a problem: names and what is written about them."""
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                yield key
                yield from strings(inner)
        case list() | tuple():
            for inner in value:
                yield from strings(inner)


def changed(value: Any, how: Callable[[Any], Any]) -> Any:
    """Return a problem with every leaf, and every name of a part, changed."""
    match value:
        case dict():
            return {how(key) if isinstance(how(key), str) else key: changed(inner, how) for key, inner in value.items()}
        case list() | tuple():
            return [changed(inner, how) for inner in value]
    return how(value)


def swapped(word: str, other: str, leaf: Any) -> Any:
    return other if leaf == word else leaf


def example(kind: str) -> Payload:
    told: Payload = json.loads(json.dumps(schema(kind).example))
    return told


def renamed(kind: str, hostile: str) -> Iterator[Payload]:
    """Yield the example with one of its own words made hostile everywhere, for each word that is not of the form."""
    told = example(kind)
    fields = set(schema(kind).model_json_schema().__str__().replace("'", '"').split('"'))
    for word in sorted(set(strings(told)) - fields - {kind}):
        yield changed(told, partial(swapped, word, hostile))


def reshaped(kind: str) -> Iterator[Payload]:
    """Yield the example without a field, with another's value in it, with it doubled, emptied, nested, or circular."""
    told = example(kind)
    for field in [field for field in told if field != "kind"]:
        yield {name: value for name, value in told.items() if name != field}
        for other in told.values():
            yield {**told, field: other}
        strange: list[Any] = [None, [], CODE, {"ref": CODE}]
        yield from ({**told, field: one} for one in strange)
        if isinstance(told[field], list):
            yield {**told, field: told[field] * 2}
            yield {**told, field: told[field][:1]}
    words = sorted(set(strings(told)))
    for one in words:
        for other in words[:2]:
            yield changed(told, partial(swapped, one, other))


def survives(payload: Payload) -> None:
    """Ask every method that takes a problem, with little time; only refusals of our own may come, and plain answers."""
    for one in taking(str(payload.get("kind", ""))):
        try:
            result = Engine(no_premises).reason(ReasoningRequest(payload, method=one.name, seconds=1)).result
        except MabosError:  # a refusal of our own
            continue
        json.dumps(result.as_json(), allow_nan=False)
    assert PWNED not in os.environ


@pytest.mark.parametrize("kind", kinds())
def test_names_with_quotes_newlines_and_code_are_names_or_refused(kind: str) -> None:
    for hostile in NAMES:
        for payload in renamed(kind, hostile):
            survives({**payload, "kind": kind})


@pytest.mark.parametrize("kind", kinds())
def test_parts_that_are_missing_swapped_doubled_or_circular_are_told(kind: str) -> None:
    for payload in reshaped(kind):
        survives({**payload, "kind": kind})


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("network", ("nodes", "alarm", "parents")),
        ("causal_graph", ("latent",)),
        ("factors", ("variables", "a")),
        ("masses", ("frame",)),
        ("incident", ("components", "send reminder", "depends_on")),
        ("stock_flow", ("stocks", "temperature", "outflows")),
        ("fault_tree", ("gates", "no water", "of")),
        ("assignment", ("all_different", 0)),
        ("cases", ("cases",)),
    ],
)
def test_what_would_count_twice_is_refused_where_it_is_named_twice(kind: str, place: tuple[Any, ...]) -> None:
    problem: Any = example(kind)
    held = problem
    for step in place:
        held = held[step]
    held.append(held[0])
    with pytest.raises(InvalidArgument, match="is named twice"):
        schema(kind).of(problem)


@pytest.mark.parametrize("kind", kinds())
def test_a_problem_whose_time_is_up_before_it_begins_says_so(kind: str) -> None:
    for one in taking(kind):
        problem = schema(kind).of(example(kind))
        solve = solver(one)
        if solve.misfit(problem):
            continue
        budget = Budget(0.0)
        try:
            result = solve.solve(problem, budget)
        except OutOfTime:
            continue
        except InvalidArgument as refusal:
            pytest.fail(f"{one.name} refuses its own example: {refusal.message}")
        json.dumps(result.as_json(), allow_nan=False)
