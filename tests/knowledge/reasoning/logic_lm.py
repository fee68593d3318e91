"""The programs of Logic-LM (Pan et al. 2023) as problems: what GPT-4 wrote, read as data."""

import ast
import json
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "deductive"
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.FloorDiv: "//",
}  # fmt: skip
_ATOM = re.compile(r"\s*([\w'’-]+)\s*\(([^()]*)\)\s*")


def rows(name: str) -> list[dict[str, Any]]:
    """Return the questions of one of its sets, none where the set is not at hand."""
    path = DATA / f"logiclm_{name}_gpt4_programs.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def program(row: dict[str, Any]) -> str:
    """Return the program that was written for a question."""
    return str(row["raw_logic_programs"][0])


def horn(text: str) -> dict[str, Any]:
    """Return a program of facts, rules and a query as a problem; raises `ValueError` where it is none."""
    section, facts, rules, goals = "", [], [], []
    for line in text.splitlines():
        said = line.split(":::")[0].strip()
        if said.rstrip(":") in ("Predicates", "Facts", "Rules", "Query"):
            section = said.rstrip(":")
        elif said and section == "Facts":
            facts += _atoms(said)
        elif said and section == "Query":
            goals += _atoms(said)
        elif said and section == "Rules":
            body, arrow, head = said.partition(">>>")
            if not arrow:
                raise ValueError(said)
            rules += [{"if": _atoms(body), "then": one} for one in _atoms(head)]
    if not goals:
        raise ValueError("no query")
    return {"kind": "horn", "facts": facts, "rules": rules, "goal": goals[0]}


def _atoms(text: str) -> list[Any]:
    """Return the atoms of a conjunction; the last place of each says whether it is true."""
    found = []
    for part in text.split("&&"):
        match = _ATOM.fullmatch(part)
        if match is None:
            raise ValueError(part)
        *terms, truth = [term.strip() for term in match[2].split(",")]
        atom = [match[1], *(term.replace("$", "?") for term in terms)]
        found.append({"True": atom, "False": {"neg": atom}}[truth])
    return found


def puzzle(text: str) -> dict[str, Any]:
    """Return a program of variables, constraints and lettered options as a problem."""
    section, variables, different, constraints, options = "", {}, [], [], {}
    for line in text.splitlines():
        said = line.split(":::")[0].strip()
        if said.rstrip(":") in ("Domain", "Variables", "Constraints", "Query"):
            section = said.rstrip(":")
        elif said and section == "Variables":
            name, _, domain = said.partition("[IN]")
            variables[name.strip()] = ast.literal_eval(domain.strip())
        elif said and section == "Constraints":
            names = re.fullmatch(r"AllDifferentConstraint\(\[(.*)\]\)", said)
            if names:
                different.append([name.strip() for name in names[1].split(",")])
            else:
                constraints.append(condition(said))
        elif said and section == "Query":
            options[said[0]] = condition(said[2:].strip())
    return {
        "kind": "assignment",
        "variables": variables,
        "all_different": different,
        "constraints": constraints,
        "options": options,
        "ask": "must",
    }


def condition(text: str) -> Any:
    """Return a comparison written as in Python as a condition; raises `ValueError` where it is none."""
    return _listed(ast.parse(text, mode="eval").body)


def _listed(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return [_OPERATORS[type(op)], _listed(left), _listed(right)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            terms = [left, *others]
            pairs = zip(ops, terms, others, strict=False)
            told = [[_OPERATORS[type(op)], _listed(one), _listed(other)] for op, one, other in pairs]
            return told[0] if len(told) == 1 else ["and", *told]
        case ast.Call(func=ast.Name(id="abs"), args=[one]):
            return ["abs", _listed(one)]
    raise ValueError(ast.unparse(node))
