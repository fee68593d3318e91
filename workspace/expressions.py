"""Arithmetic written by people and models: parsed, checked against the allowed syntax, never evaluated as code.

A `Dialect` defines the syntax. Workflows have their own language (`society/bpmn/engine/expressions.py`).
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import InvalidArgument

if TYPE_CHECKING:
    import numpy as np

LONGEST = 500
"""Characters of an expression."""
_OPERATORS: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {
        ast.Add: ("+", operator.add),
        ast.Sub: ("-", operator.sub),
        ast.Mult: ("*", operator.mul),
        ast.Div: ("/", operator.truediv),
        ast.Mod: ("%", operator.mod),
        ast.FloorDiv: ("//", operator.floordiv),
    }
)
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
    }
)
FUNCTIONS = ("abs", "ceil", "cos", "exp", "floor", "log", "max", "min", "sin", "sqrt")
_EXTREMES = ("max", "min")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The allowed syntax: operators, functions and constants, and whether comparisons and choices are allowed.

    `max` and `min` take at least `fewest` values. A number of `too_large` or more is refused.
    """

    operators: tuple[str, ...]
    functions: tuple[str, ...]
    constants: Mapping[str, float] = field(default_factory=dict)
    compares: bool = False
    fewest: int = 1
    too_large: float = math.inf

    def takes(self, name: str, count: int) -> bool:
        """Return whether a function takes this many arguments: `max` and `min` take several, the others one."""
        return name in self.functions and (count >= self.fewest if name in _EXTREMES else count == 1)

    def __str__(self) -> str:
        """Return the allowed syntax for an error message."""
        return f"numbers, names, {' '.join(self.operators)} and {', '.join(self.functions)}"


ARITHMETIC = Dialect(
    ("+", "-", "*", "/", "%", "//", "**"), FUNCTIONS, {"pi": math.pi, "e": math.e}, compares=True, fewest=2
)
"""All there is; a comparison is worth 1 or 0, and `a if c else b` chooses."""
SUMS = Dialect(("+", "-", "*", "/"), _EXTREMES, too_large=1e300)
"""Amounts in plans."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The meaning of functions, powers and choices: for single numbers or for arrays of them."""

    functions: Mapping[str, Callable[..., Any]]
    power: Callable[[Any, Any], Any]
    truth: Callable[[Any], Any]
    choose: Callable[[Any, Callable[[], Any], Callable[[], Any]], Any]


_BUILT_IN: dict[str, Callable[..., Any]] = {
    "abs": abs, "max": lambda *values: max(values), "min": lambda *values: min(values),
}  # fmt: skip
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
    def of(
        cls,
        text: str,
        *,
        known: frozenset[str] | None = None,
        dialect: Dialect = ARITHMETIC,
        argument: str = "expression",
    ) -> "Expression":
        """Return the expression that `text` says; raises `InvalidArgument` for all but `dialect` on `known` names."""
        if len(text) > LONGEST:
            msg = f"an expression has at most {LONGEST} characters; {text[:40]!r}... has {len(text)}"
            raise InvalidArgument(msg, argument=argument)
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            msg = f"{text!r} is not arithmetic: {getattr(error, 'msg', error)}; write {dialect}"
            raise InvalidArgument(msg, argument=argument) from None
        compiler = _Compiler(text, dialect, argument)
        try:
            evaluate = compiler.compile(tree)
        except RecursionError:
            msg = f"{text[:40]!r}... is nested too deeply; write it with fewer levels"
            raise InvalidArgument(msg, argument=argument) from None
        strange = sorted(compiler.names - known) if known is not None else []
        if strange:
            msg = f"{text!r} names {strange[0]!r}, which is not given; given: {', '.join(sorted(known or ()))}"
            raise InvalidArgument(msg, argument=argument)
        return cls(text, frozenset(compiler.names), evaluate)

    def value(self, values: Mapping[str, float]) -> float:
        """Evaluate for these values; raises `InvalidArgument` if the result is not a finite number."""
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
        """Evaluate for each of `length` rows of values; raises `InvalidArgument` if any result is not finite."""
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
    """Return the array version of the functions."""
    import numpy as np

    def extreme(combine: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def over(first: Any, *rest: Any) -> Any:
            for other in rest:
                first = combine(first, other)
            return first

        return over

    functions: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in FUNCTIONS if name not in _EXTREMES}
    functions |= {"max": extreme(np.maximum), "min": extreme(np.minimum)}
    return _Numbers(
        functions,
        np.power,
        lambda told: np.asarray(told, dtype=float),
        lambda condition, yes, no: np.where(np.asarray(condition, dtype=bool), yes(), no()),
    )


@dataclass(slots=True)
class _Compiler:
    """Makes one text into a function, noting the names it reads."""

    text: str
    dialect: Dialect
    argument: str
    names: set[str] = field(default_factory=set)

    def compile(self, node: ast.expr) -> _Evaluate:
        """Return a function for a node of the tree; raises `InvalidArgument` for syntax outside the dialect."""
        found = self._value(node) or self._operation(node) or (self._choice(node) if self.dialect.compares else None)
        if found is None:
            msg = f"{ast.unparse(node)[:60]!r} in {self.text[:60]!r} is not arithmetic on {self.dialect}"
            raise InvalidArgument(msg, argument=self.argument)
        return found

    def _value(self, node: ast.expr) -> _Evaluate | None:
        match node:
            case ast.Constant(value=bool()) if not self.dialect.compares:
                return None
            case ast.Constant(value=bool() | int() | float() as constant):
                number = self._number(constant)
                return lambda _values, _how: number
            case ast.Name(id=name) if name in self.dialect.constants:
                number = self.dialect.constants[name]
                return lambda _values, _how: number
            case ast.Name(id=name):
                self.names.add(name)
                return lambda values, _how: values[name]
        return None

    def _operation(self, node: ast.expr) -> _Evaluate | None:  # noqa: PLR0911  # one return for each form
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                negated = self.compile(operand)
                return lambda values, how: -negated(values, how)
            case ast.BinOp(left=left, op=ast.Pow(), right=right) if "**" in self.dialect.operators:
                base, exponent = self.compile(left), self.compile(right)
                return lambda values, how: how.power(base(values, how), exponent(values, how))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                sign, combine = _OPERATORS[type(op)]
                if sign not in self.dialect.operators:
                    return None
                first, second = self.compile(left), self.compile(right)
                return lambda values, how: combine(first(values, how), second(values, how))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if not self.dialect.takes(name, len(arguments)):
                    return None
                worked = [self.compile(one) for one in arguments]
                return lambda values, how: how.functions[name](*(one(values, how) for one in worked))
        return None

    def _choice(self, node: ast.expr) -> _Evaluate | None:
        match node:
            case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
                compare, first, second = _COMPARISONS[type(comparison)], self.compile(left), self.compile(right)
                return lambda values, how: how.truth(compare(first(values, how), second(values, how)))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition, yes, no = self.compile(test), self.compile(body), self.compile(orelse)
                return lambda values, how: how.choose(
                    condition(values, how), lambda: yes(values, how), lambda: no(values, how)
                )
        return None

    def _number(self, constant: float) -> float:
        try:
            number = float(constant)
        except OverflowError:
            number = math.inf
        if number >= self.dialect.too_large:
            msg = f"{self.text[:40]!r}... has a number that is too large; write it like 1e300"
            raise InvalidArgument(msg, argument=self.argument)
        return number
