"""Anything with an id that can be a reason, in one form."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from configs.errors import unknown

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

    def tokens(self) -> Iterator[str]:
        """Yield what may be an id: every text it rests on, and every word in them that looks like one."""
        for text in self.rests_on:
            yield text
            yield from _ID.findall(text)

    def passages(self) -> list[tuple[str, int]]:
        """Return the places in files that this record names."""
        return [(match["path"], int(match["line"])) for text in self.rests_on for match in PASSAGE.finditer(text)]


class Records:
    """Records by id. Agents may use one id each for their own, so that whose it is counts."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._found: dict[str, list[Record]] = {}
        for record in records:
            self._found.setdefault(record.id, []).append(record)

    def find(self, record_id: str, agent_id: str = "") -> Record:
        """Return the record, the agent's own before another's; raises `UnknownId` that names the nearest."""
        found = self._found.get(record_id)
        if not found:
            kind = "decision, action, fact, belief or other record"
            raise unknown(kind, record_id, self._found, argument="id")
        return next((one for one in found if one.agent_id == agent_id), found[0])

    def owners(self, record_id: str) -> list[str]:
        """Return the agents that have a record of this id."""
        return [one.agent_id for one in self._found.get(record_id, ())]

    def behind(self, record: Record) -> list[Record]:
        """Return the records that `record` names, in the order it names them."""
        named = {one: None for one in record.tokens() if one in self._found and one != record.id}
        return [self.find(one, record.agent_id) for one in named]


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
