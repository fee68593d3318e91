"""Small forms of speech that every view uses."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

_SHORT = 24


def count(number: int, noun: str) -> str:
    """Return `number` with its noun: `1 belief`, `2 beliefs`, `3 entries`."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}es" if noun.endswith(("s", "sh", "ch", "x")) else f"{number} {noun}s"


def share(value: float) -> str:
    """Return a share in [0, 1] as two digits: `0.62`."""
    return f"{value:.2f}"


def span(days: float | None) -> str:
    """Return a span of time in its largest unit: `5 h`, `12 d`, `3 mo`; nothing where it is not known."""
    if days is None:
        return ""
    minutes = round(days * 24 * 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h"
    return f"{days:.0f} d" if days < 100 else f"{days / 30.44:.0f} mo"


def said(value: Any) -> str:
    """Return a value as a person would say it: lists by commas, long ones by their length."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {said(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(said(inner) for inner in value) if len(value) <= 4 else f"{len(value)}"
    return str(value)


def table(*columns: str, rows: Iterable[Iterable[Any]], title: str = "") -> Table:
    """Return a table of `rows`; columns that start with `>` are set to the right.

    Where there is no room for all, long texts are cut short, and never the short cells beside them.
    """
    cells = [[said(cell) for cell in row] for row in rows]
    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for at, column in enumerate(columns):
        justify: JustifyMethod = "right" if column.startswith(">") else "left"
        is_short = all(len(row[at]) <= _SHORT for row in cells)
        made.add_column(column.removeprefix(">"), justify=justify, no_wrap=is_short, overflow="ellipsis")
    for row in cells:
        made.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    return made
