"""The lines of a brief with the headings they stand under, in every way people write headings and list items.

[(line.number, line.heading, line.is_goal) for line in outlined(text)]
item("- [ ] Reach [60 customers](crm)")          # 'Reach 60 customers'
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_GOALS = re.compile(r"\b(goals?|objectives?|targets?|okrs?|priorities|aims?|ziele)\b", re.IGNORECASE)
_NO_GOALS = re.compile(
    r"\b(?:non|anti|not|no|former|past|previous|dropped|abandoned|rejected|reached|achieved|completed|out of scope)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"\b(overview|summary|brief|about|facts?|figures?|metrics|numbers|kpis?|company|business|profile|financials?|"
    r"finance|situation|status|background|key)\b",
    re.IGNORECASE,
)
_FACTS = re.compile(r"\b(?:facts?|figures?|metrics|numbers|kpis?|overview|summary|situation|background)\b", re.I)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_EMPHASISED = re.compile(r"(?:\*\*|__)(?P<bold>[^*_:]+):?(?:\*\*|__):?|(?P<plain>[^\W\d_][^:|*#]{0,40}):")
_UNDERLINE = re.compile(r"\s*(?:={2,}|-{2,})\s*")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<text>.*\S)\s*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NOTHING = re.compile(r"#{1,6}(?:\s.*)?|~~.*~~|<.*|\|.*|`{3,}.*|https?://\S+|[^\w]*")
"""What a list item may hold that states nothing: a heading, what is struck out, markup, a table, an address."""


@dataclass(frozen=True, slots=True)
class BriefLine:
    """One line of a brief: its number, its text, the nearest heading above, and whether it stands under goals."""

    number: int
    text: str
    heading: str = ""
    is_goal: bool = False


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str


def outlined(text: str) -> Iterator[BriefLine]:
    """Yield the lines below their headings; headings, code blocks, comments and rules are left out."""
    raw = text.splitlines()
    above: list[_Heading] = []
    fenced = False
    for number, line in enumerate(raw, start=1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith("<!--") and not _UNDERLINE.fullmatch(line):
            heading = _heading(raw, number - 1)
            if heading is None:
                title = next((one.title for one in reversed(above) if _lends_its_name(one)), "")
                yield BriefLine(number, line, title, _are_goals(above))
            else:
                above = [*(one for one in above if one.level < heading.level), heading]


def item(text: str) -> str:
    """Return what a list item says, without its marker and markup; empty where it says nothing that is still open."""
    found = _BULLET.fullmatch(text)
    if found is None or (found["box"] or " ") in "xX":
        return ""
    said = bare(found["text"])
    inner = _BULLET.fullmatch(said)
    said = inner["text"] if inner else said.lstrip("> ")
    return "" if _NOTHING.fullmatch(said) else said


def bare(text: str) -> str:
    """Return a text without Markdown emphasis, and links as what they say."""
    return re.sub(r"(\*\*|__|`)", "", _LINK.sub(r"\1", text)).strip()


def is_plain(heading: str) -> bool:
    """Return whether what stands under a heading is about the company itself."""
    return not heading or _PLAIN.search(heading) is not None


def is_of_goals(title: str) -> bool:
    """Return whether a heading announces goals: `Goals for 2026`, and not `Non-goals`."""
    return _GOALS.search(title) is not None and _NO_GOALS.search(title) is None


def _are_goals(above: list[_Heading]) -> bool:
    """Return whether goals stand under these headings: those below `Goals` divide them, unless they name facts."""
    for heading in reversed(above):
        if is_of_goals(heading.title):
            return True
        if _NO_GOALS.search(heading.title) or _FACTS.search(heading.title):
            return False
    return False


def _lends_its_name(heading: _Heading) -> bool:
    """A title names all of the document, and so nothing in it."""
    return heading.level > 1 or is_of_goals(heading.title)


def _heading(lines: list[str], at: int) -> _Heading | None:
    """Return the heading that a line is: with `#`, underlined, or a name of a section in bold or before a colon."""
    line = lines[at].strip()
    if found := _HEADING.fullmatch(line):
        return _Heading(len(found[1]), bare(found[2]))
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    stands_alone = at == 0 or not lines[at - 1].strip()
    if line and stands_alone and _UNDERLINE.fullmatch(below) and not re.search(r"[:|]|^[-*+>]", line):
        return _Heading(1 if below.startswith("=") else 2, bare(line))
    named = _EMPHASISED.fullmatch(line)
    title = (named["bold"] or named["plain"]).strip() if named else ""
    return _Heading(7, title) if title and (_GOALS.search(title) or _PLAIN.search(title)) else None
