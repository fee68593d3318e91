"""Rules as they stand in `rules.json`, and the typed ones beside the open document."""

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.matching import check_conditions, check_term, is_variable, variables
from mabos.knowledge.model import Condition, Rule, RuleType, Severity
from mabos.memory.mirror import Mirror
from mabos.workspace.indexer import Row
from mabos.workspace.store import Store

SECTION = "rules"
KIND = "knowledge_rule"
"""The kind under which rules stand in the index, by its name in S0 section 12."""
_NUMBERED = re.compile(r"R-[0-9]{1,9}")
_SIGNS = {"=": "eq", "==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _as_word(sign: Any) -> Any:
    return _SIGNS.get(sign, sign) if isinstance(sign, str) else sign


Term = Annotated[str, BeforeValidator(_as_text), StringConstraints(strip_whitespace=True)]
Operator = Annotated[Literal["eq", "gt", "lt", "gte", "lte", "ne", "contains"], BeforeValidator(_as_word)]


class ConditionForm(BaseModel):
    """A condition or conclusion as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    predicate: Term
    subject: Term = ""
    object: Term = ""
    operator: Operator = "eq"


class RuleForm(BaseModel):
    """A rule as it is written; a person's own fields are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    name: str = ""
    type: RuleType
    conditions: tuple[ConditionForm, ...]
    description: str = ""
    conclusion: ConditionForm | None = None
    violation_message: str = ""
    severity: Severity = "warning"
    action: str = ""
    escalate: bool = False
    confidence_factor: Annotated[float, Field(gt=0, le=1)] = 0.9
    enabled: bool = True
    domain: str = ""
    created_at: str = ""


class RuleBook(Mirror[Rule]):
    """The typed rules of one store; callers hold `lock`."""

    def __init__(self) -> None:
        super().__init__()
        self.records = {SECTION: {}}
        self.directory = Path()

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules by id, in the order of their creation."""
        return self.records[SECTION]

    def convert(self, collection: str, key: str, value: Any) -> Rule:  # noqa: ARG002  # there is one collection
        """Return the rule in a record; raises `Damaged` where it cannot be meant."""
        try:
            return parsed(value, key, created_at="")
        except InvalidArgument as error:
            raise Damaged(f"rules.json{self._line(key)}: the rule {key!r} cannot be read: {error.message}") from error

    def _line(self, key: str) -> str:
        """Return the line on which a rule's id stands, as `:14`, where it can be found."""
        path = self.directory / "rules.json"
        if not path.exists():
            return ""
        found = re.search(
            rf'"id"\s*:\s*{re.escape(json.dumps(key))}', text := path.read_text("utf-8", errors="replace")
        )
        return f":{text.count(chr(10), 0, found.start()) + 1}" if found else ""


_books: WeakKeyDictionary[Store, RuleBook] = WeakKeyDictionary()


def book_of(store: Store) -> RuleBook:
    """Return the one rule book beside `store`; it goes when the store does."""
    found = _books.get(store)
    return _books.setdefault(store, RuleBook()) if found is None else found


def rows(agent_id: str) -> Callable[[str, str, Any], Row | None]:
    """Return what an agent's rules give to the index; one that cannot be read gives nothing."""

    def row(collection: str, key: str, record: Any) -> Row | None:
        if collection != SECTION:
            return None
        with suppress(InvalidArgument):
            rule = parsed(record, key, created_at="")
            return Row(KIND, rule.id, agent_id, f"{rule.name}. {rule.description}", (rule.type,))
        return None

    return row


def next_id(rules: Iterable[str]) -> str:
    """Return the next free id of the form `R-001` (S0 section 21)."""
    numbers = [int(key[2:]) for key in rules if _NUMBERED.fullmatch(key)]
    return f"R-{max(numbers, default=0) + 1:03d}"


def parsed(definition: Mapping[str, Any], rule_id: str, *, created_at: str) -> Rule:
    """Return the rule that `definition` (the fields of S0 section 21) describes; raises `InvalidArgument`."""
    try:
        form = RuleForm.model_validate({**definition, "id": rule_id})
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise InvalidArgument(f"{where}: {problem['msg']}", argument=str(problem["loc"][0])) from None
    conclusion = form.conclusion
    rule = Rule(
        id=form.id,
        name=form.name or form.description or form.id,
        type=form.type,
        conditions=tuple(Condition(**one.model_dump()) for one in form.conditions),
        description=form.description,
        conclusion=None if conclusion is None else Condition(**conclusion.model_dump()),
        violation_message=form.violation_message,
        severity=form.severity,
        action=form.action,
        escalate=form.escalate,
        confidence_factor=form.confidence_factor,
        enabled=form.enabled,
        domain=form.domain,
        created_at=form.created_at or created_at,
    )
    check(rule)
    return rule


def check(rule: Rule) -> None:
    """Raise `InvalidArgument` unless `rule` can be evaluated and says what follows from it."""
    bound = check_conditions(rule.conditions)
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
        raise InvalidArgument("the conclusion needs a predicate that is no variable", argument="conclusion")
    ends = (conclusion.subject, conclusion.object)
    for term in ends:
        check_term(term, "the conclusion", argument="conclusion")
    loose = [term for term in ends if is_variable(term) and term not in bound]
    if loose or not all(ends):
        message = f"the conclusion {conclusion} leaves {', '.join(loose) or 'a term'} open; bind it in a condition"
        raise InvalidArgument(message, argument="conclusion")


def as_record(rule: Rule) -> dict[str, Any]:
    """Return `rule` as the JSON record of S0 section 21, with the fields of its own type."""
    record: dict[str, Any] = {"id": rule.id, "name": rule.name, "description": rule.description, "type": rule.type}
    record["conditions"] = [_condition(one) for one in rule.conditions]
    if rule.conclusion is not None:
        record["conclusion"] = _condition(rule.conclusion)
    if rule.type == "constraint":
        record |= {"violation_message": rule.violation_message, "severity": rule.severity}
    if rule.type == "policy":
        record |= {"action": rule.action, "escalate": rule.escalate}
    record |= {"confidence_factor": rule.confidence_factor, "enabled": rule.enabled}
    return {**record, **({"domain": rule.domain} if rule.domain else {}), "created_at": rule.created_at}


def _condition(condition: Condition) -> dict[str, str]:
    fields = {"subject": condition.subject, "predicate": condition.predicate, "object": condition.object}
    operator = {} if condition.operator == "eq" else {"operator": condition.operator}
    return {name: text for name, text in fields.items() if text} | operator
