"""The tables of docs/scaling.md filled in by `python -m bench.limit --write`.

Each is between `<!-- limit NAME -->` and `<!-- end -->`, where its text is replaced.
"""

import re
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tests.conftest import ROOT

if TYPE_CHECKING:
    from bench.limit import Company, Found

PAGE = ROOT / "docs" / "scaling.md"
BUSY = 0.5
"""A load before the run above which the page says that others were at work."""
_KINDS = {
    "idle": "cycles that find nothing to do",
    "request": "cycles with a request in them, without a model",
    "message": "messages sent",
}
_PLACE = re.compile(r"(<!-- limit (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables(found: "Found") -> dict[str, str]:
    """Return the content of each place in the page."""
    return {"machine": machine(found), "postgres": postgres(found)}


def write(found: "Found", page: Path = PAGE) -> None:
    """Write the tables to the page, leaving its other text unchanged."""
    new = tables(found)
    page.write_text(
        _PLACE.sub(lambda place: f"{place[1]}\n{new[place[2]]}\n\n{place[3]}", page.read_text("utf-8")), "utf-8"
    )


def places(page: Path = PAGE) -> list[str]:
    """Return the names of the places in the page."""
    return [place[2] for place in _PLACE.finditer(page.read_text("utf-8"))]


def machine(found: "Found") -> str:
    """Return the cost of one company, and of one per processor together."""
    number = len(found.together)
    rows = [
        f"{_terms(found)} A second of each:",
        "",
        f"| | a processor at work | one company, by the clock | {number} companies at once, by the clock |",
        "| --- | ---: | ---: | ---: |",
    ]
    for kind, name in _KINDS.items():
        pace = found.alone.paces[kind]
        low, high = pace.spread
        both = sum(one.paces[kind].a_second_by_the_clock for one in found.together)
        alone = pace.a_second_by_the_clock
        rows.append(f"| {name} | {pace.a_second:,.0f} ({low:,.0f} to {high:,.0f}) | {alone:,.0f} | {both:,.0f} |")
    rows.append(
        f"| MB of memory, the embedding model among it | | {_memory(found.alone)} | {_memory(*found.together)} |"
    )
    rows += ["", "The first column is the median of 20 rounds, with the quarters in brackets."]
    return "\n".join(rows)


def postgres(found: "Found") -> str:
    """Return the cost of a cycle with its checkpoint in each place."""
    file, server = (found.places[place] for place in ("file", "postgres"))
    more = median(server) - median(file)
    rows = [
        f"{_terms(found)} A cycle that finds nothing to do, by the clock:",
        "",
        "| checkpoint in | median | quarters |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {_ms(median(taken))} ms | {_quarters(taken)} ms |" for name, taken in _named(file, server)),
        "",
        f"Postgres takes {_ms(abs(more))} ms {'more' if more >= 0 else 'less'}, {median(server) / median(file):.2f} "
        "times as long. It stood on the same machine and kept its disk in step; one elsewhere adds its round trips,",
        "which was not measured.",
    ]
    return "\n".join(rows)


def _named(file: list[float], server: list[float]) -> tuple[tuple[str, list[float]], ...]:
    return ("the file", file), ("Postgres", server)


def _terms(found: "Found") -> str:
    busy = ": others were at work, so what the clock says is too slow" if found.load > BUSY else ""
    return f"{found.at}, {found.processors} processors, {found.platform}; load before it {found.load:.1f}{busy}."


def _memory(*companies: "Company") -> str:
    return f"{sum(one.memory_mb for one in companies):,.0f}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f}"


def _quarters(taken: list[float]) -> str:
    low, _, high = quantiles(taken, n=4)
    return f"{_ms(low)} to {_ms(high)}"
