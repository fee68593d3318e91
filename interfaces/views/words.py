"""Short formats that all views use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_SHORT = 24
"""Cells that are never cut, and what is left of a longer text before it stands on lines of its own."""
_HEADING = 8
"""Characters of a heading that say what its column holds."""
_BETWEEN = 2
_LARGE = 1e6  # from which on `g` would write 1.65e+06


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
    """Return a duration in its largest unit: `5 h`, `12 d`, `3 mo`; nothing if it is unknown."""
    if days is None:
        return ""
    minutes = round(days * 24 * 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h"
    return f"{days:.0f} d" if days < 100 else f"{days / 30.44:.0f} mo"


def cut(text: str, longest: int) -> str:
    """Return a text on one line, shortened to fit.

    >>> cut("from here   to there", 12)
    'from here t…'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def format_value(value: Any) -> str:
    """Return a value as a person would write it: lists with commas, long ones by their length."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < _LARGE else f"{value:,.0f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {format_value(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(format_value(inner) for inner in value) if len(value) <= 4 else f"{len(value)}"
    return str(value)


def table(*columns: str, rows: Iterable[Iterable[Any]], title: str = "") -> Table:
    """Return a table of `rows`; columns starting with `>` are right-aligned, and a `Text` is shown unchanged.

    If space is short, long texts are cut, never the short cells next to them. If it does not suffice even then, the
    cells of a row are stacked.
    """
    return _NamedTable(columns, [[_cell(value) for value in row] for row in rows], title)


def _cell(value: Any) -> Text:
    return value if isinstance(value, Text) else Text(format_value(value), no_wrap=True, overflow="ellipsis")


class _NamedTable(Table):
    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Text]], name: str) -> None:
        super().__init__(title=name or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
        self._name, self._cells, self._least = name, rows, -_BETWEEN
        for at, column in enumerate(columns):
            justify: JustifyMethod = "right" if column.startswith(">") else "left"
            longest = max((row[at].cell_len for row in rows), default=0)
            heading = column.removeprefix(">")
            self.add_column(heading, justify=justify, no_wrap=longest <= _SHORT, overflow="ellipsis")
            self._least += min(max(longest, min(len(heading), _HEADING)), _SHORT) + _BETWEEN
        for row in rows:
            self.add_row(*row)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._least <= options.max_width:
            yield from super().__rich_console__(console, options)
        else:
            yield from self._below_each_other()

    def _below_each_other(self) -> Iterator[RenderableType]:
        first, *names = (str(column.header) for column in self.columns)
        yield from (Text(one, style="bold") for one in (self._name, first) if one)
        for row in self._cells:
            yield Text(row[0].plain.strip())
            for name, cell in zip(names, row[1:], strict=True):
                if cell.plain.strip():
                    named = Text(f"{name}: " if name else "", style="dim")
                    yield Padding(named + Text(cell.plain.strip()), (0, 0, 0, 2))
