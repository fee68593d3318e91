"""Markdown as sections and fields, so that a person and an agent can write the same file.

A section starts at a `## ` heading outside fenced code and ends before the next. Splitting and joining give back every
byte; what is not understood is kept.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from configs.errors import InvalidArgument

PREAMBLE = ""  # the key of what stands before the first heading

_BOUNDARY = re.compile(r"^(?:## |(?: {0,3})(`{3,}|~{3,}))", re.MULTILINE)
_NAME = r"[A-Za-z][\w./-]*(?: [\w./-]+){0,3}"
_LINE = re.compile(
    rf"^(?P<lead>(?:[-*+] )?)(?:\*\*(?P<bold>{_NAME}):\*\*|\*\*(?P<outer>{_NAME})\*\*:|(?P<plain>{_NAME}):)"
    r"(?P<gap>[ \t]+|(?=\r?$))(?P<value>[^\r\n]*?)[ \t]*(?=\r?$)",
    re.MULTILINE,
)
_MARKER = re.compile(rf"\[(?P<plain>{_NAME}):[ \t]*(?P<value>[^\[\]\r\n]*?)\](?!\()")
_SLUG = re.compile(r"[^\W_]+")
_TAIL = re.compile(r"(?:-\d+)+")


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its key in the file, its heading, and its whole text, heading line included."""

    key: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    value: str
    start: int
    end: int
    line: bool


def split(text: str) -> tuple[str, tuple[Section, ...]]:
    """Return what stands before the first `## ` heading, and the sections; `join` gives back exactly `text`.

    A section's key is its field `Id` if it has one, else its heading in lower case with dashes; `-2`, `-3` make it
    unique within the file.
    """
    starts = [*_starts(text), len(text)]
    taken: set[str] = set()
    sections = []
    for start, end in pairwise(starts):
        body = text[start:end]
        key = _unique(natural_key(body), taken)
        taken.add(key)
        sections.append(Section(key, heading(body), body))
    return text[: starts[0]], tuple(sections)


def join(preamble: str, sections: Iterable[Section]) -> str:
    """Return the text of which these are the parts."""
    return preamble + "".join(section.text for section in sections)


def heading(text: str) -> str:
    """Return the heading of a section's text, without `## ` and without inline markers."""
    line = text.split("\n", 1)[0].removeprefix("## ")
    return _MARKER.sub("", line).strip()


def slug(text: str) -> str:
    """Return `text` in lower case, its words joined by dashes; `section` if there are none."""
    return "-".join(_SLUG.findall(text.lower())) or "section"


def natural_key(text: str) -> str:
    """Return the key a section's text asks for: its field `Id`, else its heading as a slug."""
    return fields(text).get("id") or slug(heading(text))


def is_key_of(key: str, text: str) -> bool:
    """Return whether a section with this text may stand under `key`: its natural key, or that with a number."""
    natural = natural_key(text)
    return key == natural or (key.startswith(natural) and _TAIL.fullmatch(key[len(natural) :]) is not None)


def field_name(text: str) -> str:
    """Return the one spelling under which a field is found: `Success Criteria` is `success_criteria`."""
    return re.sub(r"[ .\-]+", "_", text.strip()).lower()


def fields(text: str) -> dict[str, str]:
    """Return the fields of a section by `field_name`, the first of each name; empty values are kept.

    Reads `- **Key:** value`, `- Key: value`, `Key: value`, `**Key**: value` at the start of a line, and `[key: value]`
    anywhere. Fenced code is not read.
    """
    found: dict[str, str] = {}
    for field in _fields(text):
        found.setdefault(field.name, field.value)
    return found


def with_field(text: str, name: str, value: str) -> str:
    """Return `text` with the field set, written in the form in which it stands, else as a new `- **Name:** value`.

    Line breaks in `value` become spaces: a field is one line. In a marker square brackets become round ones.
    """
    value = " ".join(value.split())
    for field in _fields(text):
        if field.name == field_name(name):
            return text[: field.start] + _written(text, field, value) + text[field.end :]
    return _inserted(text, f"- **{name}:** {value}".rstrip())


def without_field(text: str, name: str) -> str:
    """Return `text` without the field: its whole line, or its marker; unchanged if it has none."""
    for field in _fields(text):
        if field.name == field_name(name):
            if field.line:
                start = text.rfind("\n", 0, field.start) + 1
                end = text.find("\n", field.end)
                return text[:start] + (text[end + 1 :] if end >= 0 else "")
            start = text.rindex("[", 0, field.start)
            return text[:start].rstrip(" ") + text[text.index("]", field.end) + 1 :]
    return text


def closed(text: str) -> str:
    """Return `text` such that it can stand before a section: an open code fence closed, a blank line at its end."""
    text = text if text.endswith("\n\n") else text.rstrip("\n") + "\n\n"
    for start, end in _fenced(text):
        if end is None:
            fence = re.match(r" {0,3}(`+|~+)", text[start:])
            return text.rstrip("\n") + "\n" + (fence.group(1) if fence else "```") + "\n\n"
    return text


def single_section(text: str) -> str:
    """Return `text`, `closed`, as one section.

    Raises `InvalidArgument` if it does not start with a `## ` heading or holds more than one.
    """
    text = closed(text)
    starts = list(_starts(text))
    if starts != [0]:
        message = f"a section starts with its only '## ' heading; found {len(starts)} headings in {text[:60]!r}"
        raise InvalidArgument(message, argument="value")
    return text


def preamble(text: str) -> str:
    """Return `text` as what may stand before the first section.

    Raises `InvalidArgument` if it holds a `## ` heading.
    """
    text = closed(text)
    if next(_starts(text), None) is not None:
        raise InvalidArgument(f"a preamble holds no '## ' heading: {text[:60]!r}", argument="value")
    return text


def _starts(text: str) -> Iterator[int]:
    # A fence without an end is no fence: one stray line must not swallow the rest of a file.
    at = 0
    while found := _BOUNDARY.search(text, at):
        at = found.end()
        fence = found.group(1)
        if fence is None:
            yield found.start()
        elif closing := _closing(fence).search(text, at):
            at = closing.end()


def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\r?$", re.MULTILINE)


def _fenced(text: str) -> Iterator[tuple[int, int | None]]:
    at = 0
    while found := _BOUNDARY.search(text, at):
        at = found.end()
        if fence := found.group(1):
            closing = _closing(fence).search(text, at)
            yield found.start(), closing.end() if closing else None
            at = closing.end() if closing else at


def _unique(key: str, taken: set[str]) -> str:
    if key not in taken:
        return key
    number = 2
    while f"{key}-{number}" in taken:
        number += 1
    return f"{key}-{number}"


def _fields(text: str) -> list[_Field]:
    code = [(start, end) for start, end in _fenced(text) if end is not None] if "```" in text or "~~~" in text else []
    found = []
    for pattern in (_LINE, _MARKER):
        if pattern is _MARKER and "[" not in text:
            continue
        for match in pattern.finditer(text):
            if any(start <= match.start() < end for start, end in code):
                continue
            name = match.group("plain") or match.group("bold") or match.group("outer")
            start, end = match.span("value")
            found.append(_Field(field_name(name), match.group("value"), start, end, pattern is _LINE))
    return sorted(found, key=lambda field: field.start)


def _written(text: str, field: _Field, value: str) -> str:
    if not field.line:
        value = value.replace("[", "(").replace("]", ")")
    needs_gap = field.start > 0 and text[field.start - 1] not in " \t" and value
    return f" {value}" if needs_gap else value


def _inserted(text: str, line: str) -> str:
    at = _end_of_fields(text)
    if at:
        before = text[:at] if text[:at].endswith("\n") else text[:at] + "\n"
        return f"{before}{line}\n{text[at:]}"
    head, newline, rest = text.partition("\n")
    rest = rest.lstrip("\n")
    return f"{head}{newline or chr(10)}\n{line}\n" + (f"\n{rest}" if rest else "\n")


def _end_of_fields(text: str) -> int:
    # After the first run of field lines: a later `Note: ...` in the prose is no place for more fields.
    at = 0
    for field in _fields(text):
        if field.line and at in (0, text.rfind("\n", 0, field.start) + 1):
            end = text.find("\n", field.end)
            at = len(text) if end < 0 else end + 1
    return at
