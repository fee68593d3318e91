"""The AR-LSAT programs of Logic-LM as problems: sorts and functions become variables with their values.

Words of a sort are their places, so that programs may order them; quantifiers are written out. What is not Python in
form, or names what was not declared, raises `ValueError` or `KeyError`: such programs do not execute either.
"""

import ast
import re
from itertools import product
from typing import Any

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.FloorDiv: "//",
}  # fmt: skip
_JOINS = {"And": "and", "Or": "or", "Not": "not", "Implies": "implies", "Xor": "xor", "Iff": "iff", "If": "implies"}
_MODES = {"is_sat": "could", "is_valid": "must", "is_unsat": "cannot", "is_must": "must"}


class Program:
    """A program: its sorts, its functions as variables, its constraints and its options with what each asks."""

    def __init__(self, text: str) -> None:
        self.sorts: dict[str, dict[str, Any]] = {}
        self.functions: dict[str, tuple[list[str], str]] = {}
        self.constraints: list[Any] = []
        self.options: dict[str, tuple[str, bool, Any]] = {}
        self.numbers = sorted({int(one) for one in re.findall(r"(?<![\w.])\d+(?![\w.])", text)})
        lines = [line.split(":::") for line in text.splitlines() if line.strip() and not line.startswith("#")]
        for said in (parts[0].strip() for parts in lines if parts[0].strip() != "Question"):
            self._declare(said)
        for parts in lines:
            label = re.fullmatch(r"\s*\(([A-E])\)\s*", parts[-1]) if len(parts) > 1 else None
            said = parts[0].strip()
            if label:
                self._option(label[1], said)
            elif said != "Question" and not re.match(r"\w+ = (EnumSort|Function)\(", said):
                self.constraints.append(self._condition(_tree(said), {}))

    def _declare(self, said: str) -> None:
        sort = re.fullmatch(r"(\w+) = EnumSort\(\[(.*)\]\)", said)
        function = re.fullmatch(r"(\w+) = Function\(\[(.*)\] -> \[(\w+)\]\)", said)
        if sort:
            names = [name.strip() for name in sort[2].split(",")]
            self.sorts[sort[1]] = {name: _number(name, place) for place, name in enumerate(names)}
        elif function:
            self.functions[function[1]] = ([one.strip() for one in function[2].split(",")], function[3])

    def problem(self) -> dict[str, Any]:
        """Return the program as a problem."""
        variables = {}
        for name, (places, result) in self.functions.items():
            for values in product(*(self._values(sort) for sort in places)):
                variables[_variable(name, values)] = self._values(result)
        options = {label: said for label, (_, _, said) in self.options.items()}
        return {"kind": "assignment", "variables": variables, "constraints": self.constraints, "options": options}

    def chosen(self, standing: dict[str, str]) -> list[str]:
        """Return the options that are as they ask, given how each stands."""
        found = []
        for label, (mode, negated, _) in self.options.items():
            one = standing[label]
            met = {"must": one == "must", "could": one != "cannot", "cannot": one == "cannot"}[mode]
            found += [label] if met is not negated else []
        return found

    def _option(self, label: str, said: str) -> None:
        node, mode, negated = _tree(said), "must", False
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "is_exception":
                negated = not negated
            elif node.func.id in _MODES:
                mode = _MODES[node.func.id]
            else:
                break
            node = node.args[0]
        self.options[label] = (mode, negated, self._condition(node, {}))

    def _values(self, sort: str) -> list[Any]:
        if sort == "bool":
            return [True, False]
        if sort == "int":
            wide = self.numbers[-1] <= 30
            return list(range(max(1, self.numbers[-1]) + 1)) if wide else self.numbers
        return list(self.sorts[sort].values())

    def _condition(  # noqa: PLR0911  # one return for each form of a condition
        self, node: ast.expr, bound: dict[str, Any]
    ) -> Any:
        def inner(one: ast.expr) -> Any:
            return self._condition(one, bound)

        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._named(name, bound)
            case ast.BinOp(left=left, op=op, right=right):
                return [_OPERATORS[type(op)], inner(left), inner(right)]
            case ast.Compare(left=left, ops=ops, comparators=others):
                pairs = zip(ops, [left, *others], others, strict=False)
                return ["and", *([_OPERATORS[type(op)], inner(one), inner(other)] for op, one, other in pairs)]
            case ast.Call(func=ast.Name(id="Not"), args=[one]):
                return ["not", inner(one)]
            case ast.Call(func=ast.Name(id="Abs" | "abs"), args=[one]):
                return ["abs", inner(one)]
            case ast.Call(func=ast.Name(id="Distinct"), args=[ast.Dict() as over, one]):
                return ["all_different", *(self._condition(one, values) for values in self._bindings(over, bound))]
            case ast.Call(func=ast.Name(id="Distinct"), args=[*terms]):
                return ["all_different", *(map(inner, terms))]
            case ast.Call(func=ast.Name(id="ForAll" | "Exists" | "Count" as what), args=[ast.Dict() as over, one]):
                joined = {"ForAll": "and", "Exists": "or", "Count": "count"}[what]
                return [joined, *(self._condition(one, values) for values in self._bindings(over, bound))]
            case ast.Call(func=ast.Name(id=name), args=[*parts]) if name in _JOINS:
                return [_JOINS[name], *map(inner, parts)]
            case ast.Call(func=ast.Name(id=name), args=[*parts]) if name in self.functions:
                return self._applied(name, parts, bound)
        raise ValueError(ast.unparse(node))

    def _applied(self, name: str, parts: list[ast.expr], bound: dict[str, Any]) -> Any:
        """Return a function of terms: a variable, or, where a term is itself open, the variable it comes to."""
        values = [self._condition(one, bound) for one in parts]
        if any(isinstance(value, list | str) for value in values):
            raise ValueError(name)
        found = _variable(name, values)
        if any(value not in self._values(sort) for value, sort in zip(values, self.functions[name][0], strict=True)):
            raise KeyError(found)
        return found

    def _named(self, name: str, bound: dict[str, Any]) -> Any:
        if name in bound:
            return bound[name]
        return next(values[name] for values in self.sorts.values() if name in values)

    def _bindings(self, over: ast.Dict, bound: dict[str, Any]) -> list[dict[str, Any]]:
        names = [ast.unparse(one) for one in over.keys if one is not None]
        sorts = [self._values(ast.unparse(one)) for one in over.values]
        return [{**bound, **dict(zip(names, values, strict=True))} for values in product(*sorts)]


def _number(name: str, place: int) -> Any:
    try:
        number = float(name)
    except ValueError:
        return place
    return int(number) if number.is_integer() else number


def _variable(name: str, values: Any) -> str:
    return f"{name}({', '.join(map(str, values))})"


def _tree(text: str) -> ast.expr:
    """Return a line as a tree, `[x:sort, ...]` being written as a dictionary; raises `ValueError`."""
    try:
        return ast.parse(re.sub(r"\[(\w+:\w+(?:, *\w+:\w+)*)\]", r"{\1}", text), mode="eval").body
    except SyntaxError as error:
        raise ValueError(text) from error
