"""The playbooks of Playbooks.md as procedures: their triggers, steps, and faults.

A trigger is an event, `+overdue(Customer, Days)`, `-cash(X)`, `+!close_the_books`, `-!close_the_books`,
`+message(Sender, Kind, Text)`, or a condition that comes to hold: `runway_months below 4`. A step is one of four kinds.
An operation has arguments, `inform the CFO: agent_message {"to": "cfo", ...}`; a goal is for other playbooks,
`!remind(Customer)`; a condition must hold, `? days_open < 60`; a belief is then held, `+ {Customer} status reminded`.
`{Customer}` is the value that the trigger bound. A playbook with a trigger in prose is for people to follow.
"""

import json
import re
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from mabos.configs.errors import Damaged
from mabos.knowledge.values import number, parse_quantity
from mabos.knowledge.wording import plain
from mabos.mind.conditions import Lookup, fault, holds, is_comparison, parse
from mabos.mind.model import Playbook
from mabos.mind.procedures.beliefs import Notes
from mabos.mind.procedures.expressions import Broken, Numbering, Slots, building
from mabos.mind.procedures.queries import EventTrigger, QueryScope, trigger
from mabos.mind.procedures.reader import read_query, read_trigger
from mabos.mind.procedures.syntax import Kind
from mabos.mind.procedures.terms import Listing, Term, format_term, ground_term, is_ground, render_term, resolve_term

PLAYBOOK_GOAL = "G-PB-"
"""The prefix of ids of goals for which a playbook was started."""

PartKind = Literal["operation", "goal", "condition", "belief"]
Values = Mapping[str, Term]

_OPERATION = re.compile(r"(?:(?P<words>[^{}]*?):?\s)?(?P<tool>[a-z][\w:]*)\s*(?P<json>\{.*\})", re.DOTALL)
_EVENT = re.compile(r"[+-]!?[a-z]\w*\s*(?:[(\[]|$)")
_PLACEHOLDER = re.compile(r"\{([A-Z]\w*)\}")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_VARIABLE = re.compile(r"\b[A-Z]\w*")


@dataclass(frozen=True, slots=True)
class PlaybookStep:
    """A step of a playbook: its words, and its action."""

    kind: PartKind
    text: str
    tool: str = ""
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An event that may start a playbook; its `kind` is `holds` for a condition that now holds, given in `text`."""

    kind: Kind | Literal["holds"]
    term: Term = None
    notes: Notes = ()
    text: str = ""
    refs: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The event in source form: `+overdue("Acme", 35)`, or the condition."""
        return self.text if self.kind == "holds" else f"{self.kind}{render_term(self.term)}"


@dataclass(frozen=True, slots=True, eq=False)
class Routine:
    """A playbook that can start by itself; `condition` is its trigger if that is a condition."""

    name: str
    kind: Kind | Literal["holds"]
    condition: str
    trigger: EventTrigger | None
    context: str
    parts: tuple[PlaybookStep, ...]
    success: str
    needs: frozenset[str]

    def match_event(self, event: Event, place: QueryScope, lookup: Lookup) -> Values | None:
        """Return the bindings of trigger and context for an event, or None if this playbook does not apply to it."""
        if self.trigger is None:
            applies = event.kind == "holds" and plain(event.text) == plain(self.condition)
            return {} if applies and self._suits({}, lookup) else None
        if event.kind != self.kind or event.term[0] != self.trigger.event.functor:
            return None
        if len(event.term) - 1 != len(self.trigger.event.parts):
            return None
        try:
            slots = self.trigger.match_event(place, event.term, event.notes)
        except Broken:
            return None
        if slots is None:
            return None
        values = {name: resolve_term(slots[at]) for name, at in self.trigger.names.items()}
        is_complete = all(values[name] is not None and is_ground(values[name]) for name in self.needs)
        return values if is_complete and self._suits(values, lookup) else None

    def _suits(self, values: Values, lookup: Lookup) -> bool:
        return not self.context or holds(fill_placeholders(self.context, values), lookup) is True


@dataclass(frozen=True, slots=True)
class PlaybookFault:
    """A fault of a playbook, and the faulty text."""

    text: str
    message: str


@lru_cache(maxsize=512)
def fault_of(playbook: Playbook) -> PlaybookFault | None:
    """Return the fault of a playbook meant to start by itself, or None."""
    where = playbook.trigger
    try:
        if not starts_itself(playbook):
            return None
        if _is_event(playbook):
            read_trigger(playbook.trigger.strip())
        where = playbook.context
        head = _trigger(playbook)
        bound = head.names if head is not None else {}
        _all_bound(playbook.context, bound)
        for where in playbook.steps:
            _part(where)
            _all_bound(where, bound)
    except (Damaged, Broken) as error:
        return PlaybookFault(where, f"{where!r}: {re.sub('^line 1: ', '', str(error))}")
    return None


def undecidable(playbook: Playbook) -> PlaybookFault | None:
    """Return why beliefs cannot decide the success of a self-starting playbook, or None."""
    said = playbook.success.strip()
    if not said or fault_of(playbook) is not None or not starts_itself(playbook):
        return None
    wrong = "it is not a condition like 'churn_rate < 5%'" if not is_comparison(said) else fault(said)
    if not wrong and not _is_decidable(said):
        wrong = "it does not compare with a measure"
    return PlaybookFault(said, f"success {said!r}: {wrong}") if wrong else None


def routines(playbooks: Collection[Playbook]) -> tuple[Routine, ...]:
    """Return the playbooks that can start by themselves, in file order; faulty ones are left out."""
    found = (None if fault_of(one) else _routine(one) for one in playbooks)
    return tuple(one for one in found if one is not None)


def starts_itself(playbook: Playbook) -> bool:
    """Return whether a playbook is meant to start by itself.

    An event always is; a condition only if a step can be performed: otherwise it is written for people.
    """
    if not playbook.trigger.strip() or not playbook.steps:
        return False
    if _is_event(playbook):
        return True
    return _is_decidable(playbook.trigger) and any(_is_for_machines(step) for step in playbook.steps)


def fill_placeholders(value: Any, values: Values) -> Any:
    """Return a text or structure with its placeholders filled in; one that is the whole text keeps its type.

    >>> fill_placeholders({"to": "cfo", "days": "{Days}"}, {"Days": 35})
    {'to': 'cfo', 'days': 35}
    """
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole and whole[1] in values:
            return _plain(values[whole[1]])
        return _PLACEHOLDER.sub(lambda one: format_term(values[one[1]]) if one[1] in values else one[0], value)
    if isinstance(value, Mapping):
        return {name: fill_placeholders(one, values) for name, one in value.items()}
    return [fill_placeholders(one, values) for one in value] if isinstance(value, list) else value


def goal_event(text: str, values: Values) -> Event:
    """Return the event of a step `!goal(X)`; raises `Broken` if something in it is unknown."""
    kind, head = read_trigger(f"+{text.strip()}")
    number = Numbering()
    build = building(head, number)
    slots: Slots = [values.get(name) for name in number.slots]
    term = ground_term(build(slots))
    if term is None:
        raise Broken(f"{text}: not all names are known")
    return Event(kind, term)


def failure_of(event: Event) -> Event:
    """Return the event for the failure of a goal."""
    return replace(event, kind="-!")


def event_of(told: str) -> Event:
    """Parse an event written by `Event.told`."""
    if not told.startswith(("+", "-")):
        return Event("holds", text=told)
    kind, head = read_trigger(told)
    return Event(kind, building(head, Numbering())([]))


@lru_cache(maxsize=512)
def _routine(playbook: Playbook) -> Routine | None:
    if not starts_itself(playbook):
        return None
    context, _ = _context(playbook)
    head = _trigger(playbook)
    return Routine(
        name=playbook.name,
        kind="holds" if head is None else head.kind,
        condition="" if head is not None else playbook.trigger.strip(),
        trigger=head,
        context=context,
        parts=tuple(map(_part, playbook.steps)),
        success=playbook.success,
        needs=frozenset(name for step in playbook.steps for name in _find_variables(step)),
    )


def _find_variables(text: str) -> list[str]:
    """Return the variables that a step or condition wants a value for."""
    goal = _VARIABLE.findall(_QUOTED.sub("", text)) if text.strip().startswith("!") else []
    return [*_PLACEHOLDER.findall(text), *goal]


def _all_bound(text: str, bound: Container[str]) -> None:
    if lacking := [name for name in _find_variables(text) if name not in bound]:
        raise Broken(f"{lacking[0]} is unbound: neither the trigger nor the context binds it")


def _trigger(playbook: Playbook) -> EventTrigger | None:
    """Return the trigger with its context, or None where the trigger is a condition."""
    text = playbook.trigger.strip()
    _, query = _context(playbook)
    if not _is_event(playbook):
        if query is not None:
            raise Broken("a condition as trigger binds nothing; write the context as a condition too")
        return None
    return trigger(*read_trigger(text), query)


def _context(playbook: Playbook) -> tuple[str, Any]:
    """Return the context as a condition, or as a query: `cash < $5K`, or `contact(Customer, Person) & Days > 30`.

    It is a query where it has a structure, or a variable of the trigger.
    """
    text = playbook.context.strip()
    if not text:
        return "", None
    bound = set(_VARIABLE.findall(playbook.trigger)) if _is_event(playbook) else set()
    bare = _VARIABLE.findall(_PLACEHOLDER.sub("", text))
    if is_comparison(text) and "(" not in text and bound.isdisjoint(bare):
        if wrong := fault(_PLACEHOLDER.sub("0", text)):
            raise Broken(wrong)
        return text, None
    return "", read_query(text)


def _is_event(playbook: Playbook) -> bool:
    """Return whether a trigger is written as an event: `+overdue(...)`, and not `+10% churn`."""
    return _EVENT.match(playbook.trigger.strip()) is not None


def _part(text: str) -> PlaybookStep:
    bare = text.strip()
    if bare.startswith("!"):
        read_trigger(f"+{bare}")
        return PlaybookStep("goal", bare)
    if bare.startswith("?"):
        condition = bare[1:].strip()
        if not is_comparison(condition) or (wrong := fault(_PLACEHOLDER.sub("0", condition))):
            raise Broken(
                wrong if is_comparison(condition) else "a condition must be a comparison, as in '? cash > $5K'"
            )
        return PlaybookStep("condition", condition)
    if bare.startswith("+"):
        if len(bare[1:].split()) < 3:
            raise Broken("a new belief needs subject, predicate and value, as in '+ acme status reminded'")
        return PlaybookStep("belief", bare[1:].strip())
    return _operation(bare)


def _operation(text: str) -> PlaybookStep:
    found = _OPERATION.fullmatch(text)
    if found is None:
        raise Broken(
            "a step of a playbook that starts by itself is an operation with its arguments as JSON, "
            "'!goal', '? condition' or '+ subject predicate value'"
        )
    try:
        arguments = json.loads(found["json"])
    except ValueError as error:
        raise Broken(f"the arguments of {found['tool']} are not JSON: {error}") from None
    return PlaybookStep("operation", (found["words"] or found["tool"]).strip(), found["tool"], arguments)


def _is_for_machines(step: str) -> bool:
    return step.strip().startswith(("!", "?", "+")) or _OPERATION.fullmatch(step.strip()) is not None


def _is_decidable(text: str) -> bool:
    """Return whether a text is a condition and no sentence that only looks like one."""
    clauses = [clause for alternative in parse(text) for clause in alternative]
    return is_comparison(text) and all(
        len(clause.subject.split()) <= 3 and (clause.op not in ("<", "<=", ">", ">=") or _is_measure(clause.value))
        for clause in clauses
    )


def _is_measure(value: str) -> bool:
    return number(value) is not None or parse_quantity(value.split(" ", maxsplit=1)[0]) is not None


def _plain(term: Term) -> Any:
    """Return a term as JSON has it: an atom as its name."""
    if type(term) is tuple:
        return render_term(term)
    return [_plain(one) for one in term] if type(term) is Listing else term


def matching(
    found: Collection[Routine], event: Event, place: QueryScope, lookup: Lookup
) -> Iterator[tuple[Routine, Values]]:
    """Yield the playbooks that currently apply to an event, in file order, with their bindings."""
    for one in found:
        values = one.match_event(event, place, lookup)
        if values is not None:
            yield one, values
