"""Compute with two columns of a table, or with one and a number of the question: products and differences.

named_amounts("What costs the cow, for three days?")    # (three days,)
"""

import re
from calendar import month_abbr, month_name
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.society.german_terms import gloss, in_english
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.row_selection import NEAR, all_stems
from mabos.tools.requests.answers.sheets import YES, Rows, Sheet
from mabos.tools.requests.answers.synonyms import core, covering, likeness, question_forms, question_words
from mabos.workspace.currencies import MARKS
from mabos.workspace.dates import day_named
from mabos.workspace.text import STOPWORDS, terms

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
_FORMS = question_forms("in_table_queries")
_TIMES, _MORE, _LESS, _EXTREME = (_FORMS[name] for name in ("times", "more", "less", "extreme"))
_BEFORE = frozenset(core(question_words()["columns_before"]))
"""Stems of headers of what was agreed or was before: "hours quoted", "old price"."""
_PAYMENT = frozenset(core("paid settled received payment status state"))
_PAID = frozenset({"paid", "bezahlt", "unpaid", "settl"})
_OWED = _FORMS["owed"]
_OWING = frozenset(core("owe owes owed owing unpaid outstanding balance pay paid still open left"))


@dataclass(frozen=True, slots=True)
class TableProduct:
    """What two columns give, in words: the rows, and the stems of the question that it explains."""

    text: str
    rows: Rows
    used: frozenset[str]
    column: int | None = None


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


def gap_of_columns(sheet: Sheet, question: Question, rows: Rows) -> TableProduct | None:
    """Return the rows in which one column exceeds another, by how much, or that with the largest gap.

    "Which jobs took more hours than we quoted?", "Which cask has lost most?"
    """
    more, less = _MORE.search(question.text), _LESS.search(question.text)
    pair = _columns_compared(sheet, question) if more or less else None
    if pair is None:
        return None
    before, after = pair
    sign = 1 if more and not less else -1
    gaps = [
        (one, sign * (later - earlier))
        for one in rows
        if (later := sheet.number(one[1], after)) is not None
        and (earlier := sheet.number(one[1], before)) is not None
        and sign * (later - earlier) > 0
    ]
    if _EXTREME.search(question.text):
        gaps = [one for one in gaps if one[1] == max(gap for _, gap in gaps)]
    word = "more" if sign > 0 else "less"
    told = "; ".join(
        f"{sheet.title(row)}: {sheet.header(after)} {sheet.cell(row, after)}, {sheet.header(before)} "
        f"{sheet.cell(row, before)}, {_mark(row[after])}{sheet.say(gap, after)} {word}"
        for (_, row), gap in gaps[:_MOST]
    )
    is_added = len(gaps) > 1 and not _RATES.search(sheet.header(after))
    total = f"; {sheet.say(sum(gap for _, gap in gaps), after)} together" if is_added else ""
    used = {stem for form in (_MORE, _LESS, _EXTREME) for one in form.finditer(question.text) for stem in core(one[0])}
    text = f"{told or f'none has {word} {sheet.header(after)} than {sheet.header(before)}'}{total} ({sheet.place})"
    return TableProduct(text, [one for one, _ in gaps], frozenset(used | _naming_stems(sheet, question, pair)))


_CURRENCIES = frozenset({"usd", "eur", "gbp"})
_WEAK = re.compile(r"(?i)over|under|up|down|above|below|short|more|less")
_RATES = re.compile(r"price|rate|cost|percent|score")


def _mark(cell: str) -> str:
    """Return the sign of a currency before a number in a cell."""
    found = re.match(rf"\W*?({MARKS})", cell)
    return found[1] if found else ""


def _naming_stems(sheet: Sheet, question: Question, columns: Sequence[int]) -> set[str]:
    """Return the stems of a question that name these columns."""
    own = [stem for at in columns for stem in all_stems(sheet.table.header[at])]
    return {one for one in question.topic if any(likeness(one, stem) >= NEAR for stem in own)}


def _columns_compared(sheet: Sheet, question: Question) -> tuple[int, int] | None:
    """Return the column of what was agreed or was before, and that of what came, of the pair that is meant."""
    able = [at for at in sheet.numbers if at not in sheet.keys]
    stems = {at: set(all_stems(sheet.table.header[at])) - STOPWORDS - _CURRENCIES for at in able}
    pairs = [
        (one, other)
        for one in able
        for other in able
        if stems[one] & _BEFORE and not stems[other] & _BEFORE and (stems[one] - _BEFORE) & stems[other]
    ]
    if _WEAK.fullmatch((_MORE.search(question.text) or _LESS.search(question.text) or [""])[0]):
        pairs = [one for one in pairs if _naming_stems(sheet, question, one)]
    pairs.sort(key=lambda pair: -len(_naming_stems(sheet, question, pair)))
    return pairs[0] if pairs else None


_WE_OWE = re.compile(r"(?i)\b(?:do|did|does) (?:we|i)\b.*\bowe\b|\b(?:we|i) owe\b|\b(?:we|i) .*\bpay\b")
_DEBTORS = frozenset(core("customer client tenant debtor guest buyer member"))


def left_to_pay(sheet: Sheet, question: Question, rows: Rows, *, is_extreme: bool) -> TableProduct | None:
    """Return what is still to be paid: a sum less the one that was paid, or rows that are not marked as paid."""
    text = question.text
    if not _OWED.search(text) or (_WE_OWE.search(text) and any(_DEBTORS & set(core(it)) for it in sheet.table.header)):
        return None  # what others owe us is not what we owe
    until = next((at for at in sheet.dates if {"paid", "until"} <= set(all_stems(sheet.table.header[at]))), None)
    if until is not None and not is_extreme:
        late = [one for one in rows if (day := sheet.day(one[1], until)) is not None and day < question.today]
        told = [f"{', '.join(cell for cell in row if cell)}" for _, row in late[:_MOST]]
        lead = f"{sheet.header(until)} before today"
        return TableProduct(
            f"{lead}: {'; '.join(told) or 'nobody'} ({sheet.place})", late, frozenset(core("paid")), until
        )
    if not is_extreme and (unpaid := _unpaid_rows(sheet, text, rows)):
        return unpaid
    paid = next((at for at in sheet.numbers if {"paid", "receiv"} & set(all_stems(sheet.table.header[at]))), None)
    if paid is None and not is_extreme:
        wanted = next((at for at in sheet.money if _OWING & set(all_stems(sheet.table.header[at]))), None)
    else:
        wanted = next((at for at in sheet.money if at != paid), None) if paid is not None else None
    if wanted is None:
        return None
    came = {at: 0.0 if paid is None else sheet.number(row, paid) or 0.0 for at, row in rows}
    left = [(one, (sheet.number(one[1], wanted) or 0.0) - came[one[0]]) for one in rows]
    nothing = re.search(r"\bat all\b|\bnothing\b|\banything\b", text, re.IGNORECASE)
    left = [(one, gap) for one, gap in left if gap > 0 and not (nothing and came[one[0]])]
    of_paid = "" if paid is None else f" ({sheet.header(wanted)} {{}}, {sheet.header(paid)} {{}})"
    told = [
        f"{sheet.title(row)} {sheet.say(gap, wanted)}"
        + of_paid.format(sheet.cell(row, wanted), (paid is not None and sheet.cell(row, paid)) or "nothing")
        for (_, row), gap in left[:_MOST]
    ]
    lead = sheet.header(wanted) if paid is None else "still to be paid"
    used = frozenset(set(question.topic) & _OWING)
    values = [gap for _, gap in left]
    text = f"{lead}: {'; '.join(told) or 'nothing'}{_rest_and_sum(sheet, values, wanted, len(left))} ({sheet.place})"
    return TableProduct(text, [one for one, _ in left], used, wanted if paid is None else paid)


def _unpaid_rows(sheet: Sheet, text: str, rows: Rows) -> TableProduct | None:
    """Return the rows whose column of payments does not say yes, with their sums."""
    state = next((at for at in sheet.flags if _PAYMENT & set(core(sheet.table.header[at]))), None)
    states = {row[state].casefold() for _, row in rows if state < len(row)} if state is not None else set[str]()
    if state is None or not sheet.money or not (states & _PAID or _PAID & set(core(sheet.table.header[state]))):
        return None
    left = [one for one in rows if state >= len(one[1]) or one[1][state].casefold() not in YES]
    who = [at for at in sheet.people if re.search(r"(?i)\bwhos?e?\b|\bwhich (?:customer|client|guest)", text)][:1]
    told = [
        f"{', '.join([*(row[at] for at in who), sheet.title(row)])} {sheet.cell(row, sheet.money[0])} "
        f"({sheet.header(state)} {row[state] or 'nothing'})"
        for _, row in left[:_MOST]
    ]
    is_partly = any(re.search(r"\d", row[state]) for _, row in left)
    values = [] if is_partly else [sheet.number(row, sheet.money[0]) or 0.0 for _, row in left]
    used = frozenset(core("money unpaid")).union(*(core(one[0]) for one in _OWED.finditer(text)))
    rest = _rest_and_sum(sheet, values, sheet.money[0], len(left))
    return TableProduct(f"still to be paid: {'; '.join(told) or 'nothing'}{rest} ({sheet.place})", left, used)


def _rest_and_sum(sheet: Sheet, values: Sequence[float], column: int, number: int) -> str:
    """Return how many rows are not named, and the sum of all."""
    rest = f" and {number - _MOST} more" if number > _MOST else ""
    return rest + (f", {sheet.say(sum(values), column)} together" if len(values) > 1 else "")


_IN_LINE = re.compile(
    r"(?i)\b(?:(?P<first>first|next)|last) (?:on|in) (?:the|our) (?P<list>(?:\w+ )?(?:list|queue|line))\b"
)


def place_in_line(sheet: Sheet, text: str) -> tuple[int, str] | None:
    """Return the index of the row that is first or last on a list that this sheet is, and its words, or None."""
    file = sheet.document.file.rpartition(".")[0]
    around = [*core(f"{file} {gloss(file)} {in_english(file)}"), *core(sheet.table.name)]
    place = _IN_LINE.search(text)
    if place is None or not all(covering(stem, around) for stem in core(place["list"])):
        return None
    return (0 if place["first"] else -1), place[0]


def asks_of_debts(text: str) -> bool:
    """Return whether a question is about what is still to be paid, or about what is late."""
    return _OWED.search(text) is not None


def without_paid(sheet: Sheet, rows: Rows) -> Rows:
    """Return the rows that are not marked as paid, by a yes or by a day, where a column says so."""
    able = [at for at in (*sheet.flags, *sheet.dates) if "paid" in all_stems(sheet.table.header[at])]
    paid = next((at for at in able if "until" not in all_stems(sheet.table.header[at])), None)
    if paid is None:
        return rows
    return [
        one for one in rows if paid >= len(one[1]) or not (one[1][paid].casefold() in YES or day_named(one[1][paid]))
    ]


def is_whole_list(sheet: Sheet, question: Question) -> bool:
    """Return whether a question for people has the words of a short list alone: "Who is past due?"."""
    file = core(sheet.document.file.rpartition(".")[0])
    is_named = sum(one in file for one in question.stems) >= _FEW and set(question.topic) <= set(file)
    return is_named and question.asks("who") and len(sheet.table.rows) <= _MOST
