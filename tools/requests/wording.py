"""Amounts, dates and lists in the form for replies.

>>> day("2026-11-20T08:00:00Z"), join_words(["rent", "heat", "light"]), format_count(2, "goal")
('20 November 2026', 'rent, heat and light', '2 goals')
"""

from collections.abc import Iterable

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import parse_time
from mabos.workspace.dates import MONTHS
from mabos.workspace.text import one_line


def day(text: str) -> str:
    """Return the day of an ISO 8601 time in the form 20 November 2026; any other text unchanged."""
    try:
        at = parse_time(text)
    except InvalidArgument:
        return text
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def join_words(parts: Iterable[str], joint: str = "and") -> str:
    """Return several texts as one enumeration, the last after `joint`."""
    several = list(parts)
    if len(several) < 2:
        return "".join(several)
    return f"{', '.join(several[:-1])} {joint} {several[-1]}"


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def quote_text(text: str) -> str:
    """Return a text on one line in quotation marks that it does not contain."""
    line = one_line(text)
    return f'"{line}"' if "'" in line else f"'{line}'"


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop, unless it already ends in a mark; lines are kept."""
    line = text.strip().rstrip(",;: ")
    if not line:
        return ""
    return f"{line[0].upper()}{line[1:]}{'' if line[-1] in '.!?…' else '.'}"


def sentences(parts: Iterable[str]) -> str:
    """Return texts as consecutive sentences, without empty ones."""
    return " ".join(filter(None, map(sentence, parts)))
