"""Tasks of Popper (Cropper and Morel 2021) as problems: facts, examples and bias are read, nothing is run."""

import re
from pathlib import Path
from typing import Any

_FACT = re.compile(r"^\s*(\w+)\((.*)\)\.\s*$")
_BIAS = re.compile(r"(\w+)\((\w+),\s*(?:(\d+)|\(([\w\s,]*)\))\)")


def task(folder: Path, **more: Any) -> dict[str, Any]:
    """Return the task in a folder."""
    bias = _uncommented(folder / "bias.pl")
    told = _BIAS.findall(bias)
    head = next(name for what, name, *_ in told if what == "head_pred")
    allowed = {name for what, name, *_ in told if what == "body_pred"}
    types = {name: _split(listed) for what, name, _, listed in told if what == "type"}
    background: dict[str, list[list[str]]] = {name: [] for name in allowed}
    for line in _uncommented(folder / "bk.pl").splitlines():
        if (found := _FACT.match(line)) and found[1] in allowed:
            background[found[1]].append(_split(found[2]))
    examples: dict[str, list[list[str]]] = {"pos": [], "neg": []}
    for line in _uncommented(folder / "exs.pl").splitlines():
        if found := re.match(rf"^(pos|neg)\({head}\((.*)\)\)\.", line):
            examples[found[1]].append(_split(found[2]))
    limits = {"max_vars": "max_variables", "max_body": "max_body", "max_clauses": "max_clauses"}
    sizes = {ours: int(n[1]) for theirs, ours in limits.items() if (n := re.search(rf"{theirs}\((\d+)\)", bias))}
    return {
        "kind": "relational",
        "head": head,
        "background": {name: rows for name, rows in sorted(background.items()) if rows},
        "positive": examples["pos"],
        "negative": examples["neg"],
        "types": {name: listed for name, listed in types.items() if name == head or background.get(name)},
        "single": re.findall(r"var_type\(C,V,(\w+)\)\} != 1", bias),
        "recursion": "enable_recursion" in bias,
        **sizes,
        **more,
    }


def _uncommented(path: Path) -> str:
    return "\n".join(line for line in path.read_text().splitlines() if not line.startswith(("%", ":-style")))


def _split(listed: str) -> list[str]:
    return [one.strip() for one in listed.split(",") if one.strip()]
