"""The figures of a question as typed slots: their kind, surrounding words, period and direction.

A method lists the slots that it takes in a table: for each role the kind of figure, its cue words, and whether it
recurs. `assign_roles` gives every figure of the question one role; where a figure has none, or two assignments are
equally good, there is no reading. Wording matters only through those tables.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from mabos.knowledge.reasoning.questions.wording import ANY, Phrasing

UP = (
    r"(?:rais\w*|increas\w*|put up|lift\w*|ris(?:e|es|ing)|rose|go(?:es)? up|grow\w*|grew|gain\w*|add\w*|wins?|"
    r"climb\w*|"
    r"expand\w*|up)"
)
DOWN = (
    r"(?:lower\w*|cut\w*|reduc\w*|drop\w*|decreas\w*|los\w+|fall\w*|fell|go(?:es)? down|shrink\w*|shrank|declin\w*|"
    r"sinks?|sank|dwindl\w*|costs us|down|minus|fewer|less)"
)
_MOVE = re.compile(rf"\b(?:(?P<up>{UP})|(?P<down>{DOWN}))\b", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?i)\b(?:(?:a|per|each|every) (?P<unit>day|week|month|quarter|year)|(?P<ly>daily|weekly|monthly|quarterly|yearly|"
    r"annual(?:ly)?))\b"
)
_LY = {"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year"}
_TIME = re.compile(r"\s*(?P<unit>day|week|month|quarter|year)s?\b", re.IGNORECASE)
_MONTHS = {"month": 1.0, "quarter": 3.0, "year": 12.0}
_MOST = 6
_NO_NOUN = frozenset(
    ["euro", "euros", "dollar", "dollars", "pounds", "each", "apiece", "per", "and", "from", "more", "left", "every"]
)


@dataclass(frozen=True, slots=True)
class FigureSlot:
    """A figure with the words since the one before it and up to the next, both within its sentence.

    `period` is how often it recurs, `span` the unit of time that it counts; `move` is 1 or -1 where a verb of rising or
    falling leads to it.
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


@dataclass(frozen=True, slots=True)
class SlotRole:
    """What a method takes: a kind of figure ("n" or "p"), words before or behind it, and whether it recurs.

    `follows_role` names a role whose figure must stand earlier: the new price behind the old one.
    """

    kind: str
    leads: str = ""
    follows: str = ""
    recurs: bool | None = None
    is_span: bool = False
    follows_role: str = ""
    lacks: str = ""

    def weight(self, slot: FigureSlot) -> int:
        """Return how well a figure fits: 0 not at all, else more for words near it."""
        if slot.kind != self.kind or bool(slot.span) != self.is_span:
            return 0
        if self.recurs is not None and bool(slot.period) != self.recurs:
            return 0
        found = [*re.finditer(rf"\b(?:{self.leads})", slot.before, re.IGNORECASE)] if self.leads else []
        if found:
            return 1000 - min(400, len(slot.before) - found[-1].end())
        behind = (
            re.match(rf"\W*(?:\w+\W+){{0,2}}?(?:{self.follows})\b", slot.after, re.IGNORECASE) if self.follows else None
        )
        return 500 if behind else 0


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
        own = _PERIOD.search(near) or _PERIOD.search(re.split(r"[,;]|\s(?:and|but|or)\s", before)[-1])
        unit = (own["unit"] or _LY.get(own["ly"].casefold(), "year")).casefold() if own else ""
        moves = [*_MOVE.finditer(before)]
        move = 0 if not moves else 1 if moves[-1]["up"] else -1
        noun = re.match(r"\s*(?:of (?:our|the|its|my) )?(?P<noun>[a-z]{3,})", after)
        yield FigureSlot(
            mark.span(),
            q.value(token),
            token[1],
            before,
            after,
            noun["noun"] if noun and not time and noun["noun"] not in _NO_NOUN else "",
            unit,
            time["unit"].casefold() if time and token[1] == "n" else "",
            move,
        )


def assign_roles(found: Sequence[FigureSlot], roles: Mapping[str, SlotRole]) -> dict[str, FigureSlot] | None:
    """Return the figure of each role where all figures are used and no other assignment is as good."""
    if len(found) != len(roles) or len(found) > _MOST:
        return None
    names, ways = list(roles), list[tuple[int, tuple[FigureSlot, ...]]]()
    for order in permutations(found):
        weights = [roles[name].weight(slot) for name, slot in zip(names, order, strict=True)]
        at = dict(zip(names, (slot.at for slot in order), strict=True))
        is_in_order = all(at[one.follows_role] < at[name] for name, one in roles.items() if one.follows_role in at)
        if all(weights) and is_in_order:
            ways.append((sum(weights), order))
    ways.sort(key=lambda way: -way[0])
    if not ways or (len(ways) > 1 and ways[0][0] == ways[1][0]):
        return None
    return dict(zip(names, ways[0][1], strict=True))


def lacking(found: Sequence[FigureSlot], roles: Mapping[str, SlotRole]) -> list[str]:
    """Return the open roles if all roles but one are taken: the missing input of one method."""
    for order in permutations(list(roles), len(found)) if 0 < len(found) == len(roles) - 1 else ():
        if all(roles[name].weight(slot) >= 900 for name, slot in zip(order, found, strict=True)):
            return [roles[name].lacks for name in roles if name not in order]
    return []


def in_unit(count: float, of: str, unit: str) -> float | None:
    """Return so many units of time as another unit; None where that is not exact."""
    if of == unit:
        return count
    if of in _MONTHS and unit in _MONTHS:
        return round(count * _MONTHS[of] / _MONTHS[unit], 9)
    return None
