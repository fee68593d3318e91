"""Amounts in plans, reckoned with what is known: `max(0, (12 - stock_weeks) * demand * unit_cost - ordered_supply)`.

Numbers, names of what is believed, `+ - * /`, `min(...)` and `max(...)`; nothing else can be written.

>>> reckoned("0.01 * cash", {"cash": "$40,000"}.get)
400.0
"""

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isfinite
from types import MappingProxyType

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import number
from mabos.mind.conditions import Lookup

_SIGNS: Mapping[type[ast.operator], Callable[[float, float], float]] = MappingProxyType(
    {
        ast.Add: lambda left, right: left + right,
        ast.Sub: lambda left, right: left - right,
        ast.Mult: lambda left, right: left * right,
        ast.Div: lambda left, right: left / right,
    }
)
_LONGEST = 500  # characters of a sum; brackets within brackets are gone through one by one
_TOO_MUCH = 1e300
_SHOWN = 100  # of them in an error
_CHOICES: Mapping[str, Callable[..., float]] = MappingProxyType({"min": min, "max": max})


def reckoned(expression: str, lookup: Lookup) -> float | None:
    """Return what an expression comes to with what is known.

    It comes to None where one of its names is not known, by zero, and where it is beyond all numbers.
    """
    worth = _value(_read(expression), lookup)
    return worth if worth is not None and isfinite(worth) else None


def checked(expression: str) -> str:
    """Return an expression that can be reckoned; raises `InvalidArgument` that says what in it cannot."""
    _read(expression)
    return expression


@lru_cache(maxsize=512)
def _read(expression: str) -> ast.expr:
    try:
        found = ast.parse(expression.strip()[: _LONGEST + 1], mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = None
    if found is None or len(expression) > _LONGEST:
        said = expression[:_SHOWN]
        raise InvalidArgument(f"{said!r} is no sum; write it as in '0.01 * cash'", argument="value") from None
    for node in ast.walk(found):
        if isinstance(node, ast.expr) and not _is_plain(node):
            message = (
                f"{expression!r}: {ast.unparse(node)!r} cannot be reckoned; numbers, names, + - * /, min and max can"
            )
            raise InvalidArgument(message, argument="value")
    return found


def _is_plain(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float() as told):
            return told < _TOO_MUCH
        case ast.Name() | ast.UnaryOp(op=ast.USub()):
            return True
        case ast.BinOp(op=op):
            return type(op) in _SIGNS
        case ast.Call(func=ast.Name(id=name), keywords=[], args=[_, *_]):
            return name in _CHOICES
    return False


def _value(node: ast.expr, lookup: Lookup) -> float | None:
    found: float | None = None
    match node:
        case ast.Constant(value=int() | float() as told):
            found = float(told)
        case ast.Name(id=name):
            found = number(lookup(name) or "")
        case ast.UnaryOp(operand=operand):
            found = None if (of := _value(operand, lookup)) is None else -of
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left, lookup), _value(right, lookup)
            if a is not None and b is not None and (b or not isinstance(op, ast.Div)):
                found = _SIGNS[type(op)](a, b)
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [one for arg in args if (one := _value(arg, lookup)) is not None]
            found = _CHOICES[name](values) if len(values) == len(args) else None
    return found
