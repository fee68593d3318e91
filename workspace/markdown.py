"""Markdown as sections and fields, so that a person and an agent can write the same file.

A section starts at a `## ` heading outside fenced code and ends before the next. Splitting and joining preserve every
byte, unknown content included.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mabos.configs.errors import InvalidArgument, unknown
from mabos.workspace.fields import fences, field_name, fields, first_field, with_field, without_field, without_markers
from mabos.workspace.operations import Arrange, Collections, Drop, Op, Put
from mabos.workspace.text import slug

__all__ = [
    "PREAMBLE", "MarkdownCodec", "MarkdownSection", "close_fences", "field_name", "fields", "heading", "heading_key",
    "is_key_of", "join", "natural_key", "preamble", "single_section", "split", "with_field", "without_field",
]  # fmt: skip

PREAMBLE = ""  # the key of what stands before the first heading

_TAIL = re.compile(r"(?:-\d+)+")
_NUMBERED = re.compile(r"^.+-[1-9]\d*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """A section: its key in the file, its heading, and its whole text, heading line included."""

    key: str
    heading: str
    text: str


def split(text: str) -> tuple[str, tuple[MarkdownSection, ...]]:
    """Return the text before the first `## ` heading, and the sections; `join` gives back exactly `text`.

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
        sections.append(MarkdownSection(key, heading(body), body))
    return text[: starts[0]], tuple(sections)


def join(preamble: str, sections: Iterable[MarkdownSection]) -> str:
    """Return the text made of these parts."""
    return preamble + "".join(section.text for section in sections)


def heading(text: str) -> str:
    """Return the heading of a section's text, without `## ` and without inline markers."""
    return without_markers(text.split("\n", 1)[0].removeprefix("## ")).strip()


def heading_key(title: str) -> str:
    """Return the section key of a heading: its words joined by dashes, `section` if there are none."""
    return slug(title) or "section"


def natural_key(text: str) -> str:
    """Return the natural key of a section's text: its field `Id`, else its heading as a slug."""
    return first_field(text, "id") or heading_key(heading(text))


def is_key_of(key: str, text: str) -> bool:
    """Return whether `key` is valid for a section with this text: its natural key, perhaps with a number."""
    natural = natural_key(text)
    return key == natural or (key.startswith(natural) and _TAIL.fullmatch(key[len(natural) :]) is not None)


def close_fences(text: str) -> str:
    """Return `text` ready to precede a section: an open code fence closed, a blank line at its end."""
    text = text if text.endswith("\n\n") else text.rstrip("\n") + "\n\n"
    for _, end, mark in fences(text):
        if end is None:
            return text.rstrip("\n") + f"\n{mark}\n\n"
    return text


def single_section(text: str) -> str:
    """Return `text`, closed by `close_fences`, as one section.

    Raises `InvalidArgument` unless it starts with the only `## ` heading in it.
    """
    text = close_fences(text)
    starts = _starts(text)
    if starts != [0]:
        message = f"a section starts with its only '## ' heading; found {len(starts)} headings in {text[:60]!r}"
        raise InvalidArgument(message, argument="value")
    return text


def preamble(text: str) -> str:
    """Return the text in the form required before the first section.

    Raises `InvalidArgument` if it holds a `## ` heading.
    """
    text = close_fences(text)
    if _starts(text):
        raise InvalidArgument(f"a preamble may not have a '## ' heading: {text[:60]!r}", argument="value")
    return text


class MarkdownCodec:
    """Markdown files as collections: file name -> section key -> section text, `PREAMBLE` for the text before them.

    In memory every text ends with its blank line; the last one of a file is written without.
    """

    hand_stands = True

    def __init__(self, files: Iterable[str]) -> None:
        self.files = tuple(files)

    def home(self, collection: str) -> str:
        """Return the file itself, which is its own collection."""
        if collection not in self.files:
            raise unknown("file", collection, self.files, argument="collection")
        return collection

    def empty(self, name: str) -> Collections:
        """Return a file without sections."""
        return {name: {}}

    def decode(self, name: str, text: str) -> Collections:
        """Return the sections of a file; every text is valid."""
        if not text:
            return self.empty(name)
        before, sections = split(text + "\n")
        return {name: ({PREAMBLE: before} if before else {}) | {section.key: section.text for section in sections}}

    def encode(self, name: str, collections: Collections, _version: int) -> str:
        """Return the text of a file."""
        texts = _in_order(collections.get(name, {}))
        texts[:-1] = [close_fences(text) if "```" in text or "~~~" in text else text for text in texts[:-1]]
        return "".join(texts)[:-1]

    def version(self, _name: str, _text: str) -> int:
        """Return 0: prose is unversioned."""
        return 0

    def admit(self, collection: str, key: str, value: Any) -> str:
        """Return a section's text, closed; raises `InvalidArgument` if it is not one section with this key."""
        self.home(collection)
        if not isinstance(value, str):
            raise InvalidArgument(f"{collection} holds text, not {type(value).__name__}", argument="value")
        if key == PREAMBLE:
            return preamble(value)
        text = single_section(value)
        if not is_key_of(key, text):
            message = f"this section of {collection} would be found as {natural_key(text)!r}, not {key!r}; set its Id"
            raise InvalidArgument(message, argument="key")
        return text

    def settle(self, collections: Collections, touched: Mapping[str, set[str]]) -> Sequence[Op]:
        """Return the renumbering of sections with equal headings after they were added, removed or moved."""
        ops: list[Op] = []
        for name in touched:
            records = collections.get(name, {})
            if _has_numbered(records):
                ops += _renumber_records(name, records, self.decode(name, self.encode(name, collections, 0))[name])
        return ops

    def conflict(self, name: str, _collection: str, key: str, value: Any) -> str:
        """Return the agent's version of a section under a comment that explains it."""
        about = f"<!-- {name}: a person and the agent changed {key or 'the beginning'!r} at the same time."
        if value is None:
            return f"{about} The file has the person's; the agent had removed it. -->\n\n"
        return f"{about} The file has the person's; this is the agent's. -->\n\n{close_fences(value)}"


def _in_order(records: Mapping[str, str]) -> list[str]:
    first = [records[PREAMBLE]] if PREAMBLE in records else []
    return first + [text for key, text in records.items() if key != PREAMBLE]


def _has_numbered(records: Mapping[str, str]) -> bool:
    """Return whether a section has a number since another one has its heading: which it gets depends on the others."""
    # Asked whenever a file is written: of most keys by one look at all of them, of most others by their usual field.
    ends_in_one = _NUMBERED.findall("\n".join(records))
    return any(f"Id:** {key}\n" not in records[key] and key != natural_key(records[key]) for key in ends_in_one)


def _renumber_records(name: str, records: Mapping[str, str], again: Mapping[str, str]) -> list[Op]:
    old, new = [key for key in records if key != PREAMBLE], [key for key in again if key != PREAMBLE]
    moved = [(was, becomes) for was, becomes in zip(old, new, strict=True) if was != becomes]
    if not moved:
        return []
    puts = [Put(name, becomes, records[was]) for was, becomes in moved]
    return [*(Drop(name, was) for was, _ in moved), *puts, Arrange(name, tuple(again))]


def _starts(text: str) -> list[int]:
    starts = [0] if text.startswith("## ") else []
    at = text.find("\n## ")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n## ", at + 1)
    for begin, end, _ in fences(text) if starts else ():
        if end is not None:
            starts = [start for start in starts if not begin <= start < end]
    return starts


def _unique(key: str, taken: set[str]) -> str:
    if key not in taken:
        return key
    number = 2
    while f"{key}-{number}" in taken:
        number += 1
    return f"{key}-{number}"
