"""Answer questions over tables in any words, by the meaning of each word.

A word stands for a column, for the value of a cell, for the table itself, or for what is computed: the longest, the
next, how many, those without. The reading that explains most of a question is answered, and names what it used.

    answer_query(read_question("One boat still has no day for its winter check - which?", today), sheets)
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import ge, gt, le, lt

from mabos.memory.stem import stem
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import Period, day_label, is_within, periods_in
from mabos.tools.requests.answers.question import Question, Superlative, find_superlative, superlatives
from mabos.tools.requests.answers.rosters import days_named
from mabos.tools.requests.answers.row_selection import (
    NEAR,
    SAME,
    all_stems,
    build_answer,
    describe_cells,
    flag_of,
    flagged_rows,
    interpret_words,
    is_of_months,
)
from mabos.tools.requests.answers.sheets import Rows, Sheet
from mabos.tools.requests.answers.synonyms import core, likeness, question_forms, question_words
from mabos.tools.requests.answers.table_products import (
    SPANS,
    TableProduct,
    asks_of_debts,
    gap_of_columns,
    is_whole_list,
    left_to_pay,
    named_amounts,
    place_in_line,
    times_column,
    times_number,
    without_paid,
)
from mabos.tools.requests.answers.tables import points_back
from mabos.tools.requests.answers.wording import join_words
from mabos.tools.requests.answers.work_items import is_uncommon

_FORMS = question_forms("in_table_queries")
_MOST = 6
_MISSING = _FORMS["missing"]
_BOUND = _FORMS["bound"]
_NUMBER = re.compile(r"^\W*(?:than |of )?(?P<sign>[$€£])?\s?(?P<number>\d[\d,.]*)\s?(?P<unit>[a-z%]+)?", re.IGNORECASE)
_COMPARE = {"least": ge, "most": le, "above": gt, "below": lt}
_UNITS = {
    "m": "m metre metres meter meters", "kg": "kg kilo kilos kilograms", "km": "km kilometres kilometers",
    "l": "l litre litres liter liters", "cm": "cm centimetres", "h": "h hour hours", "min": "min minutes minute",
    "seats": "persons people passengers guests",
}  # fmt: skip
_OF_OTHERS = re.compile(r"\b(?:those|these|them|they|there|both|the (?:two|three|four))\b", re.IGNORECASE)
_DIMENSIONS = {
    stem(word): line.partition(":")[2].split()
    for line in question_words()["dimensions"].splitlines()
    for word in line.partition(":")[0].split()
}
"""The words of a line of dimensions by each of its adjectives; a minus stands before those of the low end."""
_BESIDES = _FORMS["besides"]
_OF_WHOLE = re.compile(r"\bit\b.*\b(?:all ?together|in all|overall)\b", re.IGNORECASE)
_RUNNER_UP = question_forms("in_question")["runner_up"]
_ASIDE = re.compile(r"(?:\s*[,;:!?…–]|\.(?=\s|$)|\s-|\b(?:but|coz|because)\b)+\s*")
_ASKS = re.compile(
    r"\b(?:which|what\w*|who\w*|how|when|where|why|total)\b|^\W*(?:is|are|was|were|do|does|did|has|have)\b", re.I
)
_ROW_NOUN = re.compile(
    r"\b(?:which|what|how many)(?: (?:of|all|our|the|my|these|those|them|two|three))* (?P<noun>\w+)", re.IGNORECASE
)
"""The noun for the rows that a question is about, which need not be that of the header."""
_NOUN = 0.6
_OF_STOCK = _FORMS["of_stock"]
_STOCKS = frozenset(core("stock on_hand quantity qty available left remaining"))
_GOES_OUT = re.compile(r"\b(?:go|goes|going|gone|went|been|lent|hired|let) out\b|\boften\b", re.IGNORECASE)
_UNFILLED = re.compile(r"\b(?:not|never|n[\'’]t)(?: yet| been)? (?P<state>\w+)", re.IGNORECASE)
_FILLED = re.compile(r"\b(?:that|which) (?:is|are) (?:now |still |already )?(?P<state>\w+)", re.IGNORECASE)
_TENURE = re.compile(
    r"\b(?:been (?:here|with us|around|working)|worked here|with us|joined)\b|\b(?:new|old)est\b", re.IGNORECASE
)
_STARTS = frozenset(core("start started since joined hired entered hatched born opened begun"))
_OPEN = re.compile(r"\b(?:who\w*|what|how|when|where)\b", re.IGNORECASE)
_FEW = 2
_RATES = re.compile(r"price|rate|\bper\b|percent|pct|average|\bage\b|year|grade|level|brix")
_OF_MONEY = _FORMS["of_money"]
_PRICED = frozenset(core("cheap dear expensive pricey costly"))
_ASKS_ROWS = re.compile(r"\b(?:which|who|whose|whom|what|list|name|names|how many|any|all|every\w*|are there)\b", re.I)
_GENERAL = frozenset(core(question_words()["of_rows"]))


_NOT = re.compile(r"\bnot\b|n['’]t\b|\bnever\b|\bno longer\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, the share of the words of its question that it explains, and whether it was computed."""

    found: Found
    share: float
    is_computed: bool
    cells: tuple[str, ...] = ()
    """The cells that are asked for."""
    is_value: bool = False
    """Whether it is a sum, a product, or the first of the rows."""
    is_special: bool = False
    """Whether it says what is missing or owed, which no row says by itself."""
    is_narrow: bool = False
    """Whether a cell, a bound or a day chose the rows."""


def _without_bounds(text: str) -> str:
    """Return a text without its bounds: "for under 20 dollars" is no question for a price."""
    return re.sub(rf"(?:{_BOUND.pattern})\W*(?:[$€£]|\w+ )?\d[\d,.]*(?: ?\w+)?", " ", text, flags=re.IGNORECASE)


def answer_query(question: Question, sheets: Sequence[Sheet], kept: object = None) -> Answered | None:
    """Return the answer from the table that explains most of a question; None if none explains half of it."""
    best: Answered | None = None
    known = {stem for one in sheets for text in (one.document.file, *one.table.header) for stem in all_stems(text)}
    for sheet in sheets:
        found = _Query(sheet, question, kept, known).answer()
        if found and found.share >= 0.5 and (best is None or _weight(found) > _weight(best)):
            best = found
    return best


def _weight(answer: Answered) -> tuple[float, bool]:
    return answer.share, bool(answer.found.about["rows"]["rows"])


class _Query:
    """A question read over one sheet."""

    def __init__(self, sheet: Sheet, question: Question, kept: object, known: Collection[str] = ()) -> None:
        self.known = known
        self.sheet = sheet
        self.question = question
        self.text = question.text
        self.superlative = find_superlative(question.text)
        is_of_sheet = isinstance(kept, Mapping) and (kept.get("file"), kept.get("sheet")) == (
            sheet.document.file,
            sheet.table.name,
        )
        self.kept: Mapping[str, object] = kept if is_of_sheet and isinstance(kept, Mapping) else {}
        self.apart = _BESIDES.search(self.text)
        self.used: set[str] = set(all_stems(self.apart["what"])) if self.apart else set()
        best = self.superlative
        self.read = interpret_words(sheet, question, {*self.used, *((best.word, best.stem) if best else ())})
        self.said: list[str] = []
        self.is_timed = False

    def answer(self) -> Answered | None:
        """Return the answer of this sheet; None where nothing is asked of it."""
        rows, is_chosen = self._rows()
        is_chosen = is_chosen or is_whole_list(self.sheet, self.question)
        if not rows and not is_chosen:
            return None
        special = (
            self._find_missing(rows)
            or self._compute(left_to_pay(self.sheet, self.question, rows, is_extreme=self.superlative is not None))
            or self._compute(gap_of_columns(self.sheet, self.question, rows))
        )
        computed = special or self._extreme(rows) or self._find_product(rows, is_chosen=is_chosen)
        is_of_all = self.question.asks("sum", "average") and self._share() >= 1.0
        if computed is None and not is_chosen and not is_of_all:
            return None
        total = None if computed else self._total(rows)
        found = computed or total or (self._count(rows) or self._list(rows) if is_chosen else None)
        is_open = not (computed or total or self._find_asked()) and _OPEN.search(self.text) and self._share() < SAME
        if found is None or is_open:  # what the rows of a name do not say is no answer to a question for it
            return None
        is_computed = bool(computed or total or self.said)
        if is_computed or (is_chosen and self._share() >= 1.0):  # no other record has more of the question
            found = replace(found, about={**found.about, "is_computed": True})
        cells = self._cells_asked(found, None if computed else len(rows))
        kinds = (bool(total or (computed and not special)), special is not None, is_chosen)
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
        skipped |= self._talk()
        words = [one for one in dict.fromkeys(self.question.topic) if one not in skipped]
        if any(one in self.question.proper and one not in self.read.qualities for one in words):
            return 0.0
        is_timed = self.is_timed or self._is_of_title()
        if (self.question.periods and not is_timed) or is_of_months(self.sheet, self.question):
            return 0.0  # a table without these days says nothing of them
        if not words:
            return 1.0 if self.kept else 0.0
        weights = {one: 1.0 if is_uncommon(one) or one in self.question.proper else 0.5 for one in words}
        nouns = {stem for found in _ROW_NOUN.finditer(self.text) for stem in all_stems(found["noun"])}
        known = {one: 1.0 if one in self.used else self.read.qualities.get(one, 0.0) for one in words}
        known |= {one: _NOUN for one in nouns & set(words) if known[one] < _NOUN and one not in self.known}
        hit = sum(weights[one] * known[one] for one in words)
        return hit / sum(weights.values())

    def _is_of_title(self) -> bool:
        """Return whether a title, a heading or the file names the time that a question names."""
        table, document = self.sheet.table, self.sheet.document
        names = " ".join((document.title, document.file, table.name, *table.header))
        titled = periods_in(names, self.question.today)[0]
        asked = [each for one in self.question.periods for each in (one, one.a_year_later(self.question.text))]
        return any(one.first <= each.last and each.first <= one.last for one in titled for each in asked)

    def _talk(self) -> set[str]:
        """Return the stems of the parts of a message that ask nothing, and of which this sheet has no word: asides."""
        parts = [(part, set(all_stems(part))) for part in _ASIDE.split(self.text)]
        named = {*self.question.proper, *({self.superlative.word} if self.superlative else ())}
        asides = [stems for part, stems in parts if not _ASKS.search(part) and stems.isdisjoint(named)]
        kept = {stem for part, stems in parts if stems not in asides for stem in stems}
        kept |= {*self.read.qualities, *self.used}
        return {stem for stems in asides for stem in stems} - kept if len(asides) < len(parts) else set()

    def _rows(self) -> tuple[Rows, bool]:
        """Return the rows that cells, flags, bounds and days choose, and whether anything chose them."""
        rows: Rows = tuple(enumerate(self.sheet.table.rows))
        last = self.kept.get("rows")
        is_chosen = (
            isinstance(last, list) and len(last) > 1 and points_back(self.text) and not _OF_WHOLE.search(self.text)
        )
        if is_chosen and isinstance(last, list):
            rows = [one for one in rows if one[0] in last]
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
        if self.apart:
            stems = set(core(self.apart["what"]))
            rows = [one for one in rows if stems.isdisjoint(stem for cell in one[1] for stem in all_stems(cell))]
        able = [at for at in range(len(self.sheet.table.header)) if self._empty(rows, at)]
        for column in self._column_of(_FILLED, able):
            rows, is_chosen = [one for one in rows if one not in self._empty(rows, column)], True
        for choose in (self._by_number, self._by_bound, self._by_day):
            if (chosen_rows := choose(rows)) is not None:
                rows, is_chosen = chosen_rows, True
        return rows, is_chosen

    def _by_number(self, rows: Rows) -> Rows | None:
        """Return the rows with a number that a question names, where one column alone has it: "those for six"."""
        sheet = self.sheet
        able = [at for at in sheet.numbers if at not in (*sheet.keys, *sheet.money)]
        for one in named_amounts(self.text):
            having = [at for at in able if any(sheet.number(row, at) == one.value for _, row in rows)]
            if one.unit in SPANS or _BOUND.search(f"{self.text[: one.start][-16:]}{one.words}") or len(having) != 1:
                continue
            self.used |= {*all_stems(one.words), *all_stems(one.unit)}
            self.said.append(f"{sheet.header(having[0])} {one.value:g}")
            return [each for each in rows if sheet.number(each[1], having[0]) == one.value]
        return None

    def _compute(self, product: TableProduct | None) -> Found | None:
        """Return what two columns give as an answer."""
        if product is None:
            return None
        self.used |= product.used
        return self._build(product.text, product.rows, product.column)

    def _find_product(self, rows: Rows, *, is_chosen: bool) -> Found | None:
        """Return a price times a number of the question, or times the numbers of another column."""
        price = next((at for at in self._best(self.sheet.money) if at not in self.sheet.keys), None)
        if price is None or not rows:
            return None
        is_priced = _OF_MONEY.search(self.text) or "come to" in self.text.lower()
        few = rows if is_priced and is_chosen and len(rows) <= _FEW else ()
        found = times_number(self.sheet, self.text, few, price, self.used)
        able = [at for at in self._best(self.sheet.numbers) if at not in (*self.sheet.keys, *self.sheet.money)]
        found = found or times_column(self.sheet, self.question, rows, price, able)
        if found is None:
            return None
        self.used |= found.used
        return self._build(found.text, found.rows, price)

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
        periods = self.question.periods or [
            Period(day, day, f"{day:%A}, {day_label(day)}") for day in days_named(self.text, (), self.question.today)
        ]
        if not periods or not self.sheet.dates:
            return None
        column = next(iter(self._best(self.sheet.dates)), self.sheet.dates[0])
        if len(self.sheet.dates) > 1 and column not in self.read.columns:
            return None
        days = {at: self.sheet.day(row, column) for at, row in rows}
        chosen = [one for one in rows if (day := days[one[0]]) and is_within(day, periods)]
        if not chosen:
            plain = [one for one in periods if one.role == "" and one.last < self.question.today]
            chosen = [one for one in rows if (day := days[one[0]]) and any(each.holds_ahead(day) for each in plain)]
        if not chosen and self.read.columns.get(column, 0.0) < SAME:
            return None
        labels = join_words([f"{one.role} {one.said_in(self.text)}".strip() for one in periods])
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
            is_head = any(likeness(one, other) >= SAME for one in stems for other in own)
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
        sheet = self.sheet
        able = [at for at in range(len(sheet.table.header)) if self._empty(rows, at)]
        unfilled = self._column_of(_UNFILLED, able)
        test = _MISSING.search(self.text) or (_UNFILLED.search(self.text) if unfilled else None)
        if not test:
            return None
        is_any = re.search(r"hole|gap|blank|lack", test[0], re.IGNORECASE)
        asked = (
            unfilled or [at for at in self._find_asked() if at in able] or (able if len(able) == 1 or is_any else [])
        )
        if re.search(r"\b(?:nobody|no ?one|whom?)\b", test[0], re.IGNORECASE):
            asked += [at for at in sheet.people if at in able]
        if not asked:
            return None
        column = asked[0]
        self.used |= {*core(test[0]), *self.read.stems.get(column, ())}
        chosen = self._empty(rows, column)
        paid = [value for _, row in chosen for at in sheet.money[:1] if (value := sheet.number(row, at)) is not None]
        is_sum = self.question.asks("sum") and len(paid) > 1
        total = f"; total {sheet.header(sheet.money[0])} {sheet.say(sum(paid), sheet.money[0])}" if is_sum else ""
        number = f"{len(chosen)} " if len(chosen) > 1 else ""
        text = f"{number}without {sheet.header(column)}: {self._names(chosen)}{total} ({sheet.place})"
        return self._build(text, chosen, column)

    def _column_of(self, form: re.Pattern[str], able: Sequence[int]) -> list[int]:
        """Return the columns that have the verb of a state in their headers: `let_to` for what "is not let"."""
        stems = {stem for found in form.finditer(self.text) for stem in all_stems(found["state"])}
        return [at for at in able if stems & set(core(self.sheet.table.header[at]))][:1]

    def _empty(self, rows: Rows, column: int) -> Rows:
        """Return the rows with nothing in a column, where others have something."""
        empty = [one for one in rows if column >= len(one[1]) or not one[1][column].strip(" -–?")]
        return empty if len(empty) < len(self.sheet.table.rows) else []

    def _extreme(self, rows: Rows) -> Found | None:
        """Return the row with the highest, the lowest, the earliest, the latest or the next value of a column."""
        sheet = self.sheet
        if rows and (place := place_in_line(sheet, self.text)):
            self.used |= set(all_stems(place[1]))
            row = rows[place[0]]
            return self._build(f"{place[1]}: {self._names([row])} ({sheet.place})", [row], None)
        rows = without_paid(sheet, rows) if asks_of_debts(self.text) else rows
        column = self._extreme_column(self.superlative) if self.superlative else None
        best = self.superlative
        if best is None or column is None:
            return None
        is_of_day = column in sheet.dates
        if is_of_day and not best.is_of_day:  # "hasn't ordered for longest" is the earliest last order
            best = replace(best, is_low=not best.is_low)
        values: list[tuple[date | float, Rows]] = []
        for one in rows:
            value = sheet.day(one[1], column) if is_of_day else sheet.number(one[1], column)
            if value is not None and not (best.is_next and isinstance(value, date) and value < self.question.today):
                values.append((value, [one]))
        values = self._by_name(values, column)
        if len(values) < 1 + (not best.is_next):
            return None
        values.sort(key=lambda one: one[0], reverse=not best.is_low)
        edges = list(dict.fromkeys(value for value, _ in values))
        said, chosen = self._at_edge(values, edges[0], column)
        way = ("next" if best.is_next else "earliest" if best.is_low else "latest") if is_of_day else (
            "lowest" if best.is_low else "highest"
        )  # fmt: skip
        others = []
        is_of_both = self.question.asks("best") and self.question.asks("worst")
        if is_of_both or (
            not is_of_day and any(one.is_low != best.is_low for one in superlatives(self.text) if not one.is_of_day)
        ):
            others = [(f"the {'highest' if best.is_low else 'lowest'}", edges[-1])]  # both ends are asked for
        elif _RUNNER_UP.search(self.text):
            others = [("next", one) for one in edges[1:2]]
        text = f"the {way} {sheet.header(column)} is {said}: {self._names(chosen, skipped=column)}"
        for lead, edge in others:
            label, rest = self._at_edge(values, edge, column)
            gap = f"{abs(edge.toordinal() - edges[0].toordinal())} days" if isinstance(edge, date) and isinstance(
                edges[0], date
            ) else sheet.say(abs(float(str(edge)) - float(str(edges[0]))), column)  # fmt: skip
            text += f"; {lead} is {label}: {self._names(rest, skipped=column)}; the difference is {gap}"
            chosen = [*chosen, *rest]
        return self._build(f"{text} ({sheet.place})", chosen, column)

    def _at_edge(
        self, values: Sequence[tuple[date | float, Rows]], edge: date | float, column: int
    ) -> tuple[str, Rows]:
        """Return a value in words, and the rows with it."""
        said = day_label(edge) if isinstance(edge, date) else self.sheet.say(edge, column)
        return said, [row for value, rows in values if value == edge for row in rows]

    def _by_name(self, values: list[tuple[date | float, Rows]], column: int) -> list[tuple[date | float, Rows]]:
        """Return the sums of the rows of one name, where a name has several and a question is about these."""
        sheet, groups = self.sheet, dict[str, list[tuple[date | float, Rows]]]()
        is_asked = self.question.asks("who") or sheet.names in self.read.columns
        if (
            not is_asked
            or column in sheet.dates
            or _RATES.search(sheet.header(column, is_whole=True).replace("_", " "))
        ):
            return values
        for value, rows in values:
            groups.setdefault(sheet.name(rows[0][1]), []).append((value, rows))
        return [(sum(v for v, _ in each), [row for _, rows in each for row in rows]) for each in groups.values()]  # type: ignore[misc]

    def _extreme_column(self, best: Superlative) -> int | None:
        sheet = self.sheet
        starts = [at for at in sheet.dates if _STARTS & set(core(sheet.table.header[at]))]
        if starts and _TENURE.search(self.text):
            return starts[0]
        if best.is_of_day:
            dates = self._best(sheet.dates)
            before = self.kept.get("column")
            if dates and dates[0] not in self.read.columns and before in dates:
                return int(str(before))
            return next((at for at in dates if at in self.read.columns or len(dates) == 1), None)
        able = [at for at in sheet.numbers if at not in sheet.keys]
        is_of_use = best.word in ("most", "least") and _GOES_OUT.search(self.text)
        wanted = _DIMENSIONS.get("often" if is_of_use else best.stem, [])
        if wanted and _NOT.search(self.text):
            return next(
                (at for at in self._best(sheet.dates) if at in self.read.columns or len(sheet.dates) == 1), None
            )
        least = SAME if wanted else NEAR
        is_price = _OF_MONEY.search(_without_bounds(self.text)) is not None
        named = [at for at in self._best(able) if self.read.columns.get(at, 0.0) >= least]
        named = [at for at in named if at not in sheet.money or is_price or not wanted]
        sized = self._columns_of_size(able, wanted)
        is_dear = best.stem in _PRICED and not any(at in sheet.money for at in named)  # "cheapest per drum" is a price
        if sheet.money and (is_dear or (is_price and not set(named) & set(sheet.money))):
            return sheet.money[0]
        before = self.kept.get("column")
        kept = [int(str(before))] if before in able and not self.question.topic else []
        is_plain = not wanted and len(able) == 1
        return next(
            iter([*sized[:1], *named, *kept, *(able if is_plain else []), *(sheet.money if wanted else [])]), None
        )

    def _columns_of_size(self, able: Sequence[int], wanted: Sequence[str]) -> list[int]:
        """Return the columns that an adjective is of, and turn a superlative whose low end they have: the fastest."""
        for word in wanted:
            stems = set(all_stems(word.lstrip("-")))
            found = [at for at in able if stems & set(all_stems(self.sheet.table.header[at]))]
            if found and self.superlative:
                is_turned = word.startswith("-")
                self.superlative = replace(self.superlative, is_low=self.superlative.is_low != is_turned)
                return found
        return []

    def _total(self, rows: Rows) -> Found | None:
        """Return the sum or the average of a column over the rows that were chosen."""
        sheet = self.sheet
        able = [at for at in sheet.numbers if at not in sheet.keys]
        named = [at for at in self._best(able) if self.read.columns.get(at, 0.0) >= NEAR]
        stocks = [at for at in able if _STOCKS & set(all_stems(sheet.table.header[at]))]
        columns = [
            *(stocks if _OF_STOCK.search(self.text) else ()),
            *named,
            *(sheet.money if _OF_MONEY.search(self.text) or self.question.asks("amount") else ()),
            *(sheet.money if len(sheet.money) == 1 and not self.question.topic else ()),
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
        if any(self.read.columns[at] >= SAME for at in named) and not self.said:
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
