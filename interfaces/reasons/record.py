"""A common form for everything with an id that can be a reason."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from mabos.configs.errors import unknown

_ID = re.compile(r"[A-Za-z][\w.]*(?:[-@/:][\w.:@/-]*\w)?")
PASSAGE = re.compile(r"(?P<path>[^\s:][^:\n]*\.\w+):(?P<line>\d{1,9})(?!\d)")
_RANK = {
    kind: rank for rank, kind in enumerate(("decision", "action", "intention", "plan", "goal", "desire", "belief"))
}
_EVIDENCE = ("case", "fact", "figure", "lesson", "memory", "message")
"""Records that are not a reason for anything before them."""
_STANDING = ("belief", "desire", "fact", "figure", "lesson")
"""What holds until it is changed; everything else happened at a time, and is told by what was believed then."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the workspace: its kind and text, and the texts that name its reasons.

    `rests_on` is searched for ids and for places in files (`metrics.csv:3`); unknown names are skipped. `measured_by`
    are the subjects of beliefs in its condition. `name` replaces the id in questions: the subject of a belief. `maker`
    is the only agent whose calls can have created it; "" allows any. `file` is the path of its text from the root.
    """

    id: str
    kind: str
    agent_id: str
    words: str
    at: str = ""
    rests_on: tuple[str, ...] = ()
    measured_by: tuple[str, ...] = ()
    name: str = ""
    maker: str = ""
    file: str = ""

    def tokens(self) -> Iterator[str]:
        """Yield possible ids: every text in `rests_on`, and every word in them that looks like an id."""
        for text in self.rests_on:
            yield text
            yield from _ID.findall(text)

    def passages(self) -> list[tuple[str, int]]:
        """Return the file places in this record, each once."""
        matches = [match for text in self.rests_on for match in PASSAGE.finditer(text)]
        return list(dict.fromkeys((match["path"], int(match["line"])) for match in matches))


@dataclass(frozen=True, slots=True)
class ReasonTime:
    """The time of an explanation: beliefs `at` that time, without the results of the plan `but_by`."""

    at: str
    but_by: str = ""


class Believed(Protocol):
    """The beliefs of agents, now and at a given time."""

    def about(self, agent_id: str, subject: str, moment: ReasonTime | None) -> Record | None:
        """Return the belief of an agent about a subject."""

    def then(self, belief: Record, moment: ReasonTime) -> Record | None:
        """Return a belief or fact as of a time, or None if it was not held."""


class Holds(Protocol):
    """A source of records."""

    def of(self, record_id: str) -> Sequence[Record]:
        """Return the records with an id; several agents may use the same one."""

    def ids(self) -> Iterable[str]:
        """Return every id, for suggestions."""


class Names(Holds, Protocol):
    """A source of records, some of which have a name."""

    def named(self, name: str) -> Sequence[Record]:
        """Return the records with a name."""


class RecordShelf:
    """An in-memory source of records."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._found: dict[str, list[Record]] = {}
        self._named: dict[str, list[Record]] = {}
        for record in records:
            self._found.setdefault(record.id, []).append(record)
            if record.name:
                self._named.setdefault(record.name, []).append(record)

    def of(self, record_id: str) -> Sequence[Record]:
        """Return the records with an id."""
        return self._found.get(record_id, ())

    def named(self, name: str) -> Sequence[Record]:
        """Return the records with a name."""
        return self._named.get(name, ())

    def ids(self) -> Iterable[str]:
        """Return every id."""
        return self._found


class RecordGraph:
    """Records and their reasons. Two agents may use the same id, so the owner matters."""

    def __init__(self, held: Names, believed: Believed | None = None) -> None:
        self._held = held
        self._believed = believed

    def find(self, record_id: str, agent_id: str = "") -> Record:
        """Return the record with an id or name, of `agent_id` if given; raises `UnknownId`."""
        found = self._find_records(record_id)
        if not found:
            kind = "decision, action, fact, belief or other record"
            raise unknown(kind, record_id, self._held.ids(), argument="id")
        owned = [one for one in found if agent_id in ("", one.agent_id)]
        if not owned:
            raise unknown(f"record {record_id!r} of agent", agent_id, self.owners(record_id), argument="agent")
        return owned[0]

    def owners(self, record_id: str) -> list[str]:
        """Return the agents with a record of this id."""
        return [one.agent_id for one in self._find_records(record_id)]

    def _find_records(self, record_id: str) -> Sequence[Record]:
        return self._held.of(record_id) or self._held.named(record_id)

    def moment(self, record: Record, given: ReasonTime | None) -> ReasonTime | None:
        """Return the time for the reasons of `record`: the one `given`, else its own.

        A lasting record, like a desire, is explained by present beliefs.
        """
        is_earlier_deed = given is not None and record.kind == "action" and record.at < given.at
        if given is None or is_earlier_deed:
            if record.kind in _STANDING or not record.at:
                return None
            given = ReasonTime(record.at)
        plan = next((one.id for one in self._named_in(record) if one.kind == "plan"), "")
        return given if given.but_by or not plan else replace(given, but_by=plan)

    def behind(self, record: Record, moment: ReasonTime | None = None) -> list[Record]:
        """Return the records named in `record`, those nearest to an action first; beliefs as of `moment`."""
        found = [self._then(one, moment) for one in self._named_in(record)]
        if self._believed is not None:
            found += [self._believed.about(record.agent_id, one, moment) for one in record.measured_by]
        known = dict.fromkeys(one for one in found if one is not None)
        return sorted(known, key=lambda one: _RANK.get(one.kind, len(_RANK)))

    def _named_in(self, record: Record) -> list[Record]:
        ids = dict.fromkeys(one for one in record.tokens() if one != record.id)
        return [self._nearest(found, record.agent_id) for one in ids if (found := self._held.of(one))]

    def _then(self, record: Record, moment: ReasonTime | None) -> Record | None:
        if moment is None:
            return record
        if record.kind in ("belief", "fact") and self._believed is not None:
            return self._believed.then(record, moment)
        return None if record.kind in _EVIDENCE and record.at > moment.at else record

    def _nearest(self, found: Sequence[Record], agent_id: str) -> Record:
        """Return of records with one id the agent's own before another's."""
        return next((one for one in found if one.agent_id == agent_id), found[0])


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, keys too."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
