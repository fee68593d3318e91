"""Conditions and scripts of workflows, evaluated without running code: names, numbers, texts, comparisons.

The spellings of other engines are accepted if they mean the same: `${amount > 5}`, `= amount > 5`, `amount = 5`, `a &&
!b`, `amount gt 5`. Other languages are reported, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import InvalidArgument

if TYPE_CHECKING:
    from simpleeval import EvalWithCompoundTypes

_MOST = 2000  # characters of an expression
_MOST_BITS = 1024  # of a number that is multiplied
_MOST_DIGITS = 300  # that a number is rounded to
_MOST_VALUES = 10_000  # in one variable that a script sets, and in what a function is given
_STATEMENT = re.compile(r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^;\n])+")
_WRAPPED = re.compile(r"^[$#]\{(.*)\}$", re.DOTALL)
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")
_WORDS = {"true": "True", "false": "False", "null": "None", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==",
          "ne": "!="}  # fmt: skip
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_SIGNS = ((re.compile(r"&&"), " and "), (re.compile(r"\|\|"), " or "), (re.compile(r"!(?!=)"), " not "),
          (re.compile(r"(?<![=<>!])=(?!=)"), "=="))  # fmt: skip
_ASSIGNED = re.compile(r"^\s*([A-Za-z]\w*)\s*=(?!=)\s*(.+?)\s*;?\s*$")


def _contains(text: Any, part: Any) -> bool:
    return part in text


def _sum(values: Any) -> Any:
    """Return the sum of numbers: that of lists is a list, which grows with the square of their number."""
    return sum(one if isinstance(one, int | float) else _raise_invalid("sum adds numbers") for one in values)


def _round(value: Any, digits: Any = None) -> Any:
    """Return a rounded number; to a billion digits before the point it would never be done."""
    return round(
        value, digits if digits is None or abs(digits) <= _MOST_DIGITS else _raise_invalid("round: too many digits")
    )


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": len, "count": len, "min": min, "max": max, "sum": _sum, "abs": abs, "round": _round, "lower": str.lower,
    "text": str, "contains": _contains, "date": date.fromisoformat,
}  # fmt: skip
"""The functions that an expression may call."""


def value_of(expression: str, variables: Mapping[str, Any]) -> Any:
    """Return the value of an expression; raises `InvalidArgument` with a quotation and the reason."""
    return _evaluate_expression(_plain(expression), expression, variables)


def holds(condition: str, variables: Mapping[str, Any]) -> bool:
    """Return whether a condition holds; raises as `value_of` does."""
    return bool(value_of(condition, variables))


def readable(condition: str) -> str:
    """Return why a condition can never be evaluated, or ""; unknown names show only at run time."""
    from simpleeval import InvalidExpression

    if len(condition) > _MOST:
        return f"{condition.strip():.60} ... has {len(condition):,} characters; at most {_MOST:,} are read"
    try:
        _parse_expression(_plain(condition))
    except (InvalidExpression, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{condition.strip()!r} cannot be read: {error}"
    return ""


def run_script(script: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables set by a script: lines `name = expression`, each of which sees the earlier ones."""
    made: dict[str, Any] = {}
    for line in _STATEMENT.findall(script):
        if not line.strip() or line.strip().startswith(("#", "//")):
            continue
        assigned = _ASSIGNED.match(line)
        if assigned is None:
            raise InvalidArgument(f"{line.strip()!r} is not an assignment; write lines of 'name = expression'")
        made[assigned[1]] = _keepable(value_of(assigned[2], {**variables, **made}), assigned[1])
    return made


def _keepable(value: Any, name: str) -> Any:
    """Return a value as written between two tasks: a date as its text; raises for a value JSON cannot hold."""
    if isinstance(value, date):
        return value.isoformat()
    for seen, one in enumerate(_within(value), 1):
        is_plain = one is None or isinstance(one, str | float | list | tuple | dict)
        if seen > _MOST_VALUES or not (is_plain or (isinstance(one, int) and abs(one) < 1 << 63)):
            what = f"more than {_MOST_VALUES:,} values" if seen > _MOST_VALUES else f"a {type(one).__name__}"
            raise InvalidArgument(f"{name} would hold {what}; use numbers up to 64 bits, texts, lists and objects")
    return value


def _within(value: Any) -> Iterator[Any]:
    """Yield a value and all that it holds, however deep; one that it holds twice is yielded twice."""
    left = [value]
    while left:
        one = left.pop()
        yield one
        if isinstance(one, list | tuple | dict):
            left += one.values() if isinstance(one, dict) else one


def _small(value: Any) -> Any:
    """Return a function's argument; raise if it holds too many values, as one long list repeated many times."""
    if isinstance(value, list | tuple | dict) and any(seen > _MOST_VALUES for seen, _ in enumerate(_within(value))):
        _raise_invalid(f"more than {_MOST_VALUES:,} values are too many to reckon with")
    return value


def _raise_invalid(why: str) -> Any:
    raise InvalidArgument(why)


def _evaluate_expression(plain: str, told: str, variables: Mapping[str, Any]) -> Any:
    if not plain:
        raise InvalidArgument("the expression is empty; write a condition")
    if len(plain) > _MOST:
        raise InvalidArgument(f"the expression has {len(plain):,} characters; at most {_MOST:,} are read")
    evaluator = _evaluator()
    try:
        parsed = _parse_expression(plain)
        evaluator.names = variables
        return evaluator.eval(plain, previously_parsed=parsed)
    except Exception as error:  # whatever an expression of a stranger does wrong is told with the expression
        raise InvalidArgument(f"{told.strip()!r} cannot be evaluated: {error}") from error


@lru_cache(maxsize=4096)
def _parse_expression(plain: str) -> Any:
    return _evaluator().parse(plain)


def _evaluator() -> EvalWithCompoundTypes:
    import ast

    from simpleeval import DEFAULT_OPERATORS, EvalWithCompoundTypes

    # A power of two numbers can take hours; nothing that a workflow decides needs one.
    operators = {kind: how for kind, how in DEFAULT_OPERATORS.items() if kind not in (ast.Pow, ast.LShift, ast.RShift)}
    multiply = operators[ast.Mult]
    operators[ast.Mult] = lambda one, other: multiply(_check_operand(one), _check_operand(other))
    operators[ast.Mod] = lambda one, other: _check_operand(one) % other
    functions = {name: one if one is len else _of_small(one) for name, one in _FUNCTIONS.items()}
    evaluator = EvalWithCompoundTypes(operators=operators, functions=functions)
    call = evaluator.nodes[ast.Call]

    def evaluate_call(node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name):  # a method of a text can fill the memory: 'a'.ljust(10 ** 10)
            raise InvalidArgument(f"only {', '.join(_FUNCTIONS)} can be called")
        return call(node)

    evaluator.nodes[ast.Call] = evaluate_call
    # What fills in texts, or goes through a list for each value of another, takes minutes in a few words.
    for kind in (ast.JoinedStr, ast.FormattedValue, ast.ListComp, ast.GeneratorExp, ast.DictComp):
        evaluator.nodes.pop(kind, None)
    return evaluator


def _of_small(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: function(*map(_small, given))


def _check_operand(value: Any) -> Any:
    """Return a factor or dividend; a text is no template, and a number has at most some hundred digits."""
    if isinstance(value, list | tuple | dict):
        raise InvalidArgument("a list cannot be multiplied; write its values")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise InvalidArgument(f"a number of {value.bit_length():,} bits is too long for arithmetic")
    if isinstance(value, str) and "%" in value:
        raise InvalidArgument("texts with % cannot be multiplied or formatted; join them with +")
    return value


@lru_cache(maxsize=4096)
def _plain(expression: str) -> str:
    """Return an expression in the one spelling that is evaluated; quoted text stays as it is."""
    text = expression.strip()
    wrapped = _WRAPPED.match(text)
    text = wrapped[1].strip() if wrapped else text.removeprefix("=").strip()
    parts, at = [], 0
    for found in _TEXT.finditer(text):
        parts += [_normalize_operators(text[at : found.start()]), found[0]]
        at = found.end()
    return "".join([*parts, _normalize_operators(text[at:])]).strip()


def _normalize_operators(text: str) -> str:
    for sign, plain in _SIGNS:
        text = sign.sub(plain, text)
    return _WORD.sub(lambda found: _WORDS[found[1]], text)
