"""Numbers that follow from supported ones: sums, differences, products, shares, changes and bills."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mabos.language.claims.days import day_spans
from mabos.language.claims.figures import WrittenFigure, tells
from mabos.language.claims.index import EvidenceText, Occurrence
from mabos.language.claims.reply import ReplyFigure, ReplyText
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import SHORT, EvidenceIndex
from mabos.language.claims.tables import by_shape, choose_rows, is_cut, number_cell, rows_at
from mabos.language.wordlists import order_form
from mabos.workspace.currencies import CURRENCIES
from mabos.workspace.dates import MONTHS

CURRENCY_WORDS = {one: code for word, code in CURRENCIES.items() if word.isalpha() for one in stems_of(word)}
COMMON = 100
"""Below this a whole number is so common that more than its value must fit."""
_MONTHS = stems_of(" ".join((*MONTHS, *(month[:3] for month in MONTHS))))
_VAGUE = _MONTHS | {"time", "metric", "figur", "last", "new", "numb"}
_PER = re.compile(r"\s*(?:an?|per|each|every|/)\s?(day|week|month|quarter|year)\b", re.IGNORECASE)
_RATE = re.compile(r"\b(?:an?|per|each|every|times|fold|average)\b|/", re.IGNORECASE)
_CHANGE = order_form("claims_derived.change")
_TOTAL = re.compile(r"(?i)\b(?:together|altogether|in all|in total|(?:come|comes|came|add|adds|added) (?:up )?to)\b")
_CLAUSE_END = re.compile(r"[,;:]|\s(?:and|but|while)\s|\d", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|averag\w+|mean|on average|typical(?:ly)?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Operand:
    """A supported number: `text` and `passage` give its place, `column` its column, `about` the words next to it."""

    value: float
    kind: str
    text: int
    passage: int
    about: frozenset[str]
    column: str = ""


def follows(
    figure: WrittenFigure, reply: ReplyText, position: int, known: Sequence[ReplyFigure], support: EvidenceIndex
) -> bool:
    """Return whether a number of the sentence at `position` follows from supported ones."""
    about = reply.context(position)
    if _is_aggregate(figure, reply, position, support):
        return True
    sentence = stems_of(reply.sentences[position].text)
    is_change = bool(_CHANGE.search(reply.sentences[position].text))
    is_rate = bool(_RATE.search(reply.sentences[position].text))
    is_gap = figure.kind != "percent" and (is_change or (is_rate and figure.kind == "money"))
    named = sentence & frozenset().union(*(text.cell_stems for text in support.texts))
    mine = _own(reply, position, known, figure)
    theirs = [
        Operand(found.value, found.kind, id(text), text.passage_around(found.at)[1], words, text.column(found.at))
        for text, found, words in support.operands(about)
        if same_currency(figure, found, text)
    ]
    short = {id(text) for text in support.texts if len(text.text) <= SHORT and len(text.numbers) <= 10}
    return (
        any(_results(figure, a, b) for at, a in enumerate(mine) for b in mine[at + 1 :])
        or _is_bill(figure, mine)
        or _is_rate(figure, reply, position, support)
        or _is_extra(figure, mine, theirs)
        or any(_results(figure, a, b, is_rate=is_rate) for a in mine for b in theirs)
        or any(
            _results(figure, a, b, is_short=a.text in short, is_rate=is_rate)
            for at, a in enumerate(theirs)
            for b in theirs[at + 1 :]
            if _is_related(figure, a, b, about, sentence, is_short=a.text in short, is_change=is_change, is_gap=is_gap)
            and (is_gap or not a.column or a.passage == b.passage or named <= a.about | b.about)
        )
        or any(
            _is_bill(figure, [b for b in theirs if (b.text, b.passage) == place])
            for place in {(a.text, a.passage) for a in theirs}
        )
    )


def sums_up(
    figure: WrittenFigure, reply: ReplyText, position: int, known: Sequence[ReplyFigure], support: EvidenceIndex
) -> bool:
    """Return whether a number sums up a table, or follows from other numbers next to it in the reply."""
    mine = _own(reply, position, known, figure)
    is_own = any(_results(figure, a, b) for at, a in enumerate(mine) for b in mine[at + 1 :]) or _is_bill(figure, mine)
    return is_own or _is_aggregate(figure, reply, position, support)


def _is_aggregate(figure: WrittenFigure, reply: ReplyText, position: int, support: EvidenceIndex) -> bool:
    """Return whether a number sums up rows of a table, in the evidence or in the reply, or one row."""
    summed = [_totals(reply.rows, figure, reply, position, is_own=True)]
    for text in support.texts:
        if not is_cut(text.text) and same_currency(figure, Occurrence(0, "count", "", 0), text):
            summed.append(_totals(text.rows, figure, reply, position))
        if figure.kind == "money":
            summed.append(_of_rows(text, reply.context(position), stems_of(reply.sentences[position].text)))
    return any(tells(figure, value) for values in summed for value in values)


def _totals(
    rows: Sequence[Mapping[str, str]], figure: WrittenFigure, reply: ReplyText, position: int, *, is_own: bool = False
) -> Iterator[float]:
    """Yield the sums over the rows that a sentence names next to a number, and the means where it speaks of one.

    Of all rows only a column that the sentence names is summed, unless it says "in all" or the table is its own.
    """
    if len(rows) < 2:
        return
    sentence, about = reply.sentences[position].text, reply.context(position)
    is_mean, is_total = bool(_MEAN.search(sentence)), bool(_TOTAL.search(sentence)) or is_own
    for members in by_shape(rows):
        for kept, is_named in _named_rows(members, figure, reply, position):
            for column in members[0] if len(kept) > 1 else ():
                cells = [number_cell(members[at][column]) for at in kept]
                known = [value for value in cells if value is not None]
                if len(known) < 2 or len(known) < len(kept) / 2:
                    continue
                if is_named or is_total or stems_of(column.replace("_", " ")) & about:
                    yield from (sum(known), sum(known) / len(known)) if is_mean else (sum(known),)


def _named_rows(
    rows: Sequence[Mapping[str, str]], figure: WrittenFigure, reply: ReplyText, position: int
) -> Iterator[tuple[list[int], bool]]:
    """Yield the rows that the words next to a number name, or those up to it, or the sentence, or the one before.

    Where none names a row, they are all rows.
    """
    near, before, text = words_beside(figure, reply, position)
    spans = [one for one in day_spans(near) if one.month] or [one for one in day_spans(text) if one.month]
    earlier = reply.context(position - 1) if position else frozenset[str]()
    for words in (stems_of(near), stems_of(before), stems_of(text), earlier):
        kept, named = choose_rows(rows, words)
        if named:
            break
    some = [rows[at] for at in kept]
    dated = [[kept[at] for at in each] for each in rows_at(some, spans)] if spans else []
    yield from ((each, True) for each in dated)
    if not dated or _TOTAL.search(text):
        yield kept, bool(named)


def words_beside(figure: WrittenFigure, reply: ReplyText, position: int) -> tuple[str, str, str]:
    """Return the words next to a number up to other numbers, those before it, and its part of the sentence."""
    whole = reply.sentences[position].text
    start = whole.rfind(";", 0, figure.start) + 1
    text = whole[: whole.find(";", figure.end) if ";" in whole[figure.end :] else None]
    ends = [one.figure.end for one in reply.figures if one.sentence == position and one.figure.end <= figure.start]
    after = _CLAUSE_END.split(text[figure.end :], maxsplit=1)[0]
    near = text[max(ends, default=start) : figure.start]
    return f"{near} {after}", f"{text[start : figure.start]} {after}", text[start:]


def _of_rows(text: EvidenceText, about: frozenset[str], sentence: frozenset[str]) -> Iterator[float]:
    """Yield the remainders in a row, and those by another of its cells: a margin, and a margin a hectare."""
    rows = text.rows[:60]
    for row in [rows[at] for at in choose_rows(rows, sentence)[0]]:
        if not stems_of(" ".join(row.values())) & about:
            continue
        cells = [value for cell in list(row.values())[:10] if (value := number_cell(cell)) is not None]
        gaps = [x - y for x in cells for y in cells if x > y]
        yield from gaps
        yield from (result for gap in gaps for cell in cells if cell for result in (gap / cell, gap * cell))


def _own(reply: ReplyText, position: int, known: Sequence[ReplyFigure], figure: WrittenFigure) -> list[Operand]:
    """Return the supported numbers of the same sentence, its neighbours, and the list or table it sums up."""
    block = reply.sentences[position].block
    near = [
        other
        for other in known
        if other.figure is not figure
        and (
            abs(other.sentence - position) <= 1
            or reply.sentences[other.sentence].block in (block, block - 1, block - 2)
        )
    ]
    near.sort(key=lambda other: abs(other.sentence - position))
    found = []
    for other in sorted(near[:14], key=lambda other: (abs(other.sentence - position), other.figure.start)):
        about = stems_of(reply.sentences[other.sentence].text) or reply.context(other.sentence)
        found.append(Operand(other.figure.values[0], other.figure.kind, 0, other.sentence, about))
    return found


def same_currency(figure: WrittenFigure, found: Occurrence, text: EvidenceText) -> bool:
    """Return whether a number of the evidence may be in the currency of a figure."""
    if not figure.currency:
        return True
    if found.currency:
        return figure.currency == found.currency
    named = {CURRENCY_WORDS[word] for word in text.about(found.at) if word in CURRENCY_WORDS}
    return not named or figure.currency in named


def _is_related(
    figure: WrittenFigure,
    a: Operand,
    b: Operand,
    about: frozenset[str],
    sentence: frozenset[str],
    *,
    is_short: bool,
    is_change: bool,
    is_gap: bool,
) -> bool:
    """Return whether two numbers of the evidence are of one passage or column, of one measure, or both asked about."""
    if a.text != b.text or a.passage == b.passage:
        return a.text == b.text
    is_common = figure.kind == "count" and figure.values[0] < COMMON and not figure.step_is_fine
    if a.column or b.column:
        if a.column != b.column or (is_common and not is_change):
            return False
        return is_gap or _are_named(a.about - b.about, b.about - a.about, about, sentence)
    if len(a.about & about) > 1 and len(b.about & about) > 1:
        return True
    if is_common and is_short:
        return figure.values[0] in (a.value + b.value, abs(a.value - b.value))
    mine, theirs = a.about - _MONTHS, b.about - _MONTHS
    return not is_common and len(mine & theirs) >= 0.7 * len(mine | theirs)


def _are_named(a: frozenset[str], b: frozenset[str], about: frozenset[str], sentence: frozenset[str]) -> bool:
    """Return whether a sentence, or if it names neither its context, names both of two rows that have names."""
    asked = sentence if sentence & (a | b) else about
    return not a or not b or bool(a & asked) == bool(b & asked)


def _comparable(figure: WrittenFigure, a: Operand, b: Operand) -> bool:
    """Return whether two numbers measure the same, so that their sum or difference means something."""
    if a.text and a.text == b.text and (a.passage == b.passage or (a.column and a.column == b.column)):
        return True
    if _is_money(a) != _is_money(b):
        return False
    if figure.kind == "money" and _is_money(a):
        return True
    mine, theirs = a.about - _VAGUE, b.about - _VAGUE
    return bool(mine & theirs) or not mine or not theirs


def _is_money(operand: Operand) -> bool:
    """Return whether a number is money, by its sign, its column or, outside of a table, the words around it."""
    words = operand.column.lower().split("_") if operand.column else operand.about
    return operand.kind == "money" or any(word in words for word in CURRENCY_WORDS)


def _results(figure: WrittenFigure, a: Operand, b: Operand, *, is_short: bool = False, is_rate: bool = True) -> bool:
    """Return whether a figure is the sum, difference, product, ratio or change in percent of two numbers."""
    x, y = a.value, b.value
    if not x or not y:
        return False
    comparable = _comparable(figure, a, b) or (is_short and not _is_money(a) and not _is_money(b))
    if figure.kind == "percent":
        values = [abs(x - y) / y * 100, abs(x - y) / x * 100, x / y * 100, y / x * 100] if comparable else []
        values += [abs(x - y)] if a.kind == b.kind == "percent" else []
        return any(tells(figure, value) for value in values)
    is_common = figure.kind == "count" and figure.values[0] < COMMON and not figure.hedge and not figure.step_is_fine
    if is_common and (_is_money(a) or _is_money(b)):
        ratios = (x / y, y / x) if _is_money(a) and _is_money(b) else ()
        return any(abs(ratio - figure.values[0]) < 1e-6 for ratio in ratios)
    values = [x + y, abs(x - y)] if comparable else []
    if is_common and not is_rate:
        return figure.values[0] in values
    values += [x * y] if not a.column or a.column != b.column else []
    if a.kind == b.kind == "percent":
        values = [x + y, abs(x - y)]
    elif "percent" in (a.kind, b.kind):
        share, base = (x, y) if a.kind == "percent" else (y, x)
        values = [base * share / 100, base * (1 + share / 100), base * (1 - share / 100)]
        values += [abs(x - y)] if a.text and (a.text, a.passage) == (b.text, b.passage) else []  # "3.1 against 2.5 %"
    elif figure.kind == "money" or figure.step_is_fine:
        values += [x / y, y / x]
    else:
        values += [ratio for ratio in (x / y, y / x) if abs(ratio - round(ratio)) < 1e-6]
    return any(abs(value - figure.values[0]) < 1e-6 if is_common else tells(figure, value) for value in values)


def _is_rate(figure: WrittenFigure, reply: ReplyText, position: int, support: EvidenceIndex) -> bool:
    """Return whether money of a month, week or day is that of a recorded year, quarter or week, or the reverse."""
    text = reply.sentences[position].text
    unit = _PER.match(text, figure.end) or _PER.search(text)
    if not unit or figure.kind != "money":
        return False
    steps = {
        "day": (1 / 7, 1 / 5),
        "week": (7, 5, 1 / 52),
        "month": (1 / 12, 1 / 3),
        "quarter": (3, 1 / 4),
        "year": (12, 52, 4),
    }
    return any(
        tells(figure, found.value * step)
        for step in steps[unit[1].lower()]
        for text in support.texts
        for value in figure.values
        for found in text.near(value / step * 0.98 - 0.5, value / step * 1.02 + 0.5)
    )


def _is_extra(figure: WrittenFigure, mine: Sequence[Operand], theirs: Sequence[Operand]) -> bool:
    """Return whether money is the difference between an amount and a count of this sentence at a price."""
    money = [one.value for one in theirs if _is_money(one)][:8]
    counts = [one.value for one in mine if one.kind == "count"][:4]
    return figure.kind == "money" and any(
        tells(figure, abs(whole - count * price))
        for count in counts
        for price in money
        for whole in money
        if whole != price
    )


def _is_bill(figure: WrittenFigure, operands: Sequence[Operand]) -> bool:
    """Return whether a figure adds up numbers that are together, each count with the price after it."""
    same = [one for one in operands if one.kind == figure.kind]
    if len(same) > 2 and any(tells(figure, sum(one.value for one in same[:many])) for many in range(3, len(same) + 1)):
        return True
    first = [one for one in operands if one.passage == operands[0].passage] if operands else []
    total, count = 0.0, 0.0
    for one in first:
        if one.kind == "count":
            count = one.value
            continue
        total += one.value * (count or 1)
        count = 0.0
    return figure.kind == "money" and len(first) > 2 and tells(figure, total)
