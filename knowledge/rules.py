"""Rules over facts: what must not be (constraints), what is to be done (policies), what follows (inference rules)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from configs.errors import InvalidArgument, unknown
from knowledge.facts import Facts
from knowledge.matching import Bindings, Candidates, Match, matches, substitute
from knowledge.model import SEVERITIES, Condition, Rule, RuleType, Severity
from knowledge.rule_records import SECTION, RuleBook, as_record, book_of, parsed
from knowledge.rule_text import read_rules
from knowledge.supposition import supposed
from workspace.clock import Clock, iso
from workspace.documents import json_document
from workspace.ids import Ids
from workspace.store import Op, Put, Store
from workspace.sync import Sync


@dataclass(frozen=True, slots=True)
class Violation:
    """A state that a constraint forbids, and the facts that make it so."""

    rule: Rule
    message: str
    bindings: Bindings
    facts: tuple[str, ...]

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.rule.severity


@dataclass(frozen=True, slots=True)
class Action:
    """What a policy asks for: data, which the caller performs or escalates."""

    rule: Rule
    action: str
    escalate: bool
    bindings: Bindings
    facts: tuple[str, ...]


def open_rules(directory: Path, *, sync: Sync) -> Store:
    """Return the document `rules.json` in an agent's folder."""
    store = json_document(directory / "rules.json", [SECTION], sync=sync)
    book_of(store).path = directory / "rules.json"
    return store


class Rules:
    """One agent's rules, evaluated over its facts. Cheap to make: what is read lies beside the open `store`."""

    def __init__(self, agent_id: str, store: Store, clock: Clock, ids: Ids) -> None:
        self.agent_id = agent_id
        self._store = store
        self._clock = clock
        self._ids = ids

    def create(self, definition: Mapping[str, Any], rule_id: str = "") -> Rule:
        """Keep a rule and return it; the very same rule under the same id, or under none, is not made twice.

        `definition` has the fields of S0 section 21. Raises `InvalidArgument` that names the field.
        """
        wanted = parsed(definition, rule_id or "R-000", created_at=iso(self._clock()))
        made: list[Rule] = []
        book = book_of(self._store)

        def decide() -> list[Op]:
            known = book.rules.get(rule_id) if rule_id else book.same(wanted)
            if known is not None and not _says_the_same(known, wanted):
                message = f"rule {rule_id!r} exists and says something else; leave rule_id out or choose another"
                raise InvalidArgument(message, argument="rule_id")
            made[:] = [known or replace(wanted, id=rule_id or book.next_id())]
            return [] if known else [Put(SECTION, made[0].id, as_record(made[0]))]

        book.commit(self._store, decide)
        return made[0]

    def load(self, path: Path) -> list[Rule]:
        """Take in the rules of a readable file (`rule_text`) and return them; one that is known by its id is replaced.

        Raises `Damaged` with the line at fault; then nothing is taken in.
        """
        rules = [replace(one, created_at=iso(self._clock())) for one in read_rules(path.read_text(), path.name)]
        book = book_of(self._store)

        def decide() -> list[Op]:
            new = [one for one in rules if not (one.id in book.rules and _says_the_same(book.rules[one.id], one))]
            return [Put(SECTION, one.id, as_record(one)) for one in new]

        book.commit(self._store, decide)
        return rules

    def select(self, type: str = "", *, enabled: bool | None = None) -> list[Rule]:  # noqa: A002  # the field's name
        """Return the rules of a type, or all, in the order of their creation."""
        book = self._book()
        with book.lock:
            rules = list(book.rules.values())
        return [rule for rule in rules if type in ("", rule.type) and enabled in (None, rule.enabled)]

    def rule(self, rule_id: str) -> Rule:
        """Return a rule; raises `UnknownId`."""
        book = self._book()
        with book.lock:
            if rule_id not in book.rules:
                raise unknown("rule", rule_id, book.rules, argument="rule_id")
            return book.rules[rule_id]

    def toggle(self, rule_id: str, enabled: bool) -> Rule:
        """Switch a rule on or off and return it; raises `UnknownId`."""
        book = book_of(self._store)
        changed: list[Rule] = []

        def decide() -> list[Op]:
            if rule_id not in book.rules:
                raise unknown("rule", rule_id, book.rules, argument="rule_id")
            changed[:] = [replace(book.rules[rule_id], enabled=enabled)]
            return [Put(SECTION, rule_id, {**book.raw[SECTION][rule_id], "enabled": enabled})]

        book.commit(self._store, decide)
        return changed[0]

    def constraints(self, facts: Facts, context: Mapping[str, Any] | None = None) -> list[Violation]:
        """Return what the enabled constraints find wrong, the most severe first; `context` is supposed for the time."""
        violations = [
            Violation(
                rule, substitute(rule.violation_message or rule.name, match.bindings), match.bindings, _ids(match)
            )
            for rule, match in self._matches("constraint", facts, context)
        ]
        return sorted(violations, key=lambda one: -SEVERITIES.index(one.severity))

    def policies(self, facts: Facts, context: Mapping[str, Any] | None = None) -> list[Action]:
        """Return what the enabled policies ask for, in the order of the rules; `context` is supposed for the time."""
        return [
            Action(
                rule, substitute(rule.action or rule.name, match.bindings), rule.escalate, match.bindings, _ids(match)
            )
            for rule, match in self._matches("policy", facts, context)
        ]

    def evaluate(self, rule: Rule, facts: Facts, context: Mapping[str, Any] | None = None) -> list[Match]:
        """Return where the conditions of one rule hold now; `context` is supposed for the time."""
        candidates = supposed(facts.lookup(), context, rule.conditions) if context else facts.lookup()
        return distinct(rule.conditions, candidates)

    def _matches(
        self,
        kind: RuleType,
        facts: Facts,
        context: Mapping[str, Any] | None,
    ) -> Iterator[tuple[Rule, Match]]:
        rules = self.select(kind, enabled=True)
        conditions = [condition for rule in rules for condition in rule.conditions]
        candidates = supposed(facts.lookup(), context, conditions) if context else facts.lookup()
        for rule in rules:
            yield from ((rule, match) for match in distinct(rule.conditions, candidates))

    def _book(self) -> RuleBook:
        book = book_of(self._store)
        book.follow(self._store)
        return book


def distinct(conditions: Sequence[Condition], candidates: Candidates) -> list[Match]:
    """Return one match for each different binding of the variables: two witnesses of one state are one state."""
    found: dict[tuple[tuple[str, str], ...], Match] = {}
    for match in matches(conditions, candidates):
        found.setdefault(tuple(sorted(match.bindings.items())), match)
    return list(found.values())


def _ids(match: Match) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fact.id for fact in match.facts))


def _says_the_same(known: Rule, wanted: Rule) -> bool:
    return replace(known, id="", created_at="", enabled=True) == replace(wanted, id="", created_at="", enabled=True)


__all__ = ["Action", "Rule", "Rules", "Violation", "distinct", "open_rules"]
