"""Arithmetic written by a caller: parsed, checked against a short list of what is allowed, never evaluated as code."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from configs.errors import InvalidArgument

LONGEST = 500
"""Characters of an expression."""
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: math.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "ceil": math.ceil,
    "cos": math.cos,
    "exp": math.exp,
    "floor": math.floor,
    "log": math.log,
    "max": max,
    "min": min,
    "sin": math.sin,
    "sqrt": math.sqrt,
}
_CONSTANTS = {"pi": math.pi, "e": math.e}

Evaluate = Callable[[Mapping[str, float]], float]


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression over named numbers; a comparison is worth 1 or 0, `a if c else b` chooses.

    >>> Expression.of("price * units - 100").value({"price": 3.0, "units": 50.0})
    50.0
    """

    text: str
    names: frozenset[str]
    _evaluate: Evaluate

    @classmethod
    def of(cls, text: str, *, known: frozenset[str] | None = None, argument: str = "expression") -> "Expression":
        """Return the expression that `text` says; raises `InvalidArgument` for all but arithmetic on `known` names."""
        if len(text) > LONGEST:
            msg = f"an expression has at most {LONGEST} characters; {text[:40]!r}... has {len(text)}"
            raise InvalidArgument(msg, argument=argument)
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            msg = f"{text!r} is not arithmetic: {getattr(error, 'msg', error)}"
            raise InvalidArgument(msg, argument=argument) from None
        names: set[str] = set()
        evaluate = _compiled(tree, names, text, argument)
        strange = sorted(names - known) if known is not None else []
        if strange:
            msg = f"{text!r} names {strange[0]!r}, which is not given; given: {', '.join(sorted(known or ()))}"
            raise InvalidArgument(msg, argument=argument)
        return cls(text, frozenset(names), evaluate)

    def value(self, values: Mapping[str, float]) -> float:
        """Return what it is worth for these values; raises `InvalidArgument` where that is no finite number."""
        try:
            worth = float(self._evaluate(values))
        except (ArithmeticError, ValueError, TypeError) as error:
            msg = f"{self.text!r} has no value there: {error}"
            raise InvalidArgument(msg, argument="expression") from None
        if not math.isfinite(worth):
            msg = f"{self.text!r} has no finite value there"
            raise InvalidArgument(msg, argument="expression")
        return worth


def _compiled(  # noqa: PLR0911  # one return for each form of arithmetic
    node: ast.expr, names: set[str], text: str, argument: str
) -> Evaluate:
    """Return a function for a node of the tree, noting the names it reads."""

    def inner(one: ast.expr) -> Evaluate:
        return _compiled(one, names, text, argument)

    match node:
        case ast.Constant(value=bool() | int() | float() as constant):
            number = float(constant)
            return lambda _values: number
        case ast.Name(id=name) if name in _CONSTANTS:
            number = _CONSTANTS[name]
            return lambda _values: number
        case ast.Name(id=name):
            names.add(name)
            return lambda values: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            negated = inner(operand)
            return lambda values: -negated(values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            combine, first, second = _BINARY[type(op)], inner(left), inner(right)
            return lambda values: combine(first(values), second(values))
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            compare, first, second = _COMPARISONS[type(comparison)], inner(left), inner(right)
            return lambda values: float(compare(first(values), second(values)))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, yes, no = inner(test), inner(body), inner(orelse)
            return lambda values: yes(values) if condition(values) else no(values)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
            function, worked = _FUNCTIONS[name], [inner(one) for one in arguments]
            return lambda values: function(*(one(values) for one in worked))
    msg = f"{ast.unparse(node)[:60]!r} in {text[:60]!r} is not arithmetic on names, numbers and {', '.join(_FUNCTIONS)}"
    raise InvalidArgument(msg, argument=argument)
