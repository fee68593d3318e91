"""Rules over facts: constraints (forbidden states), policies (required actions), inference rules (new facts).

They are in `rules.json`, where `rule_create` writes them, in the files `rules/*.rules`, where people do, and in the
ontologies of the business (`ontology.rules`).

The action of a policy is written as S3 12.2 writes it, `REQUEST cmo "Start a campaign"`, `DECIDE "Raise the price?"`,
or in plain words, which are for people. A policy with `escalate` asks a person about its action.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument, unknown
from mabos.knowledge.facts import Facts
from mabos.knowledge.matching import Bindings, Candidates, ConditionMatch, matches, substitute
from mabos.knowledge.model import RULES, SEVERITIES, Condition, Fact, Rule, RuleType, Severity, is_variable
from mabos.knowledge.rule_files import beside as standing
from mabos.knowledge.rule_files import load_rule_files, says_the_same
from mabos.knowledge.rule_records import SECTION, RuleBook, book_of, next_id, parse_rule
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.store import Op, Put, Store
from mabos.workspace.sync import Sync

_MESSAGE = re.compile(r"(?P<performative>[A-Z][A-Z_]+)\s+(?P<to>[a-z][a-z0-9-]*)\s+(?P<content>\S.*)", re.DOTALL)
_ALONE = re.compile(r"(?P<verb>DECIDE|ESCALATE|ALERT)\s+(?P<content>\S.*)", re.DOTALL)
CONTEXT = "context"
"""The source of facts that are supposed for one evaluation."""


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A state that a constraint forbids, and the facts that make it so."""

    rule: Rule
    message: str
    bindings: Bindings
    facts: tuple[str, ...]

    @property
    def severity(self) -> Severity:
        """Return its severity."""
        return self.rule.severity


@dataclass(frozen=True, slots=True)
class PolicyAction:
    """The action that a policy asks for: data, which the caller performs or escalates."""

    rule: Rule
    action: str
    escalate: bool
    bindings: Bindings
    facts: tuple[str, ...]
    values: tuple[str, ...] = ()
    """The statement of each fact: a belief keeps its id when its statement changes."""


@dataclass(frozen=True, slots=True)
class PolicyDeed:
    """A thing to do. `digest` is the same for the same policy over the same facts, so that it is done once."""

    kind: Literal["message", "decision", "note"]
    content: str
    digest: str
    to: str = ""
    performative: str = ""


Finder = Callable[[Sequence[Condition], Candidates], Iterable[ConditionMatch]]
"""Returns ways in which conditions hold; `matching.matches` returns all."""


def _nothing(subject: str, predicate: str, object_: str) -> tuple[Fact, ...]:  # noqa: ARG001  # as `Candidates` are
    return ()


def open_rules(directory: Path, *, sync: Sync) -> Store:
    """Return the document `rules.json` in an agent's folder."""
    store = RULES.open(directory, sync)
    book_of(store).directory = directory
    return store


class Rules:
    """The rules of one agent, evaluated over its facts. Cheap to make: they are cached with the open `store`."""

    def __init__(self, agent_id: str, store: Store, clock: Clock, ids: Ids) -> None:
        self.agent_id = agent_id
        self._store = store
        self._clock = clock
        self._ids = ids

    def create(self, definition: Mapping[str, Any], rule_id: str = "") -> Rule:
        """Keep a rule and return it; the very same rule under the same id, or under none, is not made twice.

        `definition` has the fields of S0 section 21. Raises `InvalidArgument` that names the field.
        """
        wanted = parse_rule(definition, rule_id or "R-000", created_at=iso(self._clock()))
        made: list[Rule] = []
        book = book_of(self._store)

        def decide() -> list[Op]:
            rules = self._all(book)
            same = (rule for rule in rules.values() if says_the_same(rule, wanted))
            known = rules.get(rule_id) if rule_id else next(same, None)
            if known is not None and not says_the_same(known, wanted):
                message = f"rule {rule_id!r} exists and says something else; leave rule_id out or choose another"
                raise InvalidArgument(message, argument="rule_id")
            made[:] = [known or replace(wanted, id=rule_id or next_id(rules))]
            return [] if known else [Put(SECTION, made[0].id, RULES.write(made[0]))]

        book.commit(decide)
        return made[0]

    def select(self, type: str = "", *, enabled: bool | None = None) -> list[Rule]:  # noqa: A002  # the field's name
        """Return the rules of a type, or all, in the order of their creation."""
        book = self._book()
        with book.lock:
            rules = self._all(book)
        return [rule for rule in rules.values() if type in ("", rule.type) and enabled in (None, rule.enabled)]

    def rule(self, rule_id: str) -> Rule:
        """Return a rule; raises `UnknownId`."""
        book = self._book()
        with book.lock:
            rules = self._all(book)
        if rule_id not in rules:
            raise unknown("rule", rule_id, rules, argument="rule_id")
        return rules[rule_id]

    def toggle(self, rule_id: str, enabled: bool) -> Rule:
        """Switch a rule on or off and return it; raises `UnknownId`."""
        book = book_of(self._store)
        changed: list[Rule] = []

        def decide() -> list[Op]:
            rules = self._all(book)
            if rule_id not in rules:
                raise unknown("rule", rule_id, rules, argument="rule_id")
            rule = rules[rule_id]
            changed[:] = [replace(rule, enabled=enabled)]
            written = book.raw[SECTION][rule_id] if rule is book.rules.get(rule_id) else RULES.write(rule)
            return [Put(SECTION, rule_id, {**written, "enabled": enabled})]

        book.commit(decide)
        return changed[0]

    def constraints(
        self,
        facts: Facts,
        context: Mapping[str, Any] | None = None,
        *,
        beside: Candidates = _nothing,
        find: Finder = matches,
    ) -> list[RuleViolation]:
        """Return the violations of the enabled constraints, the most severe first; the rest is as in `policies`."""
        violations = [
            RuleViolation(
                rule, substitute(rule.violation_message or rule.name, match.bindings), match.bindings, _ids(match)
            )
            for rule, match in self._matches("constraint", facts, context, beside, find)
        ]
        return sorted(violations, key=lambda one: -SEVERITIES.index(one.severity))

    def policies(
        self,
        facts: Facts,
        context: Mapping[str, Any] | None = None,
        *,
        beside: Candidates = _nothing,
        find: Finder = matches,
    ) -> list[PolicyAction]:
        """Return the actions of the enabled policies, in the order of the rules, supposing `context` meanwhile.

        Facts from `beside`, for example beliefs, count too. `find` may return only some of the matches.
        """
        return [
            PolicyAction(
                rule,
                substitute(rule.action or rule.name, match.bindings),
                rule.escalate,
                match.bindings,
                _ids(match),
                tuple(fact.object for fact in match.facts),
            )
            for rule, match in self._matches("policy", facts, context, beside, find)
        ]

    def evaluate(self, rule: Rule, facts: Facts, context: Mapping[str, Any] | None = None) -> list[ConditionMatch]:
        """Return where the conditions of one rule hold now; `context` is supposed for the time."""
        candidates = _apply_context(facts.lookup(), context, rule.conditions) if context else facts.lookup()
        return list(matches(rule.conditions, candidates))

    def _matches(
        self,
        kind: RuleType,
        facts: Facts,
        context: Mapping[str, Any] | None,
        beside: Candidates = _nothing,
        find: Finder = matches,
    ) -> Iterator[tuple[Rule, ConditionMatch]]:
        rules, stated = self.select(kind, enabled=True), facts.lookup()
        conditions = [condition for rule in rules for condition in rule.conditions]

        def either(subject: str, predicate: str, object_: str) -> Iterator[Fact]:
            yield from stated(subject, predicate, object_)
            yield from beside(subject, predicate, object_)

        candidates = _apply_context(either, context, conditions) if context else either
        for rule in rules:
            yield from ((rule, match) for match in find(rule.conditions, candidates))

    def _all(self, book: RuleBook) -> dict[str, Rule]:
        return standing(book.rules, {**book.vocabulary(), **load_rule_files(book.directory)})

    def _book(self) -> RuleBook:
        book = book_of(self._store)
        book.follow()
        return book


def _ids(match: ConditionMatch) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fact.id for fact in match.facts))


def _apply_context(candidates: Candidates, context: Mapping[str, Any], conditions: Sequence[Condition]) -> Candidates:
    """Return `candidates` with the values of `context` replacing stored ones of the same subject and predicate.

    `context` maps a subject to its predicates and values, or a plain name to a value; the name may be
    `subject.predicate`, the subject of a condition, or the predicate of one. Raises `InvalidArgument`.
    """
    facts = [fact for name, value in context.items() for fact in _supposed_facts(name, value, conditions)]
    replaced = {(fact.subject, fact.predicate) for fact in facts}

    def with_context(subject: str, predicate: str, object_: str) -> Iterable[Fact]:
        wanted = (subject, predicate, object_)
        yield from (
            fact
            for fact in facts
            if all(not want or want == term for want, term in zip(wanted, fact.triple, strict=True))
        )
        yield from (fact for fact in candidates(*wanted) if (fact.subject, fact.predicate) not in replaced)

    return with_context


def _supposed_facts(name: str, value: Any, conditions: Sequence[Condition]) -> list[Fact]:
    if isinstance(value, Mapping):
        return [_supposed_fact(name, predicate, one) for predicate, one in value.items()]
    subject, dot, predicate = name.partition(".")
    if dot:
        return [_supposed_fact(subject, predicate, value)]
    places = dict.fromkeys(place for one in conditions if (place := _place(name, one)) is not None)
    return [_supposed_fact(*place, value) for place in places or [(CONTEXT, name)]]


def _place(name: str, condition: Condition) -> tuple[str, str] | None:
    if condition.subject == name:
        return name, condition.predicate
    if condition.predicate == name:
        anyone = not condition.subject or is_variable(condition.subject)
        return (CONTEXT if anyone else condition.subject), name
    return None


def _supposed_fact(subject: str, predicate: str, value: Any) -> Fact:
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str | int | float):
        text = str(value)
    else:
        message = f"context says {subject}.{predicate} is {value!r}; expected a text, a number or true and false"
        raise InvalidArgument(message, argument="context")
    return Fact(
        id=f"{CONTEXT}:{subject}.{predicate}", subject=subject, predicate=predicate, object=text, source=CONTEXT
    )


def deeds(action: PolicyAction) -> tuple[PolicyDeed, ...]:
    """Return the deeds of `action`, in order."""
    digest = digest_of(action)
    message, alone = _MESSAGE.fullmatch(action.action), _ALONE.fullmatch(action.action)
    if message is not None:
        first = PolicyDeed("message", _bare(message["content"]), digest, message["to"], message["performative"])
    elif alone is not None:
        return (PolicyDeed("decision", _bare(alone["content"]), digest),)
    else:
        first = PolicyDeed("note", action.action, digest)
    if not action.escalate:
        return (first,)
    escalated = PolicyDeed("decision", first.content, digest)
    return (escalated,) if first.kind == "note" else (first, escalated)


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def digest_of(action: PolicyAction) -> str:
    """Return a digest that is equal for the same policy over the same facts with the same values."""
    given = (f"{name}={value}" for name, value in sorted(action.bindings.items()))
    told = "\x1f".join([action.rule.id, *given, *action.facts, *action.values])
    return blake2b(told.encode(), digest_size=6).hexdigest()
