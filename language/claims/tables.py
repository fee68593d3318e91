"""Rows in a text: JSON objects, CSV and Markdown tables, and the counts and sums over them."""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from mabos.language.claims.days import DaySpan, day_spans
from mabos.language.claims.stems import stems_of

_OPENING = re.compile(r"[\[{]")
_OMISSION = re.compile(r'"and \d+ more"|… \((?:cut|\d+ characters more)\)')
_HOW_MANY = re.compile(r"(?:total_?)?(?:count|rows|matches|results)|total", re.IGNORECASE)
_ROWS, _COLUMNS, _GROUPS = 400, 24, 24
"""The most rows of a table that are counted and summed: nobody does so by eye beyond it."""
_NAME, _LONG = 5, 120
"""The most words and characters of a cell that is a name."""


@dataclass(frozen=True, slots=True)
class RowCount:
    """A count of rows or values, and its words, of which a reply must share one."""

    value: float
    about: frozenset[str]


def rows_in(text: str) -> list[Mapping[str, str]]:
    """Return the rows of a text in order, each with the words of its fields."""
    return _json_rows(text) or delimited_rows(text)


def _json_rows(text: str) -> list[Mapping[str, str]]:
    return list(islice((row for value in json_values(text) for row in _objects(value)), 10 * _ROWS))


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and lists within a text; gives up after many braces that open none."""
    decoder, at, has_any = json.JSONDecoder(), 0, False
    while opening := _OPENING.search(text, at):
        try:
            value, at = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.end()
            if text.count("{", 0, at) > 50 and not has_any:
                return
            continue
        has_any = True
        yield value


@lru_cache(maxsize=256)
def is_cut(text: str) -> bool:
    """Return whether a result says that it omits rows: by its end, or by a greater count.

    >>> is_cut('{"rows": [{"a": 1}, "and 4 more"]}'), is_cut('{"total": 3, "rows": [{"a": 1}]}'), is_cut('[{"a": 1}]')
    (True, True, False)
    """
    if _OMISSION.search(text):
        return True
    for value in json_values(text):
        fields = value if isinstance(value, dict) else {}
        rows = [len(one) for one in fields.values() if isinstance(one, list) and one and isinstance(one[0], dict)]
        told = [one for key, one in fields.items() if _HOW_MANY.fullmatch(key) and isinstance(one, int)]
        if rows and told and max(told) > max(rows):
            return True
    return False


def _objects(value: Any) -> Iterator[Mapping[str, str]]:
    todo = [value]
    while todo:
        one = todo.pop(0)
        if isinstance(one, dict):
            flat = {str(key): _flat(part) for key, part in one.items() if not _is_nested(part)}
            if flat:
                yield flat
            todo = [*(part for part in one.values() if isinstance(part, dict | list)), *todo]
        elif isinstance(one, list):
            todo = [*(part for part in one if isinstance(part, dict | list)), *todo]


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict | list) for one in value))


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(str(one) for one in value)
    return str(value)


def delimited_rows(text: str) -> list[Mapping[str, str]]:
    """Return the rows of the tables of a text whose cells are separated by marks."""
    rows: list[Mapping[str, str]] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines) - 1:
        mark = _delimiter(lines[at], lines[at + 1])
        if not mark:
            at += 1
            continue
        names = [name.strip() for name in _cells(lines[at], mark)]
        at += 1
        while at < len(lines) and lines[at].count(mark):
            cells = _cells(lines[at], mark)
            if len(cells) == len(names) and not re.fullmatch(r"[\s:|-]+", lines[at]):
                rows.append(
                    {
                        name or str(number): cell.strip()
                        for number, (name, cell) in enumerate(zip(names, cells, strict=True))
                    }
                )
            at += 1
    return rows


def _delimiter(header: str, row: str) -> str:
    """Return the separator of the cells of two lines that begin a table, or ""."""
    for mark in ("|", "\t", ";", ","):
        count = header.count(mark)
        if count and len(_cells(row, mark)) == len(_cells(header, mark)) > 1:
            cells = _cells(header, mark)
            if all(len(cell) < 32 for cell in cells) and not re.search(r"[.!?]\s|[.!?:]$", header.strip()):
                return mark
    return ""


def _cells(line: str, mark: str) -> list[str]:
    if mark == "|":
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    return next(csv.reader([line], delimiter=mark), [])


def by_shape(rows: Sequence[Mapping[str, str]]) -> list[list[Mapping[str, str]]]:
    """Return the rows grouped by their columns."""
    shapes: dict[tuple[str, ...], list[Mapping[str, str]]] = defaultdict(list)
    for row in rows[:_ROWS]:
        shapes[tuple(row)[:_COLUMNS]].append(row)
    return list(shapes.values())


def row_counts(rows: Sequence[Mapping[str, str]]) -> Iterator[RowCount]:
    """Yield the values that people count by eye: rows, rows of one value, and different values."""
    for members in by_shape(rows):
        keys = tuple(members[0])[:_COLUMNS]
        yield RowCount(len(members), frozenset())
        for key in keys:
            found = Counter(row[key] for row in members)
            yield RowCount(len(found), stems_of(key.replace("_", " ")))
            for row in members[:40]:
                if "; " in row[key]:
                    yield RowCount(row[key].count("; ") + 1, frozenset())
            if len(found) <= _GROUPS:
                for value, times in found.items():
                    yield RowCount(times, stems_of(f"{key} {value}".replace("_", " ")))


def choose_rows(
    rows: Sequence[Mapping[str, object]], about: frozenset[str], codes: frozenset[str] = frozenset()
) -> tuple[list[int], frozenset[str]]:
    """Return the positions of the rows with all values that words and ids name, and the words and ids found.

    Of two values of a column, "Ada Ost" and "Jan Ost", the one with more of the words is meant. A long text is no name.

    >>> rows = [{"who": "Ada Ost", "on": "gate"}, {"who": "Jan Ost", "on": "gate"}, {"who": "Ada Ost", "on": "boat"}]
    >>> choose_rows(rows, frozenset({"ada", "ost"}))[0], choose_rows(rows, frozenset({"ost", "boat"}))[0]
    ([0, 2], [2])
    """
    kept, named = list(range(len(rows))), frozenset[str]()
    for column in {key: None for row in rows for key in row}:
        said = {cell: _find_words(cell, about, codes) for cell in {str(row.get(column, "")) for row in rows}}
        best = {cell for cell, words in said.items() if words and not any(words < other for other in said.values())}
        if best:
            named = named.union(*(said[cell] for cell in best))
            kept = [at for at in kept if str(rows[at].get(column, "")) in best]
    return kept, named


def _find_words(cell: str, about: frozenset[str], codes: frozenset[str]) -> frozenset[str]:
    """Return the words and ids of a clause that a cell has."""
    found = names_in_cell(cell) & about
    return found.union(one for one in codes if one in cell.casefold()) if codes else found


@lru_cache(maxsize=8192)
def names_in_cell(cell: str) -> frozenset[str]:
    """Return the stems of a cell; none for a cell with many words."""
    stems = stems_of(cell.replace("_", " ")) if len(cell) < _LONG else frozenset[str]()
    return stems if len(stems) <= _NAME else frozenset()


def rows_at(rows: Sequence[Mapping[str, object]], spans: Sequence[DaySpan]) -> Iterator[list[int]]:
    """Yield the positions of the rows of some days and months, by each date column; all rows for no days."""
    if not spans:
        yield list(range(len(rows)))
    for column in {key: None for row in rows for key in row} if spans else ():
        days = [[one for one in day_spans(str(row.get(column, ""))) if one.month] for row in rows]
        kept = [at for at, found in enumerate(days) if any(_is_within(one, span) for one in found for span in spans)]
        if kept:
            yield kept


def _is_within(day: DaySpan, span: DaySpan) -> bool:
    return day.month == span.month and span.day in (0, day.day) and span.year in (0, day.year)


def number_cell(cell: str) -> float | None:
    """Return the number that makes up a cell, or None."""
    flat = re.sub(r"^[$€£]\s?|\s?(?:%|[$€£]|[A-Za-z]{1,4})$", "", cell.strip()).replace(",", "")
    return float(flat) if re.fullmatch(r"-?\d+(?:\.\d+)?", flat) else None
