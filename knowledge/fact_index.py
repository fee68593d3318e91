"""An index of the facts of one open document by subject, predicate, object, triple and support.

Versions no longer believed are in a second section, `history`, each with the time of its removal.
"""

from bisect import bisect, insort
from collections.abc import Callable, Iterable, KeysView, Mapping
from contextlib import suppress
from itertools import takewhile
from typing import Any, Protocol

from mabos.configs.errors import Damaged
from mabos.knowledge.model import FACTS, FACTS_SECTION, HISTORY_SECTION, Fact
from mabos.knowledge.validity import moments
from mabos.workspace.clock import iso
from mabos.workspace.indexer import TextRow
from mabos.workspace.store import Store
from mabos.workspace.view import View

KIND = "spo_fact"
"""The kind under which facts stand in the index, by its name in S0 section 12."""
Claim = tuple[str, str]
"""A subject and a predicate."""
Posting = dict[str, None]  # ids in the order in which they came


class Follower(Protocol):
    """A listener to changed triples."""

    def note(self, triple: tuple[str, str, str]) -> None:
        """Note that the fact of a triple was added, removed or replaced."""


class FactIndex(View[Fact]):
    """The typed facts of one store and their index; callers hold `lock`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, Fact)
        self.materialised = -1
        self.inferred: Posting = {}
        """The facts that the engine derived."""
        self.closure: Follower | None = None
        """The consequences of the facts, if maintained."""
        self._by: tuple[dict[str, Posting], dict[str, Posting], dict[str, Posting]] = ({}, {}, {})
        self._triples: dict[tuple[str, str, str], str] = {}
        self._claims: dict[Claim, int] = {}
        self.changes = 0
        """The number of changes of facts; it counts in this process alone."""
        self._turns: list[tuple[str, Claim]] = []
        self._supporting: dict[str, Posting] = {}

    @property
    def facts(self) -> Mapping[str, Fact]:
        """All facts by id."""
        return self.records[FACTS_SECTION]

    @property
    def history(self) -> Mapping[str, Fact]:
        """The versions of facts that are no longer believed."""
        return self.records[HISTORY_SECTION]

    def changed(self, collection: str, old: Fact | None, new: Fact | None) -> None:
        """Keep the indexes in step."""
        if collection != FACTS_SECTION:
            return
        self.changes += 1
        for fact in (old, new):
            if fact is not None:
                self._note(fact)
        if old is not None:
            self.inferred.pop(old.id, None)
        if new is not None and new.inferred:
            self.inferred[new.id] = None
        if old is None or new is None or old.triple != new.triple:
            # A fact that is only restated keeps its place, so that answers come in the order facts first came.
            self._unlist(old)
            self._list(new)
        if old is not None:
            for support in old.derived_from:
                self._supporting[support].pop(old.id, None)
        if new is not None:
            for support in new.derived_from:
                self._supporting.setdefault(support, {})[new.id] = None

    def _note(self, fact: Fact) -> None:
        claim = fact.subject, fact.predicate
        self._claims.pop(claim, None)  # the latest stand at the end
        self._claims[claim] = self.changes
        for at in moments(fact.valid_from, fact.valid_until):
            insort(self._turns, (iso(at), claim))
        if self.closure is not None:
            self.closure.note(fact.triple)

    def claims_since(self, changes: int, at: str, now: str) -> list[Claim]:
        """Return subject and predicate of facts changed after `changes`, or that began or ceased to hold after `at`.

        Latest changes come first; unchanged facts cost nothing.
        """
        changed = takewhile(lambda one: one[1] > changes, reversed(self._claims.items()))
        turned = self._turns[bisect(self._turns, at, key=_when) : bisect(self._turns, now, key=_when)]
        return list(dict.fromkeys([*(claim for claim, _ in changed), *(claim for _, claim in turned)]))

    def _unlist(self, fact: Fact | None) -> None:
        if fact is None:
            return
        for postings, term in zip(self._by, fact.triple, strict=True):
            postings[term].pop(fact.id, None)
        if self._triples.get(fact.triple) == fact.id:
            del self._triples[fact.triple]

    def _list(self, fact: Fact | None) -> None:
        if fact is None:
            return
        for postings, term in zip(self._by, fact.triple, strict=True):
            postings.setdefault(term, {})[fact.id] = None
        self._triples[fact.triple] = fact.id

    def same(self, triple: tuple[str, str, str]) -> Fact | None:
        """Return the fact with the same content, or None."""
        fact_id = self._triples.get(triple)
        return None if fact_id is None else self.facts[fact_id]

    def terms(self) -> tuple[KeysView[str], KeysView[str], KeysView[str]]:
        """Return every current or past subject, predicate and object."""
        subjects, predicates, objects = self._by
        return subjects.keys(), predicates.keys(), objects.keys()

    def candidates(self, subject: str = "", predicate: str = "", object_: str = "") -> list[Fact]:
        """Return the facts with these terms, an empty one matching anything; cost follows the rarest term."""
        wanted = (subject, predicate, object_)
        if all(wanted):
            found = self.same(wanted)
            return [] if found is None else [found]
        postings = [by.get(term, {}) for by, term in zip(self._by, wanted, strict=True) if term]
        rarest = min(postings, key=len, default=self.facts)
        facts = (self.facts[fact_id] for fact_id in rarest)
        return [
            fact
            for fact in facts
            if all(not want or want == term for want, term in zip(wanted, fact.triple, strict=True))
        ]

    def resting_on(self, ids: Iterable[str]) -> list[Fact]:
        """Return the facts derived from any of `ids`, directly or indirectly, nearest first."""
        known, waiting = dict.fromkeys(ids), list(ids)
        found: list[Fact] = []
        while waiting:
            for dependent in self._supporting.get(waiting.pop(0), ()):
                if dependent not in known:
                    known[dependent] = None
                    waiting.append(dependent)
                    found.append(self.facts[dependent])
        return found


def _when(turn: tuple[str, Claim]) -> str:
    return turn[0]


def index_of(store: Store) -> FactIndex:
    """Return the one index of `store`; it lives as long as the store."""
    return store.companion(FactIndex)


def rows(agent_id: str) -> Callable[[str, str, Any], TextRow | None]:
    """Return a function from an agent's facts to index rows; an unreadable fact gives none."""

    def row(collection: str, key: str, record: Any) -> TextRow | None:
        with suppress(Damaged):
            if collection == FACTS_SECTION:
                fact = FACTS.read(key, record)
                return TextRow(KIND, fact.id, agent_id, str(fact))
        return None

    return row


def as_record(fact: Fact) -> dict[str, Any]:
    """Return `fact` as the JSON record of S0 section 20; empty fields are left out."""
    record = FACTS.write(fact)
    if fact.stated is not None:
        record["stated"] = {name: value for name, value in record["stated"].items() if value != ""}
    return record


def past_record(fact: Fact, until: str) -> tuple[str, dict[str, Any]]:
    """Return the key and history record of a version that is replaced at `until`."""
    key = f"{fact.id}@{fact.updated_at}"
    return key, {**as_record(fact), "id": key, "fact_id": fact.id, "recorded_until": until}
