"""A transaction on facts: its statements, withdrawals and derivations, and the resulting history."""

from collections.abc import Iterable

from mabos.configs.errors import unknown
from mabos.knowledge.fact_index import FactIndex, as_record, past_record
from mabos.knowledge.model import FACTS_SECTION, HISTORY_SECTION, INFERENCE, Fact, FactStatement
from mabos.workspace.copies import replace
from mabos.workspace.ids import Ids
from mabos.workspace.store import Drop, Op, Put

Triple = tuple[str, str, str]


class FactDraft:
    """The facts as they will be; nothing is written before `ops` are committed."""

    def __init__(self, index: FactIndex, ids: Ids, now: str) -> None:
        self.index = index
        self.now = now
        self.changed: dict[Triple, Fact | None] = {}
        self._ids = ids
        self._taken: set[str] = set()

    def same(self, triple: Triple) -> Fact | None:
        """Return the fact with the same content, or None."""
        return self.changed[triple] if triple in self.changed else self.index.same(triple)

    def put(self, fact: Fact) -> Fact:
        """Add a fact and return it as it will be stored: with id and times, unchanged if it is not new."""
        known, before = self.same(fact.triple), self.index.same(fact.triple)
        kept = known or before
        if kept is None:
            prefix = "F-inf" if fact.inferred else "F"
            fact_id = self._ids.new(prefix, _Either(self.index.facts, self._taken))
            self._taken.add(fact_id)
            fact = replace(fact, id=fact_id, created_at=self.now, updated_at=self.now)
        else:
            fact = replace(fact, id=kept.id, created_at=kept.created_at, updated_at=self.now)
        if before is not None and fact.inferred and fact == replace(before, updated_at=self.now):
            fact = before
        self.changed[fact.triple] = fact
        return fact

    def drop(self, fact: Fact) -> None:
        """Remove a fact."""
        self.changed[fact.triple] = None

    def state(self, stated: Fact) -> Fact:
        """Add a statement; if a rule holds the same triple with more confidence, keep it and attach the statement."""
        for support in stated.derived_from:
            if support not in self.index.facts and support not in self._taken:
                raise unknown("fact", support, self.index.facts, argument="derived_from")
        known = self.same(stated.triple)
        if known is not None and known.inferred and known.confidence > stated.confidence:
            said = FactStatement(stated.confidence, stated.source, stated.valid_from, stated.valid_until)
            return self.put(replace(known, stated=said))
        return self.put(stated)

    def withdraw(self, fact: Fact) -> None:
        """Withdraw a fact; if a rule holds it too, withdraw only the statement."""
        if fact.inferred and fact.stated is not None:
            self.put(replace(fact, stated=None))
        else:
            self.drop(fact)

    def restate(self, fact: Fact, said: FactStatement) -> None:
        """Keep a fact by its statement alone, once no rule holds it with more confidence."""
        plain = Fact(fact.id, *fact.triple, said.confidence, said.source, said.valid_from, said.valid_until)
        self.put(plain)

    def derive(self, fact: Fact) -> Fact:
        """Add a derived fact; keep any statement of the same triple."""
        known = self.same(fact.triple)
        return self.put(replace(fact, source=INFERENCE, stated=None if known is None else known.statement))

    def ops(self) -> list[Op]:
        """Return the operations to write: the facts, and the versions that move to the history."""
        found: list[Op] = []
        for triple, fact in self.changed.items():
            before = self.index.same(triple)
            if fact is before:
                continue
            if before is not None and before.updated_at and before.updated_at < self.now and _differs(before, fact):
                found.append(Put(HISTORY_SECTION, *past_record(before, self.now)))
            if fact is not None:
                found.append(Put(FACTS_SECTION, fact.id, as_record(fact)))
            elif before is not None:
                found.append(Drop(FACTS_SECTION, before.id))
        return found


def _differs(before: Fact, fact: Fact | None) -> bool:
    return fact is None or replace(before, updated_at="") != replace(fact, updated_at="")


class _Either:
    """Ids that are taken, in the document or in this draft."""

    def __init__(self, *places: Iterable[str]) -> None:
        self._places = places

    def __contains__(self, name: object) -> bool:
        return any(name in place for place in self._places)  # type: ignore[operator]  # a mapping and a set
