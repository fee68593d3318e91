"""What a view is given, and how a page is made of what it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from configs.errors import InvalidArgument
from mabos.views.words import count, said, share, span
from workspace.clock import parse_time

if TYPE_CHECKING:
    from jinja2 import Environment

    from tools.services import Services

PAGE = 50
"""Rows that a page shows of a long list."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a page: the open workspace, and what stands in the address."""

    services: "Services"
    query: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str, usual: str = "") -> str:
        """Return what the address gives under a name."""
        return self.query.get(name) or usual

    def number(self, name: str, usual: int = 0) -> int:
        """Return the whole number the address gives under a name; what is none is as if it were not given."""
        text = self.query.get(name, "")
        return int(text) if text.isdecimal() and len(text) < 10 else usual

    @property
    def now(self) -> datetime:
        """The time of this request."""
        return self.services.clock()


Shown = Callable[[Asked], Mapping[str, Any]]
"""Returns what a page shows; it only reads."""


@dataclass(frozen=True, slots=True)
class View:
    """One page: its name, which is that of its template and address, its title, and its letter after `g`."""

    name: str
    title: str
    letter: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class Part:
    """One page of a long list, and where it lies in it."""

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
        """Where the page before it begins."""
        return max(0, self.first - self.size) if self.first else None

    @property
    def after(self) -> int | None:
        """Where the page after it begins."""
        return self.last if self.last < self.total else None


def part(rows: list[Any], first: int, *, size: int = PAGE) -> Part:
    """Return the rows from `first` on, as many as a page shows; beyond the end it is the last page."""
    first = first if first < len(rows) else max(0, len(rows) - size)
    return Part(rows[first : first + size], first, len(rows), size)


def page(template: str, values: Mapping[str, Any], *, base: str = "") -> str:
    """Return a page as HTML; `base` is the path below which another server has the dashboard."""

    def address(path: str, **query: Any) -> str:
        told = {name: value for name, value in query.items() if value not in ("", None)}
        return f"{base}{path}" + (f"?{urlencode(told)}" if told else "")

    return _environment().get_template(f"{template}.html").render(**values, address=address)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("mabos.dashboard", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"said": said, "share": share, "span": span, "when": when, "initials": initials}
    made.globals |= {"count": count}
    return made


def when(text: str) -> Markup:
    """Return a time for people: the day and the minute, with the exact text for machines."""
    if not text:
        return Markup("")
    try:
        at = parse_time(text)
    except InvalidArgument:
        return Markup("{}").format(text)
    return Markup('<time datetime="{}">{:%d %b %Y, %H:%M}</time>').format(text, at)


def initials(agent_id: str) -> str:
    """Return what stands in an agent's badge.

    >>> initials("cfo"), initials("knowledge"), initials("head-of-sales")
    ('CFO', 'KN', 'HOS')
    """
    parts = [one for one in agent_id.replace("_", "-").split("-") if one]
    if len(parts) > 1:
        return "".join(one[0] for one in parts[:3]).upper()
    return agent_id.upper() if len(agent_id) <= 3 else agent_id[:2].upper()
