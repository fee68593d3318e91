"""The input of a view, and the rendering of a page from its output."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from mabos.interfaces.dashboard.wording import aim, day, initials, make_visible, percent, plain, when, words
from mabos.interfaces.reasons.gathering import Gathering
from mabos.interfaces.reasons.record import RecordGraph
from mabos.interfaces.views.words import count, format_value, share, span
from mabos.workspace.currencies import money

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from mabos.tools.runtime.company import Business
    from mabos.tools.runtime.services import Services

PAGE = 50
"""Rows that a page shows of a long list."""


class Query(Protocol):
    """The query string of an address; a name may occur more than once."""

    def get(self, name: str, /) -> str | None:
        """Return the last value of a name."""

    def getlist(self, name: str, /) -> list[str]:
        """Return all values of a name."""


class Reasons:
    """The records of an open workspace, cached between questions."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: tuple[Services, Gathering] | None = None

    @contextmanager
    def records(self, services: "Services") -> Iterator[RecordGraph]:
        """Yield the records in their current state; concurrent callers wait."""
        with self._lock:
            if self._known is None or self._known[0] is not services:
                self._known = (services, Gathering(services))
            yield self._known[1].records()


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page: the open workspace, its reasons, the folder of simulated runs, and the query.

    `base` is the path below which another server mounts the dashboard, `visited` the time of the owner's last visit.
    `draft` is the content of a refused form; no address can contain it.
    """

    services: "Services"
    reasons: Reasons
    runs: Path
    query: Query
    base: str = ""
    visited: str = ""
    draft: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str, usual: str = "") -> str:
        """Return the value of a name in the address."""
        return self.query.get(name) or usual

    def number(self, name: str, usual: int = 0) -> int:
        """Return the integer value of a name in the address; an invalid one counts as missing."""
        text = self.query.get(name) or ""
        return int(text) if text.isdecimal() and len(text) < 10 else usual

    def every(self, name: str) -> list[str]:
        """Return all values of a name in the address."""
        return self.query.getlist(name)

    def business(self) -> "Business | None":
        """Return the business in the address, else the first; None if there is no business."""
        known = self.services.businesses()
        return self.services.business(self.text("business", known[0])) if known else None

    def address(self, path: str, **query: Any) -> str:
        """Return the address of a page."""
        return address(self.base, path, **query)

    @property
    def now(self) -> datetime:
        """The time of this request."""
        return self.services.clock()


Shown = Callable[[PageRequest], Mapping[str, Any]]
"""Returns what a page shows; it only reads."""


@dataclass(frozen=True, slots=True)
class PageView:
    """A page: its name, which is that of its template and address, its title, and its key after `g`."""

    name: str
    title: str
    letter: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of a long list, and its position."""

    rows: list[Any]
    first: int
    total: int
    size: int = PAGE

    @property
    def last(self) -> int:
        """The number of its last row."""
        return self.first + len(self.rows)

    @property
    def before(self) -> int | None:
        """The start of the previous page."""
        return max(0, self.first - self.size) if self.first else None

    @property
    def after(self) -> int | None:
        """The start of the next page."""
        return self.last if self.last < self.total else None


def part(rows: list[Any], first: int, *, size: int = PAGE) -> ListPage:
    """Return the rows from `first` on, one page of them; beyond the end it is the last page."""
    first = first if first < len(rows) else max(0, len(rows) - size)
    return ListPage(rows[first : first + size], first, len(rows), size)


def page(name: str, values: Mapping[str, Any], *, base: str = "") -> str:
    """Return a page as HTML; `base` is the path below which another server mounts the dashboard."""
    return template(name).render(**values, address=partial(address, base))


def template(name: str) -> "Template":
    """Return the template of a page, compiled once."""
    return _environment().get_template(f"{name}.html")


def address(base: str, path: str, /, **query: Any) -> str:
    """Return the address of a page below `base`; empty and None values are left out, a list is repeated.

    >>> address("/mabos", "/why", id="a b", agent="")
    '/mabos/why?id=a+b'
    """
    told = {name: value for name, value in query.items() if value not in ("", None)}
    return f"{base}{path}" + (f"?{urlencode(told, doseq=True)}" if told else "")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("mabos.interfaces.dashboard", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=make_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"money": money, "said": format_value, "share": share, "span": span, "percent": percent}
    made.filters |= {"when": when, "day": day, "aim": aim, "words": words, "initials": initials, "plain": plain}
    made.globals |= {"count": count}
    return made
