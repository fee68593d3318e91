"""The parts of a section that span lines: nested bullets under a field, numbered lists, and plain text."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from mabos.mind.spelling import escape_line, inline
from mabos.workspace.fields import field_name, fields

_LABEL = re.compile(r"(?P<lead>[-*+] )?(?P<bold>\*\*)?(?P<name>[A-Za-z][\w./ -]*?)(?::\*\*|\*\*:|:)[ \t]*(?P<rest>.*)")
_NESTED = re.compile(r"[ \t]+[-*+] (?P<item>.*)")
_NUMBERED = re.compile(r"\d{1,4}[.)] (?P<item>.*)")
MARKERS = re.compile(r"\[[A-Za-z][\w./ -]*:[^\[\]\n]*\](?!\()")


@dataclass(frozen=True, slots=True)
class Lines:
    """A run of lines, from `start` up to but not including `end`, and their items."""

    start: int
    end: int
    items: tuple[str, ...]


def raw_fields(text: str) -> dict[str, str]:
    """Return the fields of a section as written, nested bullets as an inline list."""
    found = fields(text)
    if "\n " in text or "\n\t" in text:
        lines = text.splitlines()
        for at, name in _open_labels(lines):
            if not found.get(name) and (run := _read_nested(lines, at)).items:
                found[name] = inline(run.items)
    return found


def with_block(text: str, label: str, names: Container[str], items: Sequence[str]) -> str:
    """Return `text` with nested bullets under the field with one of `names`, or under a new one at the end."""
    bullets = [f"  - {item}" for item in items]
    lines = text.splitlines()
    for at, name in _open_labels(lines):
        if name in names:
            run = _read_nested(lines, at)
            lines[run.start : run.end] = bullets
            return _join_lines(lines)
    return with_new_field(text, f"- **{label}:**", *bullets)


def with_new_field(text: str, *new: str) -> str:
    """Return `text` with the lines of a new field after its last one, or under its heading."""
    lines = text.splitlines()
    last = max((at for at, line in enumerate(lines) if at and _is_field(line)), default=None)
    if last is None:
        rest = "\n".join(lines[1:]).lstrip("\n")
        return _join_lines([lines[0], "", *new, *(["", rest] if rest else [])])
    end = _read_nested(lines, last).end
    lines[end:end] = new
    return _join_lines(lines)


def read_numbered(text: str) -> Lines:
    """Return the first numbered list of a section: each item is its text, then its indented lines without indent."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if _NUMBERED.match(line)), None)
    if first is None:
        return Lines(len(lines), len(lines), ())
    items: list[list[str]] = []
    end = at = first
    while at < len(lines):
        found = _NUMBERED.match(lines[at])
        if found:
            items.append([found["item"]])
        elif lines[at].strip() and lines[at][0] in " \t":
            items[-1].append(lines[at][3:] if lines[at].startswith("   ") else lines[at].lstrip(" \t"))
        elif lines[at].strip():
            break
        at += 1
        end = at if lines[at - 1].strip() else end
    return Lines(first, end, tuple("\n".join(item) for item in items))


def with_numbered(text: str, title: str, items: Sequence[str]) -> str:
    """Return `text` with its numbered list replaced, or with a new one under `### {title}` at its end."""
    lines = text.splitlines()
    run = read_numbered(text)
    listed = [line for number, item in enumerate(items, 1) for line in _item_lines(number, item)]
    if run.items:
        lines[run.start : run.end] = listed
        return _join_lines(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return _join_lines([*lines, "", f"### {title}", "", *listed] if listed else lines)


def prose(text: str, known: Container[str]) -> str:
    """Return the plain text of a section, without heading, fields, and nested or numbered lists."""
    lines = text.splitlines()
    kept = [MARKERS.sub("", lines[at]).rstrip() for at in _prose_lines(lines, known)]
    return "\n".join(kept).strip()


def with_prose(text: str, known: Container[str], new: str) -> str:
    """Return `text` with its plain text replaced by `new`, written so that it reads back as the same."""
    lines = text.splitlines()
    old = list(_prose_lines(lines, known))
    line = escape_line(new)
    if line and (line[0] in "#`~>-*+|<0123456789" or _LABEL.match(line)):
        line = f"&#{ord(line[0])};{line[1:]}"
    first = old[0] if old else 1
    kept = [one for at, one in enumerate(lines) if at not in set(old)]
    kept[first:first] = [line]
    return _join_lines(kept)


def _is_field(line: str) -> bool:
    # Plain `Note: ...` may be prose; a dash or bold type says that it is a field.
    found = _LABEL.fullmatch(line.rstrip())
    return found is not None and bool(found["bold"] or found["lead"] or not found["rest"].count(" ") > 3)


def _open_labels(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for at, line in enumerate(lines):
        if line[:1] in "-*+" or line[:1].isalpha():
            found = _LABEL.fullmatch(line.rstrip())
            if found and not found["rest"]:
                yield at, field_name(found["name"])


def _read_nested(lines: Sequence[str], label: int) -> Lines:
    items: list[str] = []
    at = label + 1
    while at < len(lines) and (found := _NESTED.fullmatch(lines[at])):
        items.append(found["item"])
        at += 1
    return Lines(label + 1, at, tuple(items))


def _prose_lines(lines: Sequence[str], known: Container[str]) -> Iterator[int]:
    run = read_numbered("\n".join(lines))
    inside = False
    for at, line in enumerate(lines):
        if at == 0 or run.start <= at < run.end or line.startswith("#"):
            inside = False
            continue
        found = _LABEL.fullmatch(line.rstrip()) if not inside or not _NESTED.fullmatch(line) else None
        if found and (field_name(found["name"]) in known or found["bold"]):
            inside = True
        elif not (inside and _NESTED.fullmatch(line)):
            inside = False
            if line.strip() and MARKERS.sub("", line).strip():
                yield at


def _item_lines(number: int, item: str) -> list[str]:
    first, *rest = item.split("\n")
    return [f"{number}. {first}", *(f"   {line}" for line in rest)]


def _join_lines(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n\n"
