"""The fields of a Markdown section, read in any common spelling and written back in the same one."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from mabos.workspace.text import one_line

_NAME = r"[A-Za-z][\w./-]*(?: [\w./-]+){0,3}"
_WHOLE_NAME = re.compile(_NAME)
_MARKER = re.compile(rf"\[(?P<plain>{_NAME}):[ \t]*(?P<value>[^\[\]\r\n]*?)\](?!\()")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


class _Field(NamedTuple):
    name: str
    value: str
    start: int
    end: int
    line: bool


@lru_cache(maxsize=4096)
def field_name(text: str) -> str:
    """Return the normalized name of a field: `Success Criteria` is `success_criteria`."""
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


def first_field(text: str, name: str) -> str | None:
    """Return the value that `fields` gives for one normalized name, without reading further."""
    for field in _line_fields(text):
        if field.name == name:
            if "[" in text[: field.start] or "```" in text or "~~~" in text:
                break
            return field.value
    else:
        if "[" not in text:
            return None
    return fields(text).get(name)


def with_field(text: str, name: str, value: str) -> str:
    """Return `text` with the field set, in its existing form, else as a new `- **Name:** value`.

    Line breaks in `value` become spaces: a field is one line. In a marker square brackets become round ones.
    """
    value = one_line(value)
    for field in _fields(text):
        if field.name == field_name(name):
            return text[: field.start] + _format_value(text, field, value) + text[field.end :]
    return _insert_field(text, f"- **{name}:** {value}".rstrip())


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


def without_markers(line: str) -> str:
    """Return a line without its `[key: value]` markers."""
    return _MARKER.sub("", line)


def fences(text: str) -> Iterator[tuple[int, int | None, str]]:
    """Yield start, end and opening mark of each block of fenced code; the end is None if it is never closed."""
    # A fence without an end is no fence: one stray line must not swallow the rest of a file.
    if "```" not in text and "~~~" not in text:
        return
    at = 0
    while found := _FENCE.search(text, at):
        at = found.end()
        fence = found.group(1)
        closing = _closing(fence).search(text, at)
        yield found.start(), closing.end() if closing else None, fence
        at = closing.end() if closing else at


def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\r?$", re.MULTILINE)


def _fields(text: str) -> list[_Field]:
    found = list(_line_fields(text))
    if "[" in text:
        for match in _MARKER.finditer(text):
            start, end = match.span("value")
            found.append(_Field(field_name(match["plain"]), match["value"], start, end, line=False))
        found.sort(key=lambda field: field.start)
    code = [(start, end) for start, end, _ in fences(text) if end is not None]
    return [field for field in found if not any(start <= field.start < end for start, end in code)] if code else found


def _line_fields(text: str) -> Iterator[_Field]:
    # The first colon of a line decides: no name holds one.
    at = 0
    for whole in text.split("\n"):
        begin, at = at, at + len(whole) + 1
        colon = whole.find(":")
        if colon > 0 and (field := _line_field(whole.removesuffix("\r"), colon, begin)):
            yield field


def _line_field(line: str, colon: int, begin: int) -> _Field | None:
    name = line[2:colon] if line[1] == " " and line[0] in "-*+" else line[:colon]
    rest = colon + 1
    if name.startswith("**"):
        if name.endswith("**"):
            name = name[2:-2]
        elif line.startswith("**", rest):
            name, rest = name[2:], rest + 2
    value = line[rest:].strip(" \t")
    if not _WHOLE_NAME.fullmatch(name) or "\r" in value or (value and line[rest] not in " \t"):
        return None
    start = rest + line[rest:].index(value) if value else len(line)
    return _Field(field_name(name), value, begin + start, begin + start + len(value), line=True)


def _format_value(text: str, field: _Field, value: str) -> str:
    if not field.line:
        value = value.replace("[", "(").replace("]", ")")
    needs_gap = field.start > 0 and text[field.start - 1] not in " \t" and value
    return f" {value}" if needs_gap else value


def _insert_field(text: str, line: str) -> str:
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
