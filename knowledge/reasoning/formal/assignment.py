"""Values for variables under constraints, as in puzzles of order and of schedules.

What is fixed and possible, and which option must or could be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.kernels.circuit import Node
from mabos.knowledge.reasoning.kernels.conditions import Conditions, Value, check
from mabos.knowledge.reasoning.problem import Name, Names, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

Domain = Annotated[tuple[bool | int | float | Name, ...], Field(min_length=1, max_length=200)]


class Constraint(ProblemPart):
    """A condition with the id under which a result cites it."""

    id: str = ""
    says: Any


def _labelled(told: object) -> object:
    return told if isinstance(told, dict) else {"says": told}


class Assignment(ReasoningProblem):
    """Variables with the values each may have, and conditions on them.

    A condition is a list, its operator first: `["<", "robin", "owl"]`, `["==", "a", ["+", "b", 1]]`, `["or", c, d]`,
    `["==", ["count", c, d, e], 2]`. A word is a variable if one is called so, else a value. With `options`, each is
    judged: it must, could or cannot be true; `ask` says which is looked for.
    """

    kind: Literal["assignment"] = "assignment"
    variables: Annotated[Mapping[Name, Domain], Field(min_length=1, max_length=400)]
    all_different: Annotated[tuple[Names, ...], Field(max_length=200)] = ()
    constraints: Annotated[tuple[Annotated[Constraint, BeforeValidator(_labelled)], ...], Field(max_length=1_000)] = ()
    options: Annotated[Mapping[Name, Any], Field(max_length=50)] = {}
    ask: Literal["must", "could", "cannot", "need_not"] | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "assignment",
        "variables": {"robin": [1, 2, 3], "owl": [1, 2, 3], "crow": [1, 2, 3]},
        "all_different": [["robin", "owl", "crow"]],
        "constraints": [["<", "robin", "owl"], {"id": "B-2", "says": ["==", "owl", 2]}],
        "options": {"A": ["==", "crow", 3], "B": ["==", "robin", 3]},
        "ask": "must",
    }

    @model_validator(mode="after")
    def _conditions_are_understood(self) -> Self:
        for number, group in enumerate(self.all_different, 1):
            if (strange := next((name for name in group if name not in self.variables), None)) is not None:
                raise ValueError(f"all_different {number} names {strange!r}, which is no variable")
        values = frozenset[Value]().union(*self.variables.values())
        for where, said in [*self.labelled, *self.options.items()]:
            try:
                check(said, frozenset(self.variables), values)
            except InvalidArgument as error:
                raise ValueError(f"{where}: {error.message}") from None
        if self.ask is not None and not self.options:
            raise ValueError(f"ask {self.ask!r} is about options, and there are none")
        return self

    @property
    def labelled(self) -> list[tuple[str, Any]]:
        """The label and condition of each constraint; one without an id is called by its number."""
        return [(one.id or f"#{number}", one.says) for number, one in enumerate(self.constraints, 1)]


MOST_VALUES = 10_000
"""Values of all variables together."""
Standing = Literal["must", "could", "cannot"]


@dataclass(frozen=True, slots=True)
class Assigned:
    """One way to meet the constraints, the values that are `fixed` in all ways and those that are possible in some.

    Of each option whether it must, could or cannot be true, and in `chosen` those that are what was asked for.
    Where nothing meets the constraints, `conflict` names some that cannot be met together, none of them to spare.
    """

    solution: dict[str, Value] | None
    fixed: dict[str, Value] = field(default_factory=dict)
    possible: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    options: dict[str, Standing] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()


def estimate(problem: Assignment) -> float:
    """Return the milliseconds this takes about."""
    values = sum(map(len, problem.variables.values()))
    return 4.0 + 0.1 * values * (1 + len(problem.all_different)) + 0.5 * len(problem.constraints) + len(problem.options)


def solve(problem: Assignment, budget: Budget) -> MethodResult[Assigned]:
    """Return what the constraints fix, leave open and exclude."""
    at_most(sum(map(len, problem.variables.values())), MOST_VALUES, "values of variables", argument="variables")
    conditions = Conditions(problem.variables, budget)
    roots = {label: conditions.node(said) for label, said in problem.labelled}
    roots |= {f"all_different {n}": conditions.different(group) for n, group in enumerate(problem.all_different, 1)}
    found = conditions.circuit.satisfied(roots.values(), budget)
    if found is None:
        return _infeasible(conditions, roots, budget)
    options = {name: conditions.node(said) for name, said in problem.options.items()}
    watched = {*options.values(), *(node for table in conditions.values.values() for node in table.values())}
    sure = conditions.circuit.consequences(roots.values(), watched, "cautious", budget) or frozenset()
    able = conditions.circuit.consequences(roots.values(), watched, "brave", budget) or frozenset()
    standing: dict[str, Standing] = {
        name: "must" if node in sure else "could" if node in able else "cannot" for name, node in options.items()
    }
    wanted = {"must": {"must"}, "could": {"must", "could"}, "cannot": {"cannot"}, "need_not": {"could", "cannot"}}
    chosen = tuple(name for name, one in standing.items() if one in wanted.get(problem.ask or "", ()))
    answer = Assigned(
        dict(sorted(found, key=lambda one: list(problem.variables).index(one[0]))),
        {name: value for name, table in conditions.values.items() for value, node in table.items() if node in sure},
        {
            name: tuple(value for value, node in table.items() if node in able)
            for name, table in conditions.values.items()
        },
        standing,
        chosen,
    )
    return _result(problem, answer)


def _result(problem: Assignment, answer: Assigned) -> MethodResult[Assigned]:
    status: Status = "computed" if problem.ask is None else "proved" if len(answer.chosen) == 1 else "unknown"
    trace = [TraceStep(f"{name} is {value} in every way", "fixed") for name, value in answer.fixed.items()]
    trace += [TraceStep(f"{name} {one} be true", "all ways") for name, one in answer.options.items()]
    claims = [AnswerClaim(name, "value", value) for name, value in answer.fixed.items()]
    claims += [AnswerClaim(problem.ask or "", "option", answer.chosen[0])] if status == "proved" else []
    asked = f"what {problem.ask} be true: {', '.join(answer.chosen) or 'no option'}" if problem.ask else ""
    free = len(problem.variables) - len(answer.fixed)
    return MethodResult(
        status,
        answer,
        asked or (f"{free} of {len(problem.variables)} variables are open" if free else "there is exactly one way"),
        claims=tuple(claims),
        confidence=1.0 if status == "proved" else None,
        confidence_kind="proof",
        evidence=tuple(one.id for one in problem.constraints if one.id),
        trace=tuple(trace),
        witness={"solution": answer.solution},
    )


def _infeasible(conditions: Conditions, roots: Mapping[str, Node], budget: Budget) -> MethodResult[Assigned]:
    """Return that nothing meets the constraints, and some that already contradict each other."""
    kept, assumptions = dict(roots), tuple[str, ...]()
    try:
        for label in roots:
            rest = [node for other, node in kept.items() if other != label]
            if conditions.circuit.satisfied(rest, budget) is None:
                del kept[label]
    except OutOfTime:
        assumptions = ("the time did not reach to find the smallest conflict",)
    conflict = tuple(kept)
    return MethodResult(
        "infeasible",
        Assigned(None, conflict=conflict),
        f"these cannot be met together: {', '.join(conflict)}",
        confidence=1.0,
        confidence_kind="proof",
        evidence=tuple(label for label in conflict if not label.startswith(("#", "all_different "))),
        trace=tuple(TraceStep(f"without {label} the others can be met", "conflict") for label in conflict),
        witness={"conflict": list(conflict)},
        assumptions=assumptions,
    )
