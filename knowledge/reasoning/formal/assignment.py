"""Values for variables under constraints, as in ordering puzzles and schedules.

Conditions are nested lists, compiled to circuits: a term becomes its possible values, each with its condition, so that
sums, counts and comparisons only need tables of values.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.kernels.circuit import YES, Circuit, Node
from mabos.knowledge.reasoning.problem import Name, Names, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

Value: TypeAlias = bool | int | float | str
DEEPEST, MOST_PAIRS = 40, 50_000
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
}  # fmt: skip
_PLACES: Mapping[str, tuple[int, int]] = {
    "and": (0, 1_000), "or": (0, 1_000), "not": (1, 1), "implies": (2, 2), "iff": (2, 2), "xor": (2, 2),
    **dict.fromkeys(_COMPARISONS, (2, 2)), "all_different": (2, 400), "count": (0, 1_000), "abs": (1, 1),
    "value": (1, 1), "+": (2, 400), "*": (2, 400), "-": (2, 2), "//": (2, 2), "%": (2, 2),
}  # fmt: skip


def check_condition(said: object, variables: frozenset[str], values: frozenset[Value], *, depth: int = 0) -> None:
    """Raise `InvalidArgument` for an invalid condition or term, with the faulty part."""
    if depth > DEEPEST:
        raise InvalidArgument(f"a condition is nested at most {DEEPEST} levels deep", argument="constraints")
    match said:
        case bool() | int() | float():
            return
        case str():
            if said not in variables and said not in values:
                raise InvalidArgument(f"{said!r} is neither a variable nor a value of one", argument="constraints")
        case ["value", bool() | int() | float() | str()]:
            return
        case [str(op), *parts] if op in _PLACES and _PLACES[op][0] <= len(parts) <= _PLACES[op][1]:
            for part in parts:
                check_condition(part, variables, values, depth=depth + 1)
        case _:
            msg = f"{str(said)[:80]} is not a condition; operators with their parts: {', '.join(_PLACES)}"
            raise InvalidArgument(msg, argument="constraints")


class Conditions:
    """The circuit of a problem's variables, and conditions on them as its nodes."""

    def __init__(self, variables: Mapping[str, Sequence[Value]], budget: Budget) -> None:
        self.circuit = Circuit[tuple[str, Value]]()
        self._budget = budget
        self.values: dict[str, dict[Value, Node]] = {}
        for name, domain in variables.items():
            self.values[name] = {value: self.circuit.atom((name, value)) for value in dict.fromkeys(domain)}
            self.circuit.groups.append(tuple(self.values[name].values()))

    def different(self, terms: Sequence[Any]) -> Node:
        """Return the condition that no two terms have the same value."""
        tables = [self._term(one) for one in terms]
        shared = dict.fromkeys(value for table in tables for value in table)
        each = [[table[value] for table in tables if value in table] for value in shared]
        return self.circuit.all(self.circuit.between(nodes, 0, 1) for nodes in each)

    def node(self, said: Any) -> Node:  # noqa: PLR0911  # one return for each form of a condition
        """Return a condition as a node. Raises `InvalidArgument` for a word in place of a number."""
        self._budget.check()
        circuit = self.circuit
        match said:
            case ["and", *parts]:
                return circuit.all([self.node(one) for one in parts])
            case ["or", *parts]:
                return circuit.any([self.node(one) for one in parts])
            case ["not", part]:
                return circuit.negate_node(self.node(part))
            case ["implies", left, right]:
                return circuit.any([circuit.negate_node(self.node(left)), self.node(right)])
            case ["iff" | "xor" as op, left, right]:
                one, other = self.node(left), self.node(right)
                alike = [circuit.all([one, other]), circuit.all([circuit.negate_node(one), circuit.negate_node(other)])]
                return circuit.any(alike) if op == "iff" else circuit.negate_node(circuit.any(alike))
            case ["all_different", *terms]:
                return self.different(terms)
            case [str(op), left, right] if op in _COMPARISONS:
                table = self._combine_values(op, _COMPARISONS[op], self._term(left), self._term(right))
                return table.get(True, circuit.any(()))
        itself: Mapping[Value, Node] = {said if isinstance(said, str | bool) else str(said): YES}
        truths = self.values.get(said, itself) if isinstance(said, str) else itself
        if not all(isinstance(value, bool) for value in truths):
            msg = f"{str(said)[:60]!r} is a value where a condition should be; compare it with something"
            raise InvalidArgument(msg, argument="constraints")
        return truths.get(True, circuit.any(()))

    def _term(self, said: Any) -> dict[Value, Node]:  # noqa: PLR0911  # one return for each form of a term
        """Return the values a term may have, each with when it has it."""
        match said:
            case str() if said in self.values:
                return self.values[said]
            case ["value", value]:
                return {value: YES}
            case ["count", *parts]:
                nodes = [self.node(one) for one in parts]
                return {number: self.circuit.between(nodes, number, number) for number in range(len(nodes) + 1)}
            case ["abs", part]:
                return self._combine_values("abs", lambda one, _: abs(one), self._term(part), {0: YES})
            case [str(op), first, *rest] if op in _ARITHMETIC:
                table = self._term(first)
                for one in rest:
                    table = self._combine_values(op, _ARITHMETIC[op], table, self._term(one))
                return table
            case list():
                holds = self.node(said)
                return {True: holds, False: self.circuit.negate_node(holds)}
        return {said: YES}

    def _combine_values(
        self, op: str, combine: Callable[[Any, Any], Any], left: Mapping[Value, Node], right: Mapping[Value, Node]
    ) -> dict[Value, Node]:
        """Return the values of an operation, each with when it comes out; a division by nothing has none."""
        at_most(len(left) * len(right), MOST_PAIRS, f"pairs of values in {op!r}", argument="constraints")
        ways: dict[Value, list[Node]] = {}
        for one, when in left.items():
            for other, too in right.items():
                if op not in ("==", "!=") and (isinstance(one, str) or isinstance(other, str)):
                    msg = f"{op!r} needs numbers, and here are {one!r} and {other!r}; give ordered words their numbers"
                    raise InvalidArgument(msg, argument="constraints")
                if op in ("//", "%") and other == 0:
                    continue
                ways.setdefault(combine(one, other), []).append(self.circuit.all([when, too]))
        return {value: self.circuit.any(nodes) for value, nodes in ways.items()}


Domain = Annotated[tuple[bool | int | float | Name, ...], Field(min_length=1, max_length=200)]


class Constraint(ProblemPart):
    """A condition with its citation id."""

    id: str = ""
    says: Any


def _wrap_condition(told: object) -> object:
    return told if isinstance(told, dict) else {"says": told}


class Assignment(ReasoningProblem):
    """Variables with their possible values, and conditions on them.

    A condition is a list, its operator first: `["<", "robin", "owl"]`, `["==", "a", ["+", "b", 1]]`, `["or", c, d]`,
    `["==", ["count", c, d, e], 2]`. A word is a variable if it names one, else a value. Each of `options` must, could
    or cannot be true; `ask` selects which of these is wanted.
    """

    kind: Literal["assignment"] = "assignment"
    variables: Annotated[Mapping[Name, Domain], Field(min_length=1, max_length=400)]
    all_different: Annotated[tuple[Names, ...], Field(max_length=200)] = ()
    constraints: Annotated[
        tuple[Annotated[Constraint, BeforeValidator(_wrap_condition)], ...], Field(max_length=1_000)
    ] = ()
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
                raise ValueError(f"all_different {number} names {strange!r}, which is not a variable")
        values = frozenset[Value]().union(*self.variables.values())
        for where, said in [*self.labelled, *self.options.items()]:
            try:
                check_condition(said, frozenset(self.variables), values)
            except InvalidArgument as error:
                raise ValueError(f"{where}: {error.message}") from None
        if self.ask is not None and not self.options:
            raise ValueError(f"ask {self.ask!r} is about options, but there are none")
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
    """A solution, the values `fixed` in all solutions, and those possible in some.

    For each option, whether it must, could or cannot be true, and in `chosen` the wanted ones. If the constraints are
    unsatisfiable, `conflict` is a minimal unsatisfiable subset.
    """

    solution: dict[str, Value] | None
    fixed: dict[str, Value] = field(default_factory=dict)
    possible: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    options: dict[str, Standing] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()


def estimate(problem: Assignment) -> float:
    """Return about how many milliseconds this takes."""
    values = sum(map(len, problem.variables.values()))
    return 4.0 + 0.1 * values * (1 + len(problem.all_different)) + 0.5 * len(problem.constraints) + len(problem.options)


def solve(problem: Assignment, budget: Budget) -> MethodResult[Assigned]:
    """Return the values that the constraints fix, leave open and exclude."""
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
