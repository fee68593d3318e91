"""Answer questions over tables in any words, by the meaning of each word.

A word stands for a column, for the value of a cell, for the table itself, or for what is computed: the longest, the
next, how many, those without. The reading that explains most of a question is answered, and names what it used.

    answer_query(read_question("One boat still has no day for its winter check - which?", today), sheets)
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from operator import ge, gt, le, lt

from mabos.society.german_terms import cell_in_english
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label, is_within
from mabos.tools.requests.answers.question import Question, Superlative, find_superlative, superlatives
from mabos.tools.requests.answers.row_selection import (
    all_stems,
    build_answer,
    columns_per_unit,
    describe_cells,
    flag_of,
    flagged_rows,
    is_of_months,
)
from mabos.tools.requests.answers.sheets import Rows, Sheet
from mabos.tools.requests.answers.synonyms import core, likeness, question_forms, question_words
from mabos.tools.requests.answers.wording import join_words
from mabos.tools.requests.answers.work_items import is_uncommon
from mabos.workspace.text import STOPWORDS

_FORMS = question_forms("in_table_queries")
_MOST = 6
_SAME = 0.8
"""From which likeness a word stands for a cell."""
_NEAR = 0.45
"""From which likeness a word stands for a column."""
_MISSING = _FORMS["missing"]
_BOUND = _FORMS["bound"]
_NUMBER = re.compile(r"^\W*(?:than |of )?(?P<sign>[$€£])?\s?(?P<number>\d[\d,.]*)\s?(?P<unit>[a-z%]+)?", re.IGNORECASE)
_COMPARE = {"least": ge, "most": le, "above": gt, "below": lt}
_UNITS = {
    "m": "m metre metres meter meters", "kg": "kg kilo kilos kilograms", "km": "km kilometres kilometers",
    "l": "l litre litres liter liters", "cm": "cm centimetres", "h": "h hour hours", "min": "min minutes minute",
}  # fmt: skip
_OWED = _FORMS["owed"]
_OF_OTHERS = re.compile(r"\b(?:those|these|them|they|there|both|the (?:two|three|four))\b", re.IGNORECASE)
_OWING = frozenset(core("owe owes owed owing unpaid outstanding balance pay paid still open left"))
_DIMENSIONS = {
    "long": "length duration distance", "short": "length duration distance", "tall": "height", "high": "height",
    "heavi": "weight", "light": "weight", "old": "age", "young": "age", "big": "size area capacity volume",
    "larg": "size area capacity volume", "small": "size area capacity volume", "wide": "width", "deep": "depth",
    "fast": "speed", "hot": "temperature",
}  # fmt: skip
_OF_MONEY = _FORMS["of_money"]
_PRICED = frozenset(core("cheap dear expensive pricey costly"))
_ASKS_ROWS = re.compile(r"\b(?:which|who|whose|whom|what|list|name|names|how many|any|all|every\w*|are there)\b", re.I)
_GENERAL = frozenset(core(question_words()["of_rows"]))


_NOT = re.compile(r"\bnot\b|n['’]t\b|\bnever\b|\bno longer\b", re.IGNORECASE)


@dataclass(slots=True)
class _Read:
    """The columns, cells and likeness of the words of a question in one sheet."""

    columns: dict[int, float] = field(default_factory=dict)
    stems: dict[int, set[str]] = field(default_factory=dict)
    cells: dict[str, set[int]] = field(default_factory=dict)
    qualities: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, the share of the words of its question that it explains, and whether it was computed."""

    found: Found
    share: float
    is_computed: bool
    cells: tuple[str, ...] = ()
    """The cells that are asked for."""
    is_total: bool = False
    is_special: bool = False
    """Whether it says what is missing or owed, which no row says by itself."""
    is_narrow: bool = False
    """Whether a cell, a bound or a day chose the rows."""


def asks_special(text: str) -> bool:
    """Return whether a question may ask for what is missing or owed."""
    return bool(_MISSING.search(text) or _OWED.search(text))


def answer_query(question: Question, sheets: Sequence[Sheet], kept: object = None) -> Answered | None:
    """Return the answer from the table that explains most of a question; None if none explains half of it."""
    best: Answered | None = None
    for sheet in sheets:
        found = _Query(sheet, question, kept).answer()
        if found and found.share >= 0.5 and (best is None or found.share > best.share):
            best = found
    return best


class _Query:
    """A question read over one sheet."""

    def __init__(self, sheet: Sheet, question: Question, kept: object) -> None:
        self.sheet = sheet
        self.question = question
        self.text = question.text
        self.superlative = find_superlative(question.text)
        is_of_sheet = isinstance(kept, Mapping) and (kept.get("file"), kept.get("sheet")) == (
            sheet.document.file,
            sheet.table.name,
        )
        self.kept: Mapping[str, object] = kept if is_of_sheet and isinstance(kept, Mapping) else {}
        self.read = self._interpret_words()
        self.used: set[str] = set()
        self.said: list[str] = []
        self.is_timed = False

    def _interpret_words(self) -> _Read:
        sheet, read = self.sheet, _Read()
        headers = {at: all_stems(header) for at, header in enumerate(sheet.table.header)}
        around = [*core(sheet.document.file.rpartition(".")[0]), *core(sheet.table.name)]
        cells = self._cells_by_stem()
        skipped = self.superlative.word if self.superlative else ""
        for stem in dict.fromkeys(self.question.topic):
            if stem == skipped:
                continue
            by_column = {at: max((likeness(stem, one) for one in own), default=0.0) for at, own in headers.items()}
            column = max(by_column.values(), default=0.0)
            hits = {one: quality for one in cells if (quality := likeness(stem, one)) >= _SAME}
            cell = max(hits.values(), default=0.0)
            if cell and (cell > column or (cell == column and (column < 1.0 or stem in self.question.proper))):
                read.cells[stem] = set[int]().union(*(cells[one] for one, quality in hits.items() if quality == cell))
                read.qualities[stem] = cell
            elif column >= _NEAR:
                for at, quality in by_column.items():
                    if quality >= column:
                        read.columns[at] = max(read.columns.get(at, 0.0), quality)
                        read.stems.setdefault(at, set()).add(stem)
                read.qualities[stem] = column
            elif (table := max((likeness(stem, one) for one in around), default=0.0)) >= _SAME:
                read.qualities[stem] = table
        for at, own in headers.items():  # words that name no topic by themselves still name a column
            if at not in read.columns and (
                named := [one for one in core(" ".join(own)) if one in self.question.stems and one not in STOPWORDS]
            ):
                read.columns[at] = 0.8 * len(named) / len(own)
        if per_unit := columns_per_unit(sheet, self.question):
            read.columns = dict.fromkeys(per_unit, 1.0)
        return read

    def _cells_by_stem(self) -> dict[str, set[int]]:
        """Return the rows with each stem in a cell of words."""
        sheet, cells = self.sheet, dict[str, set[int]]()
        texts = [at for at in range(len(sheet.table.header)) if at not in sheet.numbers and at not in sheet.dates]
        for number, row in enumerate(sheet.table.rows):
            for stem in (
                one for at in texts if at < len(row) for one in core(cell_in_english(row[at])) if len(one) > 1
            ):
                cells.setdefault(stem, set()).add(number)
        return cells

    def answer(self) -> Answered | None:
        """Return the answer of this sheet; None where nothing is asked of it."""
        rows, is_chosen = self._rows()
        if not rows and not is_chosen:
            return None
        special = self._find_missing(rows) or self._find_owed(rows)
        computed = special or self._extreme(rows)
        if computed is None and not is_chosen:
            return None
        total = None if computed else self._total(rows)
        found = computed or total or self._count(rows) or self._list(rows)
        if found is None:
            return None
        is_computed = bool(computed or total or self.said)
        if is_computed or (is_chosen and self._share() >= 1.0):  # no other record has more of the question
            found = replace(found, about={**found.about, "is_computed": True})
        cells = self._cells_asked(found, None if computed else len(rows))
        kinds = (total is not None, special is not None, is_chosen)
        return Answered(found, self._share(), is_computed, cells, *kinds)

    def _cells_asked(self, found: Found, count: int | None) -> tuple[str, ...]:
        """Return the cells of an answer that are asked for, behind `count` where a number of rows is."""
        is_counted = self.question.asks("count") and not any(at in self.sheet.numbers for at in self.read.columns)
        number = [str(count)] if is_counted and count is not None else []
        rows = [self.sheet.table.rows[at] for at in found.about["rows"]["rows"][:_MOST]]
        return (*number, *(self.sheet.cell(row, at) for row in rows for at in self._find_asked() if at < len(row)))

    def _share(self) -> float:
        """Return the share of the words that are explained; 0 where a name is not."""
        skipped = {self.superlative.word} if self.superlative else set()
        skipped |= _GENERAL
        words = [one for one in dict.fromkeys(self.question.topic) if one not in skipped]
        if any(one in self.question.proper and one not in self.read.qualities for one in words):
            return 0.0
        if (self.question.periods and not self.is_timed) or is_of_months(self.sheet, self.question):
            return 0.0  # a table without these days says nothing of them
        if not words:
            return 1.0 if self.kept else 0.0
        weights = {one: 1.0 if is_uncommon(one) or one in self.question.proper else 0.5 for one in words}
        hit = sum(weights[one] * (1.0 if one in self.used else self.read.qualities.get(one, 0.0)) for one in words)
        return hit / sum(weights.values())

    def _rows(self) -> tuple[Rows, bool]:
        """Return the rows that cells, flags, bounds and days choose, and whether anything chose them."""
        rows: Rows = tuple(enumerate(self.sheet.table.rows))
        is_chosen = False
        if self.read.cells:
            counts = {at: sum(at in numbers for numbers in self.read.cells.values()) for at, _ in rows}
            most = max(counts.values(), default=0)
            chosen = [one for one in rows if counts[one[0]] == most]
            for stem, numbers in list(self.read.cells.items()):
                if not any(at in numbers for at, _ in chosen):
                    del self.read.qualities[stem]
            if most and len(chosen) < len(rows):
                rows, is_chosen = chosen, True
        if flagged := flagged_rows(self.sheet, flag_of(self.sheet, self.question)):
            numbers = {at for at, _ in flagged.rows}
            rows, is_chosen = [one for one in rows if one[0] in numbers], True
            self.said.append(flagged.said)
        for choose in (self._by_bound, self._by_day):
            if (chosen_rows := choose(rows)) is not None:
                rows, is_chosen = chosen_rows, True
        return rows, is_chosen

    def _by_bound(self, rows: Rows) -> Rows | None:
        """Return the rows whose number is above or below one that is given."""
        for test in _BOUND.finditer(self.text):
            tail = self.text[test.end() :]
            given = _NUMBER.match(tail)
            column = self._bounded_column(given) if given else None
            if given is None or column is None or test["from"]:
                continue
            limit = float(given["number"].replace(",", "").rstrip("."))
            compare = _COMPARE[next(name for name in _COMPARE if test[name])]
            self.said.append(f"{self.sheet.header(column)} {test[0].lower()} {self.sheet.say(limit, column)}")
            self.used |= set(all_stems(given["unit"] or ""))
            self.read.columns.setdefault(column, 0.8)
            return [one for one in rows if (v := self.sheet.number(one[1], column)) is not None and compare(v, limit)]
        return None

    def _bounded_column(self, given: re.Match[str]) -> int | None:
        """Return the column that a bound is of: the one named, of its unit, of money, the only one."""
        able = [at for at in self.sheet.numbers if at not in self.sheet.keys]
        unit = (given["unit"] or "").lower()
        if given["sign"] or re.fullmatch(r"dollars?|euros?|pounds?|usd|eur|gbp", unit):
            return next(iter(self._best(self.sheet.money)), None)
        for short, words in _UNITS.items():
            if unit in words.split():
                found = [at for at in able if short in re.findall(r"[a-z0-9]+", self.sheet.table.header[at].lower())]
                if found:
                    return found[0]
        named = [at for at in self._best(able) if at in self.read.columns]
        able = able if len(able) == 1 else []
        return next(iter([*named, *able]), None)

    def _by_day(self, rows: Rows) -> Rows | None:
        """Return the rows of a time that is named."""
        if not self.question.periods or not self.sheet.dates:
            return None
        column = next(iter(self._best(self.sheet.dates)), self.sheet.dates[0])
        if len(self.sheet.dates) > 1 and column not in self.read.columns:
            return None
        days = {at: self.sheet.day(row, column) for at, row in rows}
        chosen = [one for one in rows if (day := days[one[0]]) and is_within(day, self.question.periods)]
        if not chosen:
            plain = [one for one in self.question.periods if one.role == ""]
            chosen = [one for one in rows if (day := days[one[0]]) and any(each.holds_ahead(day) for each in plain)]
        if not chosen and self.read.columns.get(column, 0.0) < _SAME:
            return None
        labels = join_words([f"{one.role} {one.said_in(self.text)}".strip() for one in self.question.periods])
        is_without = _NOT.search(self.text) is not None
        if is_without:
            chosen = [one for one in rows if one not in chosen]
        self.said.append(f"{'not ' * is_without}{self.sheet.header(column)} {labels}")
        self.read.columns.setdefault(column, 0.8)
        self.used |= self.read.stems.get(column, set())
        self.is_timed = True
        return chosen

    def _best(self, columns: Sequence[int]) -> list[int]:
        """Return columns, those that the question names best first: "how many hours" asks for hours."""
        head = re.search(r"\bhow (?:many|much) ((?:\w+ ?){1,2})", self.text, re.IGNORECASE)
        stems = all_stems(head[1]) if head else []

        def rank(at: int) -> tuple[bool, float, int]:
            own = all_stems(self.sheet.table.header[at])
            is_head = any(likeness(one, other) >= _SAME for one in stems for other in own)
            return not is_head, -self.read.columns.get(at, 0.0), -len(self.read.stems.get(at, ()))

        return sorted(columns, key=rank)

    def _find_asked(self) -> list[int]:
        """Return the columns that are asked for, by name or by the question word."""
        sheet, question = self.sheet, self.question
        named = [at for at in self._best(list(self.read.columns)) if at != sheet.names]
        kinds = (
            (question.asks("who"), sheet.people),
            (question.asks("when") or re.search(r"\b(?:day|date)s?\b", self.text, re.I), sheet.dates),
            (question.asks("where"), sheet.places),
            (_OF_MONEY.search(self.text), sheet.money),
        )
        meant = [at for is_asked, columns in kinds if is_asked for at in columns if not set(columns) & set(named)]
        return list(dict.fromkeys([*named, *meant]))

    def _find_missing(self, rows: Rows) -> Found | None:
        """Return the rows in which a column that is asked about is empty."""
        if not (test := _MISSING.search(self.text)):
            return None
        sheet = self.sheet
        able = [at for at in range(len(sheet.table.header)) if self._empty(rows, at)]
        asked = [at for at in self._find_asked() if at in able] or (able if len(able) == 1 else [])
        if re.search(r"\b(?:nobody|no ?one|whom?)\b", test[0], re.IGNORECASE):
            asked += [at for at in sheet.people if at in able]
        if not asked:
            return None
        column = asked[0]
        self.used |= {*core(test[0]), *self.read.stems.get(column, ())}
        chosen = self._empty(rows, column)
        text = f"without {sheet.header(column)}: {self._names(chosen)} ({sheet.place})"
        return self._build(text, chosen, column)

    def _find_owed(self, rows: Rows) -> Found | None:
        """Return what is still to be paid: a sum less the one that was paid."""
        sheet = self.sheet
        paid = next((at for at in sheet.numbers if {"paid", "receiv"} & set(all_stems(sheet.table.header[at]))), None)
        if paid is None and not self.superlative:
            wanted = next((at for at in sheet.money if _OWING & set(all_stems(sheet.table.header[at]))), None)
        else:
            wanted = next((at for at in sheet.money if at != paid), None) if paid is not None else None
        if wanted is None or not _OWED.search(self.text):
            return None
        came = {at: 0.0 if paid is None else sheet.number(row, paid) or 0.0 for at, row in rows}
        left = [(one, (sheet.number(one[1], wanted) or 0.0) - came[one[0]]) for one in rows]
        nothing = re.search(r"\bat all\b|\bnothing\b|\banything\b", self.text, re.IGNORECASE)
        left = [(one, gap) for one, gap in left if gap > 0 and not (nothing and came[one[0]])]
        told = [f"{sheet.title(row)} {sheet.say(gap, wanted)}" for (_, row), gap in left[: 2 * _MOST]]
        if paid is not None:
            told = [
                f"{one} ({sheet.header(wanted)} {sheet.cell(row, wanted)}, "
                f"{sheet.header(paid)} {sheet.cell(row, paid) or 'nothing'})"
                for one, ((_, row), _) in zip(told, left, strict=False)
            ]
        rest = f" and {len(left) - 2 * _MOST} more" if len(left) > 2 * _MOST else ""
        total = f", {sheet.say(sum(gap for _, gap in left), wanted)} together" if len(left) > 1 else ""
        self.used |= set(self.question.topic) & _OWING
        lead = sheet.header(wanted) if paid is None else "still to be paid"
        text = f"{lead}: {'; '.join(told) or 'nothing'}{rest}{total} ({sheet.place})"
        return self._build(text, [one for one, _ in left], wanted if paid is None else paid)

    def _empty(self, rows: Rows, column: int) -> Rows:
        """Return the rows with nothing in a column, where others have something."""
        empty = [one for one in rows if column >= len(one[1]) or not one[1][column].strip(" -–?")]
        return empty if len(empty) < len(self.sheet.table.rows) else []

    def _extreme(self, rows: Rows) -> Found | None:
        """Return the row with the highest, the lowest, the earliest, the latest or the next value of a column."""
        best, sheet = self.superlative, self.sheet
        column = self._extreme_column(best) if best else None
        if best is None or column is None:
            return None
        is_of_day = column in sheet.dates
        if is_of_day and not best.is_of_day:  # "hasn't ordered for longest" is the earliest last order
            best = replace(best, is_low=not best.is_low)
        values: list[tuple[date | float, tuple[int, tuple[str, ...]]]] = []
        for one in rows:
            value = sheet.day(one[1], column) if is_of_day else sheet.number(one[1], column)
            if value is not None and not (best.is_next and isinstance(value, date) and value < self.question.today):
                values.append((value, one))
        if len(values) < 1 + (not best.is_next):
            return None
        edge = (min if best.is_low else max)(value for value, _ in values)
        chosen = [one for value, one in values if value == edge]
        said = day_label(edge) if isinstance(edge, date) else sheet.say(edge, column)
        way = ("next" if best.is_next else "earliest" if best.is_low else "latest") if is_of_day else (
            "lowest" if best.is_low else "highest"
        )  # fmt: skip
        text = f"the {way} {sheet.header(column)} is {said}: {self._names(chosen, skipped=column)}"
        if not is_of_day and any(one.is_low != best.is_low for one in superlatives(self.text) if not one.is_of_day):
            other = (max if best.is_low else min)(value for value, _ in values)
            rest = [one for value, one in values if value == other]
            gap = sheet.say(abs(float(str(edge)) - float(str(other))), column)  # both ends are asked for
            text += f"; the {'highest' if best.is_low else 'lowest'} is {sheet.say(float(str(other)), column)}: "
            text += f"{self._names(rest, skipped=column)}; the difference is {gap}"
            chosen = [*chosen, *rest]
        return self._build(f"{text} ({sheet.place})", chosen, column)

    def _extreme_column(self, best: Superlative) -> int | None:
        sheet = self.sheet
        if best.is_of_day:
            dates = self._best(sheet.dates)
            before = self.kept.get("column")
            if dates and dates[0] not in self.read.columns and before in dates:
                return int(str(before))
            return next((at for at in dates if at in self.read.columns or len(dates) == 1), None)
        able = [at for at in sheet.numbers if at not in sheet.keys]
        wanted = core(_DIMENSIONS.get(best.stem, ""))
        if wanted and _NOT.search(self.text):
            return next(
                (at for at in self._best(sheet.dates) if at in self.read.columns or len(sheet.dates) == 1), None
            )
        least = _SAME if wanted else _NEAR
        named = [at for at in self._best(able) if self.read.columns.get(at, 0.0) >= least]
        sized = [at for at in able if any(one in wanted for one in all_stems(sheet.table.header[at]))]
        is_dear = best.stem in _PRICED and not any(at in sheet.money for at in named)  # "cheapest per drum" is a price
        if sheet.money and (is_dear or (_OF_MONEY.search(self.text) and not named)):
            return sheet.money[0]
        before = self.kept.get("column")
        kept = [int(str(before))] if before in able and not self.question.topic else []
        is_plain = not wanted and len(able) == 1
        return next(iter([*named, *sized, *kept, *(able if is_plain else [])]), None)

    def _total(self, rows: Rows) -> Found | None:
        """Return the sum or the average of a column over the rows that were chosen."""
        sheet = self.sheet
        able = [at for at in sheet.numbers if at not in sheet.keys]
        named = [at for at in self._best(able) if self.read.columns.get(at, 0.0) >= _NEAR]
        columns = [
            *named,
            *(sheet.money if _OF_MONEY.search(self.text) or self.question.asks("amount") else ()),
            *(able[:1] if len(able) == 1 and not self.question.asks("count") else ()),
        ]
        is_of_others = _OF_OTHERS.search(self.text) is not None and len(rows) == len(sheet.table.rows)
        if not self.question.asks("sum", "average") or not columns or len(rows) < 2 or is_of_others:
            return None  # "those two" are not all of them
        values = [(one, value) for one in rows if (value := sheet.number(one[1], columns[0])) is not None]
        if not values:
            return None
        is_average = self.question.asks("average") and not self.question.asks("sum")
        total = sum(value for _, value in values) / (len(values) if is_average else 1)
        parts = ", ".join(
            f"{sheet.title(row)} {sheet.say(value, columns[0])}" for (_, row), value in values[: 2 * _MOST]
        )
        rest = f" and {len(values) - 2 * _MOST} more" if len(values) > 2 * _MOST else ""
        name = f"{'average' if is_average else 'total'} {sheet.header(columns[0])}"
        text = f"{name}: {sheet.say(round(total, 2), columns[0])} ({parts}{rest}; {sheet.place})"
        return self._build(text, [one for one, _ in values], columns[0])

    def _count(self, rows: Rows) -> Found | None:
        """Return how many rows were chosen, with their names."""
        if not self.question.asks("count"):
            return None
        named = [
            at for at in self._best(list(self.read.columns)) if at in self.sheet.numbers and at not in self.sheet.keys
        ]
        if any(self.read.columns[at] >= _SAME for at in named) and not self.said:
            return None
        how = f" ({', '.join(self.said)})" if self.said else ""
        return self._build(f"{len(rows)}{how}: {self._names(rows)} ({self.sheet.place})", rows, None)

    def _list(self, rows: Rows) -> Found | None:
        """Return the rows that were chosen, with the columns that are asked for, or whole."""
        if not _ASKS_ROWS.search(self.text) and len(rows) > _MOST:
            return None
        how = f", {', '.join(self.said)}" if self.said else ""
        lead = f"{len(rows)} rows{how}: " if len(rows) > 1 else ""
        if not rows:
            return self._build(f"none{how} ({self.sheet.place})", rows, None)
        return self._build(f"{lead}{self._names(rows)} ({self.sheet.place})", rows, None)

    def _names(self, rows: Rows, skipped: int | None = None) -> str:
        """Return rows by name with the columns that are asked for; a few rows of which nothing is asked, whole."""
        sheet = self.sheet
        asked = [at for at in self._find_asked() if at not in (skipped, sheet.names)]
        if not asked and len(rows) <= _MOST:
            asked = [at for at in range(len(sheet.table.header)) if at not in (skipped, sheet.names)]
        told = []
        for _, row in rows[: _MOST * 2]:
            cells, empty = describe_cells(sheet, row, asked)
            every = ", ".join([*cells, *(empty if len(rows) <= _MOST else [])])
            told.append(f"{sheet.name(row) if asked else sheet.title(row)}{f' ({every})' if every else ''}")
        rest = f" and {len(rows) - _MOST * 2} more" if len(rows) > _MOST * 2 else ""
        return "; ".join(told) + rest

    def _build(self, text: str, rows: Rows, column: int | None) -> Found:
        asked = [at for at in self._find_asked() if at != self.sheet.names]
        columns = list(dict.fromkeys([self.sheet.names, *([column] if column is not None else []), *asked]))
        found = build_answer(self.sheet, text, rows, columns)
        kept = {**found.about["rows"], "column": column}
        return replace(found, about={**found.about, "rows": kept})
