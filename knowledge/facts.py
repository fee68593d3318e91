"""Facts: triples with confidence, provenance and validity time (S0 section 20)."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

from mabos.configs.errors import InvalidArgument, unknown
from mabos.knowledge.drafts import FactDraft
from mabos.knowledge.explanation import Explanation, explanation
from mabos.knowledge.fact_index import FactIndex, index_of
from mabos.knowledge.matching import Candidates
from mabos.knowledge.model import FACTS, Fact
from mabos.knowledge.validity import check_validity, holds_at
from mabos.memory.materialise import write
from mabos.workspace.clock import Clock, iso, parse_time
from mabos.workspace.ids import Ids
from mabos.workspace.numbers import share
from mabos.workspace.store import Op, Store
from mabos.workspace.sync import Sync

Result = TypeVar("Result")


class FactFields(TypedDict, total=False):
    """Optional fields of a triple; `statement` has the defaults."""

    confidence: float
    source: str
    valid_from: str
    valid_until: str
    derived_from: Sequence[str]
    rule_id: str


@dataclass(frozen=True, slots=True)
class Retraction:
    """The facts removed by a retraction, named ones and dependents; `updated` ones are now derived differently."""

    facts: tuple[Fact, ...]
    dependents: tuple[Fact, ...]
    updated: tuple[Fact, ...] = ()


def open_facts(directory: Path, *, sync: Sync) -> Store:
    """Return the document `facts.json` in an agent's folder."""
    return FACTS.open(directory, sync)


class Facts:
    """The facts that one agent holds. Cheap to create: the index is cached with the open `store`."""

    def __init__(self, agent_id: str, store: Store, clock: Clock, ids: Ids) -> None:
        self.agent_id = agent_id
        self._store = store
        self._clock = clock
        self._ids = ids

    @property
    def version(self) -> int:
        """A version number that grows with every change of a fact."""
        return self._index().seq

    def assert_(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002  # the third of subject, predicate and object
        **told: Unpack[FactFields],
    ) -> Fact:
        """Store a triple and return its fact; an existing triple gets the new confidence, source and validity.

        Raises `InvalidArgument`, and `UnknownId` for a missing support.
        """
        stated = statement(subject, predicate, object, **told)
        return self.change(lambda draft: draft.state(stated))

    def retract(self, fact_id: str = "", subject: str = "", predicate: str = "", object: str = "") -> Retraction:  # noqa: A002
        """Remove the fact with an id, or all with given terms, and the facts derived from them.

        Facts that also follow from others return with the next inference. Raises `UnknownId` for an id.
        """

        def decide(draft: FactDraft) -> Retraction:
            facts = select_facts(draft.index, fact_id, subject, predicate, object)
            for one in facts:
                draft.withdraw(one)
            gone = [one.id for one in facts if draft.same(one.triple) is None]
            dependents = draft.index.resting_on(gone)
            for one in dependents:
                draft.drop(one)
            return Retraction(tuple(facts), tuple(dependents))

        return self.write(decide)

    def change(self, decide: Callable[[FactDraft], Result]) -> Result:
        """Make a statement one transaction; in `inference.FollowedFacts` derived facts follow in the same one."""
        return self.write(decide)

    def write(self, decide: Callable[[FactDraft], Result]) -> Result:
        """Commit the draft that `decide` makes on the current facts in one transaction; return its result."""
        index = index_of(self._store)
        results: list[Result] = []

        def ops() -> list[Op]:
            draft = FactDraft(index, self._ids, iso(self._clock()))
            results[:] = [decide(draft)]
            return draft.ops()

        try:
            index.commit(ops)
        except BaseException:
            index.closure = None  # it may have run ahead of what was not written
            raise
        return results[0]

    def preview(self, decide: Callable[[FactDraft], Result]) -> Result:
        """Return the result of `decide` on a draft that is then discarded."""
        index = self._index()
        with index.lock:
            return decide(FactDraft(index, self._ids, iso(self._clock())))

    def query(
        self,
        subject: str = "",
        predicate: str = "",
        object: str = "",  # noqa: A002  # the third of subject, predicate and object
        *,
        min_confidence: float = 0.0,
        valid_at: str | datetime = "",
        known_at: str | datetime = "",
        include_derived: bool = True,
        limit: int | None = None,
    ) -> list[Fact]:
        """Return the matching facts, most certain first, then oldest.

        An empty term or `*` matches anything; `*` inside a term is any run of characters. `valid_at` keeps facts that
        hold then, and `known_at` answers with the versions that were believed then.
        """
        at = parse_time(valid_at, argument="valid_at") if isinstance(valid_at, str) and valid_at else valid_at
        index = self._index()
        with index.lock:
            candidates: Iterable[Fact] = index.candidates(_literal(subject), _literal(predicate), _literal(object))
            if known_at:
                moment = parse_time(known_at, argument="known_at") if isinstance(known_at, str) else known_at
                candidates = believed_at(moment, [*candidates, *index.history.values()])
        found = [
            fact
            for fact in candidates
            if fact.confidence >= min_confidence
            and (include_derived or not fact.derived)
            and (isinstance(at, str) or holds_at(fact, at))
            and all(
                _fits(pattern, term) for pattern, term in zip((subject, predicate, object), fact.triple, strict=True)
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
        """Return the fact with the same content, or None."""
        index = self._index()
        with index.lock:
            return index.same((subject.strip(), predicate.strip(), object.strip()))

    def explain(self, fact_id: str, depth: int = 2) -> Explanation:
        """Return the derivation of a fact, with supports down to `depth` levels; raises `UnknownId`."""
        index = self._index()
        with index.lock:
            return explanation(self.fact(fact_id), index.facts, depth)

    def lookup(self) -> Candidates:
        """Return the candidates for rules: the facts that hold now, found by exact terms; an empty term matches
        anything.

        A fact with no confidence no longer holds (S3 12.1).
        """
        now = self._clock()
        index = self._index()

        def candidates(subject: str, predicate: str, object_: str) -> list[Fact]:
            with index.lock:
                found = index.candidates(subject, predicate, object_)
            return [fact for fact in found if fact.confidence and holds_at(fact, now)]

        return candidates

    def said(self) -> Candidates:
        """Return the candidates for proofs: like `lookup`, but only statements, with their stated confidence."""
        now = self._clock()
        index = self._index()

        def candidates(subject: str, predicate: str, object_: str) -> list[Fact]:
            with index.lock:
                found = index.candidates(subject, predicate, object_)
            stated = [(fact, said) for fact in found if (said := fact.statement) is not None]
            return [
                replace(fact, confidence=said.confidence) if fact.stated else fact
                for fact, said in stated
                if said.confidence and holds_at(said, now)
            ]

        return candidates

    def materialise(self, directory: Path) -> None:
        """Bring `memory/mabos-facts.md` in the agent's folder up to date; the host does this when a cycle ends."""
        index = self._index()
        with index.lock:
            if index.materialised == index.seq or not index.seq:
                return
            page, index.materialised = _page(self.agent_id, index.facts.values()), index.seq
        write(directory / "memory" / "mabos-facts.md", page)

    @property
    def clock(self) -> Clock:
        """The clock of these facts."""
        return self._clock

    def index(self) -> FactIndex:
        """Return the current typed facts; hold its `lock` while reading."""
        return self._index()

    def _index(self) -> FactIndex:
        index = index_of(self._store)
        index.follow()
        return index


def statement(
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
    """Return a statement as a fact without an id; raises `InvalidArgument` for invalid fields."""
    start, end = check_validity(valid_from, valid_until)
    return Fact(
        id="",
        subject=_term(subject, "subject"),
        predicate=_term(predicate, "predicate"),
        object=_term(object, "object"),
        confidence=share(confidence, "confidence"),
        source=source.strip(),
        valid_from=start,
        valid_until=end,
        derived_from=tuple(dict.fromkeys(derived_from)),
        rule_id=rule_id,
    )


def select_facts(index: FactIndex, fact_id: str, subject: str, predicate: str, object_: str) -> list[Fact]:
    """Return the facts with an id, or with all of the given terms; raises `UnknownId` and `InvalidArgument`."""
    if not (fact_id or subject or predicate or object_):
        raise InvalidArgument("nothing selected to retract; give fact_id, subject or predicate", argument="fact_id")
    if not fact_id:
        return index.candidates(subject, predicate, object_)
    if fact_id not in index.facts:
        raise unknown("fact", fact_id, index.facts, argument="fact_id")
    fact, wanted = index.facts[fact_id], (subject, predicate, object_)
    return [fact] if all(not want or want == has for want, has in zip(wanted, fact.triple, strict=True)) else []


def believed_at(moment: datetime, versions: Iterable[Fact]) -> list[Fact]:
    """Return the versions that were recorded at a time."""
    at = iso(moment)
    return [one for one in versions if one.updated_at <= at and (not one.recorded_until or at < one.recorded_until)]


def _term(text: str, argument: str) -> str:
    if not text.strip():
        raise InvalidArgument(f"{argument} is empty; a fact needs subject, predicate and object", argument=argument)
    return text.strip()


def _literal(pattern: str) -> str:
    """Return `pattern` if it is a literal to look up, or "" if it may match several terms."""
    text = pattern.strip()
    return "" if "*" in text else text


def _fits(pattern: str, term: str) -> bool:
    """Return whether `term` fits `pattern`; an empty pattern fits anything."""
    text = pattern.strip()
    return not text or (text == term if "*" not in text else _compile_pattern(text).fullmatch(term) is not None)


@lru_cache(maxsize=256)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def _page(agent_id: str, facts: Iterable[Fact]) -> str:
    """Return `memory/mabos-facts.md`: every fact with its fields, in the order in which they first came."""
    told = list(facts)
    derived = sum(fact.derived for fact in told)
    title = f"# MABOS Facts — {agent_id}"
    origin = f"> Auto-materialized from facts.json. {len(told)} facts, {derived} of them derived."
    return "\n\n".join([title, origin, *map(_page_section, told)]) + "\n"


def _page_section(fact: Fact) -> str:
    fields = [
        ("ID", fact.id),
        ("Confidence", f"{fact.confidence:g}"),
        ("Source", fact.source),
        ("Valid from", fact.valid_from),
        ("Valid until", fact.valid_until),
        ("Derived from", ", ".join(fact.derived_from)),
        ("Rule", fact.rule_id),
        ("Updated", fact.updated_at),
    ]
    told = "\n".join(f"- **{name}:** {value}" for name, value in fields if value)
    return f"## {' '.join(str(fact).split())}\n\n{told}"
