"""Formats of times, shares, targets and names on pages."""

import re
from typing import Any

from markupsafe import Markup

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.visible import visible
from mabos.workspace.clock import parse_time

_ID = re.compile(r" ?\((?:[A-Z]+-)+\d{6,}[\w-]*\)|(?:[A-Z]+-)+\d{6,}[\w-]*:? ?")
"""An id that was made from a moment, alone or in brackets."""
_CODE = re.compile(r"(?<![\w.@/-])[a-z]+(?:_[a-z]+)+(?![\w@/-]|\.\w)")
"""The name of a figure or a state in code; an address or the name of a file is none."""


def make_visible(value: Any) -> Any:
    """Return a value for display, without characters that reverse or reorder words."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value.replace("\r\n", "\n"))
    return value


def when(text: str) -> Markup:
    """Return a time for people: day and minute, with the exact text for machines."""
    return _time(text, "%d %b %Y, %H:%M")


def day(text: str) -> Markup:
    """Return the day of a time, formatted for people."""
    return _time(text, "%d %b %Y")


def percent(share: float) -> str:
    """Return a share in [0, 1] as a percentage.

    >>> percent(0.625)
    '62%'
    """
    return f"{share:.0%}"


def aim(target: str) -> str:
    """Return a goal's target with readable numbers.

    >>> aim("cash >= 1.65e+05")
    'cash >= 165,000'
    """
    return re.sub(r"(?<![\w.])\d+(\.\d+)?e[+-]?\d+", lambda found: f"{float(found[0]):,.10g}", target)


def words(name: str) -> str:
    """Return an identifier as words.

    >>> words("agent_reports_to"), words("cbr_case")
    ('agent reports to', 'cbr case')
    """
    return name.replace("_", " ")


def plain(text: str) -> str:
    """Return a text without ids, for pages meant for reading.

    >>> plain("It is running (CMP-1774862100000-c2e3); CASE-I-1768208400003-8e6d: it ended as partial_failure")
    'It is running; it ended as partial failure'
    >>> plain("a_b@example.com reads my_file.csv")
    'a_b@example.com reads my_file.csv'
    """
    return _CODE.sub(lambda found: words(found[0]), _ID.sub("", text)).rstrip(" ")


def initials(agent_id: str) -> str:
    """Return the text of an agent's badge.

    >>> initials("cfo"), initials("knowledge"), initials("head-of-sales")
    ('CFO', 'KNO', 'HOS')
    """
    parts = [one for one in agent_id.replace("_", "-").split("-") if one]
    if len(parts) > 1:
        return "".join(one[0] for one in parts[:3]).upper()
    return agent_id[:3].upper()


def _time(text: str, form: str) -> Markup:
    try:
        at = parse_time(text)
    except InvalidArgument:  # an empty one, or one that a person wrote in their own way
        return Markup("{}").format(text)
    return Markup('<time datetime="{}">{}</time>').format(text, at.strftime(form))
