"""Multiply the prices of a table: by a number of the question, or by the numbers of another column.

named_amounts("What costs the cow, for three days?")    # (three days,)
"""

import re
from calendar import month_abbr, month_name
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.row_selection import all_stems
from mabos.tools.requests.answers.sheets import Rows, Sheet
from mabos.tools.requests.answers.synonyms import core, question_forms
from mabos.workspace.text import terms

_FEW, _MOST = 2, 12
_SEVERAL = re.compile(
    r"\b(?:two|three|four|five) (?=(?:\d+|\w+teen|\w+ty|ten|six|seven|eight|nine|eleven|twelve)\b)", re.I
)
"""How many there are of things that a number tells apart: "the two sixteen-seaters"."""
_THESE = re.compile(r"\b(?:the|these|those|all|both)\W*$", re.IGNORECASE)
_SOLD = frozenset(core("sold let hired taken booked count quantity visits bookings rentals"))
_TAKING = frozenset(core("rich tickets times price earn bring money weeks bring in takings revenue income"))
_MONTHS = frozenset(name.lower() for name in (*month_name, *month_abbr) if name)
SPANS = frozenset(
    terms("day days week weeks month months year years hour hours minute minutes time times o clock am pm")
)
_TIMES = question_forms("in_table_queries")["times"]


@dataclass(frozen=True, slots=True)
class TableProduct:
    """Prices multiplied, in words: the rows, and the stems of the question that it explains."""

    text: str
    rows: Rows
    used: frozenset[str]


def named_amounts(text: str) -> list[SpokenAmount]:
    """Return the counts in a question, without sums of money and parts of dates."""
    text = _SEVERAL.sub("", text.replace("-", " "))
    found = [one for one in amounts_in(text) if one.kind == "count" and (one.value > _FEW or one.unit)]
    return [one for one in found if one.unit not in _MONTHS and not _THESE.search(text[: one.start])]


def times_number(sheet: Sheet, text: str, rows: Rows, price: int, used: Collection[str]) -> TableProduct | None:
    """Return the price of each row times a number of a question: "for three days", "1,200 pieces of it".

    `used` are the stems that chose the rows: a number among them multiplies nothing.
    """
    per = set(all_stems(sheet.table.header[price]))
    given = [one for one in named_amounts(text) if set(used).isdisjoint(all_stems(one.words))]
    fitting = [one for one in given if one.unit not in SPANS or set(all_stems(one.unit)) & per]
    told = [
        f"{sheet.title(row)} {sheet.say(value, price)} x {one.value:g} = {sheet.say(value * one.value, price)}"
        for one in fitting[:1]
        for _, row in rows
        if (value := sheet.number(row, price)) is not None
    ]
    if not told:
        return None
    stems = frozenset(stem for one in given for stem in (*all_stems(one.words), *all_stems(one.unit)))
    lead = f"{sheet.header(price)} times {fitting[0].value:g}"
    return TableProduct(f"{lead}: {'; '.join(told)} ({sheet.place})", rows, stems)


def times_column(
    sheet: Sheet, question: Question, rows: Rows, price: int, columns: Sequence[int]
) -> TableProduct | None:
    """Return the prices of rows times what was sold of each, and the sum; the highest where "which" is asked."""
    count = next((at for at in columns if _SOLD & set(all_stems(sheet.table.header[at]))), None)
    if count is None or not _TIMES.search(question.text):
        return None
    sums = [(one, (sheet.number(one[1], price) or 0) * (sheet.number(one[1], count) or 0)) for one in rows]
    if re.search(r"\bwhich\b", question.text, re.IGNORECASE) and len(sums) > 1:
        sums = [max(sums, key=lambda one: one[1])]
    parts = "; ".join(
        f"{sheet.title(row)} {sheet.cell(row, price)} x {sheet.cell(row, count)} = {sheet.say(value, price)}"
        for (_, row), value in sums[:_MOST]
    )
    total = f"; total {sheet.say(round(sum(value for _, value in sums), 2), price)}" if len(sums) > 1 else ""
    text = f"{sheet.header(price)} times {sheet.header(count)}: {parts}{total} ({sheet.place})"
    return TableProduct(text, [one for one, _ in sums], frozenset(set(question.topic) & _TAKING))
