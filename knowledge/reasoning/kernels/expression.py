"""Arithmetic written by a caller: parsed, checked against a short list of what is allowed, never evaluated as code."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import InvalidArgument

if TYPE_CHECKING:
    import numpy as np

LONGEST = 500
"""Characters of an expression."""
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
FUNCTIONS = ("abs", "ceil", "cos", "exp", "floor", "log", "max", "min", "sin", "sqrt")
_CONSTANTS = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What functions, powers and choices mean: for single numbers or for arrays of them."""

    functions: Mapping[str, Callable[..., Any]]
    power: Callable[[Any, Any], Any]
    truth: Callable[[Any], Any]
    choose: Callable[[Any, Callable[[], Any], Callable[[], Any]], Any]


_BUILT_IN: dict[str, Callable[..., Any]] = {"abs": abs, "max": max, "min": min}
_SINGLE = _Numbers(
    {name: _BUILT_IN.get(name) or getattr(math, name) for name in FUNCTIONS},
    math.pow,
    float,
    lambda condition, yes, no: yes() if condition else no(),
)

_Evaluate = Callable[[Mapping[str, Any], _Numbers], Any]


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression over named numbers; a comparison is worth 1 or 0, `a if c else b` chooses.

    >>> Expression.of("price * units - 100").value({"price": 3.0, "units": 50.0})
    50.0
    """

    text: str
    names: frozenset[str]
    _evaluate: _Evaluate

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
        try:
            evaluate = _compiled(tree, names, text, argument)
        except RecursionError:
            msg = f"{text[:40]!r}... is nested too deeply; write it with fewer levels"
            raise InvalidArgument(msg, argument=argument) from None
        strange = sorted(names - known) if known is not None else []
        if strange:
            msg = f"{text!r} names {strange[0]!r}, which is not given; given: {', '.join(sorted(known or ()))}"
            raise InvalidArgument(msg, argument=argument)
        return cls(text, frozenset(names), evaluate)

    def value(self, values: Mapping[str, float]) -> float:
        """Return what it is worth for these values; raises `InvalidArgument` where that is no finite number."""
        try:
            worth = float(self._evaluate(values, _SINGLE))
        except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
            msg = f"{self.text!r} has no value there: {error}"
            raise InvalidArgument(msg, argument="expression") from None
        if not math.isfinite(worth):
            msg = f"{self.text!r} has no finite value there"
            raise InvalidArgument(msg, argument="expression")
        return worth

    def array(self, values: "Mapping[str, np.ndarray]", length: int) -> "np.ndarray":
        """Return what it is worth for each of `length` rows of values; raises `InvalidArgument` where not finite."""
        import numpy as np

        try:
            with np.errstate(all="ignore"):
                worth = np.broadcast_to(np.asarray(self._evaluate(values, _many()), dtype=float), (length,))
        except (ArithmeticError, ValueError, TypeError, RecursionError) as error:  # of constants, as 1 / 0
            msg = f"{self.text!r} has no value: {error}"
            raise InvalidArgument(msg, argument="expression") from None
        if not np.isfinite(worth).all():
            msg = f"{self.text!r} has no finite value for {int((~np.isfinite(worth)).sum())} of {length} draws"
            raise InvalidArgument(msg, argument="expression")
        return worth


def _many() -> _Numbers:
    """Return what functions mean on arrays."""
    import numpy as np

    def extreme(combine: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def over(first: Any, *rest: Any) -> Any:
            for other in rest:
                first = combine(first, other)
            return first

        return over

    functions: dict[str, Callable[..., Any]] = {
        name: getattr(np, name) for name in FUNCTIONS if name not in ("max", "min")
    }
    functions |= {"max": extreme(np.maximum), "min": extreme(np.minimum)}
    return _Numbers(
        functions,
        np.power,
        lambda told: np.asarray(told, dtype=float),
        lambda condition, yes, no: np.where(np.asarray(condition, dtype=bool), yes(), no()),
    )


def _takes(name: str, count: int) -> bool:
    """Return whether a function takes so many arguments: `max` and `min` two or more, the others one."""
    return count > 1 if name in ("max", "min") else name in FUNCTIONS and count == 1


def _number(constant: float, text: str, argument: str) -> float:
    try:
        return float(constant)
    except OverflowError:
        msg = f"{text[:40]!r}... has a whole number that is too large; write it like 1e300"
        raise InvalidArgument(msg, argument=argument) from None


def _compiled(  # noqa: PLR0911  # one return for each form of arithmetic
    node: ast.expr, names: set[str], text: str, argument: str
) -> _Evaluate:
    """Return a function for a node of the tree, noting the names it reads."""

    def inner(one: ast.expr) -> _Evaluate:
        return _compiled(one, names, text, argument)

    match node:
        case ast.Constant(value=bool() | int() | float() as constant):
            number = _number(constant, text, argument)
            return lambda _values, _how: number
        case ast.Name(id=name) if name in _CONSTANTS:
            number = _CONSTANTS[name]
            return lambda _values, _how: number
        case ast.Name(id=name):
            names.add(name)
            return lambda values, _how: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            negated = inner(operand)
            return lambda values, how: -negated(values, how)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, exponent = inner(left), inner(right)
            return lambda values, how: how.power(base(values, how), exponent(values, how))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            combine, first, second = _BINARY[type(op)], inner(left), inner(right)
            return lambda values, how: combine(first(values, how), second(values, how))
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            compare, first, second = _COMPARISONS[type(comparison)], inner(left), inner(right)
            return lambda values, how: how.truth(compare(first(values, how), second(values, how)))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, yes, no = inner(test), inner(body), inner(orelse)
            return lambda values, how: how.choose(
                condition(values, how), lambda: yes(values, how), lambda: no(values, how)
            )
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if _takes(name, len(arguments)):
            worked = [inner(one) for one in arguments]
            return lambda values, how: how.functions[name](*(one(values, how) for one in worked))
    msg = f"{ast.unparse(node)[:60]!r} in {text[:60]!r} is not arithmetic on names, numbers and {', '.join(FUNCTIONS)}"
    raise InvalidArgument(msg, argument=argument)
