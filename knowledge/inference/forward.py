"""Forward inference over an agent's facts: derivation, maintenance of derived facts, and suppositions (S0 22)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from mabos.knowledge.drafts import FactDraft
from mabos.knowledge.facts import Facts, Retraction, select_facts
from mabos.knowledge.inference.closure import FactClosure, Scribe, closure_of
from mabos.knowledge.inference.reasoner import Reasoner
from mabos.knowledge.inference.relations import StatedTriple, Triple
from mabos.knowledge.model import Fact, Rule
from mabos.knowledge.rules import Rules
from mabos.knowledge.validity import holds_at
from mabos.workspace.clock import Clock
from mabos.workspace.ids import Ids
from mabos.workspace.store import Store

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Derivation:
    """The result of a forward run: new facts, changed ones, and those that no longer follow."""

    new: tuple[Fact, ...]
    updated: tuple[Fact, ...] = ()
    dropped: tuple[Fact, ...] = ()
    levels: int = 0
    converged: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Shift:
    """A triple changed by a supposition: its confidence before and after (0 means not held), and the reason."""

    triple: Triple
    before: float
    after: float
    rule_id: str = ""
    supports: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlook:
    """The consequences of a supposition; nothing of it is written."""

    shifts: tuple[Shift, ...]
    converged: bool = True
    reason: str = ""


class Inference:
    """An agent's facts with its inference rules; at most `max_derived` facts are derived."""

    def __init__(self, facts: Facts, rules: Rules, *, max_derived: int = 50_000) -> None:
        self.facts = facts
        self._rules = rules
        self._max_derived = max_derived

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The enabled inference rules."""
        return tuple(self._rules.select("inference", enabled=True))

    def state(self, statement: Fact) -> Fact:
        """Hold a triple true, made by `facts.statement`; persisted derived facts follow in the same transaction."""
        return self.keeping(lambda draft: draft.state(statement))

    def keeping(self, change: Callable[[FactDraft], Result]) -> Result:
        """Commit the draft of `change` together with the update of persisted derived facts."""

        def decide(draft: FactDraft) -> Result:
            result = change(draft)
            self._upkeep(draft)
            return result

        return self.facts.write(decide)

    def retract(self, fact_id: str = "", subject: str = "", predicate: str = "", object_: str = "") -> Retraction:
        """Remove facts, and in the same transaction those that no longer follow; otherwise derivable ones stay.

        A named derived fact is removed, with its dependents, until it is derived again. Raises `UnknownId`.
        """

        def decide(draft: FactDraft) -> Retraction:
            facts = select_facts(draft.index, fact_id, subject, predicate, object_)
            for one in facts:
                draft.withdraw(one)
            gone = {one.triple for one in facts if draft.same(one.triple) is None}
            # What others derived by hand has no rule to be derived again by.
            by_hand = draft.index.resting_on([draft.index.facts[one.id].id for one in facts if one.triple in gone])
            for one in by_hand:
                if not one.inferred:
                    draft.drop(one)
            self._upkeep(draft, but=[one.triple for one in facts if one.inferred and one.triple in gone])
            dropped, updated = _fate(draft)
            others = tuple(one for one in dropped if one.triple not in gone)
            return Retraction(tuple(facts), others, updated)

        return self.facts.write(decide)

    def maintain(self) -> Derivation:
        """Bring persisted derived facts up to date with facts, rules and time; write only the changes."""

        def decide(draft: FactDraft) -> Derivation:
            self._upkeep(draft)
            dropped, updated = _fate(draft)
            return Derivation((), updated, dropped)

        return self.facts.write(decide) if self._has_derived() else Derivation(())

    def _has_derived(self) -> bool:
        """Return whether derived facts are on record, or were until their supports went."""
        index = self.facts.index()
        return bool(index.inferred) or (isinstance(index.closure, FactClosure) and index.closure.has_lapsed)

    def forward(self, *, persist: bool = False, max_levels: int | None = None) -> Derivation:
        """Derive all that follows, through at most `max_levels` rules, and record it if `persist`."""

        def decide(draft: FactDraft) -> Derivation:
            closure = self._closure(draft, max_levels)
            enough = max_levels is None or closure.levels <= max_levels
            if closure.run.converged and enough:
                kept = closure.unwritten()
                closure.write(draft, everything=True)
                if not persist:
                    closure.leave(kept)
                return _build_derivation(draft, closure.levels)
            return self._cut_short(draft, closure, max_levels)

        return self.facts.write(decide) if persist else self.facts.preview(decide)

    def follow(self) -> Derivation:
        """Persist all derivable facts at the cost of the changes; add none if too many follow."""

        def decide(draft: FactDraft) -> Derivation:
            closure = self._closure(draft, None)
            if not closure.run.converged:
                return Derivation((), converged=False, reason=closure.run.reason)
            closure.write(draft, new=True)
            return _build_derivation(draft, closure.levels)

        return self.facts.write(decide)

    def what_if(self, statements: Iterable[Fact] = (), without: Sequence[str] = ()) -> Outlook:
        """Return how everything held would change with `statements` added and the facts `without` removed."""

        def decide(draft: FactDraft) -> Outlook:
            closure = self._closure(draft, None)
            if not closure.run.converged:
                return Outlook((), converged=False, reason=closure.run.reason)
            for fact_id in without:
                draft.withdraw(*select_facts(draft.index, fact_id, "", "", ""))
            for statement in statements:
                draft.state(statement)
            return _build_outlook(closure, draft)

        return self.facts.preview(decide)

    def closure(self) -> FactClosure:
        """Return everything that follows now; hold the index's lock while reading it."""
        return self.facts.preview(lambda draft: self._closure(draft, None))

    def _closure(self, draft: FactDraft, max_levels: int | None) -> FactClosure:
        now = self.facts.clock()
        closure = closure_of(draft.index, self.rules, now, max_derived=self._max_derived, max_levels=max_levels)
        if closure.run.converged:
            closure.catch_up(now)
        if not closure.run.converged:
            draft.index.closure = None
        return closure

    def _upkeep(self, draft: FactDraft, *, but: Sequence[Triple] = ()) -> None:
        if not self._has_derived():
            return
        closure = self._closure(draft, None)
        if closure.run.converged and closure.catch_up(closure.at, draft).converged:
            closure.write(draft, but=but)
            return
        # Too much follows to hold it all: what rested on something that went goes, and nothing comes back by itself.
        draft.index.closure = None
        gone = [fact.id for triple in draft.changed if (fact := draft.index.same(triple)) and not draft.same(triple)]
        for fact in draft.index.resting_on(gone):
            draft.withdraw(fact)

    def _cut_short(self, draft: FactDraft, closure: FactClosure, max_levels: int | None) -> Derivation:
        reasoner, run = closure.reasoner, closure.run
        if draft.index.inferred or (max_levels is not None and closure.levels > max_levels):
            # What is on record counts as given, so that every call goes deeper than the last.
            reasoner = Reasoner(self.rules, max_derived=self._max_derived)
            now = self.facts.clock()
            given = (fact for fact in draft.index.facts.values() if fact.confidence and holds_at(fact, now))
            said = {fact.triple: StatedTriple(fact.confidence, fact.valid_from, fact.valid_until) for fact in given}
            run = reasoner.change(said, max_levels=max_levels)
        scribe = Scribe(reasoner, draft)
        for held in list(reasoner.held()):
            if held.rule is not None:
                scribe.fact(held)
        return replace(_build_derivation(draft, run.levels), converged=run.converged, reason=run.reason)


def _build_derivation(draft: FactDraft, levels: int) -> Derivation:
    dropped, updated = _fate(draft)
    new = tuple(fact for triple, fact in draft.changed.items() if fact is not None and not draft.index.same(triple))
    return Derivation(new, updated, dropped, levels)


def _fate(draft: FactDraft) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Return the facts of a draft that go, and those that are held otherwise than before."""
    dropped: list[Fact] = []
    updated: list[Fact] = []
    for triple, fact in draft.changed.items():
        before = draft.index.same(triple)
        if before is not None and fact is None:
            dropped.append(before)
        elif before is not None and fact is not None and fact is not before and (fact.inferred or before.inferred):
            updated.append(fact)
    return tuple(dropped), tuple(updated)


def _build_outlook(closure: FactClosure, draft: FactDraft) -> Outlook:
    reasoner = closure.reasoner
    kept, reasoner.touched = reasoner.touched, {}
    run = closure.catch_up(closure.at, draft)
    if not run.converged:
        draft.index.closure = None
        return Outlook((), converged=False, reason=run.reason)
    then = {triple: reasoner.find(triple) for triple in reasoner.touched}
    said = {triple: (held.confidence, held.rule, held.supports) for triple, held in then.items() if held is not None}
    for triple in draft.changed:
        closure.note(triple)
    closure.catch_up(closure.at)
    shifts = []
    for triple in {**then, **reasoner.touched}:
        held = reasoner.find(triple)
        before = 0.0 if held is None else held.confidence
        after, rule, supports = said.get(triple, (0.0 if triple in then else before, None, ()))
        if abs(after - before) > 1e-12:
            told = tuple(support.triple for support in supports)
            shifts.append(Shift(triple, before, after, "" if rule is None else rule.id, told))
    reasoner.touched = kept | reasoner.touched
    return Outlook(tuple(shifts))


class FollowedFacts(Facts):
    """Facts whose derived facts never outlive their supports; as cheap to create as `Facts`."""

    def __init__(
        self, agent_id: str, store: Store, clock: Clock, ids: Ids, rules: Rules, *, max_derived: int = 50_000
    ) -> None:
        super().__init__(agent_id, store, clock, ids)
        self.inference = Inference(self, rules, max_derived=max_derived)

    def change(self, decide: Callable[[FactDraft], Result]) -> Result:
        """Make a statement one transaction, together with its effects on derived facts."""
        return self.inference.keeping(decide)

    def retract(self, fact_id: str = "", subject: str = "", predicate: str = "", object: str = "") -> Retraction:  # noqa: A002  # as in `Facts`
        """Remove facts, and those that no longer follow; otherwise derivable ones stay. Raises `UnknownId`."""
        return self.inference.retract(fact_id, subject, predicate, object)
