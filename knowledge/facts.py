"""Facts: triples with confidence, provenance and a time in which they hold (S0 section 20)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from configs.errors import InvalidArgument, unknown
from knowledge.explanation import Explanation, explanation
from knowledge.fact_index import SECTION, FactIndex, as_record, index_of
from knowledge.matching import Candidates
from knowledge.model import Fact
from knowledge.pages import facts_page
from knowledge.patterns import fits, literal
from knowledge.validity import checked, holds_at
from workspace.atomic import write_atomic
from workspace.clock import Clock, iso, parse_time
from workspace.documents import json_document
from workspace.ids import Ids
from workspace.store import Drop, Op, Put, Store
from workspace.sync import Sync


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a retraction took out: the facts it named, and those that rested on them."""

    facts: tuple[Fact, ...]
    dependents: tuple[Fact, ...]


def open_facts(directory: Path, *, sync: Sync) -> Store:
    """Return the document `facts.json` in an agent's folder."""
    return json_document(directory / "facts.json", [SECTION], sync=sync)


class Facts:
    """What one agent holds true. Cheap to make: the index lies beside the open `store`."""

    def __init__(self, agent_id: str, store: Store, clock: Clock, ids: Ids) -> None:
        self.agent_id = agent_id
        self._store = store
        self._clock = clock
        self._ids = ids

    @property
    def version(self) -> int:
        """A number that grows whenever a fact changes."""
        return self._index().seq

    def assert_(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002  # the third of subject, predicate and object
        *,
        confidence: float = 1.0,
        source: str = "manual",
        valid_from: str = "",
        valid_until: str = "",
        derived_from: Sequence[str] = (),
        rule_id: str = "",
    ) -> Fact:
        """Hold a triple true and return its fact; the very same triple is restated: confidence, source, validity.

        Raises `InvalidArgument`, and `UnknownId` for a support that is not there.
        """
        start, end = checked(valid_from, valid_until)
        stated = Fact(
            id="",
            subject=_term(subject, "subject"),
            predicate=_term(predicate, "predicate"),
            object=_term(object, "object"),
            confidence=_share(confidence),
            source=source.strip(),
            valid_from=start,
            valid_until=end,
            derived_from=tuple(dict.fromkeys(derived_from)),
            rule_id=rule_id,
        )
        return self._state(stated)

    def _state(self, stated: Fact) -> Fact:
        now = iso(self._clock())
        index = index_of(self._store)
        found: list[Fact] = []

        def decide() -> list[Op]:
            for support in stated.derived_from:
                if support not in index.facts:
                    raise unknown("fact", support, index.facts, argument="derived_from")
            known = index.same(stated.triple)
            fact_id = self._ids.new("F", index.facts) if known is None else known.id
            created = now if known is None else known.created_at
            fact = replace(stated, id=fact_id, created_at=created, updated_at=now)
            found[:] = [fact]
            return [Put(SECTION, fact.id, as_record(fact))]

        index.commit(self._store, decide)
        return found[0]

    def retract(self, fact_id: str = "", subject: str = "", predicate: str = "", object: str = "") -> Retraction:  # noqa: A002
        """Take out the fact with an id, or all with a subject, predicate and object, and what was derived from them.

        What is derived again from other facts comes back with the next inference. Raises `UnknownId` for an id.
        """
        if not (fact_id or subject or predicate or object):
            raise InvalidArgument("name what to retract: fact_id, subject or predicate", argument="fact_id")
        index = index_of(self._store)
        taken: list[Retraction] = []

        def decide() -> list[Op]:
            if fact_id and fact_id not in index.facts:
                raise unknown("fact", fact_id, index.facts, argument="fact_id")
            named = [index.facts[fact_id]] if fact_id else index.candidates(subject, predicate, object)
            terms = (subject, predicate, object)
            facts = [
                one
                for one in named
                if all(not want or want == has for want, has in zip(terms, one.triple, strict=True))
            ]
            dependents = index.resting_on([one.id for one in facts])
            taken[:] = [Retraction(tuple(facts), tuple(dependents))]
            return [Drop(SECTION, one.id) for one in (*facts, *dependents)]

        index.commit(self._store, decide)
        return taken[0]

    def query(
        self,
        subject: str = "",
        predicate: str = "",
        object: str = "",  # noqa: A002  # the third of subject, predicate and object
        *,
        min_confidence: float = 0.0,
        valid_at: str | datetime = "",
        include_derived: bool = True,
        limit: int | None = None,
    ) -> list[Fact]:
        """Return the facts that fit, the most certain first, then the oldest.

        An empty term or `*` is anything; `*` inside a term is any run of characters. `valid_at` keeps what holds then.
        """
        at = parse_time(valid_at, argument="valid_at") if isinstance(valid_at, str) and valid_at else valid_at
        index = self._index()
        with index.lock:
            candidates = index.candidates(literal(subject), literal(predicate), literal(object))
        found = [
            fact
            for fact in candidates
            if fact.confidence >= min_confidence
            and (include_derived or not fact.derived)
            and (isinstance(at, str) or holds_at(fact, at))
            and all(
                fits(pattern, term) for pattern, term in zip((subject, predicate, object), fact.triple, strict=True)
            )
        ]
        return sorted(found, key=lambda fact: -fact.confidence)[:limit]

    def fact(self, fact_id: str) -> Fact:
        """Return a fact; raises `UnknownId`."""
        index = self._index()
        with index.lock:
            if fact_id not in index.facts:
                raise unknown("fact", fact_id, index.facts, argument="fact_id")
            return index.facts[fact_id]

    def same(self, subject: str, predicate: str, object: str) -> Fact | None:  # noqa: A002  # as in `assert_`
        """Return the fact that says exactly this, or None."""
        index = self._index()
        with index.lock:
            return index.same((subject.strip(), predicate.strip(), object.strip()))

    def explain(self, fact_id: str, depth: int = 2) -> Explanation:
        """Return how a fact came to be, its supports down to `depth` levels; raises `UnknownId`."""
        index = self._index()
        with index.lock:
            return explanation(self.fact(fact_id), index.facts, depth)

    def lookup(self) -> Candidates:
        """Return what rules match on: the facts that hold now, found by exact terms, an empty one being anything."""
        now = self._clock()
        index = self._index()

        def candidates(subject: str, predicate: str, object_: str) -> list[Fact]:
            with index.lock:
                return [fact for fact in index.candidates(subject, predicate, object_) if holds_at(fact, now)]

        return candidates

    def materialise(self, directory: Path) -> None:
        """Bring `memory/mabos-facts.md` in the agent's folder up to date; the host does this when a cycle ends."""
        index = self._index()
        with index.lock:
            if index.materialised == index.seq or not index.seq:
                return
            page, index.materialised = facts_page(self.agent_id, index.facts.values()), index.seq
        write_atomic(directory / "memory" / "mabos-facts.md", page, durable=False)

    def _index(self) -> FactIndex:
        index = index_of(self._store)
        index.follow(self._store)
        return index


def _term(text: str, argument: str) -> str:
    if not text.strip():
        raise InvalidArgument(f"{argument} is empty; a fact is subject, predicate and object", argument=argument)
    return text.strip()


def _share(value: float) -> float:
    if not 0 <= value <= 1:
        raise InvalidArgument(f"confidence is {value!r}; expected a number from 0 to 1", argument="confidence")
    return float(value)
