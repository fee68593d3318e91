"""Conditions on variables with few values, as nested lists, made into circuits.

A term becomes its possible values, each with the condition under which it has it; so sums, counts and comparisons of
anything need no more than tables of values.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels.circuit import YES, Circuit, Node

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


def check(said: object, variables: frozenset[str], values: frozenset[Value], *, depth: int = 0) -> None:
    """Raise `InvalidArgument` where a condition or term is not understood, saying which part."""
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
                check(part, variables, values, depth=depth + 1)
        case _:
            msg = f"{str(said)[:80]} is no condition; an operator with its parts is: {', '.join(_PLACES)}"
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
        """Return that no two terms have the same value."""
        tables = [self._term(one) for one in terms]
        shared = dict.fromkeys(value for table in tables for value in table)
        each = [[table[value] for table in tables if value in table] for value in shared]
        return self.circuit.all(self.circuit.between(nodes, 0, 1) for nodes in each)

    def node(self, said: Any) -> Node:  # noqa: PLR0911  # one return for each form of a condition
        """Return a condition as a node. Raises `InvalidArgument` where a number is wanted and there is a word."""
        self._budget.check()
        circuit = self.circuit
        match said:
            case ["and", *parts]:
                return circuit.all([self.node(one) for one in parts])
            case ["or", *parts]:
                return circuit.any([self.node(one) for one in parts])
            case ["not", part]:
                return circuit.negated(self.node(part))
            case ["implies", left, right]:
                return circuit.any([circuit.negated(self.node(left)), self.node(right)])
            case ["iff" | "xor" as op, left, right]:
                one, other = self.node(left), self.node(right)
                alike = [circuit.all([one, other]), circuit.all([circuit.negated(one), circuit.negated(other)])]
                return circuit.any(alike) if op == "iff" else circuit.negated(circuit.any(alike))
            case ["all_different", *terms]:
                return self.different(terms)
            case [str(op), left, right] if op in _COMPARISONS:
                table = self._combined(op, _COMPARISONS[op], self._term(left), self._term(right))
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
                return self._combined("abs", lambda one, _: abs(one), self._term(part), {0: YES})
            case [str(op), first, *rest] if op in _ARITHMETIC:
                table = self._term(first)
                for one in rest:
                    table = self._combined(op, _ARITHMETIC[op], table, self._term(one))
                return table
            case list():
                holds = self.node(said)
                return {True: holds, False: self.circuit.negated(holds)}
        return {said: YES}

    def _combined(
        self, op: str, combine: Callable[[Any, Any], Any], left: Mapping[Value, Node], right: Mapping[Value, Node]
    ) -> dict[Value, Node]:
        """Return the values of an operation, each with when it comes out; a division by nothing has none."""
        at_most(len(left) * len(right), MOST_PAIRS, f"pairs of values in {op!r}", argument="constraints")
        ways: dict[Value, list[Node]] = {}
        for one, when in left.items():
            for other, too in right.items():
                if op not in ("==", "!=") and (isinstance(one, str) or isinstance(other, str)):
                    msg = f"{op!r} is for numbers, and here are {one!r} and {other!r}; give ordered words their numbers"
                    raise InvalidArgument(msg, argument="constraints")
                if op in ("//", "%") and other == 0:
                    continue
                ways.setdefault(combine(one, other), []).append(self.circuit.all([when, too]))
        return {value: self.circuit.any(nodes) for value, nodes in ways.items()}
