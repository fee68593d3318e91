"""The figures of a question as typed slots: their kind, surrounding words, period and direction."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.wording import ANY, ATTITUDE, Phrasing

WORDS = packaged_yaml("reasoning_words.yaml")["slots"]
UP: str = WORDS["up"]
DOWN: str = WORDS["down"]
_MOVE = re.compile(rf"\b(?:(?P<up>{UP})|(?P<down>{DOWN}))\b", re.IGNORECASE)
_PERIOD = re.compile(WORDS["period"])
_LY = {"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year"}
_TIME = re.compile(r"\s*(?P<unit>day|week|month|quarter|year)s?\b", re.IGNORECASE)
_CENTS = re.compile(r"\s?(?:cents?|ct|pence)\b", re.IGNORECASE)
_MONTHS = {"month": 1.0, "quarter": 3.0, "year": 12.0}
BREAK = re.compile(r"[,;:]|\s(?:and|but|or)\s")
_SCOPE = re.compile(r"(?i)(\b(?:of|among|out of|for) [^,;«]+),\s*$")
_NO_NOUN = frozenset(WORDS["no_noun"].split())


@dataclass(frozen=True, slots=True)
class FigureSlot:
    """A figure with its surrounding words, from the previous figure to the next, within its sentence.

    `period` is how often it recurs, `span` the unit of time that it counts; `move` is 1 or -1 after a verb of rising or
    falling.
    """

    at: tuple[int, int]
    value: float
    kind: str
    before: str
    after: str
    noun: str = ""
    period: str = ""
    span: str = ""
    move: int = 0


def slots(q: Phrasing) -> list[FigureSlot]:
    """Return the figures of a question in order."""
    return list(_slots(q))


def _slots(q: Phrasing) -> Iterator[FigureSlot]:
    marks = [*re.finditer(ANY, q.plain)]
    for place, mark in enumerate(marks):
        start, end = next((span for span in q.sentences() if span[0] <= mark.start() < span[1]), (0, len(q.plain)))
        low = max(start, marks[place - 1].end() if place else 0)
        high = min(end, marks[place + 1].start() if place + 1 < len(marks) else len(q.plain))
        before, after = q.plain[low : mark.start()], q.plain[mark.end() : high]
        token = mark[0]
        near = re.split(r"[,;.?]|\s(?:and|but|or)\s", after)[0]
        time = _TIME.match(after)
        own = _PERIOD.search(near) or _PERIOD.search(re.split(r"[,;]|\s(?:and|but|or|plus)\s", before)[-1])
        unit = (own["unit"] or _LY.get(own["ly"].casefold(), "year")).casefold() if own else ""
        moves = [*_MOVE.finditer(before)]
        move = 0 if not moves else 1 if moves[-1]["up"] else -1
        noun = re.match(r"\s*(?:of (?:our|the|its|my) )?(?P<noun>[a-z]{3,})", after)
        yield FigureSlot(
            mark.span(),
            q.value(token) / (100 if token[1] == "n" and _CENTS.match(after) else 1),
            token[1],
            before,
            after,
            noun["noun"] if noun and not time and noun["noun"] not in _NO_NOUN else "",
            unit,
            time["unit"].casefold() if time and token[1] == "n" else "",
            move,
        )


def clause_of(slot: FigureSlot) -> str:
    """Return the words around a figure up to the next comma or conjunction on both sides."""
    before = _SCOPE.sub(r"\1 ", slot.before)  # "of the others, 8% do" is one clause
    return f"{BREAK.split(before)[-1]}«»{BREAK.split(slot.after)[0]}"


def distinct(found: Sequence[FigureSlot]) -> tuple[list[FigureSlot], list[FigureSlot]]:
    """Return the figures, and those that repeat an earlier one in its unit."""
    kept, repeated = list[FigureSlot](), list[FigureSlot]()
    for one in found:
        same = [each for each in kept if (each.value, each.kind, each.span) == (one.value, one.kind, one.span)]
        is_back = re.search(r"\b(?:the|those|these|that)\s*$|['\"‘“]$", one.before, re.IGNORECASE) is not None
        is_back = is_back or ATTITUDE.search(one.before) is not None
        (repeated if same and is_back else kept).append(one)
    return kept, repeated


def in_unit(count: float, of: str, unit: str) -> float | None:
    """Return a number of time units in another unit; None if that is not exact."""
    if of == unit:
        return count
    if of in _MONTHS and unit in _MONTHS:
        return round(count * _MONTHS[of] / _MONTHS[unit], 9)
    return None
