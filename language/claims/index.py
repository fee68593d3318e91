"""Evidence, indexed once: the numbers, days, words and rows of each text, found by value."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, lru_cache
from typing import Literal

from mabos.language.claims.days import DaySpan, day_spans, relative_days
from mabos.language.claims.figures import WrittenFigure, figures_in
from mabos.language.claims.stems import folded_word, stem, stems_of, with_plain_letters, words_of
from mabos.language.claims.tables import RowCount, names_in_cell, row_counts, rows_in
from mabos.language.wordlists import order_form

_ADDRESS = order_form("claims_index.address")
_CALL = re.compile(r"- \w+\(\{")
_EDGE = re.compile(r"\n|[{}]|(?<=[.!?])\s")
_CELLS = re.compile(r"^(?=[^\n]*[^\d\n,],|[^\n]*,[^\d\n,]|[^\n]*,\d{1,2},)(?:[^,\n]*,(?=\S)){2,}[^,\n]*$", re.MULTILINE)
"""A line of cells between commas, in which "610,31" is two numbers."""
_HEAD = re.compile(r"[^\d,\s][^\d,]*(?:,[^\d,\s][^\d,]*)+")
"""The names of the columns of such lines, which may have nothing but digits then."""
_PROPER = order_form("claims_index.proper")
_TWO_NAMES = re.compile(r"\b([A-Z][a-zà-ÿ]+)(?= ([A-Z][a-zà-ÿ'’-]+)\b)")
_COUNTED = re.compile(r"\b\d[\d,.]* ([a-z]{3,}?)s\b", re.IGNORECASE)
_RATES = order_form("claims_index.rates")
LabelKind = Literal["number", "day", "clock"]
_LABELLED = 40_000
"""Up to this many characters a text is read for what each of its values is told of."""
REACH = 160
"""The most characters on each side of a place that its passage covers."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A number of an evidence text, with its place."""

    value: float
    kind: str
    currency: str
    at: int


class EvidenceText:
    """An evidence text, parsed once; a text never changes."""

    def __init__(self, text: str) -> None:
        self.text = text = with_plain_letters(text)
        self.low = " ".join(text.casefold().split())

    @cached_property
    def spans(self) -> tuple[DaySpan, ...]:
        """The days and times of day that the text writes out."""
        return tuple(day_spans(self.text))

    @cached_property
    def numbers(self) -> list[Occurrence]:
        """The numbers of the text by value, without those of days and times."""
        masked = masked_text(self.text, [(one.start, one.end) for one in self.spans])
        masked = "\n".join(_part_cells(masked.split("\n")))
        found = [
            Occurrence(abs(value), figure.kind, figure.currency, figure.start)
            for figure in figures_in(masked)
            for value in figure.values
        ]
        return sorted(found, key=lambda one: one.value)

    @cached_property
    def values(self) -> list[float]:
        """The values of `numbers`, for bisection."""
        return [one.value for one in self.numbers]

    def near(self, low: float, high: float) -> Iterator[Occurrence]:
        """Yield the numbers from `low` to `high`."""
        yield from self.numbers[bisect_left(self.values, low) : bisect_right(self.values, high)]

    @cached_property
    def in_order(self) -> list[Occurrence]:
        """The numbers of the text by place."""
        return sorted(self.numbers, key=lambda one: one.at)

    @cached_property
    def places(self) -> list[int]:
        """The places of `in_order`, for bisection."""
        return [one.at for one in self.in_order]

    def between(self, start: int, end: int) -> list[Occurrence]:
        """Return the numbers from `start` to `end`."""
        return self.in_order[bisect_left(self.places, start) : bisect_right(self.places, end)]

    @cached_property
    def rows(self) -> list[Mapping[str, str]]:
        """The rows of its tables."""
        return rows_in(self.text)

    @cached_property
    def cell_stems(self) -> frozenset[str]:
        """The stems of the names in its rows."""
        return frozenset().union(*(names_in_cell(cell) for row in self.rows for cell in row.values()))

    @cached_property
    def row_counts(self) -> tuple[RowCount, ...]:
        """Return the counts of its rows and their values."""
        return tuple(row_counts(self.rows))

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, without case and accents."""
        return frozenset(folded_word(word) for word in words_of(self.text))

    @cached_property
    def line_counts(self) -> Counter[str]:
        """Return the number of its lines with each stem."""
        found: Counter[str] = Counter()
        for line in self.text.split("\n"):
            found.update({stem(word) for word in words_of(line)})
        return found

    @cached_property
    def header(self) -> frozenset[str]:
        """The stems of its first line, a title, and of the names of columns."""
        first = self.text.lstrip().partition("\n")[0] if "\n" in self.text else ""
        if re.search(r"\d", first) and not self.rows:  # a record like the others
            first = ""
        names = (
            " ".join({key for row in self.rows[:3] for key in row})
            if not self.text.lstrip().startswith(("{", "["))
            else ""
        )
        return stems_of(f"{first[:200]} {names}".replace("_", " "))

    def about(self, at: int) -> frozenset[str]:
        """Return the stems around a place: of its line, sentence or object, and of the first line."""
        return stems_of(self.passage(at).replace("_", " ")) | self.header

    def around(self, at: int) -> frozenset[str]:
        """Return the stems of the JSON objects around the one at a place, without their other parts.

        Such a text is JSON as a whole, or a list of calls with their results, one a line.
        """
        start = 0
        if not self.text.lstrip().startswith(("{", "[")):
            start = self.text.rfind("\n", 0, at) + 1
            if not _CALL.match(self.text, start):
                return frozenset()
        depth, kept = 0, list[str]()
        for one in reversed(self.text[max(start, at - 6000) : at]):
            if one in "}]":
                depth += 1
            elif one in "{[":
                depth -= depth > 0
            elif depth == 0:
                kept.append(one)
        return stems_of("".join(reversed(kept)).replace("_", " "))

    def passage(self, at: int) -> str:
        """Return the line, sentence or object around a place."""
        return self.passage_around(at)[0]

    def passage_around(self, at: int) -> tuple[str, int]:
        """Return the line, sentence or object around a place, and where it begins."""
        before, after = self.text[max(0, at - REACH) : at], self.text[at : at + REACH]
        edges = [edge.end() for edge in _EDGE.finditer(before)]
        end = _EDGE.search(after)
        start = edges[-1] if edges else 0
        return before[start:] + after[: end.start() if end else None], at - len(before) + start

    def column(self, at: int) -> str:
        """Return the name or the number of the column of a table that a place is in, or ""."""
        before = self.text[max(0, at - REACH) : at]
        if key := re.search(r"\"([^\"\n]+)\"\s*:\s*[\"$€£\s-]*$", before):
            return key[1]
        line = before.rpartition("\n")[2]
        names = list(self.rows[0]) if self.rows else []
        number = next((line.count(mark) for mark in "|\t;," if mark in line), 0) - line.lstrip().startswith("|")
        return names[number] if 0 <= number < len(names) else ""

    @cached_property
    def labels(self) -> Mapping[LabelKind, frozenset[frozenset[str]]]:
        """The stems of each passage with a number, a day, or a time of day without a date; none of a long text."""
        places: dict[LabelKind, list[int]] = {
            "number": [one.at for one in self.numbers],
            "day": [one.start for one in self.spans if one.day],
            "clock": [one.start for one in self.spans if one.clocks and not one.month],
        }
        is_read = len(self.text) <= _LABELLED
        return {kind: frozenset(self.about(at) for at in found if is_read) for kind, found in places.items()}

    @cached_property
    def proper(self) -> frozenset[str]:
        """The names in it: words capitalised within a sentence, next to another such word, or in a cell."""
        if len(self.text) > _LABELLED:
            return frozenset()
        cells = [value for row in self.rows[:60] for value in row.values() if value[:1].isupper() and len(value) < 40]
        words = [one for run in (*_PROPER.findall(self.text), *cells) for one in words_of(run)]
        return frozenset(folded_word(one) for one in words if one[0].isupper() and not (one.isupper() and len(one) < 5))

    @cached_property
    def first_names(self) -> Mapping[str, frozenset[str]]:
        """The capitalised words before another one: "Ivo" for "Marek"."""
        found: dict[str, set[str]] = {}
        for match in _TWO_NAMES.finditer(self.text):
            found.setdefault(folded_word(match[2]), set()).add(folded_word(match[1]))
        return {name: frozenset(words) for name, words in found.items()}

    @cached_property
    def counted(self) -> frozenset[str]:
        """Return the nouns its numbers count, as "week" of "2 weeks"."""
        return frozenset(match[1].lower() for match in _COUNTED.finditer(self.text))

    @cached_property
    def rates(self) -> frozenset[str]:
        """The periods of its rates, as "week" of "$90 a week"."""
        return frozenset(match[1].lower() for match in _RATES.finditer(self.text))

    @cached_property
    def small(self) -> frozenset[str]:
        """The words that occur in lower case somewhere."""
        plain = masked_text(self.text, [(start, end) for start, end, _ in addresses_in(self.text)])
        return frozenset(folded_word(one) for one in words_of(plain) if one[0].islower())

    @cached_property
    def people(self) -> tuple[frozenset[str], ...]:
        """The words of each record or part of a sentence, which show the names that belong together."""
        parts = re.split(r"[\n;{}]|(?<=[.!?])\s", self.text) if len(self.text) <= _LABELLED else []
        return tuple(frozenset(folded_word(one) for one in words_of(part)) for part in parts)

    @cached_property
    def close_passages(self) -> list[tuple[str, frozenset[str]]]:
        """Each two consecutive lines, sentences or objects, with their stems."""
        parts = [part.replace("_", " ") for part in _EDGE.split(self.text) if part and part.strip()]
        return [
            (f"{one} {two}", stems_of(one) | stems_of(two)) for one, two in zip(parts, [*parts[1:], ""], strict=True)
        ]

    @cached_property
    def future_passages(self) -> list[str]:
        """Return the lines and sentences about the future."""
        found = {
            self.passage(match.start()) for match in re.finditer(r"\b(?:will|due|planned for|next on)\b", self.text)
        }
        return sorted(found)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Its e-mail addresses, links and domains."""
        return frozenset(one for _, _, one in addresses_in(self.text))


def _part_cells(lines: list[str]) -> Iterator[str]:
    """Yield lines with semicolons between the cells of those that are rows of a table with commas."""
    width = 0
    for line in lines:
        commas = line.count(",")
        is_row = commas and (commas == width or _CELLS.fullmatch(line))
        width = commas if is_row or _HEAD.fullmatch(line) else 0
        yield line.replace(",", ";") if is_row else line


@lru_cache(maxsize=256)
def index_of(text: str) -> EvidenceText:
    """Return the index of a text, cached for the next reply."""
    return EvidenceText(text)


@lru_cache(maxsize=256)
def named_days(text: str, now: date) -> frozenset[date]:
    """Return the days that a text names relative to `now`, as "next Friday"."""
    moment = datetime(now.year, now.month, now.day, 12)  # noqa: DTZ001 - only its day counts
    return frozenset(relative_days(text, moment))


def masked_text(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with spans replaced by spaces, so that places stay."""
    kept, at = [], 0
    for start, end in sorted(spans):
        if start >= at:
            kept += [text[at:start], " " * (end - start)]
            at = end
        elif end > at:
            kept.append(" " * (end - at))
            at = end
    return "".join([*kept, text[at:]])


def addresses_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the e-mail addresses, links and domains of a text with their places, in normal form."""
    for match in _ADDRESS.finditer(text):
        words = match[0].rstrip(".,;:!?'")
        flat = re.sub(r"^https?://(?:www\.)?|^www\.", "", words.casefold()).rstrip("/")
        yield match.start(), match.start() + len(words), flat


def matching(figure: WrittenFigure, text: EvidenceText) -> Iterator[Occurrence]:
    """Yield the numbers of a text that a figure may mean, in any rounding."""
    for value in figure.values:
        size = abs(value)
        yield from text.near(size * 0.89 - 0.51, size * 1.12 + 0.51)
        if figure.kind == "percent":
            yield from text.near(size * 0.0089 - 0.0051, size * 0.0112 + 0.0051)
