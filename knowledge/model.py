"""What is held true and how it came to be: facts, rules and cases (S0 sections 20, 21 and 23)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

RuleType = Literal["inference", "constraint", "policy"]
Severity = Literal["info", "warning", "error", "critical"]
Outcome = Literal["success", "partial_failure", "failure"]
SEVERITIES: tuple[str, ...] = get_args(Severity)
OUTCOMES: tuple[str, ...] = get_args(Outcome)


INFERENCE = "inference"
"""The source of facts that rules derived."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What someone said of a triple that a rule now holds more surely."""

    confidence: float
    source: str = ""
    valid_from: str = ""
    valid_until: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple with its provenance; `derived_from` and `rule_id` tell how an inferred one came to be.

    `stated` is what was said of an inferred one beside. A version that is no longer believed has `recorded_until`.
    """

    id: str
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    source: str = ""
    valid_from: str = ""
    valid_until: str = ""
    derived_from: tuple[str, ...] = ()
    rule_id: str = ""
    created_at: str = ""
    updated_at: str = ""
    stated: Statement | None = None
    recorded_until: str = ""

    @property
    def inferred(self) -> bool:
        """Whether the engine derived it and keeps it up to date."""
        return bool(self.rule_id) and self.source == INFERENCE

    @property
    def statement(self) -> Statement | None:
        """What was said of it, or None if rules alone hold it."""
        if self.inferred:
            return self.stated
        return Statement(self.confidence, self.source, self.valid_from, self.valid_until)

    @property
    def derived(self) -> bool:
        """Whether the fact was inferred and not stated."""
        return bool(self.derived_from or self.rule_id)

    @property
    def triple(self) -> tuple[str, str, str]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True, slots=True)
class Condition:
    """A pattern of facts; `?x` is a variable, an empty subject or object is anything."""

    predicate: str
    subject: str = ""
    object: str = ""
    operator: str = "eq"

    def __str__(self) -> str:
        sign = "" if self.operator == "eq" else f"{self.operator} "
        return f"{self.subject or '*'} {self.predicate} {sign}{self.object or '*'}"


@dataclass(frozen=True, slots=True)
class Rule:
    """Conditions over facts, and what follows where they hold: a conclusion, a violation or an action."""

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
    confidence_factor: float = 0.9
    enabled: bool = True
    domain: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A past episode: what was believed and wanted, what was done, and how it ended.

    Beliefs and desires are names, or names with their values where those are known.
    """

    id: str
    beliefs: Mapping[str, Any]
    desires: Mapping[str, Any]
    outcome: Outcome
    context: str = ""
    solution: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    stored_at: str = ""
    agent_id: str = ""

    @property
    def success(self) -> bool:
        """Whether the episode ended well."""
        return self.outcome == "success"

    @property
    def negative(self) -> bool:
        """Whether it is a warning: a failure or a partial one (S3 7.4)."""
        return not self.success
