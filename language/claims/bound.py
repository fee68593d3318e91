"""Check that a recorded number belongs to the record, month, row, label or sum that the reply names.

A number is wrong here only where the evidence has another one for the very thing that the reply names: the figure of
that month, the row of that name, the record with that id, the target; or where the reply's own arithmetic fails.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from mabos.language.claims.binding import day_told
from mabos.language.claims.days import day_spans
from mabos.language.claims.derived import words_beside
from mabos.language.claims.figures import WrittenFigure, figures_in, tells
from mabos.language.claims.index import EvidenceText, Occurrence, index_of
from mabos.language.claims.reply import ReplyFigure, ReplyText, codes_in
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.claims.tables import by_shape, choose_rows, number_cell
from mabos.language.wordlists import order_form

Name = TypeVar("Name", str, frozenset[str])

_COURSE = re.compile(
    r"^- (?P<name>[^:\n]{2,60}): (?P<value>[^,;\n]{1,24}), (?P<month>[A-Z][a-z]+ \d{4})[^;\n]*"
    r"(?:; before: (?P<before>[^;\n]+))?",
    re.MULTILINE,
)
_PAST = re.compile(r"(?P<value>[$€£]?\d[\d,.]*)\s?%? (?P<month>[A-Z][a-z]+ \d{4})")
_REST = r"(?:about |some |only )?[$€£]?$"
_GAP_BEFORE = re.compile(
    r"(?i)\b(?:a (?:difference|rise|fall|drop|increase|decrease|gap) of|(?:up|down),? by|"
    rf"(?:rose|fell|grew|dropped|increased|decreased|climbed) by) {_REST}"
)
_GAP_AFTER = order_form("claims_bound.gap_after")
_AIM = r"(?:at least|at most|more than|below|above|under|over|minimum|maximum|target|aim|threshold|limit|<=?|>=?)"
_AIMED = re.compile(rf"\b{_AIM}(?![a-z])[^\d\n.;]{{0,14}}[$€£]?$|[<>]=?\s?[$€£]?$", re.IGNORECASE)
_AIM_WORD = re.compile(rf"\b{_AIM}(?![a-z])|[<>]", re.IGNORECASE)
_AIM_TOLD = re.compile(
    r"(?i)\b(?:targets?|goal|plan|rule|threshold|limit)\b(?: (?:is|was|of|asks for|says|for|wants)){0,2} "
    rf"(?:(?:{_AIM}) )?(?:a |an )?[$€£]?$"
)
_COMPARED = re.compile(r"(?i)\b(?:against|targets?|than|versus|vs|below|above|at least|at most|asks?|from|to)\b")
_LABEL = re.compile(r"\b([a-z]{4,}) $")
_LABELS = re.compile(r"\b([a-z]{4,}) (\d{1,3})(?![\d.,]*\d)(?! ?(?:%|[$€£]))", re.IGNORECASE)
_NO_LABEL = order_form("claims_bound.no_label")
_FACT = re.compile(r"^- (?P<name>[A-Za-z][^:\n]{4,60}): [$€£]?\d[^\n]*", re.MULTILINE)
_COUNTED = re.compile(r"(?<![\w.,$€£:/-])(\d[\d,]*) ([a-z]{3,} [a-z]{3,})")
_NUMBERED = re.compile(r"\b([a-z]{3,}) (\d{1,4})\b")
_MORE = re.compile(r"\b(?:more|less|fewer|short|left|missing|higher|lower|above|below)\b", re.IGNORECASE)
_SIDE = re.compile(r"[,;:.()\n\d]")
_RATE_UNIT = re.compile(r"\s?(?:dollars |euros |pounds )?(?:an?|per|each|every) (day|week|month|quarter|year)\b", re.I)
_IN_ALL = re.compile(r"\s?(?:dollars |euros |pounds )?(?:in all|in total|altogether)\b", re.IGNORECASE)
_QUOTED = re.compile(r"['‘\"“]([^'’\"”\n]{3,60})['’\"”](?!\w)")
_OTHER_VALUE = order_form("claims_bound.other_value")
"""Before a value of something else that a record is compared with, or that it no longer has."""
_EDGE = re.compile(r"\n|(?<=[.!?])\s|;\s")
_SPANS = re.compile(r"[- ](?:days?|weeks?|months?|years?|hours?)\b", re.IGNORECASE)
_ROWS = 200
_LONG = 40_000


@dataclass(frozen=True, slots=True)
class Point:
    """A value of a figure in a month."""

    name: frozenset[str]
    month: tuple[int, int]
    value: float


def contradicts_its_own(one: ReplyFigure, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether the evidence has another number for the very thing to which a reply assigns this number."""
    return (
        (one.figure.kind == "count" and is_of_another_record(one, reply, support))
        or _is_of_another_row(one, reply, support)
        or _is_another_label(one, reply, support)
        or _is_another_aim(one, reply, support)
    )


def breaks_its_sum(one: ReplyFigure, reply: ReplyText, told: Sequence[tuple[EvidenceText, Occurrence]]) -> bool:
    """Return whether a reply calls a number the difference of two others in it, but it is not.

    A number that a text calls a difference is one.
    """
    if not _is_gap(one, reply) or any(_is_gap_told(text.text, found.at) for text, found in told):
        return False
    others = _values(reply, [one.sentence], one)
    if len(others) < 2:
        near = [at for at in (one.sentence - 1, one.sentence, one.sentence + 1) if 0 <= at < len(reply.sentences)]
        others = _values(reply, near, one)
    if len(others) < 2:
        return False
    gaps = [abs(x - y) for at, x in enumerate(others) for y in others[at + 1 :]]
    shares = [abs(x - y) / y * 100 for x in others for y in others if y]
    slack = 0.1 if one.figure.hedge == "about" else 0.0
    return not any(
        tells(one.figure, value) or abs(value - one.figure.values[0]) <= slack * value for value in (*gaps, *shares)
    )


def _is_gap(one: ReplyFigure, reply: ReplyText) -> bool:
    text = reply.sentences[one.sentence].text
    return bool(_GAP_BEFORE.search(text[: one.figure.start]) or _GAP_AFTER.match(text, one.figure.end))


def _is_gap_told(text: str, at: int) -> bool:
    after = re.sub(r"^[\d.,]*\d", "", text[at : at + 60].lstrip("$€£"))
    return bool(_GAP_BEFORE.search(text[max(0, at - 40) : at]) or _GAP_AFTER.match(after))


def _values(reply: ReplyText, positions: Sequence[int], besides: ReplyFigure) -> list[float]:
    return [one.figure.values[0] for one in reply.figures if one.sentence in positions and one is not besides]


# --- months -------------------------------------------------------------------


@lru_cache(maxsize=256)
def points_in(text: str) -> tuple[Point, ...]:
    """Return the monthly values of figures in lines of a briefing and in tables whose first column is a month."""
    return tuple(_points(text)) if len(text) <= _LONG else ()


def _points(text: str) -> Iterator[Point]:
    for line in _COURSE.finditer(text):
        name = stems_of(line["name"].replace("_", " ").replace("-", " "))
        told = [(line["value"], line["month"])]
        told += [(past["value"], past["month"]) for past in _PAST.finditer(line["before"] or "")]
        for value, month in told:
            number, when = number_cell(value.strip("$€£% ")), _month_of(month)
            if number is not None and when and name:
                yield Point(name, when, number)
    for row in index_of(text).rows[:_ROWS]:
        cells = list(row.items())
        when = _month_of(cells[0][1])
        for column, cell in cells[1:]:
            number, name = number_cell(cell), stems_of(column.replace("_", " ").replace("-", " "))
            if when and name and number is not None:
                yield Point(name, when, number)


def _month_of(words: str) -> tuple[int, int] | None:
    found = next((one for one in day_spans(words) if one.month and one.year), None)
    return (found.year, found.month) if found is not None else None


def is_of_another_month(one: ReplyFigure, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether a figure has another value in the month to which a reply assigns this one."""
    if _is_gap(one, reply) or (month := _told_month(one, reply)) is None:
        return False
    points = [point for text in support.texts for point in points_in(text.text)]
    here = [point for point in points if point.month[1] == month[1] and month[0] in (0, point.month[0])]
    if not here:
        return False
    words = stems_of(reply.sentences[one.sentence].text.replace("_", " ").replace("-", " "))
    meant = {point.name for point in here if point.name <= words} or _by_values(one, reply, points)
    values = [point.value for point in here if point.name in meant]
    return bool(values) and not any(tells(one.figure, value) for value in values)


def _told_month(one: ReplyFigure, reply: ReplyText) -> tuple[int, int] | None:
    span = day_told(one.figure, reply, one.sentence)
    if span is None or span.day:
        return None
    between = reply.sentences[one.sentence].text[span.end : one.figure.start]
    return None if _COMPARED.search(between) else (span.year, span.month)


def _by_values(one: ReplyFigure, reply: ReplyText, points: Sequence[Point]) -> set[frozenset[str]]:
    """Return the figures of which a sentence tells two or more values of their months, without their names."""
    found = dict[frozenset[str], set[tuple[int, float]]]()
    for other in reply.figures:
        if other.sentence != one.sentence or other is one or (month := _told_month(other, reply)) is None:
            continue
        for point in points:
            if point.month[1] == month[1] and tells(other.figure, point.value):
                found.setdefault(point.name, set()).add((month[1], point.value))
    most = max((len(values) for values in found.values()), default=0)
    return {name for name, values in found.items() if len(values) == most} if most > 1 else set()


# --- records, rows, labels and targets ----------------------------------------


def is_of_another_record(one: ReplyFigure, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether the lines with an id or a quoted name next to a number contain only other numbers."""
    text, figure = reply.sentences[one.sentence].text, one.figure
    is_span = figure.kind == "count" and bool(_SPANS.match(text, figure.end))
    if (figure.kind != "money" and not is_span) or _OTHER_VALUE.search(text[: figure.start]):
        return False
    start = text.rfind(";", 0, figure.start) + 1
    end = next((at for at in (text.find(";", figure.end),) if at >= 0), len(text))
    part = text[start:end]
    ids = [code[0] for code in codes_in(part) if "-" in code[0] and len(code[0]) > 6]
    lines = _lines_of(ids, support) or _lines_of([match[1] for match in _QUOTED.finditer(part)], support)
    known = [found for line in lines for found in _numbers_of(line)]
    if is_span:
        unit = text[figure.end :].lstrip(" -")[:3].lower()
        own = [value for line in lines for value in _spans_of(line, unit)]
    else:
        own = [found.values[0] for found in known if found.kind == "money"]
    if not own or any(tells(figure, value) for value in own):
        return False
    numbers = [value for found in known for value in found.values[:1]][:12]
    return not any(
        tells(figure, value)
        for at, x in enumerate(numbers)
        for y in numbers[at + 1 :]
        for value in (x * y, x + y, abs(x - y))
    )


def _lines_of(names: Sequence[str], support: EvidenceIndex) -> list[str]:
    return [line for each in support.texts for name in names for line in lines_with(each.text, name)]


@lru_cache(maxsize=1024)
def lines_with(text: str, name: str) -> tuple[str, ...]:
    """Return the lines and sentences of a text that contain a name, ignoring case."""
    if len(text) > _LONG or name.casefold() not in text.casefold():
        return ()
    return tuple(line for line in _EDGE.split(text) if name.casefold() in line.casefold())


@lru_cache(maxsize=1024)
def _numbers_of(line: str) -> tuple[WrittenFigure, ...]:
    return tuple(figures_in(line))


def _spans_of(line: str, unit: str) -> Iterator[float]:
    for found in _numbers_of(line):
        if line[found.end :].lstrip(" -")[:3].lower() == unit:
            yield found.values[0]


def _is_of_another_row(one: ReplyFigure, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether a number is in other rows than those that the words next to it name."""
    figure = one.figure
    if _is_gap(one, reply) or (figure.kind == "count" and figure.values[0] < 10 and not figure.step_is_fine):
        return False
    near, before, _ = words_beside(figure, reply, one.sentence)
    is_compared = _COMPARED.search(reply.sentences[one.sentence].text[max(0, figure.start - 12) : figure.start])
    for rows in (members for each in support.texts if len(each.text) <= _LONG for members in by_shape(each.rows)):
        kept, named = choose_rows(rows, stems_of(near))
        if not named and not is_compared:
            kept, named = choose_rows(rows, stems_of(before))
        for column, number in _NUMBERED.findall(before.lower())[-1:]:  # "week 42"
            if any(row.get(column) == number for row in rows):
                kept, named = [at for at in kept if rows[at].get(column) == number], named | {column}
        cells = [[number_cell(cell) for cell in row.values()] for row in rows]
        held = [any(value is not None and tells(figure, value) for value in row) for row in cells]
        if named and any(held) and not any(held[at] for at in kept):
            return True
    return False


def _is_another_label(one: ReplyFigure, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether a number names one of several things, as "washer 4", and the evidence has only others."""
    figure, text = one.figure, reply.sentences[one.sentence].text
    label = _LABEL.search(text[: figure.start].lower())
    if figure.kind != "count" or not label or _NO_LABEL.fullmatch(label[1]):
        return False
    known = {number for each in support.texts for number in labels_in(each.text).get(label[1], ())}
    return bool(known) and figure.values[0] not in known


@lru_cache(maxsize=256)
def labels_in(text: str) -> Mapping[str, frozenset[float]]:
    """Return the numbers after each word of a text, as 4 after "washer"."""
    found = _LABELS.finditer(text) if len(text) <= _LONG else ()
    return _group_values((match[1].lower(), float(match[2])) for match in found)


def _group_values(pairs: Iterable[tuple[Name, float]]) -> Mapping[Name, frozenset[float]]:
    found = dict[Name, set[float]]()
    for name, value in pairs:
        found.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in found.items()}


@lru_cache(maxsize=256)
def aims_in(text: str) -> tuple[float, ...]:
    """Return the target numbers of a text: those after "at least", "below", "target"."""
    lines = text.split("\n") if len(text) <= _LONG else ()
    return tuple(
        found.values[0]
        for line in lines
        if _AIM_WORD.search(line)
        for found in figures_in(line)
        if _AIMED.search(line[max(0, found.start - 40) : found.start])
    )


def _is_another_aim(one: ReplyFigure, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether a reply calls a number a target, and no text aims at it."""
    text = reply.sentences[one.sentence].text
    if not _AIM_TOLD.search(text[: one.figure.start]):
        return False
    aims = [value for each in support.texts for value in aims_in(each.text)]
    return bool(aims) and not any(tells(one.figure, value) for value in aims)


@lru_cache(maxsize=256)
def facts_in(text: str) -> Mapping[frozenset[str], frozenset[float]]:
    """Return the numbers of each line that names a fact by two words or more: "- warehouse staff: 17"."""
    lines = [(stems_of(one["name"].replace("_", " ")), one[0]) for one in _FACT.finditer(text)]
    known = lines if len(text) <= _LONG else []
    return _group_values(
        (name, value) for name, line in known if len(name) > 1 for each in _numbers_of(line) for value in each.values
    )


@lru_cache(maxsize=256)
def counted_in(text: str) -> Mapping[frozenset[str], frozenset[float]]:
    """Return the numbers by the two words after them: "17 warehouse staff"."""
    found = [(stems_of(one[2]), number_cell(one[1])) for one in _COUNTED.finditer(text[:_LONG])]
    return _group_values((name, value) for name, value in found if len(name) > 1 and value is not None)


def is_of_another_fact(
    one: ReplyFigure, reply: ReplyText, told: Sequence[tuple[EvidenceText, Occurrence]], support: EvidenceIndex
) -> bool:
    """Return whether the words next to a number name a fact on record, and all facts of these words differ.

    For mere counts in a sentence, a number that is in no text may be a part or a sum.
    """
    text, figure = reply.sentences[one.sentence].text, one.figure
    before, after = _sides(text, figure)
    if _OTHER_VALUE.search(text[: figure.start]) or _COMPARED.search(text[max(0, figure.start - 12) : figure.start]):
        return False
    if _MORE.search(after):
        return False
    sides, behind = (stems_of(before), stems_of(after)), stems_of(after) if told else frozenset()
    named = [
        (name, values)
        for each in support.texts
        for read, words in ((facts_in, sides), (counted_in, (behind,)))
        for name, values in read(each.text).items()
        if any(name <= side for side in words)
    ]
    return bool(named) and not any(
        any(tells(figure, value) for value in values) or any(name <= place.about(found.at) for place, found in told)
        for name, values in named
    )


def _sides(text: str, figure: WrittenFigure) -> tuple[str, str]:
    """Return the words before and after a number up to the next mark; none that another number bounds."""
    before, after = _SIDE.split(text[: figure.start])[-1], _SIDE.split(text[figure.end :], maxsplit=1)[0]
    is_mine = not text[: figure.start - len(before)][-1:].isdigit()
    is_last = not text[figure.end + len(after) :][:1].isdigit()
    return before if is_mine else "", after if is_last else ""


def breaks_its_product(one: ReplyFigure, reply: ReplyText) -> bool:
    """Return whether a sentence gives a rate, a number of periods and a total that do not multiply."""
    text = reply.sentences[one.sentence].text
    mine = [each.figure for each in reply.figures if each.sentence == one.sentence]
    rates = [
        (each, unit[1].lower()) for each in mine if each.kind == "money" and (unit := _RATE_UNIT.match(text, each.end))
    ]
    totals = [each for each in mine if each.kind == "money" and _IN_ALL.match(text, each.end)]
    counts = [each for each in mine if rates and each.noun.removesuffix("s") == rates[0][1]]
    if not len(rates) == len(totals) == len({each.values for each in counts}) == 1 or one.figure not in (
        *totals,
        *counts,
    ):
        return False
    return not tells(totals[0], rates[0][0].values[0] * counts[0].values[0])
