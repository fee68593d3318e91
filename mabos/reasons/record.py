"""Anything with an id that can be a reason, in one form."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ID = re.compile(r"[A-Za-z][\w.]*(?:[-@/:][\w.:@/-]*\w)?")
PASSAGE = re.compile(r"(?P<path>[^\s:][^:\n]*\.\w+):(?P<line>\d+)")


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that stands in the workspace: what it is, in words, and the texts that name what it rests on.

    `rests_on` is read for ids and for places in files (`metrics.csv:3`); what names nothing known is passed over.
    """

    id: str
    kind: str
    agent_id: str
    words: str
    at: str = ""
    rests_on: tuple[str, ...] = ()

    def ids(self, known: Mapping[str, Any]) -> list[str]:
        """Return the known ids that this record names, in the order it names them."""
        found: dict[str, None] = {}
        for text in self.rests_on:
            if text in known:
                found[text] = None
                continue
            for token in _ID.findall(text):
                if token in known:
                    found[token] = None
        found.pop(self.id, None)
        return list(found)

    def passages(self) -> list[tuple[str, int]]:
        """Return the places in files that this record names."""
        return [(match["path"], int(match["line"])) for text in self.rests_on for match in PASSAGE.finditer(text)]


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, mappings by their values."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
