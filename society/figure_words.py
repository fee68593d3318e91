"""Figures formatted for sentences: rounded to relevant digits, with their unit once."""

import re

from mabos.knowledge.values import number
from mabos.workspace.currencies import DOLLARS, MARKS, SIGNS, home, sign_of

_TWICE = re.compile(rf"((?:{MARKS})[\d,.]+) dollars")
_BARE = re.compile(r"(\d[\d,]*(?:\.\d+)?) dollars")


def amount(value: float, unit: str = "") -> str:
    """Return a number rounded to relevant digits, with its sign of currency or percent; other units are left to
    words.
    """
    size = abs(value)
    if sign := SIGNS.get(unit[:3]):
        places = 0 if size >= 100 or size == int(size) else 2
        return f"{'-' if value < 0 else ''}{sign}{size:,.{places}f}"
    text = f"{value:,.{0 if size >= 100 else 1 if size >= 1 else 2}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}%" if unit.startswith("%") else text


def period(unit: str) -> str:
    """Return the rest of a unit after its sign as words with a leading space: ` a month`, ` tickets`, or nothing."""
    what, _, per = unit.partition("/")
    words = f"a {per}" if per else unit
    bare = words[3:] if words[:3] in SIGNS else words.removeprefix("%")
    return f" {rest}" if (rest := bare.strip()) and what else ""


def readable(text: str, unit: str = "") -> str:
    """Return a belief's value for use in a sentence: numbers rounded, anything else unchanged."""
    bare = text.rstrip("%")
    held = number(bare)
    if held is None or not re.fullmatch(r"-?[\d.,]+", bare):
        return text
    return amount(held, "%" if text.endswith("%") else unit)


def without_repetition(text: str) -> str:
    """Return a template's sentence with dollar amounts in the currency of the business, named once."""
    said = _TWICE.sub(r"\1", text)
    return said if home() == DOLLARS else _BARE.sub(rf"{sign_of()}\1", said)
