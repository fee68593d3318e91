"""The closure of an agent's facts at a time, updated incrementally: the basis of persisted derived facts.

Each open document of facts has one closure. It is notified of changed triples and knows when the next one begins or
ceases to hold. So an update costs only the work that depends on the changes.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import heappop, heappush

from mabos.knowledge.drafts import FactDraft
from mabos.knowledge.fact_index import FactIndex
from mabos.knowledge.inference.reasoner import FixedPoint, Reasoner
from mabos.knowledge.inference.relations import HeldTriple, StatedTriple, Triple
from mabos.knowledge.model import INFERENCE, Fact, Rule
from mabos.knowledge.validity import Span, holds_at, intersection, moments


class FactClosure:
    """The closure of the facts of `index` under `rules` at the moment `at`; callers hold the lock of the index."""

    def __init__(
        self, index: FactIndex, rules: Sequence[Rule], at: datetime, *, max_derived: int, max_levels: int | None = None
    ) -> None:
        self.rules = tuple(rules)
        self.max_derived = max_derived
        self.at = at
        self.reasoner = Reasoner(rules, max_derived=max_derived)
        self._index = index
        self._changed: dict[Triple, None] = dict.fromkeys(fact.triple for fact in index.facts.values())
        self._ahead: list[tuple[datetime, Triple]] = []
        self._is_bounded = False
        self._unwritten: dict[Triple, None] = {}
        self._lapsed: set[Triple] = set()
        self.levels = 0
        self.run = self.catch_up(at, max_levels=max_levels)
        # What was derived before and no longer is must be told too.
        self.reasoner.touched |= {index.facts[fact_id].triple: None for fact_id in index.inferred}

    @property
    def has_lapsed(self) -> bool:
        """Return whether recorded facts lost their supports; they return with these."""
        return bool(self._lapsed)

    def note(self, triple: Triple) -> None:
        """Note that the fact of a triple changed."""
        self._changed[triple] = None

    def catch_up(self, at: datetime, draft: FactDraft | None = None, *, max_levels: int | None = None) -> FixedPoint:
        """Update to the time `at`, which must not be earlier than the last, and to the changes in `draft`."""
        self.at = at
        while self._ahead and self._ahead[0][0] <= at:
            self._changed[heappop(self._ahead)[1]] = None
        for triple in draft.changed if draft is not None else ():
            self._changed[triple] = None
        changes: dict[Triple, StatedTriple | None] = {}
        for triple in self._changed:
            fact = draft.same(triple) if draft is not None else self._index.same(triple)
            now = self._read_statement(fact)
            if now != self.reasoner.stated.get(triple):
                changes[triple] = now
        self._changed.clear()
        self.run = self.reasoner.change(changes, max_levels=max_levels)
        self.levels += self.run.levels
        return self.run

    def _read_statement(self, fact: Fact | None) -> StatedTriple | None:
        said = None if fact is None else fact.statement
        if fact is None or said is None or not said.confidence:
            return None
        if said.valid_from or said.valid_until:
            self._is_bounded = True
            for moment in moments(said.valid_from, said.valid_until):
                if moment > self.at:
                    heappush(self._ahead, (moment, fact.triple))
            if not holds_at(said, self.at):
                return None
        return StatedTriple(said.confidence, said.valid_from, said.valid_until)

    def write(
        self, draft: FactDraft, *, new: bool = False, everything: bool = False, but: Iterable[Triple] = ()
    ) -> None:
        """Draft the current derived facts: recorded ones, and those whose supports returned.

        With `new` it also drafts those not yet written. With `everything` it checks all of them, changed or not. `but`
        names triples to remove together with everything derived from them.
        """
        new = new or everything
        excluded = self.resting_on(but)
        scribe = Scribe(self.reasoner, draft, set(excluded))
        told = dict.fromkeys(self.reasoner.touched) | dict.fromkeys(excluded)
        if self._is_bounded:
            told |= self.resting_on(self.reasoner.touched)
        if everything:
            told = {held.triple: None for held in self.reasoner.held() if held.rule is not None} | told
        elif new:
            told = self._unwritten | told
        for triple in told:
            before = draft.same(triple)
            scribe.bring_up_to_date(triple, create=new or triple in self._lapsed)
            if draft.same(triple) is not None or triple in excluded:
                self._lapsed.discard(triple)
            elif before is not None and before.inferred:
                self._lapsed.add(triple)
        if new:
            self._unwritten.clear()
        else:
            self._unwritten.update((one, None) for one in told if draft.same(one) is None)
        self.reasoner.touched.clear()

    def unwritten(self) -> dict[Triple, None]:
        """Return the triples changed or new since they were last written."""
        return self._unwritten | self.reasoner.touched

    def leave(self, triples: dict[Triple, None]) -> None:
        """Mark these triples as not yet written, because their draft was discarded."""
        self.reasoner.touched = triples

    def resting_on(self, triples: Iterable[Triple]) -> dict[Triple, None]:
        """Return `triples`, and those derived from any of them."""
        found = dict.fromkeys(triples)
        waiting = [held for held in map(self.reasoner.find, found) if held is not None]
        while waiting:
            held = waiting.pop()
            for dependent in held.dependents:
                stands = self.reasoner.find(dependent.triple) is dependent and dependent.rests_on(held)
                if stands and dependent.triple not in found:
                    found[dependent.triple] = None
                    waiting.append(dependent)
        return found


class Scribe:
    """A writer of single facts as a reasoner holds them."""

    def __init__(self, reasoner: Reasoner, draft: FactDraft, excluded: Container[Triple] = ()) -> None:
        self._reasoner = reasoner
        self._draft = draft
        self._excluded = excluded
        self._spans: dict[Triple, Span] = {}
        self._done: dict[Triple, Fact] = {}

    def bring_up_to_date(self, triple: Triple, *, create: bool) -> None:
        """Draft the current version of a triple; an unrecorded one only if `create`."""
        fact = self._draft.same(triple)
        held = None if triple in self._excluded else self._reasoner.find(triple)
        if held is not None and held.rule is not None:
            if create or fact is not None:
                self.fact(held)
        elif fact is not None and fact.inferred:
            if fact.stated is None:
                self._draft.drop(fact)
            else:
                self._draft.restate(fact, fact.stated)

    def fact(self, held: HeldTriple) -> Fact:
        """Return the fact of a held triple; if a rule holds it, draft it and all its supports."""
        for one in _supports_first(held, self._done):
            self._done[one.triple] = (
                self._record_stated(one) if one.rule is None else self._record_derived(one, one.rule)
            )
        return self._done[held.triple]

    def _record_stated(self, held: HeldTriple) -> Fact:
        found = self._draft.same(held.triple)
        if found is None:
            raise LookupError(f"{held} is not on record")
        stated = self._reasoner.stated[held.triple]
        self._spans[held.triple] = stated.valid_from, stated.valid_until
        return found

    def _record_derived(self, held: HeldTriple, rule: Rule) -> Fact:
        start, end = self._spans[held.triple] = intersection(self._spans[one.triple] for one in held.supports)
        supports = tuple(dict.fromkeys(self._done[one.triple].id for one in held.supports))
        sure = round(held.confidence, 12)  # people read it: 0.72, where 0.8 x 0.9 is 0.7200000000000001
        return self._draft.derive(Fact("", *held.triple, sure, INFERENCE, start, end, supports, rule.id))


def _supports_first(held: HeldTriple, done: Container[Triple]) -> Iterator[HeldTriple]:
    """Yield the supports of `held` and then itself, each once and only if not `done`; chains may be long."""
    waiting = [held]
    while waiting:
        one = waiting[-1]
        lacking = [support for support in one.supports if support.triple not in done]
        if lacking:
            waiting += lacking
        else:
            waiting.pop()
            if one.triple not in done:
                yield one


def closure_of(
    index: FactIndex, rules: Sequence[Rule], at: datetime, *, max_derived: int, max_levels: int | None = None
) -> FactClosure:
    """Return the closure of `index`, a new one for other rules or an earlier time; not yet updated."""
    known = index.closure
    if (
        isinstance(known, FactClosure)
        and (known.rules, known.max_derived) == (tuple(rules), max_derived)
        and known.at <= at
    ):
        return known
    made = FactClosure(index, rules, at, max_derived=max_derived, max_levels=max_levels)
    index.closure = made if made.run.converged else None
    return made
