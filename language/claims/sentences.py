"""Sentences of a reply with their places (prose, list items, table rows, headings), and the reply without some."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.language.sentences import split

SentenceKind = Literal["prose", "item", "row", "header", "heading"]

_ITEM = re.compile(r"\s*(?:[-*+•–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_RULE = re.compile(r"\s*(?:\|?[\s:|-]*-{2,}[\s:|-]*\|?|[-=_*]{3,}|```.*)\s*$")
_ROW = re.compile(r"\s*\|")
_BOLD_LINE = re.compile(r"\s*\*\*[^*]+\*\*:?\s*$")


@dataclass(frozen=True, slots=True)
class ReplySentence:
    """A sentence at `start` to `end` of a reply; `block` numbers the paragraph, list or table that holds it."""

    text: str
    start: int
    end: int
    kind: SentenceKind
    block: int


@dataclass(frozen=True, slots=True)
class _ReplyLine:
    text: str
    start: int
    kind: SentenceKind | Literal["rule", "empty"]


def reply_sentences(text: str) -> tuple[ReplySentence, ...]:
    """Return the sentences of a reply in order; a row of a table is one, a list item has its own."""
    found: list[ReplySentence] = []
    block, before = 0, "empty"
    for line in _join_wrapped(_lines(text)):
        family = {"row": "table", "header": "table", "rule": before}.get(line.kind, line.kind)
        if family != before:
            block += 1
            before = family
        if line.kind in ("empty", "rule"):
            continue
        found += _parts(line, block)
    return tuple(found)


def _lines(text: str) -> list[_ReplyLine]:
    lines, at = [], 0
    raw = text.split("\n")
    for number, line in enumerate(raw):
        after = raw[number + 1] if number + 1 < len(raw) else ""
        lines.append(_ReplyLine(line, at, _kind(line, after)))
        at += len(line) + 1
    return lines


def _kind(line: str, after: str) -> SentenceKind | Literal["rule", "empty"]:
    if not line.strip():
        return "empty"
    if _RULE.match(line):
        return "rule"
    if _ROW.match(line):
        return "header" if _RULE.match(after) and "-" in after else "row"
    if _HEADING.match(line) or _BOLD_LINE.match(line):
        return "heading"
    return "item" if _ITEM.match(line) else "prose"


def _join_wrapped(lines: Sequence[_ReplyLine]) -> Iterator[_ReplyLine]:
    """Yield the lines with prose that was wrapped in mid-sentence put together; no character moves."""
    kept: list[_ReplyLine] = []
    for line in lines:
        last = kept[-1] if kept else None
        goes_on = line.kind == "prose" and line.text.lstrip()[:1].islower()
        if last and goes_on and last.kind in ("prose", "item") and len(last.text) > 40:
            kept[-1] = _ReplyLine(f"{last.text} {line.text}", last.start, last.kind)
        else:
            kept.append(line)
    yield from kept


def _parts(line: _ReplyLine, block: int) -> Iterator[ReplySentence]:
    lead = _ITEM.match(line.text) if line.kind == "item" else _HEADING.match(line.text)
    at = lead.end() if lead else 0
    whole = line.text[at:]
    parts = split(whole) if line.kind in ("prose", "item") else (whole.strip(),)
    for part in parts:
        at = line.text.index(part, at)
        yield ReplySentence(part, line.start + at, line.start + at + len(part), line.kind, block)  # type: ignore[arg-type]
        at += len(part)


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text without these spans; a list or table keeps its other lines, and no empty frame is left."""
    chars = list(text)
    touched: set[int] = set()
    for start, end in spans:
        touched.update(range(text.count("\n", 0, start), text.count("\n", 0, end) + 1))
        chars[start:end] = ["\0" if one != "\n" else one for one in text[start:end]]
    lines = []
    for number, line in enumerate("".join(chars).split("\n")):
        rest = re.sub(r" *\0+", "", line) if number in touched else line
        if number in touched and not re.search(r"\w", _without_marker(rest)):
            if not line.strip("\0").strip() and line.strip():
                continue
            rest = ""
            if "\0" in line:
                continue
        lines.append(rest.rstrip() if number in touched else line)
    return _tidy(lines)


def _without_marker(line: str) -> str:
    lead = _ITEM.match(line) or _HEADING.match(line)
    return line[lead.end() :] if lead else line


def _tidy(lines: list[str]) -> str:
    """Return the lines without tables, headings and introductions that have lost all they had."""
    changed = True
    while changed:
        kept = [line for number, line in enumerate(lines) if not _is_frame(lines, number)]
        changed, lines = len(kept) != len(lines), kept
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return text if re.search(r"\w", text) else ""


def _is_frame(lines: Sequence[str], number: int) -> bool:
    """Return whether a line only introduces the next, and nothing follows."""
    line, after = lines[number], [*lines[number + 1 :], ""]
    following = next((one for one in after if one.strip()), "")
    if _ROW.match(line) and _RULE.match(after[0]) and "-" in after[0]:
        return not any(_ROW.match(one) and not _RULE.match(one) for one in after[1:2])
    if _RULE.match(line) and "|" in line:
        return not number or not _ROW.match(lines[number - 1])
    if _HEADING.match(line):
        level = len(line.lstrip()) - len(line.lstrip().lstrip("#"))
        deeper = _HEADING.match(following)
        return not following or bool(deeper and len(following) - len(following.lstrip("#")) <= level)
    if _BOLD_LINE.match(line):
        return not following or bool(_BOLD_LINE.match(following) or _HEADING.match(following))
    return False
