"""The stored records of knowledge: facts and rules (S0 sections 20 and 21)."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from annotated_types import Gt, Le
from pydantic import BeforeValidator, ConfigDict, StringConstraints

from mabos.backends.graph.mapping import Link, graph_node
from mabos.backends.graph.model import Scalar
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import OPERATORS, number
from mabos.knowledge.wording import name_key
from mabos.workspace.documents import JsonCodec
from mabos.workspace.field_types import Share, Time, stored_as
from mabos.workspace.operations import Collections
from mabos.workspace.records import Document, declaration, record

RuleType = Literal["inference", "constraint", "policy"]
Severity = Literal["info", "warning", "error", "critical"]
SEVERITIES: tuple[str, ...] = get_args(Severity)

FACTS_SECTION: Final = "facts"
HISTORY_SECTION: Final = "history"
"""The versions of facts that are no longer believed, each with the time at which it was given up."""
OPERATOR_SIGNS: Final = {"=": "eq", "==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
"""The words for the signs of a comparison."""
LONGEST_NAME: Final = 120
"""Letters of an object that may still be the name of a thing."""
TRUTH_VALUES: Final = {"true": True, "yes": True, "false": False, "no": False}
VARIABLE: Final = re.compile(r"\?\w+")
INFERENCE = "inference"
"""The source of facts that rules derived."""


def thing_uid(name: str) -> str:
    """Return the graph uid of a thing that facts call by this name, ignoring spelling."""
    return f"thing:{name_key(name)[:LONGEST_NAME]}"


def literal(text: str) -> Scalar:
    """Return a text as its value: a number, true or false, else the text."""
    lowered = text.strip().lower()
    if lowered in TRUTH_VALUES:
        return TRUTH_VALUES[lowered]
    amount = number(text)
    return text if amount is None else amount


class FactsCodec(JsonCodec):
    """The codec of `facts.json`: S0's facts and version; the history is written only if it is not empty."""

    def __init__(self) -> None:
        super().__init__("facts.json", [FACTS_SECTION, HISTORY_SECTION])
        self._without_history = JsonCodec("facts.json", [FACTS_SECTION])

    def encode(self, name: str, collections: Collections, version: int) -> str:
        """Return the indented text."""
        if collections.get(HISTORY_SECTION):
            return super().encode(name, collections, version)
        return self._without_history.encode(name, collections, version)


@dataclass(frozen=True, slots=True)
class FactStatement:
    """A statement of a triple that a rule now holds with more confidence."""

    confidence: Share
    source: str = ""
    valid_from: Time = ""
    valid_until: Time = ""


@graph_node(
    "spo_fact",
    name=("sentence",),
    properties=("id", "subject", "predicate", "object=value", "confidence", "source"),
    links=(
        Link("fact_about_thing", "subject", to=lambda _owner, name: thing_uid(name)),
        Link("derived_from", "derived_from"),
        Link("derived_from", "rule_id"),
    ),
    collections=(FACTS_SECTION,),
    valid_from="valid_from",
    valid_to="valid_until",
)
@record(
    Document("facts.json", (FACTS_SECTION, HISTORY_SECTION), codec=FactsCodec),
    FACTS_SECTION,
    HISTORY_SECTION,
    noun="fact",
    optional=("valid_from", "valid_until", "derived_from", "rule_id", "stated", "recorded_until"),
)
@dataclass(frozen=True, slots=True)
class Fact:
    """A triple with its provenance; `derived_from` and `rule_id` are the derivation of an inferred one.

    `stated` is a separate statement of an inferred one. A version no longer believed has `recorded_until`.
    """

    id: Annotated[str, stored_as("id", "fact_id")]
    subject: str
    predicate: str
    object: str
    confidence: Share = 1.0
    source: str = ""
    valid_from: Time = ""
    valid_until: Time = ""
    derived_from: tuple[str, ...] = ()
    rule_id: str = ""
    stated: FactStatement | None = None
    created_at: str = ""
    updated_at: Annotated[str, stored_as("updated_at", "created_at")] = ""
    recorded_until: str = ""

    @property
    def inferred(self) -> bool:
        """Return whether the engine derived it and maintains it."""
        return bool(self.rule_id) and self.source == INFERENCE

    @property
    def statement(self) -> FactStatement | None:
        """Return the statement behind it, or None if rules alone hold it."""
        if self.inferred:
            return self.stated
        return FactStatement(self.confidence, self.source, self.valid_from, self.valid_until)

    @property
    def derived(self) -> bool:
        """Return whether the fact was inferred rather than stated."""
        return bool(self.derived_from or self.rule_id)

    @property
    def triple(self) -> tuple[str, str, str]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    @property
    def sentence(self) -> str:
        """Subject, predicate and object as one text."""
        return f"{self.subject} {self.predicate} {self.object}"

    @property
    def value(self) -> Scalar:
        """Return the object as its value: a number, true or false, else a text."""
        return literal(self.object)

    def __str__(self) -> str:
        return self.sentence


FACTS = declaration(Fact)


def _written_term(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


Term = Annotated[str, BeforeValidator(_written_term), StringConstraints(strip_whitespace=True)]
Operator = Annotated[
    Literal["eq", "gt", "lt", "gte", "lte", "ne", "contains"],
    BeforeValidator(lambda sign: OPERATOR_SIGNS.get(sign, sign) if isinstance(sign, str) else sign),
]


@dataclass(frozen=True, slots=True)
class Condition:
    """A pattern of facts; `?x` is a variable, an empty subject or object matches anything."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")
    predicate: Term
    subject: Term = ""
    object: Term = ""
    operator: Operator = "eq"

    def __str__(self) -> str:
        sign = "" if self.operator == "eq" else f"{self.operator} "
        return f"{self.subject or '*'} {self.predicate} {sign}{self.object or '*'}"


def is_variable(term: str) -> bool:
    """Return whether `term` is a variable, which has the same value wherever it occurs."""
    return VARIABLE.fullmatch(term) is not None


def variables(text: str) -> set[str]:
    """Return the variables in a text."""
    return set(VARIABLE.findall(text))


def _check_term(term: str, where: str, *, argument: str) -> None:
    """Raise `InvalidArgument` for an incomplete variable: it must be a whole term and have a name."""
    if not is_variable(term) and (term == "?" or VARIABLE.search(term)):
        message = f"{where} has the term {term!r}; a variable is '?' and a name, without other text"
        raise InvalidArgument(message, argument=argument)


def binding_terms(condition: Condition) -> list[str]:
    """Return the variables that a condition binds."""
    terms = [condition.subject, condition.object if condition.operator == "eq" else ""]
    return [term for term in terms if is_variable(term)]


def _check_conditions(conditions: Sequence[Condition]) -> set[str]:
    """Return the variables that `conditions` bind; raises `InvalidArgument` unless they can be evaluated.

    That is: a predicate each, a known operator, and nothing compared with a variable that no condition binds.
    """
    if not conditions:
        raise InvalidArgument("conditions is empty; a rule needs at least one", argument="conditions")
    bound = {term for one in conditions for term in binding_terms(one)}
    for place, one in enumerate(conditions, start=1):
        if not one.predicate or is_variable(one.predicate):
            raise InvalidArgument(f"condition {place} needs a predicate that is not a variable", argument="conditions")
        for term in (one.subject, one.object):
            _check_term(term, f"condition {place}", argument="conditions")
        if one.operator not in OPERATORS:
            message = f"condition {place} has the operator {one.operator!r}; use one of {', '.join(OPERATORS)}"
            raise InvalidArgument(message, argument="conditions")
        if one.operator != "eq" and (not one.object or (is_variable(one.object) and one.object not in bound)):
            message = f"condition {place} compares with {one.object or 'nothing'!r}, which no other condition binds"
            raise InvalidArgument(message, argument="conditions")
    return bound


def check_rule(rule: "Rule") -> None:
    """Raise `InvalidArgument` unless `rule` can be evaluated and has a consequence."""
    bound = _check_conditions(rule.conditions)
    if rule.type == "inference":
        _check_conclusion(rule.conclusion, bound)
    if rule.type == "policy" and not (rule.action or rule.escalate):
        raise InvalidArgument("a policy needs an action, or escalate", argument="action")
    for name, text in (("violation_message", rule.violation_message), ("action", rule.action)):
        loose = sorted(variables(text) - bound)
        if loose:
            raise InvalidArgument(f"the {name} names {', '.join(loose)}, which no condition binds", argument=name)


def _check_conclusion(conclusion: Condition | None, bound: Container[str]) -> None:
    if conclusion is None:
        raise InvalidArgument("an inference rule needs a conclusion", argument="conclusion")
    if not conclusion.predicate or is_variable(conclusion.predicate):
        raise InvalidArgument("the conclusion needs a predicate that is not a variable", argument="conclusion")
    ends = (conclusion.subject, conclusion.object)
    for term in ends:
        _check_term(term, "the conclusion", argument="conclusion")
    loose = [term for term in ends if is_variable(term) and term not in bound]
    if loose or not all(ends):
        message = f"the conclusion {conclusion} leaves {', '.join(loose) or 'a term'} open; bind it in a condition"
        raise InvalidArgument(message, argument="conclusion")


def with_name(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a rule's fields with a name, which defaults to its description or id."""
    if definition.get("name"):
        return definition
    return {**definition, "name": definition.get("description") or definition.get("id") or ""}


def _rule_record(rule: "Rule") -> dict[str, Any]:
    """Return `rule` as the JSON record of S0 section 21, with the fields of its own type."""
    record: dict[str, Any] = {"id": rule.id, "name": rule.name, "description": rule.description, "type": rule.type}
    record["conditions"] = [_condition_record(one) for one in rule.conditions]
    if rule.conclusion is not None:
        record["conclusion"] = _condition_record(rule.conclusion)
    if rule.type == "constraint":
        record |= {"violation_message": rule.violation_message, "severity": rule.severity}
    if rule.type == "policy":
        record |= {"action": rule.action, "escalate": rule.escalate}
    record |= {"confidence_factor": rule.confidence_factor, "enabled": rule.enabled}
    return {**record, **({"domain": rule.domain} if rule.domain else {}), "created_at": rule.created_at}


def _condition_record(condition: Condition) -> dict[str, str]:
    fields = {"subject": condition.subject, "predicate": condition.predicate, "object": condition.object}
    operator = {} if condition.operator == "eq" else {"operator": condition.operator}
    return {name: text for name, text in fields.items() if text} | operator


@graph_node(
    "knowledge_rule", name=("name",), text=("description",), properties=("id", "kind=type", "domain", "enabled")
)
@record("rules.json", "rules", noun="rule", unpack=with_name, pack=_rule_record, check=check_rule)
@dataclass(frozen=True, slots=True)
class Rule:
    """Conditions over facts, and their consequence: a conclusion, a violation or an action."""

    id: str
    name: str
    type: RuleType
    conditions: tuple[Condition, ...]
    description: str = ""
    conclusion: Condition | None = None
    violation_message: str = ""
    severity: Severity = "warning"
    action: str = ""
    escalate: bool = False
    confidence_factor: Annotated[float, Gt(0), Le(1)] = 0.9
    enabled: bool = True
    domain: str = ""
    created_at: str = ""


RULES = declaration(Rule)
