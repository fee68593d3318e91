"""Rows in a text: JSON objects, CSV and Markdown tables, and the counts and sums over them."""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mabos.language.claims.stems import stems_of

_OPENING = re.compile(r"[\[{]")
_ROWS, _COLUMNS, _GROUPS = 400, 24, 24
"""How much of a table is counted and summed: beyond it nobody does so by eye."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A count, a sum or a mean over rows, the words it is about, and whether a reply must share one of them."""

    value: float
    about: frozenset[str]
    is_count: bool = False
    is_mean: bool = False


def rows_in(text: str) -> list[Mapping[str, str]]:
    """Return the rows of a text in order, each with the words of its fields."""
    return _json_rows(text) or _delimited_rows(text)


def _json_rows(text: str) -> list[Mapping[str, str]]:
    return list(islice((row for value in json_values(text) for row in _objects(value)), 10 * _ROWS))


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and lists within a text, until many braces have opened none."""
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


def _delimited_rows(text: str) -> list[Mapping[str, str]]:
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


def aggregates(rows: Sequence[Mapping[str, str]]) -> Iterator[Aggregate]:
    """Yield the values people count by eye: rows, rows of one value, different values, sums, means and spans."""
    shapes: dict[tuple[str, ...], list[Mapping[str, str]]] = defaultdict(list)
    for row in rows[:_ROWS]:
        shapes[tuple(row)[:_COLUMNS]].append(row)
    for keys, members in shapes.items():
        yield Aggregate(len(members), frozenset(), is_count=True)
        groups = [(key, value) for key in keys for value, times in _groups(members, key) if times < len(members)]
        for key in keys:
            different = len({row[key] for row in members})
            yield Aggregate(different, stems_of(key.replace("_", " ")), is_count=True)
            for row in members[:40]:
                if "; " in row[key]:
                    yield Aggregate(row[key].count("; ") + 1, frozenset(), is_count=True)
            yield from _sums(key, members, frozenset())
        for key, value in groups[:60]:
            some = [row for row in members if row[key] == value]
            about = stems_of(f"{key} {value}".replace("_", " "))
            yield Aggregate(len(some), about, is_count=True)
            for other in keys:
                if other != key:
                    yield from _sums(other, some, about)


def _groups(rows: Sequence[Mapping[str, str]], key: str) -> list[tuple[str, int]]:
    found = Counter(row[key] for row in rows)
    return list(found.items()) if len(found) <= _GROUPS else []


def _sums(key: str, rows: Sequence[Mapping[str, str]], about: frozenset[str]) -> Iterator[Aggregate]:
    if len(rows) < 2:
        return
    values = [number_cell(row[key]) for row in rows]
    known = [value for value in values if value is not None]
    if len(known) < 2 or len(known) < len(rows) / 2:
        return
    about = about or stems_of(key.replace("_", " "))
    yield Aggregate(sum(known), about)
    yield Aggregate(sum(known) / len(known), about, is_mean=True)


def number_cell(cell: str) -> float | None:
    """Return the number that fills a cell, or None."""
    flat = re.sub(r"^[$€£]\s?|\s?(?:%|[$€£]|[A-Za-z]{1,4})$", "", cell.strip()).replace(",", "")
    return float(flat) if re.fullmatch(r"-?\d+(?:\.\d+)?", flat) else None
