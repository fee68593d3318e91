"""The tables of docs/benchmarks.md, between the paragraphs written by people.

`<!-- limits -->` precedes the table of everything with a limit, `<!-- figures NAME -->` a benchmark's other results,
and `<!-- end -->` follows each; the text between them is replaced.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from bench.kept import Run
from bench.measured import Line
from bench.programs import PROGRAMS, ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
NOTHING: Mapping[str, list[str]] = MappingProxyType({})
_HEAD = re.compile(r"\| \*\*(\w+)\*\* \|[ |]*")
_PLACE = re.compile(r"(<!-- (limits|figures (\w+)) -->\n).*?(<!-- end -->)", re.DOTALL)


def write(runs: Mapping[str, Run], page: Path = PAGE) -> None:
    """Write the tables of these runs to the page; those of benchmarks that were not run are kept."""
    text = page.read_text(encoding="utf-8")

    def table(place: re.Match[str]) -> str:
        if place[2] == "limits":
            return f"{place[1]}\n{limits(runs, rows_of(place[0]))}\n\n{place[4]}"
        return f"{place[1]}\n{figures(runs[place[3]])}\n\n{place[4]}" if place[3] in runs else place[0]

    page.write_text(_PLACE.sub(table, text), encoding="utf-8")


def places(page: Path = PAGE) -> list[str]:
    """Return the benchmarks with a place for their figures in the page."""
    return [place[3] for place in _PLACE.finditer(page.read_text(encoding="utf-8")) if place[3]]


def rows_of(table: str) -> dict[str, list[str]]:
    """Return the rows of each benchmark in a table of limits."""
    found: dict[str, list[str]] = {}
    name = ""
    for row in table.splitlines():
        if head := _HEAD.fullmatch(row):
            name = head[1]
        elif row.startswith("| ") and name:
            found.setdefault(name, []).append(row)
    return found


def limits(runs: Mapping[str, Run], before: Mapping[str, list[str]] = NOTHING) -> str:
    """Return the table of everything with a limit, by benchmark; `before` are the previous rows."""
    rows = ["| what | measured | beside | limit | |", "| --- | --- | --- | --- | --- |"]
    for name in PROGRAMS:
        lines = [line for line in runs[name].lines if line.limit] if name in runs else []
        found = [_cells(line.name, line.measured, line.beside, line.limit, _verdict(line)) for line in lines]
        if found or (name not in runs and name in before):
            rows += [f"| **{name}** | | | | |", *(found or before[name])]
    return "\n".join(rows)


def figures(run: Run) -> str:
    """Return the date of a benchmark's run, and the table of its measurements without limits."""
    paced = f", pace {run.pace:.2f}" if run.pace else ""
    told = f"Run on {run.at[:10]} in {run.seconds:.0f} s; load before it {run.load:.1f}{paced}."
    plain = [line for line in run.lines if not line.limit]
    if run.failure:
        told = f"{told} It failed: {run.failure}."
    if not plain:
        return told
    head = ["| | measured | |", "| --- | --- | --- |"]
    rows = [_cells(line.name, line.measured or "not measured", _remark(line)) for line in plain]
    return "\n".join([told, "", *head, *rows])


def _verdict(line: Line) -> str:
    said = f"**{line.verdict.lower()}**" if line.is_missed else line.verdict
    return f"{said}; {line.notes}" if line.notes else said


def _remark(line: Line) -> str:
    return "; ".join(part for part in (f"beside {line.beside}" if line.beside else "", line.notes) if part)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(_plain(cells))} |"


def _plain(cells: Iterable[str]) -> list[str]:
    return [" ".join(cell.split()).replace("|", "\\|") for cell in cells]
