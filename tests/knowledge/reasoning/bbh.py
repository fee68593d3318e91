"""The templated puzzles of order in BIG-Bench Hard as problems: what is said in a few fixed forms of sentence."""

import json
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "bbh"
_PLACES = {"": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
_NTH = "|".join(word for word in _PLACES if word)
_FIRST = "leftmost|oldest|cheapest|first"
_LAST = "rightmost|newest|most expensive|last"
_SMALLER = "is to left of|is older than|is less expensive than|are less expensive than|finished above"
_LARGER = "is to right of|is newer than|is more expensive than|are more expensive than|finished below"


def rows(name: str) -> list[dict[str, Any]]:
    """Return the tasks of a file, none where it is not at hand."""
    path = DATA / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def puzzle(text: str) -> dict[str, Any]:
    """Return a puzzle as a problem; raises `ValueError` for a sentence of another form."""
    told, _, choices = text.rsplit("each paragraph. ", maxsplit=1)[-1].partition("\nOptions:\n")
    first, *sentences = [one.strip() for one in told.split(".") if one.strip()]
    names = [re.sub(r"^(and )?(an? )?", "", one.strip()) for one in first.split(": ")[1].split(",")]
    constraints = [_condition(one, names) for one in sentences]
    options = {one[1]: _condition(one[4:], names) for one in choices.splitlines()}
    return {
        "kind": "assignment",
        "variables": {name: list(range(1, len(names) + 1)) for name in names},
        "all_different": [names],
        "constraints": constraints,
        "options": options,
        "ask": "must",
    }


def _condition(sentence: str, names: list[str]) -> Any:
    """Return a sentence as a condition on places, the first of which is left, old, cheap or first."""
    said = re.sub(r"\b(The|the) ", "", sentence).strip()
    name = next((one for one in sorted(names, key=len, reverse=True) if said.startswith(one)), None)
    if name is None:
        raise ValueError(sentence)
    rest = said[len(name) :].strip()
    for words, sign in ((_SMALLER, "<"), (_LARGER, ">")):
        found = re.fullmatch(rf"({words}) (.+)", rest)
        if found:
            return [sign, name, found[2]]
    return ["==", name, _place(re.sub(r"^(is|are|finished) ", "", rest), len(names))]


def _place(words: str, count: int) -> int:
    """Return the place that words say."""
    forwards = re.fullmatch(rf"(?:({_NTH}) from left|({_NTH})-(?:{_FIRST})|({_NTH})|(?:{_FIRST}))", words)
    if forwards:
        return _PLACES[next((one for one in forwards.groups() if one), "")]
    backwards = re.fullmatch(rf"(?:({_NTH}) from right|({_NTH})-to-last|({_NTH})-(?:{_LAST})|(?:{_LAST}))", words)
    if backwards:
        return count + 1 - _PLACES[next((one for one in backwards.groups() if one), "")]
    raise ValueError(words)
