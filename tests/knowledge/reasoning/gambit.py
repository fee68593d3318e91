"""Games in the formats of Gambit (`.nfg`, `.efg`) as problems, read as data."""

import re
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{},"]+)')
_ONE = re.compile(r"^[cpt] ", re.MULTILINE)


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the title of a game and the game as a problem."""
    return _normal(path.read_text("utf-8")) if path.suffix == ".nfg" else _extensive(path.read_text("utf-8"))


def _tokens(text: str) -> Iterator[str | list[Any]]:
    """Yield words; what stands in braces as a list; texts in quotes with a leading quote."""
    stack: list[list[Any]] = [[]]
    for quoted, brace, word in _TOKEN.findall(text):
        if brace == "{":
            stack.append([])
        elif brace == "}":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word or '"' + quoted)
    yield from stack[0]


def _text(token: Any) -> str:
    return str(token).removeprefix('"')


def _normal(text: str) -> tuple[str, dict[str, Any]]:
    """Return a game in normal form; the first player's strategies change fastest in its table."""
    _, _, _, title, players, told, *rest = _tokens(text)
    names = [_text(one) for one in players]
    sizes = [len(one) if isinstance(one, list) else int(one) for one in told]
    words = [[_text(one) for one in held] if isinstance(held, list) else [] for held in told]
    strategies = {
        name: held or [str(number + 1) for number in range(size)]
        for name, held, size in zip(names, words, sizes, strict=True)
    }
    outcomes = next((one for one in rest if isinstance(one, list)), None)
    numbers = [one for one in rest if isinstance(one, str) and not one.startswith('"')]
    if outcomes is None:
        count = len(names)
        cells = [numbers[n * count : (n + 1) * count] for n in range(prod(sizes))]
    else:
        cells = [outcomes[int(number) - 1][1:] for number in numbers]
    table = {
        tuple(reversed(at)): cell
        for at, cell in zip(product(*(range(size) for size in reversed(sizes))), cells, strict=True)
    }

    def nested(at: tuple[int, ...]) -> Any:
        return table[at] if len(at) == len(sizes) else [nested((*at, n)) for n in range(sizes[len(at)])]

    return _text(title), {"kind": "normal_form", "strategies": strategies, "payoffs": nested(())}


def _extensive(text: str) -> tuple[str, dict[str, Any]]:
    head, *_ = _ONE.split(text, maxsplit=1)
    _, _, _, title, players, *_ = _tokens(head)
    names = [_text(one) for one in players]
    lines = [list(_tokens(line)) for line in text[len(head) :].splitlines() if line.strip()]
    sets = [(line[2], line[3]) for line in lines if line[0] == "p"]
    shared = {one for one in sets if sets.count(one) > 1}
    moves: dict[Any, list[str]] = {}
    payoffs: dict[Any, list[str]] = {}
    rest = iter(lines)

    def node() -> dict[str, Any]:
        line = next(rest)
        lists = [one for one in line if isinstance(one, list)]
        if line[0] == "t":
            return {"payoffs": payoffs.setdefault(line[2], lists[0] if lists else [])}
        if line[0] == "c":
            told = lists[0]
            pairs = zip(told[::2], told[1::2], strict=True)
            return {"chance": [{"p": share, "then": node()} for _, share in pairs]}
        key = (line[2], line[3])
        held = moves.setdefault(key, [_text(one) for one in lists[0]] if lists else [])
        known = {"information": f"set {key[1]}"} if key in shared else {}
        return {"player": names[int(str(line[2])) - 1], **known, "moves": {move: node() for move in held}}

    return _text(title), {"kind": "extensive_form", "players": names, "tree": node()}
