"""All records of a workspace that can be reasons, cached between questions."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.interfaces.reasons.beliefs import Beliefs, belief_record
from mabos.interfaces.reasons.book import Book
from mabos.interfaces.reasons.files import scan_files
from mabos.interfaces.reasons.holdings import decision_records, holding_records, point_records, workflow_records
from mabos.interfaces.reasons.making import Tells, Way
from mabos.interfaces.reasons.minds import experience_records, mind_records, request_records
from mabos.interfaces.reasons.record import Holds, Record, RecordGraph, RecordShelf, texts
from mabos.society.roles import STAKEHOLDER

if TYPE_CHECKING:
    from mabos.society.messages import Message
    from mabos.tools.runtime.services import Services

_MAY_BE_NAMED = ("fact", "memory", "message")
"""Records explained by the first action that names them: an inference lists its facts."""
_MAY_BE_GIVEN = ("work package", "contractor")
"""Records that only calls create, under any id: explained by the first action that returns them."""
_BROUGHT = "role"
"""The source of a belief that an agent was founded with."""

_INBOX = "inbox"
"""The messages in an agent's folder, and a business's documents: neither is read here as a file."""


def gather_records(services: "Services") -> RecordGraph:
    """Return every decision, ledger entry, message, series point, created object and mind record, by id."""
    return Gathering(services).records()


class Gathering:
    """The records of an open workspace. Not thread-safe.

    An update costs one stat per file, new ledger entries, and the records of each folder with changed files. Entries
    and messages, of which there are many, become records on demand.
    """

    def __init__(self, services: "Services") -> None:
        self._services = services
        self._books: dict[str, Book] = {}
        self._posts: dict[str, _Post] = {}
        self._shelves: dict[Path, tuple[Hashable, RecordShelf]] = {}
        self._order: list[Holds] = []
        self._found: dict[str, Sequence[Record]] = {}
        self._beliefs = Beliefs(services, self._link_record)

    def records(self) -> RecordGraph:
        """Return the records in their current state; they are valid until the next call."""
        self._order = [*self._follow()]
        self._found = {}
        return RecordGraph(self, self._beliefs)

    def of(self, record_id: str) -> Sequence[Record]:
        """Return the records with an id, each with the action behind it."""
        if record_id not in self._found:  # most are words of a sentence, and come again and again
            held = [self._link_record(one) for held in self._order for one in held.of(record_id)]
            self._found[record_id] = held or self._things(record_id) or self._posts[STAKEHOLDER].sources(record_id)
        return self._found[record_id]

    def named(self, name: str) -> Sequence[Record]:
        """Return the records with a name; messages and ledger entries have none."""
        return [
            self._link_record(one) for held in self._order if isinstance(held, RecordShelf) for one in held.named(name)
        ]

    def ids(self) -> Iterable[str]:
        """Return every id."""
        return set(chain(*(one.ids() for one in self._order), *(one.tells.things for one in self._books.values())))

    def _follow(self) -> Iterator[Holds]:
        services = self._services
        known = {one: services.layout.ledger(one) for one in services.ledger.agents()}
        self._books = {one: self._books.get(one) or Book(one, path) for one, path in known.items()}
        for book in self._books.values():
            book.follow()
        for agent_id in services.agents():
            yield self._mind(agent_id)
            yield self._post(agent_id)
        yield self._post(STAKEHOLDER)
        yield from self._books.values()
        for business_id in services.businesses():
            yield self._business(business_id)

    def _mind(self, agent_id: str) -> RecordShelf:
        book = self._books.get(agent_id)
        tells = book.tells if book else Tells()

        def read() -> Iterator[Record]:
            agent = self._services.agent(agent_id)
            self._beliefs.forget(agent_id)
            history = self._beliefs.history(agent_id)
            yield from (belief_record(agent_id, one) for one in history.beliefs)
            yield from mind_records(agent, history, tells)
            yield from request_records(agent)
            yield from experience_records(agent)

        return self._load_shelf(self._services.layout.agent(agent_id), book.edition if book else None, read)

    def _business(self, business_id: str) -> RecordShelf:
        def read() -> Iterator[Record]:
            business = self._services.business(business_id)
            yield from point_records(business.metrics)
            yield from holding_records(business)
            yield from workflow_records(business)
            yield from decision_records(business.decisions)

        return self._load_shelf(self._services.layout.business(business_id), None, read)

    def _load_shelf(self, folder: Path, edition: Hashable, read: Callable[[], Iterable[Record]]) -> RecordShelf:
        """Return the records of a folder's owner, read again when its files have changed."""
        now = edition, scan_files(folder, but=_INBOX)
        known = self._shelves.get(folder)
        if known is None or known[0] != now:
            known = self._shelves[folder] = (now, RecordShelf(read()))
        return known[1]

    def _post(self, agent_id: str) -> "_Post":
        post = self._posts.setdefault(agent_id, _Post(agent_id))
        post.take(self._services.inbox(agent_id).messages())
        return post

    def _link_record(self, one: Record) -> Record:
        """Return a record with the action that it came from, a belief also with the one that named it.

        What a role brings with it came with the founding.
        """
        way: Way = "named" if one.kind in _MAY_BE_NAMED else "answered" if one.kind in _MAY_BE_GIVEN else "made"
        ways: tuple[Way, ...] = ("named", way) if one.kind == "belief" else (way,)
        founding = self._founding(one.agent_id) if one.kind == "belief" and _BROUGHT in one.rests_on else ""
        from_ = tuple(filter(None, (*(self._first(each, one.id, one.maker) for each in ways), founding)))
        asked = self._find_origin(one.id) if one.kind == "decision" else ()
        return replace(one, rests_on=(*asked, *one.rests_on, *from_)) if from_ or asked else one

    def _things(self, record_id: str) -> list[Record]:
        """Return things made by a call that no other record describes."""
        action = self._first("made", record_id)
        told = (book.tells.things.get(record_id) for book in self._books.values())
        return [one for one in told if one is not None and action in one.rests_on]

    def _first(self, way: Way, record_id: str, maker: str = "") -> str:
        """Return the action that an id came from according to all ledgers, or that of its maker, or ""."""
        books = [self._books[maker]] if maker in self._books else [] if maker else self._books.values()
        told = [origin for book in books if (origin := book.tells.origins[way].get(record_id))]
        return min(told).action if told else ""

    def _founding(self, agent_id: str) -> str:
        """Return the owner's first action that names an agent, with which its business was founded, or ""."""
        book = self._books.get(STAKEHOLDER)
        told = book.tells.origins["named"].get(agent_id) if book else None
        return told.action if told else ""

    def _find_origin(self, decision_id: str) -> tuple[str, ...]:
        """Return the reason for a decision request: the intention, plan and step."""
        return tuple(one for book in self._books.values() for one in book.tells.asked.get(decision_id, ()))


class _Post:
    """The messages of one inbox; one becomes a record when it is asked for."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._taken: tuple[Message, ...] = ()
        self._found: dict[str, Message] = {}
        self._sources: dict[str, Message] | None = None

    def take(self, messages: "tuple[Message, ...]") -> None:
        """Store the current messages of the inbox; without news it is the same object."""
        if messages is not self._taken:
            self._taken, self._found, self._sources = messages, {one.id: one for one in messages}, None

    def of(self, record_id: str) -> Sequence[Record]:
        """Return the message with an id, if it is in this inbox; a reply depends on its sources."""
        one = self._found.get(record_id)
        if one is None:
            return ()
        words = f"{one.performative} from {one.sender}: {one.content}"
        rests = tuple(dict.fromkeys(texts([one.reply_to, [_locate(str(claim["record"])) for claim in _claims(one)]])))
        return (Record(one.id, "message", self._agent_id, words, one.timestamp, rests, maker=one.sender),)

    def sources(self, name: str) -> Sequence[Record]:
        """Return the source that the newest reply names so, with the values read there."""
        if not _SOURCE.search(name):
            return ()
        if self._sources is None:
            self._sources = {str(claim["record"]): one for one in self._taken for claim in _claims(one)}
        one = self._sources.get(name)
        if one is None:
            return ()
        read = [claim for claim in _claims(one) if str(claim["record"]) == name]
        words = "; ".join(dict.fromkeys(f"{claim['field']}: {claim['value']}" for claim in read))
        at = str(read[0].get("as_of", "")) or one.timestamp
        file = found[0] if (found := _FILE.match(name)) else ""
        return (Record(name, "source", one.sender, words, at, (_locate(name),), maker=one.sender, file=file),)

    def ids(self) -> Iterable[str]:
        """Return the ids of its messages."""
        return self._found


_SOURCE = re.compile(r"[^\w-]|\d")
"""A mark in the name of a source; a name without one may be any word of a sentence."""
_FILE = re.compile(r"businesses/[^\n:]+?\.\w+(?=$|[,:])")
_LINE = re.compile(r"(\.\w+), (?:line|row) (\d+)$")


def _claims(message: "Message") -> Sequence[Mapping[str, Any]]:
    return tuple(message.metadata.get("claims", ()))


def _locate(source: str) -> str:
    """Return a source with the line of a document as reasons write it: `lease.md:7`."""
    return _LINE.sub(r"\1:\2", source)
