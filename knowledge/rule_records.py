"""The rules in `rules.json`, and a typed cache of them for the open document."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.model import RULES, Rule, check_rule, with_name
from mabos.workspace.indexer import TextRow
from mabos.workspace.store import Store
from mabos.workspace.view import View

SECTION = "rules"
KIND = "knowledge_rule"
"""The kind under which rules stand in the index, by its name in S0 section 12."""
_NUMBERED = re.compile(r"R-[0-9]{1,9}")


class RuleBook(View[Rule]):
    """The typed rules of one store, which is in `directory`; callers hold `lock`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, Rule)
        self.directory = Path()
        self.vocabulary: Callable[[], Mapping[str, Rule]] = dict
        """Returns the rules of the business's ontologies by id."""

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules by id, in the order of their creation."""
        return self.records[SECTION]


def book_of(store: Store) -> RuleBook:
    """Return the one rule book of `store`; it goes when the store does."""
    return store.companion(RuleBook)


def rows(agent_id: str) -> Callable[[str, str, Any], TextRow | None]:
    """Return a function from an agent's rules to index rows; an unreadable rule gives none."""

    def row(collection: str, key: str, record: Any) -> TextRow | None:
        if collection != SECTION:
            return None
        with suppress(Damaged):
            rule = RULES.read(key, record)
            return TextRow(KIND, rule.id, agent_id, f"{rule.name}. {rule.description}", (rule.type,))
        return None

    return row


def next_id(rules: Iterable[str]) -> str:
    """Return the next free id of the form `R-001` (S0 section 21)."""
    numbers = [int(key[2:]) for key in rules if _NUMBERED.fullmatch(key)]
    return f"R-{max(numbers, default=0) + 1:03d}"


def parse_rule(definition: Mapping[str, Any], rule_id: str, *, created_at: str) -> Rule:
    """Return the rule that `definition` (the fields of S0 section 21) describes; raises `InvalidArgument`."""
    try:
        rule: Rule = _as_given().validate_python(with_name({"created_at": created_at, **definition, "id": rule_id}))
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise InvalidArgument(f"{where}: {problem['msg']}", argument=str(problem["loc"][0])) from None
    check_rule(rule)
    return rule


@cache
def _as_given() -> TypeAdapter[Rule]:
    return TypeAdapter(Rule)
